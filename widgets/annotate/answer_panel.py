"""The answer to one presentation as a form: everything that the lanes show of it, in words and within reach of Tab."""

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QKeyCombination, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from annotation.events import NOBODY
from annotation.study.presentation import HIGHEST_CONFIDENCE, LONGEST_COMMENT, Answer
from widgets.annotate.checklist import Checklist
from widgets.annotate.session import ItemSession
from widgets.marking.edge import Edge
from widgets.marking.fields import CommentField, LineField, TimeField
from widgets.marking.kind_bar import KindBar
from widgets.marking.look import KindLook
from widgets.theme import Theme

NOT_GIVEN = "not given"
REASONS = (
    "The sound is too unclear.",
    "The clip ends too soon to tell.",
    "Several kinds fit equally well.",
    "Nothing happens inside the band.",
)
KIND_USE = "At rest or while it plays; nothing has to be held."
CONFIDENCES = ("a guess", "unsure", "fairly sure", "sure", "certain")
_PARTS = {"the kind": "kind", "who holds the floor before": "before", "who holds the floor after": "after"}


class AnswerPanel(QWidget):
    """Shows and changes the answer of a session.

    Parameters
    ----------
    actions
        By id: ``event.onset_here``, ``event.offset_here``, ``play.onset``, ``play.end``, ``study.cannot_tell`` and
        ``study.submit``, whose tooltips name their keys.
    note
        Why the lead sent the item back; empty where it was not.

    Signals
    -------
    left()
        A typed time was taken over.
    """

    left = Signal()

    def __init__(
        self,
        *,
        session: ItemSession,
        theme: Theme,
        actions: Mapping[str, QAction],
        note: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._actions = actions
        look = session.look
        self._kinds = KindBar(kinds=look.scheme.kinds, colour=look.colour, usage=KIND_USE, reachable=True)
        self._cannot = self._button("study.cannot_tell", "Cannot tell…")
        self._reason = LineField()
        self._holders = {which: self._holder_box(which) for which in ("before", "after")}
        self._edges = {edge: TimeField(name=f"{edge.value.capitalize()} in seconds") for edge in _BOTH}
        self._edge_labels = {edge: QLabel() for edge in _BOTH}
        self._confidence = QButtonGroup(self)
        self._comment = CommentField(commit=self._on_comment)
        self.checklist = Checklist(theme=theme)
        self.submit_button = QPushButton("Submit")
        self._note = QLabel(f"The lead of the study sent this item back: “{note}”")
        self._note.setVisible(bool(note))
        self._lay_out()
        for button in self.findChildren(QAbstractButton):
            button.installEventFilter(self)
        self._connect()
        self.show_edge(session.edge.value)
        self.show_answer(session.answer)

    # What others call

    def put_first(self, widget: QWidget) -> None:
        """Show a widget above the answer."""
        self._column.insertWidget(0, widget)

    def show_answer(self, answer: Answer) -> None:
        """Show an answer."""
        self._kinds.set_chosen(answer.kind)
        self._cannot.setChecked(bool(answer.cannot_tell))
        self._reason.setVisible(bool(answer.cannot_tell))
        if not self._reason.hasFocus():
            self._reason.setText(answer.cannot_tell)
        for which, holder in (("before", answer.holder_before), ("after", answer.holder_after)):
            with QSignalBlocker(self._holders[which]):
                self._holders[which].setCurrentIndex(self._holders[which].findData(holder))
        for edge, frame in ((Edge.ONSET, answer.onset), (Edge.OFFSET, answer.offset)):
            self._edges[edge].setText("" if frame is None else self._session.look.time(frame))
        self._show_confidence(answer.confidence)
        if not self._comment.hasFocus() and self._comment.toPlainText() != answer.comment:
            self._comment.setPlainText(answer.comment)
        self.checklist.show_state(self._session.asked, self._session.missing)

    def show_edge(self, edge: str) -> None:
        """Mark which edge the nudge keys move."""
        for own, label in self._edge_labels.items():
            active = edge in (own.value, Edge.BOTH.value)
            label.setText(f"{own.value.capitalize()} {'◂' if active else ''}".strip())
            label.setAccessibleDescription("the nudge keys move this edge" if active else "")

    def set_look(self, look: KindLook, theme: Theme) -> None:
        """Show other colours."""
        self._kinds.set_colours(look.colour)
        self.checklist.set_theme(theme)

    def set_editable(self, *, editable: bool) -> None:
        """Take answers, or show them only."""
        for widget in (
            self._kinds,
            self._cannot,
            self._reason,
            self._comment,
            self.submit_button,
            *self._edges.values(),
        ):
            widget.setEnabled(editable)
        for box in self._holders.values():
            box.setEnabled(editable)
        for button in self._confidence.buttons():
            button.setEnabled(editable)

    def focus_first(self) -> None:
        """Put the keyboard on what is missing first, or else on the submit button."""
        missing = self._session.missing
        if missing:
            self.focus_part(missing[0])
        else:
            self.submit_button.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def focus_part(self, part: str) -> None:
        """Put the keyboard where a part is answered; `part` is a phrase of `missing_from`."""
        name = _PARTS.get(part, "")
        if name == "kind":
            self._kinds.focus_first()
        elif name in self._holders:
            self._holders[name].setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            edge = Edge.ONSET if "onset" in part else Edge.OFFSET
            self._edges[edge].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def focus_comment(self) -> None:
        """Put the keyboard into the comment."""
        self._comment.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def ask_reason(self) -> None:
        """Let the annotator say why no kind can be given."""
        menu = QMenu(self)
        menu.setAccessibleName("Why no kind can be given")
        for number, reason in enumerate(REASONS, 1):
            menu.addAction(f"&{number}  {reason}").triggered.connect(
                lambda _=False, text=reason: self._session.cannot_tell(text)
            )
        menu.addAction("&Other reason…").triggered.connect(lambda _=False: self._ask_other_reason())
        if self._session.answer.cannot_tell:
            menu.addSeparator()
            menu.addAction("I can &tell after all").triggered.connect(lambda _=False: self._session.cannot_tell(""))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self._cannot.mapToGlobal(self._cannot.rect().bottomLeft()))
        menu.setActiveAction(menu.actions()[0])
        self._cannot.setChecked(bool(self._session.answer.cannot_tell))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let Space press the button that has the keyboard, where it would play otherwise."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and event.keyCombination() == _SPACE:
            event.accept()
        return super().eventFilter(watched, event)

    # Building

    def _button(self, action_id: str, text: str) -> QPushButton:
        action = self._actions[action_id]
        button = QPushButton(text)
        button.setToolTip(action.toolTip())
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setAccessibleName(action.text().replace("&", "").rstrip("…"))
        button.clicked.connect(lambda _=False: action.trigger())
        return button

    def _holder_box(self, which: str) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(f"Who holds the floor {which}")
        keys = "Ctrl" if which == "before" else "Alt"
        box.setToolTip(f"Who holds the floor {which} ({keys}+number of the lane; {keys}+0 for nobody)")
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(10)
        box.addItem(NOT_GIVEN, None)
        box.addItem("nobody", NOBODY)
        for voice in self._session.presentation.speakers:
            box.addItem(voice.name, voice.id)
        return box

    def _lay_out(self) -> None:
        scheme, unit = self._session.look.scheme, self.fontMetrics().height()
        body = QWidget()
        column = self._column = QVBoxLayout(body)
        column.setContentsMargins(unit // 2, unit // 2, unit // 2, 0)
        column.setSpacing(unit // 3)
        cue = self._session.presentation.cue.speaker
        question = QLabel(f"What does {self._session.look.speaker_name(cue)} do in the band “here”?")
        question.setTextFormat(Qt.TextFormat.PlainText)
        font = question.font()
        font.setBold(True)
        question.setFont(font)
        for label in (question, self._note):
            label.setWordWrap(True)
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        self._note.setFrameShape(QFrame.Shape.StyledPanel)
        self._reason.setAccessibleName("Why no kind can be given")
        self._reason.setPlaceholderText("Why can you not tell?")
        self._reason.setMaxLength(LONGEST_COMMENT)
        self._cannot.setCheckable(True)
        for widget in (question, self._note, self._kinds, self._cannot, self._reason):
            column.addWidget(widget)
        if scheme.asks_holders:
            column.addLayout(self._holder_grid())
        if scheme.asks_boundaries:
            column.addLayout(self._edge_grid(unit))
        column.addLayout(self._confidence_row())
        self._comment.setMinimumHeight(unit * 2)
        self._comment.setMaximumHeight(unit * 4)
        column.addWidget(self._comment)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidget(body)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setMinimumWidth(body.minimumSizeHint().width() + unit * 2)
        # What is missing and the way on stay in view, however small the window is.
        foot = QVBoxLayout()
        foot.setContentsMargins(unit // 2, unit // 3, unit // 2, unit // 2)
        foot.setSpacing(unit // 3)
        foot.addWidget(self.checklist)
        self.submit_button.setToolTip(self._actions["study.submit"].toolTip())
        self.submit_button.setAccessibleName("Submit this answer and go on")
        foot.addWidget(self.submit_button)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(area, 1)
        whole.addLayout(foot)

    def _holder_grid(self) -> QGridLayout:
        grid = QGridLayout()
        for place, (which, box) in enumerate(self._holders.items()):
            label = QLabel(f"Floor {which}")
            label.setBuddy(box)
            grid.addWidget(label, place, 0)
            grid.addWidget(box, place, 1)
        grid.setColumnStretch(1, 1)
        return grid

    def _edge_grid(self, unit: int) -> QGridLayout:
        grid = QGridLayout()
        for place, (edge, field) in enumerate(self._edges.items()):
            here, around = (
                ("event.onset_here", "play.onset") if edge is Edge.ONSET else ("event.offset_here", "play.end")
            )
            field.setPlaceholderText("0.000")
            field.setMinimumWidth(unit * 4)
            label = self._edge_labels[edge]
            label.setMinimumWidth(label.fontMetrics().horizontalAdvance("Offset ◂"))
            label.setBuddy(field)
            buttons = (self._button(here, "At cursor"), self._button(around, "Hear"))
            for column, widget in enumerate((label, field, *buttons)):
                grid.addWidget(widget, place, column)
        grid.setColumnStretch(1, 1)
        return grid

    def _confidence_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(QLabel("Confidence"))
        self._confidence.setExclusive(False)
        for number in range(1, HIGHEST_CONFIDENCE + 1):
            button = QPushButton(str(number))
            button.setMinimumWidth(button.fontMetrics().height() * 2)
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.setAccessibleName(f"Confidence {number}, {CONFIDENCES[number - 1]}")
            button.setToolTip(f"{number}: {CONFIDENCES[number - 1]} (the keys , and . go down and up)")
            self._confidence.addButton(button, number)
            row.addWidget(button)
        row.addStretch(1)
        return row

    def _connect(self) -> None:
        session = self._session
        session.answer_changed.connect(self.show_answer)
        session.edge_selected.connect(self.show_edge)
        self._kinds.pressed.connect(session.set_kind)
        self._kinds.released.connect(lambda _: self._kinds.set_chosen(session.answer.kind))
        self._reason.editingFinished.connect(self._on_reason)
        self._reason.returnPressed.connect(self.left)
        for which, box in self._holders.items():
            box.activated.connect(lambda _, which=which, box=box: session.set_holder(which, box.currentData()))
        for edge, field in self._edges.items():
            field.editingFinished.connect(lambda edge=edge, field=field: self._on_time(edge, field))
            field.returnPressed.connect(self.left)
        self._confidence.idClicked.connect(self._on_confidence)
        self.submit_button.clicked.connect(lambda _=False: self._actions["study.submit"].trigger())

    # Gestures

    def _show_confidence(self, confidence: int) -> None:
        for button in self._confidence.buttons():
            button.setChecked(self._confidence.id(button) == confidence)

    def _on_confidence(self, number: int) -> None:
        self._session.set_confidence(0 if number == self._session.answer.confidence else number)
        self._show_confidence(self._session.answer.confidence)

    def _on_time(self, edge: Edge, field: TimeField) -> None:
        if self._session.history.frozen:
            return
        self._session.set_edge_from_text(edge, field.text())
        self.show_answer(self._session.answer)

    def _on_comment(self, text: str) -> None:
        if text != self._session.answer.comment and not self._session.history.frozen:
            self._session.set_comment(text)

    def _on_reason(self) -> None:
        if self._session.history.frozen:
            return
        text = self._reason.text().strip()
        if text != self._session.answer.cannot_tell:
            self._session.cannot_tell(text)
        self._reason.setVisible(bool(self._session.answer.cannot_tell))

    def _ask_other_reason(self) -> None:
        self._reason.show()
        self._reason.setFocus(Qt.FocusReason.OtherFocusReason)
        self._reason.selectAll()


_SPACE = QKeyCombination(Qt.Key.Key_Space)
_BOTH = (Edge.ONSET, Edge.OFFSET)
