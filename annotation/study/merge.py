"""Bringing home what was entered in a pack: each entry once, whatever the order and however often.

Conventions: an entry is known by its id. One that is there with the same content is skipped; one with another content
is refused, and the first stays. What is refused is named with its reason; all else is kept in one transaction.

Decisions: an entry is checked as if nobody had checked it before: types, sizes, the presentations of the seat, the
clip's length, the scheme's kinds, the steps it takes back. What was handed in after the seat had been given to somebody
else is refused; what was handed in before stays history. A pack that was answered on two machines gives both
machines' submissions; the newer one counts, whichever was merged first.
"""

import math
import re
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import msgspec

from annotation.cancellation import CancelToken, Progress, no_progress
from annotation.errors import FloorscopeError
from annotation.notices import Notice
from annotation.project.project import Project
from annotation.scheme import Scheme
from annotation.study.answers import Draft, Entry, SeatBreak, Submission
from annotation.study.drawing import DrawnPresentation, Seat
from annotation.study.entries import break_from, draft_from, insert_entry, submission_from
from annotation.study.pack_reader import DamagedRow, PackError, PackReader
from annotation.study.presentation import Answer, Cue, Listening, Presentation, faults_of_answer, missing_from
from annotation.study.records import StudyRecords

MOST_NAMED = 100
"""How many refused entries are named; the others are counted."""
LONGEST_SECONDS = 10_000_000.0
MOST_PLAYS = 1_000_000
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}\+00:00")
_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What a merge did; plain values, so that it can be printed as JSON.

    Parameters
    ----------
    added, already_known, refused_count
        Entries of all sorts: steps, submissions and breaks.
    submissions_added
        How many of those added are submissions.
    refused
        Up to `MOST_NAMED` of the refused entries with the reason.
    notices
        What else is to be said, such as that the file was cut off.
    """

    pack: str
    annotator: str
    added: int
    submissions_added: int
    already_known: int
    refused_count: int
    refused: tuple[Notice, ...] = ()
    notices: tuple[Notice, ...] = ()


class _RefusedError(Exception):
    """One entry that is not taken, for the reason given."""


@dataclass(slots=True)
class _Tally:
    added: int = 0
    submissions: int = 0
    known: int = 0
    refused: list[tuple[str, str]] = field(default_factory=list)


def merge_pack(
    project: Project, path: Path, token: CancelToken | None = None, progress: Progress = no_progress
) -> MergeReport:
    """Take over what was entered in a pack that is not known yet.

    Raises
    ------
    PackError
        If the file is no pack, or none of a study of this project; then nothing was taken.
    ProjectError
        If the project cannot be read or written; then nothing was taken.
    CancelledError
        If `token` was set; then nothing was taken.
    """
    token = token or CancelToken()
    with PackReader(path) as pack:
        about = pack.about()
        desk = _Desk(project, about.study, about.seat, str(path))
        tally = _Tally()
        with project.changing() as db:
            for place, table in enumerate(_TABLES):
                for row in pack.rows(table.name, table.columns):
                    token.check()
                    _take(db.conn, table, row, desk, tally)
                progress((place + 1) / len(_TABLES))
        notices = (_cut_off_notice(path),) if pack.cut_off else ()
    return MergeReport(
        pack=str(path),
        annotator=desk.seat.annotator,
        added=tally.added,
        submissions_added=tally.submissions,
        already_known=tally.known,
        refused_count=len(tally.refused),
        refused=tuple(
            Notice("entry-refused", f"{path.name}, {where}", reason) for where, reason in tally.refused[:MOST_NAMED]
        ),
        notices=notices,
    )


def _cut_off_notice(path: Path) -> Notice:
    return Notice(
        "pack-cut-off",
        str(path),
        "A part of the file is missing or damaged. What could be read of it was taken; ask for the pack again, and "
        "merge it as well: what is known is skipped.",
    )


class _Desk:
    """What an entry is checked against: the seat's presentations, the scheme, and what is there already."""

    def __init__(self, project: Project, study: str, seat: str, where: str) -> None:
        records = StudyRecords(project)
        if study not in {known.id for known in records.studies()}:
            raise PackError(
                "The pack is of a study that this project does not have.",
                where=where,
                remedy="Open the project that it was written from.",
            )
        seats = {known.id: known for known in records.seats(study)}
        if seat not in seats:
            raise PackError("The pack is of a seat that this study does not have.", where=where)
        self.seat: Seat = seats[seat]
        self.scheme: Scheme = records.study(study).design.scheme
        self.successor = next((other for other in seats.values() if other.replaces == seat), None)
        self.presentations: Mapping[str, DrawnPresentation] = {
            drawn.id: drawn for drawn in records.presentations(study, seat)
        }
        self.drafts: dict[str, str] = {}
        """Drafts that this merge has seen and taken or known, with their presentations."""

    def presentation(self, presentation: str) -> DrawnPresentation:
        drawn = self.presentations.get(presentation)
        if drawn is None:
            raise _RefusedError("It belongs to no presentation of this seat.")
        return drawn

    def require_in_time(self, at: str) -> None:
        """Refuse what was entered after the seat had been given to somebody else."""
        if self.successor is not None and at > self.successor.at:
            raise _RefusedError(f"It was entered after the seat had been given to {self.successor.annotator}.")

    def require_answer(self, answer: Answer, drawn: DrawnPresentation) -> None:
        faults = faults_of_answer(answer, as_shown(drawn), self.scheme)
        if faults:
            raise _RefusedError(" ".join(faults))


