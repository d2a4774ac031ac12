"""Which channel carries which speaker: shown, changed, put back."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from annotation.conversation import Channel, Conversation, SpeakerAssignment, assign_speakers
from annotation.errors import InvalidValueError


def channel_text(channel: Channel) -> str:
    """Return what a channel is, in words: file, channel of it, rate, length, start."""
    if channel.path is None:
        return "no audio"
    name = channel.path.name
    return f"{name} · channel {channel.index + 1} · {channel.rate_hz:,} Hz · {channel.frames / channel.rate_hz:.3f} s"


def imported_assignments(imported: Conversation) -> tuple[SpeakerAssignment, ...]:
    """Return the mapping as the corpus gave it."""
    return tuple(SpeakerAssignment(c.speaker, c.name, place) for place, c in enumerate(imported.channels))


class SpeakersDialog(QDialog):
    """A line a speaker: its name and the channel whose sound it has.

    Choosing a channel that another speaker has swaps the two, so that none is lost. `assignments` holds the result
    once accepted. An empty mapping given is the one as imported.
    """

    def __init__(
        self,
        *,
        imported: Conversation,
        assignments: tuple[SpeakerAssignment, ...],
        labels: int,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Speakers and channels")
        self._imported = imported
        self.assignments = assignments or imported_assignments(imported)
        self._table = QTableWidget(len(self.assignments), 3)
        self._table.setHorizontalHeaderLabels(["Speaker", "Name shown", "Sound from"])
        self._table.verticalHeader().hide()
        self._table.setWordWrap(False)
        self._table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        unit = self.fontMetrics().averageCharWidth()
        self._table.horizontalHeader().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        self._table.horizontalHeader().resizeSection(0, unit * 28)
        self._table.horizontalHeader().resizeSection(1, unit * 28)
        self._names: list[QLineEdit] = []
        self._boxes: list[QComboBox] = []
        for row in range(len(self.assignments)):
            self._add_row(row)
        self._show(self.assignments)
        self._fault = QLabel()
        self._fault.setWordWrap(True)
        self._fault.hide()
        note = QLabel(
            "Events stay with their speaker; the sound moves. The mapping as imported can always be put back."
            + (f" {labels} labels of this conversation belong to these speakers." if labels else "")
        )
        note.setWordWrap(True)
        reset = QPushButton("As &imported")
        reset.clicked.connect(lambda: self._show(imported_assignments(self._imported)))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(reset, QDialogButtonBox.ButtonRole.ResetRole)
        buttons.accepted.connect(self._on_accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        for widget in (note, self._table, self._fault, buttons):
            column.addWidget(widget)
        self.resize(
            min(unit * 150, self.screen().availableSize().width()),
            self.fontMetrics().height() * (14 + 2 * len(self.assignments)),
        )

    def _add_row(self, row: int) -> None:
        speaker = QTableWidgetItem()
        speaker.setFlags(Qt.ItemFlag.ItemIsEnabled)
        name = QLineEdit()
        name.setFrame(False)
        box = QComboBox()
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for place, channel in enumerate(self._imported.channels):
            box.addItem(channel_text(channel), place)
        box.activated.connect(lambda _, own=row: self._on_channel(own))
        self._table.setItem(row, 0, speaker)
        self._table.setCellWidget(row, 1, name)
        self._table.setCellWidget(row, 2, box)
        self._names.append(name)
        self._boxes.append(box)

    def _show(self, assignments: tuple[SpeakerAssignment, ...]) -> None:
        self._speakers = [a.speaker for a in assignments]
        self._sources = [a.source for a in assignments]
        for row, assignment in enumerate(assignments):
            item = self._table.item(row, 0)
            if item is not None:
                item.setText(assignment.speaker)
                item.setToolTip(assignment.speaker)
            self._names[row].setText(assignment.name)
            self._names[row].setPlaceholderText(assignment.speaker)
            self._names[row].setAccessibleName(f"Name shown for {assignment.speaker}")
            self._boxes[row].setCurrentIndex(assignment.source)
            self._boxes[row].setAccessibleName(f"Channel of {assignment.speaker}")

    def _on_channel(self, row: int) -> None:
        wanted, own = self._boxes[row].currentIndex(), self._sources[row]
        if wanted != own:
            other = self._sources.index(wanted)
            self._sources[row], self._sources[other] = wanted, own
            self._boxes[other].setCurrentIndex(own)

    def _on_accept(self) -> None:
        rows = zip(self._speakers, self._names, self._sources, strict=True)
        assignments = tuple(SpeakerAssignment(s, name.text().strip(), source) for s, name, source in rows)
        try:
            assign_speakers(self._imported, assignments)
        except InvalidValueError as error:
            self._fault.setText(str(error))
            self._fault.show()
            return
        self.assignments = assignments
        self.accept()
