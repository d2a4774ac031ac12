"""Opens every conversation of a project in the real window, one after the other, in a process of its own.

Prints the resident memory in bytes after each, once its outline is complete, its sound prepared and a frame painted.
"""

import gc
import sys
from pathlib import Path

import psutil
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.main import make_application
from app.main_window import MainWindow
from app.settings import SettingsFile

LOOK_MS = 5


class Walk:
    """Goes on to the next conversation when nothing is left to do for the one that is open."""

    def __init__(self, window: MainWindow, ids: list[str]) -> None:
        self._window = window
        self._ids = ids
        self._next = 0

    def look(self) -> None:
        """Measure and go on, if the tasks are done."""
        if self._window.tasks.tasks:
            return
        if self._next:
            self._window.grab()
            gc.collect()
            sys.stdout.write(f"{psutil.Process().memory_info().rss}\n")
            sys.stdout.flush()
        if self._next == len(self._ids):
            self._window.close()
            QApplication.quit()
            return
        self._window.open_conversation(self._ids[self._next])
        self._next += 1


def main(project: Path) -> None:
    """Open the project and walk through it."""
    settings = SettingsFile(remembering=False)
    application = make_application(settings)
    window = MainWindow(settings=settings)
    window.show()
    window.open_project(project)
    assert window.project is not None
    walk = Walk(window, [summary.id for summary in window.project.conversations()])
    timer = QTimer()
    timer.setInterval(LOOK_MS)
    timer.timeout.connect(walk.look)
    timer.start()
    application.exec()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
