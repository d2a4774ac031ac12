"""What one item adds to every measure, as whole numbers (MultiPartyTurnBench App. A.2).

Decisions
---------
First presentations only, but for self-consistency. An item is complete when every annotator in the data, at least two,
gave it a kind; others are left out of κ and consensus, with a reason. Consensus is unanimity, and beside it the
majority: more than half of the annotators in the data. A pair of annotators counts an item for boundaries only when
both gave a kind; a label without onset or offset then gives no boundary, and costs the other its recall or precision. A
repeat counts where both presentations got a kind; an edge that only one of them has is outside.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from annotation.agreement.labels import Item, Label
from annotation.agreement.layout import (
    AFTER,
    BEFORE,
    BOTH,
    MAJORITY,
    MATCHED,
    OTHER,
    REFERENCE,
    UNANIMITY,
    WITHIN,
    Layout,
)

Contribution = Mapping[int, int]
"""Amounts by column; columns without an amount are 0."""

ONE_ANNOTATOR = "Only one annotator is in the data."


@dataclass(frozen=True, slots=True)
class LabelledItem:
    """An item with the labels of its first presentations and of its repeats, by annotator."""

    item: Item
    firsts: Mapping[str, Label]
    repeats: Mapping[str, Label]
    tolerance: int

    @property
    def kinds(self) -> dict[str, str]:
        """The kind that each annotator gave first, where one was given."""
        return {name: label.kind for name, label in self.firsts.items() if label.kind}


def contribution(labelled: LabelledItem, layout: Layout) -> Contribution:
    """Return what an item adds to the sums."""
    into: dict[int, int] = defaultdict(int)
    into[layout.column("items")] = 1
    kinds = labelled.kinds
    counts = Counter(kinds.values())
    _add_kinds(into, layout, counts, len(kinds))
    _add_reference(into, layout, labelled.item.kind, kinds)
    _add_pairs(into, layout, labelled, kinds)
    _add_holders(into, layout, labelled.firsts)
    for name, again in labelled.repeats.items():
        _add_repeat(into, layout, layout.annotators.index(name), labelled.firsts.get(name), again, labelled.tolerance)
    return into


def agreed_kind(kinds: Mapping[str, str], annotators: int, rule: int) -> str:
    """Return the kind of all (`UNANIMITY`) or of more than half of the annotators (`MAJORITY`), or nothing."""
    if not kinds:
        return ""
    kind, votes = Counter(kinds.values()).most_common(1)[0]
    return kind if (votes == annotators if rule == UNANIMITY else 2 * votes > annotators) else ""


def reason_left_out(labelled: LabelledItem, annotators: tuple[str, ...]) -> str:
    """Return why an item is in no κ and no consensus, in words, or nothing if it is in."""
    if len(annotators) < 2:
        return ONE_ANNOTATOR
    missing = []
    for name in annotators:
        label = labelled.firsts.get(name)
        if label is None or not label.kind:
            missing.append(
                f"“{name}” could not tell ({label.cannot_tell})"
                if label and label.cannot_tell
                else f"“{name}” gave no kind"
            )
    return f"{', '.join(missing)}." if missing else ""


def _add_kinds(into: dict[int, int], layout: Layout, counts: Counter[str], labels: int) -> None:
    agreeing = sum(count * (count - 1) for count in counts.values())
    places = [(layout.kind_places[kind], count) for kind, count in counts.items()]
    if labels >= 2:
        into[layout.column("pairable", labels)] = 1
        into[layout.column("pairable_agreeing", labels)] = agreeing
        for place, count in places:
            into[layout.column("pairable_total", place)] = count
    if labels != len(layout.annotators) or labels < 2:
        return
    into[layout.column("complete")] = 1
    into[layout.column("agreeing")] = agreeing
    most = max(counts.values())
    into[layout.column("agreed", UNANIMITY)] = int(most == labels)
    into[layout.column("agreed", MAJORITY)] = int(2 * most > labels)
    for place, count in places:
        into[layout.column("total", place)] = count
        into[layout.column("square", place)] = count * count


def _add_reference(into: dict[int, int], layout: Layout, reference: str, kinds: Mapping[str, str]) -> None:
    for number, name in enumerate(layout.annotators):
        if name in kinds:
            into[layout.column("own_kinds", number, layout.kind_places[kinds[name]])] = 1
            if reference:
                into[layout.column("own_reference", number, WITHIN)] = int(kinds[name] == reference)
                into[layout.column("own_reference", number, BOTH)] = 1
    if not reference or len(kinds) != len(layout.annotators) or len(kinds) < 2:
        return
    for rule in (UNANIMITY, MAJORITY):
        agreed = agreed_kind(kinds, len(layout.annotators), rule)
        if agreed:
            into[layout.column("consensus", rule, layout.reference_places[reference], layout.kind_places[agreed])] = 1
        else:
            into[layout.column("unresolved", rule)] = 1


def _add_pairs(into: dict[int, int], layout: Layout, labelled: LabelledItem, kinds: Mapping[str, str]) -> None:
    for number, (one, other) in enumerate(layout.pairs):
        if one not in kinds or other not in kinds:
            continue
        first, second = layout.kind_places[kinds[one]], layout.kind_places[kinds[other]]
        into[layout.column("pair_kinds", number, first, second)] = 1
        matched, reference, others = edges(labelled.firsts[one], labelled.firsts[other], labelled.tolerance)
        blocks = ("edges", "same_kind_edges") if first == second else ("edges",)
        for block in blocks:
            for column in (layout.column(block, MATCHED), layout.column(f"pair_{block}", number, MATCHED)):
                into[column + MATCHED] += matched
                into[column + REFERENCE] += reference
                into[column + OTHER] += others


def edges(one: Label, other: Label, tolerance: int) -> tuple[int, int, int]:
    """Return how many edges of two labels match, and how many each has; a label has one of each sort at most."""
    matched = reference = others = 0
    for left, right in ((one.onset, other.onset), (one.offset, other.offset)):
        reference += left is not None
        others += right is not None
        if left is not None and right is not None:
            matched += abs(left - right) <= tolerance
    return matched, reference, others


def _add_holders(into: dict[int, int], layout: Layout, firsts: Mapping[str, Label]) -> None:
    if len(layout.annotators) < 2:
        return
    for side in (BEFORE, AFTER):
        named = Counter(
            holder
            for label in firsts.values()
            if (holder := label.holder_before if side == BEFORE else label.holder_after)
        )
        if named.total() != len(layout.annotators):
            continue
        into[layout.column("holder_complete", side)] = 1
        into[layout.column("holder_unanimous", side)] = int(len(named) == 1)
        into[layout.column("holder_agreeing", side)] = sum(count * (count - 1) for count in named.values())
        for holder, count in named.items():
            into[layout.column("holder_total", side, layout.holder_places[holder])] = count


def _add_repeat(
    into: dict[int, int], layout: Layout, number: int, first: Label | None, again: Label, tolerance: int
) -> None:
    if first is None or not first.kind or not again.kind:
        return
    into[layout.column("again_kinds", number, layout.kind_places[first.kind], layout.kind_places[again.kind])] = 1
    for left, right in ((first.onset, again.onset), (first.offset, again.offset)):
        if left is not None and right is not None:
            into[layout.column("again_edges", number, WITHIN)] += abs(left - right) <= tolerance
            into[layout.column("again_edges", number, BOTH)] += 1
