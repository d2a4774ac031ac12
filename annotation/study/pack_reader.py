"""Reading a pack that came from elsewhere: nothing in it is trusted, and nothing in it is run.

The file is opened read-only, with SQLite's limits turned down and an authorizer that allows to read the entries and
nothing else. Its schema is compared word for word with that of a pack first, so that no foreign table, view, trigger
or index is ever touched. Rows are then fetched one by one by their place: one that is too large or lies on a damaged or
missing page costs itself only.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from annotation.study.design import StudyError
from annotation.study.pack_tables import (
    ENTRY_TABLES,
    PACK_APPLICATION_ID,
    PACK_VERSION,
    SchemaEntry,
    pack_schema,
)

LARGEST_ROW_BYTES = 64 << 10
"""A whole answer with its comment has some five kilobytes."""
LARGEST_ABOUT_BYTES = 8 << 20
MOST_ROWS = 500_000
_PROBED = 20_000
_HEADER_BYTES = 100
_MAGIC = b"SQLite format 3\x00"
_READABLE = frozenset({*ENTRY_TABLES, "seat_about", "sqlite_master"})
_LIMITS = (
    (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 10_000),
    (sqlite3.SQLITE_LIMIT_COLUMN, 32),
    (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 20),
    (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 2),
    (sqlite3.SQLITE_LIMIT_VDBE_OP, 10_000),
    (sqlite3.SQLITE_LIMIT_FUNCTION_ARG, 4),
    (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    (sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 4),
    (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
)


class PackError(StudyError):
    """A pack that cannot be used."""

    code = "pack"


@dataclass(frozen=True, slots=True)
class PackAbout:
    """What a pack says of itself; not checked against any project yet."""

    study: str
    seat: str
    annotator: str


@dataclass(frozen=True, slots=True)
class DamagedRow:
    """A row that is there and cannot be read, and why."""

    place: int
    reason: str


class PackReader:
    """A pack opened for reading what was entered in it; made by `open`, closed by leaving its block.

    Attributes
    ----------
    cut_off
        Whether a part of the file is missing or damaged, so that what was read may not be all.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cut_off = _check_header(path)
        self._conn = _connect(path)
        try:
            self._check_schema()
        except BaseException:
            self._conn.close()
            raise

    def __enter__(self) -> "PackReader":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._conn.close()

    def about(self) -> PackAbout:
        """Return of which study and seat it is.

        Raises
        ------
        PackError
            If it does not say so.
        """
        self._conn.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_ABOUT_BYTES)
        try:
            rows = self._conn.execute("SELECT study, seat, annotator FROM seat_about LIMIT 2").fetchall()
            if len(rows) != 1:
                raise PackError("The pack does not say whose it is.", where=str(self.path))
            return msgspec.convert(
                dict(zip(PackAbout.__slots__, map(_text, rows[0]), strict=True)), PackAbout, strict=True
            )
        except (sqlite3.Error, msgspec.ValidationError, UnicodeDecodeError) as error:
            raise PackError("The pack does not say whose it is.", where=str(self.path)) from error

    def rows(self, table: str, columns: tuple[str, ...]) -> Iterator[dict[str, Any] | DamagedRow]:
        """Yield a table's rows in the order they were entered, text as text; what cannot be read is named instead.

        Raises
        ------
        PackError
            If there are more rows than anybody could have entered.
        """
        self._conn.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_ROW_BYTES)
        query = f"SELECT {', '.join(columns)} FROM {table} NOT INDEXED WHERE sequence = ?"
        for place in self._places(table):
            try:
                row = self._conn.execute(query, [place]).fetchone()
                if row is not None:
                    yield dict(zip(columns, map(_text, row), strict=True))
            except UnicodeDecodeError:
                yield DamagedRow(place, "It holds text that is no text.")
            except sqlite3.DataError:
                yield DamagedRow(place, f"It is larger than {LARGEST_ROW_BYTES >> 10} KiB.")
            except sqlite3.DatabaseError:
                self.cut_off = True

    def _places(self, table: str) -> Iterator[int]:
        """Yield where rows are; behind a place that cannot be read, where some might be."""
        query = f"SELECT sequence FROM {table} NOT INDEXED WHERE sequence > ? ORDER BY sequence LIMIT 1"
        place = count = 0
        while True:
            try:
                row = self._conn.execute(query, [place]).fetchone()
            except sqlite3.DatabaseError:
                self.cut_off = True
                yield from range(place + 1, place + 1 + _PROBED)
                return
            if row is None:
                return
            place, count = row[0], count + 1
            if count > MOST_ROWS:
                raise PackError(f"The pack holds over {MOST_ROWS:,} entries of one sort.", where=str(self.path))
            yield place

    def _check_schema(self) -> None:
        try:
            rows = self._conn.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master").fetchall()
            found = frozenset(SchemaEntry(*map(_text, row)) for row in rows)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise PackError(
                "The file’s tables cannot be read, so nothing was taken from it.",
                where=str(self.path),
                remedy="Ask for the pack again.",
            ) from error
        expected = pack_schema()
        foreign, absent = found - expected, expected - found
        if foreign or absent:
            first = min((*foreign, *absent), key=lambda entry: (entry not in foreign, entry.name))
            verb = "holds a" if first in foreign else "lacks the"
            name = "".join(letter if letter.isprintable() else "?" for letter in first.name[:60])
            raise PackError(
                f"The file {verb} {first.type} “{name}” {'that no pack has' if foreign else 'of a pack'}, so nothing "
                "was taken from it.",
                where=str(self.path),
                remedy="Only a file that “study pack” wrote can be merged.",
            )


