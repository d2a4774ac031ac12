"""What is asked of a lead: a new annotator, a note to send something back with, a passphrase."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from annotation.study.drawing import CALIBRATION
from annotation.study.lead_lock import LONGEST, SHORTEST
from annotation.study.records import LONGEST_NOTE, CurrentSubmission
from app.study_text import duration_text
from app.workspaces.study import time_text

LOCK_TEXT = (
    "This is a courtesy lock. It keeps an annotator who sits at this machine from opening the lead’s page by accident. "
    "It does not protect the file: whoever has the project can read all of it with other programs. What protects "
    "blindness is that annotators get packs, which hold nothing that they must not see."
)


def _paragraph(text: str, *, muted: bool = False) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    label.setMinimumWidth(label.fontMetrics().averageCharWidth() * 70)
    if muted:
        label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return label


class ReplaceDialog(QDialog):
    """Asks who takes a seat over, and whether what was submitted counts."""

    def __init__(self, *, leaving: str, submitted: int, names: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Replace {leaving}")
        self._names = {name.casefold() for name in names}
        self.name = QLineEdit()
        self.name.setMaxLength(100)
        self.keeps = QCheckBox(f"The {submitted:,} submissions of {leaving} still &count in the figures")
        self.keeps.setEnabled(submitted > 0)
        self.wrong = QLabel()
        self.wrong.setWordWrap(True)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.replace_button = self.buttons.addButton("&Replace", QDialogButtonBox.ButtonRole.AcceptRole)
        form = QFormLayout()
        form.addRow("&New annotator", self.name)
        column = QVBoxLayout(self)
        column.addWidget(
            _paragraph(
                "The new annotator labels all items, in an order and with clips of their own. "
                f"What {leaving} submitted is never deleted."
            )
        )
        column.addLayout(form)
        for part in (self.keeps, self.wrong, self.buttons):
            column.addWidget(part)
        self.name.textChanged.connect(lambda _: self._show())
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._show()

    @property
    def annotator(self) -> str:
        """The name that was typed."""
        return self.name.text().strip()

    def _show(self) -> None:
        taken = self.annotator.casefold() in self._names
        self.wrong.setText(f"“{self.annotator}” is or was an annotator of this study." if taken else "")
        self.replace_button.setEnabled(bool(self.annotator) and not taken)


class SubmissionsDialog(QDialog):
    """Lists what was submitted; answers are shown only when asked for. `chosen` is what is to be sent back.

    Calibration items are not listed: a round is repeated instead.
    """

    COLUMNS = ("Annotator", "Presentation", "Submitted", "Time spent", "Answer")

    def __init__(self, *, submissions: Sequence[CurrentSubmission], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Submissions")
        self._rows = [one for one in submissions if one.presentation.number != CALIBRATION]
        self.search_field = QLineEdit()
        self.search_field.setPlaceholderText("Find an annotator or a presentation")
        self.search_field.setClearButtonEnabled(True)
        self.table = QTableWidget(len(self._rows), len(self.COLUMNS))
        self.table.setHorizontalHeaderLabels(list(self.COLUMNS))
        self.table.setAccessibleName("Submissions")
        self.table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.horizontalHeader().setSectionResizeMode(4, QHeaderView.ResizeMode.Stretch)
        self.answers = QCheckBox("Show the &answers too")
        self.answers.setToolTip("What you have seen, you can no longer not know when you talk to annotators.")
        self.note = QPlainTextEdit()
        self.note.setPlaceholderText("Why it is sent back; the annotator reads this above the item.")
        self.note.setAccessibleName("Note to the annotator")
        self.note.setTabChangesFocus(True)
        self.note.setFixedHeight(self.fontMetrics().height() * 4)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.send_button = self.buttons.addButton("&Send back", QDialogButtonBox.ButtonRole.AcceptRole)
        self._lay_out()
        self._fill()
        self.search_field.textChanged.connect(self._filter)
        self.answers.toggled.connect(lambda shown: self.table.setColumnHidden(4, not shown))
        self.table.itemSelectionChanged.connect(self._enable)
        self.note.textChanged.connect(self._enable)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._enable()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.addWidget(self.search_field)
        column.addWidget(self.table, 1)
        column.addWidget(self.answers)
        column.addWidget(_paragraph("A submission that is sent back stays as history and leaves the figures."))
        column.addWidget(self.note)
        column.addWidget(self.buttons)
        width = self.fontMetrics().averageCharWidth() * 110
        self.resize(width, round(width * 0.6))

    def _fill(self) -> None:
        for row, one in enumerate(self._rows):
            answer = one.submission.answer
            texts = (
                one.annotator,
                str(one.presentation.position),
                time_text(one.submission.at),
                duration_text(one.submission.listening.spent_s),
                answer.kind or f"cannot tell: {answer.cannot_tell}",
            )
            for place, text in enumerate(texts):
                self.table.setItem(row, place, QTableWidgetItem(text))
        self.table.setColumnHidden(4, True)

    @property
    def chosen(self) -> CurrentSubmission | None:
        """The submission that is selected, or None."""
        row = self.table.currentRow()
        return self._rows[row] if 0 <= row < len(self._rows) and self.table.selectedItems() else None

    @property
    def text(self) -> str:
        """The note."""
        return self.note.toPlainText().strip()

    def _filter(self, text: str) -> None:
        for row in range(self.table.rowCount()):
            cells = (self.table.item(row, place) for place in range(2))
            shown = any(text.casefold() in cell.text().casefold() for cell in cells if cell is not None)
            self.table.setRowHidden(row, not shown)

    def _enable(self) -> None:
        self.send_button.setEnabled(self.chosen is not None and 0 < len(self.text) <= LONGEST_NOTE)


class SetLockDialog(QDialog):
    """Asks for a new passphrase, twice; an empty one takes the lock away."""

    def __init__(self, *, locked: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Passphrase of the lead’s page")
        self.first = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self.second = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self.wrong = QLabel()
        self.wrong.setWordWrap(True)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.set_button = self.buttons.addButton("&Set", QDialogButtonBox.ButtonRole.AcceptRole)
        form = QFormLayout()
        form.addRow("&Passphrase", self.first)
        form.addRow("Once &more", self.second)
        column = QVBoxLayout(self)
        column.addWidget(_paragraph(LOCK_TEXT))
        if locked:
            column.addWidget(_paragraph("Leave both fields empty to take the lock away.", muted=True))
        column.addLayout(form)
        column.addWidget(self.wrong)
        column.addWidget(self.buttons)
        self._locked = locked
        for field in (self.first, self.second):
            field.textChanged.connect(lambda _: self._show())
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._show()

    @property
    def passphrase(self) -> str:
        """What was typed."""
        return self.first.text()

    def _show(self) -> None:
        first, second = self.first.text(), self.second.text()
        fault = ""
        if first and not SHORTEST <= len(first) <= LONGEST:
            fault = f"A passphrase has {SHORTEST} to {LONGEST} characters."
        elif second and first != second:
            fault = "The two differ."
        self.wrong.setText(fault)
        self.set_button.setEnabled(not fault and first == second and (bool(first) or self._locked))


class UnlockDialog(QDialog):
    """Asks for the passphrase of the lead’s page."""

    def __init__(self, *, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("The lead’s page is locked")
        self.field = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self.wrong = QLabel()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.open_button = self.buttons.addButton("&Open", QDialogButtonBox.ButtonRole.AcceptRole)
        form = QFormLayout()
        form.addRow("&Passphrase", self.field)
        column = QVBoxLayout(self)
        column.addWidget(_paragraph(LOCK_TEXT, muted=True))
        column.addLayout(form)
        column.addWidget(self.wrong)
        column.addWidget(self.buttons)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def refuse(self) -> None:
        """Say that it was not the one."""
        self.wrong.setText("This is not the passphrase.")
        self.field.selectAll()
