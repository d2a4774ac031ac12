"""Revisions as rows: encoding, idempotent insertion, and reading them back in order."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec
from sqlite_utils import Database

from annotation.circumstances import Circumstances
from annotation.document import Revision
from annotation.errors import InvalidValueError
from annotation.events import FloorEvent
from annotation.project.digest import FIRST, digest_of
from annotation.project.faults import DamagedProjectError

LARGEST_REVISION_BYTES = 64 << 20
"""One gesture's events as JSON; a gesture over 100,000 events takes a third of it."""

_decoder = msgspec.json.Decoder(tuple[FloorEvent, ...])
_circumstances_decoder = msgspec.json.Decoder(Circumstances)
_VALUES = "id, subject, person, at, label, undoes, added, removed, circumstances"
_COLUMNS = f"sequence, {_VALUES}"
_INSERT = f"INSERT INTO revision (sequence, {_VALUES}, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_LAST_DIGEST = "SELECT digest FROM revision WHERE subject = ? AND person = ? ORDER BY sequence DESC LIMIT 1"

Values = tuple[str, str, str, str, str, str | None, str, str, str | None]
"""id, subject, person, at, label, undoes, added, removed, circumstances."""

Row = tuple[int, str, str, str, str, str, str | None, str, str, str | None]


@dataclass(frozen=True, slots=True)
class LoggedRevision:
    """A revision and its place in the log."""

    sequence: int
    revision: Revision


def json_from_events(events: tuple[FloorEvent, ...]) -> str:
    """Return events as the JSON array that a row holds.

    Raises
    ------
    InvalidValueError
        If a text is no Unicode text (a lone surrogate), or the whole is larger than `LARGEST_REVISION_BYTES`.
    """
    try:
        data = msgspec.json.encode(events)
    except (UnicodeEncodeError, OverflowError, msgspec.MsgspecError) as error:
        raise InvalidValueError(f"The events cannot be written: {error}.") from error
    if len(data) > LARGEST_REVISION_BYTES:
        raise InvalidValueError(
            f"One gesture over {len(events)} events is too large to keep.", remedy="Do it in several parts."
        )
    return data.decode()


def events_from_json(text: str, *, where: str) -> tuple[FloorEvent, ...]:
    """Return the events that a row holds.

    Raises
    ------
    DamagedProjectError
        With the JSON path of the first fault.
    """
    if len(text) > LARGEST_REVISION_BYTES:
        raise DamagedProjectError("A row of events is larger than any that is ever written.", where=where)
    try:
        return _decoder.decode(text)
    except msgspec.DecodeError as error:
        raise DamagedProjectError(f"The events of a revision cannot be read: {error}.", where=where) from error


def insert_revisions(connection: sqlite3.Connection, revisions: Iterable[Revision]) -> None:
    """Append revisions in order, inside the caller's transaction; one that is there already is left as it is.

    Raises
    ------
    InvalidValueError
        If one cannot be encoded, or its id is taken by a different revision, or it undoes one of another document.
    """
    for revision in revisions:
        row = values_of(revision)
        try:
            added = insert_values(connection, row)
        except sqlite3.IntegrityError as error:
            raise InvalidValueError(
                f"The step “{revision.label}” cannot be kept: {error}.", where=f"{revision.subject} {revision.id}"
            ) from error
        if not added:
            _require_same(connection, revision, row)


def insert_values(connection: sqlite3.Connection, values: Values, sequence: int | None = None) -> bool:
    """Append a row with the digest that its place in its document gives it; False if its id is there already.

    Parameters
    ----------
    sequence
        Its place in the log; without it, behind the last.

    Raises
    ------
    sqlite3.IntegrityError
        If the row breaks a rule of the table.
    """
    last = connection.execute(_LAST_DIGEST, values[1:3]).fetchone()
    digest = digest_of(FIRST if last is None else last[0] or FIRST, values)
    return connection.execute(_INSERT, (sequence, *values, digest)).rowcount == 1


def values_of(revision: Revision) -> Values:
    """Return a revision as the row holds it.

    Raises
    ------
    InvalidValueError
        If a text is no Unicode text, or the gesture is too large.
    """
    texts = (revision.id, revision.subject, revision.person, revision.at, revision.label, revision.undoes)
    try:
        for text in texts:
            (text or "").encode()
    except UnicodeEncodeError as error:
        raise InvalidValueError(f"The step cannot be written: {error}.", where=revision.id) from error
    return (
        *texts,
        json_from_events(revision.added),
        json_from_events(revision.removed),
        _json_from_circumstances(revision.circumstances),
    )


