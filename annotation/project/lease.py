"""Who holds a document: at most one process writes it, and a process that is gone holds nothing.

A lease is a row with the process id and the time the process started, which tells a process from a later one with the
same id. It also carries a token, which the writer compares inside each transaction: even a lease that was taken from a
living process by mistake (a clock set back, a project copied elsewhere) never leads to two writers.
"""

import os
import socket
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

import psutil
from sqlite_utils import Database

from annotation.project.database import now, writing

_own_tokens: set[str] = set()
"""Tokens of leases that this process holds; one that it gave up, but had no room to take out of the file, is void."""

_START_TOLERANCE_S = 2.0
"""Systems report a start with coarse clocks; no id comes round again within two seconds of its owner's start."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write one document, and who has it."""

    subject: str
    person: str
    process_id: int
    process_started: float
    host: str
    at: str
    token: str


@dataclass(frozen=True, slots=True)
class LeaseAnswer:
    """The lease asked for, or None and the reason in a sentence."""

    lease: Lease | None
    reason: str = ""


def take_lease(db: Database, subject: str, person: str, *, take_over: bool = False) -> LeaseAnswer:
    """Return the lease on a document, or the reason why another has it.

    Parameters
    ----------
    take_over
        Take it from a process on another computer, whose life cannot be seen from here. A living process on this
        computer keeps its lease all the same.
    """
    with writing(db):
        holder = _holder(db, subject, person)
        reason = _reason_to_refuse(holder, take_over=take_over) if holder else ""
        if reason:
            return LeaseAnswer(None, reason)
        lease = _own_lease(subject, person)
        db.execute("DELETE FROM lease WHERE subject = ? AND person = ?", [subject, person])
        _insert(db, lease)
    _own_tokens.add(lease.token)
    return LeaseAnswer(lease)


def who_writes(db: Database, person: str) -> str:
    """Return in a sentence who holds a document of a person for writing, or nothing."""
    for (subject,) in db.execute("SELECT subject FROM lease WHERE person = ?", [person]).fetchall():
        holder = _holder(db, subject, person)
        reason = _reason_to_refuse(holder, take_over=False) if holder else ""
        if reason:
            return reason
    return ""


def release_lease(db: Database, lease: Lease) -> None:
    """Give a lease back; one that another holds meanwhile is left alone. It is void even if the file is not written."""
    _own_tokens.discard(lease.token)
    with writing(db):
        db.execute("DELETE FROM lease WHERE token = ?", [lease.token])


def lease_stands(db: Database, lease: Lease) -> bool:
    """Return whether a lease is still the one in the file, inside the caller's writing transaction.

    A row that is gone without another in its place (the file was restored) is put back: nobody else can have written.
    """
    holder = _holder(db, lease.subject, lease.person)
    if holder is None:
        _insert(db, lease)
        return True
    return holder.token == lease.token


def _own_lease(subject: str, person: str) -> Lease:
    process = psutil.Process()
    return Lease(subject, person, process.pid, process.create_time(), socket.gethostname(), now(), uuid4().hex)


def _insert(db: Database, lease: Lease) -> None:
    db.execute(
        "INSERT INTO lease (subject, person, process_id, process_started, host, at, token) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            lease.subject,
            lease.person,
            lease.process_id,
            lease.process_started,
            lease.host,
            lease.at,
            lease.token,
        ],
    )


def _holder(db: Database, subject: str, person: str) -> Lease | None:
    row = db.execute(
        "SELECT subject, person, process_id, process_started, host, at, token FROM lease "
        "WHERE subject = ? AND person = ?",
        [subject, person],
    ).fetchone()
    return Lease(*row) if row else None


def _reason_to_refuse(holder: Lease, *, take_over: bool) -> str:
    since = f"since {_local_time(holder.at)}"
    if holder.host != socket.gethostname():
        if take_over:
            return ""
        return (
            f"Open for writing on the computer “{holder.host}” (process {holder.process_id}) {since}. "
            "If Floorscope does not run there any more, take the document over."
        )
    if not _is_alive(holder):
        return ""
    if holder.process_id == os.getpid():
        if holder.token not in _own_tokens:
            return ""
        return f"Open for writing already in this Floorscope (process {holder.process_id}) {since}."
    return (
        f"Open for writing in another Floorscope (process {holder.process_id}) {since}, "
        "so it can only be read here. Close it there to label here."
    )


def _local_time(text: str) -> str:
    try:
        return f"{datetime.fromisoformat(text).astimezone():%d %b %H:%M}"
    except ValueError:
        return text


def _is_alive(holder: Lease) -> bool:
    try:
        process = psutil.Process(holder.process_id)
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        return abs(process.create_time() - holder.process_started) <= _START_TOLERANCE_S
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        # It is there and belongs to somebody else.
        return True
