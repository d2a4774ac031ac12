import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widgets.timeline.viewport import FINEST_SCALE, Viewport

frames_of = st.integers(1, 3 * 3_600 * 48_000)
widths = st.integers(1, 4_000)


@st.composite
def viewports(draw: st.DrawFn) -> Viewport:
    viewport = Viewport.whole(draw(frames_of), draw(widths))
    onset = draw(st.integers(0, viewport.frames))
    return viewport.ranged(onset, draw(st.integers(onset, viewport.frames)))


@given(frames_of, widths)
def test_whole_view_holds_the_whole_recording(frames: int, width: int) -> None:
    viewport = Viewport.whole(frames, width)
    assert viewport.first <= 0
    assert viewport.last >= frames


@given(viewports(), st.integers(-3_000, 3_000))
def test_a_column_shows_the_same_frames_wherever_it_stands(viewport: Viewport, columns: int) -> None:
    moved = viewport.panned(columns)
    by = moved.column - viewport.column
    one, other = viewport.edges(), moved.edges()
    if 0 <= by < len(one):
        assert np.array_equal(one[by:], other[: len(one) - by])
    if 0 <= -by < len(one):
        assert np.array_equal(other[-by:], one[: len(one) + by])


@given(viewports(), st.integers(0, 20))
def test_edges_tile_the_view_without_a_gap(viewport: Viewport, before: int) -> None:
    edges = viewport.grid_edges(viewport.column - before, viewport.column + viewport.width)
    assert len(edges) == before + viewport.width + 1
    assert (np.diff(edges) >= 0).all()
    assert (edges[before], edges[-1]) == (viewport.first, viewport.last)
    assert np.array_equal(edges[before:], viewport.edges())


@given(viewports(), st.floats(0, 1))
def test_a_frame_is_found_again_where_it_is_drawn(viewport: Viewport, share: float) -> None:
    frame = viewport.first + round(share * (viewport.last - viewport.first))
    assert viewport.frame_from_x(viewport.x_from_frame(frame)) == frame


@given(viewports(), st.floats(0, 1))
def test_a_frame_lies_in_the_column_that_holds_it(viewport: Viewport, share: float) -> None:
    frame = viewport.first + int(share * (viewport.last - viewport.first - 1))
    column = int(viewport.columns_from_frames(np.array([frame]))[0])
    assert column == int(np.floor(viewport.x_from_frame(frame)))


@given(frames_of, st.integers(40, 4_000), st.data())
def test_zooming_to_a_range_shows_all_of_it(frames: int, width: int, data: st.DataObject) -> None:
    onset = data.draw(st.integers(0, frames))
    offset = data.draw(st.integers(onset, frames))
    viewport = Viewport.whole(frames, width).ranged(onset, offset)
    assert viewport.first <= onset
    assert viewport.last >= offset


@given(viewports(), st.floats(0.05, 20), st.floats(0, 1))
def test_zooming_never_leaves_the_limits(viewport: Viewport, factor: float, share: float) -> None:
    zoomed = viewport.zoomed(factor, share * viewport.width)
    whole = Viewport.whole(viewport.frames, viewport.width)
    assert FINEST_SCALE <= zoomed.scale <= whole.scale
    assert zoomed.column >= whole.column


def test_zooming_keeps_the_frame_under_the_pointer() -> None:
    viewport = Viewport.whole(3_600_000, 1_000)
    frame = viewport.frame_from_x(400)
    zoomed = viewport.zoomed(8, 400)
    assert abs(zoomed.x_from_frame(frame) - 400) <= 1


def test_the_finest_zoom_gives_a_frame_eight_columns() -> None:
    assert Viewport.whole(10_000, 800).zoomed(1e9, 0).frames_per_column == 1 / 8


def test_panning_stops_a_small_margin_after_the_end() -> None:
    viewport = Viewport.whole(1_000_000, 1_000).ranged(0, 10_000).panned(10**9)
    assert viewport.last >= 1_000_000
    assert viewport.x_from_frame(1_000_000) >= 900


def test_a_view_of_the_whole_stays_one_when_it_grows() -> None:
    assert Viewport.whole(50_000, 300).resized(900) == Viewport.whole(50_000, 900)


@given(viewports())
def test_resizing_to_the_same_width_changes_nothing(viewport: Viewport) -> None:
    assert viewport.resized(viewport.width) == viewport


def test_resizing_keeps_the_range() -> None:
    viewport = Viewport.whole(1_000_000, 1_000).ranged(200_000, 300_000)
    resized = viewport.resized(1_600)
    assert resized.first == pytest.approx(viewport.first, abs=200)
    assert resized.last == pytest.approx(viewport.last, abs=200)
