import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from widgets.timeline.levels import AHEAD, LevelStore
from widgets.timeline.viewport import Viewport


class Counted:
    """Answers each column with the frame it begins at, and counts the columns asked for."""

    provisional = False

    def __init__(self) -> None:
        self.asked = 0

    def columns(self, edges: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        self.asked += len(edges) - 1
        return edges[:-1].astype(np.float32), edges[1:].astype(np.float32)


VIEW = Viewport.whole(500_000, 300).zoomed(8, 100)


@given(st.lists(st.tuples(st.sampled_from([1, 1, 1, 2]), st.integers(-700, 700)), max_size=12))
def test_however_the_view_moved_levels_are_those_of_its_columns(steps: list[tuple[int, int]]) -> None:
    store, waveform, view = LevelStore(), Counted(), VIEW
    for zoom, by in steps:
        view = view.zoomed(zoom, 150).panned(by)
        low, high = store.outline("anna", waveform, view, slice(0, view.width))
        edges = view.grid_edges(view.column - 1, view.column + view.width)
        assert np.array_equal(low, edges[:-1].astype(np.float32))
        assert np.array_equal(high, edges[1:].astype(np.float32))


def test_scrolling_asks_each_column_once_and_a_few_ahead() -> None:
    store, waveform, view = LevelStore(), Counted(), VIEW
    store.outline("anna", waveform, view, slice(0, view.width))
    asked = waveform.asked
    for step in range(1, 101):
        moved = view.panned(step)
        store.outline("anna", waveform, moved, slice(view.width - 1, view.width))
    assert 100 <= waveform.asked - asked <= 100 + AHEAD


def test_another_waveform_is_asked_anew() -> None:
    store, one, other = LevelStore(), Counted(), Counted()
    store.outline("anna", one, VIEW, slice(0, VIEW.width))
    store.outline("anna", other, VIEW, slice(0, VIEW.width))
    assert other.asked == one.asked
