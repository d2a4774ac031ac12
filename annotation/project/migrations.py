"""The tables of a project file, as numbered steps that each bring a file from one version to the next.

The file says what it is in SQLite's own header: an application id (`APPLICATION_ID`) and a version (``user_version``).
Both are read from the header's bytes before SQLite sees the file, so that a refused file is not touched at all. A step,
once released, is never edited: a change of the tables is a new step with a test of its own.
"""

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlite_utils import Database

from annotation.project.digest import FIRST, digest_of
from annotation.project.faults import NewerProjectError, NotAProjectError, ProjectError
from annotation.project.study_tables import STUDY_STATEMENTS, STUDY_VIEWS
from annotation.project.study_tables import append_only as _append_only

APPLICATION_ID = 0x466C7253
"""``FlrS`` in ASCII."""

_MAGIC = b"SQLite format 3\x00"
_HEADER_BYTES = 100
_VERSION_AT = 60
_APPLICATION_AT = 68


@dataclass(frozen=True, slots=True)
class Migration:
    """The statements that bring a file to version `number`; `fill` runs after the statements that come before it."""

    number: int
    statements: tuple[str, ...]
    fill: Callable[[Database], None] | None = None
    closing: tuple[str, ...] = ()
    """Statements after `fill`."""


_FIRST = Migration(
    1,
    (
        "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
        """CREATE TABLE conversation (
            id TEXT PRIMARY KEY CHECK (id <> ''),
            position INTEGER NOT NULL UNIQUE,
            rate_hz INTEGER NOT NULL CHECK (rate_hz > 0),
            event_frames INTEGER NOT NULL CHECK (event_frames >= 0),
            attributes TEXT NOT NULL CHECK (json_valid(attributes)),
            added_at TEXT NOT NULL
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE channel (
            conversation TEXT NOT NULL REFERENCES conversation (id),
            position INTEGER NOT NULL CHECK (position >= 0),
            speaker TEXT NOT NULL CHECK (speaker <> ''),
            name TEXT NOT NULL,
            path TEXT,
            file_index INTEGER NOT NULL CHECK (file_index >= 0),
            rate_hz INTEGER NOT NULL CHECK (rate_hz > 0),
            frames INTEGER NOT NULL CHECK (frames >= 0),
            start_frame INTEGER NOT NULL CHECK (start_frame >= 0),
            fingerprint TEXT,
            sha256 TEXT,
            PRIMARY KEY (conversation, position),
            UNIQUE (conversation, speaker)
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE mapping (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation TEXT NOT NULL REFERENCES conversation (id),
            person TEXT NOT NULL,
            at TEXT NOT NULL,
            assignments TEXT NOT NULL CHECK (json_valid(assignments))
        ) STRICT""",
        "CREATE INDEX mapping_of_conversation ON mapping (conversation, sequence)",
        *_append_only("mapping"),
        """CREATE TABLE source (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation TEXT NOT NULL REFERENCES conversation (id),
            name TEXT NOT NULL,
            role TEXT NOT NULL,
            origin TEXT NOT NULL,
            kinds TEXT NOT NULL CHECK (json_valid(kinds)),
            added_at TEXT NOT NULL,
            UNIQUE (conversation, name, role)
        ) STRICT""",
        *_append_only("source"),
        """CREATE TABLE event (
            source INTEGER NOT NULL REFERENCES source (number),
            position INTEGER NOT NULL,
            id TEXT NOT NULL,
            speaker TEXT NOT NULL,
            kind TEXT NOT NULL,
            onset INTEGER NOT NULL CHECK (onset >= 0),
            "offset" INTEGER NOT NULL CHECK ("offset" >= onset),
            holder_before TEXT,
            holder_after TEXT,
            comment TEXT NOT NULL,
            text TEXT NOT NULL,
            PRIMARY KEY (source, position)
        ) STRICT, WITHOUT ROWID""",
        *_append_only("event"),
        """CREATE TABLE revision (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE CHECK (id <> ''),
            subject TEXT NOT NULL,
            person TEXT NOT NULL,
            at TEXT NOT NULL,
            label TEXT NOT NULL,
            undoes TEXT REFERENCES revision (id),
            added TEXT NOT NULL CHECK (json_valid(added)),
            removed TEXT NOT NULL CHECK (json_valid(removed)),
            balance INTEGER GENERATED ALWAYS AS (json_array_length(added) - json_array_length(removed)) VIRTUAL
        ) STRICT""",
        "CREATE INDEX revision_of_subject ON revision (subject, person, sequence)",
        "CREATE INDEX revision_balance ON revision (subject, person, balance)",
        *_append_only("revision"),
        # A revision that is there already is skipped, even by INSERT OR REPLACE, which would delete it first.
        """CREATE TRIGGER revision_kept_once BEFORE INSERT ON revision
            WHEN EXISTS (SELECT 1 FROM revision WHERE id = NEW.id)
            BEGIN SELECT RAISE(IGNORE); END""",
        """CREATE TRIGGER revision_never_replaced BEFORE INSERT ON revision
            WHEN EXISTS (SELECT 1 FROM revision WHERE sequence = NEW.sequence)
            BEGIN SELECT RAISE(ABORT, 'revision is append-only'); END""",
        """CREATE TRIGGER revision_undoes_its_own BEFORE INSERT ON revision
            WHEN NEW.undoes IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM revision WHERE id = NEW.undoes AND subject = NEW.subject AND person = NEW.person)
            BEGIN SELECT RAISE(ABORT, 'undo never crosses subjects or people'); END""",
        """CREATE TABLE lease (
            subject TEXT NOT NULL,
            person TEXT NOT NULL,
            process_id INTEGER NOT NULL,
            process_started REAL NOT NULL,
            host TEXT NOT NULL,
            at TEXT NOT NULL,
            token TEXT NOT NULL UNIQUE,
            PRIMARY KEY (subject, person)
        ) STRICT, WITHOUT ROWID""",
    ),
)

