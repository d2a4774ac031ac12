from collections import Counter
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.errors import InvalidValueError
from annotation.study.queue import (
    LEAST_LAG,
    Place,
    QueueItem,
    crowded_neighbours,
    draw_queue,
    repeat_count,
    repeated_items,
)

FRACTIONS = st.integers(0, 100).map(lambda percent: Fraction(percent, 100))


@st.composite
def studies(draw: st.DrawFn, least: int = 1) -> list[QueueItem]:
    count = draw(st.integers(least, 70))
    conversations = draw(st.integers(1, 12))
    kinds = draw(st.integers(1, 4))
    return [
        QueueItem(
            f"i{number}",
            f"c{draw(st.integers(0, conversations - 1))}",
            (f"k{draw(st.integers(0, kinds - 1))}", draw(st.integers(2, 5))),
        )
        for number in range(count)
    ]


def conversations_of(places: tuple[Place, ...], items: list[QueueItem]) -> list[str]:
    by_id = {item.id: item.conversation for item in items}
    return [by_id[place.item] for place in places]


def neighbours_alike(conversations: list[str]) -> int:
    return sum(one == other for one, other in pairwise(conversations))


@given(studies(), FRACTIONS, st.integers(0, 2**32))
def test_the_share_that_is_repeated_is_the_rounded_fraction(
    items: list[QueueItem], fraction: Fraction, seed: int
) -> None:
    expected = round(fraction * len(items)) if len(items) > 20 else 0
    assert len(repeated_items(items, fraction, seed)) == repeat_count(len(items), fraction) == expected


@given(studies(least=21), FRACTIONS, st.integers(0, 2**32))
def test_each_stratum_repeats_its_share_to_the_next_whole_number(
    items: list[QueueItem], fraction: Fraction, seed: int
) -> None:
    repeated = repeated_items(items, fraction, seed)
    sizes = Counter(item.stratum for item in items)
    counts = Counter(item.stratum for item in items if item.id in repeated)
    for stratum, size in sizes.items():
        quota = Fraction(len(repeated) * size, len(items))
        assert int(quota) <= counts[stratum] <= int(quota) + 1


@settings(deadline=None)
@given(studies(), FRACTIONS, st.integers(0, 2**32))
def test_every_item_is_met_once_and_a_repeated_one_twice_in_that_order(
    items: list[QueueItem], fraction: Fraction, seed: int
) -> None:
    repeated = repeated_items(items, fraction, seed)
    places = draw_queue(items, repeated, annotator="a", seed=seed)
    expected = {(item.id, 1) for item in items} | {(item, 2) for item in repeated}
    assert {(place.item, place.number) for place in places} == expected
    assert len(places) == len(expected)
    where = {(place.item, place.number): number for number, place in enumerate(places)}
    assert all(where[item, 2] - where[item, 1] >= LEAST_LAG for item in repeated)


@settings(deadline=None)
@given(studies(), FRACTIONS, st.integers(0, 2**32))
def test_neighbours_are_of_one_conversation_only_where_there_are_too_many_of_it(
    items: list[QueueItem], fraction: Fraction, seed: int
) -> None:
    repeated = repeated_items(items, fraction, seed)
    conversations = conversations_of(draw_queue(items, repeated, annotator="a", seed=seed), items)
    most = max(Counter(conversations).values())
    alike = neighbours_alike(conversations)
    assert alike >= crowded_neighbours(conversations)
    if not repeated or 3 * most <= len(conversations):
        assert alike == crowded_neighbours(conversations)


@given(studies(), FRACTIONS, st.integers(0, 2**32))
def test_the_same_seed_gives_the_same_order(items: list[QueueItem], fraction: Fraction, seed: int) -> None:
    repeated = repeated_items(items, fraction, seed)
    assert repeated == repeated_items(items, fraction, seed)
    orders = [draw_queue(items, repeated, annotator="a", seed=seed) for _ in range(2)]
    assert orders[0] == orders[1]


def test_annotators_meet_the_same_repeats_in_orders_of_their_own() -> None:
    items = [QueueItem(f"i{number}", f"c{number % 9}") for number in range(60)]
    repeated = repeated_items(items, Fraction(1, 4), 7)
    orders = [draw_queue(items, repeated, annotator=name, seed=7) for name in "abc"]
    assert len(repeated) == 15
    assert len(set(orders)) == 3
    assert len({frozenset(place.item for place in order if place.number == 2) for order in orders}) == 1


def test_twenty_items_are_never_repeated_and_twenty_one_are() -> None:
    items = [QueueItem(f"i{number}", f"c{number}") for number in range(21)]
    assert repeated_items(items[:20], Fraction(1), 1) == frozenset()
    everything = repeated_items(items, Fraction(1), 1)
    assert len(everything) == 21
    assert len(draw_queue(items, everything, annotator="a", seed=1)) == 42


def test_an_order_that_is_continued_begins_with_another_conversation() -> None:
    items = [QueueItem(f"i{number}", "c1" if number < 10 else "c2") for number in range(20)]
    for seed in range(20):
        first = draw_queue(items, frozenset(), annotator="a", seed=seed, after="c1")[0]
        assert int(first.item[1:]) >= 10


def test_repeats_are_spread_over_the_order_and_not_gathered_at_its_end() -> None:
    items = [QueueItem(f"i{number}", f"c{number % 40}") for number in range(400)]
    repeated = repeated_items(items, Fraction(1, 4), 3)
    places = draw_queue(items, repeated, annotator="a", seed=3)
    thirds = Counter(3 * number // len(places) for number, place in enumerate(places) if place.number == 2)
    assert min(thirds[third] for third in range(3)) > 5


def test_a_fraction_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="outside 0 to 1"):
        repeat_count(100, Fraction(5, 4))


def test_too_few_items_to_keep_repeats_apart_are_refused() -> None:
    items = [QueueItem(f"i{number}", f"c{number}") for number in range(20)]
    with pytest.raises(InvalidValueError, match="more than 20"):
        draw_queue(items, frozenset({"i1"}), annotator="a", seed=1)
