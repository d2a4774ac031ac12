import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.playback.output import Output, SoundUnavailableError
from app.playback.ring import Ring
from app.playback.silent import SilentOutput
from app.tap_delay import ClickPlan
from app.tap_wizard import TapWizard

PLAN = ClickPlan(rate_hz=8000, period_s=0.5, lead_in=1, counted=9)


class Headset(SilentOutput):
    """A device that is heard when it says, so that whoever taps late plays one that is not."""

    name = "Headset"


def headset(ring: Ring) -> Output:
    return Headset(ring=ring, rate_hz=PLAN.rate_hz)


class Saved(dict[str, float]):
    """What the wizard was asked to keep."""

    def __call__(self, name: str, by_ms: float) -> None:
        self[name] = by_ms


def build(qtbot: QtBot, saved: Saved, **changes: object) -> TapWizard:
    values: dict[str, object] = {"plan": PLAN, "open_sound": headset, "corrections_ms": {}, "device": "Headset"}
    wizard = TapWizard(save=saved, **(values | changes))  # type: ignore[arg-type]
    qtbot.addWidget(wizard)
    with qtbot.waitExposed(wizard):
        wizard.show()
    return wizard


def tap_all(wizard: TapWizard, qtbot: QtBot, late_ms: float, *, count: int = PLAN.counted) -> None:
    """Press Space on the counted clicks, each `late_ms` after it is heard as the device reports."""
    wizard.start_button.click()
    late = round(late_ms * PLAN.rate_hz / 1000)
    for click in PLAN.clicks[PLAN.lead_in :][:count]:
        while wizard.player.position < click + late:
            QTest.qWait(1)
        QTest.keyClick(wizard.field, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: not wizard.running, timeout=10_000)


def test_presses_150_ms_after_each_click_give_150_ms_which_saving_keeps(qtbot: QtBot) -> None:
    saved = Saved()
    wizard = build(qtbot, saved)
    tap_all(wizard, qtbot, 150)
    assert wizard.delay is not None
    assert wizard.delay.median_ms == pytest.approx(150, abs=10)
    assert "of 9 taps" in wizard.result_text
    wizard.save_button.click()
    assert saved == {"Headset": wizard.correction_field.value()}
    assert wizard.correction_field.value() == pytest.approx(150, abs=10)
    wizard.accept()


def test_too_few_taps_leave_the_correction_as_it_was(qtbot: QtBot) -> None:
    saved = Saved()
    wizard = build(qtbot, saved, corrections_ms={"Headset": 40.0})
    tap_all(wizard, qtbot, 20, count=3)
    assert "3 taps count, and 8 are needed" in wizard.result_text
    assert wizard.correction_field.value() == 40
    assert saved == {}
    wizard.accept()


def test_a_value_can_be_typed_without_tapping_and_put_back_to_nothing(qtbot: QtBot) -> None:
    saved = Saved()
    wizard = build(qtbot, saved)
    wizard.correction_field.setValue(150)
    wizard.save_button.click()
    assert saved == {"Headset": 150}
    wizard.reset_button.click()
    assert saved == {"Headset": 0}
    wizard.accept()


def test_a_held_key_is_one_tap_and_keys_before_the_start_are_none(qtbot: QtBot) -> None:
    wizard = build(qtbot, Saved())
    QTest.keyClick(wizard.field, Qt.Key.Key_Space)
    assert wizard._taps == []
    wizard.start_button.click()
    qtbot.waitUntil(lambda: wizard.player.position > PLAN.clicks[1], timeout=5000)
    QTest.keyPress(wizard.field, Qt.Key.Key_J)
    QTest.keyRelease(wizard.field, Qt.Key.Key_J)
    assert len(wizard._taps) == 1
    wizard.accept()


def test_without_the_device_nothing_is_measured_and_the_reason_is_said(qtbot: QtBot) -> None:
    def refuse(ring: Ring) -> Output:
        raise SoundUnavailableError("The sound device “Headset” is in use by another program.")

    wizard = build(qtbot, Saved(), open_sound=refuse)
    wizard.start_button.click()
    qtbot.waitUntil(lambda: "in use by another program" in wizard.result_text, timeout=5000)
    assert not wizard.running
    assert wizard.delay is None
    wizard.accept()


def test_closing_while_it_clicks_stops_the_sound(qtbot: QtBot) -> None:
    wizard = build(qtbot, Saved())
    wizard.start_button.click()
    qtbot.waitUntil(lambda: wizard.player.position > 0, timeout=5000)
    wizard.reject()
    assert not wizard.player.playing
