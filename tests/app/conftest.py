"""The window that tests of the app drive."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.settings import SettingsFile


@pytest.fixture
def window(qapp: QApplication, qtbot: QtBot) -> Iterator[MainWindow]:
    """Return a window that is active."""
    window = MainWindow(settings=SettingsFile())
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    yield window
    window.close()
    window.deleteLater()
