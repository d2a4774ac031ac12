"""The lead's page: how far each annotator is, and what a lead can do; it shows no answer."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from annotation.study.pack_tables import PACK_SUFFIX
from annotation.study.records import SeatStatus, StudyStatus
from app.study_text import duration_text

COLUMNS = ("Annotator", "Submitted", "Time spent", "Pace", "Calibration", "Sent back", "Last entry", "State")
_OF_SEAT = ("study.pack", "study.open_as", "study.replace")
_OF_STUDY = ("study.merge", "study.submissions", "study.extend", "study.new", "study.lock")
_LETTERS = {
    "study.pack": "w",
    "study.open_as": "o",
    "study.replace": "r",
    "study.merge": "m",
    "study.submissions": "u",
    "study.extend": "x",
    "study.new": "n",
    "study.lock": "a",
    "study.leave": "b",
}
"""Alt and a letter press a button of the page; no menu of the window opens by one of these."""


def button_text(text: str, letter: str) -> str:
    """Return an action's text with another letter to press it by."""
    plain = text.replace("&", "")
    place = plain.lower().index(letter)
    return f"{plain[:place]}&{plain[place:]}"


def pace_text(seat: SeatStatus) -> str:
    """Return how long an annotator needs for one presentation, and for the rest at that pace."""
    if seat.pace_s is None:
        return "–"
    left = seat.pace_s * (seat.presentations - seat.submitted)
    return f"{seat.pace_s:.0f} s each" + (f", {duration_text(left)} left" if left else "")


def calibration_text(seat: SeatStatus) -> str:
    """Return where an annotator's calibration stands."""
    if not seat.calibration_presentations:
        return "none"
    if seat.calibrated:
        return "passed"
    return f"{seat.calibration_submitted} of {seat.calibration_presentations}"


def state_text(seat: SeatStatus) -> str:
    """Return what an annotator is doing, in a word or two."""
    if seat.replaced:
        return "replaced"
    if seat.on_break:
        return "on a break"
    if seat.submitted >= seat.presentations:
        return "finished"
    return "at work" if seat.last_at else "not begun"


def time_text(at: str) -> str:
    """Return a time of the log in this machine's time zone."""
    return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M") if at else "–"


def dropped_packs(names: Sequence[str]) -> list[Path]:
    """Return the packs among paths."""
    return [Path(name) for name in names if name.endswith(PACK_SUFFIX)]


