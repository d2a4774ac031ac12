"""How fast it plays: a button that opens the speeds, and stands out while it is another than recorded."""

from collections.abc import Sequence
from math import inf

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup, QFont, QFontMetrics, QKeySequence
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

SPEEDS = (0.5, 0.6, 0.75, 0.9, 1.0, 1.25, 1.5, 2.0)
"""Finer below 1, where one listens for an edge."""

STYLE = """
QToolButton:checked { background: palette(highlight); border-color: palette(highlight);
    color: palette(highlighted-text); font-weight: bold; }
QToolButton::menu-indicator { image: none; width: 0; }
"""
"""Another speed than recorded stands out by its fill, as a toggle that is on does."""


def speed_text(speed: float) -> str:
    """Return a speed as it is shown."""
    return f"{speed:g} ×"


def next_speed(speed: float, *, faster: bool) -> float:
    """Return the next speed of the list, or the last one at its end."""
    if faster:
        return min((other for other in SPEEDS if other > speed), default=SPEEDS[-1])
    return max((other for other in SPEEDS if other < speed), default=SPEEDS[0])


class SpeedButton(QToolButton):
    """Shows the speed and offers others.

    Parameters
    ----------
    actions
        Slower, faster and as recorded: they stand in the menu too, and their keys in the tip.

    Signals
    -------
    speed_chosen(float)
        A person chose a speed.
    """

    speed_chosen = Signal(float)

    def __init__(self, *, actions: Sequence[QAction] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._actions = tuple(actions)
        self.setCheckable(True)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setStyleSheet(STYLE)
        self._choices = QMenu(self)
        group = QActionGroup(self._choices)
        for speed in SPEEDS:
            choice = self._choices.addAction(speed_text(speed))
            choice.setCheckable(True)
            choice.setData(speed)
            group.addAction(choice)
        group.triggered.connect(lambda choice: self.speed_chosen.emit(choice.data()))
        if self._actions:
            self._choices.addSeparator()
            self._choices.addActions(self._actions)
            self._actions[0].changed.connect(self._show_tip)
        self.setMenu(self._choices)
        self._choices.aboutToHide.connect(self._show_state)
        bold = QFont(self.font())
        bold.setBold(True)
        # As wide as the widest speed, so that nothing beside it moves.
        widest = max(QFontMetrics(bold).horizontalAdvance(speed_text(speed)) for speed in SPEEDS)
        self.setMinimumWidth(widest + 2 * self.fontMetrics().height())
        self._speed = inf
        self.show_speed(1.0)

    @property
    def speed(self) -> float:
        """The speed shown."""
        return self._speed

    def show_speed(self, speed: float) -> None:
        """Show a speed, without a signal."""
        if speed == self._speed:
            return
        self._speed = speed
        self.setText(speed_text(speed))
        self._show_state()
        self._show_tip()
        for choice in self._choices.actions():
            if choice.data() is not None:
                choice.setChecked(choice.data() == speed)

    def _show_state(self) -> None:
        self.setChecked(self._speed != 1.0)

    def _show_tip(self) -> None:
        keys = [
            f"{action.text().replace('&', '')}: {action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)}"
            for action in self._actions
            if not action.shortcut().isEmpty()
        ]
        about = "as recorded" if self._speed == 1.0 else f"{speed_text(self._speed)} as fast, the pitch kept"
        self.setToolTip("\n".join([f"Speed: {about}", *keys]))
        self.setAccessibleName(f"Speed, {about}")
