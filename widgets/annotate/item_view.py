"""One item: its lanes with the band that is asked about, the sound, and the answer beside them.

A view shows one presentation and is thrown away with it, so that neither zoom nor loop nor mix of one item is met again
in another (PROTOCOLS, blindness).
"""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QSplitter, QTabWidget, QVBoxLayout, QWidget

from annotation.study.presentation import Answer
from widgets.annotate.answer_panel import AnswerPanel
from widgets.annotate.checklist import sentence_of
from widgets.annotate.feedback import FeedbackPanel
from widgets.annotate.guidelines import guidelines_browser
from widgets.annotate.session import ItemSession
from widgets.marking.edge import Edge
from widgets.marking.kind_keys import KindKeys, typing
from widgets.marking.look import KindLook
from widgets.theme import Theme
from widgets.timeline.values import Band, EventRow, Lane, Span, TimelineContent, Waveform
from widgets.timeline.view import TimelineView
from widgets.transport.mixer_panel import MixerPanel
from widgets.transport.transport import ChannelMix
from widgets.transport.transport_bar import TransportBar

CUE_LABEL = "here"
ANSWER_SPAN, REFERENCE_SPAN = "answer", "reference"
IN_WORDS = "The answer beside it says the same in words."


class ItemView(QWidget):
    """Shows a session and passes every gesture on to it.

    Parameters
    ----------
    waveforms
        Outline of each voice by its id; a lane without one is drawn empty.
    pans
        Where each voice is heard to begin with, −1 (left) to 1 (right).
    actions
        As for `AnswerPanel`.
    timeline_actions
        Actions whose keys work while the keyboard is in the timeline.
    guidelines
        Markdown; empty where the study has none.
    note
        Why the lead sent the item back; empty where it was not.

    Signals
    -------
    submitted()
        The answer is complete and is to be handed in.
    continued()
        The annotator has seen the reference answer.
    mix_changed(object)
        A tuple of `ChannelMix`.
    """

    submitted = Signal()
    continued = Signal()
    mix_changed = Signal(object)

    def __init__(
        self,
        *,
        session: ItemSession,
        waveforms: Mapping[str, Waveform],
        pans: Sequence[float],
        theme: Theme,
        actions: Mapping[str, QAction],
        timeline_actions: Sequence[QAction],
        transport_bar: TransportBar,
        guidelines: str = "",
        note: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.session = session
        self._waveforms = dict(waveforms)
        self._theme = theme
        self._reference: Answer | None = None
        self._feedback: FeedbackPanel | None = None
        self._active = session.presentation.cue.speaker
        self.timeline = TimelineView(theme=theme)
        self.timeline.set_words(IN_WORDS)
        self.transport_bar = transport_bar
        self.panel = AnswerPanel(session=session, theme=theme, actions=actions, note=note)
        self.mixer = MixerPanel(speakers=self._mixer_rows(), mix=tuple(ChannelMix(pan=pan) for pan in pans))
        self.guidelines = guidelines_browser(guidelines, session.look.scheme)
        for action in timeline_actions:
            self.timeline.addAction(action)
        self._lay_out()
        # Watches every event of the application: not before the hundreds of laying out are over.
        self._kind_keys = KindKeys(
            kinds={kind.key: kind.id for kind in session.look.scheme.kinds},
            owner=self,
            marking=lambda: False,
            position=lambda: session.position,
        )
        self._connect()
        self._show_content()

    # What the page calls

    @property
    def speaker(self) -> str:
        """The id of the active lane."""
        return self._active

    @property
    def showing_feedback(self) -> bool:
        """Whether the reference answer is shown."""
        return self._feedback is not None

    def submit(self) -> None:
        """Ask for the answer to be handed in, or say what is missing and go there; over a reference, go on."""
        if self.showing_feedback:
            self.continued.emit()
            return
        self.commit_pending()
        missing, faults = self.session.missing, self.session.faults
        if missing:
            self.session.said.emit(sentence_of(missing))
            self.panel.focus_part(missing[0])
        elif faults:
            self.session.said.emit(faults[0])
        else:
            self.submitted.emit()

    def commit_pending(self) -> None:
        """Take over what is being typed (a comment, a time): leaving a field does that."""
        self.timeline.setFocus()

    def close_view(self) -> None:
        """Let go of the keyboard and the answer."""
        self._kind_keys.stop()
        self.session.close()

    def show_feedback(self, reference: Answer) -> None:
        """Show the reference answer beside the own one; nothing is changed any more."""
        self._reference = reference
        self.session.history.freeze("This item is handed in.")
        self.panel.set_editable(editable=False)
        self._feedback = FeedbackPanel(
            own=self.session.answer,
            reference=reference,
            look=self.session.look,
            rate_hz=self.session.presentation.rate_hz,
            theme=self._theme,
        )
        self._feedback.continued.connect(self.continued)
        self.panel.put_first(self._feedback)
        self._show_content()
        self._feedback.button.setFocus()

    def set_position(self, frame: int) -> None:
        """Move the cursor, and with it an answer that has an onset only."""
        self.timeline.set_cursor(frame)

    def set_look(self, look: KindLook, theme: Theme) -> None:
        """Repaint in another theme."""
        self._theme = theme
        self.session.look = look
        self.timeline.set_theme(theme)
        self.mixer.set_colours([colour for _, colour in self._mixer_rows()])
        self.panel.set_look(look, theme)
        self._show_content()

    def step_lane(self, by: int) -> None:
        """Make the lane `by` below the active one."""
        ids = [voice.id for voice in self.session.presentation.speakers]
        place = ids.index(self._active) + by
        self._select_lane(ids[max(0, min(place, len(ids) - 1))])

    def toggle(self, *, solo: bool) -> None:
        """Switch solo or mute of the active lane."""
        ids = [voice.id for voice in self.session.presentation.speakers]
        (self.mixer.toggle_solo if solo else self.mixer.toggle_mute)(ids.index(self._active))

    def reveal_cue(self) -> None:
        """Scroll the band into view."""
        cue = self.session.presentation.cue
        self.timeline.reveal(cue.onset, cue.offset)

    def show_guidelines(self) -> None:
        """Show the guidelines and put the keyboard there."""
        self._lower.setCurrentWidget(self.guidelines)
        self.guidelines.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Submit on Enter, wherever the keyboard is but in a text."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not typing():
            self.submit()
        else:
            super().keyPressEvent(event)

    # Building

    def _mixer_rows(self) -> tuple[tuple[str, str], ...]:
        return tuple(
            (voice.name, self._theme.speaker_colour(place))
            for place, voice in enumerate(self.session.presentation.speakers)
        )

    def _lay_out(self) -> None:
        self._lower = QTabWidget()
        self._lower.setDocumentMode(True)
        self._lower.addTab(self.mixer, "Speakers")
        self._lower.addTab(self.guidelines, "Guidelines")
        left = QSplitter(Qt.Orientation.Vertical)
        left.addWidget(self.timeline)
        left.addWidget(self._lower)
        left.setStretchFactor(0, 3)
        left.setStretchFactor(1, 1)
        left.setChildrenCollapsible(False)
        across = QSplitter(Qt.Orientation.Horizontal)
        across.addWidget(left)
        across.addWidget(self.panel)
        across.setStretchFactor(0, 1)
        across.setChildrenCollapsible(False)
        across.setSizes([self.fontMetrics().averageCharWidth() * 130, self.fontMetrics().averageCharWidth() * 52])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.transport_bar)
        column.addWidget(across, 1)

    def _connect(self) -> None:
        session, timeline = self.session, self.timeline
        timeline.cursor_requested.connect(self.transport_bar.seek)
        timeline.lane_selected.connect(self._select_lane)
        timeline.selection_changed.connect(self._on_range)
        timeline.event_edited.connect(self._on_edited)
        timeline.event_activated.connect(lambda _: session.play_span())
        session.answer_changed.connect(lambda _: self._show_answer())
        self.mixer.mix_changed.connect(self.mix_changed)
        self.panel.left.connect(timeline.setFocus)
        self._kind_keys.pressed.connect(self._on_kind)

    # Showing

    def _show_content(self) -> None:
        presentation = self.session.presentation
        lanes = tuple(
            Lane(
                id=voice.id,
                title=voice.name,
                subtitle="" if voice.id in self._waveforms else "no sound",
                colour=self._theme.speaker_colour(place),
                waveform=self._waveforms.get(voice.id),
                rows=self._rows() if voice.id == presentation.cue.speaker else (),
                offset=presentation.frames,
                bands=self._bands() if voice.id == presentation.cue.speaker else (),
            )
            for place, voice in enumerate(presentation.speakers)
        )
        self.timeline.set_content(TimelineContent(presentation.rate_hz, presentation.frames, lanes))
        self._select_lane(self._active)
        self._show_answer()

    def _show_answer(self) -> None:
        answer, cue = self.session.answer, self.session.presentation.cue
        self.timeline.set_rows(cue.speaker, self._rows())
        complete = answer.onset is not None and answer.offset is not None
        edge = answer.onset if answer.onset is not None else answer.offset
        if complete or edge is None:
            self.timeline.set_live_span(None)
        else:
            # With an onset alone it reaches to the cursor, as a mark in progress; an offset alone is a line.
            end = None if answer.offset is None else edge + 1
            self.timeline.set_live_span(cue.speaker, edge, end, self._colour(answer))
        self.timeline.set_selected_event(ANSWER_SPAN if complete else None)

    def _bands(self) -> tuple[Band, ...]:
        cue = self.session.presentation.cue
        return (Band(cue.onset, cue.offset, CUE_LABEL, self._theme.accent),)

    def _rows(self) -> tuple[EventRow, ...]:
        if not self.session.look.scheme.asks_boundaries:
            return ()
        own = EventRow(ANSWER_SPAN, "My answer", self._spans(ANSWER_SPAN, self.session.answer), editable=True)
        if self._reference is None:
            return (own,)
        return own, EventRow(REFERENCE_SPAN, "Reference", self._spans(REFERENCE_SPAN, self._reference))

    def _spans(self, name: str, answer: Answer) -> tuple[Span, ...]:
        if answer.onset is None or answer.offset is None:
            return ()
        look = self.session.look
        label = look.kind_name(answer.kind) if answer.kind else "no kind yet"
        tip = f"{label}, {look.time(answer.onset)} to {look.time(answer.offset)} s"
        letter = look.letter(answer.kind) if answer.kind else "?"
        editable = name == ANSWER_SPAN and not self.session.history.frozen
        return (Span(name, answer.onset, answer.offset, label, letter, self._colour(answer), editable, tip),)

    def _colour(self, answer: Answer) -> str:
        return self.session.look.colour(answer.kind) if answer.kind else self._theme.muted_text

    # Gestures

    def _on_kind(self, kind: str) -> None:
        if not self.showing_feedback:
            self.session.set_kind(kind)

    def _select_lane(self, lane: str) -> None:
        self._active = lane
        self.timeline.set_active_lane(lane)

    def _on_range(self, stretch: tuple[int, int] | None) -> None:
        selection = self.timeline.selection
        if stretch is None or selection is None:
            self.session.forget_range()
        elif not self.session.history.frozen and self.session.drag_over(selection.lane_id, *stretch):
            self.timeline.set_selection(None)

    def _on_edited(self, name: str, onset: int, offset: int, _snapped_to: str) -> None:
        if name == ANSWER_SPAN:
            moved = Edge.BOTH
            if onset == self.session.answer.onset:
                moved = Edge.OFFSET
            elif offset == self.session.answer.offset:
                moved = Edge.ONSET
            self.session.set_edges(onset, offset)
            self.session.select_edge(moved)
