"""Removing what one person entered, on request: the one thing that takes rows out of a log that only grows.

It is one transaction: the triggers that protect the log are dropped, the rows deleted and the triggers made again, so
that nothing else can slip in between. Then the file is written anew without its free pages, its log is emptied, and
backups are rewritten in the same way, so that the bytes are gone from all of them. Nothing brings them back.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import msgspec
from sqlite_utils import Database

from annotation.cancellation import Progress, no_progress
from annotation.project.backup import backups_of, fault_of_backup
from annotation.project.database import connect, connect_closed_file, log_path, now, sync_folder, writing
from annotation.project.faults import ProjectError, ProjectWriteError, faults_of
from annotation.project.lease import who_writes

_TABLES = ("revision", "set_aside", "mapping")


@dataclass(frozen=True, slots=True)
class RemovalPlan:
    """What a removal takes out, and what it does not; plain values, so that it can be printed as JSON.

    Parameters
    ----------
    revisions, documents
        Steps of the person, and in how many conversations.
    set_aside
        Steps of the person that a rescue set aside.
    mappings
        Changes of speakers’ channels by the person: the change stays, since labels of others rest on it, and the name
        is taken out.
    backups, damaged_backups
        Backups that hold something of the person, which are rewritten, and damaged ones, which are deleted.
    others
        Other people who have entered something.
    """

    person: str
    revisions: int
    documents: int
    set_aside: int
    mappings: int
    backups: tuple[Path, ...]
    damaged_backups: tuple[Path, ...]
    others: tuple[str, ...]

    @property
    def empty(self) -> bool:
        """Whether nothing of the person is there."""
        return not (self.revisions or self.set_aside or self.mappings or self.backups)


@dataclass(frozen=True, slots=True)
class RemovalReport:
    """What was removed, and whether the bytes are gone from the project's files."""

    revisions: int
    set_aside: int
    mappings: int
    backups_rewritten: int
    backups_deleted: int
    erased: bool


def removal_plan(path: Path, person: str) -> RemovalPlan:
    """Return what there is of a person in a project and its backups; reads only.

    Raises
    ------
    ProjectError
        If the project cannot be read.
    """
    db = connect(path, read_only=True)
    try:
        with faults_of(path):
            counts = _counts(db, person)
            documents = db.execute(
                "SELECT count(DISTINCT subject) FROM revision WHERE person = ?", [person]
            ).fetchone()[0]
            others = db.execute(
                "SELECT DISTINCT person FROM revision WHERE person <> ? ORDER BY person", [person]
            ).fetchall()
    finally:
        db.close()
    holding, damaged = [], []
    for backup in backups_of(path):
        if fault_of_backup(backup):
            damaged.append(backup)
        elif any(_counts_in(backup, person).values()):
            holding.append(backup)
    return RemovalPlan(
        person,
        counts["revision"],
        documents,
        counts["set_aside"],
        counts["mapping"],
        tuple(holding),
        tuple(damaged),
        tuple(name for (name,) in others),
    )


def remove_person(path: Path, person: str, progress: Progress = no_progress) -> RemovalReport:
    """Take what a person entered out of a project and its backups; nothing brings it back.

    Called again, it finishes what was interrupted.

    Raises
    ------
    ProjectError
        If a document of the person is open somewhere, or the project cannot be written.
    ProjectWriteError
        If there was no room to rewrite a file: what was entered is out of the project, and its bytes may be there.
    """
    plan = removal_plan(path, person)
    db = connect(path)
    try:
        with faults_of(path):
            holder = who_writes(db, person)
            if holder:
                raise ProjectError(
                    f"Work of “{person}” is open. {holder}", where=str(path), remedy="Close it there first."
                )
            _require_no_seat(db, path, person)
            _delete(db, person)
            progress(0.2)
            erased = _rewrite(db)
    finally:
        db.close()
    progress(0.6)
    erased = erased and not _has_bytes(log_path(path))
    for number, backup in enumerate(plan.backups):
        _rewrite_backup(backup, person)
        progress(0.6 + 0.4 * (number + 1) / len(plan.backups))
    for backup in plan.damaged_backups:
        backup.unlink(missing_ok=True)
    progress(1.0)
    return RemovalReport(
        plan.revisions, plan.set_aside, plan.mappings, len(plan.backups), len(plan.damaged_backups), erased
    )


