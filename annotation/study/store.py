"""What an annotator's side reads and writes: one seat, in a project or in a pack, and nothing else.

Reading and writing go over connections that SQLite itself confines to the seat (`annotation.study.seat_access`). A
gesture is queued to the writer and reported once it is on the disk; handing in waits for that.

Decisions: one may go back to the last ten presentations by the time they were first handed in, whatever their pass; a
repeat comes at least twenty later, so never to one's own first answer. A calibration item is not gone back to, since
its answer was shown. A presentation that was sent back begins with an empty answer, so that a reopened one shows
nothing that its repeat could be told by. Until the calibration is passed, only its items are open.
"""

import statistics
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from annotation.errors import FloorscopeError
from annotation.project.database import connect
from annotation.project.faults import ProjectError, ProjectWriteError, faults_of
from annotation.project.json_column import value_from_json
from annotation.project.lease import Lease, release_lease, take_lease
from annotation.project.writer import LogWriter
from annotation.scheme import Scheme
from annotation.study.answers import AnswerHistory, Draft, Entry, SeatBreak, Submission
from annotation.study.calibration import SeatCalibration, calibration_of
from annotation.study.design import About, StudyError
from annotation.study.entries import (
    DRAFT_COLUMNS,
    SUBMISSION_COLUMNS,
    answer_from_json,
    draft_from,
    submission_from,
)
from annotation.study.pack_file import is_pack
from annotation.study.presentation import (
    Answer,
    Cue,
    Listening,
    Presentation,
    Voice,
    faults_of_answer,
    missing_from,
)
from annotation.study.seat_access import connect_reader
from annotation.study.seat_keeper import SeatKeeper

OnKept = Callable[[tuple[Entry, ...]], None]
OnFailed = Callable[[FloorscopeError, tuple[Entry, ...]], None]
REACH_BACK = 10
"""How many of the last presentations one may go back to (PROTOCOLS, blindness)."""

_PACE_OVER = 20
_SUBMIT_SECONDS = 15.0


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
        Median seconds of the last twenty submissions; None before the first.
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


