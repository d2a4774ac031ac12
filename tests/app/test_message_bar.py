import pytest
from pytestqt.qtbot import QtBot

from app.message_bar import MessageBar


@pytest.fixture
def bar(qtbot: QtBot) -> MessageBar:
    bar = MessageBar()
    qtbot.addWidget(bar)
    return bar


def test_messages_wait_for_each_other(bar: MessageBar) -> None:
    bar.say("first")
    bar.say("second")
    assert bar.texts[0] == "second"
    bar.close_message()
    assert bar.texts == ("first",)
    assert bar.isVisible()


def test_a_serious_message_comes_first(bar: MessageBar) -> None:
    bar.say("no sound")
    bar.say("not kept", serious=True)
    bar.say("another", serious=True)
    assert bar.texts == ("another", "not kept", "no sound")


def test_nothing_is_said_twice(bar: MessageBar) -> None:
    bar.say("no sound")
    bar.say("no sound")
    assert bar.texts == ("no sound",)


def test_closing_the_last_message_hides_the_bar(bar: MessageBar) -> None:
    bar.say("first")
    bar.close_message()
    assert not bar.isVisible()


def test_the_button_does_what_it_names_once(bar: MessageBar, qtbot: QtBot) -> None:
    called: list[str] = []
    bar.say("not kept", button="Try again", call=lambda: called.append("again"))
    bar._remedy.click()
    assert called == ["again"]
    assert bar.texts == ()
