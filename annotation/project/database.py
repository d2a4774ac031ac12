"""How a project file is opened, and how one is made: the settings that durability rests on.

Every connection has ``synchronous=FULL`` on a write-ahead log, so a commit that has returned is on the disk; foreign
keys on; and a wait of some seconds for another writer. Transactions that read and then write begin IMMEDIATE: a
deferred one fails at once when another process wrote between its reading and its writing.
"""

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from sqlite_utils import Database

from annotation.project.faults import DamagedProjectError, ProjectError, faults_of
from annotation.project.migrations import (
    APPLICATION_ID,
    CURRENT_VERSION,
    add_views,
    migrate,
    require_known_version,
    version_in_header,
)

BUSY_SECONDS = 10.0
"""How long a connection waits for another writer before it gives up."""


def now() -> str:
    """Return the time of day in UTC as ISO 8601 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def connect(path: Path, *, read_only: bool = False) -> Database:
    """Return a connection to an existing project file, in autocommit mode, usable from any one thread at a time.

    Raises
    ------
    ProjectError
        If the file is missing, unreadable, no project, or from a newer version; it is then left byte for byte.
    """
    version_in_header(path)
    with faults_of(path):
        if read_only:
            return _connect_reading(path)
        if _has_log(path):
            # The log may hold a newer version than the header; only a reading connection leaves it alone on closing.
            _connect_reading(path).close()
        conn = open_file(path, "mode=rw")
        try:
            return _prepared(conn, path)
        except BaseException:
            conn.close()
            raise


def open_file(path: Path, query: str) -> sqlite3.Connection:
    """Return a bare connection to a file in autocommit mode, usable from any one thread at a time."""
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?{query}",
        uri=True,
        isolation_level=None,
        timeout=BUSY_SECONDS,
        check_same_thread=False,
    )


def _connect_reading(path: Path) -> Database:
    conn = open_file(path, "mode=ro")
    try:
        version = conn.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.OperationalError as error:
        conn.close()
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) or _has_log(path):
            raise
        # Read-only media: there is no log, nobody can write, and SQLite has no place for its index of the log.
        conn = open_file(path, "mode=ro&immutable=1")
        version = conn.execute("PRAGMA user_version").fetchone()[0]
    try:
        require_known_version(version, path)
    except ProjectError:
        conn.close()
        raise
    return _reader(conn, version)


def _reader(conn: sqlite3.Connection, version: int) -> Database:
    db = with_durability(conn)
    add_views(db, version)
    return db


def connect_closed_file(path: Path) -> Database:
    """Return a reading connection to a file that nobody writes (a backup); it leaves nothing beside the file."""
    version = version_in_header(path)
    with faults_of(path):
        return _reader(open_file(path, "mode=ro&immutable=1"), version)


def _has_log(path: Path) -> bool:
    log = log_path(path)
    return log.exists() and log.stat().st_size > 0


def log_path(path: Path) -> Path:
    """Return where SQLite keeps the write-ahead log of a file."""
    return path.with_name(path.name + "-wal")


def with_durability(conn: sqlite3.Connection) -> Database:
    """Return a connection on which a commit that has returned is on the disk, and foreign keys are checked."""
    # Plugins of sqlite-utils that happen to be installed have no business in a project file.
    db = Database(conn, execute_plugins=False)
    for pragma in ("foreign_keys = ON", "synchronous = FULL", "cell_size_check = ON"):
        db.execute(f"PRAGMA {pragma}")
    if sys.platform == "darwin":
        # macOS returns from fsync before the disk has it, unless it is asked for more.
        db.execute("PRAGMA fullfsync = ON")
        db.execute("PRAGMA checkpoint_fullfsync = ON")
    return db


def _prepared(conn: sqlite3.Connection, path: Path) -> Database:
    version = conn.execute("PRAGMA user_version").fetchone()[0]
    require_known_version(version, path)
    mode = conn.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise ProjectError(
            f"The disk does not allow a write-ahead log (SQLite answered “{mode}”).",
            where=str(path),
            remedy="Move the project to a local disk.",
        )
    db = with_durability(conn)
    if version < CURRENT_VERSION:
        with writing(db):
            migrate(db)
    return db


def project_id_in(db: Database) -> str:
    """Return the id that the project was given when it was made.

    Raises
    ------
    DamagedProjectError
        If it is not there.
    """
    row = db.execute("SELECT value FROM meta WHERE name = 'id'").fetchone()
    if row is None:
        raise DamagedProjectError("The project file has no id.", remedy="Go on with its newest backup.")
    return str(row[0])


@contextmanager
def writing(db: Database) -> Iterator[Database]:
    """Open a transaction that writes; it is on the disk when the block has been left without an exception."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield db
        db.execute("COMMIT")
    except BaseException:
        if db.conn.in_transaction:
            db.execute("ROLLBACK")
        raise


@contextmanager
def reading(db: Database) -> Iterator[Database]:
    """Open a transaction that reads one state of the file, whatever others commit meanwhile."""
    db.execute("BEGIN")
    try:
        yield db
    finally:
        if db.conn.in_transaction:
            db.execute("ROLLBACK")


def create_file(path: Path, fill: Callable[[Database], None] | None = None) -> None:
    """Make a project; the file appears whole or not at all.

    Parameters
    ----------
    fill
        Called inside the transaction that makes the tables; without it the project is empty.

    Raises
    ------
    ProjectError
        If there is a file already, or the folder cannot be written.
    """
    if path.exists():
        raise ProjectError(
            "There is a file with this name already.", where=str(path), remedy="Choose another name, or open it."
        )
    draft = path.with_name(f".{path.name}.{uuid4().hex}.draft")
    try:
        _make(draft, fill)
        _publish(draft, path)
    except OSError as error:
        raise ProjectError(f"The project cannot be made: {error.strerror}.", where=str(path)) from error
    finally:
        # What is wrong with the folder has been said already.
        for ending in ("", "-journal", "-wal", "-shm"):
            with suppress(OSError):
                draft.with_name(draft.name + ending).unlink(missing_ok=True)


def _make(draft: Path, fill: Callable[[Database], None] | None) -> None:
    with faults_of(draft):
        conn = open_file(draft, "mode=rwc")
        try:
            db = with_durability(conn)
            with writing(db):
                db.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
                migrate(db)
                db.execute("INSERT INTO meta (name, value) VALUES ('id', ?), ('created_at', ?)", [uuid4().hex, now()])
                if fill is not None:
                    fill(db)
            conn.execute("PRAGMA journal_mode = WAL")
        finally:
            conn.close()


def _publish(draft: Path, path: Path) -> None:
    try:
        # A link, unlike a rename, never takes the place of a file made meanwhile.
        os.link(draft, path)
    except FileExistsError as error:
        raise ProjectError("There is a file with this name already.", where=str(path)) from error
    except OSError:
        draft.rename(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable; a no-op where folders cannot be opened."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
