"""The selected event, field by field: kind, speaker, edges, who holds the floor, comment."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QLabel, QWidget

from annotation.errors import InvalidValueError
from annotation.events import NOBODY, FloorEvent
from annotation.timebase import frame_from_seconds
from widgets.labelling.appearance import Appearance
from widgets.labelling.session import LabellingSession
from widgets.marking.edge import Edge
from widgets.marking.fields import CommentField, TimeField

NOT_GIVEN = "not given"


class Inspector(QWidget):
    """Shows and changes the selected event of a session; `left` is emitted when a typed time was taken over."""

    left = Signal()

    def __init__(self, *, session: LabellingSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._event: FloorEvent | None = None
        look = session.appearance
        self._kind = self._chooser("Kind", [(kind.name, kind.id) for kind in look.scheme.kinds])
        lanes = [(channel.display_name, channel.speaker) for channel in session.conversation.channels]
        holders = [(NOT_GIVEN, None), ("nobody", NOBODY), *lanes]
        self._speaker = self._chooser("Speaker", lanes)
        self._before = self._chooser("Floor holder before", holders)
        self._after = self._chooser("Floor holder after", holders)
        self._onset = self._time_field("Onset in seconds")
        self._offset = self._time_field("Offset in seconds")
        self._comment = CommentField(commit=self._on_comment)
        self._comment.setMinimumHeight(self.fontMetrics().height() * 2)
        self._hint = QLabel()
        self._hint.setWordWrap(True)
        self._edge_labels = {Edge.ONSET: QLabel("Onset"), Edge.OFFSET: QLabel("Offset")}
        self._lay_out()
        self._connect()
        self.show_event("")

    def focus_comment(self) -> None:
        """Put the keyboard into the comment."""
        if self._event is not None:
            self._comment.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self._comment.selectAll()

    def refresh(self) -> None:
        """Follow a document that takes edits again, or takes none."""
        if self._event is not None and self._kind.isEnabled() == bool(self._session.document.frozen):
            self.show_event(self._event.id)

    def set_appearance(self, appearance: Appearance) -> None:
        """Show speakers by their present names."""
        for box in (self._speaker, self._before, self._after):
            for row in range(box.count()):
                value = box.itemData(row)
                if value not in (None, NOBODY):
                    box.setItemText(row, appearance.speaker_name(value))

    def show_event(self, event_id: str) -> None:
        """Show an event of the document; empty shows what to do to get one."""
        writing = self._comment.hasFocus()
        stays = self._event is not None and self._event.id == event_id
        if writing and not stays:
            self._on_comment(self._comment.toPlainText())
        self._event = event = self._session.document.get(event_id)
        editors = (self._kind, self._speaker, self._before, self._after, self._onset, self._offset, self._comment)
        for editor in editors:
            editor.setEnabled(event is not None and not self._session.document.frozen)
        self._hint.setVisible(event is None)
        if event is None:
            self._hint.setText(
                "No event selected. Play and hold a kind key while it lasts, "
                "or drag over a stretch of a lane and press the key."
            )
        look = self._session.appearance
        self._put(self._kind, event.kind if event else None)
        self._put(self._speaker, event.speaker if event else None)
        self._put(self._before, event.holder_before if event else None)
        self._put(self._after, event.holder_after if event else None)
        self._onset.setText(look.time(event.onset) if event else "")
        self._offset.setText(look.time(event.offset) if event else "")
        if not (writing and stays):
            self._comment.setPlainText(event.comment if event else "")

    def show_edge(self, edge: str) -> None:
        """Mark which edge the nudge keys move."""
        for own, label in self._edge_labels.items():
            active = edge in (own.value, Edge.BOTH.value)
            label.setText(f"{own.value.capitalize()} {'◂' if active else ''}".strip())
            label.setAccessibleDescription("the nudge keys move this edge" if active else "")

    # Inside

    def _chooser(self, name: str, items: "list[tuple[str, str | None]] | list[tuple[str, str]]") -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(8)
        for text, value in items:
            box.addItem(text, value)
        return box

    def _time_field(self, name: str) -> TimeField:
        field = TimeField(name=name)
        field.returnPressed.connect(self.left)
        return field

    def _lay_out(self) -> None:
        form = QFormLayout(self)
        form.setContentsMargins(10, 8, 10, 8)
        form.setVerticalSpacing(5)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(self._hint)
        form.addRow("Kind", self._kind)
        form.addRow("Speaker", self._speaker)
        form.addRow(self._edge_labels[Edge.ONSET], self._onset)
        form.addRow(self._edge_labels[Edge.OFFSET], self._offset)
        form.addRow("Holder before", self._before)
        form.addRow("Holder after", self._after)
        form.addRow("Comment", self._comment)
        self.show_edge(self._session.edge.value)

    def _connect(self) -> None:
        session = self._session
        self._kind.activated.connect(lambda _: session.set_kind(self._kind.currentData()))
        self._speaker.activated.connect(lambda _: session.set_speaker(self._speaker.currentData()))
        self._before.activated.connect(lambda _: session.set_holder("before", self._before.currentData()))
        self._after.activated.connect(lambda _: session.set_holder("after", self._after.currentData()))
        self._onset.editingFinished.connect(self._on_times)
        self._offset.editingFinished.connect(self._on_times)
        session.event_selected.connect(self.show_event)
        session.edge_selected.connect(self.show_edge)
        session.document_changed.connect(lambda _: self._on_document())

    def _put(self, box: QComboBox, value: str | None) -> None:
        with QSignalBlocker(box):
            row = box.findData(value)
            if row < 0 and value is not None:
                box.addItem(value, value)
                row = box.count() - 1
            box.setCurrentIndex(row)

    def _on_document(self) -> None:
        if self._event is not None and self._session.document.get(self._event.id) != self._event:
            self.show_event(self._event.id)

    def _on_times(self) -> None:
        event = self._event
        look = self._session.appearance
        if event is None:
            return
        edges = []
        for field, frame in ((self._onset, event.onset), (self._offset, event.offset)):
            if field.text() == look.time(frame):
                edges.append(frame)
                continue
            try:
                edges.append(
                    frame_from_seconds(field.text().strip().replace(",", "."), self._session.conversation.rate_hz)
                )
            except InvalidValueError as error:
                self._session.said.emit(str(error))
                edges.append(frame)
        self._session.set_edges(event.id, edges[0], edges[1])
        self.show_event(event.id)

    def _on_comment(self, text: str) -> None:
        if self._event is not None and not self._session.document.frozen:
            self._session.comment_on(self._event.id, text)
