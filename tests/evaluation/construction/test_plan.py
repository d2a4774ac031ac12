"""The grid of conversations."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.errors import InvalidValueError
from evaluation.construction.acts import Interaction
from evaluation.construction.plan import planned_conversations


def test_two_hundred_and_forty_are_ten_a_cell_with_two_of_them_dev() -> None:
    planned = planned_conversations(240, seed=1)
    cells = Counter((each.interaction, each.speakers) for each in planned)
    dev = Counter((each.interaction, each.speakers) for each in planned if each.split == "dev")
    assert set(cells.values()) == {10}
    assert len(cells) == 24
    assert set(dev.values()) == {2}
    assert sum(dev.values()) == 48


@given(count=st.integers(1, 300), seed=st.integers(0, 99))
def test_cells_differ_by_one_at_most_and_a_fifth_is_dev(count: int, seed: int) -> None:
    planned = planned_conversations(count, seed)
    cells = Counter((each.interaction, each.speakers) for each in planned)
    assert len(planned) == count
    assert max(cells.values()) - min(cells.values()) <= 1
    assert len(cells) == min(count, 24)
    assert sum(each.split == "dev" for each in planned) == round(0.2 * count)
    assert len({each.id for each in planned}) == len({each.seed for each in planned}) == count


def test_six_conversations_have_all_types_and_all_speaker_counts() -> None:
    planned = planned_conversations(6, seed=1, split="test")
    assert {each.interaction for each in planned} == set(Interaction)
    assert {each.speakers for each in planned} == {2, 3, 4, 5}
    assert {each.split for each in planned} == {"test"}


def test_another_seed_draws_other_conversations() -> None:
    assert {each.seed for each in planned_conversations(24, 1)}.isdisjoint(
        {each.seed for each in planned_conversations(24, 2)}
    )


@pytest.mark.parametrize(("count", "speakers"), [(0, (2,)), (100_001, (2,)), (5, ()), (5, (1, 2)), (5, (6,))])
def test_what_cannot_be_planned_is_refused(count: int, speakers: tuple[int, ...]) -> None:
    with pytest.raises(InvalidValueError):
        planned_conversations(count, 1, speakers=speakers)
