"""Studies in a project, for the lead: making, reading, extending, and what becomes of submissions.

Decisions: the current submission of a presentation is its newest one, unless a reopening names it: then there is none,
and an older one does not come back. A replaced annotator's submissions stay as history and leave the figures, unless
the lead says that they count; the seat itself takes no more.
"""

from dataclasses import dataclass

from annotation.agreement.labels import LabelTable
from annotation.notices import Notice
from annotation.project.project import Project
from annotation.study.answers import Submission
from annotation.study.design import StudyDesign
from annotation.study.drawing import DrawnPresentation, Material, Seat, StudyItem


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

    Methods that take `study` take its id; empty means the only or newest one.
    """

    def __init__(self, project: Project) -> None:
        self._project = project

    def studies(self) -> tuple[Study, ...]:
        """Return all studies, oldest first."""
        raise NotImplementedError

    def study(self, study: str = "") -> Study:
        """Return a study by its id or name.

        Raises
        ------
        StudyError
            If there is none.
        """
        raise NotImplementedError

    def material(self, design: StudyDesign) -> Material:
        """Return the items that a design would take from the project; faults as `drawing.material_of`."""
        raise NotImplementedError

    def create(self, design: StudyDesign, person: str) -> tuple[Study, tuple[Notice, ...]]:
        """Draw a study and keep it in one transaction; the notices say which candidates were left out.

        Raises
        ------
        StudyError
            If it cannot be drawn, or the project has a study of this name.
        """
        raise NotImplementedError

    def status(self, study: str = "") -> StudyStatus:
        """Return how far everybody is."""
        raise NotImplementedError

    def extend(self, study: str = "") -> tuple[StudyItem, ...]:
        """Draw what the design takes from the project and is not in the study yet; nothing that exists changes."""
        raise NotImplementedError

    def replace(self, seat: str, annotator: str, *, keeps: bool = False, study: str = "") -> Seat:
        """Give a seat to another annotator, with an order and clips of their own, and return the new seat."""
        raise NotImplementedError

    def reopen(self, submission: str, person: str, note: str) -> None:
        """Send one current submission back with a note."""
        raise NotImplementedError

    def items(self, study: str = "") -> tuple[StudyItem, ...]:
        """Return all items in the order they were drawn."""
        raise NotImplementedError

    def seats(self, study: str = "") -> tuple[Seat, ...]:
        """Return all seats, replaced ones among them, in order."""
        raise NotImplementedError

    def presentations(self, study: str = "", seat: str = "") -> tuple[DrawnPresentation, ...]:
        """Return presentations in each seat's order; of one seat, where one is given."""
        raise NotImplementedError

    def current(self, study: str = "") -> tuple[CurrentSubmission, ...]:
        """Return the submissions that count, in the order they came; the calibration's among them."""
        raise NotImplementedError

    def label_table(self, study: str = "") -> LabelTable:
        """Return the study's labels in timeline frames, as the figures take them; no calibration item is in it."""
        raise NotImplementedError
