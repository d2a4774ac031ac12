import pytest
from pytestqt.qtbot import QtBot

from app.message_bar import MessageBar, Remedy


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
    bar._remedies[0].click()
    assert called == ["again"]
    assert bar.texts == ()


def test_a_button_may_leave_its_sentence_until_it_is_withdrawn(bar: MessageBar) -> None:
    called: list[str] = []
    bar.say("no sound", remedies=[Remedy("Try now", lambda: called.append("now"), closes=False)])
    bar._remedies[0].click()
    bar._remedies[0].click()
    assert called == ["now", "now"]
    bar.withdraw("no sound")
    assert bar.texts == ()
    assert not bar.isVisible()


def test_an_amended_sentence_keeps_its_place_and_its_buttons(bar: MessageBar) -> None:
    called: list[str] = []
    bar.say("it goes on", serious=True, remedies=[Remedy("Try now", lambda: called.append("now"))])
    bar.say("other")
    bar.amend("it goes on", "it waits")
    assert bar.texts == ("it waits", "other")
    bar._remedies[0].click()
    assert called == ["now"]


def test_withdrawing_what_was_closed_changes_nothing(bar: MessageBar) -> None:
    bar.say("first")
    bar.withdraw("second")
    assert bar.texts == ("first",)
