"""Bootstrap over groups that stay together (conversations): seeded weights, and percentile intervals.

Conventions
-----------
A resample draws as many groups as there are, with replacement; its weights say how often each was drawn. The weights
depend on the number of groups, of resamples and the seed only, and are kept: an interval moves because labels changed
and never because the dice were cast anew.

Decisions
---------
Percentile intervals of 95 %, the percentiles interpolated linearly. Weights are float32, since a product with whole
numbers whose sums stay below 2²⁴ is exact in it and twice as fast; where sums could be larger, float64 is taken.

References
----------
MultiPartyTurnBench §4, Figure 4 (conversation bootstrap); Duplex-MPE §3 (10,000 resamples); Efron and Tibshirani 1993.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000
CONFIDENCE = 0.95
LARGEST_EXACT_FLOAT32 = 1 << 24
_DRAWS_AT_A_TIME = 1 << 22


class Ends(NamedTuple):
    """The ends of an interval."""

    low: float
    high: float


@lru_cache(maxsize=32)
def resampling_weights(groups: int, resamples: int = RESAMPLES, seed: int = 0) -> NDArray[np.float32]:
    """Return how often each group is drawn in each resample, ``(groups, resamples)``, read-only and kept."""
    random = np.random.default_rng([seed, groups])
    weights = np.empty((groups, resamples), dtype=np.float32)
    step = max(1, _DRAWS_AT_A_TIME // groups)
    for start in range(0, resamples, step):
        count = min(step, resamples - start)
        draws = random.integers(0, groups, size=(count, groups), dtype=np.int32)
        draws += np.arange(count, dtype=np.int32)[:, None] * groups
        found = np.bincount(draws.ravel(), minlength=count * groups).reshape(count, groups)
        weights[:, start : start + count] = found.T
    weights.setflags(write=False)
    return weights


def resampled_sums(sums: NDArray[np.int64], weights: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the sums of each resample, exact, as ``(columns, resamples)``.

    Parameters
    ----------
    sums
        ``(groups, columns)`` whole numbers ≥ 0.
    weights
        ``(groups, resamples)``, each column adding up to the number of groups.
    """
    # A resample draws as many groups as there are, so none of its sums is above this.
    largest = int(sums.max(initial=0)) * len(sums)
    kind = np.float32 if largest < LARGEST_EXACT_FLOAT32 else np.float64
    return np.asarray(sums.T.astype(kind) @ weights.astype(kind, copy=False), dtype=np.float64)


def percentile_interval(values: NDArray[np.float64], confidence: float = CONFIDENCE) -> Ends:
    """Return the percentile interval of the values of a statistic over resamples; at least one value."""
    outside = (1 - confidence) / 2
    low, high = np.quantile(values, (outside, 1 - outside))
    return Ends(float(low), float(high))
