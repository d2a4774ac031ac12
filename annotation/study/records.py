"""Studies in a project, for the lead: making, reading, extending, and what becomes of submissions.

Decisions: the current submission of a presentation is the one made last (of two made in the same millisecond, the one
with the greater id, so that it does not matter in which order packs come home), unless a reopening names it: then there
is none, and an older one does not come back. A replaced annotator's submissions stay as history and leave the figures,
unless the lead says that they count; the seat itself takes no more. An extension and a replacement draw what is new
and touch nothing that exists.
"""

import statistics
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from uuid import uuid4

from sqlite_utils import Database

from annotation.agreement.labels import Item, Label, LabelTable
from annotation.conversation import Conversation
from annotation.notices import Notice
from annotation.project.database import now
from annotation.project.project import Project
from annotation.sources import ImportedConversation
from annotation.study.answers import Submission
from annotation.study.calibration import calibration_of
from annotation.study.design import StudyDesign, StudyError, design_from_json, require_annotators
from annotation.study.drawing import (
    CALIBRATION,
    REPEAT,
    DrawnPresentation,
    Seat,
    SeatSoFar,
    StudyItem,
    draw_extension,
    draw_seat,
    draw_study,
    new_seat,
)
from annotation.study.material import Material, material_of
from annotation.study.study_rows import (
    insert_items,
    insert_presentations,
    insert_seats,
    insert_study,
    items_of,
    last_entries,
    on_break_in,
    presentations_of,
    reopened_in,
    seats_of,
    submissions_of,
)
from annotation.study.workload import Workload, workload

LONGEST_NOTE = 4_000


@dataclass(frozen=True, slots=True)
class Study:
    """A study as it was made; what happened since stands in other tables."""

    id: str
    name: str
    person: str
    at: str
    design: StudyDesign


@dataclass(frozen=True, slots=True)
class SeatStatus:
    """How far one annotator is; never what they answered.

    Parameters
    ----------
    presentations, submitted
        Of the study, without the calibration.
    calibration_presentations, calibration_submitted, calibrated
        The calibration round; `calibrated` is whether it was passed, true where there is none.
    spent_s, pace_s
        Seconds spent on current submissions, and the median of one; None before the first.
    reopened
        Submissions sent back and not handed in again.
    on_break
        Whether a break was begun and not ended.
    last_at
        Time of the newest entry, empty before the first.
    replaced
        Whether another annotator took the seat over.
    """

    seat: Seat
    presentations: int
    submitted: int
    calibration_presentations: int
    calibration_submitted: int
    calibrated: bool
    spent_s: float
    pace_s: float | None
    reopened: int
    on_break: bool
    last_at: str
    replaced: bool


@dataclass(frozen=True, slots=True)
class StudyStatus:
    """How far a study is."""

    study: Study
    items: int
    repeated: int
    batches: int
    seats: tuple[SeatStatus, ...]


@dataclass(frozen=True, slots=True)
class CurrentSubmission:
    """A submission that counts, with where it belongs."""

    sequence: int
    submission: Submission
    presentation: DrawnPresentation
    annotator: str