class StudyPage(QWidget):
    """Shows a `StudyStatus`; packs may be dropped on it.

    Signals
    -------
    study_chosen(str)
        The id of the study that is to be shown.
    packs_dropped(object)
        Paths of packs, as a list.
    """

    study_chosen = Signal(str)
    packs_dropped = Signal(object)

    def __init__(self, *, actions: Mapping[str, QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAcceptDrops(True)
        self._status: StudyStatus | None = None
        self.choice = QComboBox()
        self.choice.setAccessibleName("Study")
        self.choice.activated.connect(lambda _: self.study_chosen.emit(str(self.choice.currentData())))
        self.heading = QLabel()
        font = self.heading.font()
        font.setPointSizeF(font.pointSizeF() * 1.5)
        font.setBold(True)
        self.heading.setFont(font)
        self.heading.setWordWrap(True)
        self.facts = QLabel()
        self.facts.setWordWrap(True)
        self.table = QTableWidget(0, len(COLUMNS))
        self.table.setHorizontalHeaderLabels(list(COLUMNS))
        self.table.setAccessibleName("Annotators")
        self.table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.setShowGrid(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._actions = actions
        self.buttons = {name: self._button(name) for name in (*_OF_SEAT, *_OF_STUDY)}
        self.back = self._button("study.leave")
        self.note = QLabel(
            "No answer is shown here, so that you stay free in what you tell annotators. "
            f"Drop packs ({PACK_SUFFIX}) anywhere on this page to merge them."
        )
        self.note.setWordWrap(True)
        self.note.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._lay_out()
        self.table.itemSelectionChanged.connect(self._enable)
        self._enable()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 18, 24, 18)
        column.setSpacing(10)
        top = QHBoxLayout()
        top.addWidget(self.heading, 1)
        top.addWidget(self.choice)
        top.addWidget(self.back)
        column.addLayout(top)
        column.addWidget(self.facts)
        column.addWidget(self.table, 1)
        rows = QGridLayout()
        for line, (caption, names) in enumerate((("The annotator chosen above", _OF_SEAT), ("The study", _OF_STUDY))):
            rows.addWidget(QLabel(caption), line, 0)
            buttons = QHBoxLayout()
            for name in names:
                buttons.addWidget(self.buttons[name])
            buttons.addStretch(1)
            rows.addLayout(buttons, line, 1)
        rows.setColumnStretch(1, 1)
        column.addLayout(rows)
        column.addWidget(self.note)

    @property
    def status(self) -> StudyStatus | None:
        """What is shown."""
        return self._status

    @property
    def seat(self) -> SeatStatus | None:
        """The seat that is selected, or None."""
        row = self.table.currentRow()
        if self._status is None or not 0 <= row < len(self._status.seats) or not self.table.selectedItems():
            return None
        return self._status.seats[row]

    def show_status(self, status: StudyStatus, studies: Sequence[tuple[str, str]]) -> None:
        """Show how far a study is; `studies` are the ids and names of all, in order."""
        selected = self.seat
        self._status = status
        self.choice.clear()
        for study_id, name in studies:
            self.choice.addItem(name, study_id)
        self.choice.setCurrentIndex(self.choice.findData(status.study.id))
        self.choice.setVisible(len(studies) > 1)
        self.heading.setText(status.study.name)
        self.facts.setText(facts_text(status))
        self.table.setRowCount(len(status.seats))
        for row, seat in enumerate(status.seats):
            self._fill(row, seat)
        keep = selected.seat.id if selected else ""
        row = next((place for place, seat in enumerate(status.seats) if seat.seat.id == keep), 0)
        self.table.selectRow(row)
        self._enable()

    def _fill(self, row: int, seat: SeatStatus) -> None:
        texts = (
            seat.seat.annotator,
            "",
            duration_text(seat.spent_s),
            pace_text(seat),
            calibration_text(seat),
            str(seat.reopened) if seat.reopened else "–",
            time_text(seat.last_at),
            state_text(seat),
        )
        for place, text in enumerate(texts):
            item = QTableWidgetItem(text)
            if seat.replaced:
                item.setForeground(self.palette().color(QPalette.ColorRole.PlaceholderText))
            self.table.setItem(row, place, item)
        progress = QProgressBar()
        progress.setRange(0, max(1, seat.presentations))
        progress.setValue(seat.submitted)
        progress.setFormat(f"{seat.submitted:,} of {seat.presentations:,}")
        progress.setAccessibleName(f"{seat.seat.annotator}: {seat.submitted} of {seat.presentations} submitted")
        progress.setMinimumWidth(self.fontMetrics().averageCharWidth() * 26)
        self.table.setCellWidget(row, 1, progress)
        self.table.setRowHeight(row, round(self.fontMetrics().height() * 1.9))

    def _enable(self) -> None:
        seat = self.seat
        for name in _OF_SEAT:
            self.buttons[name].setEnabled(seat is not None and not seat.replaced)

    def _button(self, name: str) -> QPushButton:
        action = self._actions[name]
        button = QPushButton(button_text(action.text(), _LETTERS[name]))
        button.setToolTip(action.toolTip())
        button.clicked.connect(action.trigger)
        return button

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take packs."""
        if dropped_packs([url.toLocalFile() for url in event.mimeData().urls()]):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Give the packs that were dropped."""
        event.acceptProposedAction()
        self.packs_dropped.emit(dropped_packs([url.toLocalFile() for url in event.mimeData().urls()]))


def facts_text(status: StudyStatus) -> str:
    """Return what a study is, in a line."""
    design = status.study.design
    made = datetime.fromisoformat(status.study.at).astimezone(UTC).strftime("%Y-%m-%d")
    parts = [
        f"{status.items:,} items",
        f"{status.repeated:,} of them met twice",
        f"{design.context_s:g} s of context",
        f"seed {design.seed}",
        f"drawn on {made} by {status.study.person}",
    ]
    if status.batches > 1:
        parts.append(f"extended {status.batches - 1} times" if status.batches > 2 else "extended once")
    return " · ".join(parts)
