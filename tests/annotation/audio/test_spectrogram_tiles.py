from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from annotation.audio.spectrogram import BANDS, SpectrogramColumns, open_spectrogram
from annotation.audio.spectrogram_tiles import (
    TILE_COLUMNS,
    TilePlace,
    TileStore,
    compute_tile,
    level_for,
    tiles_between,
)
from annotation.conversation import Channel
from annotation.errors import InvalidValueError

TILE = SpectrogramColumns(np.zeros((TILE_COLUMNS, BANDS), dtype=np.uint8), np.ones(TILE_COLUMNS, dtype=np.bool_))
TILE_BYTES = TILE.levels.nbytes + TILE.inside.nbytes


def test_tile_number_one_of_level_three_begins_at_frame_2048() -> None:
    place = TilePlace(3, 1)
    assert (place.onset, place.offset, place.frames) == (2048, 4096, 2048)
    assert place.edges()[[0, 1, -1]].tolist() == [2048, 2056, 4096]
    assert len(place.edges()) == 257


@pytest.mark.parametrize(
    ("frames_per_pixel", "level"), [(0.1, 0), (1, 0), (1.9, 0), (2, 1), (500, 8), (512, 9), (1e30, 40)]
)
def test_columns_are_as_wide_as_a_pixel_or_up_to_half_narrower(frames_per_pixel: float, level: int) -> None:
    assert level_for(frames_per_pixel) == level


@pytest.mark.parametrize("level", [-1, 41])
def test_a_level_that_is_not_possible_is_refused(level: int) -> None:
    with pytest.raises(InvalidValueError, match="level lies between 0 and 40"):
        TilePlace(level, 0)


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**6), st.integers(0, 30))
def test_the_tiles_of_a_stretch_cover_it_without_a_gap_and_without_one_too_many(
    onset: int, length: int, level: int
) -> None:
    tiles = tiles_between(onset, onset + min(length, 50 * (TILE_COLUMNS << level)), level)
    end = onset + min(length, 50 * (TILE_COLUMNS << level))
    assert tiles[0].onset <= onset < tiles[0].offset
    assert tiles[-1].onset < end <= tiles[-1].offset
    assert all(before.offset == after.onset for before, after in pairwise(tiles))


def test_a_computed_tile_has_the_columns_of_its_place_and_is_read_only(tmp_path: Path) -> None:
    noise = np.random.default_rng(2).integers(-9000, 9000, 40000).astype(np.int16)
    soundfile.write(tmp_path / "a.wav", noise, 16000, subtype="PCM_16")
    channel = Channel("a", tmp_path / "a.wav", 0, 16000, len(noise), start_frame=300)
    tile = compute_tile(channel, 16000, TilePlace(5, 4))
    spectrogram = open_spectrogram(channel, 16000)
    expected = spectrogram.columns(np.arange(4 * 8192, 5 * 8192 + 32, 32))
    spectrogram.close()
    assert np.array_equal(tile.levels, expected.levels)
    assert tile.inside.sum() == -(-(300 + 40000 - 4 * 8192) // 32)
    assert not tile.levels.flags.writeable
    assert not tile.inside.flags.writeable


def test_the_store_drops_what_was_not_asked_for_the_longest() -> None:
    store = TileStore(limit_bytes=3 * TILE_BYTES)
    for number in range(3):
        store.keep("a", TilePlace(0, number), TILE)
    assert store.tile("a", TilePlace(0, 0)) is TILE
    store.keep("a", TilePlace(0, 3), TILE)
    assert len(store) == 3
    assert store.tile("a", TilePlace(0, 1)) is None
    assert store.tile("a", TilePlace(0, 0)) is TILE


def test_the_store_holds_one_tile_however_low_its_limit() -> None:
    store = TileStore(limit_bytes=0)
    store.keep("a", TilePlace(0, 0), TILE)
    store.keep("a", TilePlace(0, 1), TILE)
    assert len(store) == 1


def test_the_store_forgets_the_tiles_of_one_owner() -> None:
    store = TileStore()
    store.keep("a", TilePlace(0, 0), TILE)
    store.keep("b", TilePlace(0, 0), TILE)
    store.forget("a")
    assert store.tile("a", TilePlace(0, 0)) is None
    assert store.tile("b", TilePlace(0, 0)) is TILE