class StudyRecords:
    """The studies of an open project; belongs to whoever may know everything.

    Methods that take `study` take its id or its name; empty means the newest one.
    """

    def __init__(self, project: Project) -> None:
        self._project = project

    # Reading

    def studies(self) -> tuple[Study, ...]:
        """Return all studies, oldest first."""
        with self._project.reading() as db:
            return _studies_in(db)

    def study(self, study: str = "") -> Study:
        """Return a study.

        Raises
        ------
        StudyError
            If there is none.
        """
        with self._project.reading() as db:
            return _study_in(db, study)

    def items(self, study: str = "") -> tuple[StudyItem, ...]:
        """Return all items in the order they were drawn, those of the calibration among them."""
        with self._project.reading() as db:
            return items_of(db, _study_in(db, study).id)

    def seats(self, study: str = "") -> tuple[Seat, ...]:
        """Return all seats by position, replaced ones before those that replace them."""
        with self._project.reading() as db:
            return seats_of(db, _study_in(db, study).id)

    def presentations(self, study: str = "", seat: str = "") -> tuple[DrawnPresentation, ...]:
        """Return presentations in each seat's order; of one seat, where one is given."""
        with self._project.reading() as db:
            return presentations_of(db, _study_in(db, study).id, seat)

    def current(self, study: str = "") -> tuple[CurrentSubmission, ...]:
        """Return the submissions that count, by the time they were made; the calibration's among them."""
        with self._project.reading() as db:
            return _current_in(db, _study_in(db, study).id)

    def history(self, study: str = "") -> tuple[Submission, ...]:
        """Return every submission ever made, by time."""
        with self._project.reading() as db:
            return tuple(submission for _, submission in submissions_of(db, _study_in(db, study).id))

    def extent(self) -> tuple[int, int, int, int]:
        """Return how much was entered so far (steps, submissions, reopenings, breaks), for polling; microseconds."""
        with self._project.reading() as db:
            row = db.execute(
                "SELECT (SELECT coalesce(max(sequence), 0) FROM draft), "
                "(SELECT coalesce(max(sequence), 0) FROM submission), "
                "(SELECT coalesce(max(sequence), 0) FROM reopening), "
                "(SELECT coalesce(max(sequence), 0) FROM seat_break)"
            ).fetchone()
            return (row[0], row[1], row[2], row[3])

    def status(self, study: str = "") -> StudyStatus:
        """Return how far everybody is."""
        with self._project.reading() as db:
            found = _study_in(db, study)
            items, seats = items_of(db, found.id), seats_of(db, found.id)
            presentations = presentations_of(db, found.id)
            all_submissions = [submission for _, submission in submissions_of(db, found.id)]
            current = _current_in(db, found.id)
            reopened = reopened_in(db)
            breaks, newest = on_break_in(db), last_entries(db, found.id)
        replaced = {seat.replaces for seat in seats}
        statuses = tuple(
            _seat_status(
                found.design,
                seat,
                [presentation for presentation in presentations if presentation.seat == seat.id],
                all_submissions,
                {one.presentation.id: one.submission for one in current},
                reopened,
                on_break=seat.id in breaks,
                last_at=newest.get(seat.id, ""),
                replaced=seat.id in replaced,
            )
            for seat in seats
        )
        asked = [item for item in items if not item.calibration]
        repeated = {presentation.item for presentation in presentations if presentation.number == REPEAT}
        batches = max((item.batch for item in items), default=0) + 1
        return StudyStatus(found, len(asked), len(repeated), batches, statuses)

    def label_table(self, study: str = "") -> LabelTable:
        """Return the labels in timeline frames, as the figures take them; no calibration item is in it.

        Voices are speakers again. A replaced annotator's labels are in it only where the lead said that they count.
        """
        with self._project.reading() as db:
            found = _study_in(db, study)
            items, seats = items_of(db, found.id), seats_of(db, found.id)
            current = _current_in(db, found.id)
            rates = dict(db.execute("SELECT id, rate_hz FROM conversation").fetchall())
        left = {seat.replaces for seat in seats if seat.replaces and not seat.keeps}
        return LabelTable(
            tuple(_table_item(item, rates[item.conversation]) for item in items if not item.calibration),
            tuple(
                _table_label(one)
                for one in current
                if one.presentation.number != CALIBRATION and one.presentation.seat not in left
            ),
        )

    # Planning

    def material(self, design: StudyDesign) -> Material:
        """Return the items that a design would take from the project; faults as `material.material_of`."""
        return material_of(design, self._imported())

    def workload(self, design: StudyDesign) -> Workload:
        """Return what a design would ask of each annotator; faults as `material`."""
        rates = {summary.id: summary.conversation.rate_hz for summary in self._project.conversations()}
        return workload(design, self.material(design), rates)

    # Changing

    def create(self, design: StudyDesign, person: str) -> tuple[Study, tuple[Notice, ...]]:
        """Draw a study and keep it in one transaction; the notices say what was left out.

        Raises
        ------
        StudyError
            If it cannot be drawn, or the project has a study of this name.
        ProjectError
            If the file cannot be written; then there is no study.
        """
        imported = self._imported()
        material = material_of(design, imported)
        at = now()
        drawing = draw_study(design, material.items, _conversations(imported), at)
        study = Study(uuid4().hex, design.name, person, at, design)
        with self._project.changing() as db:
            if any(other.name == design.name for other in _studies_in(db)):
                raise StudyError(
                    "The project has a study of this name already.", where=design.name, remedy="Choose another name."
                )
            insert_study(db, study.id, person, at, design)
            insert_items(db, study.id, drawing.items)
            insert_seats(db, study.id, drawing.seats)
            insert_presentations(db, study.id, drawing.presentations)
        return study, material.notices

    def extend(self, study: str = "") -> tuple[tuple[StudyItem, ...], tuple[Notice, ...]]:
        """Draw what the design takes from the project and the study does not have yet; nothing that exists changes.

        Raises
        ------
        StudyError
            If there is nothing new.
        """
        imported = self._imported()
        conversations = _conversations(imported)
        with self._project.changing() as db:
            found = _study_in(db, study)
            items, seats = items_of(db, found.id), seats_of(db, found.id)
            batch = max(item.batch for item in items) + 1
            material = material_of(found.design, imported, batch=batch, known=items)
            by_id = {item.id: item for item in items}
            replaced = {seat.replaces for seat in seats}
            so_far = [
                _so_far(seat, presentations_of(db, found.id, seat.id), by_id)
                for seat in seats
                if seat.id not in replaced
            ]
            drawing = draw_extension(found.design, material.items, conversations, so_far)
            insert_items(db, found.id, drawing.items)
            insert_presentations(db, found.id, drawing.presentations)
        return drawing.items, material.notices

    def replace(self, seat: str, annotator: str, *, keeps: bool = False) -> Seat:
        """Give a seat to another annotator, with an order and clips of their own over all items.

        Parameters
        ----------
        seat
            The id of the seat of the annotator who leaves.
        keeps
            Whether what that annotator submitted still counts in the figures.

        Raises
        ------
        StudyError
            If there is no such seat, or it is replaced already, or the name is taken.
        """
        conversations = _conversations(self._imported())
        with self._project.changing() as db:
            found = _study_of_seat(db, seat)
            seats = seats_of(db, found.id)
            leaving = next(known for known in seats if known.id == seat)
            if any(known.replaces == seat for known in seats):
                raise StudyError(f"“{leaving.annotator}” has been replaced already.", where=found.name)
            if annotator.casefold() in {known.annotator.casefold() for known in seats}:
                raise StudyError(f"“{annotator}” is or was an annotator of this study.", where=found.name)
            require_annotators((annotator, leaving.annotator))
            items = items_of(db, found.id)
            repeated = frozenset(one.item for one in presentations_of(db, found.id, seat) if one.number == REPEAT)
            arriving = new_seat(annotator, leaving.position, now(), replaces=seat, keeps=keeps)
            drawn = draw_seat(found.design, SeatSoFar(arriving), items, repeated, conversations)
            insert_seats(db, found.id, (arriving,))
            insert_presentations(db, found.id, drawn)
        return arriving

    def reopen(self, submission: str, person: str, note: str) -> None:
        """Send one current submission back with a note; it stays as history, and its annotator answers anew.

        Raises
        ------
        StudyError
            If it is not a current submission of a study, or the note is empty or too long.
        """
        if not note.strip() or len(note) > LONGEST_NOTE:
            raise StudyError(f"A note of 1 to {LONGEST_NOTE:,} characters says why it is sent back.")
        with self._project.changing() as db:
            row = db.execute(
                "SELECT p.study, p.id FROM submission s JOIN presentation p ON p.id = s.presentation WHERE s.id = ?",
                [submission],
            ).fetchone()
            current = {one.submission.id: one for one in _current_in(db, row[0])} if row else {}
            if submission not in current:
                raise StudyError("This is not the current submission of a presentation.", where=submission)
            if current[submission].presentation.number == CALIBRATION:
                raise StudyError("Calibration items are not sent back: a round is repeated instead.", where=submission)
            drafts = db.execute("SELECT count(*) FROM draft WHERE presentation = ?", [row[1]]).fetchone()[0]
            db.execute(
                "INSERT INTO reopening (id, submission, person, at, note, drafts) VALUES (?, ?, ?, ?, ?, ?)",
                [uuid4().hex, submission, person, now(), note, drafts],
            )

    def _imported(self) -> tuple[ImportedConversation, ...]:
        return tuple(
            ImportedConversation(summary.conversation, self._project.sources(summary.id))
            for summary in self._project.conversations()
        )


