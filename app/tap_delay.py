"""How much later than it reports a device is heard, from taps on a steady click.

Conventions
-----------
A tap's offset is its time minus the time at which the device says the click was heard, in frames, positive when late.
A tap belongs to the click in whose window it falls: from `EARLIEST_S` before it to `LATEST_S` after it. The first
clicks only give the beat and are not counted; of several taps on one click the first counts.

Decisions
---------
The delay is the median of the offsets, the spread their interquartile range: neither is moved by a missed beat. With
fewer than `FEWEST_TAPS` taps, or a spread over `WIDEST_SPREAD_MS`, there is no result. People who tap along come some
tens of milliseconds before the beat they hear (20 to 50 are usual); taps alone cannot tell that from the device's
delay.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from widgets.transport.transport import ChannelMix

EARLIEST_S = 0.2
LATEST_S = 0.5
FEWEST_TAPS = 8
WIDEST_SPREAD_MS = 80.0
CLICK_S = 0.012
CLICK_HZ = 1500.0
CLICK_LEVEL = 0.5


@dataclass(frozen=True, slots=True)
class ClickPlan:
    """Clicks at a steady beat: `lead_in` to find it, `counted` to tap on, and one beat of silence around them."""

    rate_hz: int = 48_000
    period_s: float = 0.75
    lead_in: int = 4
    counted: int = 20

    @property
    def period(self) -> int:
        """Frames from click to click."""
        return round(self.period_s * self.rate_hz)

    @property
    def frames(self) -> int:
        """Length of the whole."""
        return (self.lead_in + self.counted + 2) * self.period

    @property
    def clicks(self) -> tuple[int, ...]:
        """The first frame of each click, the lead-in first."""
        return tuple((number + 1) * self.period for number in range(self.lead_in + self.counted))

    def click_of(self, tap: int) -> int | None:
        """Return which counted click, from 0, a tap at a frame belongs to; None for none."""
        number = (tap + round(EARLIEST_S * self.rate_hz)) // self.period - 1 - self.lead_in
        if not 0 <= number < self.counted:
            return None
        within = tap - self.clicks[self.lead_in + number] <= LATEST_S * self.rate_hz
        return number if within else None


@dataclass(frozen=True, slots=True)
class Tap:
    """A tap that counts: which click, and how late in milliseconds."""

    click: int
    offset_ms: float


@dataclass(frozen=True, slots=True)
class Delay:
    """What the taps say: the middle and the quartiles are None without taps; `refusal` is empty for a result."""

    taps: tuple[Tap, ...]
    ignored: int
    median_ms: float | None
    quartiles_ms: tuple[float, float] | None
    refusal: str

    @property
    def spread_ms(self) -> float | None:
        """The interquartile range."""
        return None if self.quartiles_ms is None else self.quartiles_ms[1] - self.quartiles_ms[0]


def delay_from_taps(plan: ClickPlan, taps: Sequence[int]) -> Delay:
    """Return the delay of a device from the frames at which taps came, in their order."""
    counted: dict[int, Tap] = {}
    for frame in taps:
        click = plan.click_of(frame)
        if click is not None and click not in counted:
            late = frame - plan.clicks[plan.lead_in + click]
            counted[click] = Tap(click, 1000 * late / plan.rate_hz)
    offsets = np.array([tap.offset_ms for tap in counted.values()])
    ignored = len(taps) - len(counted)
    if not counted:
        return Delay((), ignored, None, None, _refusal(0, 0.0))
    low, median, high = np.percentile(offsets, [25, 50, 75]).tolist()
    return Delay(tuple(counted.values()), ignored, median, (low, high), _refusal(len(offsets), high - low))


def _refusal(count: int, spread_ms: float) -> str:
    if count < FEWEST_TAPS:
        return f"{count} taps count, and {FEWEST_TAPS} are needed. Start again and tap on every click."
    if spread_ms > WIDEST_SPREAD_MS:
        return (
            f"The taps are spread too widely to say ({spread_ms:.0f} ms between their quartiles; "
            f"{WIDEST_SPREAD_MS:.0f} is the limit). Start again and tap with the beat."
        )
    return ""


class Clicks:
    """Renders a plan's clicks: a short tone that begins at full level and dies away."""

    def __init__(self, plan: ClickPlan) -> None:
        self._clicks = np.array(plan.clicks)
        times = np.arange(round(CLICK_S * plan.rate_hz)) / plan.rate_hz
        wave = np.cos(2 * np.pi * CLICK_HZ * times) * np.exp(-times / (CLICK_S / 4))
        self._wave = (CLICK_LEVEL * wave).astype(np.float32)

    def render(self, first: int, count: int, mix: tuple[ChannelMix, ...], /) -> NDArray[np.float32]:
        """Return frames ``[first, first + count)``, float32, ``(count, 2)``."""
        out = np.zeros((count, 2), np.float32)
        reach = self._clicks[(self._clicks > first - len(self._wave)) & (self._clicks < first + count)]
        for click in reach.tolist():
            begin, end = max(click, first), min(click + len(self._wave), first + count)
            out[begin - first : end - first] += self._wave[begin - click : end - click, None]
        return out