class AnnotatorStore:
    """One seat of a study; belongs to one thread.

    Parameters
    ----------
    path
        A project or a pack.
    seat
        The seat's id: `find_seat` for a project, `annotation.study.seats.seat_of_pack` for a pack.
    on_kept, on_failed
        Called on the writer's thread with entries that are on the disk, and with a fault and what it holds back. They
        must not raise.
    take_over
        Take the seat from a process on another computer, whose life cannot be seen from here.

    Attributes
    ----------
    read_only_reason
        Why nothing can be entered; empty when it can.

    Raises
    ------
    StudyError
        If there is no such seat.
    ProjectError
        If the file cannot be opened.
    """

    def __init__(
        self,
        path: Path,
        seat: str,
        on_kept: OnKept = lambda entries: None,
        on_failed: OnFailed = lambda fault, entries: None,
        *,
        take_over: bool = False,
    ) -> None:
        self.path = path.absolute()
        self.seat = seat
        self._on_kept = on_kept
        self._on_failed = on_failed
        self._lease: Lease | None = None
        self._writer: LogWriter[Entry] | None = None
        self._opened: dict[str, AnswerHistory] = {}
        self._known: list[Submission] = []
        self._known_to = 0
        self._reader = connect_reader(self.path, seat)
        try:
            self._about, self._annotator, self.study, replaced = self._read_about()
            # Drawn once with the study, and in no extension.
            self._practice = tuple(
                found
                for (found,) in self._rows("SELECT id FROM {presentation} WHERE calibration = 1 ORDER BY position")
            )
            self.read_only_reason = "This seat was given to somebody else." if replaced else ""
            if not self.read_only_reason:
                self._take_seat(take_over)
            if not self.read_only_reason:
                token = self._lease.token if self._lease else ""
                self._writer = LogWriter(SeatKeeper(self.path, seat, token), self._kept, self._failed)
        except BaseException:
            self._reader.db.close()
            raise

    # What is asked

    def about(self) -> SeatAbout:
        """Return what an annotator may know of the study."""
        about = self._about
        return SeatAbout(about.name, self._annotator, about.scheme, about.guidelines, about.context_s)

    def progress(self) -> SeatProgress:
        """Return one's own progress; the calibration is not in it."""
        total = self._value("SELECT count(*) FROM {presentation} WHERE calibration = 0")
        current = [s for s in self._current().values() if s.presentation not in self._practice]
        spent = [submission.listening.spent_s for submission in current]
        breaks = self._rows("SELECT begins FROM {seat_break} ORDER BY sequence DESC LIMIT 1")
        return SeatProgress(
            submitted=len(current),
            total=total,
            pace_s=statistics.median(spent[-_PACE_OVER:]) if spent else None,
            spent_s=sum(spent),
            on_break=bool(breaks and breaks[0][0]),
        )

    def calibration(self) -> SeatCalibration:
        """Return where the calibration stands; passed where there is none."""
        answered: dict[str, list[str]] = defaultdict(list)
        for submission in self._submissions():
            answered[submission.presentation].append(submission.answer.kind)
        references = dict(self._rows("SELECT presentation, reference FROM {reference}"))
        # A reference is shown only once its item was handed in, and a round is judged only when all were.
        kinds = {
            one: answer_from_json(references[one], one).kind if one in references else "" for one in self._practice
        }
        needed = Fraction(self._about.pass_mark) if self._about.pass_mark else Fraction(0)
        return calibration_of(kinds, answered, needed)

    def next_presentation(self, after: str = "") -> Presentation | None:
        """Return the next presentation without a current submission; None when all is done.

        Parameters
        ----------
        after
            The id of a presentation to go on behind, then from the start. Without it, the first: where one left off.
        """
        done = set(self._current())
        calibration = self.calibration()
        if not calibration.passed:
            done = self._done_in_round(calibration.round)
        order = [
            found
            for found, is_practice in self._rows("SELECT id, calibration FROM {presentation} ORDER BY position")
            if bool(is_practice) != calibration.passed
        ]
        if after in order:
            place = order.index(after) + 1
            order = order[place:] + order[:place]
        waiting = next((found for found in order if found not in done), None)
        return None if waiting is None else self._presentation(waiting)

    def presentation(self, presentation: str) -> Presentation:
        """Return a presentation that is open: not handed in, or within reach.

        Raises
        ------
        StudyError
            If it is none of this seat, or is not open.
        """
        self._require_open(presentation)
        return self._presentation(presentation)

    def recent(self) -> tuple[str, ...]:
        """Return the ids of the last `REACH_BACK` presentations by their first submission, newest first."""
        order = dict.fromkeys(s.presentation for s in self._submissions() if s.presentation not in self._practice)
        return tuple(reversed(order))[:REACH_BACK]

    def is_calibration(self, presentation: str) -> bool:
        """Return whether a presentation belongs to the calibration, which an annotator may know."""
        return presentation in self._practice

    def history(self, presentation: str) -> AnswerHistory:
        """Return the answer to an open presentation as it stands; each step is queued to the writer at once.

        Raises
        ------
        StudyError
            If the presentation is none of this seat, or is not open.
        """
        self._require_open(presentation)
        # What was queued and is not written yet belongs to it as well.
        self.flush(_SUBMIT_SECONDS)
        history = AnswerHistory(presentation, self._drafts(presentation), self._write)
        if self.read_only_reason:
            history.freeze(self.read_only_reason)
        elif self._writer is not None and self._writer.failure is not None:
            history.freeze(str(self._writer.failure))
        self._opened[presentation] = history
        return history

    def submitted_answer(self, presentation: str) -> Answer | None:
        """Return one's own current submission of an open presentation, or None before it."""
        self._require_open(presentation)
        submission = self._current().get(presentation)
        return None if submission is None else submission.answer

    def note(self, presentation: str) -> str:
        """Return why the lead sent a presentation back; empty where it was not, or was handed in again."""
        newest = self._newest().get(presentation)
        if newest is None:
            return ""
        rows = self._rows("SELECT note FROM {note} WHERE submission = ? ORDER BY at DESC LIMIT 1", [newest.id])
        return str(rows[0][0]) if rows else ""

    def feedback(self, presentation: str) -> Answer | None:
        """Return the reference answer to a calibration item that was handed in; None for any other presentation."""
        rows = self._rows("SELECT reference FROM {reference} WHERE presentation = ?", [presentation])
        return answer_from_json(rows[0][0], presentation) if rows else None

    # What is entered

    def submit(self, presentation: str, answer: Answer, listening: Listening) -> Submission:
        """Hand an answer in, and return once it is on the disk.

        Raises
        ------
        StudyError
            If something is missing or cannot be, or the presentation is not open.
        ProjectWriteError
            If it is not on the disk; it is then held, and `retry` keeps it.
        """
        shown = self.presentation(presentation)
        missing = missing_from(answer, self._about.scheme)
        if missing:
            raise StudyError(f"Not answered yet: {', '.join(missing)}.")
        faults = faults_of_answer(answer, shown, self._about.scheme)
        if faults:
            raise StudyError(" ".join(faults))
        if not self.flush(_SUBMIT_SECONDS):
            raise self._unkept()
        drafts = self._drafts(presentation)
        frozen = drafts[-1] if drafts else None
        if frozen is None or frozen.answer != answer:
            # What is handed in always freezes a step, which tells the steps of one round from those of the next.
            frozen = Draft(presentation, "Answer", answer)
            self._write(frozen)
        submission = Submission(
            presentation, answer, listening, self._about.scheme.version, frozen.id, at=self._time_of_next()
        )
        self._write(submission)
        if not self.flush(_SUBMIT_SECONDS):
            raise self._unkept()
        self._opened.pop(presentation, None)
        return submission

    def begin_break(self) -> None:
        """Begin a break; nothing happens on one."""
        if not self.progress().on_break:
            self._write(SeatBreak(self.seat, "begin"))
            self.flush(_SUBMIT_SECONDS)

    def end_break(self) -> None:
        """End the break; nothing happens without one."""
        if self.progress().on_break:
            self._write(SeatBreak(self.seat, "end"))
            self.flush(_SUBMIT_SECONDS)

    # Keeping

    @property
    def held(self) -> tuple[Entry, ...]:
        """What was entered and could not be kept so far."""
        return () if self._writer is None else self._writer.held

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until all that was entered is kept; False if something is held or the seconds are over."""
        return self._writer is None or self._writer.flush(timeout)

    def retry(self) -> None:
        """Open the file afresh and try again to keep what is held; the listeners hear of the outcome.

        Raises
        ------
        ProjectError
            If the file cannot be opened; what is held stays held.
        """
        if self._writer is None:
            return
        self._writer.release(_SUBMIT_SECONDS)
        self._reader.db.close()
        self._reader = connect_reader(self.path, self.seat)
        self._writer.retry()

    def close(self) -> tuple[Entry, ...]:
        """Keep what is pending, give the seat back, and return what could not be kept; closing twice does nothing."""
        held: tuple[Entry, ...] = ()
        if self._writer is not None:
            held = self._writer.close()
            self._writer = None
        self._reader.db.close()
        if self._lease is not None:
            lease, self._lease = self._lease, None
            # A lease ends with this process at the latest, and what was entered matters more.
            with suppress(ProjectError):
                _with_connection(self.path, lambda db: release_lease(db, lease))
        self.read_only_reason = self.read_only_reason or "The seat was closed."
        for history in self._opened.values():
            history.freeze(self.read_only_reason)
        return held

    # Inside

    def _take_seat(self, take_over: bool) -> None:
        if is_pack(self.path):
            return
        answer = _with_connection(
            self.path, lambda db: take_lease(db, f"seat:{self.seat}", self._annotator, take_over=take_over)
        )
        self._lease, self.read_only_reason = answer.lease, answer.reason

    def _write(self, entry: Entry) -> None:
        if self._writer is None:
            raise StudyError(self.read_only_reason, where=str(self.path))
        self._writer.submit(entry)

    def _unkept(self) -> FloorscopeError:
        failure = self._writer.failure if self._writer is not None else None
        return failure or ProjectWriteError(
            "It is not on the disk yet.", where=str(self.path), remedy="Wait a moment, then look whether it is kept."
        )

    def _kept(self, entries: tuple[Entry, ...]) -> None:
        if self._writer is not None and self._writer.failure is None:
            for history in tuple(self._opened.values()):
                history.thaw()
        self._on_kept(entries)

    def _failed(self, fault: FloorscopeError, entries: tuple[Entry, ...]) -> None:
        for history in tuple(self._opened.values()):
            history.freeze(str(fault))
        self._on_failed(fault, entries)

    def _require_open(self, presentation: str) -> None:
        calibration = self.calibration()
        if presentation in self._practice:
            if calibration.passed:
                raise StudyError("The calibration has been passed.", remedy="Go on with the study.")
            return
        if not calibration.passed:
            raise StudyError("The study opens once the calibration is passed.", remedy="Answer its items first.")
        if presentation in self._current() and presentation not in self.recent():
            raise StudyError(f"One can go back through the last {REACH_BACK} presentations, and no further.")

    def _presentation(self, presentation: str) -> Presentation:
        rows = self._rows(
            "SELECT id, position, rate_hz, frames, cue_voice, cue_onset, cue_offset, voices FROM {presentation} "
            "WHERE id = ?",
            [presentation],
        )
        if not rows:
            raise StudyError("This seat has no such presentation.")
        found, position, rate_hz, frames, cue_voice, cue_onset, cue_offset, voices = rows[0]
        speakers = value_from_json(voices, tuple[Voice, ...], f"presentation {found}")
        return Presentation(found, position, rate_hz, frames, speakers, Cue(cue_voice, cue_onset, cue_offset))

    def _done_in_round(self, turn: int) -> set[str]:
        counts = dict.fromkeys(self._practice, 0)
        for submission in self._submissions():
            if submission.presentation in counts:
                counts[submission.presentation] += 1
        return {found for found, count in counts.items() if count >= turn}

    def _drafts(self, presentation: str) -> tuple[Draft, ...]:
        rows = self._rows(
            f"SELECT {DRAFT_COLUMNS} FROM {{draft}} WHERE presentation = ? ORDER BY sequence", [presentation]
        )
        skipped = self._value("SELECT coalesce(max(drafts), 0) FROM {note} WHERE presentation = ?", [presentation])
        if presentation in self._practice:
            skipped = max(skipped, self._drafts_before_round(presentation, [row[0] for row in rows]))
        drafts = tuple(draft_from(row) for row in rows[skipped:])
        known = {draft.id for draft in drafts}
        # Behind a reopening or a new round nothing is undone into what was before it.
        return tuple(draft for draft in drafts if draft.undoes is None or draft.undoes in known)

    def _drafts_before_round(self, presentation: str, ids: list[str]) -> int:
        """Return how many steps of a calibration item were handed in already."""
        frozen = [s.draft for s in self._submissions() if s.presentation == presentation and s.draft in ids]
        return ids.index(frozen[-1]) + 1 if frozen and frozen[-1] else 0

    def _submissions(self) -> list[Submission]:
        """Return all submissions by time; what was read before is not read again."""
        rows = self._rows(
            f"SELECT sequence, {SUBMISSION_COLUMNS} FROM {{submission}} WHERE sequence > ? ORDER BY sequence",
            [self._known_to],
        )
        if rows:
            self._known_to = rows[-1][0]
            self._known += [submission_from(row[1:]) for row in rows]
            self._known.sort(key=lambda submission: (submission.at, submission.id))
        return self._known

    def _newest(self) -> dict[str, Submission]:
        newest: dict[str, Submission] = {}
        for submission in self._submissions():
            newest.pop(submission.presentation, None)
            newest[submission.presentation] = submission
        return newest

    def _current(self) -> dict[str, Submission]:
        """Return the current submission of each presentation that has one, by time."""
        reopened = {found for (found,) in self._rows("SELECT submission FROM {note}")}
        return {place: one for place, one in self._newest().items() if one.id not in reopened}

    def _time_of_next(self) -> str:
        """Return the time, and never one before the last submission: the newest counts, whatever the clock did."""
        last = self._value("SELECT coalesce(max(at), '') FROM {submission}")
        time = datetime.now(UTC)
        with suppress(ValueError):
            time = max(time, datetime.fromisoformat(last) + timedelta(milliseconds=1))
        return time.isoformat(timespec="milliseconds")

    def _read_about(self) -> tuple[About, str, str, bool]:
        rows = self._rows("SELECT study, annotator, about, replaced FROM {about}")
        if not rows:
            raise StudyError("The file has no such seat.", where=str(self.path))
        study, annotator, about, replaced = rows[0]
        return value_from_json(about, About, f"study {study}"), annotator, study, bool(replaced)

    def _value(self, query: str, arguments: list[Any] | None = None) -> Any:
        return self._rows(query, arguments)[0][0]

    def _rows(self, query: str, arguments: list[Any] | None = None) -> list[tuple[Any, ...]]:
        with faults_of(self.path):
            return self._reader.db.execute(query.format_map(self._reader.views), arguments or []).fetchall()


def _with_connection(path: Path, work: Callable[[Database], Any]) -> Any:
    db = connect(path)
    try:
        with faults_of(path):
            return work(db)
    finally:
        db.close()
