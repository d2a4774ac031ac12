"""The page on which one conversation is labelled: lanes, kinds, table, inspector, speakers, sound."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QByteArray, QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLabel,
    QScrollArea,
    QSplitter,
    QTableView,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from annotation.conversation import Channel
from annotation.document import Change
from annotation.events import FloorEvent
from annotation.sources import EventSource
from widgets.labelling.appearance import Appearance
from widgets.labelling.event_table import COMMENT_COLUMN, SPEAKER_COLUMN, EventTableModel
from widgets.labelling.inspector import Inspector
from widgets.labelling.session import LabellingSession
from widgets.marking.kind_bar import KindBar
from widgets.marking.kind_keys import KindKeys
from widgets.theme import Theme
from widgets.timeline.overview import Overview
from widgets.timeline.values import EventRow, Lane, Spectrogram, Speech, TimelineContent, Waveform
from widgets.timeline.view import TimelineView
from widgets.transport.mixer_panel import MixerPanel
from widgets.transport.transport import ChannelMix
from widgets.transport.transport_bar import TransportBar

OWN_ROW = "own"
HOLD = (
    "While playing: hold the key as long as the event lasts. At rest: gives the selected event this kind, "
    "or marks the selected stretch."
)


class LabellingView(QWidget):
    """Shows a `LabellingSession` with its reference sources and passes every gesture on to it.

    Parameters
    ----------
    sources
        Reference and imported events, shown in rows of their own and never edited.
    waveforms
        Outline of each speaker's sound by speaker id; a lane without one is drawn empty.
    pans
        Where each speaker is heard to begin with, −1 (left) to 1 (right).
    timeline_actions
        Actions whose keys work while the keyboard is in the timeline.
    """

    mix_changed = Signal(object)

    def __init__(
        self,
        *,
        session: LabellingSession,
        sources: Sequence[EventSource],
        waveforms: Mapping[str, Waveform],
        pans: Sequence[float],
        theme: Theme,
        timeline_actions: Sequence[QAction],
        transport_bar: TransportBar,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.session = session
        self._sources = tuple(sources)
        self._waveforms = dict(waveforms)
        self._spectrograms: Mapping[str, Spectrogram] = {}
        self._theme = theme
        self._following = False
        self._fixed_rows: dict[str, tuple[EventRow, ...]] = {}
        self.timeline = TimelineView(theme=theme)
        self.overview = Overview(theme=theme)
        self.kind_bar = KindBar(kinds=session.appearance.scheme.kinds, colour=session.appearance.colour, usage=HOLD)
        self.inspector = Inspector(session=session)
        self.transport_bar = transport_bar
        self.mixer = MixerPanel(speakers=self._mixer_rows(), mix=tuple(ChannelMix(pan=pan) for pan in pans))
        self._models = self._build_models()
        self.table = self._build_table()
        self._source_box = self._build_source_box()
        for action in timeline_actions:
            self.timeline.addAction(action)
        self._kind_keys = KindKeys(
            kinds={kind.key: kind.id for kind in session.appearance.scheme.kinds},
            owner=self,
            marking=lambda: session.mark is not None,
            position=lambda: session.position,
        )
        self._lay_out()
        self._connect()
        self._show_content()

    # What the window calls

    def commit_pending(self) -> None:
        """Take over what is being typed (a comment, a time): leaving a field does that."""
        self.timeline.setFocus()

    def close_session(self) -> None:
        """Let go of the keyboard and the document."""
        self._kind_keys.stop()
        self.session.close()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._theme = theme
        self.timeline.set_theme(theme)
        self.overview.set_theme(theme)
        self.mixer.set_colours([colour for _, colour in self._mixer_rows()])

    def set_appearance(self, appearance: Appearance) -> None:
        """Show other names or colours of the same events."""
        self.session.appearance = appearance
        self._fixed_rows.clear()
        self.kind_bar.set_colours(appearance.colour)
        self.inspector.set_appearance(appearance)
        for model in self._models.values():
            model.set_appearance(appearance)
        self._show_content()
        self._on_event_selected(self.session.selected.id if self.session.selected else "")

    def set_waveform(self, speaker: str, waveform: Waveform) -> None:
        """Show a finer outline of one speaker's sound."""
        self._waveforms[speaker] = waveform
        self._show_content()

    def set_spectrograms(self, spectrograms: Mapping[str, Spectrogram]) -> None:
        """Show spectrograms on the lanes of these speakers and on no other."""
        self._spectrograms = dict(spectrograms)
        self._show_content()

    def set_speech(self, speech: Mapping[str, Speech]) -> None:
        """Show speech activity on the lanes of these speakers and on no other; edges can be snapped to it."""
        self.session.speech = dict(speech)
        self._show_content()

    def set_position(self, frame: int, *, playing: bool) -> None:
        """Move the cursor, and with it the end of a mark in progress."""
        self.timeline.set_cursor(frame)
        self.overview.set_cursor(frame)
        mark = self.session.mark
        if mark is not None and playing:
            self.timeline.set_live_span(mark[0], mark[1], frame, self.session.appearance.colour(mark[2]))

    def state(self) -> str:
        """Return the sizes of the parts, for the next start."""
        return (
            bytes(self._outer.saveState().toBase64().data()).decode()
            + " "
            + bytes(self._lower.saveState().toBase64().data()).decode()
        )

    def restore(self, state: str) -> None:
        """Take sizes returned by `state`."""
        for splitter, text in zip((self._outer, self._lower), state.split(), strict=False):
            splitter.restoreState(QByteArray.fromBase64(text.encode()))

    def zoom_to_selection(self) -> None:
        """Show the selected stretch, or else the selected event."""
        event = self.session.selected
        if self.session.range is None and event is not None:
            margin = max(event.length // 4, self.session.conversation.rate_hz // 10)
            self.timeline.zoom_to(event.onset - margin, event.offset + margin)
        else:
            self.timeline.zoom_to_selection()

    # Building

    def _mixer_rows(self) -> tuple[tuple[str, str], ...]:
        return tuple(
            (channel.display_name, self._theme.speaker_colour(place))
            for place, channel in enumerate(self.session.conversation.channels)
        )

    def _build_models(self) -> dict[str, EventTableModel]:
        look = self.session.appearance
        models = {
            OWN_ROW: EventTableModel(
                events=self.session.document, appearance=look, comment=self.session.comment_on, parent=self
            )
        }
        for source in self._sources:
            models[_row_id(source)] = EventTableModel(events=source.events, appearance=look, parent=self)
        return models

    def _build_table(self) -> QTableView:
        table = QTableView()
        table.setModel(self._models[OWN_ROW])
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(
            QAbstractItemView.EditTrigger.EditKeyPressed | QAbstractItemView.EditTrigger.DoubleClicked
        )
        table.setTabKeyNavigation(False)
        table.setShowGrid(False)
        table.setAlternatingRowColors(True)
        table.setAccessibleName("Events")
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(round(self.fontMetrics().height() * 1.5))
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(COMMENT_COLUMN, QHeaderView.ResizeMode.Stretch)
        unit = self.fontMetrics().averageCharWidth()
        for column, width in enumerate((4, 19, 12, 12, 12, 13, 11, 11)):
            header.resizeSection(column, unit * width)
        names = (channel.display_name for channel in self.session.conversation.channels)
        longest = max((self.fontMetrics().horizontalAdvance(f"{name}000") for name in names), default=0)
        header.resizeSection(SPEAKER_COLUMN, max(header.sectionSize(SPEAKER_COLUMN), min(longest, unit * 30)))
        return table

    def _build_source_box(self) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName("Whose events the table shows")
        box.addItem("My labels", OWN_ROW)
        for source in self._sources:
            box.addItem(f"{source.name} ({source.role.value}, {len(source.events)})", _row_id(source))
        box.activated.connect(lambda _: self._show_source(box.currentData()))
        if not self._sources:
            box.hide()
        return box

    def _lay_out(self) -> None:
        upper = QWidget()
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.overview)
        column.addWidget(self.timeline, 1)
        column.addWidget(self.kind_bar)
        self._table_hint = QLabel("No labels yet. They appear here as you mark them.")
        self._table_hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._table_hint.setWordWrap(True)
        left = QWidget()
        rows = QVBoxLayout(left)
        rows.setContentsMargins(8, 4, 4, 6)
        rows.setSpacing(4)
        rows.addWidget(self._source_box, 0, Qt.AlignmentFlag.AlignLeft)
        rows.addWidget(self._table_hint, 1)
        rows.addWidget(self.table, 1)
        tabs = QTabWidget()
        tabs.setDocumentMode(True)
        for widget, title in ((self.inspector, "Event"), (self.mixer, "Speakers")):
            area = QScrollArea()
            area.setWidgetResizable(True)
            area.setFrameShape(QScrollArea.Shape.NoFrame)
            area.setWidget(widget)
            tabs.addTab(area, title)
        self.tabs = tabs
        self._lower = QSplitter(Qt.Orientation.Horizontal)
        self._lower.addWidget(left)
        self._lower.addWidget(tabs)
        self._lower.setStretchFactor(0, 3)
        self._lower.setStretchFactor(1, 2)
        self._lower.setChildrenCollapsible(False)
        self._outer = QSplitter(Qt.Orientation.Vertical)
        self._outer.addWidget(upper)
        self._outer.addWidget(self._lower)
        self._outer.setStretchFactor(0, 3)
        self._outer.setStretchFactor(1, 2)
        self._outer.setChildrenCollapsible(False)
        page = QVBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(0)
        page.addWidget(self.transport_bar)
        page.addWidget(self._outer, 1)
        self._show_hint()

    def _connect(self) -> None:
        session, timeline = self.session, self.timeline
        timeline.cursor_requested.connect(self.transport_bar.seek)
        timeline.event_selected.connect(self._on_event_clicked)
        timeline.event_activated.connect(self._on_event_activated)
        timeline.event_edited.connect(session.set_edges)
        timeline.lane_selected.connect(session.select_speaker)
        timeline.selection_changed.connect(self._on_range)
        timeline.range_changed.connect(self.overview.set_visible_range)
        self.overview.range_requested.connect(timeline.zoom_to)
        self.kind_bar.pressed.connect(session.press_kind)
        self.kind_bar.released.connect(lambda kind: session.release_kind(kind, session.position))
        session.event_selected.connect(self._on_event_selected)
        session.speaker_selected.connect(timeline.set_active_lane)
        session.mark_changed.connect(self._on_mark)
        session.document_changed.connect(self._on_document)
        self.table.selectionModel().currentRowChanged.connect(self._on_table_row)
        self.table.doubleClicked.connect(lambda _: self.zoom_to_selection())
        self.mixer.mix_changed.connect(self.mix_changed)
        session.range_cleared.connect(lambda: timeline.set_selection(None))
        self._kind_keys.pressed.connect(session.press_kind)
        self._kind_keys.released.connect(session.release_kind)
        self._kind_keys.abandoned.connect(session.abandon_mark)
        self.inspector.left.connect(timeline.setFocus)

    # Showing

    def _show_content(self) -> None:
        conversation = self.session.conversation
        lanes = tuple(self._lane(place, channel) for place, channel in enumerate(conversation.channels))
        content = TimelineContent(conversation.rate_hz, conversation.frames, lanes)
        self.timeline.set_content(content)
        self.overview.set_content(content)
        self.timeline.set_active_lane(self.session.speaker)

    def _lane(self, place: int, channel: Channel) -> Lane:
        return Lane(
            id=channel.speaker,
            title=channel.display_name,
            subtitle=f"{channel.rate_hz / 1000:g} kHz" if channel.path else "no audio",
            colour=self._theme.speaker_colour(place),
            waveform=self._waveforms.get(channel.speaker),
            rows=self._rows(channel.speaker),
            onset=channel.start_frame,
            offset=channel.end_frame(self.session.conversation.rate_hz),
            spectrogram=self._spectrograms.get(channel.speaker),
            speech=self.session.speech.get(channel.speaker),
        )

    def _rows(self, speaker: str) -> tuple[EventRow, ...]:
        look = self.session.appearance
        own = look.spans((e for e in self.session.document if e.speaker == speaker), editable=True)
        return (EventRow(OWN_ROW, "My labels", own, editable=True), *self._source_rows(speaker))

    def _source_rows(self, speaker: str) -> tuple[EventRow, ...]:
        """Return the rows that no gesture changes; they are made once per appearance."""
        if speaker not in self._fixed_rows:
            look = self.session.appearance
            self._fixed_rows[speaker] = tuple(
                EventRow(_row_id(s), s.name, look.spans((e for e in s.events if e.speaker == speaker), editable=False))
                for s in self._sources
            )
        return self._fixed_rows[speaker]

    def _show_source(self, name: str) -> None:
        self.table.setModel(self._models[name])
        self.table.selectionModel().currentRowChanged.connect(self._on_table_row)
        self._show_hint()

    def _show_hint(self) -> None:
        rows = self.table.model().rowCount()
        self.table.setVisible(rows > 0)
        self._table_hint.setVisible(rows == 0)

    # Following the session

    def _on_document(self, change: Change) -> None:
        # Qt makes a neighbour current when the current row moves; that is not a choice of the user's.
        self._following = True
        try:
            self._models[OWN_ROW].apply(change)
        finally:
            self._following = False
        for speaker in {event.speaker for event in (*change.added, *change.removed)}:
            self.timeline.set_rows(speaker, self._rows(speaker))
        self._show_hint()
        self._on_event_selected(self.session.selected.id if self.session.selected else "")

    def _on_event_selected(self, event_id: str) -> None:
        self.timeline.set_selected_event(event_id or None)
        event = self.session.selected
        if event is not None:
            self.timeline.reveal(event.onset, event.offset)
        if self.table.model() is self._models[OWN_ROW]:
            selection = self.table.selectionModel()
            row = self._models[OWN_ROW].row_of(event_id)
            if row < 0:
                selection.clear()
            elif row != selection.currentIndex().row() or not selection.isRowSelected(row):
                flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
                selection.setCurrentIndex(self._models[OWN_ROW].index(row, 1), flags)
                self.table.scrollTo(self._models[OWN_ROW].index(row, 1))

    def _on_mark(self, mark: object) -> None:
        self.kind_bar.set_held(self.session.mark[2] if self.session.mark else "")
        if mark is None:
            self.timeline.set_live_span(None)

    # Gestures

    def _on_event_clicked(self, event_id: str) -> None:
        if event_id in self.session.document:
            self.session.select_event(event_id)
            return
        reference = self._reference(event_id)
        if reference is not None:
            self.session.select_event("")
            self.session.said.emit(f"Reference: {self.session.appearance.sentence(reference)}")

    def _on_event_activated(self, event_id: str) -> None:
        self._on_event_clicked(event_id)
        event = self.session.document.get(event_id) or self._reference(event_id)
        if event is not None:
            self.transport_bar.play(event.onset, event.offset)

    def _reference(self, event_id: str) -> FloorEvent | None:
        return next((e for s in self._sources for e in s.events if e.id == event_id), None)

    def _on_range(self, stretch: tuple[int, int] | None) -> None:
        if stretch is None:
            self.session.select_range(0, 0)
        else:
            self.session.select_event("")
            self.session.select_range(*stretch)

    def _on_table_row(self, index: object) -> None:
        if self._following:
            return
        model = self.table.model()
        event = model.event_at(index.row()) if isinstance(model, EventTableModel) else None  # type: ignore[attr-defined]
        if event is None:
            return
        if model is self._models[OWN_ROW]:
            if event != self.session.selected:
                self.session.select_event(event.id)
        else:
            self.session.select_event("")
            self.timeline.set_selected_event(event.id)
            self.timeline.reveal(event.onset, event.offset)


def _row_id(source: EventSource) -> str:
    """Return what tells a source's row from others; no name of a file can make it that of the own row."""
    return f"{source.role.value}:{source.name}"
