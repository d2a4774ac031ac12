"""An output without sound: the clock of the computer takes what a device would take."""

import time
from collections.abc import Callable

import numpy as np

from app.playback.ring import Ring

LEAD_S = 0.02
"""How far ahead of the clock it takes, so that the position moves on evenly between two visits."""

LONGEST_BLOCK = 4096


class SilentOutput:
    """Takes frames from the ring as time passes; driven by `service`, so that it needs no thread of its own."""

    name = "no sound"
    latency_s = 0.0
    lead_in_s = 0.0

    def __init__(self, *, ring: Ring, rate_hz: int, clock: Callable[[], float] = time.perf_counter) -> None:
        self._ring = ring
        self._rate_hz = rate_hz
        self._clock = clock
        self._running = False
        self._started_s = 0.0
        self._taken = 0
        self._sink = np.empty((LONGEST_BLOCK, 2), np.float32)

    @property
    def alive(self) -> bool:
        """A clock does not die."""
        return True

    @property
    def running(self) -> bool:
        """Whether it takes frames."""
        return self._running

    def now_s(self) -> float:
        """Return the time on the clock that the blocks are stamped with."""
        return self._clock()

    def start(self) -> None:
        """Take frames from now on."""
        self._started_s = self._clock()
        self._taken = 0
        self._running = True
        self.service()

    def stop(self) -> None:
        """Take no more."""
        self._running = False

    def close(self) -> None:
        """Take no more, for good."""
        self._running = False

    def service(self) -> None:
        """Take what is due."""
        due = int((self._clock() - self._started_s + LEAD_S) * self._rate_hz)
        while self._running and self._taken < due:
            count = min(due - self._taken, LONGEST_BLOCK)
            self._ring.pull(self._sink[:count], self._started_s + self._taken / self._rate_hz)
            self._taken += count
