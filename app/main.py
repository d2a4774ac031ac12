"""Starting the window."""

import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from app.main_window import MainWindow
from app.settings import SettingsFile

_log = logging.getLogger(__name__)


def has_display() -> bool:
    """Return whether a window can be shown: on X11 and Wayland only where a server is named."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def make_application(settings: SettingsFile) -> QApplication:
    """Return the one application, in the size that the settings ask for."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    if settings.value.text_scale != 1.0 and "QT_SCALE_FACTOR" not in os.environ:
        os.environ["QT_SCALE_FACTOR"] = str(settings.value.text_scale)
    application = QApplication(["floorscope"])
    application.setApplicationName("Floorscope")
    application.setDesktopFileName("floorscope")
    return application


def run_window(paths: Sequence[Path], *, at_s: float | None = None, study: bool = False) -> int:
    """Show the window on what is given (the welcome page without anything) until it is closed.

    Parameters
    ----------
    study
        Open the lead's page of the project's study.
    """
    settings = SettingsFile()
    application = make_application(settings)
    window = MainWindow(settings=settings)
    _catch_uncaught(window)
    window.show()
    if paths:
        QTimer.singleShot(0, lambda: window.open_paths(paths, at_s=at_s))
    if study:
        QTimer.singleShot(0, window.open_study)
    return int(application.exec())


def _catch_uncaught(window: MainWindow) -> None:
    """Let an error nobody foresaw keep the work and show a report instead of ending the program."""

    def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _log.critical("uncaught", exc_info=(kind, error, trace))
        if issubclass(kind, KeyboardInterrupt):
            window.close()
            return
        if window.project is not None:
            window.project.flush(2.0)
        box = QMessageBox(window)
        box.setIcon(QMessageBox.Icon.Critical)
        box.setWindowTitle("Something went wrong")
        box.setText("Floorscope met an error that it does not know. Everything shown as kept is kept.")
        box.setInformativeText(f"{kind.__name__}: {error}")
        box.open()

    sys.excepthook = report
