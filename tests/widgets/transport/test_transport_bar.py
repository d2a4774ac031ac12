"""The transport bar shows what plays, and switches it."""

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from annotation.circumstances import Circumstances
from widgets.theme import palette, theme_named
from widgets.transport.icons import icon_from_palette
from widgets.transport.transport import ChannelMix
from widgets.transport.transport_bar import TransportBar

RATE_HZ = 16_000


class Tape(QObject):
    """A transport whose position the test moves."""

    state_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.playing = False
        self.position = 0
        self.looping = False
        self.speed = 1.0

    def play(self, onset: int | None = None, offset: int | None = None) -> None:
        self.playing = True
        self.position = self.position if onset is None else onset
        self.state_changed.emit()

    def pause(self) -> None:
        self.playing = False
        self.state_changed.emit()

    def seek(self, frame: int) -> None:
        self.position = frame
        self.state_changed.emit()

    def set_looping(self, looping: bool) -> None:
        self.looping = looping

    def set_mix(self, mix: tuple[ChannelMix, ...]) -> None:
        pass

    def circumstances(self) -> Circumstances:
        return Circumstances(playing=self.playing, speed=self.speed)

    def set_speed(self, speed: float) -> None:
        self.speed = speed
        self.state_changed.emit()


@pytest.fixture
def tape() -> Tape:
    return Tape()


@pytest.fixture
def actions() -> list[QAction]:
    made = [QAction(text) for text in ("&Play or pause", "Play the &selection", "Play the &end", "&Loop", "&Follow")]
    for action in made[3:]:
        action.setCheckable(True)
    return made


@pytest.fixture
def bar(qtbot: QtBot, tape: Tape, actions: list[QAction]) -> TransportBar:
    bar = TransportBar(transport=tape, rate_hz=RATE_HZ, frames=RATE_HZ * 7200, actions=actions)
    qtbot.addWidget(bar)
    return bar


def test_the_time_is_shown_in_hours_minutes_seconds_and_milliseconds(bar: TransportBar) -> None:
    bar.seek(round(3723.042 * RATE_HZ))
    assert bar.time_text == "1:02:03.042"


def test_the_position_is_polled_only_while_it_plays(bar: TransportBar, tape: Tape) -> None:
    assert not bar.polling
    tape.play()
    assert bar.polling
    tape.pause()
    assert not bar.polling


def test_each_new_position_is_announced_while_playing(qtbot: QtBot, bar: TransportBar, tape: Tape) -> None:
    tape.play()
    with qtbot.waitSignal(bar.position_changed, timeout=2000) as announced:
        tape.position = 4000
    assert announced.args == [4000]


def test_a_jump_while_paused_is_announced(qtbot: QtBot, bar: TransportBar, tape: Tape) -> None:
    with qtbot.waitSignal(bar.position_changed, timeout=2000) as announced:
        tape.seek(777)
    assert announced.args == [777]


def test_an_end_that_nobody_announced_stops_the_polling(qtbot: QtBot, bar: TransportBar, tape: Tape) -> None:
    tape.play()
    tape.playing = False
    qtbot.waitUntil(lambda: not bar.polling, timeout=2000)


def test_the_loop_button_and_the_transport_agree(
    qtbot: QtBot, bar: TransportBar, tape: Tape, actions: list[QAction]
) -> None:
    button = bar.buttons[3]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert tape.looping
    assert button.isChecked()
    assert actions[3].isChecked()
    actions[3].trigger()
    assert not tape.looping
    assert not button.isChecked()


def test_a_loop_that_is_on_already_reaches_a_new_transport(qtbot: QtBot, tape: Tape, actions: list[QAction]) -> None:
    actions[3].setChecked(True)
    qtbot.addWidget(TransportBar(transport=tape, rate_hz=RATE_HZ, frames=100, actions=actions))
    assert tape.looping


def test_a_click_triggers_the_action_once(qtbot: QtBot, bar: TransportBar, actions: list[QAction]) -> None:
    triggered: list[bool] = []
    actions[0].triggered.connect(lambda: triggered.append(True))
    QTest.mouseClick(bar.buttons[0], Qt.MouseButton.LeftButton)
    assert len(triggered) == 1


