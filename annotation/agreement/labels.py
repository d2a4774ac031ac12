"""Labels in long form: one row for each item, annotator and presentation, from a study or from a CSV.

Conventions: times are integer frames at the rate of the item. A label without a kind is missing; “cannot tell” is
missing too, with its reason. First presentations have number 1, blind repeats 2; one row for each item, annotator and
number. The annotators of a table are those who have a row in it.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from annotation.errors import InvalidValueError
from annotation.timebase import EVENT_LOG_RATE_HZ, frames_from_tolerance

FIRST, REPEAT = 1, 2
TOLERANCE_S = Fraction(1, 2)
"""The published tolerance of boundaries (MultiPartyTurnBench App. A.2)."""


@dataclass(frozen=True, slots=True)
class Item:
    """What is labelled.

    Parameters
    ----------
    kind, onset, offset
        The reference's (the generator's) kind and boundaries; empty and None without one.
    speakers, interaction
        For breakdowns; 0 and empty where unknown.
    """

    id: str
    conversation: str
    rate_hz: int = EVENT_LOG_RATE_HZ
    kind: str = ""
    onset: int | None = None
    offset: int | None = None
    speakers: int = 0
    interaction: str = ""

    def tolerance_frames(self, tolerance_s: Fraction) -> int:
        """Return a tolerance in frames of this item: the largest whole number that it covers, the limit included."""
        return frames_from_tolerance(tolerance_s, self.rate_hz)


@dataclass(frozen=True, slots=True)
class Label:
    """What one annotator said of one item at one presentation."""

    item: str
    annotator: str
    number: int = FIRST
    kind: str = ""
    cannot_tell: str = ""
    holder_before: str | None = None
    holder_after: str | None = None
    onset: int | None = None
    offset: int | None = None

    def __post_init__(self) -> None:
        if self.number not in (FIRST, REPEAT):
            raise InvalidValueError(f"A presentation is the first or the second, not number {self.number}.")
        if not self.item or not self.annotator:
            raise InvalidValueError("A label needs an item and an annotator.")


@dataclass(frozen=True)
class LabelTable:
    """Items with their labels.

    Raises
    ------
    InvalidValueError
        If a label is of no item, or two are of one item, annotator and number.
    """

    items: tuple[Item, ...]
    labels: tuple[Label, ...]

    def __post_init__(self) -> None:
        known = {item.id for item in self.items}
        if len(known) < len(self.items):
            raise InvalidValueError("Two items have the same id.")
        seen: set[tuple[str, str, int]] = set()
        for label in self.labels:
            key = (label.item, label.annotator, label.number)
            if label.item not in known:
                raise InvalidValueError(f"A label of “{label.annotator}” is of no item.", where=label.item)
            if key in seen:
                raise InvalidValueError(
                    f"“{label.annotator}” has two labels for one presentation.",
                    where=label.item,
                    remedy="Keep one row for each item, annotator and pass.",
                )
            seen.add(key)

    @cached_property
    def annotators(self) -> tuple[str, ...]:
        """Everybody who has a row, in sort order."""
        return tuple(sorted({label.annotator for label in self.labels}))

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Every kind in use, in sort order."""
        return tuple(sorted({label.kind for label in self.labels if label.kind}))

    @cached_property
    def references(self) -> tuple[str, ...]:
        """Every kind of the reference, in sort order."""
        return tuple(sorted({item.kind for item in self.items if item.kind}))

    @cached_property
    def holders(self) -> tuple[str, ...]:
        """Everybody whom a first presentation names as holder of the floor, in sort order."""
        named = {
            holder
            for label in self.labels
            if label.number == FIRST
            for holder in (label.holder_before, label.holder_after)
            if holder
        }
        return tuple(sorted(named))

    @cached_property
    def firsts(self) -> Mapping[str, Mapping[str, Label]]:
        """First presentations by item and annotator."""
        return self._by_item(FIRST)

    @cached_property
    def repeats(self) -> Mapping[str, Mapping[str, Label]]:
        """Blind repeats by item and annotator."""
        return self._by_item(REPEAT)

    def _by_item(self, number: int) -> Mapping[str, Mapping[str, Label]]:
        found: dict[str, dict[str, Label]] = defaultdict(dict)
        for label in self.labels:
            if label.number == number:
                found[label.item][label.annotator] = label
        return found
