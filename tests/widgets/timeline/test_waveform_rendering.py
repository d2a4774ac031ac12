import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from widgets.timeline.rendering import (
    argb,
    draw_clipping,
    draw_hatching,
    draw_presence,
    draw_slivers,
    draw_waveform,
    joined,
)

INK = np.uint32(1)


def drawn(low: list[float], high: list[float], *, height: int, gain: float = 1.0) -> NDArray[np.uint32]:
    picture = np.zeros((height, len(low)), dtype=np.uint32)
    levels = np.array(low, dtype=np.float32), np.array(high, dtype=np.float32)
    draw_waveform(picture, *levels, ink=INK, gain=gain, height=height)
    return picture


@pytest.mark.parametrize("height", [11, 255, 256, 301])
def test_a_full_scale_column_fills_the_height(height: int) -> None:
    assert drawn([-1.0], [1.0], height=height).all()


@pytest.mark.parametrize("height", [11, 255, 301])
def test_silence_is_one_line_in_the_middle(height: int) -> None:
    assert np.flatnonzero(drawn([0.0], [0.0], height=height)[:, 0]).tolist() == [height // 2]


@pytest.mark.parametrize("height", [11, 255, 301])
def test_columns_outside_the_channel_stay_empty(height: int) -> None:
    assert not drawn([np.nan], [np.nan], height=height).any()


@given(
    st.lists(st.tuples(st.floats(-2, 2, width=32), st.floats(-2, 2, width=32)), min_size=1, max_size=8),
    st.integers(3, 400),
)
def test_a_column_is_one_run_from_its_maximum_to_its_minimum(pairs: list[tuple[float, float]], height: int) -> None:
    low, high = [min(pair) for pair in pairs], [max(pair) for pair in pairs]
    picture = drawn(low, high, height=height)
    half = (height - 1) / 2
    for column, (bottom, top) in enumerate(zip(low, high, strict=True)):
        rows = np.flatnonzero(picture[:, column])
        places = (half - np.float32(level) * np.float32(half) for level in (top, bottom))
        expected = [round(min(max(float(place), 0.0), height - 1.0)) for place in places]
        assert [rows[0], rows[-1]] == expected
        assert len(rows) == expected[1] - expected[0] + 1


@given(st.integers(0, 40))
def test_a_picture_scrolled_under_the_ruler_shows_the_rest_of_the_same_outline(skip: int) -> None:
    low, high = np.array([-0.9, -0.2], dtype=np.float32), np.array([0.7, 0.1], dtype=np.float32)
    whole = np.zeros((41, 2), dtype=np.uint32)
    part = np.zeros((41 - skip, 2), dtype=np.uint32)
    draw_waveform(whole, low, high, ink=INK, gain=1.0, height=41)
    draw_waveform(part, low, high, ink=INK, gain=1.0, height=41, skip=skip)
    assert np.array_equal(whole[skip:], part)


def test_thickness_holds_at_the_border_too() -> None:
    picture = np.zeros((21, 2), dtype=np.uint32)
    levels = np.array([0.0, 1.0], dtype=np.float32)
    draw_waveform(picture, levels, levels, ink=INK, gain=1.0, height=21, thickness=2)
    assert picture[:, 0].sum() == 2
    assert picture[0, 1] == 1


def test_gain_makes_the_outline_taller() -> None:
    assert drawn([-0.2], [0.2], height=101, gain=2.0).sum() > drawn([-0.2], [0.2], height=101).sum()


def test_steps_between_columns_are_joined() -> None:
    low, high = joined(np.array([0.5, -0.5, 0.5], np.float32), np.array([0.5, -0.5, 0.5], np.float32))
    assert (low.tolist(), high.tolist()) == ([-0.5, -0.5], [0.5, 0.5])


def test_joining_leaves_columns_outside_the_channel_empty() -> None:
    nan = np.nan
    low, high = joined(np.array([nan, 0.1, nan], np.float32), np.array([nan, 0.2, nan], np.float32))
    assert np.isnan(low).tolist() == [False, True]
    assert high[0] == np.float32(0.2)


def test_clipping_is_marked_at_the_border_it_reaches() -> None:
    picture = np.zeros((10, 3), dtype=np.uint32)
    low, high = np.array([-0.5, -1.0, np.nan], np.float32), np.array([1.0, 0.5, np.nan], np.float32)
    draw_clipping(picture, low, high, thickness=2, colour=np.uint32(9))
    assert np.argwhere(picture).tolist() == [[0, 0], [1, 0], [8, 1], [9, 1]]


@given(st.integers(0, 50))
def test_hatching_scrolls_with_the_recording(by: int) -> None:
    one = np.zeros((20, 60), dtype=np.uint32)
    other = np.zeros((20, 60), dtype=np.uint32)
    draw_hatching(one, column=-7, row=0, period=8, colour=INK)
    draw_hatching(other, column=-7 + by, row=0, period=8, colour=INK)
    assert np.array_equal(one[:, by:], other[:, : 60 - by])


def test_slivers_take_one_column_at_least_and_stay_inside() -> None:
    picture = np.zeros((2, 6), dtype=np.uint32)
    columns, widths = np.array([-3, 1, 3, 5]), np.array([1, 0, 2, 4])
    draw_slivers(picture, columns, widths, np.array([4, 5, 6, 7], dtype=np.uint32))
    assert picture.tolist() == [[0, 5, 0, 6, 6, 7]] * 2


def test_a_colour_becomes_an_opaque_pixel() -> None:
    assert argb("#123456") == 0xFF123456


@given(st.lists(st.integers(-30, 130), max_size=12, unique=True), st.integers(0, 3))
def test_presence_is_where_a_stretch_is_and_at_least_a_column(bounds: list[int], least: int) -> None:
    bounds = sorted(bounds)[: len(bounds) // 2 * 2]
    onsets, offsets = (np.array(bounds[start::2], dtype=np.int64) for start in (0, 1))
    if least == 0:
        offsets = onsets.copy()
    picture = np.zeros((2, 100), dtype=np.uint32)
    draw_presence(picture, onsets, offsets, colour=np.uint32(7))
    for column in range(100):
        present = any(
            onset <= column < max(offset, onset + 1)
            for onset, offset in zip(onsets.tolist(), offsets.tolist(), strict=True)
        )
        assert (picture[:, column] == (7 if present else 0)).all()
