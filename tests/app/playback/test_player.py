"""The player as the window sees it: signals, orders from the window, no device."""

import numpy as np
import pytest
from numpy.typing import NDArray
from pytestqt.qtbot import QtBot

from app.playback import player as player_module
from app.playback.output import Output, SoundUnavailableError
from app.playback.player import Player
from app.playback.ring import Ring
from app.playback.silent import SilentOutput
from widgets.transport.transport import ChannelMix, Transport

RATE_HZ = 8_000


class Quiet:
    """Renders nothing, and fails from a frame on."""

    def __init__(self, broken_from: int = 10**9) -> None:
        self.broken_from = broken_from

    def render(self, first: int, count: int, mix: tuple[ChannelMix, ...]) -> NDArray[np.float32]:
        if first + count > self.broken_from:
            raise OSError("speaker-a.wav cannot be read")
        return np.zeros((count, 2), np.float32)


def build(qtbot: QtBot, **changes: object) -> Player:
    def silent(ring: Ring) -> Output:
        return SilentOutput(ring=ring, rate_hz=RATE_HZ)

    values: dict[str, object] = {"rate_hz": RATE_HZ, "frames": 80_000, "renderer": Quiet(), "channels": 1}
    return Player(**(values | {"open_sound": silent} | changes))  # type: ignore[arg-type]


def test_a_player_is_a_transport(qtbot: QtBot) -> None:
    transport: Transport = build(qtbot)
    assert not transport.playing
    assert transport.position == 0
    transport.close()  # type: ignore[attr-defined]


def test_the_end_of_a_passage_is_announced_once(qtbot: QtBot) -> None:
    player = build(qtbot)
    with qtbot.waitSignal(player.finished, timeout=5000):
        player.play(1000, 1400)
    assert player.position == 1400
    assert not player.playing
    player.close()


def test_seeking_while_paused_changes_the_state(qtbot: QtBot) -> None:
    player = build(qtbot)
    with qtbot.waitSignal(player.state_changed, timeout=5000):
        player.seek(4000)
    assert player.position == 4000
    player.close()


def test_a_seek_out_of_the_timeline_stops_at_its_edge(qtbot: QtBot) -> None:
    player = build(qtbot)
    player.seek(-5)
    assert player.position == 0
    player.seek(90_000)
    assert player.position == 80_000
    player.close()


def test_a_file_that_vanished_is_said_and_pauses(qtbot: QtBot) -> None:
    player = build(qtbot, renderer=Quiet(broken_from=2000))
    with qtbot.waitSignal(player.fault, timeout=5000) as said:
        player.play(1000)
    assert "speaker-a.wav" in said.args[0]
    assert not player.playing
    player.close()


def test_without_the_library_the_player_says_what_to_install_and_still_plays(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise OSError("PortAudio library not found")

    monkeypatch.setattr("app.playback.output.import_module", missing)
    player = build(qtbot, open_sound=None)
    assert "libportaudio2" in player.trouble
    with qtbot.waitSignal(player.finished, timeout=5000):
        player.play(0, 400)
    assert player.position == 400
    player.close()


def test_trouble_that_was_told_at_the_start_is_not_told_again_by_the_first_sound(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object, **__: object) -> None:
        raise SoundUnavailableError("There is no sound: this computer has no sound output.")

    monkeypatch.setattr(player_module, "device_named", missing)
    monkeypatch.setattr(player_module, "open_output", missing)
    player = build(qtbot, open_sound=None)
    assert player.trouble
    faults: list[str] = []
    player.fault.connect(faults.append)
    with qtbot.waitSignal(player.finished, timeout=5000):
        player.play(0, 400)
    assert faults == []
    player.close()


def test_an_event_log_at_a_million_frames_a_second_runs_on_a_silent_clock(qtbot: QtBot) -> None:
    player = build(qtbot, rate_hz=1_000_000, frames=60_000_000, renderer=None, channels=0, open_sound=None)
    assert player.trouble == ""
    with qtbot.waitSignal(player.finished, timeout=5000):
        player.play(59_900_000, None)
    assert player.position == 60_000_000
    player.close()


def test_a_closed_player_takes_no_orders(qtbot: QtBot) -> None:
    player = build(qtbot)
    player.close()
    player.play(0, 400)
    player.close()
    assert not player.playing


def test_a_device_chosen_while_playing_pauses_and_keeps_the_position(qtbot: QtBot) -> None:
    player = build(qtbot)
    player.play(4000)
    qtbot.waitUntil(lambda: player.position > 4100, timeout=5000)
    with qtbot.waitSignal(player.state_changed, timeout=5000):
        player.choose_device("")
    assert not player.playing
    assert player.position > 4100
    player.close()


class Named(SilentOutput):
    """A device on a clock that stands still when told to."""

    name = "Headset"


def test_the_correction_of_the_device_in_use_moves_the_cursor_by_exactly_that_and_at_once(qtbot: QtBot) -> None:
    now = [100.0]

    def headset(ring: Ring) -> Output:
        return Named(ring=ring, rate_hz=RATE_HZ, clock=lambda: now[0])

    player = build(qtbot, open_sound=headset, clock=lambda: now[0])
    player.play(0)
    qtbot.waitUntil(lambda: bool(player.output_name), timeout=5000)
    for _ in range(100):
        now[0] += 0.01
        qtbot.waitUntil(lambda: player.position == round((now[0] - 100) * RATE_HZ), timeout=5000)
    player.set_corrections({"Headset": 150.0, "Speakers": 900.0})
    assert player.position == RATE_HZ - 1200
    assert player.correction_frames == 1200
    player.close()


def test_a_correction_is_in_force_from_the_first_sound(qtbot: QtBot) -> None:
    player = build(qtbot, corrections_ms={SilentOutput.name: 40.0})
    player.play(0)
    qtbot.waitUntil(lambda: bool(player.output_name), timeout=5000)
    assert player.correction_frames == 320
    player.close()
