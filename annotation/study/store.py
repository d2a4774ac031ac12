"""What an annotator's side reads and writes: one seat, and nothing else.

Two connections, each with an SQLite authorizer that denies all but what the seat needs (`seat_access`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from annotation.errors import FloorscopeError
from annotation.scheme import Scheme
from annotation.study.answers import AnswerHistory, Entry, Submission
from annotation.study.presentation import Answer, Listening, Presentation

OnKept = Callable[[tuple[Entry, ...]], None]
OnFailed = Callable[[FloorscopeError, tuple[Entry, ...]], None]
REACH_BACK = 10
"""How many of the last presentations one may go back to (PROTOCOLS, blindness)."""


@dataclass(frozen=True, slots=True)
class SeatAbout:
    """What an annotator may know of the study."""

    study: str
    annotator: str
    scheme: Scheme
    guidelines: str
    context_s: float


@dataclass(frozen=True, slots=True)
class SeatProgress:
    """One's own progress, never anybody else's.

    Parameters
    ----------
    submitted, total
        Presentations of the study.
    pace_s
        Median seconds of the last submissions; None before the first.
    spent_s
        Seconds spent on what is submitted.
    on_break
        Whether a break was begun and not ended.
    """

    submitted: int
    total: int
    pace_s: float | None
    spent_s: float
    on_break: bool


@dataclass(frozen=True, slots=True)
class SeatCalibration:
    """Where the calibration stands.

    Parameters
    ----------
    submitted, total
        Of the present round.
    round
        From 1.
    agreed
        Share of the last complete round that has the reference kind; None before the first.
    needed
        The share that opens the study.
    passed
        Whether the study is open; true where there is no calibration.
    """

    submitted: int
    total: int
    round: int
    agreed: float | None
    needed: float
    passed: bool


class AnnotatorStore:
    """One seat of a study, in a project or in a pack; belongs to one thread.

    Parameters
    ----------
    on_kept, on_failed
        Called on the writer's thread with entries that are on the disk, and with a fault and what it holds back.
    """

    def __init__(
        self,
        path: Path,
        seat: str,
        on_kept: OnKept = lambda entries: None,
        on_failed: OnFailed = lambda fault, entries: None,
    ) -> None:
        raise NotImplementedError

    def about(self) -> SeatAbout:
        """Return what an annotator may know of the study."""
        raise NotImplementedError

    def progress(self) -> SeatProgress:
        """Return one's own progress."""
        raise NotImplementedError

    def calibration(self) -> SeatCalibration:
        """Return where the calibration stands."""
        raise NotImplementedError

    def next_presentation(self, after: str = "") -> Presentation | None:
        """Return the first presentation without a current submission, behind the one given and then from the start."""
        raise NotImplementedError

    def presentation(self, presentation: str) -> Presentation:
        """Return a presentation that is open, or within reach."""
        raise NotImplementedError

    def recent(self) -> tuple[str, ...]:
        """Return the ids of the last `REACH_BACK` presentations by their first submission, newest first."""
        raise NotImplementedError

    def history(self, presentation: str) -> AnswerHistory:
        """Return the answer to a presentation as it stands; each step is queued to the writer at once."""
        raise NotImplementedError

    def note(self, presentation: str) -> str:
        """Return why the lead sent a presentation back; empty where it was not, or was handed in again."""
        raise NotImplementedError

    def feedback(self, presentation: str) -> Answer | None:
        """Return the reference answer to a calibration item that was submitted, or None."""
        raise NotImplementedError

    def submit(self, presentation: str, answer: Answer, listening: Listening) -> Submission:
        """Hand an answer in, and return once it is on the disk."""
        raise NotImplementedError

    def begin_break(self) -> None:
        """Begin a break."""
        raise NotImplementedError

    def end_break(self) -> None:
        """End the break."""
        raise NotImplementedError

    @property
    def held(self) -> tuple[Entry, ...]:
        """What was entered and could not be kept so far."""
        raise NotImplementedError

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until all that was entered is kept; False if something is held or the seconds are over."""
        raise NotImplementedError

    def retry(self) -> None:
        """Try again to keep what is held."""
        raise NotImplementedError

    def close(self) -> tuple[Entry, ...]:
        """Keep what is pending, give the seat back, and return what could not be kept; closing twice does nothing."""
        raise NotImplementedError


def find_seat(path: Path, annotator: str, study: str = "") -> str:
    """Return the id of an annotator's seat in a project by the name they sign in with, reading nobody else's.

    Raises
    ------
    StudyError
        If there is no such seat.
    """
    raise NotImplementedError
