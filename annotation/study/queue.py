"""The order in which one annotator meets the items, with blind repeats.

Conventions: an item is met once, a repeated one twice. All annotators repeat the same items; each meets them in an
order of its own. Everything follows from the study's seed.

Decisions (MultiPartyTurnBench App. A.1 says that a quarter of the examples is repeated blindly, not how): of n items
``round(fraction × n)`` are repeated, ties to even, shared out over the strata (kind and speaker count) by largest
remainder; a second presentation comes at least 20 places after the first; with 20 items or fewer there is none; two
neighbours are of one conversation only where there are too many items of it.

References: MultiPartyTurnBench App. A.1.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from annotation.errors import InvalidValueError

LEAST_LAG = 20
"""How many places after its first presentation an item is repeated at the earliest."""

_MIXING = 20
"""Exchanges tried for each place, so that the order forgets how it was made."""

_PATIENCE = 4
"""How many times the mending of neighbours starts over."""


@dataclass(frozen=True, slots=True)
class QueueItem:
    """What the order depends on: the item, its conversation, and the stratum in which repeats are shared out."""

    id: str
    conversation: str
    stratum: tuple[str, int] = ("", 0)


@dataclass(frozen=True, slots=True)
class Place:
    """One presentation in an annotator's order: an item, and whether it is met for the first or the second time."""

    item: str
    number: int


def repeat_count(items: int, fraction: Fraction) -> int:
    """Return how many of `items` are repeated; 0 for 20 or fewer.

    Raises
    ------
    InvalidValueError
        If the fraction is outside 0 to 1.
    """
    if not 0 <= fraction <= 1:
        raise InvalidValueError(f"A repeat fraction of {float(fraction):g} is outside 0 to 1.")
    return round(fraction * items) if items > LEAST_LAG else 0


def repeated_items(items: Sequence[QueueItem], fraction: Fraction, seed: int) -> frozenset[str]:
    """Return the ids of the items that all annotators meet twice (MultiPartyTurnBench App. A.1).

    Each stratum gives its share of them to the next lower or higher whole number.

    Raises
    ------
    InvalidValueError
        If the fraction is outside 0 to 1.
    """
    total = repeat_count(len(items), fraction)
    chance = Random(f"{seed} repeats")
    strata: dict[tuple[str, int], list[str]] = defaultdict(list)
    for item in sorted(items, key=lambda item: item.id):
        strata[item.stratum].append(item.id)
    quotas = {stratum: Fraction(total * len(ids), len(items)) for stratum, ids in strata.items()}
    shares = {stratum: int(quota) for stratum, quota in quotas.items()}
    by_remainder = sorted(strata, key=lambda stratum: (shares[stratum] - quotas[stratum], chance.random()))
    for stratum in by_remainder[: total - sum(shares.values())]:
        shares[stratum] += 1
    return frozenset(item for stratum in sorted(strata) for item in chance.sample(strata[stratum], shares[stratum]))


def draw_queue(
    items: Sequence[QueueItem], repeated: frozenset[str], *, annotator: str, seed: int, after: str = ""
) -> tuple[Place, ...]:
    """Return one annotator's order over all items (MultiPartyTurnBench App. A.1).

    Parameters
    ----------
    after
        The conversation of the presentation that comes before, where an order is continued.

    Raises
    ------
    InvalidValueError
        If an id stands twice, or items are repeated that are not there or too few to be kept apart.
    """
    ids = [item.id for item in items]
    if len(set(ids)) < len(ids) or not repeated <= set(ids):
        raise InvalidValueError("An order needs each item once, and repeats only what it holds.")
    if repeated and len(items) <= LEAST_LAG:
        raise InvalidValueError(f"Repeats need more than {LEAST_LAG} items, here are {len(items)}.")
    chance = Random(f"{seed} order {annotator}")
    order = _Order(_laid_out(items, repeated, chance, after), items, after)
    order.mix(chance)
    order.mend(chance)
    return order.places()


def crowded_neighbours(conversations: Sequence[str]) -> int:
    """Return the least number of neighbours of one conversation that any order of these must have."""
    most = max(Counter(conversations).values(), default=0)
    return max(0, 2 * most - len(conversations) - 1)


def _laid_out(items: Sequence[QueueItem], repeated: frozenset[str], chance: Random, after: str) -> list[int]:
    """Return a first order as places in `items`: second presentations come late enough, few neighbours are alike.

    A repeated item must be met early enough that its second presentation still fits: with u of them to come, at place
    p of N, the next has to be one of them once ``p >= N - 20 - u``. Kept to, some item is always at hand.
    """
    left = Counter(item.conversation for item in items)
    left.update(item.conversation for item in items if item.id in repeated)
    once = _Pool(items, [place for place, item in enumerate(items) if item.id not in repeated], chance)
    twice = _Pool(items, [place for place, item in enumerate(items) if item.id in repeated], chance)
    again = _Pool(items, [], chance)
    total = len(items) + len(repeated)
    order: list[int] = []
    previous = after
    for here in range(total):
        if here >= LEAST_LAG and items[order[here - LEAST_LAG]].id in repeated:
            returning = order[here - LEAST_LAG]
            if order.index(returning) == here - LEAST_LAG:
                again.put(returning)
        pools = [twice] if twice.size and here >= total - LEAST_LAG - twice.size else [once, twice, again]
        conversation = _next_conversation(pools, left, total - here, previous, chance)
        holding = [pool for pool in pools if pool.count(conversation)]
        pool = chance.choices(holding, [pool.count(conversation) for pool in holding])[0]
        order.append(pool.take(conversation))
        left[conversation] -= 1
        previous = conversation
    return order


