import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from widgets.browser.browser import Browser, BrowserRow, details_of, duration_text

ROWS = (
    BrowserRow("call-1", ("agent", "caller"), 245.38, 0, 0, {"split": "dev"}),
    BrowserRow("call-2", ("agent", "caller"), 30.0, 12, 3, {"split": "test"}),
    BrowserRow("meeting", ("A", "B", "C"), 3725.0, 944, 0, {"split": "test"}, ("/audio/A.wav",)),
)


@pytest.fixture
def browser(qtbot: QtBot) -> Browser:
    browser = Browser()
    qtbot.addWidget(browser)
    browser.set_rows(ROWS)
    browser.show()
    return browser


def listed(browser: Browser) -> list[str]:
    model = browser._proxy
    return [str(model.index(row, 0).data()).removeprefix("⚠ ") for row in range(model.rowCount())]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", ["call-1", "call-2", "meeting"]),
        ("split=test", ["call-2", "meeting"]),
        ("test unlabelled", ["meeting"]),
        ("MISSING", ["meeting"]),
        ("3 speakers", ["meeting"]),
        ("nothing like it", []),
    ],
)
def test_every_word_of_the_filter_must_be_found(browser: Browser, words: str, expected: list[str]) -> None:
    browser.filter_field.setText(words)
    assert listed(browser) == expected


def test_a_filter_without_a_match_says_so(browser: Browser) -> None:
    browser.filter_field.setText("xyz")
    assert browser._empty.isVisible()
    assert "filter" in browser._empty.text()


def test_an_empty_project_says_how_to_add_audio(browser: Browser) -> None:
    browser.set_rows([])
    assert "Drop audio" in browser._empty.text()


def test_a_click_opens_a_conversation_once(browser: Browser, qtbot: QtBot) -> None:
    with qtbot.waitSignal(browser.opened) as opened:
        browser._table.clicked.emit(browser._proxy.index(1, 0))
    assert opened.args == ["call-2"]
    browser.set_current("call-2")
    with qtbot.assertNotEmitted(browser.opened):
        browser._table.clicked.emit(browser._proxy.index(1, 0))


def test_neighbours_follow_the_order_on_screen(browser: Browser) -> None:
    browser._table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    browser.set_current("meeting")
    assert browser.neighbour(1) == "call-1"
    assert browser.neighbour(-1) == ""


def test_the_number_of_labels_follows_the_work(browser: Browser) -> None:
    browser.update_labels("call-1", 7)
    assert browser._proxy.index(0, 3).data() == "7"


def test_details_name_what_is_missing() -> None:
    assert "Missing: /audio/A.wav" in details_of(ROWS[2])


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (59.6, "1:00"), (245.38, "4:05"), (3725, "1:02:05")])
def test_durations_are_minutes_or_hours(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


def test_enter_in_the_filter_opens_what_it_found(browser: Browser, qtbot: QtBot) -> None:
    browser.set_current("call-1")
    browser.filter_field.setText("meeting")
    with qtbot.waitSignal(browser.opened) as opened:
        browser.filter_field.returnPressed.emit()
    assert opened.args == ["meeting"]
