"""The keys of the speed, and how long it lasts."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from annotation.conversation import Channel, Conversation
from annotation.project.project import Project
from annotation.sources import ImportedConversation
from app.main_window import MainWindow
from app.settings import SettingsFile
from app.workspaces.label import LabelPage

RATE_HZ = 8_000


@pytest.fixture
def window(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    """Return a window on a project of two conversations."""
    sound = tmp_path / "anna.wav"
    soundfile.write(sound, np.zeros(RATE_HZ, np.int16), RATE_HZ)
    project_path = tmp_path / "two.floorscope"
    with Project.create(project_path, backups=False) as project:
        project.add(
            [
                ImportedConversation(Conversation(name, RATE_HZ, (Channel("anna", sound, 0, RATE_HZ, RATE_HZ),)))
                for name in ("first", "second")
            ]
        )
    window = MainWindow(settings=SettingsFile())
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    window.open_project(project_path)
    qtbot.waitUntil(lambda: not window.tasks.tasks, timeout=30_000)
    yield window
    window.close()
    window.deleteLater()


def page_of(window: MainWindow) -> LabelPage:
    assert window.page is not None
    return window.page


def press(window: MainWindow, key: Qt.Key) -> None:
    QTest.keyClick(QApplication.focusWidget() or window, key)


def test_three_keys_change_the_speed_and_the_status_line_says_it(window: MainWindow) -> None:
    page = page_of(window)
    press(window, Qt.Key.Key_J)
    press(window, Qt.Key.Key_J)
    assert (page.player.speed, page.bar.speed_button.text()) == (0.75, "0.75 ×")
    assert "0.75 × the speed" in window.statusBar().currentMessage()
    press(window, Qt.Key.Key_K)
    assert page.player.speed == 0.9
    press(window, Qt.Key.Key_H)
    assert (page.player.speed, page.bar.speed_button.isChecked()) == (1.0, False)


def test_the_keys_write_letters_in_a_text_field(window: MainWindow) -> None:
    page = page_of(window)
    window.actions_by_id["view.filter"].trigger()
    press(window, Qt.Key.Key_J)
    field = QApplication.focusWidget()
    assert isinstance(field, QLineEdit)
    assert (page.player.speed, field.text()) == (1.0, "j")


def test_the_speed_stays_for_the_conversations_opened_next_and_not_for_the_next_start(window: MainWindow) -> None:
    first = page_of(window)
    press(window, Qt.Key.Key_J)
    window.open_conversation("second")
    second = page_of(window)
    assert second is not first
    assert (second.player.speed, second.bar.speed_button.text()) == (0.9, "0.9 ×")
    assert second.player.circumstances().speed == 0.9
    again = MainWindow(settings=SettingsFile())
    assert window.project is not None
    path = window.project.path
    window.close_project()
    again.open_project(path)
    assert page_of(again).player.speed == 1.0
    again.close()
    again.deleteLater()
