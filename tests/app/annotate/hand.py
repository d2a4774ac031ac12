"""What an annotator does in the window, for the tests of the annotate page."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.workspaces.annotate import AnnotatePage
from app.workspaces.annotate_item import OpenItem

ME = "Wilhelmina"


def settle(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until nothing runs in the background."""
    qtbot.waitUntil(lambda: not window.tasks.tasks, timeout=30_000)


def signed_in(window: MainWindow, path: Path, qtbot: QtBot, annotator: str = ME) -> AnnotatePage:
    """Sign in and stay on the first card."""
    window.open_seat(path, annotator=annotator)
    settle(window, qtbot)
    page = window.seat_page
    assert page is not None, window.messages.texts
    return page


def begun(window: MainWindow, path: Path, qtbot: QtBot, annotator: str = ME) -> AnnotatePage:
    """Sign in and open the first item."""
    page = signed_in(window, path, qtbot, annotator)
    choose(page, "next")
    settle(window, qtbot)
    return page


def choose(page: AnnotatePage, choice: str) -> None:
    """Press a button of the card."""
    assert page.card is not None
    page.card.buttons[choice].click()


def item_of(page: AnnotatePage) -> OpenItem:
    """Return the item that is open."""
    assert page.item is not None
    return page.item


def press(window: MainWindow, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press a key where the keyboard is."""
    QTest.keyClick(QApplication.focusWidget() or window, key, modifiers)


def answer_fully(page: AnnotatePage, kind: str = "TURN") -> None:
    """Give all that is asked for."""
    item = item_of(page)
    cue = item.presentation.cue
    item.session.set_kind(kind)
    item.session.set_holder_by_number("before", 1)
    item.session.set_holder_by_number("after", 0)
    item.session.set_edges(cue.onset + 100, cue.offset - 100)


def submit(window: MainWindow, page: AnnotatePage, qtbot: QtBot, kind: str = "TURN") -> None:
    """Answer and hand in."""
    answer_fully(page, kind)
    item_of(page).view.submit()
    settle(window, qtbot)
