"""Pictures of the real window, made without a screen."""

import contextlib
from pathlib import Path

from PySide6.QtCore import QDeadlineTimer, QEventLoop, QSize
from PySide6.QtWidgets import QApplication

from annotation.errors import FloorscopeError
from app.main_window import MainWindow

LONGEST_WAIT_MS = 60_000


class ScreenshotError(FloorscopeError):
    """A picture that could not be written."""

    code = "screenshot"
    exit_code = 1


def settle(application: QApplication, window: MainWindow) -> None:
    """Let the window finish what it does in the background, for a minute at most."""
    deadline = QDeadlineTimer(LONGEST_WAIT_MS)
    while window.tasks.tasks and not deadline.hasExpired():
        application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 100)
    for _ in range(3):
        application.processEvents()


def write_screenshot(application: QApplication, window: MainWindow, out: Path, size: QSize) -> None:
    """Write the window as a PNG of `size` logical pixels.

    Raises
    ------
    ScreenshotError
        If the file cannot be written.
    """
    window.resize(size)
    window.show()
    settle(application, window)
    window.messages.clear()
    application.processEvents()
    with contextlib.suppress(OSError):
        out.parent.mkdir(parents=True, exist_ok=True)
    if not window.grab().save(str(out), "PNG"):
        raise ScreenshotError(
            "The picture cannot be written.", where=str(out), remedy="Choose a folder that can be written to."
        )