class _Pool:
    """Items that may come next, by conversation."""

    def __init__(self, items: Sequence[QueueItem], places: list[int], chance: Random) -> None:
        self._items = items
        self._chance = chance
        self._by_conversation: dict[str, list[int]] = {}
        self.size = 0
        for place in places:
            self.put(place)

    @property
    def conversations(self) -> list[str]:
        return list(self._by_conversation)

    def count(self, conversation: str) -> int:
        return len(self._by_conversation.get(conversation, ()))

    def put(self, place: int) -> None:
        self._by_conversation.setdefault(self._items[place].conversation, []).append(place)
        self.size += 1

    def take(self, conversation: str) -> int:
        places = self._by_conversation[conversation]
        taken = places.pop(self._chance.randrange(len(places)))
        if not places:
            del self._by_conversation[conversation]
        self.size -= 1
        return taken


def _next_conversation(pools: list[_Pool], left: Counter[str], places_left: int, previous: str, chance: Random) -> str:
    """Return a conversation other than the last where that can be; one that fills half of what is left comes first."""
    weights: Counter[str] = Counter()
    for pool in pools:
        for conversation in pool.conversations:
            weights[conversation] += pool.count(conversation)
    others = [conversation for conversation in weights if conversation != previous]
    if not others:
        return previous
    pressing = [conversation for conversation in others if 2 * left[conversation] > places_left]
    if pressing:
        return pressing[0]
    return chance.choices(others, [weights[conversation] for conversation in others])[0]


class _Order:
    """An order under exchange of two presentations, which never brings an item's two too close together."""

    def __init__(self, order: list[int], items: Sequence[QueueItem], after: str) -> None:
        self._order = order
        self._items = items
        numbers = {conversation: number for number, conversation in enumerate(sorted({i.conversation for i in items}))}
        self._conversation = [numbers[item.conversation] for item in items]
        self._before = numbers.get(after, -1)
        self._where: dict[int, list[int]] = defaultdict(list)
        for place, item in enumerate(order):
            self._where[item].append(place)

    def places(self) -> tuple[Place, ...]:
        """Return the order as it stands."""
        seen: set[int] = set()
        result = []
        for item in self._order:
            result.append(Place(self._items[item].id, 2 if item in seen else 1))
            seen.add(item)
        return tuple(result)

    def mix(self, chance: Random) -> None:
        """Exchange presentations at random wherever no more neighbours become alike."""
        size = len(self._order)
        for _ in range(_MIXING * size):
            self._exchange_if(chance.randrange(size), chance.randrange(size), gain_at_least=0)

    def mend(self, chance: Random) -> None:
        """Exchange presentations until as few neighbours as can be are of one conversation."""
        least = crowded_neighbours([self._items[item].conversation for item in self._order])
        for _ in range(_PATIENCE):
            alike = self._alike()
            if len(alike) <= least:
                return
            for place in alike:
                others = list(range(len(self._order)))
                chance.shuffle(others)
                any(self._exchange_if(place, other, gain_at_least=1) for other in others)
            self.mix(chance)

    def _alike(self) -> list[int]:
        return [place for place in range(len(self._order)) if self._clashes(place)]

    def _clashes(self, place: int) -> bool:
        """Whether a presentation is of the same conversation as the one before it."""
        if not 0 <= place < len(self._order):
            return False
        before = self._conversation[self._order[place - 1]] if place else self._before
        return self._conversation[self._order[place]] == before

    def _exchange_if(self, one: int, other: int, *, gain_at_least: int) -> bool:
        """Exchange two presentations if both items allow it and at least so many neighbours fewer are alike."""
        first, second = self._order[one], self._order[other]
        if first == second or not (self._may_move(first, one, other) and self._may_move(second, other, one)):
            return False
        edges = {one, one + 1, other, other + 1}
        before = sum(map(self._clashes, edges))
        self._order[one], self._order[other] = second, first
        if before - sum(map(self._clashes, edges)) < gain_at_least:
            self._order[one], self._order[other] = first, second
            return False
        self._move(first, one, other)
        self._move(second, other, one)
        return True

    def _may_move(self, item: int, source: int, target: int) -> bool:
        return all(abs(place - target) >= LEAST_LAG for place in self._where[item] if place != source)

    def _move(self, item: int, source: int, target: int) -> None:
        where = self._where[item]
        where[where.index(source)] = target
