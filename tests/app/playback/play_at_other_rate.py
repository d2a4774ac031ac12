"""Plays 1.5 s at a rate through the default device and prints how; a process of its own, as PortAudio needs it.

Usage: play_at_other_rate.py RATE_HZ
"""

import json
import sys
import time

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication
from PySide6.QtTest import QTest

from app.playback.player import Player
from widgets.transport.transport import ChannelMix


class Quiet:
    """Renders silence."""

    def render(self, first: int, count: int, mix: tuple[ChannelMix, ...]) -> NDArray[np.float32]:
        return np.zeros((count, 2), np.float32)


def main(rate_hz: int) -> None:
    """Play and print the device, its latency, the faults, and where the cursor was when."""
    QCoreApplication([])
    player = Player(rate_hz=rate_hz, frames=rate_hz * 3 // 2, renderer=Quiet(), channels=1)
    faults: list[str] = []
    player.fault.connect(faults.append)
    player.sound_lost.connect(faults.append)
    player.play(0)
    seen: list[tuple[float, int]] = []
    began_s = time.perf_counter()
    while player.playing and time.perf_counter() - began_s < 20:
        seen.append((time.perf_counter(), player.position))
        QTest.qWait(10)
    said = {"device": player.output_name, "latency": player.latency_frames, "faults": faults, "seen": seen}
    said["end"] = player.position
    player.close()
    sys.stdout.write(json.dumps(said) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
