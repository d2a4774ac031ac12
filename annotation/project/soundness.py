"""Whether a project file may be opened at all: asked before SQLite writes to it or brings its log into it.

SQLite would forget the end of a damaged log without a word, and would refuse a file with a damaged header as if it were
something else. Both are told from what they look like, so that a rescue is offered while everything is still there.
"""

import sqlite3
from functools import cache
from pathlib import Path

from sqlite_utils import Database

from annotation.cancellation import CancelToken, no_progress
from annotation.notices import Notice
from annotation.project.backup import backups_of, fault_of_backup
from annotation.project.database import connect, connect_closed_file, log_path
from annotation.project.faults import DamagedProjectError, NewerProjectError, NotAProjectError, faults_of
from annotation.project.log_file import LogSurvey, survey_log
from annotation.project.migrations import CURRENT_VERSION, MIGRATIONS, migrate, version_in_header
from annotation.project.readable import ReadableRows, rows_by_page
from annotation.project.revision_log import first_broken

CHECKED_BYTES = 16 << 20
"""Files up to this size are checked whole when they are opened (30 ms a megabyte); larger ones document by document."""

_NEAREST_NEWER = 50
"""A version further ahead than this is a damaged number, if the tables are those of a known version."""

REMEDY = "Rescue it into a new file (floorscope project rescue PROJECT); the damaged one stays as it is."


def require_sound(path: Path) -> tuple[Notice, ...]:
    """Look at a project before it is opened, and return what is to be said; the file and its log stay byte for byte.

    Raises
    ------
    DamagedProjectError
        If it is damaged in a way that can be seen now.
    ProjectError
        If it cannot be opened for another reason.
    """
    _require_header(path)
    log = _settled_log(path)
    if log.damage:
        raise DamagedProjectError(f"The project's log is damaged. {log.damage}", where=str(path), remedy=REMEDY)
    if path.stat().st_size <= CHECKED_BYTES:
        _require_integrity(path)
    if not log.torn:
        return ()
    sentence = "The log of the last session ends inside a step: what was entered last before that may be missing."
    return (Notice("log-torn", str(path), sentence),)


def _settled_log(path: Path) -> LogSurvey:
    """Return what the log holds; one that another process is just writing looks torn, and changes meanwhile."""
    log = survey_log(log_path(path))
    if not (log.damage or log.torn):
        return log
    again = survey_log(log_path(path))
    return again if again == log else LogSurvey(log.page_size)


def _require_integrity(path: Path) -> None:
    # Without a log nobody has the file open, and reading it as a closed one leaves nothing beside it.
    db = connect(path, read_only=True) if log_path(path).exists() else connect_closed_file(path)
    try:
        with faults_of(path):
            answer = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
            version = db.execute("PRAGMA user_version").fetchone()[0]
            schema = frozenset(row[0] for row in db.execute("SELECT sql FROM main.sqlite_schema WHERE sql IS NOT NULL"))
            broken = first_broken(db) if answer == "ok" else None
    finally:
        db.close()
    if broken is not None:
        answer = f"step {broken} is not what was entered, or the step before it is gone"
    if answer == "ok" and schema in _known_schemas() and schema != _known_schemas()[version - 1]:
        answer = "the version in its header is not that of its tables"
    if answer != "ok":
        raise DamagedProjectError(
            f"The project file is damaged: {answer.splitlines()[-1]}.", where=str(path), remedy=REMEDY
        )


def _require_header(path: Path) -> None:
    try:
        version_in_header(path)
        with path.open("rb") as file:
            header = file.read(100)
        # Write and read version (SQLite may leave a file unwritable for them), fixed numbers, and the text's encoding.
        if not {*header[18:20]} <= {1, 2} or header[20:24] != b"\0\x40\x20\x20" or header[56:60] != b"\0\0\0\1":
            raise NotAProjectError("The header of the file is not one that SQLite writes.", where=str(path))
    except (NotAProjectError, NewerProjectError) as fault:
        if not _is_ours(path, fault):
            raise
        raise DamagedProjectError(
            "The header of the project file is damaged.", where=str(path), remedy=REMEDY
        ) from fault


def _is_ours(path: Path, fault: NotAProjectError | NewerProjectError) -> bool:
    if path.stat().st_size <= CHECKED_BYTES:
        if isinstance(fault, NewerProjectError) and fault.version <= CURRENT_VERSION + _NEAREST_NEWER:
            return False
        rows = rows_by_page(path, CancelToken(), no_progress)
        if rows.schema and any(rows.schema <= known for known in _known_schemas()):
            return True
        if isinstance(fault, NewerProjectError):
            return False
        if rows.rows["revision"] or rows.rows["conversation"]:
            return True
    return isinstance(fault, NotAProjectError) and any(not fault_of_backup(backup) for backup in backups_of(path))


def require_not_newer(path: Path, rows: ReadableRows) -> None:
    """Refuse to rescue a file that a newer version wrote; a damaged number in the header is told from that.

    Raises
    ------
    NewerProjectError
        If the file has tables that this version does not know.
    """
    try:
        version_in_header(path)
    except NotAProjectError:
        return
    except NewerProjectError:
        if not rows.schema or not any(rows.schema <= known for known in _known_schemas()):
            raise


@cache
def _known_schemas() -> tuple[frozenset[str], ...]:
    """Return the statements of each version's tables, as SQLite keeps them."""
    schemas = []
    for migration in MIGRATIONS:
        db = Database(sqlite3.connect(":memory:", isolation_level=None), execute_plugins=False)
        migrate(db, to=migration.number)
        schemas.append(frozenset(row[0] for row in db.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")))
        db.close()
    return tuple(schemas)