def _conversations(imported: tuple[ImportedConversation, ...]) -> Mapping[str, Conversation]:
    return {one.conversation.id: one.conversation for one in imported}


def _studies_in(db: Database) -> tuple[Study, ...]:
    rows = db.execute("SELECT id, name, person, at, design FROM study ORDER BY at, id")
    return tuple(
        Study(found, name, person, at, design_from_json(design, where=f"study {name}"))
        for found, name, person, at, design in rows
    )


def _study_in(db: Database, study: str) -> Study:
    studies = _studies_in(db)
    if not studies:
        raise StudyError("The project has no study.", remedy="Make one: floorscope study new PROJECT.")
    chosen = [one for one in studies if not study or study in (one.id, one.name)]
    if not chosen:
        raise StudyError("The project has no such study.", where=study)
    return chosen[-1]


def _study_of_seat(db: Database, seat: str) -> Study:
    row = db.execute("SELECT study FROM study_seat WHERE id = ?", [seat]).fetchone()
    if row is None:
        raise StudyError("No study has such a seat.", where=seat)
    return _study_in(db, row[0])


def _current_in(db: Database, study: str) -> tuple[CurrentSubmission, ...]:
    presentations = {one.id: one for one in presentations_of(db, study)}
    names = {seat.id: seat.annotator for seat in seats_of(db, study)}
    newest: dict[str, tuple[int, Submission]] = {}
    for sequence, submission in submissions_of(db, study):
        newest.pop(submission.presentation, None)
        newest[submission.presentation] = (sequence, submission)
    reopened = reopened_in(db)
    return tuple(
        CurrentSubmission(sequence, submission, presentations[place], names[presentations[place].seat])
        for place, (sequence, submission) in newest.items()
        if submission.id not in reopened
    )


