"""One person's labelling of one conversation: what is selected, and what each key does.

The session owns no pixels. It turns intentions (“split”, “a kind key went down”) into steps of the document, and says
in a sentence why something could not be done.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from annotation.audio.snapping import snapped
from annotation.circumstances import Circumstances
from annotation.conversation import Conversation
from annotation.document import Change, Document
from annotation.errors import FloorscopeError
from annotation.events import NOBODY, FloorEvent
from annotation.timebase import frame_from_seconds
from widgets.document_bridge import DocumentBridge
from widgets.labelling import gestures
from widgets.labelling.appearance import Appearance
from widgets.marking.edge import AUDITION_S, Edge
from widgets.timeline.values import Speech
from widgets.transport.transport import Transport

NOTHING_TO_PLAY = "Select an event or drag over a stretch first."
SNAP_REACH_S = 0.2
"""From how far an edge is drawn to speech on request."""


class LabellingSession(QObject):
    """The state of labelling: selected event, active speaker, active edge, selected range, mark in progress.

    Signals
    -------
    event_selected(str)
        The id of the selected event, empty for none.
    speaker_selected(str)
        The active lane.
    edge_selected(str)
        What the nudge keys move.
    mark_changed(object)
        ``(speaker, onset, kind)`` while a kind key is held during play, None afterwards.
    range_cleared()
        The selected stretch was used up or gave way to an event.
    said(str)
        A sentence for the status line.
    document_changed(object)
        A `Change`.
    """

    event_selected = Signal(str)
    speaker_selected = Signal(str)
    edge_selected = Signal(str)
    mark_changed = Signal(object)
    range_cleared = Signal()
    said = Signal(str)
    document_changed = Signal(object)

    def __init__(
        self,
        *,
        conversation: Conversation,
        document: Document,
        appearance: Appearance,
        transport: Transport,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.conversation = conversation
        self.document = document
        self.appearance = appearance
        self._transport = transport
        self._selected = ""
        self._speaker = conversation.channels[0].speaker if conversation.channels else ""
        self._edge = Edge.OFFSET
        self._range: tuple[int, int] | None = None
        self._mark: tuple[str, int, str] | None = None
        self._last: Change | None = None
        self._marked_under: Circumstances | None = None
        self._snapped_to = ""
        self.speech: Mapping[str, Speech] = {}
        """Where a model hears speech, by speaker, as far as that is shown."""
        self._bridge = DocumentBridge(document=document, parent=self)
        self._bridge.changed.connect(self._on_change)
        document.tell_circumstances_by(self._circumstances)

    def close(self) -> None:
        """Stop listening to the document."""
        self._bridge.close()

    # What is selected

    @property
    def selected(self) -> FloorEvent | None:
        """The selected event as it stands."""
        return self.document.get(self._selected)

    @property
    def speaker(self) -> str:
        """The id of the active speaker."""
        return self._speaker

    @property
    def edge(self) -> Edge:
        """What the nudge keys move."""
        return self._edge

    @property
    def range(self) -> tuple[int, int] | None:
        """The selected stretch of the timeline, if any."""
        return self._range

    @property
    def position(self) -> int:
        """The frame heard now, or where the cursor rests."""
        return self._transport.position

    @property
    def mark(self) -> tuple[str, int, str] | None:
        """Speaker, onset and kind of the mark in progress, if any."""
        return self._mark

    def select_event(self, event_id: str) -> None:
        """Select an event of the document (empty: none); its speaker becomes the active one."""
        event = self.document.get(event_id)
        self._selected = event.id if event else ""
        if event:
            self.select_speaker(event.speaker)
            if self._range is not None:
                self._range = None
                self.range_cleared.emit()
        self.event_selected.emit(self._selected)

    def select_speaker(self, speaker: str) -> None:
        """Make a speaker's lane the active one."""
        if speaker != self._speaker and any(c.speaker == speaker for c in self.conversation.channels):
            self._speaker = speaker
            self.speaker_selected.emit(speaker)

    def select_range(self, onset: int, offset: int) -> None:
        """Select a stretch of the timeline; an empty one selects nothing."""
        self._range = (onset, offset) if onset < offset else None

    def step_speaker(self, by: int) -> None:
        """Make the lane `by` below the active one."""
        speakers = [channel.speaker for channel in self.conversation.channels]
        if speakers:
            place = speakers.index(self._speaker) + by
            self.select_speaker(speakers[max(0, min(place, len(speakers) - 1))])

    def step_event(self, *, forward: bool) -> None:
        """Select the next or previous event and move the cursor to its onset."""
        event = gestures.step(self.document, self.selected, self._transport.position, forward=forward)
        if event is None:
            self.said.emit("There is no event after this." if forward else "There is no event before this.")
            return
        self.select_event(event.id)
        self._transport.seek(event.onset)

    def cycle_edge(self) -> None:
        """Let the nudge keys move the next of: onset, offset, whole event."""
        self._edge = self._edge.next()
        self.edge_selected.emit(self._edge.value)
        self.said.emit(f"The nudge keys move the {self._edge.value}.")

    # Marking

    def press_kind(self, kind: str) -> None:
        """Do what a kind's key means now.

        While playing it begins a mark on the active lane. At rest it gives the selected event that kind, or else
        turns the selected range into an event.
        """
        if self._transport.playing:
            if self._mark is None:
                self._mark = (self._speaker, self._transport.position, kind)
                self._marked_under = self._transport.circumstances()
                self.mark_changed.emit(self._mark)
            return
        event = self.selected
        if event is not None:
            self.set_kind(kind)
        elif self._range is not None:
            self._add(self._speaker, kind, *self._range)
        else:
            self.said.emit("Play and hold the key while the event lasts, or drag over a stretch of the lane first.")

    def release_kind(self, kind: str, frame: int) -> None:
        """End, at the frame of the release, the mark that the kind's key began."""
        if self._mark is None or self._mark[2] != kind:
            return
        speaker, onset, _ = self._mark
        self._mark = None
        self.mark_changed.emit(None)
        self._add(speaker, kind, onset, frame)
        self._marked_under = None

    def abandon_mark(self) -> None:
        """Drop a mark in progress (the window lost the keyboard)."""
        if self._mark is not None:
            self._mark = self._marked_under = None
            self.mark_changed.emit(None)
            self.said.emit("The mark was dropped: the window lost the keyboard.")

    def _add(self, speaker: str, kind: str, onset: int, offset: int) -> None:
        name = self.appearance.kind_name(kind)
        if not speaker:
            self.said.emit("There is no lane to mark on.")
            return
        with self._spoken():
            event = FloorEvent(speaker=speaker, kind=kind, onset=onset, offset=max(onset, offset))
            gestures.mark(self.document, event, kind_name=name, frames=self.conversation.frames)
            self.select_event(event.id)

    # Changing the selected event

    def set_kind(self, kind: str) -> None:
        """Give the selected event another kind."""
        event = self._require_selected()
        if event and event.kind != kind:
            self._change(
                event, f"Kind {self._name(event).lower()} → {self.appearance.kind_name(kind).lower()}", kind=kind
            )

    def set_speaker(self, speaker: str) -> None:
        """Move the selected event to another speaker's lane."""
        event = self._require_selected()
        if event and event.speaker != speaker:
            names = self.appearance.speaker_name
            self._change(event, f"Speaker {names(event.speaker)} → {names(speaker)}", speaker=speaker)
            self.select_speaker(speaker)

    def comment_on(self, event_id: str, comment: str) -> None:
        """Set the comment of an event, whichever is selected."""
        event = self.document.get(event_id)
        if event and event.comment != comment:
            self._change(event, f"Comment on {self._name(event).lower()}", comment=comment)

    def set_holder(self, which: str, holder: str | None) -> None:
        """Set who holds the floor ``before`` or ``after`` the selected event; None takes the answer back."""
        event = self._require_selected()
        field = "holder_before" if which == "before" else "holder_after"
        if event and getattr(event, field) != holder:
            self._change(event, f"Holder {which}: {self.appearance.holder_name(holder)}", **{field: holder})

    def set_holder_by_number(self, which: str, number: int) -> None:
        """Set a holder by the number of the lane from 1; 0 is nobody."""
        channels = self.conversation.channels
        if number > len(channels):
            self.said.emit(f"There is no speaker {number}.")
            return
        self.set_holder(which, NOBODY if number == 0 else channels[number - 1].speaker)

    def set_edges(self, event_id: str, onset: int, offset: int, snapped_to: str = "") -> None:
        """Move an event's edges, as a drag or a typed time asks.

        Parameters
        ----------
        snapped_to
            What the moved edge was drawn to and lies on (``speech silero-6.2.3``); it is kept with the step.
        """
        event = self.document.get(event_id)
        if event is None or (event.onset, event.offset) == (onset, offset):
            return
        self._snapped_to = snapped_to
        try:
            with self._spoken():
                gestures.set_edges(
                    self.document,
                    event,
                    onset,
                    offset,
                    kind_name=self._name(event),
                    rate_hz=self.conversation.rate_hz,
                    frames=self.conversation.frames,
                    snapped_to=snapped_to,
                )
        finally:
            self._snapped_to = ""

    def snap(self) -> None:
        """Move each edge of the selected event to the boundary of speech beside it, where one is near."""
        event = self._require_selected()
        if event is None:
            return
        speech = self.speech.get(event.speaker)
        if speech is None or not speech.name:
            self.said.emit("Show the speech activity first; then edges can be snapped to it.")
            return
        reach = round(SNAP_REACH_S * self.conversation.rate_hz)
        onset = snapped(event.onset, "onset", speech.onsets, speech.offsets, reach)
        offset = snapped(event.offset, "offset", speech.onsets, speech.offsets, reach)
        if onset is None and offset is None:
            self.said.emit(f"No speech begins or ends within {SNAP_REACH_S:g} s of the event's edges.")
            return
        edges = (event.onset if onset is None else onset, event.offset if offset is None else offset)
        if edges == (event.onset, event.offset):
            self.said.emit("The edges lie where speech begins and ends already.")
        self.set_edges(event.id, *edges, speech.name)

    def set_edge_to_cursor(self, edge: Edge) -> None:
        """Move the onset or offset of the selected event to the cursor."""
        event = self._require_selected()
        if event:
            here = self._transport.position
            onset, offset = (here, event.offset) if edge is Edge.ONSET else (event.onset, here)
            self.set_edges(event.id, onset, offset)

    def nudge(self, milliseconds: int) -> None:
        """Move the active edge of the selected event."""
        event = self._require_selected()
        if event:
            with self._spoken():
                gestures.nudge(
                    self.document,
                    event,
                    self._edge,
                    frame_from_seconds(str(milliseconds / 1000), self.conversation.rate_hz),
                    kind_name=self._name(event),
                    rate_hz=self.conversation.rate_hz,
                    frames=self.conversation.frames,
                )

    def split(self) -> None:
        """Cut the selected event at the cursor."""
        event = self._require_selected()
        if event:
            with self._spoken():
                _, second = gestures.split(self.document, event, self._transport.position, kind_name=self._name(event))
                self.select_event(second.id)

    def merge(self) -> None:
        """Join the selected event with the next one on its lane."""
        event = self._require_selected()
        if event is None:
            return
        other = gestures.following(self.document, event)
        if other is None:
            self.said.emit("There is no later event on this lane to merge with.")
            return
        with self._spoken():
            joined = gestures.merge(self.document, event, other, kind_name=self._name(event))
            self.select_event(joined.id)
            if other.kind != event.kind:
                self.said.emit(
                    f"Merged into one {self._name(event).lower()}; the {self._name(other).lower()} is part of it."
                )

    def delete(self) -> None:
        """Remove the selected event and select its neighbour."""
        event = self._require_selected()
        if event:
            neighbour = gestures.step(self.document, event, event.onset, forward=True)
            with self._spoken():
                gestures.delete(self.document, event, kind_name=self._name(event))
                self.select_event(neighbour.id if neighbour else "")

    def undo(self) -> None:
        """Take back the last step of this document."""
        with self._spoken():
            label = self.document.undo()
            self._select_what_came_back(label)
            self.said.emit(f"Undone: {label}" if label else "There is nothing to undo here.")

    def redo(self) -> None:
        """Bring back the step undone last."""
        with self._spoken():
            label = self.document.redo()
            self._select_what_came_back(label)
            self.said.emit(f"Redone: {label}" if label else "There is nothing to redo here.")

    def _select_what_came_back(self, label: str | None) -> None:
        if label is not None and self._last is not None and self._last.added:
            self.select_event(self._last.added[-1].id)

    # Listening

    def play_selection(self) -> None:
        """Play the selected range, or else the selected event."""
        span = self._span()
        if span is None:
            self.said.emit(NOTHING_TO_PLAY)
        else:
            self._transport.play(*span)

    def play_end(self) -> None:
        """Play the last second before the end edge of the selection."""
        span = self._span()
        if span is None:
            self.said.emit(NOTHING_TO_PLAY)
        else:
            onset, offset = span
            self._transport.play(max(onset, offset - AUDITION_S * self.conversation.rate_hz), offset)

    def play_onset(self) -> None:
        """Play the first second from the onset of the selection."""
        span = self._span()
        if span is None:
            self.said.emit(NOTHING_TO_PLAY)
        else:
            onset, offset = span
            self._transport.play(onset, min(offset, onset + AUDITION_S * self.conversation.rate_hz))

    def _span(self) -> tuple[int, int] | None:
        event = self.selected
        if self._range is not None:
            return self._range
        return (event.onset, event.offset) if event and event.length else None

    # Inside

    def _name(self, event: FloorEvent) -> str:
        return self.appearance.kind_name(event.kind)

    def _circumstances(self) -> Circumstances:
        """Return how the step being made came about; a mark is placed by what was heard at its onset."""
        return replace(self._marked_under or self._transport.circumstances(), snapped_to=self._snapped_to)

    def _require_selected(self) -> FloorEvent | None:
        event = self.selected
        if event is None:
            self.said.emit("Select an event first.")
        return event

    def _change(self, event: FloorEvent, label: str, **fields: str | int | None) -> None:
        with self._spoken():
            gestures.change(self.document, event, label, **fields)

    @contextmanager
    def _spoken(self) -> Iterator[None]:
        """Say an error that the user can act on instead of raising it into the event loop."""
        try:
            yield
        except FloorscopeError as error:
            self.said.emit(str(error))

    def _on_change(self, change: Change) -> None:
        self._last = change
        self.document_changed.emit(change)
        if self._selected and self._selected not in self.document:
            self.select_event("")
