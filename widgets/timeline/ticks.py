"""The ruler: where its ticks lie and what stands at them."""

from dataclasses import dataclass
from functools import lru_cache

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE

STEPS = (
    *((mantissa * 10**power, parts) for power in range(6) for mantissa, parts in ((1, 5), (2, 4), (5, 5))),
    (SECOND, 5),
    (2 * SECOND, 4),
    (5 * SECOND, 5),
    (10 * SECOND, 5),
    (15 * SECOND, 3),
    (30 * SECOND, 6),
    (MINUTE, 6),
    (2 * MINUTE, 4),
    (5 * MINUTE, 5),
    (10 * MINUTE, 5),
    (15 * MINUTE, 3),
    (30 * MINUTE, 6),
    (HOUR, 4),
    (2 * HOUR, 4),
    (6 * HOUR, 6),
    (12 * HOUR, 4),
    (24 * HOUR, 4),
    (240 * HOUR, 10),
)
"""Distances between labels in microseconds, and into how many parts each is divided."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick at a frame; a minor one has no label."""

    frame: int
    label: str = ""


@lru_cache(maxsize=8)
def ruler_ticks(first: int, last: int, *, rate_hz: int, spacing: float) -> tuple[Tick, ...]:
    """Return the ticks in ``[first, last)``, in order, none before the recording.

    Parameters
    ----------
    spacing
        Frames that lie between two labels at least.
    """
    step, parts = next(((s, p) for s, p in STEPS if s * rate_hz >= spacing * SECOND), STEPS[-1])
    if step % parts:
        parts = 1
    digits = 0 if step % SECOND == 0 else 3 if step % 1_000 == 0 else 6
    minor = step // parts
    ticks = []
    number = max(-(-first * SECOND // (minor * rate_hz)) - 1, 0)
    while (frame := _nearest(number * minor * rate_hz, SECOND)) < last:
        if frame >= first:
            label = clock_text(number * minor, digits) if number % parts == 0 else ""
            ticks.append(Tick(frame, label))
        number += 1
    return tuple(ticks)


def clock_text(microseconds: int, digits: int = 3) -> str:
    """Return a time as ``h:mm:ss`` with `digits` places of the second (0 to 6), cut and not rounded."""
    whole, rest = divmod(microseconds, SECOND)
    text = f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"
    return f"{text}.{rest // 10 ** (6 - digits):0{digits}d}" if digits else text


def frame_text(frame: int, rate_hz: int) -> str:
    """Return a frame's time as ``h:mm:ss.mmm``, to the nearest millisecond."""
    sign = "−" if frame < 0 else ""
    return sign + clock_text(_nearest(abs(frame) * 1_000, rate_hz) * 1_000)


def _nearest(numerator: int, denominator: int) -> int:
    """Return the whole number nearest to a quotient, ties to even: the clock's one rule, without making fractions."""
    whole, rest = divmod(numerator, denominator)
    return whole + (2 * rest > denominator or (2 * rest == denominator and whole % 2 == 1))
