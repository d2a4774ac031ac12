"""Which whole number stands where in the contribution of an item, and sums of contributions.

Conventions: a contribution is a vector of whole numbers ≥ 0, most of them 0. Contributions add up over items, so one
set of them serves a whole table, each of its groups, each resample of conversations and the live board. Columns stand
in blocks; a block of shape ``(annotators, kinds)`` has one column for each annotator and kind.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation.agreement.figure import Number
from annotation.agreement.labels import LabelTable

BEFORE, AFTER = 0, 1
"""Places of the two holders in a block."""
MATCHED, REFERENCE, OTHER = 0, 1, 2
"""Places of boundary counts in a block."""
WITHIN, BOTH = 0, 1
"""Places of edges of a repeat: within the tolerance, and given in both presentations."""
UNANIMITY, MAJORITY = 0, 1
"""Places of the two rules of consensus."""

Values = Sequence[int] | Mapping[int, NDArray[np.float64]]


class Block(NamedTuple):
    """Where a block begins, and its shape."""

    start: int
    shape: tuple[int, ...]

    @property
    def columns(self) -> int:
        """How many columns it has."""
        return prod(self.shape)


@dataclass(frozen=True)
class Layout:
    """The columns for these annotators, kinds, kinds of the reference, and holders; each in sort order."""

    annotators: tuple[str, ...]
    kinds: tuple[str, ...]
    references: tuple[str, ...] = ()
    holders: tuple[str, ...] = ()

    @cached_property
    def blocks(self) -> Mapping[str, Block]:
        """Every block by name.

        ``complete`` … ``square`` are of complete items; ``pairable…`` of items with two labels or more, by how many;
        ``…edges`` count boundaries; ``pair_kinds`` and ``again_kinds`` are tables of one label against another;
        ``consensus`` is the reference's kind against the kind agreed on, by rule.
        """
        raters, kinds, pairs = len(self.annotators), len(self.kinds), len(self.pairs)
        shapes: dict[str, tuple[int, ...]] = {
            "items": (),
            "complete": (),
            "agreeing": (),
            "agreed": (2,),
            "total": (kinds,),
            "square": (kinds,),
            "pairable": (raters + 1,),
            "pairable_agreeing": (raters + 1,),
            "pairable_total": (kinds,),
            "edges": (3,),
            "same_kind_edges": (3,),
            "pair_edges": (pairs, 3),
            "pair_same_kind_edges": (pairs, 3),
            "pair_kinds": (pairs, kinds, kinds),
            "consensus": (2, len(self.references), kinds),
            "unresolved": (2,),
            "own_kinds": (raters, kinds),
            "own_reference": (raters, 2),
            "again_kinds": (raters, kinds, kinds),
            "again_edges": (raters, 2),
            "holder_complete": (2,),
            "holder_agreeing": (2,),
            "holder_unanimous": (2,),
            "holder_total": (2, len(self.holders)),
        }
        found, start = {}, 0
        for name, shape in shapes.items():
            found[name] = Block(start, shape)
            start += prod(shape)
        return found

    @cached_property
    def columns(self) -> int:
        """How many columns there are."""
        return sum(block.columns for block in self.blocks.values())

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Every pair of annotators; the first of a pair is the reference for precision and recall."""
        return tuple(combinations(self.annotators, 2))

    @cached_property
    def kind_places(self) -> Mapping[str, int]:
        """The place of each kind."""
        return {kind: place for place, kind in enumerate(self.kinds)}

    @cached_property
    def reference_places(self) -> Mapping[str, int]:
        """The place of each kind of the reference."""
        return {kind: place for place, kind in enumerate(self.references)}

    @cached_property
    def holder_places(self) -> Mapping[str, int]:
        """The place of each holder."""
        return {holder: place for place, holder in enumerate(self.holders)}

    def column(self, block: str, *place: int) -> int:
        """Return the column at a place of a block."""
        start, shape = self.blocks[block]
        within = 0
        for index, size in zip(place, shape, strict=True):
            within = within * size + index
        return start + within


def layout_of(table: LabelTable) -> Layout:
    """Return the columns that a table needs."""
    return Layout(table.annotators, table.kinds, table.references, table.holders)


@dataclass(frozen=True, slots=True)
class Sums:
    """Added contributions: one whole number a column, or for each used column an array with one for each resample."""

    layout: Layout
    values: Values

    def at(self, block: str, *place: int) -> Number:
        """Return the sum at a place of a block."""
        values: Any = self.values
        return values[self.layout.column(block, *place)]

    def row(self, block: str, *place: int) -> list[Number]:
        """Return the sums along the last axis of a block, at a place of the axes before it."""
        size = self.layout.blocks[block].shape[-1]
        return [self.at(block, *place, last) for last in range(size)]

    def table(self, block: str, *place: int) -> list[list[Number]]:
        """Return the sums along the last two axes of a block."""
        size = self.layout.blocks[block].shape[-2]
        return [self.row(block, *place, line) for line in range(size)]