def _require_no_seat(db: Database, path: Path, person: str) -> None:
    """Refuse to promise what is not done yet: answers in a study are not taken out."""
    seats = db.execute("SELECT count(*) FROM study_seat WHERE annotator = ?", [person]).fetchone()[0]
    if seats:
        raise ProjectError(
            f"“{person}” is an annotator of a study, and a removal does not reach the answers in studies yet.",
            where=str(path),
            remedy="Nothing was removed. Make a project without the study, and remove the person there.",
        )


def _counts(db: Database, person: str) -> dict[str, int]:
    return {
        table: db.execute(f"SELECT count(*) FROM {table} WHERE person = ?", [person]).fetchone()[0] for table in _TABLES
    }


def _counts_in(backup: Path, person: str) -> dict[str, int]:
    db = connect_closed_file(backup)
    try:
        with faults_of(backup):
            return _counts(db, person)
    finally:
        db.close()


def _delete(db: Database, person: str) -> None:
    db.execute("PRAGMA secure_delete = ON")
    with writing(db):
        counts = _counts(db, person)
        with _unprotected(db):
            sequences = db.execute("SELECT sequence FROM revision WHERE person = ? ORDER BY sequence", [person])
            spans = _spans([sequence for (sequence,) in sequences])
            db.execute("DELETE FROM revision WHERE person = ?", [person])
            db.execute("DELETE FROM set_aside WHERE person = ?", [person])
            db.execute("UPDATE mapping SET person = '' WHERE person = ?", [person])
            db.execute("DELETE FROM lease WHERE person = ?", [person])
        if any(counts.values()):
            db.execute(
                "INSERT INTO removal (at, revisions, mappings, sequences) VALUES (?, ?, ?, ?)",
                [now(), counts["revision"], counts["mapping"], msgspec.json.encode(spans).decode()],
            )


@contextmanager
def _unprotected(db: Database) -> Iterator[None]:
    """Take the triggers of the log away for the block, inside the caller’s transaction, and make them again."""
    triggers = db.execute(
        f"SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN ({', '.join('?' * len(_TABLES))})",
        list(_TABLES),
    ).fetchall()
    for name, _ in triggers:
        db.execute(f'DROP TRIGGER "{name}"')
    yield
    for _, statement in triggers:
        db.execute(statement)


def _spans(sequences: list[int]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for sequence in sequences:
        if spans and sequence == spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], sequence)
        else:
            spans.append((sequence, sequence))
    return spans


def _rewrite(db: Database) -> bool:
    """Write the file anew without free pages and empty its log; False if another process still reads the log."""
    try:
        db.execute("VACUUM")
        busy = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    except sqlite3.OperationalError as error:
        raise ProjectWriteError(
            f"The data was removed from the project, but its file could not be written anew: {error}.",
            remedy="Free some space, close other Floorscopes, and remove once more, so that the bytes are gone too.",
        ) from error
    return not busy


def _has_bytes(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _rewrite_backup(backup: Path, person: str) -> None:
    draft = backup.with_name(f".draft-{uuid4().hex}")
    try:
        shutil.copyfile(backup, draft)
        db = connect(draft)
        try:
            with faults_of(draft):
                _delete(db, person)
                db.execute("VACUUM")
                db.execute("PRAGMA journal_mode = DELETE")
        finally:
            db.close()
        fault = fault_of_backup(draft)
        if fault:
            raise ProjectError(f"The backup could not be rewritten. {fault}", where=str(backup))
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        draft.replace(backup)
        sync_folder(backup.parent)
    except OSError as error:
        raise ProjectWriteError(
            f"A backup could not be rewritten: {error.strerror}.",
            where=str(backup),
            remedy="The project itself is done. Free some space and remove once more, or delete this backup.",
        ) from error
    finally:
        for ending in ("", "-journal", "-wal", "-shm"):
            with suppress(OSError):
                draft.with_name(draft.name + ending).unlink(missing_ok=True)
