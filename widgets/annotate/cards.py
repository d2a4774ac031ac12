"""Cards between items: how things stand, and what comes next."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget


@dataclass(frozen=True, slots=True)
class CardText:
    """What a card says.

    Parameters
    ----------
    choices
        Ids and texts of its buttons; the first is the one that Enter presses.
    done, total
        A bar of progress; none where `total` is 0.
    """

    title: str
    lines: tuple[str, ...]
    choices: tuple[tuple[str, str], ...]
    done: int = 0
    total: int = 0


class Card(QWidget):
    """One card in the middle of the page; `chosen` gives the id of the button that was pressed."""

    chosen = Signal(str)

    def __init__(self, *, text: CardText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        unit = self.fontMetrics().height()
        inside = QWidget()
        inside.setMaximumWidth(self.fontMetrics().averageCharWidth() * 90)
        column = QVBoxLayout(inside)
        column.setSpacing(unit // 2)
        title = QLabel(text.title)
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.7)
        font.setBold(True)
        title.setFont(font)
        for label in (title, *(QLabel(line) for line in text.lines)):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            column.addWidget(label)
        if text.total:
            column.addWidget(progress_bar(text.done, text.total))
        column.addSpacing(unit)
        row = QHBoxLayout()
        self.buttons = {name: self._button(name, words) for name, words in text.choices}
        for button in self.buttons.values():
            row.addWidget(button)
        row.addStretch(1)
        column.addLayout(row)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(inside, 100)
        middle.addStretch(1)
        outer = QVBoxLayout(self)
        outer.addStretch(1)
        outer.addLayout(middle)
        outer.addStretch(2)
        self.setAccessibleName(" ".join((text.title, *text.lines)))

    def take_focus(self) -> None:
        """Put the keyboard on the first button."""
        next(iter(self.buttons.values())).setFocus(Qt.FocusReason.OtherFocusReason)

    def _button(self, name: str, words: str) -> QPushButton:
        button = QPushButton(words)
        button.setAccessibleName(words)
        button.setAutoDefault(True)
        button.clicked.connect(lambda _=False: self.chosen.emit(name))
        return button


def progress_bar(done: int, total: int) -> QProgressBar:
    """Return a bar that says how many of how many are done."""
    bar = QProgressBar()
    bar.setRange(0, max(total, 1))
    bar.setValue(done)
    bar.setFormat(f"{done} of {total}")
    bar.setAccessibleName(f"{done} of {total} items done")
    return bar


def duration_text(seconds: float) -> str:
    """Return a duration in words: “45 s”, “12 min”, “2 h 05 min”."""
    if seconds < 90:
        return f"{round(seconds)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def list_text(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines that say something."""
    return tuple(line for line in lines if line)
