"""What an annotator's side enters, as rows: encoding, idempotent insertion, and reading it back.

Rows are the same in a project and in a pack. Whatever is read is typed and limited, since a pack comes from elsewhere.
"""

import sqlite3
from typing import Any, TypeVar

import msgspec
from sqlite_utils import Database

from annotation.circumstances import Circumstances
from annotation.errors import InvalidValueError
from annotation.project.faults import DamagedProjectError
from annotation.project.json_column import value_from_json
from annotation.study.answers import Draft, Entry, SeatBreak, Submission
from annotation.study.presentation import Answer, Listening

LARGEST_ENTRY_BYTES = 64 << 10
"""An answer, a listening or circumstances as JSON; a comment of the greatest length takes a quarter of it."""

DRAFT_COLUMNS = "id, presentation, at, label, undoes, answer, circumstances"
SUBMISSION_COLUMNS = "id, presentation, at, draft, answer, listening, scheme_version"
BREAK_COLUMNS = "id, seat, at, begins"

_Value = TypeVar("_Value")


def insert_entry(connection: sqlite3.Connection, entry: Entry) -> bool:
    """Append an entry inside the caller's transaction; False if its id is there already.

    Raises
    ------
    InvalidValueError
        If it cannot be encoded, or breaks a rule of its table, such as being of no presentation of this seat.
    """
    table, columns, values = row_of(entry)
    marks = ", ".join("?" * len(values))
    try:
        return connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", values).rowcount == 1
    except sqlite3.IntegrityError as error:
        raise InvalidValueError(f"The step cannot be kept: {error}.", where=entry.id) from error


def row_of(entry: Entry) -> tuple[str, str, tuple[Any, ...]]:
    """Return the table of an entry, its columns, and the values in their order.

    Raises
    ------
    InvalidValueError
        If a text is no Unicode text, or a value is too large.
    """
    if isinstance(entry, Draft):
        draft = (entry.id, entry.presentation, entry.at, entry.label, entry.undoes)
        how = None if entry.circumstances is None else json_from_value(entry.circumstances)
        return "draft", DRAFT_COLUMNS, _storable((*draft, json_from_value(entry.answer), how))
    if isinstance(entry, Submission):
        answer, listening = json_from_value(entry.answer), json_from_value(entry.listening)
        values = (entry.id, entry.presentation, entry.at, entry.draft, answer, listening, entry.scheme_version)
        return "submission", SUBMISSION_COLUMNS, _storable(values)
    return "seat_break", BREAK_COLUMNS, _storable((entry.id, entry.seat, entry.at, int(entry.kind == "begin")))


def _storable(values: tuple[Any, ...]) -> tuple[Any, ...]:
    try:
        for value in values:
            if isinstance(value, str):
                value.encode()
    except UnicodeEncodeError as error:
        raise InvalidValueError("The text holds half a character.", remedy="Type it again or leave it out.") from error
    return values


def draft_from(row: tuple[Any, ...]) -> Draft:
    """Return the draft in a row of `DRAFT_COLUMNS`.

    Raises
    ------
    DamagedProjectError
        If it cannot be read.
    """
    entry_id, presentation, at, label, undoes, answer, how = row
    where = f"draft {entry_id}"
    circumstances = None if how is None else _limited(how, Circumstances, where)
    try:
        return Draft(
            presentation,
            label,
            _limited(answer, Answer, where),
            undoes,
            circumstances,
            at,
            entry_id,
        )
    except InvalidValueError as fault:
        raise DamagedProjectError(fault.what, where=where) from fault


def submission_from(row: tuple[Any, ...]) -> Submission:
    """Return the submission in a row of `SUBMISSION_COLUMNS`; faults as `draft_from`."""
    entry_id, presentation, at, draft, answer, listening, version = row
    where = f"submission {entry_id}"
    return Submission(
        presentation,
        _limited(answer, Answer, where),
        _limited(listening, Listening, where),
        version,
        draft,
        at,
        entry_id,
    )


def break_from(row: tuple[Any, ...]) -> SeatBreak:
    """Return the break in a row of `BREAK_COLUMNS`."""
    entry_id, seat, at, begins = row
    return SeatBreak(seat, "begin" if begins else "end", at, entry_id)


def drafts_in(db: Database, presentation: str, table: str = "draft") -> tuple[Draft, ...]:
    """Return what was entered for a presentation, in order; `table` may be a view of the same columns."""
    rows = db.execute(f"SELECT {DRAFT_COLUMNS} FROM {table} WHERE presentation = ? ORDER BY sequence", [presentation])
    return tuple(draft_from(row) for row in rows)


def json_from_value(value: Answer | Listening | Circumstances) -> str:
    """Return a value as JSON text.

    Raises
    ------
    InvalidValueError
        If a text is no Unicode text, or the whole is larger than `LARGEST_ENTRY_BYTES`.
    """
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError as error:
        raise InvalidValueError("The text holds half a character.", remedy="Type it again or leave it out.") from error
    if len(data) > LARGEST_ENTRY_BYTES:
        raise InvalidValueError("The answer is too long to keep.", remedy="Shorten the comment.")
    return data.decode()


def answer_from_json(text: str, where: str) -> Answer:
    """Return the answer in a JSON text; faults as `draft_from`."""
    return _limited(text, Answer, where)


def _limited(text: str, kind: type[_Value], where: str) -> _Value:
    return value_from_json(text, kind, where, largest=LARGEST_ENTRY_BYTES)
