"""Agreement on kinds: Fleiss' κ, κ of a category, Krippendorff's α, Cohen's κ and consensus.

Conventions
-----------
A row counts, for one item, how many annotators gave each category: ``(items, categories)`` integers. Everything is
computed from integer sums, which are exact, add up over conversations, and change by one row when one label changes.
A label that is missing is in no count.

Measures
--------
Fleiss' κ = (P̄ − P̄e) / (1 − P̄e) over items that the same number m of annotators labelled, with P̄ the share of
agreeing pairs and P̄e = Σ p_c². Krippendorff's α (nominal) = 1 − D_o / D_e over all items with two labels or more.

Decisions
---------
κ and α are undefined, and say so, where every label is of one category: there is no chance to correct for. A category
that nobody uses changes nothing. No factor for small samples enters κ; α has its own, (n − 1) / n.

References
----------
MultiPartyTurnBench §3, App. A.2 (Fleiss' κ, categorical consensus); Fleiss 1971 (κ, κ of a category); Krippendorff
2011 (α); Cohen 1960.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from annotation.agreement.figure import Figure, share, undefined
from annotation.errors import InvalidValueError

Counts = NDArray[np.int64]

NO_ITEMS = "No item is labelled by every annotator."
ONE_RATER = "Agreement needs two annotators at least."
ONE_CATEGORY = "Every label is of one category, so there is no agreement by chance to correct for."


def counts_from_labels(rows: Iterable[Sequence[str]], categories: Sequence[str]) -> Counts:
    """Return how often each category stands in each row of labels, as ``(items, categories)``.

    Raises
    ------
    InvalidValueError
        If a label is of none of the categories.
    """
    place = {category: number for number, category in enumerate(categories)}
    rows = list(rows)
    counts = np.zeros((len(rows), len(categories)), dtype=np.int64)
    for number, row in enumerate(rows):
        for label in row:
            if label not in place:
                raise InvalidValueError(f"The label “{label}” is of none of the categories.")
            counts[number, place[label]] += 1
    return counts


@dataclass(frozen=True, slots=True)
class AgreementSums:
    """What κ needs of items with the same number of labels each; sums over conversations add up.

    Parameters
    ----------
    raters
        Labels of each item.
    items
        How many items.
    agreeing
        Ordered pairs of labels of one item that agree.
    totals, squares
        For each category the sum, and the sum of squares, of its counts.
    """

    raters: int
    items: int
    agreeing: int
    totals: tuple[int, ...]
    squares: tuple[int, ...]


def agreement_sums(counts: Counts) -> AgreementSums:
    """Return the sums of complete rows.

    Raises
    ------
    InvalidValueError
        If rows have different numbers of labels: an incomplete item is left out before, and counted.
    """
    raters = counts.sum(axis=1)
    if len(counts) and raters.min() != raters.max():
        raise InvalidValueError("Fleiss’ κ needs the same number of labels for every item.")
    totals, squares = counts.sum(axis=0), (counts * counts).sum(axis=0)
    return AgreementSums(
        raters=int(raters[0]) if len(counts) else 0,
        items=len(counts),
        agreeing=int(squares.sum() - totals.sum()),
        totals=tuple(map(int, totals)),
        squares=tuple(map(int, squares)),
    )


def fleiss_kappa(sums: AgreementSums) -> Figure:
    """Return Fleiss' κ; n counts items (Fleiss 1971; MultiPartyTurnBench App. A.2)."""
    if sums.items == 0:
        return undefined(NO_ITEMS)
    if sums.raters < 2:
        return undefined(ONE_RATER, sums.items)
    labels = sums.items * sums.raters
    by_chance = sum(total * total for total in sums.totals)
    if by_chance == labels * labels:
        return undefined(ONE_CATEGORY, sums.items)
    above = sums.agreeing * labels - (sums.raters - 1) * by_chance
    return Figure(above / ((sums.raters - 1) * (labels * labels - by_chance)), sums.items)


def observed_agreement(sums: AgreementSums) -> Figure:
    """Return the share of pairs of annotators that agree, P̄; n counts items (Fleiss 1971)."""
    if sums.items == 0:
        return undefined(NO_ITEMS)
    if sums.raters < 2:
        return undefined(ONE_RATER, sums.items)
    return Figure(sums.agreeing / (sums.items * sums.raters * (sums.raters - 1)), sums.items)


def category_kappa(sums: AgreementSums, category: int) -> Figure:
    """Return κ of one category against all others; n counts its labels (Fleiss 1971, eq. 6)."""
    if sums.items == 0:
        return undefined(NO_ITEMS)
    if sums.raters < 2:
        return undefined(ONE_RATER, sums.items)
    total, labels = sums.totals[category], sums.items * sums.raters
    if total == 0:
        return undefined("Nobody used this category.")
    if total == labels:
        return undefined(ONE_CATEGORY, total)
    split = sums.raters * total - sums.squares[category]
    return Figure(1 - split * labels / ((sums.raters - 1) * total * (labels - total)), total)


def krippendorff_alpha(counts: Counts) -> Figure:
    """Return Krippendorff's α for nominal categories; n counts items with two labels or more (Krippendorff 2011).

    Parameters
    ----------
    counts
        ``(items, categories)``; rows may have different numbers of labels. Those with fewer than two say nothing.
    """
    raters = counts.sum(axis=1)
    pairable = counts[raters >= 2]
    if len(pairable) == 0:
        return undefined("No item has two labels.")
    totals = pairable.sum(axis=0)
    labels = int(totals.sum())
    expected = labels * labels - sum(int(total) ** 2 for total in totals)
    if expected == 0:
        return undefined(ONE_CATEGORY, len(pairable))
    agreeing = (pairable * (pairable - 1)).sum(axis=1)
    observed = labels - sum(
        (Fraction(int(agreeing[pairable.sum(axis=1) == raters_of].sum()), int(raters_of) - 1))
        for raters_of in np.unique(pairable.sum(axis=1))
    )
    return Figure(float(1 - (labels - 1) * observed / expected), len(pairable))


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> Figure:
    """Return Cohen's κ of two sets of labels of the same items; n counts pairs (Cohen 1960)."""
    n = len(pairs)
    if n == 0:
        return undefined("No item was labelled both times.")
    firsts, seconds = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    agreeing = sum(one == other for one, other in pairs)
    by_chance = sum(count * seconds[category] for category, count in firsts.items())
    if by_chance == n * n:
        return undefined(ONE_CATEGORY, n)
    return Figure((agreeing * n - by_chance) / (n * n - by_chance), n)


def unanimous(counts: Counts) -> Figure:
    """Return the share of rows in which all labels agree (MultiPartyTurnBench App. A.2)."""
    return share(
        int((counts.max(axis=1, initial=0) == counts.sum(axis=1)).sum()), len(counts), of_what="complete items"
    )


def majority(counts: Counts) -> Figure:
    """Return the share of rows in which more than half of the labels agree (MultiPartyTurnBench App. A.2)."""
    return share(
        int((2 * counts.max(axis=1, initial=0) > counts.sum(axis=1)).sum()), len(counts), of_what="complete items"
    )
