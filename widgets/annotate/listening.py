"""How an annotator listens to one item: counted while it is open, and handed in with the answer."""

import time
from collections.abc import Callable

from annotation.circumstances import Circumstances
from annotation.study.presentation import Listening


class ListeningMeter:
    """Counts from showing an item on; a break counts neither as spent nor as listened.

    Parameters
    ----------
    clock
        Seconds, from anywhere.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._plays = 0
        self._listened_s = 0.0
        self._spent_s = 0.0
        self._shown: float | None = clock()
        self._sounding: float | None = None
        self._speeds: list[float] = []

    def start(self) -> None:
        """Count that sound was started."""
        self._plays += 1

    def follow(self, *, playing: bool, speed: float) -> None:
        """Take notice of whether sound runs, and how fast."""
        now = self._clock()
        if self._sounding is not None:
            self._listened_s += now - self._sounding
        self._sounding = now if playing else None
        if playing:
            self._speeds.append(speed)
            self._speeds = [min(self._speeds), max(self._speeds)]

    def stop(self) -> None:
        """Stop the clock: a break, or the end."""
        self.follow(playing=False, speed=1.0)
        if self._shown is not None:
            self._spent_s += self._clock() - self._shown
            self._shown = None

    def resume(self) -> None:
        """Let the clock run again."""
        if self._shown is None:
            self._shown = self._clock()

    def listening(self, circumstances: Circumstances) -> Listening:
        """Return what was counted so far, heard as `circumstances` says."""
        now = self._clock()
        return Listening(
            plays=self._plays,
            listened_s=round(self._listened_s + (now - self._sounding if self._sounding is not None else 0.0), 3),
            spent_s=round(self._spent_s + (now - self._shown if self._shown is not None else 0.0), 3),
            slowest=min(self._speeds, default=1.0),
            fastest=max(self._speeds, default=1.0),
            device=circumstances.device,
            reported_latency_s=circumstances.reported_latency_s,
            correction_s=circumstances.correction_s,
        )
