"""Row 15: from the start of the process to a shown window, beside a bare Qt window and the whole stack imported."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import PySide6

from benchmarks.comparison import Result, alternated, seconds_of

CHECKOUT = Path(__file__).parents[1]
ROUNDS = 7
BARE = """
from PySide6.QtWidgets import QApplication, QMainWindow
application = QApplication([])
window = QMainWindow()
window.resize(1440, 900)
window.show()
application.processEvents()
print(window.isVisible())
"""
OURS = """
from app.main import make_application
from app.main_window import MainWindow
from app.settings import SettingsFile
settings = SettingsFile()
application = make_application(settings)
window = MainWindow(settings=settings)
window.show()
application.processEvents()
print(window.isVisible() and window.welcome.isVisible())
"""
EVERYTHING = "import numpy, soundfile, pyqtgraph, sqlite_utils, sounddevice\n" + BARE


def run() -> Result:
    """Return how long both take, in fresh processes that take turns."""
    with TemporaryDirectory() as home:
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home}

        def start(code: str) -> str:
            command = [sys.executable, "-c", code]
            return subprocess.run(
                command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=True
            ).stdout.strip()

        shown = start(BARE), start(OURS)
        seconds = alternated(lambda: start(BARE), lambda: start(OURS), rounds=ROUNDS)
        everything_s = seconds_of(lambda: start(EVERYTHING))
    return Result(
        row=15,
        work="start to a shown window",
        peer="a bare QMainWindow",
        peer_version=f"PySide6 {PySide6.__version__}",
        peer_s=seconds.peer,
        ours_s=seconds.ours,
        goal=0.5,
        equal=shown == ("True", "True"),
        equality="both windows are visible, ours with its welcome page",
        details={"whole_stack_imported_s": everything_s},
    )
