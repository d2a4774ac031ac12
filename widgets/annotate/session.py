"""One annotator's answer to one presentation: what each key does.

The session owns no pixels. It turns intentions (“the onset is here”) into steps of the answer's history, and says in a
sentence why something could not be done. Marking holds nothing: one key sets the onset at the frame that is heard,
another the offset, while it plays or at rest.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from annotation.errors import FloorscopeError, InvalidValueError
from annotation.events import NOBODY
from annotation.study.answers import AnswerHistory, with_kind, with_reason
from annotation.study.presentation import (
    HIGHEST_CONFIDENCE,
    Answer,
    Listening,
    Presentation,
    faults_of_answer,
    missing_from,
)
from annotation.timebase import frame_from_seconds
from widgets.annotate.listening import ListeningMeter
from widgets.marking.edge import AUDITION_S, Edge
from widgets.marking.look import KindLook
from widgets.transport.transport import Transport

LEAD_IN_S = 1
"""How far before the cue the cursor stands at first, and when it is sent there."""
MIDDLE_CONFIDENCE = 3


class ItemSession(QObject):
    """The answer to one presentation while it is being given.

    Signals
    -------
    answer_changed(object)
        The `Answer` as it now stands.
    edge_selected(str)
        What the nudge keys move.
    said(str)
        A sentence for the status line.
    """

    answer_changed = Signal(object)
    edge_selected = Signal(str)
    said = Signal(str)

    def __init__(
        self,
        *,
        presentation: Presentation,
        history: AnswerHistory,
        look: KindLook,
        transport: Transport,
        meter: ListeningMeter,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.presentation = presentation
        self.history = history
        self.look = look
        self.meter = meter
        self._transport = transport
        self._edge = Edge.OFFSET
        self._range: tuple[int, int] | None = None
        self._end = history.subscribe(lambda answer, origin: self.answer_changed.emit(answer))
        history.tell_circumstances_by(transport.circumstances)

    def close(self) -> None:
        """Stop listening to the history."""
        self._end()

    # What stands

    @property
    def answer(self) -> Answer:
        """The answer as it stands."""
        return self.history.answer

    @property
    def missing(self) -> tuple[str, ...]:
        """What still has to be answered, a phrase each."""
        return missing_from(self.answer, self.look.scheme)

    @property
    def asked(self) -> tuple[str, ...]:
        """All that has to be answered, a phrase each."""
        return missing_from(Answer(), self.look.scheme)

    @property
    def faults(self) -> tuple[str, ...]:
        """What in the answer cannot be, a sentence each."""
        return faults_of_answer(self.answer, self.presentation, self.look.scheme)

    @property
    def edge(self) -> Edge:
        """What the nudge keys move."""
        return self._edge

    @property
    def position(self) -> int:
        """The frame heard now, or where the cursor rests."""
        return self._transport.position

    def listening(self) -> Listening:
        """Return how the item was listened to so far."""
        # The transport tells of its state a moment later; what runs now counts.
        self.meter.follow(playing=self._transport.playing, speed=self._transport.speed)
        return self.meter.listening(self._transport.circumstances())

    # Answering

    def set_kind(self, kind: str) -> None:
        """Say which kind it is."""
        self._give(f"Kind: {self.look.kind_name(kind)}", with_kind(self.answer, kind))

    def cannot_tell(self, reason: str) -> None:
        """Say why no kind can be given; an empty reason takes that back."""
        with self._spoken():
            answer = with_reason(self.answer, reason) if reason else replace(self.answer, cannot_tell="")
            self.history.give(f"Cannot tell: {reason}"[:200] if reason else "Cannot tell taken back", answer)

    def set_holder(self, which: str, holder: str | None) -> None:
        """Say who holds the floor ``before`` or ``after``; None takes the answer back."""
        if not self.look.scheme.asks_holders:
            self.said.emit("This study does not ask who holds the floor.")
            return
        field = {"before": "holder_before", "after": "holder_after"}[which]
        self._change(f"Holder {which}: {self.look.holder_name(holder)}", **{field: holder})

    def set_holder_by_number(self, which: str, number: int) -> None:
        """Set a holder by the number of the lane from 1; 0 is nobody."""
        speakers = self.presentation.speakers
        if number > len(speakers):
            self.said.emit(f"There is no speaker {number}.")
            return
        self.set_holder(which, NOBODY if number == 0 else speakers[number - 1].id)

    def set_confidence(self, confidence: int) -> None:
        """Say how sure the answer is, 1 to 5; 0 takes it back."""
        self._change(f"Confidence: {confidence or 'none'}", confidence=confidence)

    def step_confidence(self, by: int) -> None:
        """Be more or less sure; from none, the middle."""
        now = self.answer.confidence
        self.set_confidence(min(max(now + by, 1), HIGHEST_CONFIDENCE) if now else MIDDLE_CONFIDENCE)
        self.said.emit(f"Confidence {self.answer.confidence} of {HIGHEST_CONFIDENCE}.")

    def set_comment(self, comment: str) -> None:
        """Write a comment."""
        self._change("Comment", comment=comment)

    # Edges

    def set_edge_to_cursor(self, edge: Edge) -> None:
        """Set the onset or the offset to what is heard now; the nudge keys move it from then on."""
        here = self._transport.position
        if self.set_edge(edge, here):
            self.select_edge(edge)

    def set_edge(self, edge: Edge, frame: int | None) -> bool:
        """Set the onset or the offset, or take it back with None; False if it was refused."""
        words = "taken back" if frame is None else f"at {self.look.time(frame)}"
        return self._change(f"{edge.value.capitalize()} {words}", **{edge.value: frame})

    def set_edge_from_text(self, edge: Edge, text: str) -> None:
        """Set the onset or the offset to a time in seconds as typed; an empty text takes it back."""
        with self._spoken():
            typed = text.strip().replace(",", ".")
            now = self.answer.onset if edge is Edge.ONSET else self.answer.offset
            if now is None or typed != self.look.time(now):
                self.set_edge(edge, frame_from_seconds(typed, self.presentation.rate_hz) if typed else None)

    def set_edges(self, onset: int, offset: int) -> None:
        """Set both edges, as a drag asks."""
        self._change(f"From {self.look.time(onset)} to {self.look.time(offset)}", onset=onset, offset=offset)

    def clear_edges(self) -> None:
        """Take onset and offset back."""
        self._change("Onset and offset taken back", onset=None, offset=None)

    def drag_over(self, speaker: str | None, onset: int, offset: int) -> bool:
        """Take a stretch that was dragged over for the answer; return whether it was.

        It is where it lies on the lane of the cue and an edge is missing; otherwise it is a stretch to listen to.
        """
        missing = self.answer.onset is None or self.answer.offset is None
        if not (missing and self.look.scheme.asks_boundaries and speaker == self.presentation.cue.speaker):
            self._range = (onset, offset) if onset < offset else None
            return False
        self.set_edges(onset, offset)
        return True

    def forget_range(self) -> None:
        """Let go of the stretch to listen to."""
        self._range = None

    def select_edge(self, edge: Edge) -> None:
        """Let the nudge keys move this edge."""
        self._edge = edge
        self.edge_selected.emit(edge.value)

    def cycle_edge(self) -> None:
        """Let the nudge keys move the next of: onset, offset, both."""
        self.select_edge(self._edge.next())
        self.said.emit(f"The nudge keys move the {self._edge.value}.")

    def nudge(self, milliseconds: int) -> None:
        """Move the active edge."""
        by = frame_from_seconds(str(milliseconds / 1000), self.presentation.rate_hz)
        moved = {
            edge.value: frame + by
            for edge, frame in ((Edge.ONSET, self.answer.onset), (Edge.OFFSET, self.answer.offset))
            if frame is not None and self._edge in (edge, Edge.BOTH)
        }
        if not moved:
            self.said.emit("Set the onset and the offset first.")
            return
        times = " to ".join(self.look.time(frame) for frame in moved.values() if frame >= 0)
        self._change(f"Move the {self._edge.value} to {times}", **moved)

    # Undo

    def undo(self) -> None:
        """Take back the last step of this item."""
        with self._spoken():
            label = self.history.undo()
            self.said.emit(f"Undone: {label}" if label else "There is nothing to undo in this item.")

    def redo(self) -> None:
        """Bring back the step undone last."""
        with self._spoken():
            label = self.history.redo()
            self.said.emit(f"Redone: {label}" if label else "There is nothing to redo in this item.")

    # Listening

    def toggle(self) -> None:
        """Play from the cursor, or pause; at the end, play from the start."""
        if self._transport.playing or getattr(self._transport, "interrupted", False):
            self._transport.pause()
            return
        looped = self._range if self._transport.looping else None
        if looped is not None:
            self.play(*looped)
        else:
            self.play(0 if self._transport.position >= self.presentation.frames else None)

    def play(self, onset: int | None = None, offset: int | None = None) -> None:
        """Play a stretch of the clip and count it."""
        self.meter.start()
        self._transport.play(onset, offset)

    def play_span(self) -> None:
        """Play the stretch chosen, or the answer, or the cue."""
        self.play(*self.span)

    def play_end(self) -> None:
        """Play the last second before the end of the same."""
        onset, offset = self.span
        self.play(max(onset, offset - AUDITION_S * self.presentation.rate_hz), offset)

    def play_onset(self) -> None:
        """Play the first second from the onset of the same."""
        onset, offset = self.span
        self.play(onset, min(offset, onset + AUDITION_S * self.presentation.rate_hz))

    def seek_cue(self) -> None:
        """Move the cursor to a second before the cue."""
        self._transport.seek(max(0, self.presentation.cue.onset - LEAD_IN_S * self.presentation.rate_hz))

    @property
    def span(self) -> tuple[int, int]:
        """The stretch chosen, or else the answer, or else the cue."""
        answer, cue = self.answer, self.presentation.cue
        if self._range is not None:
            return self._range
        onset = cue.onset if answer.onset is None else answer.onset
        offset = cue.offset if answer.offset is None else answer.offset
        return (onset, offset) if onset < offset else (cue.onset, cue.offset)

    # Inside

    def _change(self, label: str, **fields: str | int | None) -> bool:
        with self._spoken():
            changed = replace(self.answer, **fields)  # type: ignore[arg-type]
            return self._give(label, changed)
        return False

    def _give(self, label: str, answer: Answer) -> bool:
        with self._spoken():
            if max(answer.onset or 0, answer.offset or 0) > self.presentation.frames:
                raise InvalidValueError("That would lie after the end of the clip.")
            faults = faults_of_answer(answer, self.presentation, self.look.scheme)
            if faults:
                raise InvalidValueError(faults[0])
            self.history.give(label, answer)
            return True
        return False

    @contextmanager
    def _spoken(self) -> Iterator[None]:
        """Say an error that the user can act on instead of raising it into the event loop."""
        try:
            yield
        except FloorscopeError as error:
            self.said.emit(str(error))
