"""Where an annotator's calibration stands: rounds over all of its items, until one is passed.

Decisions: a round is complete when every item was handed in once more; it is passed if the share of its answers that
have the reference kind reaches the pass mark, the mark included. After a round that was not passed, the next one begins
over all items.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class SeatCalibration:
    """Where the calibration stands.

    Parameters
    ----------
    submitted, total
        Of the present round.
    round
        From 1.
    agreed
        Share of the last complete round that has the reference kind; None before the first.
    needed
        The share that opens the study.
    passed
        Whether the study is open; true where there is no calibration.
    """

    submitted: int
    total: int
    round: int
    agreed: float | None
    needed: float
    passed: bool


def calibration_of(
    kinds: Mapping[str, str], answered: Mapping[str, Sequence[str]], needed: Fraction
) -> SeatCalibration:
    """Return where a calibration stands.

    Parameters
    ----------
    kinds
        The reference kind of each presentation of the calibration.
    answered
        The kinds that were handed in for each, in order.
    """
    if not kinds:
        return SeatCalibration(0, 0, 1, None, float(needed), True)
    given = {presentation: answered.get(presentation, ()) for presentation in kinds}
    complete = min(map(len, given.values()))
    agreed = None
    for turn in range(complete):
        right = sum(given[presentation][turn] == kind for presentation, kind in kinds.items())
        agreed = Fraction(right, len(kinds))
        if agreed >= needed:
            return SeatCalibration(len(kinds), len(kinds), turn + 1, float(agreed), float(needed), True)
    submitted = sum(len(answers) > complete for answers in given.values())
    share = None if agreed is None else float(agreed)
    return SeatCalibration(submitted, len(kinds), complete + 1, share, float(needed), False)
