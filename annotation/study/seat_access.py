"""What one seat may read and write of a file, held by SQLite itself.

Reading and writing go over two connections. The reading one is opened read-only; on it stand temporary views that show
this seat and nothing else, and an authorizer lets columns be read only from within those views. The writing one may
insert into the tables of entries and read nothing; temporary triggers refuse rows of other seats.

SQLite tells an authorizer the *name* of the view that a column is read through, and a common table expression of that
name passes for it. So the views and triggers have names drawn at random, which no statement can guess and no
connection may look up.

A project and a pack differ only in what stands behind the views.
"""

import re
import secrets
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlite_utils import Database

from annotation.project.database import connect
from annotation.project.faults import faults_of
from annotation.project.study_tables import ENTRY_TABLES, GUARDS
from annotation.study.design import StudyError
from annotation.study.entries import BREAK_COLUMNS, DRAFT_COLUMNS, SUBMISSION_COLUMNS
from annotation.study.pack_file import connect_pack, is_pack

_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")
_FUNCTIONS = frozenset({"count", "max", "min", "coalesce", "json_valid"})
_HARMLESS = frozenset({"sequence", "id", "seat", "presentation", "undoes"})

_PRESENTATION = "id, position, rate_hz, frames, cue_voice, cue_onset, cue_offset, voices"
_OWN = "presentation IN (SELECT id FROM main.presentation WHERE seat = '{seat}')"

_OF_PROJECT: Mapping[str, str] = {
    "about": "SELECT s.study AS study, s.id AS seat, s.annotator AS annotator, t.about AS about, "
    "EXISTS (SELECT 1 FROM main.study_seat r WHERE r.replaces = s.id) AS replaced "
    "FROM main.study_seat s JOIN main.study t ON t.id = s.study WHERE s.id = '{seat}'",
    "presentation": f"SELECT {_PRESENTATION}, reference IS NOT NULL AS calibration FROM main.presentation "
    "WHERE seat = '{seat}'",
    "reference": "SELECT p.id AS presentation, p.reference AS reference FROM main.presentation p "
    "WHERE p.seat = '{seat}' AND p.reference IS NOT NULL "
    "AND EXISTS (SELECT 1 FROM main.submission s WHERE s.presentation = p.id)",
    "draft": f"SELECT sequence, {DRAFT_COLUMNS} FROM main.draft WHERE {_OWN}",
    "submission": f"SELECT sequence, {SUBMISSION_COLUMNS} FROM main.submission WHERE {_OWN}",
    "note": "SELECT r.submission AS submission, s.presentation AS presentation, r.at AS at, r.note AS note, "
    "r.drafts AS drafts FROM main.reopening r JOIN main.submission s ON s.id = r.submission "
    "JOIN main.presentation p ON p.id = s.presentation WHERE p.seat = '{seat}'",
    "seat_break": f"SELECT sequence, {BREAK_COLUMNS} FROM main.seat_break WHERE seat = '{{seat}}'",
}
"""The views over a project."""

_OF_PACK: Mapping[str, str] = {
    "about": "SELECT study, seat, annotator, about, 0 AS replaced FROM main.seat_about WHERE seat = '{seat}'",
    "presentation": f"SELECT {_PRESENTATION}, calibration FROM main.seat_presentation",
    "reference": "SELECT p.id AS presentation, p.reference AS reference FROM main.seat_presentation p "
    "WHERE p.reference IS NOT NULL AND EXISTS (SELECT 1 FROM main.submission s WHERE s.presentation = p.id)",
    "draft": f"SELECT sequence, {DRAFT_COLUMNS} FROM main.draft",
    "submission": f"SELECT sequence, {SUBMISSION_COLUMNS} FROM main.submission",
    "note": "SELECT submission, presentation, at, note, drafts FROM main.seat_note",
    "seat_break": f"SELECT sequence, {BREAK_COLUMNS} FROM main.seat_break",
}
"""The views over a pack."""

_READ_OF_PROJECT = {
    "study": frozenset({"id", "about"}),
    "study_seat": frozenset({"id", "study", "annotator", "replaces"}),
    "presentation": frozenset({*_PRESENTATION.split(", "), "seat", "reference"}),
    "draft": frozenset({"sequence", *DRAFT_COLUMNS.split(", ")}),
    "submission": frozenset({"sequence", *SUBMISSION_COLUMNS.split(", ")}),
    "seat_break": frozenset({"sequence", *BREAK_COLUMNS.split(", ")}),
    "reopening": frozenset({"submission", "at", "note", "drafts"}),
}
_READ_OF_PACK = {
    "seat_about": frozenset({"study", "seat", "annotator", "about"}),
    "seat_presentation": frozenset({*_PRESENTATION.split(", "), "calibration", "reference"}),
    "draft": _READ_OF_PROJECT["draft"],
    "submission": _READ_OF_PROJECT["submission"],
    "seat_break": _READ_OF_PROJECT["seat_break"],
    "seat_note": frozenset({"submission", "presentation", "at", "note", "drafts"}),
}
"""Columns that the views are made of: even through a view, nothing else is ever read."""


