"""A figure as it is shown and exported: a value with its n, or the reason why there is none.

Conventions: a figure that is undefined has no value and says why in a sentence; it is never 0, 1 or NaN. Counts are
integers and rates are formed last, here.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

Number = Any
"""A whole number, or an array of float64 with one for each resample: the formulas are the same."""


class Terms(NamedTuple):
    """A rate before it is formed; a denominator of 0 means that there is none."""

    numerator: Number
    denominator: Number


class Interval(NamedTuple):
    """A 95 % percentile interval over resampled conversations."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Figure:
    """A measure's value, or why it has none.

    Parameters
    ----------
    value
        None where undefined.
    n
        What was counted: items, boundaries or answers, as the measure says.
    reason
        A sentence where there is no value; empty otherwise.
    interval, interval_reason
        The interval, or why there is none.
    dropped
        Resamples in which the figure was undefined.
    """

    value: float | None
    n: int
    reason: str = ""
    interval: Interval | None = None
    interval_reason: str = ""
    dropped: int = 0

    def with_interval(self, interval: Interval | None, reason: str = "", dropped: int = 0) -> "Figure":
        """Return the same figure with an interval, or with the reason why there is none."""
        return replace(self, interval=interval, interval_reason=reason, dropped=dropped)


def undefined(reason: str, n: int = 0) -> Figure:
    """Return a figure without a value."""
    return Figure(None, n, reason)


def share(count: int, n: int, *, of_what: str) -> Figure:
    """Return ``count / n``, undefined for n = 0."""
    if n == 0:
        return undefined(f"There are no {of_what}.")
    return Figure(count / n, n)
