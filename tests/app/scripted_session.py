"""A labelling session by random keys in the real window, run as a process of its own so that it can be killed.

Prints ``ready``, then a line of revision ids each time the window shows them as kept.
"""

import random
import sys
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest

from app.main import make_application
from app.main_window import MainWindow
from app.settings import SettingsFile

CTRL, ALT, SHIFT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier,
)
NONE = Qt.KeyboardModifier.NoModifier
KEYS = (
    (Qt.Key.Key_3, NONE),
    (Qt.Key.Key_Right, ALT),
    (Qt.Key.Key_Left, ALT | SHIFT),
    (Qt.Key.Key_Right, CTRL | ALT),
    (Qt.Key.Key_X, NONE),
    (Qt.Key.Key_M, NONE),
    (Qt.Key.Key_E, NONE),
    (Qt.Key.Key_N, NONE),
    (Qt.Key.Key_P, NONE),
    (Qt.Key.Key_2, CTRL),
    (Qt.Key.Key_0, ALT),
    (Qt.Key.Key_Down, NONE),
    (Qt.Key.Key_Delete, NONE),
    (Qt.Key.Key_Z, CTRL),
    (Qt.Key.Key_Z, CTRL),
    (Qt.Key.Key_Z, CTRL | SHIFT),
)


class Hands:
    """Presses keys at random, a gesture a turn of the event loop."""

    def __init__(self, window: MainWindow, seed: int) -> None:
        self._window = window
        self._chance = random.Random(seed)

    def press(self) -> None:
        """Mark a random stretch, press a random key, or go to the other conversation."""
        page = self._window.page
        assert page is not None
        timeline = page.view.timeline
        timeline.setFocus()
        draw = self._chance.random()
        if draw < 0.02:
            QTest.keyClick(timeline, self._chance.choice([Qt.Key.Key_PageDown, Qt.Key.Key_PageUp]), CTRL)
        elif draw < 0.4:
            onset = self._chance.randrange(page.conversation.frames - 400)
            page.session.select_event("")
            page.session.select_range(onset, onset + self._chance.randrange(1, 400))
            QTest.keyClick(timeline, self._chance.choice([Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_4]))
            page.session.select_range(0, 0)
        else:
            page.player.seek(self._chance.randrange(page.conversation.frames))
            QTest.keyClick(timeline, *self._chance.choice(KEYS))


def say(words: str) -> None:
    """Write a line at once."""
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


def main(project: Path, seed: int) -> None:
    """Open the project and press keys until killed."""
    settings = SettingsFile(remembering=False)
    application = make_application(settings)
    window = MainWindow(settings=settings)
    window.show()
    window.open_project(project)
    window.kept.connect(lambda ids: say(" ".join(ids)))
    hands = Hands(window, seed)
    timer = QTimer()
    timer.setInterval(0)
    timer.timeout.connect(hands.press)
    say("ready")
    timer.start()
    application.exec()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
