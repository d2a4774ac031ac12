"""Agreement on boundaries: one-to-one matching within a tolerance, and its F1.

Conventions
-----------
Times are integer frames and the tolerance is inclusive: a distance equal to it matches. Counts are pooled over items
and pairs of annotators, and rates formed last (micro-average): F1 = 2 TP / (n_a + n_b).

Decisions
---------
MultiPartyTurnBench App. A.2 gives the name and the 500 ms only. Onsets match onsets and offsets offsets of the same
item. The first name in sort order is the reference for precision and recall. Where both sides have no boundary the
figure is undefined.

References
----------
MultiPartyTurnBench App. A.2, A.3.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotation.agreement.figure import Figure, undefined


@dataclass(frozen=True, slots=True)
class BoundaryCounts:
    """Matched boundaries and how many each side gave; counts add up."""

    matched: int = 0
    reference: int = 0
    other: int = 0

    def __add__(self, more: "BoundaryCounts") -> "BoundaryCounts":
        return BoundaryCounts(self.matched + more.matched, self.reference + more.reference, self.other + more.other)

    def __sub__(self, less: "BoundaryCounts") -> "BoundaryCounts":
        return BoundaryCounts(self.matched - less.matched, self.reference - less.reference, self.other - less.other)


def matched_pairs(reference: Sequence[int], other: Sequence[int], tolerance: int) -> list[tuple[int, int]]:
    """Return a largest set of pairs ``(reference, other)`` of frames at most `tolerance` apart, each used once.

    With one tolerance for all, taking both sides in order of time and pairing whenever two are close enough gives a
    maximum matching: whatever a later partner could do, an earlier one can.
    """
    left, right = sorted(reference), sorted(other)
    pairs = []
    i = j = 0
    while i < len(left) and j < len(right):
        if right[j] < left[i] - tolerance:
            j += 1
        elif right[j] > left[i] + tolerance:
            i += 1
        else:
            pairs.append((left[i], right[j]))
            i += 1
            j += 1
    return pairs


def boundary_counts(reference: Sequence[int], other: Sequence[int], tolerance: int) -> BoundaryCounts:
    """Return how many boundaries of two sides match (MultiPartyTurnBench App. A.2)."""
    return BoundaryCounts(len(matched_pairs(reference, other, tolerance)), len(reference), len(other))


def pooled(counts: Iterable[BoundaryCounts]) -> BoundaryCounts:
    """Return the sums."""
    total = BoundaryCounts()
    for each in counts:
        total += each
    return total


def boundary_f1(counts: BoundaryCounts) -> Figure:
    """Return the F1 of pooled counts; n counts boundaries of both sides (MultiPartyTurnBench App. A.2)."""
    n = counts.reference + counts.other
    if n == 0:
        return undefined("Neither side has a boundary.")
    return Figure(2 * counts.matched / n, n)


def precision(counts: BoundaryCounts) -> Figure:
    """Return the share of the other side's boundaries that match (MultiPartyTurnBench App. A.2)."""
    if counts.other == 0:
        return undefined("The other side has no boundary.", counts.reference)
    return Figure(counts.matched / counts.other, counts.other)


def recall(counts: BoundaryCounts) -> Figure:
    """Return the share of the reference's boundaries that match (MultiPartyTurnBench App. A.2)."""
    if counts.reference == 0:
        return undefined("The reference has no boundary.", counts.other)
    return Figure(counts.matched / counts.reference, counts.reference)