def _check_header(path: Path) -> bool:
    """Refuse a file that is no pack of this version by its first bytes; return whether it is shorter than it says."""
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
            size = file.seek(0, 2)
    except OSError as error:
        raise PackError(f"The pack cannot be read: {error.strerror}.", where=str(path)) from error
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        raise PackError("This is no pack.", where=str(path), remedy="A pack is a file that “study pack” wrote.")
    application, version = int.from_bytes(header[68:72], "big"), int.from_bytes(header[60:64], "big")
    if application != PACK_APPLICATION_ID:
        raise PackError("This is a file of another program, or a project, and no pack.", where=str(path))
    if version > PACK_VERSION:
        raise PackError(
            f"The pack has version {version}, made by a newer Floorscope; known here is {PACK_VERSION}.",
            where=str(path),
            remedy="Update Floorscope.",
        )
    page = int.from_bytes(header[16:18], "big")
    return size < int.from_bytes(header[28:32], "big") * (65_536 if page == 1 else page)


def _connect(path: Path) -> sqlite3.Connection:
    # What was entered last may lie in a log beside a pack that is open, or was left behind by a crash. Immutable files
    # are read without any lock or log, so a pack on read-only media, or in a mail folder, is left as it is.
    log = path.with_name(path.name + "-wal")
    has_log = log.exists() and log.stat().st_size > 0
    query = "mode=ro" if has_log else "mode=ro&immutable=1"
    conn = sqlite3.connect(f"{path.absolute().as_uri()}?{query}", uri=True, isolation_level=None)
    conn.text_factory = bytes
    for limit, most in _LIMITS:
        conn.setlimit(limit, most)
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "query_only = ON"):
        conn.execute(f"PRAGMA {pragma}")
    conn.set_authorizer(_allowed)
    return conn


def _allowed(action: int, first: str | None, second: str | None, database: str | None, via: str | None) -> int:
    if action == sqlite3.SQLITE_SELECT:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_READ and first in _READABLE and via is None:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and second == "coalesce":
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _text(value: Any) -> Any:
    """Return text from the bytes that SQLite gives for it; a blob, too, becomes text or is refused as none."""
    return value.decode("utf-8") if isinstance(value, bytes) else value
