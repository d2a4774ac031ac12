"""The thread that makes gestures durable: one connection, what is pending in one transaction, in order.

A gesture is reported as kept only after its COMMIT has returned, which with ``synchronous=FULL`` is after the disk has
it, and only if the file is still where it was. What cannot be kept stays in memory, in order, until `retry` succeeds.
"""

import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Generic, Protocol, TypeVar

from sqlite_utils import Database

from annotation.document import Revision
from annotation.errors import FloorscopeError, InvalidValueError
from annotation.project.database import connect, log_path, writing
from annotation.project.faults import LeaseLostError, ProjectWriteError, StepRefusedError, faults_of
from annotation.project.lease import Lease, lease_stands
from annotation.project.revision_log import insert_revisions

Entry = TypeVar("Entry")
_Kept = TypeVar("_Kept", contravariant=True)
Place = tuple[str, ...]
"""What an entry belongs to and builds on, such as a subject and a person."""

OnKept = Callable[[tuple[Revision, ...]], None]
OnFailed = Callable[[FloorscopeError, tuple[Revision, ...]], None]

CLOSE_SECONDS = 60.0
"""How long `close` waits for a slow disk; SQLite itself waits ten seconds for another writer."""


class Keeper(Protocol[_Kept]):
    """How entries of one sort are kept in their file."""

    @property
    def path(self) -> Path:
        """The file."""
        ...

    def connect(self) -> Database:
        """Return a connection for the writer's thread; faults as `annotation.project.database.connect`."""
        ...

    def insert(self, db: Database, entry: _Kept) -> None:
        """Append an entry inside the caller's transaction; one that is there already is left as it is.

        Raises
        ------
        InvalidValueError
            If the entry breaks a rule of the log: it and what follows in its place is then refused, and nothing else.
        """
        ...

    def place_of(self, entry: _Kept) -> Place:
        """Return what the entry belongs to: after a refused one, no more of the same place are kept."""
        ...


@dataclass(frozen=True, slots=True)
class _Submission(Generic[Entry]):
    entry: Entry
    place: Place
    lease: Lease | None


@dataclass(frozen=True, slots=True)
class _Outcome(Generic[Entry]):
    """What one transaction kept, which leases another has taken, and the places in which an entry was refused."""

    kept: tuple[_Submission[Entry], ...]
    lost: frozenset[Lease]
    refused: dict[Place, FloorscopeError]


@dataclass(frozen=True, slots=True)
class _Order:
    """Something to do in its place among the submissions, and the event to set when it is done."""

    what: str
    done: threading.Event = field(default_factory=threading.Event)


