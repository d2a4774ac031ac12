"""The contributions of all items of a table, their sums, and groups of items.

Decisions
---------
Items are grouped by the reference's kind; in a table without any, by the kind of more than half of the annotators. An
item without that kind, without a speaker count or without an interaction type is in no group, and counted.

References
----------
MultiPartyTurnBench App. A.2, A.3 (measures by kind and speaker count).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from annotation.agreement.contributions import (
    Contribution,
    LabelledItem,
    agreed_kind,
    contribution,
    reason_left_out,
)
from annotation.agreement.labels import TOLERANCE_S, LabelTable
from annotation.agreement.layout import MAJORITY, Layout, Sums, layout_of


class GroupedBy(StrEnum):
    """What decides the kind that an item is grouped under."""

    REFERENCE = "reference"
    MAJORITY = "majority"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An item that is in no κ and no consensus, and why."""

    item: str
    reason: str


@dataclass(frozen=True)
class Tally:
    """Contributions by item, in the order of the items."""

    layout: Layout
    items: tuple[LabelledItem, ...]
    contributions: Sequence[Contribution]

    @cached_property
    def all_items(self) -> tuple[int, ...]:
        """The places of all items."""
        return tuple(range(len(self.items)))

    def sums(self, items: Sequence[int] | None = None) -> Sums:
        """Return the sums over some items, by their places, or over all."""
        total = [0] * self.layout.columns
        for place in self.all_items if items is None else items:
            for column, amount in self.contributions[place].items():
                total[column] += amount
        return Sums(self.layout, total)

    def conversation_sums(self, items: Sequence[int] | None = None) -> NDArray[np.int64]:
        """Return the sums of each conversation that has one of these items, as ``(conversations, columns)``."""
        chosen = self.all_items if items is None else items
        names = sorted({self.items[place].item.conversation for place in chosen})
        lines = {name: line for line, name in enumerate(names)}
        total = np.zeros((len(names), self.layout.columns), dtype=np.int64)
        for place in chosen:
            line = total[lines[self.items[place].item.conversation]]
            for column, amount in self.contributions[place].items():
                line[column] += amount
        return total

    @cached_property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The items that are in no κ and no consensus."""
        reasons = ((one.item.id, reason_left_out(one, self.layout.annotators)) for one in self.items)
        return tuple(LeftOut(item, reason) for item, reason in reasons if reason)

    @cached_property
    def grouped_by(self) -> GroupedBy:
        """What decides the kind of an item."""
        return GroupedBy.REFERENCE if self.layout.references else GroupedBy.MAJORITY

    def by_kind(self) -> Mapping[str, tuple[int, ...]]:
        """Return the places of items by kind."""
        if self.grouped_by == GroupedBy.REFERENCE:
            return self._grouped([one.item.kind for one in self.items])
        annotators = len(self.layout.annotators)
        return self._grouped([agreed_kind(one.kinds, annotators, MAJORITY) for one in self.items])

    def by_speakers(self) -> Mapping[str, tuple[int, ...]]:
        """Return the places of items by speaker count, the smallest first."""
        groups = self._grouped([str(one.item.speakers or "") for one in self.items])
        return dict(sorted(groups.items(), key=lambda group: int(group[0])))

    def by_interaction(self) -> Mapping[str, tuple[int, ...]]:
        """Return the places of items by interaction type."""
        return self._grouped([one.item.interaction for one in self.items])

    def _grouped(self, names: Sequence[str]) -> Mapping[str, tuple[int, ...]]:
        groups: dict[str, list[int]] = defaultdict(list)
        for place, name in enumerate(names):
            if name:
                groups[name].append(place)
        return {name: tuple(groups[name]) for name in sorted(groups)}


def tally(table: LabelTable, tolerance_s: Fraction = TOLERANCE_S) -> Tally:
    """Return what each item of a table adds to the measures."""
    layout = layout_of(table)
    items = tuple(
        LabelledItem(
            item, table.firsts.get(item.id, {}), table.repeats.get(item.id, {}), item.tolerance_frames(tolerance_s)
        )
        for item in table.items
    )
    return Tally(layout, items, tuple(contribution(one, layout) for one in items))
