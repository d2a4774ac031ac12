"""Plays scenarios through PortAudio: a process of its own, since PortAudio takes its sound system at import.

Usage: played_scenarios.py SIGNALS.npy NUMBERS.npy SCENARIO...; prints one JSON object by scenario. A marker, the only
sound below zero, ends each scenario.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QDeadlineTimer
from PySide6.QtTest import QTest

from app.playback.devices import output_names, refresh_devices
from app.playback.player import Player
from widgets.transport.transport import ChannelMix

RATE_HZ = 48_000
SEEKS = 30


class FoldedMixer:
    """Five channels side by side: channel k has (4 − k) / 4 of its level on the left and k / 4 on the right."""

    def __init__(self, signals: NDArray[np.float32]) -> None:
        self._signals = signals

    def render(self, first: int, count: int, mix: tuple[ChannelMix, ...]) -> NDArray[np.float32]:
        out = np.zeros((count, 2), np.float32)
        solo = any(channel.solo for channel in mix)
        for number, channel in enumerate(mix):
            if channel.solo or not (solo or channel.muted):
                signal = self._signals[number, first : first + count]
                out[:, 0] += signal * np.float32((4 - number) / 4)
                out[:, 1] += signal * np.float32(number / 4)
        return out


class Marker:
    """The sound between two scenarios."""

    def render(self, first: int, count: int, mix: tuple[ChannelMix, ...]) -> NDArray[np.float32]:
        return np.full((count, 2), -0.5, np.float32)


def wait_until(condition: Callable[[], bool], timeout_s: float = 10.0) -> None:
    """Let events and sound run until a condition holds."""
    deadline = QDeadlineTimer(round(1000 * timeout_s))
    while not condition():
        if deadline.hasExpired():
            raise TimeoutError
        QTest.qWait(2)


def play_to(player: Player, frame: int) -> None:
    """Wait until a frame is heard."""
    wait_until(lambda: player.position >= frame)


def rest(duration_ms: int) -> None:
    """Let sound and events run for a while."""
    quiet = QDeadlineTimer(duration_ms)
    wait_until(quiet.hasExpired)


def tell(word: str) -> None:
    """Let the test know how far it is."""
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


def mix(player: Player, frames: int) -> dict[str, object]:
    player.play(0, frames)
    return {}


def loop(player: Player, frames: int) -> dict[str, object]:
    player.set_looping(True)
    player.play(4_800, 14_401)
    for _ in range(3):
        play_to(player, 9_600)
        wait_until(lambda: player.position < 9_600)
    player.set_looping(False)
    return {}


def solo(player: Player, frames: int) -> dict[str, object]:
    player.play(0, frames)
    play_to(player, 14_400)
    ordered_at = player.position
    player.set_mix(tuple(ChannelMix(solo=number == 1) for number in range(5)))
    return {"ordered_at": ordered_at}


def pauses(player: Player, frames: int) -> dict[str, object]:
    rests: list[int] = []
    player.play(0, frames)
    for target, duration_ms in ((6_000, 450), (20_000, 60), (33_333, 300)):
        play_to(player, target)
        player.pause()
        rest(duration_ms)
        rests.append(player.position)
        player.play()
    return {"rests": rests}


def seeks(player: Player, frames: int) -> dict[str, object]:
    targets = [int(target) for target in np.random.default_rng(11).integers(0, frames - RATE_HZ, SEEKS)]
    player.play(targets[0], None)
    for target in targets:
        if target != targets[0]:
            player.seek(target)
        play_to(player, target + 1)
    player.pause()
    return {"targets": targets}


def lost(player: Player, frames: int) -> dict[str, object]:
    player.play(0, frames)
    play_to(player, 4_800)
    tell("playing")
    wait_until(lambda: not player.playing)
    rest(50)
    return {}


def returns(player: Player, frames: int) -> dict[str, object]:
    back: list[str] = []
    player.sound_back.connect(back.append)
    player.play(0, frames)
    play_to(player, 24_000)
    latency = player.latency_frames
    tell("playing")
    wait_until(lambda: player.interrupted)
    kept = player.position
    tell("lost")
    wait_until(lambda: player.playing)
    wait_until(lambda: not player.playing)
    return {"kept": kept, "back": back, "latency_then": latency}


def missing(player: Player, frames: int) -> dict[str, object]:
    listed: list[tuple[str, ...]] = []

    def list_anew() -> None:
        refresh_devices()
        listed.append(output_names())

    player.release_device(list_anew)
    player.choose_device("Nowhere")
    player.play(0, frames)
    wait_until(lambda: bool(player.output_name))
    player.pause()
    rest(50)
    return {"names": listed[0], "output": player.output_name}


def at_speed(speed: float, player: Player, frames: int) -> dict[str, object]:
    player.set_speed(speed)
    player.play(0, frames)
    return {}


SPEEDS = {f"at_{speed}": partial(at_speed, speed) for speed in (0.5, 0.75, 1.5, 2.0)}
SCENARIOS = SPEEDS | {f.__name__: f for f in (mix, loop, solo, pauses, seeks, lost, returns, missing)}


def perform(name: str, signals: NDArray[np.float32]) -> dict[str, object]:
    """Play one scenario and the marker; return what the scenario says."""
    frames = signals.shape[1]
    player = Player(rate_hz=RATE_HZ, frames=frames, renderer=FoldedMixer(signals), channels=5)
    faults: list[str] = []
    player.fault.connect(faults.append)
    player.sound_lost.connect(faults.append)
    said = SCENARIOS[name](player, frames)
    wait_until(lambda: not player.playing)
    said |= {"position": player.position, "latency": player.latency_frames, "faults": faults}
    if not faults:
        rest(300)
        player.set_speed(1.0)
        player.set_renderer(Marker())
        player.play(0, 480)
        wait_until(lambda: not player.playing)
        rest(300)
    player.close()
    return said


def main(signals: str, numbers: str, names: list[str]) -> None:
    """Play scenarios one after the other."""
    QCoreApplication([])
    said = {
        name: perform(name, np.load(Path(numbers if name == "seeks" else signals), allow_pickle=False))
        for name in names
    }
    sys.stdout.write(json.dumps(said) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