def as_shown(drawn: DrawnPresentation) -> Presentation:
    """Return a presentation as its annotator sees it."""
    clip = drawn.clip
    return Presentation(
        id=drawn.id,
        position=drawn.position,
        rate_hz=drawn.rate_hz,
        frames=clip.frames,
        speakers=drawn.voices,
        cue=Cue(drawn.cue_voice, clip.cue_onset - clip.onset, clip.cue_offset - clip.onset),
    )


class _DraftRow(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    presentation: str
    at: str
    label: str
    undoes: str | None
    answer: str
    circumstances: str | None


class _SubmissionRow(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    presentation: str
    at: str
    draft: str | None
    answer: str
    listening: str
    scheme_version: int


class _BreakRow(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    seat: str
    at: str
    begins: Literal[0, 1]


def _check_draft(draft: Draft, desk: _Desk) -> None:
    desk.require_answer(draft.answer, desk.presentation(draft.presentation))
    if not draft.label.isprintable():
        raise _RefusedError("The step has no name that could be shown.")
    if draft.undoes is not None and desk.drafts.get(draft.undoes) != draft.presentation:
        raise _RefusedError("It takes back a step that is not there before it.")


def _check_submission(entry: Submission, desk: _Desk) -> None:
    desk.require_answer(entry.answer, desk.presentation(entry.presentation))
    if entry.scheme_version != desk.scheme.version:
        raise _RefusedError(
            f"It was answered by version {entry.scheme_version} of the scheme; the study has {desk.scheme.version}."
        )
    missing = missing_from(entry.answer, desk.scheme)
    if missing:
        raise _RefusedError(f"It lacks {', '.join(missing)}.")
    # A step that was lost from a cut-off file may be named: the answer itself stands in the submission.
    if entry.draft is not None:
        _require_id(entry.draft)
        if desk.drafts.get(entry.draft, entry.presentation) != entry.presentation:
            raise _RefusedError("It freezes a step of another presentation.")
    _require_listening(entry.listening)


def _check_break(entry: SeatBreak, desk: _Desk) -> None:
    if entry.seat != desk.seat.id:
        raise _RefusedError("It is a break of another seat.")


def _require_id(text: str) -> None:
    if not _ID.fullmatch(text):
        raise _RefusedError("Its id is none.")


def _require_time(text: str) -> None:
    # As it is written everywhere, so that the order of the texts is that of the times.
    try:
        datetime.fromisoformat(text if _TIME.fullmatch(text) else "")
    except ValueError as error:
        raise _RefusedError("It does not say when it was entered.") from error


def _require_listening(listening: Listening) -> None:
    times = (listening.listened_s, listening.spent_s)
    if not (0 <= listening.plays <= MOST_PLAYS and all(0 <= second <= LONGEST_SECONDS for second in times)):
        raise _RefusedError("It was listened to for a time that cannot be.")
    if not all(map(math.isfinite, (listening.reported_latency_s, listening.correction_s))):
        raise _RefusedError("Its latency is no number.")
    if not 0.25 <= listening.slowest <= listening.fastest <= 4 or len(listening.device) > 500:
        raise _RefusedError("It was played at a speed that is not offered.")


@dataclass(frozen=True, slots=True)
class _Table:
    """How one table's rows are read: what each column must be, the value in it, and what that value must not break."""

    name: str
    shape: type[msgspec.Struct]
    value: Callable[[tuple[Any, ...]], Entry]
    check: Callable[[Any, _Desk], None]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.shape.__struct_fields__

    def entry(self, row: Mapping[str, Any], desk: _Desk) -> Entry:
        raw = msgspec.convert(row, self.shape, strict=True)
        entry = self.value(msgspec.structs.astuple(raw))
        _require_id(entry.id)
        _require_time(entry.at)
        self.check(entry, desk)
        return entry


_TABLES = (
    _Table("draft", _DraftRow, draft_from, _check_draft),
    _Table("submission", _SubmissionRow, submission_from, _check_submission),
    _Table("seat_break", _BreakRow, break_from, _check_break),
)


def _take(
    conn: sqlite3.Connection, table: _Table, row: dict[str, Any] | DamagedRow, desk: _Desk, tally: _Tally
) -> None:
    """Check one entry and keep it, or count why not."""
    if isinstance(row, DamagedRow):
        tally.refused.append((f"{table.name} {row.place}", row.reason))
        return
    try:
        entry = table.entry(row, desk)
        known = _is_known(conn, table, entry)
        if not known:
            desk.require_in_time(entry.at)
            insert_entry(conn, entry)
    except _RefusedError as fault:
        tally.refused.append((_name_of(table, row), str(fault)))
    except FloorscopeError as fault:
        tally.refused.append((_name_of(table, row), _printable(fault.what, 300)))
    except msgspec.ValidationError as fault:
        tally.refused.append((_name_of(table, row), f"It cannot be read: {_printable(str(fault), 200)}."))
    else:
        if isinstance(entry, Draft):
            desk.drafts[entry.id] = entry.presentation
        tally.known += known
        tally.added += not known
        tally.submissions += not known and isinstance(entry, Submission)


def _is_known(conn: sqlite3.Connection, table: _Table, entry: Entry) -> bool:
    """Return whether the project has just this entry; refuse another one of its id."""
    found = conn.execute(f"SELECT {', '.join(table.columns)} FROM {table.name} WHERE id = ?", [entry.id]).fetchone()
    if found is not None and table.value(found) != entry:
        raise _RefusedError("Another entry with this id is in the project.")
    return found is not None


def _name_of(table: _Table, row: Mapping[str, Any]) -> str:
    return f"{table.name} {_printable(str(row.get('id', '')), 40)}"


def _printable(text: str, longest: int) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text[:longest])
