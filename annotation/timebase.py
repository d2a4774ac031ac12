"""The one clock: integer frames of a conversation's timeline, and the only conversions to and from seconds.

Conventions: frames are half-open ``[onset, offset)``; seconds exist at the edge only (files, screen, reports) and are
converted once, to the nearest frame, ties to even. Between rates everything is integer arithmetic, so that nothing
drifts however long the recording is.
"""

from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from fractions import Fraction

from annotation.errors import InvalidValueError

EVENT_LOG_RATE_HZ = 1_000_000
"""Timeline rate of a conversation that has events but no audio."""

HIGHEST_RATE_HZ = 1_000_000
LONGEST_SECONDS = 60 * 60 * 24 * 30
"""Thirty days: a time beyond it is taken for a wrong unit, and refused instead of rescaled."""


def frame_from_seconds(seconds: float | str | Decimal | Fraction, rate_hz: int) -> int:
    """Return the frame nearest to a time, ties to even.

    Parameters
    ----------
    seconds
        The time in seconds; a string or `Decimal` is taken exactly as written, so ``"1.4"`` at 16 kHz is 22400.
    rate_hz
        Frames a second, at least 1.

    Raises
    ------
    InvalidValueError
        If the time is no finite number or further out than thirty days.
    """
    try:
        number = Decimal(seconds) if isinstance(seconds, str) else seconds
        if isinstance(number, Decimal) and number.is_finite():
            number = _decimal_within_reach(number)
        exact = Fraction(number)
    except (ValueError, OverflowError, InvalidOperation) as error:
        raise InvalidValueError(f"“{seconds}” is not a time in seconds.") from error
    if abs(exact) > LONGEST_SECONDS:
        raise InvalidValueError(
            f"A time of {float(exact):g} s lies more than thirty days out.",
            remedy="Check that the file gives seconds, not samples or milliseconds.",
        )
    return round(exact * rate_hz)


def _decimal_within_reach(number: Decimal) -> Decimal:
    """Return a decimal whose exact fraction is small: ``1e999999999`` would not fit into memory as one."""
    if number and number.adjusted() > 15:
        return Decimal(LONGEST_SECONDS * 2).copy_sign(number)
    return number if number and number.adjusted() > -40 else Decimal(0)


def seconds_from_frame(frame: int, rate_hz: int) -> float:
    """Return the time of a frame in seconds, the double nearest to the exact quotient."""
    return frame / rate_hz


def text_from_frame(frame: int, rate_hz: int, *, digits: int = 3) -> str:
    """Return a frame's time as a decimal string with `digits` places, rounded half to even."""
    step = Decimal(1).scaleb(-digits)
    return str((Decimal(frame) / Decimal(rate_hz)).quantize(step, rounding=ROUND_HALF_EVEN))


def frames_from_tolerance(seconds: float | str | Decimal | Fraction, rate_hz: int) -> int:
    """Return a tolerance as frames: the largest whole number of frames that it covers, the limit included."""
    exact = Fraction(Decimal(seconds) if isinstance(seconds, str) else Fraction(str(seconds)))
    return int(exact * rate_hz // 1)


def timeline_frame_of_sample(sample: int, *, channel_rate_hz: int, timeline_rate_hz: int, start_frame: int) -> int:
    """Return where sample `sample` of a channel lies: ``start + round_half_even(sample * T / r)``."""
    return start_frame + round(Fraction(sample * timeline_rate_hz, channel_rate_hz))


def sample_at_timeline_frame(frame: int, *, channel_rate_hz: int, timeline_rate_hz: int, start_frame: int) -> int:
    """Return the sample a timeline frame reads: ``floor((frame - start) * r / T)``; negative before the channel."""
    return (frame - start_frame) * channel_rate_hz // timeline_rate_hz