def _json_from_circumstances(circumstances: Circumstances | None) -> str | None:
    if circumstances is None:
        return None
    try:
        return msgspec.json.encode(circumstances).decode()
    except UnicodeEncodeError as error:
        raise InvalidValueError(f"The step cannot be written: {error}.", where=circumstances.device) from error


def _circumstances_from_json(text: str | None, *, where: str) -> Circumstances | None:
    if text is None:
        return None
    try:
        return _circumstances_decoder.decode(text)
    except (msgspec.DecodeError, InvalidValueError) as error:
        raise DamagedProjectError(f"How a step was made cannot be read: {error}.", where=where) from error


def _require_same(connection: sqlite3.Connection, revision: Revision, row: Values) -> None:
    query = f"SELECT {_VALUES} FROM revision WHERE id = ?"
    if connection.execute(query, (revision.id,)).fetchone() != row:
        raise InvalidValueError("Another revision has this id.", where=f"{revision.subject} {revision.id}")


def revisions_of(db: Database, subject: str, person: str) -> tuple[Revision, ...]:
    """Return what one person did to one subject, in order.

    Raises
    ------
    DamagedProjectError
        If a row cannot be read, or is not what was entered, or one before it is gone.
    """
    query = f"SELECT digest, {_COLUMNS} FROM revision WHERE subject = ? AND person = ? ORDER BY sequence"
    result = []
    previous = FIRST
    for digest, *row in db.execute(query, [subject, person]):
        result.append(_logged(tuple(row)).revision)
        if digest is not None and digest != digest_of(previous, row[1:]):
            raise DamagedProjectError(
                "A step is not what was entered, or the step before it is gone.",
                where=f"revision {row[0]}",
                remedy="Rescue the project into a new file (Project, or floorscope project rescue).",
            )
        previous = digest or FIRST
    return tuple(result)


def first_broken(db: Database) -> int | None:
    """Return the place of the first revision whose digest is not what its content and its predecessor make, or None."""
    last: dict[tuple[str, str], str] = {}
    for digest, sequence, *values in db.execute(f"SELECT digest, {_COLUMNS} FROM revision ORDER BY sequence"):
        document = (values[1], values[2])
        if digest is not None and digest != digest_of(last.get(document, FIRST), values):
            return int(sequence)
        last[document] = digest or FIRST
    return None


def revisions_after(db: Database, sequence: int) -> tuple[LoggedRevision, ...]:
    """Return the revisions behind a place in the log, in order; faults as `revisions_of`."""
    query = f"SELECT {_COLUMNS} FROM revision WHERE sequence > ? ORDER BY sequence"
    return tuple(_logged(row) for row in db.execute(query, [sequence]))


def documents_in(db: Database) -> tuple[tuple[str, str], ...]:
    """Return subject and person of every document that has a revision."""
    query = "SELECT DISTINCT subject, person FROM revision ORDER BY subject, person"
    return tuple((str(subject), str(person)) for subject, person in db.execute(query))


def last_sequence(db: Database) -> int:
    """Return the place of the newest revision, 0 before the first."""
    return int(db.execute("SELECT coalesce(max(sequence), 0) FROM revision").fetchone()[0])


def label_counts(db: Database) -> dict[str, dict[str, int]]:
    """Return how many events each person's document holds now, by subject and person, without decoding any."""
    counts: dict[str, dict[str, int]] = {}
    for subject, person, count in db.execute(
        "SELECT subject, person, sum(balance) FROM revision GROUP BY subject, person"
    ):
        counts.setdefault(subject, {})[person] = count
    return counts


def revision_from(values: Values, *, where: str) -> Revision:
    """Return the revision that a row holds; faults as `revisions_of`."""
    return _logged((0, *values), where).revision


def _logged(row: Row, place: str = "") -> LoggedRevision:
    sequence, revision_id, subject, person, at, label, undoes, added, removed, circumstances = row
    where = place or f"revision {sequence}"
    revision = Revision(
        subject=subject,
        person=person,
        label=label,
        added=events_from_json(added, where=where),
        removed=events_from_json(removed, where=where),
        undoes=undoes,
        at=at,
        id=revision_id,
        circumstances=_circumstances_from_json(circumstances, where=where),
    )
    return LoggedRevision(sequence, revision)
