"""Backups: whole, verified copies of a project in a folder beside it, a few of them kept in turn.

A backup is made by SQLite's backup interface inside one read of the project, so it is one state of it, and is a single
closed file. It gets its name only after it was read back: SQLite's integrity check, and the number of revisions. An
older backup goes only while as many newer ones as are to be kept have been verified.
"""

import contextlib
import glob
import os
import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from sqlite_utils import Database

from annotation.notices import Notice
from annotation.project.database import connect, connect_closed_file, reading, sync_folder
from annotation.project.faults import ProjectError, ProjectWriteError, faults_of

KEPT = 5
"""Verified backups that stay."""

_SUFFIX = ".floorscope"
_FOLDER_ENDING = "-backups"


@dataclass(frozen=True, slots=True)
class Contents:
    """How much of each growing table there is: two states of one project are equal exactly if these are."""

    revisions: int
    last_revision: int
    mappings: int
    conversations: int
    sources: int
    newest_source: int
    relocations: int


def contents_of(db: Database) -> Contents:
    """Return how much a project holds; microseconds, whatever its size."""
    row = db.execute(
        "SELECT (SELECT count(*) FROM revision), (SELECT coalesce(max(sequence), 0) FROM revision), "
        "(SELECT count(*) FROM mapping), (SELECT count(*) FROM conversation), (SELECT count(*) FROM source), "
        "(SELECT coalesce(max(number), 0) FROM source), (SELECT count(*) FROM relocation)"
    ).fetchone()
    return Contents(*row)


def backup_folder(path: Path) -> Path:
    """Return the folder beside a project that holds its backups."""
    return path.with_name(path.name + _FOLDER_ENDING)


def home_of(path: Path) -> Path:
    """Return the folder that a project's audio paths start from; a backup's is that of the project it was made of."""
    folder = path.absolute().parent.resolve()
    is_backup = folder.name.endswith(f"{_SUFFIX}{_FOLDER_ENDING}")
    return folder.parent if is_backup else folder


def backups_of(path: Path) -> tuple[Path, ...]:
    """Return a project's backups, newest first, verified or not."""
    folder = backup_folder(path)
    if not folder.is_dir():
        return ()
    return tuple(sorted(folder.glob(f"{glob.escape(path.stem)}-*{_SUFFIX}"), reverse=True))


def fault_of_backup(backup: Path, expected: Contents | None = None) -> str:
    """Return what is wrong with a backup in one sentence, or nothing.

    Parameters
    ----------
    expected
        What it has to hold; without it the file only has to be sound in itself.
    """
    try:
        db = connect_closed_file(backup)
    except ProjectError as fault:
        return str(fault)
    try:
        with faults_of(backup):
            answers = [row[0] for row in db.execute("PRAGMA integrity_check")]
            contents = contents_of(db)
    except (ProjectError, sqlite3.DatabaseError) as fault:
        return str(fault)
    finally:
        db.close()
    if answers != ["ok"]:
        return f"{backup}: SQLite finds it damaged: {answers[0]}."
    if expected is not None and contents != expected:
        return f"{backup}: It does not hold all that the project holds."
    return ""


def make_backup(path: Path, *, kept: int = KEPT) -> Path | None:
    """Make a backup if the project changed since the newest sound one, drop what is too many, return the new file.

    Raises
    ------
    ProjectError
        If the project cannot be read or the backup not be written or verified; older backups then stay.
    """
    db = connect(path, read_only=True)
    try:
        with faults_of(path):
            if _is_current(path, contents_of(db)):
                return None
        folder = backup_folder(path)
        draft = folder / f".draft-{uuid4().hex}"
        try:
            folder.mkdir(exist_ok=True)
            for abandoned in folder.glob(".draft-*"):
                abandoned.unlink(missing_ok=True)
            contents = _copy(db, draft)
            ahead = backups_ahead(path, db)
            target = _publish(path, draft, contents)
        except OSError as error:
            raise ProjectWriteError(
                f"The backup cannot be written: {error.strerror}.",
                where=str(folder),
                remedy="Check the folder and the free space.",
            ) from error
        finally:
            # What is wrong with the folder has been said already.
            with suppress(OSError):
                draft.unlink(missing_ok=True)
    finally:
        db.close()
    _rotate(path, kept, ahead)
    return target


def backups_ahead(path: Path, db: Database) -> dict[Path, int]:
    """Return backups that hold revisions which the project itself has lost, with how many; they are never dropped.

    A log that was deleted, or an older file put in place of the project, loses work without leaving a trace in it.
    """
    ahead = {}
    for backup in backups_of(path):
        try:
            other = connect_closed_file(backup)
        except ProjectError:
            continue
        try:
            with faults_of(backup):
                missing = _missing_from(db, other)
                if missing:
                    ahead[backup] = missing
        except ProjectError:
            continue
        finally:
            other.close()
    return ahead


def _missing_from(db: Database, other: Database) -> int:
    same = "SELECT (SELECT value FROM meta WHERE name = 'id'), (SELECT count(*) FROM removal)"
    if db.execute(same).fetchone() != other.execute(same).fetchone():
        return 0
    last = other.execute("SELECT sequence, id FROM revision ORDER BY sequence DESC LIMIT 1").fetchone()
    if last is None or db.execute("SELECT 1 FROM revision WHERE id = ?", [last[1]]).fetchone():
        return 0
    newest = db.execute("SELECT coalesce(max(sequence), 0) FROM revision").fetchone()[0]
    return max(1, int(other.execute("SELECT count(*) FROM revision WHERE sequence > ?", [newest]).fetchone()[0]))


def ahead_notices(path: Path, db: Database) -> tuple[Notice, ...]:
    """Return a warning if a backup holds work that the project has lost, or nothing."""
    ahead = backups_ahead(path, db)
    if not ahead:
        return ()
    backup, count = max(ahead.items(), key=lambda item: item[1])
    sentence = (
        f"The backup {backup.name} holds at least {count} steps that are not in the project: its log was lost, or an "
        "older file was put in its place. “Project → Rescue” joins both in a new file."
    )
    return (Notice("project-behind", str(path), sentence),)


def _is_current(path: Path, contents: Contents) -> bool:
    newest = next(iter(backups_of(path)), None)
    return newest is not None and not fault_of_backup(newest, contents)


def _copy(db: Database, draft: Path) -> Contents:
    with faults_of(draft):
        target = sqlite3.connect(draft, isolation_level=None)
        try:
            with reading(db):
                contents = contents_of(db)
                db.conn.backup(target)
            # As a plain file: a log beside a backup could be left behind when it is copied.
            target.execute("PRAGMA journal_mode = DELETE")
        finally:
            target.close()
    return contents


def _publish(path: Path, draft: Path, contents: Contents) -> Path:
    fault = fault_of_backup(draft, contents)
    if fault:
        raise ProjectError(f"The new backup is not sound. {fault}", remedy="Check the disk; older backups stay.")
    with draft.open("rb+") as file:
        os.fsync(file.fileno())
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    target = backup_folder(path) / f"{path.stem}-{stamp}{_SUFFIX}"
    draft.replace(target)
    sync_folder(target.parent)
    return target


def _rotate(path: Path, kept: int, ahead: dict[Path, int]) -> None:
    sound = 0
    backups = [backup for backup in backups_of(path) if backup not in ahead]
    if len(backups) <= kept:
        return
    for backup in backups:
        if sound >= kept:
            # One that cannot be dropped now is dropped at the next turn.
            with contextlib.suppress(OSError):
                backup.unlink(missing_ok=True)
        elif not fault_of_backup(backup):
            sound += 1
