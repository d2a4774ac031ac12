import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.agreement.boundaries import (
    BoundaryCounts,
    boundary_counts,
    boundary_f1,
    matched_pairs,
    pooled,
    precision,
    recall,
)

FRAMES = st.lists(st.integers(0, 60), max_size=12)


def largest_matching(left: list[int], right: list[int], tolerance: int) -> int:
    """Augmenting paths: slow, and right for any kind of nearness."""
    partner: dict[int, int] = {}

    def find(place: int, seen: set[int]) -> bool:
        for other in range(len(right)):
            if abs(left[place] - right[other]) <= tolerance and other not in seen:
                seen.add(other)
                if other not in partner or find(partner[other], seen):
                    partner[other] = place
                    return True
        return False

    return sum(find(place, set()) for place in range(len(left)))


@given(FRAMES, FRAMES, st.integers(0, 15))
def test_two_pointers_find_a_maximum_matching(left: list[int], right: list[int], tolerance: int) -> None:
    pairs = matched_pairs(left, right, tolerance)
    assert len(pairs) == largest_matching(left, right, tolerance)
    assert all(abs(one - other) <= tolerance for one, other in pairs)


def test_taking_the_nearest_first_would_lose_a_pair() -> None:
    assert len(matched_pairs([1000, 1150], [1100, 1300], 200)) == 2


def test_the_tolerance_is_inclusive() -> None:
    assert boundary_counts([0], [500], 500).matched == 1
    assert boundary_counts([0], [501], 500).matched == 0


def test_a_published_case_at_two_tolerances() -> None:
    first, second = [155_105, 169_855, 264_855], [156_405, 170_852, 264_606]
    assert boundary_f1(boundary_counts(first, second, 500)).value == pytest.approx(1 / 3)
    assert boundary_f1(boundary_counts(first, second, 2000)).value == 1.0


def test_counts_are_pooled_before_rates_are_formed() -> None:
    total = pooled([BoundaryCounts(2, 2, 2), BoundaryCounts(0, 2, 0)])
    assert total == BoundaryCounts(2, 4, 2)
    assert boundary_f1(total).value == pytest.approx(4 / 6)
    assert (precision(total).value, recall(total).value) == (1.0, 0.5)
    assert boundary_f1(total).n == 6


def test_sides_without_a_boundary_are_undefined_in_words() -> None:
    nothing = BoundaryCounts()
    for figure in (boundary_f1(nothing), precision(nothing), recall(nothing)):
        assert figure.value is None
        assert "boundary" in figure.reason
    assert boundary_f1(BoundaryCounts(0, 2, 0)).value == 0.0


@given(FRAMES, FRAMES, st.integers(0, 15))
def test_f1_does_not_depend_on_who_is_the_reference(left: list[int], right: list[int], tolerance: int) -> None:
    one, other = boundary_counts(left, right, tolerance), boundary_counts(right, left, tolerance)
    assert boundary_f1(one) == boundary_f1(other)
    assert precision(one).value == recall(other).value
