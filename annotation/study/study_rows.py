"""Studies as rows, for the lead: items, seats, presentations, and which submissions count."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import msgspec
from sqlite_utils import Database

from annotation.project.json_column import value_from_json
from annotation.study.answers import Submission
from annotation.study.clip import Clip
from annotation.study.design import StudyDesign, about_design, json_from_design
from annotation.study.drawing import DrawnPresentation, Seat, StudyItem
from annotation.study.entries import SUBMISSION_COLUMNS, answer_from_json, json_from_value, submission_from
from annotation.study.presentation import Voice

_ITEM_COLUMNS = (
    'id, batch, position, conversation, speaker, onset, "offset", kind, holder_before, holder_after, speakers, '
    "interaction, origin, calibration"
)
_SEAT_COLUMNS = "id, position, annotator, at, replaces, keeps"
_PRESENTATION_COLUMNS = (
    "id, seat, batch, position, item, number, rate_hz, clip_onset, frames, cue_voice, cue_onset, cue_offset, voices, "
    "speakers, reference"
)


def insert_study(db: Database, study: str, person: str, at: str, design: StudyDesign) -> None:
    """Insert a study inside the caller's transaction."""
    row = [study, design.name, person, at, json_from_design(design), about_design(design), design.seed]
    db.execute("INSERT INTO study (id, name, person, at, design, about, seed) VALUES (?, ?, ?, ?, ?, ?, ?)", row)


def insert_items(db: Database, study: str, items: Iterable[StudyItem]) -> None:
    """Insert items inside the caller's transaction."""
    _insert(
        db,
        "study_item",
        f"study, {_ITEM_COLUMNS}",
        (
            (
                study,
                item.id,
                item.batch,
                item.position,
                item.conversation,
                item.speaker,
                item.onset,
                item.offset,
                item.kind,
                item.holder_before,
                item.holder_after,
                item.speakers,
                item.interaction,
                item.origin,
                int(item.calibration),
            )
            for item in items
        ),
    )


def insert_seats(db: Database, study: str, seats: Iterable[Seat]) -> None:
    """Insert seats inside the caller's transaction."""
    _insert(
        db,
        "study_seat",
        f"study, {_SEAT_COLUMNS}",
        ((study, s.id, s.position, s.annotator, s.at, s.replaces, int(s.keeps)) for s in seats),
    )


def insert_presentations(db: Database, study: str, presentations: Iterable[DrawnPresentation]) -> None:
    """Insert presentations inside the caller's transaction, in the order of their ids: rows tell no order."""
    _insert(
        db,
        "presentation",
        f"study, {_PRESENTATION_COLUMNS}",
        (
            (
                study,
                one.id,
                one.seat,
                one.batch,
                one.position,
                one.item,
                one.number,
                one.rate_hz,
                one.clip.onset,
                one.clip.frames,
                one.cue_voice,
                one.clip.cue_onset - one.clip.onset,
                one.clip.cue_offset - one.clip.onset,
                msgspec.json.encode(one.voices).decode(),
                json.dumps(one.speakers),
                None if one.reference is None else json_from_value(one.reference),
            )
            for one in sorted(presentations, key=lambda one: one.id)
        ),
    )


def _insert(db: Database, table: str, columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
    marks = ", ".join("?" * (columns.count(",") + 1))
    db.conn.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)


def items_of(db: Database, study: str) -> tuple[StudyItem, ...]:
    """Return a study's items in the order they were drawn."""
    rows = db.execute(f"SELECT {_ITEM_COLUMNS} FROM study_item WHERE study = ? ORDER BY batch, position", [study])
    return tuple(replace(StudyItem(*row[:-1]), calibration=bool(row[-1])) for row in rows)


def seats_of(db: Database, study: str) -> tuple[Seat, ...]:
    """Return a study's seats by position, the older of two before the one that replaces it."""
    rows = db.execute(f"SELECT {_SEAT_COLUMNS} FROM study_seat WHERE study = ? ORDER BY position, at, id", [study])
    return tuple(replace(Seat(*row[:-1]), keeps=bool(row[-1])) for row in rows)


def presentations_of(db: Database, study: str, seat: str = "") -> tuple[DrawnPresentation, ...]:
    """Return a study's presentations in each seat's order, of one seat where one is given."""
    where, arguments = ("study = ? AND seat = ?", [study, seat]) if seat else ("study = ?", [study])
    rows = db.execute(
        f"SELECT {_PRESENTATION_COLUMNS} FROM presentation WHERE {where} ORDER BY seat, position", arguments
    )
    return tuple(_presentation_from(row) for row in rows)


def _presentation_from(row: tuple[Any, ...]) -> DrawnPresentation:
    found, seat, batch, position, item, number, rate_hz, onset, frames, cue_voice, cue_onset, cue_offset = row[:12]
    where = f"presentation {found}"
    return DrawnPresentation(
        id=found,
        seat=seat,
        batch=batch,
        position=position,
        item=item,
        number=number,
        rate_hz=rate_hz,
        clip=Clip(onset, onset + frames, onset + cue_onset, onset + cue_offset),
        cue_voice=cue_voice,
        voices=value_from_json(row[12], tuple[Voice, ...], where),
        speakers=value_from_json(row[13], tuple[str, ...], where),
        reference=None if row[14] is None else answer_from_json(row[14], where),
    )


def submissions_of(db: Database, study: str) -> tuple[tuple[int, Submission], ...]:
    """Return all submissions of a study with their places in the log, by the time they were made."""
    rows = db.execute(
        f"SELECT sequence, {SUBMISSION_COLUMNS} FROM submission "
        "WHERE presentation IN (SELECT id FROM presentation WHERE study = ?) ORDER BY at, id",
        [study],
    )
    return tuple((row[0], submission_from(row[1:])) for row in rows)


def reopened_in(db: Database) -> frozenset[str]:
    """Return the ids of all submissions that were sent back."""
    return frozenset(found for (found,) in db.execute("SELECT submission FROM reopening"))


def last_entries(db: Database, study: str) -> dict[str, str]:
    """Return the time of the newest entry of each seat that has one, by the seat's id."""
    newest: dict[str, str] = {}
    for table in ("draft", "submission"):
        rows = db.execute(
            f"SELECT p.seat, max(e.at) FROM {table} e JOIN presentation p ON p.id = e.presentation "
            "WHERE p.study = ? GROUP BY p.seat",
            [study],
        )
        for seat, at in rows:
            newest[seat] = max(at, newest.get(seat, ""))
    return newest


def on_break_in(db: Database) -> frozenset[str]:
    """Return the seats whose newest break was begun and not ended."""
    rows = db.execute("SELECT seat, begins FROM seat_break ORDER BY at, sequence")
    newest = dict(rows.fetchall())
    return frozenset(seat for seat, begins in newest.items() if begins)
