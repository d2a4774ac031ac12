"""A sound output that is heard late, and an ear that knows when it heard what."""

import numpy as np
from numpy.typing import NDArray

from app.playback.ring import Ring
from app.playback.silent import SilentOutput
from widgets.transport.transport import ChannelMix


class Clock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


class LateOutput(SilentOutput):
    """Takes frames by the clock and keeps them.

    Parameters
    ----------
    latency_s
        Between taking a frame and hearing it, as it says itself.
    unsaid_s
        What it is later than it says.
    """

    name = "Late speaker"

    def __init__(
        self, *, ring: Ring, rate_hz: int, clock: Clock, latency_s: float = 0.0, unsaid_s: float = 0.0
    ) -> None:
        super().__init__(ring=ring, rate_hz=rate_hz, clock=clock)
        self.latency_s = latency_s
        self.visits = 0
        self._unsaid_s = unsaid_s
        self._blocks: list[tuple[float, NDArray[np.float32]]] = []
        self._rate = rate_hz
        pull = ring.pull

        def keep(out: NDArray[np.float32], dac_time_s: float) -> None:
            pull(out, dac_time_s + latency_s)
            self._blocks.append((dac_time_s + latency_s + unsaid_s, out.copy()))

        ring.pull = keep  # type: ignore[method-assign]

    def service(self) -> None:
        super().service()
        self.visits += 1

    @property
    def taken(self) -> NDArray[np.float32]:
        """All that was taken, ``(n, 2)``."""
        return np.concatenate([np.zeros((0, 2), np.float32), *(samples for _, samples in list(self._blocks))])

    @property
    def frames_taken(self) -> int:
        """How many frames were taken."""
        return sum(len(samples) for _, samples in self._blocks)

    def taken_from(self, frame: int) -> NDArray[np.float32]:
        """Return what was taken from the frame of that number on, ``(n, 2)``."""
        return self.taken[frame:]

    def clicks_s(self, level: float, apart_s: float) -> list[float]:
        """Return when clicks were or will be heard: the loudest sample of each cluster above a level."""
        heard: list[tuple[float, float]] = []
        for start_s, samples in list(self._blocks):
            loudness = np.abs(samples[:, 0])
            for place in np.flatnonzero(loudness > level):
                now = (start_s + place / self._rate, float(loudness[place]))
                if heard and now[0] - heard[-1][0] < apart_s:
                    heard[-1] = max(heard[-1], now, key=lambda click: click[1])
                else:
                    heard.append(now)
        return [time_s for time_s, _ in heard]


class Channels:
    """Adds channels ``(n, frames)`` up on both sides; gain and pan change nothing, solo and mute do."""

    def __init__(self, channels: NDArray[np.float32]) -> None:
        self._channels = channels

    def render(self, first: int, count: int, mix: tuple[ChannelMix, ...]) -> NDArray[np.float32]:
        out = np.zeros((count, 2), np.float32)
        solo = any(channel.solo for channel in mix)
        for samples, channel in zip(self._channels[:, first : first + count], mix, strict=True):
            if channel.solo or not (solo or channel.muted):
                out[: len(samples)] += samples[:, None]
        return out
