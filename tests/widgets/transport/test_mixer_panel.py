"""The mixer panel: what a person moves is what is announced."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from widgets.transport.channel_strip import gain_text, pan_text
from widgets.transport.mixer_panel import MixerPanel
from widgets.transport.transport import ChannelMix

SPREAD = (ChannelMix(pan=-0.8), ChannelMix(pan=0.0), ChannelMix(pan=0.8))


@pytest.fixture
def panel(qtbot: QtBot) -> MixerPanel:
    panel = MixerPanel(speakers=[("Anna", "#2266aa"), ("Ben", "#aa6622"), ("Cleo", "#22aa66")], mix=SPREAD)
    qtbot.addWidget(panel)
    panel.resize(340, 300)
    panel.show()
    return panel


def test_a_panel_starts_with_the_pans_it_is_given(panel: MixerPanel) -> None:
    assert panel.mix == SPREAD


def test_solo_of_the_second_speaker_is_announced_with_the_whole_mix(qtbot: QtBot, panel: MixerPanel) -> None:
    with qtbot.waitSignal(panel.mix_changed, timeout=2000) as announced:
        panel.toggle_solo(1)
    assert announced.args == [(SPREAD[0], ChannelMix(solo=True), SPREAD[2])]


def test_mute_is_switched_on_and_off_again(panel: MixerPanel) -> None:
    panel.toggle_mute(2)
    assert panel.mix[2].muted
    panel.toggle_mute(2)
    assert panel.mix == SPREAD


def test_solo_and_mute_are_reached_and_switched_by_keyboard(qtbot: QtBot, panel: MixerPanel) -> None:
    panel.activateWindow()
    panel.strips[0].solo.setFocus()
    QTest.keyClick(panel.strips[0].solo, Qt.Key.Key_Space)
    QTest.keyClick(panel.strips[0].solo, Qt.Key.Key_Tab)
    QTest.keyClick(panel.strips[0].mute, Qt.Key.Key_Space)
    assert (panel.mix[0].solo, panel.mix[0].muted) == (True, True)
    assert panel.strips[0].mute.accessibleName() == "Mute Anna"
    assert panel.strips[0].solo.nextInFocusChain() is panel.strips[0].mute


def test_gain_moves_by_half_decibels_and_a_double_click_resets_it(qtbot: QtBot, panel: MixerPanel) -> None:
    gain = panel.strips[1].gain
    QTest.keyClick(gain, Qt.Key.Key_Left)
    assert panel.mix[1].gain_db == -0.5
    QTest.mouseDClick(gain, Qt.MouseButton.LeftButton)
    assert panel.mix[1].gain_db == 0.0


def test_a_double_click_takes_the_pan_back_to_where_it_was_spread_to(qtbot: QtBot, panel: MixerPanel) -> None:
    pan = panel.strips[0].pan
    pan.setValue(50)
    assert panel.mix[0].pan == 0.5
    QTest.mouseDClick(pan, Qt.MouseButton.LeftButton)
    assert panel.mix[0].pan == -0.8


def test_a_mix_that_is_set_from_outside_is_shown_and_not_announced(panel: MixerPanel) -> None:
    announced: list[object] = []
    panel.mix_changed.connect(announced.append)
    mix = (ChannelMix(gain_db=-6.0, muted=True), ChannelMix(solo=True), ChannelMix(pan=-1.0))
    panel.set_mix(mix)
    assert panel.mix == mix
    assert panel.strips[0].mute.isChecked()
    assert panel.strips[0].gain.value() == -12
    assert announced == []


@pytest.mark.parametrize(("gain_db", "text"), [(0.0, "0.0 dB"), (-6.0, "−6.0 dB"), (3.5, "+3.5 dB")])
def test_gains_are_shown_with_their_sign(gain_db: float, text: str) -> None:
    assert gain_text(gain_db) == text


@pytest.mark.parametrize(("pan", "text"), [(0.0, "centre"), (-0.5, "L 50"), (1.0, "R 100")])
def test_pans_are_shown_by_side(pan: float, text: str) -> None:
    assert pan_text(pan) == text