_CIRCUMSTANCES = Migration(
    2,
    ("ALTER TABLE revision ADD COLUMN circumstances TEXT CHECK (circumstances IS NULL OR json_valid(circumstances))",),
)


def _fill_digests(db: Database) -> None:
    last: dict[tuple[str, str], str] = {}
    rows = db.execute(
        "SELECT sequence, id, subject, person, at, label, undoes, added, removed, circumstances FROM revision "
        "ORDER BY sequence"
    ).fetchall()
    for sequence, *values in rows:
        document = (values[1], values[2])
        last[document] = digest_of(last.get(document, FIRST), values)
        db.execute("UPDATE revision SET digest = ? WHERE sequence = ?", [last[document], sequence])


_RECOVERY = Migration(
    3,
    (
        "ALTER TABLE revision ADD COLUMN digest TEXT",
        "DROP TRIGGER revision_never_updated",
    ),
    fill=_fill_digests,
    closing=(
        _append_only("revision")[0],
        """CREATE TABLE rescue (
            number INTEGER PRIMARY KEY,
            at TEXT NOT NULL,
            origin TEXT NOT NULL,
            backup TEXT,
            revisions INTEGER NOT NULL,
            lost INTEGER NOT NULL
        ) STRICT""",
        *_append_only("rescue"),
        """CREATE TABLE set_aside (
            id TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            subject TEXT NOT NULL,
            person TEXT NOT NULL,
            at TEXT NOT NULL,
            label TEXT NOT NULL,
            undoes TEXT,
            added TEXT NOT NULL,
            removed TEXT NOT NULL,
            circumstances TEXT,
            PRIMARY KEY (id, sequence)
        ) STRICT, WITHOUT ROWID""",
        *_append_only("set_aside"),
        """CREATE TABLE removal (
            number INTEGER PRIMARY KEY,
            at TEXT NOT NULL,
            revisions INTEGER NOT NULL,
            mappings INTEGER NOT NULL,
            sequences TEXT NOT NULL CHECK (json_valid(sequences))
        ) STRICT""",
        *_append_only("removal"),
        """CREATE TABLE relocation (
            number INTEGER PRIMARY KEY,
            conversation TEXT NOT NULL REFERENCES conversation (id),
            position INTEGER NOT NULL,
            at TEXT NOT NULL,
            "before" TEXT NOT NULL,
            "after" TEXT NOT NULL
        ) STRICT""",
        *_append_only("relocation"),
    ),
)