class LogWriter(Generic[Entry]):
    """Keeps entries of one sort in a file, on a thread of its own.

    Parameters
    ----------
    keeper
        How they are kept, and where.
    on_kept
        Called with entries that are on the disk, in order.
    on_failed
        Called with the fault and the entries that it holds back, which stay held.

    Both are called on the writer's thread and must not raise.
    """

    def __init__(
        self,
        keeper: Keeper[Entry],
        on_kept: Callable[[tuple[Entry, ...]], None],
        on_failed: Callable[[FloorscopeError, tuple[Entry, ...]], None],
    ) -> None:
        self._keeper = keeper
        self._path = keeper.path
        self._on_kept = on_kept
        self._on_failed = on_failed
        self._queue: SimpleQueue[_Submission[Entry] | _Order] = SimpleQueue()
        # All below is written by the writer's thread alone; others read whole tuples.
        self._held: tuple[_Submission[Entry], ...] = ()
        self._outcast: tuple[_Submission[Entry], ...] = ()
        self._refused: dict[Place, FloorscopeError] = {}
        self._session: list[_Submission[Entry]] = []
        self._failure: FloorscopeError | None = None
        self._files: _Files | None = None
        self._db: Database | None = None
        self._thread = threading.Thread(target=self._run, name="floorscope-writer", daemon=False)
        self._thread.start()

    @property
    def failure(self) -> FloorscopeError | None:
        """Why nothing is being kept at present, or None."""
        return self._failure

    @property
    def held(self) -> tuple[Entry, ...]:
        """The entries that could not be kept so far, in order."""
        return tuple(submission.entry for submission in (*self._outcast, *self._held))

    def submit(self, entry: Entry, lease: Lease | None = None) -> None:
        """Queue an entry and return at once, whatever the disk is doing.

        Parameters
        ----------
        lease
            If given, the entry is written only while this is the lease in the file.
        """
        self._queue.put(_Submission(entry, self._keeper.place_of(entry), lease))

    def retry(self) -> None:
        """Try again to keep what is held; returns at once."""
        self._queue.put(_Order("retry"))

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until all that was submitted before is on the disk.

        Parameters
        ----------
        timeout
            Seconds to wait at most.

        Returns
        -------
        bool
            False if something is held, or the time was over.
        """
        return self._ordered("flush", timeout) and not self.held

    def release(self, timeout: float | None = None) -> bool:
        """Close the writer's connection until the next write; True when it has been."""
        return self._ordered("release", timeout)

    def close(self, timeout: float = CLOSE_SECONDS) -> tuple[Entry, ...]:
        """Write what is pending, try once more what is held, end the thread, and return what was not kept."""
        if self._thread.is_alive():
            self._queue.put(_Order("close"))
            self._thread.join(timeout)
        return self.held

    def _ordered(self, what: str, timeout: float | None) -> bool:
        if not self._thread.is_alive():
            return True
        order = _Order(what)
        self._queue.put(order)
        return order.done.wait(timeout)

    # The writer's thread

    def _run(self) -> None:
        working = True
        while working:
            batch, orders = self._taken()
            self._take(batch, retrying=any(order.what in ("retry", "close") for order in orders))
            for order in orders:
                if order.what in ("release", "close"):
                    self._disconnect()
                working = working and order.what != "close"
                order.done.set()

    def _taken(self) -> tuple[tuple[_Submission[Entry], ...], list[_Order]]:
        """Wait for something to do, and take all that is there."""
        submissions: list[_Submission[Entry]] = []
        orders: list[_Order] = []
        following: _Submission[Entry] | _Order | None = self._queue.get()
        while following is not None:
            if isinstance(following, _Order):
                orders.append(following)
            else:
                submissions.append(following)
            try:
                following = self._queue.get_nowait()
            except Empty:
                following = None
        return tuple(submissions), orders

    def _take(self, batch: tuple[_Submission[Entry], ...], *, retrying: bool) -> None:
        if self._failure is not None and not retrying:
            self._held += batch
            self._report(self._failure, batch)
            return
        if retrying:
            batch = (*self._outcast, *self._held, *batch)
            self._outcast = ()
            self._refused = {}
        if self._failure is not None:
            self._disconnect()
        self._held = batch
        if batch or self._failure is not None:
            self._attempt(batch)

    def _attempt(self, batch: tuple[_Submission[Entry], ...]) -> None:
        # After a failure all of this session is offered again: a log that was deleted took kept revisions along, and
        # those that are there still are skipped by their id.
        again = tuple(self._session) if self._failure is not None else ()
        try:
            with faults_of(self._path):
                outcome = self._write((*again, *batch))
        except FloorscopeError as fault:
            self._fail(fault, batch)
            return
        except sqlite3.Error as error:
            # A mistake in the code, but one that must not cost what was entered: the thread goes on and holds it.
            self._fail(ProjectWriteError(f"SQLite refused the step: {error}.", where=str(self._path)), batch)
            return
        done = {id(submission) for submission in outcome.kept}
        kept = tuple(s for s in batch if id(s) in done)
        self._failure = None
        self._held = ()
        self._outcast += tuple(s for s in batch if id(s) not in done)
        self._refused |= outcome.refused
        self._session += kept
        if kept:
            self._on_kept(tuple(submission.entry for submission in kept))
        self._report_outcasts(tuple(s for s in batch if id(s) not in done), outcome.lost)

    def _report_outcasts(self, outcasts: tuple[_Submission[Entry], ...], lost: frozenset[Lease]) -> None:
        taken = tuple(s for s in outcasts if s.lease in lost)
        if taken:
            self._report(
                LeaseLostError(
                    "Another Floorscope took over this document, so what was entered since is not kept.",
                    where=", ".join(sorted({s.place[0] for s in taken})),
                    remedy="Close it here, and go on where it is open.",
                ),
                taken,
            )
        for place, fault in self._refused.items():
            self._report(
                StepRefusedError(
                    fault.args[0],
                    where=fault.args[1],
                    remedy=f"{fault.args[2]} Close the conversation and open it again to go on without it.".strip(),
                ),
                tuple(s for s in outcasts if s.place == place and s.lease not in lost),
            )

    def _fail(self, fault: FloorscopeError, batch: tuple[_Submission[Entry], ...]) -> None:
        self._disconnect()
        self._failure = fault
        self._report(fault, batch)

    def _write(self, batch: tuple[_Submission[Entry], ...]) -> _Outcome[Entry]:
        db = self._connected()
        kept: list[_Submission[Entry]] = []
        refused: dict[Place, FloorscopeError] = {}
        with writing(db):
            leases = {s.lease for s in batch if s.lease is not None}
            lost = frozenset(lease for lease in leases if not lease_stands(db, lease))
            for submission in batch:
                # What follows a refused entry in its place builds on it.
                if submission.lease in lost or submission.place in (self._refused | refused):
                    continue
                try:
                    self._keeper.insert(db, submission.entry)
                except InvalidValueError as fault:
                    refused[submission.place] = fault
                else:
                    kept.append(submission)
        if self._files is None:
            self._files = _Files(self._path)
        self._files.require_unchanged()
        return _Outcome(tuple(kept), lost, refused)

    def _connected(self) -> Database:
        if self._db is None:
            self._db = self._keeper.connect()
            self._files = None
        return self._db

    def _disconnect(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _report(self, fault: FloorscopeError, submissions: tuple[_Submission[Entry], ...]) -> None:
        if submissions:
            self._on_failed(fault, tuple(submission.entry for submission in submissions))


class _RevisionKeeper:
    """Keeps revisions in a project."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def connect(self) -> Database:
        return connect(self.path)

    def insert(self, db: Database, entry: Revision) -> None:
        insert_revisions(db.conn, (entry,))

    def place_of(self, entry: Revision) -> Place:
        return (entry.subject, entry.person)


class RevisionWriter(LogWriter[Revision]):
    """Keeps revisions in an existing project; faults and calls as `LogWriter`."""

    def __init__(self, path: Path, on_kept: OnKept, on_failed: OnFailed) -> None:
        super().__init__(_RevisionKeeper(path), on_kept, on_failed)


class _Files:
    """Where the file and its log were when the connection first wrote.

    A synchronising program or a person may move or delete either while the project is open. SQLite goes on writing to
    files that no longer have a name, and everything would seem kept.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._identities = self._found()

    def require_unchanged(self) -> None:
        """Raise `ProjectWriteError` if the file or its log is not the one that the connection writes."""
        if self._found() != self._identities or None in self._identities:
            raise ProjectWriteError(
                "The project file or its log was moved, replaced or deleted while it is open.",
                where=str(self._path),
                remedy="Put the file back where it was and try again; keep projects out of synchronised folders.",
            )

    def _found(self) -> tuple[tuple[int, int] | None, ...]:
        return tuple(_identity(path) for path in (self._path, log_path(self._path)))


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino)
