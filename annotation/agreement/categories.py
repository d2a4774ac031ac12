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
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation.agreement.figure import Figure, Number, Terms, share, undefined
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


class PairableSums(NamedTuple):
    """What α needs of the items that the same number of annotators labelled."""

    raters: int
    items: Number
    agreeing: Number


def kappa_terms(*, items: Number, raters: int, agreeing: Number, totals: Sequence[Number]) -> Terms:
    """Return Fleiss' κ before the division (Fleiss 1971; MultiPartyTurnBench App. A.2)."""
    labels = items * raters
    by_chance = sum(total * total for total in totals)
    return Terms(
        agreeing * labels - (raters - 1) * by_chance,
        (raters - 1) * (labels * labels - by_chance),
    )


def category_terms(*, items: Number, raters: int, total: Number, square: Number) -> Terms:
    """Return κ of one category before the division (Fleiss 1971, eq. 6; MultiPartyTurnBench App. A.2)."""
    labels = items * raters
    possible = (raters - 1) * total * (labels - total)
    return Terms(possible - (raters * total - square) * labels, possible)


def alpha_terms(groups: Sequence[PairableSums], totals: Sequence[Number]) -> Terms:
    """Return Krippendorff's α, nominal, before the division (Krippendorff 2011; beside κ of App. A.2).

    Parameters
    ----------
    groups
        Items with two labels or more, by their number of labels.
    totals
        Labels of each category on these items.
    """
    whole = lcm(*(group.raters - 1 for group in groups)) if groups else 1
    labels = sum(group.items * group.raters for group in groups)
    expected = labels * labels - sum(total * total for total in totals)
    agreeing = sum(group.agreeing * (whole // (group.raters - 1)) for group in groups)
    return Terms(expected * whole - (labels - 1) * (labels * whole - agreeing), expected * whole)


def cohen_terms(confusion: Sequence[Sequence[Number]]) -> Terms:
    """Return Cohen's κ of a square table of counts before the division (Cohen 1960)."""
    n = sum(sum(row) for row in confusion)
    agreeing = sum(row[place] for place, row in enumerate(confusion))
    columns = [sum(column) for column in zip(*confusion, strict=True)]
    by_chance = sum(sum(row) * column for row, column in zip(confusion, columns, strict=True))
    return Terms(agreeing * n - by_chance, n * n - by_chance)


def fleiss_kappa(sums: AgreementSums) -> Figure:
    """Return Fleiss' κ; n counts items (Fleiss 1971; MultiPartyTurnBench App. A.2)."""
    if sums.items == 0:
        return undefined(NO_ITEMS)
    if sums.raters < 2:
        return undefined(ONE_RATER, sums.items)
    above, possible = kappa_terms(items=sums.items, raters=sums.raters, agreeing=sums.agreeing, totals=sums.totals)
    return Figure(above / possible, sums.items) if possible else undefined(ONE_CATEGORY, sums.items)


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
    above, possible = category_terms(items=sums.items, raters=sums.raters, total=total, square=sums.squares[category])
    return Figure(above / possible, total)


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
    raters = pairable.sum(axis=1)
    agreeing = (pairable * (pairable - 1)).sum(axis=1)
    groups = [
        PairableSums(int(number), int((raters == number).sum()), int(agreeing[raters == number].sum()))
        for number in np.unique(raters)
    ]
    above, possible = alpha_terms(groups, [int(total) for total in pairable.sum(axis=0)])
    return Figure(above / possible, len(pairable)) if possible else undefined(ONE_CATEGORY, len(pairable))


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> Figure:
    """Return Cohen's κ of two sets of labels of the same items; n counts pairs (Cohen 1960)."""
    n = len(pairs)
    if n == 0:
        return undefined("No item was labelled both times.")
    categories = sorted({label for pair in pairs for label in pair})
    table = Counter(pairs)
    above, possible = cohen_terms([[table[one, other] for other in categories] for one in categories])
    return Figure(above / possible, n) if possible else undefined(ONE_CATEGORY, n)


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