def test_buttons_take_tip_name_and_state_from_their_actions(bar: TransportBar, actions: list[QAction]) -> None:
    actions[1].setToolTip("Play the selection (Shift+Space)")
    actions[1].setEnabled(False)
    assert bar.buttons[1].toolTip() == "Play the selection (Shift+Space)"
    assert bar.buttons[1].accessibleName() == "Play the selection"
    assert not bar.buttons[1].isEnabled()


def test_a_chosen_device_is_announced_by_name(qtbot: QtBot, bar: TransportBar) -> None:
    bar.set_devices(["Loudspeakers", "Headphones"], "Headphones")
    chooser = bar.findChild(QComboBox)
    assert isinstance(chooser, QComboBox)
    assert chooser.currentText() == "Headphones"
    with qtbot.waitSignal(bar.device_chosen, timeout=2000) as chosen:
        chooser.setFocus()
        QTest.keyClick(chooser, Qt.Key.Key_Up)
    assert chosen.args == ["Loudspeakers"]


def test_a_device_that_is_not_there_is_shown_as_such(bar: TransportBar) -> None:
    bar.set_devices(["Loudspeakers"], "Headphones")
    chooser = bar.findChild(QComboBox)
    assert isinstance(chooser, QComboBox)
    assert chooser.currentText() == "Headphones (not there)"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["play", "pause", "play-selection", "play-end", "loop", "follow"])
def test_icons_are_drawn_in_the_colour_of_the_text(qtbot: QtBot, name: str, theme: str) -> None:
    colours = palette(theme_named(theme))
    image = icon_from_palette(name, colours, 20).pixmap(40).toImage()
    opaque = {
        image.pixelColor(x, y).name() for x in range(40) for y in range(40) if image.pixelColor(x, y).alpha() == 255
    }
    assert image.width() == 40
    assert opaque == {colours.color(QPalette.ColorRole.ButtonText).name()}


def test_the_speed_button_says_the_speed_and_stands_out_while_it_is_another(bar: TransportBar, tape: Tape) -> None:
    button = bar.speed_button
    assert (button.text(), button.isChecked()) == ("1 ×", False)
    assert bar.step_speed(faster=False) == "0.9 ×"
    assert (button.text(), button.isChecked(), tape.speed) == ("0.9 ×", True, 0.9)
    assert "0.9 × as fast, the pitch kept" in button.toolTip()
    bar.choose_speed(1.0)
    assert (button.text(), button.isChecked(), tape.speed) == ("1 ×", False, 1.0)


def test_steps_of_speed_end_at_half_and_twice(bar: TransportBar, tape: Tape) -> None:
    assert [bar.step_speed(faster=False) for _ in range(5)] == ["0.9 ×", "0.75 ×", "0.6 ×", "0.5 ×", "0.5 ×"]
    assert [bar.step_speed(faster=True) for _ in range(8)][-2:] == ["2 ×", "2 ×"]
    tape.set_speed(0.8)
    assert bar.step_speed(faster=True) == "0.9 ×"


def test_a_speed_chosen_in_the_menu_is_played_and_told_once(bar: TransportBar, tape: Tape) -> None:
    told: list[float] = []
    bar.speed_changed.connect(told.append)
    choices = {choice.text(): choice for choice in bar.speed_button.menu().actions()}
    choices["0.75 ×"].trigger()
    choices["0.75 ×"].trigger()
    assert (tape.speed, told) == (0.75, [0.75])
    assert bar.speed_button.isChecked()
    assert [text for text, choice in choices.items() if choice.isChecked()] == ["0.75 ×"]


def test_a_speed_set_elsewhere_is_shown(bar: TransportBar, tape: Tape) -> None:
    tape.set_speed(2.0)
    assert bar.speed_button.text() == "2 ×"


def test_the_tip_of_the_speed_button_names_the_keys_in_force(qtbot: QtBot, tape: Tape, actions: list[QAction]) -> None:
    keys = [QAction(text) for text in ("Slo&wer", "F&aster", "As &recorded")]
    for action, key in zip(keys, "JKH", strict=True):
        action.setShortcut(key)
    bar = TransportBar(transport=tape, rate_hz=RATE_HZ, frames=RATE_HZ, actions=actions, speed_actions=keys)
    qtbot.addWidget(bar)
    assert bar.speed_button.toolTip().splitlines() == [
        "Speed: as recorded",
        "Slower: J",
        "Faster: K",
        "As recorded: H",
    ]
    keys[0].setShortcut("W")
    assert "Slower: W" in bar.speed_button.toolTip()
