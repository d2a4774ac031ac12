from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from widgets.timeline.stacking import StackedRow, stack
from widgets.timeline.values import EventRow, Span

spans_of = st.lists(st.tuples(st.integers(0, 200), st.integers(0, 60)), max_size=60).map(
    lambda pairs: sorted((onset, onset + length) for onset, length in pairs)
)


def arrays(spans: list[tuple[int, int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    table = np.array(spans, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def row_of(spans: list[tuple[int, int]]) -> StackedRow:
    made = tuple(Span(str(n), onset, offset, "", "T", "#000000") for n, (onset, offset) in enumerate(spans))
    return StackedRow(EventRow("row", "Row", made))


@given(spans_of)
def test_no_two_spans_of_a_sub_row_overlap(spans: list[tuple[int, int]]) -> None:
    places = stack(*arrays(spans)).tolist()
    for place in set(places):
        mine = [span for span, at in zip(spans, places, strict=True) if at == place]
        assert all(max(a[1], a[0] + 1) <= b[0] for a, b in pairwise(mine))


@given(spans_of)
def test_there_are_as_many_sub_rows_as_spans_at_the_busiest_frame(spans: list[tuple[int, int]]) -> None:
    places = stack(*arrays(spans)).tolist()
    busiest = max((sum(a <= f < max(b, a + 1) for a, b in spans) for f in range(261)), default=0)
    assert max(places, default=-1) + 1 == busiest


@given(spans_of, st.integers(0, 60))
def test_a_later_span_never_moves_an_earlier_one(spans: list[tuple[int, int]], kept: int) -> None:
    assert stack(*arrays(spans))[:kept].tolist() == stack(*arrays(spans[:kept])).tolist()


def test_spans_that_only_meet_share_a_sub_row() -> None:
    assert stack(*arrays([(0, 10), (10, 20)])).tolist() == [0, 0]


def test_overlapping_spans_are_laid_below_each_other() -> None:
    assert stack(*arrays([(0, 10), (5, 15), (6, 9), (12, 20)])).tolist() == [0, 1, 2, 0]


@given(spans_of, st.integers(0, 260), st.integers(0, 80))
def test_touching_finds_the_same_spans_as_looking_at_each(
    spans: list[tuple[int, int]], first: int, length: int
) -> None:
    last = first + length
    expected = [n for n, (onset, offset) in enumerate(spans) if offset >= first and onset <= last]
    assert row_of(spans).touching(first, last).tolist() == expected


def test_a_row_without_events_has_one_sub_row() -> None:
    row = row_of([])
    assert (row.depth, row.touching(0, 100).tolist()) == (1, [])