_STUDIES = Migration(4, STUDY_STATEMENTS)

MIGRATIONS: tuple[Migration, ...] = (_FIRST, _CIRCUMSTANCES, _RECOVERY, _STUDIES)

_EMPTY_TABLES = (
    "CREATE TEMP VIEW set_aside AS SELECT '' AS id, 0 AS sequence, '' AS subject, '' AS person, '' AS at, '' AS label, "
    "NULL AS undoes, '' AS added, '' AS removed, NULL AS circumstances WHERE 0",
    "CREATE TEMP VIEW rescue AS "
    "SELECT 0 AS number, '' AS at, '' AS origin, NULL AS backup, 0 AS revisions, 0 AS lost WHERE 0",
    "CREATE TEMP VIEW removal AS SELECT 0 AS number, '' AS at, 0 AS revisions, 0 AS mappings, '' AS sequences WHERE 0",
    "CREATE TEMP VIEW relocation AS "
    "SELECT 0 AS number, '' AS conversation, 0 AS position, '' AS at, '' AS \"before\", '' AS \"after\" WHERE 0",
)
VIEWS: Mapping[int, tuple[str, ...]] = {
    1: (
        "CREATE TEMP VIEW revision AS SELECT *, NULL AS circumstances, NULL AS digest FROM main.revision",
        *_EMPTY_TABLES,
        *STUDY_VIEWS,
    ),
    2: ("CREATE TEMP VIEW revision AS SELECT *, NULL AS digest FROM main.revision", *_EMPTY_TABLES, *STUDY_VIEWS),
    3: STUDY_VIEWS,
}
"""What lets a file of an older version that may only be read answer today's questions: views before its tables."""

CURRENT_VERSION = MIGRATIONS[-1].number


def version_in_header(path: Path) -> int:
    """Return the version that the file's header gives, reading 100 bytes and nothing else.

    Raises
    ------
    NotAProjectError
        If the file is no SQLite database, or one of another program.
    NewerProjectError
        If a newer Floorscope wrote it.
    ProjectError
        If it cannot be read.
    """
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except FileNotFoundError as error:
        raise ProjectError("There is no such project.", where=str(path), remedy="Check the path.") from error
    except OSError as error:
        raise ProjectError(f"The project cannot be read: {error.strerror}.", where=str(path)) from error
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        raise NotAProjectError("This is no project: it is not a SQLite database.", where=str(path))
    application = struct.unpack_from(">I", header, _APPLICATION_AT)[0]
    version = struct.unpack_from(">I", header, _VERSION_AT)[0]
    if application != APPLICATION_ID:
        raise NotAProjectError("This is no project: it is a database of another program.", where=str(path))
    require_known_version(version, path)
    return int(version)


def require_known_version(version: int, path: Path) -> None:
    """Refuse a version that this program does not know.

    Raises
    ------
    NewerProjectError
        If it is higher than `CURRENT_VERSION`.
    NotAProjectError
        If it is 0, which no project ever is.
    """
    if version > CURRENT_VERSION:
        raise NewerProjectError(
            f"This project was written by a newer Floorscope (file version {version}, known here: {CURRENT_VERSION}).",
            where=str(path),
            remedy="Update Floorscope; the file was left as it is.",
            version=version,
        )
    if version < 1:
        raise NotAProjectError("This is no project: it was never finished.", where=str(path))


def migrate(db: Database, *, to: int = CURRENT_VERSION) -> None:
    """Run the steps that the file lacks, inside the transaction that the caller has opened.

    Parameters
    ----------
    to
        The version to stop at; tests stop early to make an older file.
    """
    version = db.execute("PRAGMA user_version").fetchone()[0]
    for migration in MIGRATIONS:
        if version < migration.number <= to:
            for statement in migration.statements:
                db.execute(statement)
            if migration.fill is not None:
                migration.fill(db)
            for statement in migration.closing:
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {migration.number:d}")


def add_views(db: Database, version: int) -> None:
    """Let a connection that only reads see a file of an older version as if it were of the current one."""
    for view in VIEWS.get(version, ()):
        db.execute(view)