def _so_far(seat: Seat, presentations: tuple[DrawnPresentation, ...], items: Mapping[str, StudyItem]) -> SeatSoFar:
    last = presentations[-1]
    lengths = frozenset(presentation.clip.frames for presentation in presentations)
    return SeatSoFar(seat, last.position, lengths, items[last.item].conversation)


def _seat_status(
    design: StudyDesign,
    seat: Seat,
    presentations: list[DrawnPresentation],
    submissions: list[Submission],
    current: Mapping[str, Submission],
    reopened: frozenset[str],
    *,
    on_break: bool,
    last_at: str,
    replaced: bool,
) -> SeatStatus:
    own = {presentation.id for presentation in presentations}
    asked = {presentation.id for presentation in presentations if presentation.number != CALIBRATION}
    kinds = {one.id: one.reference.kind for one in presentations if one.reference is not None}
    answered: dict[str, list[str]] = defaultdict(list)
    spent, sent_back = [], set()
    for submission in submissions:
        if submission.presentation in own:
            answered[submission.presentation].append(submission.answer.kind)
            spent.append(submission.listening.spent_s)
            if submission.id in reopened:
                sent_back.add(submission.presentation)
    counting = [current[one].listening.spent_s for one in asked if one in current]
    calibration = calibration_of(kinds, answered, design.calibration.needed if design.calibration else Fraction(0))
    return SeatStatus(
        seat=seat,
        presentations=len(asked),
        submitted=len(counting),
        calibration_presentations=calibration.total,
        calibration_submitted=calibration.submitted,
        calibrated=calibration.passed,
        spent_s=sum(spent),
        pace_s=statistics.median(counting) if counting else None,
        reopened=len(sent_back - set(current)),
        on_break=on_break,
        last_at=last_at,
        replaced=replaced,
    )


def _table_item(item: StudyItem, rate_hz: int) -> Item:
    is_grid = item.origin.startswith("grid")
    return Item(
        item.id,
        item.conversation,
        rate_hz,
        item.kind or "",
        # The edges of a stretch of a grid are nobody's boundaries.
        None if is_grid else item.onset,
        None if is_grid else item.offset,
        item.speakers,
        item.interaction,
    )


def _table_label(one: CurrentSubmission) -> Label:
    drawn, answer = one.presentation, one.submission.answer
    speakers = {voice.id: speaker for voice, speaker in zip(drawn.voices, drawn.speakers, strict=True)}
    return Label(
        item=drawn.item,
        annotator=one.annotator,
        number=drawn.number,
        kind=answer.kind,
        cannot_tell=answer.cannot_tell,
        holder_before=speakers.get(answer.holder_before or "", answer.holder_before),
        holder_after=speakers.get(answer.holder_after or "", answer.holder_after),
        onset=None if answer.onset is None else drawn.clip.onset + answer.onset,
        offset=None if answer.offset is None else drawn.clip.onset + answer.offset,
    )
