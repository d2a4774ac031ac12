"""What can go wrong with a project file, and SQLite's answers turned into sentences with a remedy."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from annotation.errors import FloorscopeError


class ProjectError(FloorscopeError):
    """A project file that cannot be used as asked."""

    code = "project"


class NotAProjectError(ProjectError):
    """The file is something else: no database, or a database of another program."""

    code = "not-a-project"


class NewerProjectError(ProjectError):
    """The file was written by a newer version, and is not read at all."""

    code = "newer-project"

    def __init__(self, what: str, *, where: str = "", remedy: str = "", version: int = 0) -> None:
        self.version = version
        super().__init__(what, where=where, remedy=remedy)


class DamagedProjectError(ProjectError):
    """The file breaks its own rules: a damaged page, or a revision that does not follow from those before it."""

    code = "project-damaged"


class ProjectWriteError(ProjectError):
    """Something entered could not be kept; it is held in memory until it can."""

    code = "project-write"
    exit_code = 1


class LeaseLostError(ProjectWriteError):
    """Another process took over the document meanwhile, so that this one may not write it any more."""

    code = "lease-lost"


class StepRefusedError(ProjectWriteError):
    """One step breaks a rule of the log, so that it and what follows in its document cannot be kept."""

    code = "step-refused"


_BACKUPS_ADVICE = "Rescue it into a new file (floorscope project rescue PROJECT); the damaged one stays as it is."

_FAULTS: dict[int, tuple[type[ProjectError], str, str]] = {
    sqlite3.SQLITE_FULL: (
        ProjectWriteError,
        "The disk is full.",
        "Free some space, then try again; nothing entered so far is lost while the project stays open.",
    ),
    sqlite3.SQLITE_READONLY: (
        ProjectWriteError,
        "The project file cannot be written.",
        "Check its permissions and whether the disk is mounted read-only, or open the project read-only.",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        ProjectError,
        "The project file cannot be opened.",
        "Check that it is still there, and that file and folder may be written, or open it read-only.",
    ),
    sqlite3.SQLITE_PERM: (ProjectError, "The project file may not be read.", "Check its permissions."),
    sqlite3.SQLITE_IOERR: (
        ProjectWriteError,
        "The disk did not read or write what it was asked to.",
        "Check the disk and its free space, then try again; a project belongs on a local disk.",
    ),
    sqlite3.SQLITE_BUSY: (
        ProjectWriteError,
        "Another program keeps the project file locked.",
        "Close the other program, then try again.",
    ),
    sqlite3.SQLITE_LOCKED: (
        ProjectWriteError,
        "The project file is locked by another task.",
        "Try again in a moment.",
    ),
    sqlite3.SQLITE_CORRUPT: (DamagedProjectError, "The project file is damaged.", _BACKUPS_ADVICE),
    # A missing table or column: somebody or something changed the file.
    sqlite3.SQLITE_ERROR: (DamagedProjectError, "The file does not hold what a project holds.", _BACKUPS_ADVICE),
    sqlite3.SQLITE_NOTADB: (NotAProjectError, "This is no project: it is not a SQLite database.", ""),
}


def fault_from(error: sqlite3.Error, path: Path) -> ProjectError | None:
    """Return what SQLite's answer means to a user, or None for an answer that only a mistake in the code causes."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        # Python raises this one itself, without a code, for text in the file that is not UTF-8.
        if isinstance(error, sqlite3.OperationalError):
            return DamagedProjectError(
                f"The project file is damaged: {error}.", where=str(path), remedy=_BACKUPS_ADVICE
            )
        return None
    fault = _FAULTS.get(code & 0xFF)
    if fault is None:
        return None
    kind, what, remedy = fault
    if code == sqlite3.SQLITE_ERROR:
        what = f"{what} ({error})"
    return kind(what, where=str(path), remedy=remedy)


@contextmanager
def faults_of(path: Path) -> Iterator[None]:
    """Turn SQLite's answers inside the block into errors that a user can act on.

    Raises
    ------
    ProjectError
        For a full disk, a locked, unreadable or damaged file; a broken constraint is a mistake in the code and passes.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        # SQLite quotes the name of a damaged table in its answer, and Python cannot read it.
        raise DamagedProjectError("The project file is damaged.", where=str(path), remedy=_BACKUPS_ADVICE) from error
    except sqlite3.Error as error:
        fault = fault_from(error, path)
        if fault is None:
            raise
        raise fault from error