@dataclass(frozen=True, slots=True, eq=False)
class SeatReader:
    """A connection that reads one seat, and what its views are called on it."""

    db: Database
    views: Mapping[str, str]


def connect_reader(path: Path, seat: str) -> SeatReader:
    """Return a connection that reads one seat of a project or a pack.

    Raises
    ------
    ProjectError
        If the file cannot be opened.
    StudyError
        If the seat is none.
    """
    _require_id(seat, path)
    pack = is_pack(path)
    db = connect_pack(path, read_only=True) if pack else connect(path, read_only=True)
    views = {name: f"v{secrets.token_hex(16)}" for name in _OF_PROJECT}
    try:
        with faults_of(path):
            for name, query in (_OF_PACK if pack else _OF_PROJECT).items():
                db.execute(f"CREATE TEMP VIEW {views[name]} AS {query.format(seat=seat)}")
            # Temporary views need no file; what SQLite wants to know of the schema it reads now.
            for view in views.values():
                db.execute(f"SELECT * FROM {view} LIMIT 0")
        db.conn.set_authorizer(_reading(frozenset(views.values()), _READ_OF_PACK if pack else _READ_OF_PROJECT))
    except BaseException:
        db.close()
        raise
    return SeatReader(db, views)


def connect_writer(path: Path, seat: str, lease_token: str = "") -> Database:
    """Return a connection that may append entries of one seat, and read nothing.

    Parameters
    ----------
    lease_token
        If given, nothing is written once this is no longer the token of a lease in the file.

    Raises
    ------
    ProjectError
        If the file cannot be opened.
    StudyError
        If the seat is none.
    """
    _require_id(seat, path)
    pack = is_pack(path)
    db = connect_pack(path) if pack else connect(path)
    suffix = secrets.token_hex(16)
    own = "SELECT 1 FROM main.seat_presentation WHERE id = NEW.presentation"
    if not pack:
        own = f"SELECT 1 FROM main.presentation WHERE id = NEW.presentation AND seat = '{seat}'"
    conditions = dict.fromkeys(("draft", "submission"), f"NOT EXISTS ({own})") | {"seat_break": f"NEW.seat <> '{seat}'"}
    try:
        with faults_of(path):
            for table, condition in conditions.items():
                db.execute(_refusing(f"{table}_{suffix}", table, condition, "this is not of the seat"))
                if lease_token:
                    _require_id(lease_token, path)
                    standing = f"NOT EXISTS (SELECT 1 FROM main.lease WHERE token = '{lease_token}')"
                    db.execute(_refusing(f"{table}_lease_{suffix}", table, standing, LEASE_LOST))
        db.conn.set_authorizer(_writing(frozenset({*GUARDS, "draft_undoes_its_own"}), suffix))
    except BaseException:
        db.close()
        raise
    return db


LEASE_LOST = "another Floorscope has taken the seat"


def _refusing(name: str, table: str, condition: str, reason: str) -> str:
    return (
        f"CREATE TEMP TRIGGER {name} BEFORE INSERT ON main.{table} WHEN {condition} "
        f"BEGIN SELECT RAISE(ABORT, '{reason}'); END"
    )


Authorizer = Callable[[int, str | None, str | None, str | None, str | None], int]


def _reading(views: frozenset[str], columns: Mapping[str, frozenset[str]]) -> Authorizer:
    def allowed(action: int, first: str | None, second: str | None, database: str | None, through: str | None) -> int:
        if action == sqlite3.SQLITE_SELECT:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION:
            return _answer(second in _FUNCTIONS)
        if action == sqlite3.SQLITE_READ and database == "temp":
            return _answer(first in views)
        if action == sqlite3.SQLITE_READ and database == "main" and through in views:
            return _answer(second in columns.get(first or "", frozenset()))
        return sqlite3.SQLITE_DENY

    return allowed


def _writing(guards: frozenset[str], suffix: str) -> Authorizer:
    def is_guard(name: str | None) -> bool:
        return name in guards or (name or "").endswith(suffix)

    def allowed(action: int, first: str | None, second: str | None, database: str | None, through: str | None) -> int:
        if action == sqlite3.SQLITE_TRANSACTION:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_INSERT:
            return _answer(first in ENTRY_TABLES and database == "main" and through is None)
        if action == sqlite3.SQLITE_SELECT:
            # Only inside a trigger: no statement of this connection selects anything.
            return _answer(is_guard(through))
        if action == sqlite3.SQLITE_FUNCTION:
            return _answer(second in _FUNCTIONS)
        if action == sqlite3.SQLITE_READ and database in ("main", None):
            # Without a trigger's name SQLite itself looks up a foreign key, or a statement names a column it inserts.
            return _answer(is_guard(through) or (through is None and second in _HARMLESS))
        return sqlite3.SQLITE_DENY

    return allowed


def _answer(allowed: bool) -> int:
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _require_id(text: str, path: Path) -> None:
    if not _ID.fullmatch(text):
        raise StudyError("There is no such seat.", where=str(path))
