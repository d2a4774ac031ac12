import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from annotation.audio.spectrogram_tiles import TILE_COLUMNS, TilePlace, level_for
from widgets.timeline.rendering import Pixels
from widgets.timeline.spectrogram import (
    Drawing,
    draw_spectrogram,
    frequency_at,
    frequency_ticks,
    missing_tiles,
    tiles_of,
)
from widgets.timeline.viewport import Viewport

TABLE = np.arange(256, dtype=np.uint32) + 1_000


class Made:
    """A spectrogram whose tiles are the ones given."""

    highest_hz = 4_000.0

    def __init__(self, **tiles: NDArray[np.uint8]) -> None:
        self.tiles = {tuple(map(int, name[1:].split("_"))): tile for name, tile in tiles.items()}

    def tile(self, tile: TilePlace) -> NDArray[np.uint8] | None:
        return self.tiles.get((tile.level, tile.number))

    def want(self, tiles: object) -> None:
        """Nothing is computed here."""


def numbered(bands: int = 4) -> NDArray[np.uint8]:
    """Return a tile whose column is its number, the same in all bands."""
    return np.repeat(np.arange(TILE_COLUMNS, dtype=np.uint8)[:, None], bands, axis=1)


def drawn(spectrogram: Made, edges: NDArray[np.int64], level: int, *, rows: int = 4) -> Pixels:
    picture = np.zeros((rows, len(edges) - 1), dtype=np.uint32)
    draw_spectrogram(Drawing(picture, rows, 0, TABLE), spectrogram, edges, level)
    return picture


@given(st.integers(0, 2_000_000), st.integers(1, 500_000), st.integers(1, 3_000))
def test_the_tiles_of_a_view_cover_it_once_and_lie_in_the_recording(first: int, length: int, width: int) -> None:
    viewport = Viewport.whole(2_500_000, width).ranged(first, first + length)
    level = level_for(viewport.frames_per_column)
    tiles = tiles_of(viewport.edges(), level, viewport.frames)
    numbers = sorted(tile.number for tile in tiles)
    size = TILE_COLUMNS << level
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    assert numbers[0] * size <= max(viewport.first, 0)
    assert numbers[-1] * size < viewport.frames
    assert (numbers[-1] + 1) * size >= min(viewport.last, viewport.frames)


def test_the_middle_of_the_view_is_computed_first() -> None:
    edges = np.arange(5 * TILE_COLUMNS + 1, dtype=np.int64)
    assert [tile.number for tile in tiles_of(edges, 0, 10_000)] == [2, 1, 3, 0, 4]


def test_each_pixel_column_shows_the_tile_column_of_its_middle() -> None:
    edges = np.array([0, 3, 6, 9], dtype=np.int64)
    assert drawn(Made(t1_0=numbered()), edges, 1)[0].tolist() == [1_000, 1_002, 1_003]


@given(st.integers(0, 200), st.integers(1, 90))
def test_a_scrolled_spectrogram_is_the_same_moved(column: int, by: int) -> None:
    spectrogram = Made(**{f"t0_{number}": numbered() for number in range(20)})
    viewport = Viewport(frames=20 * TILE_COLUMNS, width=100, scale=(3 << 16) // 2, column=column)
    one = drawn(spectrogram, viewport.edges(), 0)
    other = drawn(spectrogram, viewport.panned(by).edges(), 0)
    moved = viewport.panned(by).column - column
    assert (one[:, moved:] == other[:, : 100 - moved]).all()


def test_the_highest_band_is_on_top() -> None:
    tile = np.tile(np.array([10, 20, 30, 40], dtype=np.uint8), (TILE_COLUMNS, 1))
    assert drawn(Made(t0_0=tile), np.array([0, 1]), 0)[:, 0].tolist() == [1_040, 1_030, 1_020, 1_010]


@pytest.mark.parametrize("skip", [0, 1, 3])
def test_where_rows_are_few_each_shows_its_loudest_band(skip: int) -> None:
    tile = np.tile(np.array([9, 1, 2, 8, 3, 4, 5, 7, 6, 11], dtype=np.uint8), (TILE_COLUMNS, 1))
    picture = np.zeros((5 - skip, 1), dtype=np.uint32)
    draw_spectrogram(Drawing(picture, 5, skip, TABLE), Made(t0_0=tile), np.array([0, 1]), 0)
    assert picture[:, 0].tolist() == [1_011, 1_007, 1_004, 1_008, 1_009][skip:]


def test_a_tile_that_is_not_ready_leaves_the_picture_as_it_is() -> None:
    edges = np.arange(2 * TILE_COLUMNS + 1, dtype=np.int64)
    picture = drawn(Made(t0_1=numbered()), edges, 0)
    assert (picture[:, :TILE_COLUMNS] == 0).all()
    assert (picture[:, TILE_COLUMNS:] >= 1_000).all()


def test_a_coarser_tile_stands_in_for_one_that_is_not_ready() -> None:
    edges = np.arange(9, dtype=np.int64)
    assert drawn(Made(t1_0=numbered()), edges, 0)[0].tolist() == [1_000 + frame // 2 for frame in range(8)]


def test_finer_tiles_stand_in_while_zooming_out() -> None:
    edges = np.arange(0, 4 * TILE_COLUMNS + 1, 2, dtype=np.int64)
    picture = drawn(Made(t0_0=numbered(), t0_1=numbered()), edges, 1)
    assert (picture[:, :TILE_COLUMNS] >= 1_000).all()
    assert (picture[:, TILE_COLUMNS:] == 0).all()


def test_only_tiles_that_are_not_ready_are_missing() -> None:
    edges = np.arange(3 * TILE_COLUMNS + 1, dtype=np.int64)
    missing = missing_tiles(Made(t0_1=numbered()), edges, 0, 10_000)
    assert {tile.number for tile in missing} == {0, 2}


def test_columns_before_the_recording_show_nothing() -> None:
    assert (drawn(Made(t0_0=numbered()), np.array([-3, -1, 1]), 0)[0] == [0, 1_000]).all()


def test_the_axis_has_marks_at_round_frequencies() -> None:
    ticks = frequency_ticks(4_000, 101, 20)
    assert [(tick.down, tick.label) for tick in ticks] == [
        (100, "0"), (75, "1 kHz"), (50, "2 kHz"), (25, "3 kHz"), (0, "4 kHz"),
    ]  # fmt: skip


def test_an_axis_without_room_has_no_marks() -> None:
    assert frequency_ticks(8_000, 10, 20) == ()


def test_a_row_is_the_frequency_of_its_middle() -> None:
    assert frequency_at(0, 4_000, 4) == 3_500
    assert frequency_at(3, 4_000, 4) == 500
