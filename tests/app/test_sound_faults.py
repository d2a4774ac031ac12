"""What the window says and does when its sound device is lost: one banner, and work that goes on."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotation.audio.cache import AudioCache
from app.demo import make_demo
from app.main_window import MainWindow
from app.playback.devices import OutputDevice
from app.playback.output import Output, SoundUnavailableError
from app.playback.ring import Ring
from app.playback.silent import SilentOutput
from app.preferences import Preferences
from app.settings import Settings, SettingsFile
from app.sound_dialogs import list_devices_anew
from app.sound_page import SoundPage
from app.storage_page import StoragePage
from app.workspaces.label import LabelPage

HEADSET = OutputDevice(name="Headset", number=0, latency_s=0.1, rate_hz=48_000.0, default=True)
SPEAKERS = OutputDevice(name="Speakers", number=1, latency_s=0.02, rate_hz=48_000.0, default=False)


class Computer:
    """The one sound device of a computer, plugged in or not."""

    def __init__(self) -> None:
        self.present = True
        self.refreshed = 0

    def device(self, name: str = "") -> OutputDevice:
        if not self.present:
            raise SoundUnavailableError("There is no sound: this computer has no sound output.")
        return HEADSET

    def open(self, name: str, *, ring: Ring, rate_hz: int) -> Output:
        self.device()
        computer = self

        class Headset(SilentOutput):
            name = "Headset"

            @property
            def alive(self) -> bool:
                return computer.present

        return Headset(ring=ring, rate_hz=rate_hz)

    def refresh(self) -> None:
        self.refreshed += 1


@pytest.fixture
def computer(monkeypatch: pytest.MonkeyPatch) -> Computer:
    computer = Computer()
    monkeypatch.setattr("app.playback.player.device_named", computer.device)
    monkeypatch.setattr("app.playback.player.open_output", computer.open)
    monkeypatch.setattr("app.playback.player.refresh_devices", computer.refresh)
    monkeypatch.setattr("app.playback.recovery.FIRST_PAUSE_S", 0.05)
    return computer


@pytest.fixture
def window(computer: Computer, tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> Iterator[MainWindow]:
    window = MainWindow(settings=SettingsFile())
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    window.open_project(make_demo(tmp_path))
    qtbot.waitUntil(lambda: not window.tasks.tasks, timeout=30_000)
    window.messages.clear()
    yield window
    window.close()
    window.deleteLater()


def page_of(window: MainWindow) -> LabelPage:
    assert window.page is not None
    return window.page


def press_space(window: MainWindow) -> None:
    QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Space)


def lose_while_playing(window: MainWindow, computer: Computer, qtbot: QtBot) -> int:
    """Return the position kept."""
    player = page_of(window).player
    press_space(window)
    qtbot.waitUntil(lambda: player.position > 2000, timeout=5000)
    computer.present = False
    qtbot.waitUntil(lambda: bool(window.messages.texts), timeout=5000)
    return player.position


def test_the_banner_appears_with_the_loss_and_goes_when_playing_goes_on(
    window: MainWindow, computer: Computer, qtbot: QtBot
) -> None:
    kept = lose_while_playing(window, computer, qtbot)
    player = page_of(window).player
    assert window.messages.isVisible()
    assert window.messages.texts == (
        "The sound device “Headset” was lost. The position is kept. "
        "Playing goes on by itself when it is back, unless you press pause.",
    )
    assert [button.text() for button in window.messages._remedies] == ["Try now", "Other device…"]
    assert not player.playing
    computer.present = True
    qtbot.waitUntil(lambda: player.playing and player.position > kept, timeout=5000)
    qtbot.waitUntil(lambda: not window.messages.texts, timeout=5000)
    assert not window.messages.isVisible()
    assert window.statusBar().currentMessage() == "Sound is back on “Headset”; playing goes on."


def test_space_while_it_waits_is_a_pause_and_the_return_is_only_said(
    window: MainWindow, computer: Computer, qtbot: QtBot
) -> None:
    kept = lose_while_playing(window, computer, qtbot)
    press_space(window)
    qtbot.waitUntil(lambda: "You are told when it is back." in window.messages.texts[0], timeout=5000)
    computer.present = True
    qtbot.waitUntil(lambda: not window.messages.texts, timeout=5000)
    assert not page_of(window).player.playing
    assert page_of(window).player.position == kept
    assert window.statusBar().currentMessage() == "Sound is back on “Headset”."


def test_trying_now_says_what_it_found_and_leaves_the_banner(
    window: MainWindow, computer: Computer, qtbot: QtBot
) -> None:
    lose_while_playing(window, computer, qtbot)
    window.messages._remedies[0].click()
    qtbot.waitUntil(lambda: "not there yet" in window.statusBar().currentMessage(), timeout=5000)
    assert len(window.messages.texts) == 1


def test_closing_the_project_takes_the_banner_away(window: MainWindow, computer: Computer, qtbot: QtBot) -> None:
    lose_while_playing(window, computer, qtbot)
    window.close_project()
    assert window.messages.texts == ()


def test_a_correction_in_the_settings_is_in_force_at_once_and_at_the_next_start(
    window: MainWindow, computer: Computer, qtbot: QtBot
) -> None:
    press_space(window)
    player = page_of(window).player
    qtbot.waitUntil(lambda: player.output_name == "Headset", timeout=5000)
    window.settings.change(corrections_ms={"Headset": 150.0})
    window.apply_settings(frozenset({"corrections_ms"}))
    assert player.correction_frames == round(0.15 * page_of(window).conversation.rate_hz)
    assert SettingsFile(window.settings.path).value.corrections_ms == {"Headset": 150.0}


def test_devices_are_listed_anew_once_the_player_has_given_its_own_back(
    window: MainWindow, computer: Computer, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.playback.devices.refresh_devices", computer.refresh)
    monkeypatch.setattr("app.playback.devices.present_devices", lambda: (HEADSET, SPEAKERS))
    press_space(window)
    qtbot.waitUntil(lambda: page_of(window).player.output_name == "Headset", timeout=5000)
    listed: list[OutputDevice] = []
    list_devices_anew(window, listed.extend)
    qtbot.waitUntil(lambda: bool(listed), timeout=5000)
    assert computer.refreshed == 1
    assert listed == [HEADSET, SPEAKERS]
    assert page_of(window).player.output_name == ""


def sound_page(corrections_ms: dict[str, float], device: str = "") -> SoundPage:
    return SoundPage(
        devices=(HEADSET, SPEAKERS),
        device=device,
        corrections_ms=corrections_ms,
        list_anew=lambda hand_over: hand_over((SPEAKERS,)),
        measure=lambda name: 210.0,
    )


def test_the_sound_page_shows_each_device_with_its_delay_and_its_correction(qtbot: QtBot) -> None:
    page = sound_page({"Headset": 150.0})
    qtbot.addWidget(page)
    assert page.correction_field.value() == 150
    assert page.reported_label.text().startswith("100 ms")
    page.device_field.setCurrentIndex(page.device_field.findData("Speakers"))
    assert page.correction_field.value() == 0
    assert page.reported_label.text().startswith("80 ms")
    page.correction_field.setValue(30)
    assert page.corrections_ms == {"Headset": 150, "Speakers": 30}


def test_a_device_that_is_gone_after_listing_anew_stays_chosen_and_says_so(qtbot: QtBot) -> None:
    page = sound_page({}, device="Headset")
    qtbot.addWidget(page)
    page.refresh_button.click()
    assert page.device == "Headset"
    assert page.reported_label.text() == "The device is not there."
    assert not page.measure_button.isEnabled()


def test_measuring_fills_in_the_correction(qtbot: QtBot) -> None:
    page = sound_page({})
    qtbot.addWidget(page)
    page.measure_button.click()
    assert page.correction_field.value() == 210
    assert page.corrections_ms == {"Headset": 210}


def test_the_preferences_keep_device_and_corrections(qtbot: QtBot, tmp_path: Path) -> None:
    page = sound_page({})
    storage = StoragePage(cache=AudioCache(tmp_path), cache_gb=Settings().cache_gb, emptied=lambda _: None)
    dialog = Preferences(settings=Settings(), sound=page, storage=storage, reserved={}, account="someone")
    qtbot.addWidget(dialog)
    dialog.show_sound()
    page.device_field.setCurrentIndex(page.device_field.findData("Speakers"))
    page.correction_field.setValue(-20)
    dialog._on_accept()
    assert dialog.changes == {"device": "Speakers", "corrections_ms": {"Speakers": -20}}
