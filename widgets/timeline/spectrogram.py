"""Spectrograms as pixels, and the tiles and frequencies that belong to a view.

Tiles hold columns of a power of two of frames on an absolute grid, so that they serve every zoom near theirs and a
scrolled picture is the same picture moved. A pixel column shows the tile column that its middle lies in; there is at
least one tile column a pixel. While the wanted tiles are computed, coarser or finer ones that are ready are drawn.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from annotation.audio.spectrogram_tiles import TILE_COLUMNS, TilePlace
from widgets.timeline.rendering import Pixels
from widgets.timeline.values import Spectrogram

STAND_INS = (1, 2, -1, 3, -2, 4)
"""Levels beside the wanted one from which a stretch is drawn meanwhile, the likeliest first."""
STEPS_HZ = (250, 500, 1_000, 2_000, 4_000, 5_000, 8_000, 10_000, 20_000, 50_000, 100_000)


def tiles_of(edges: NDArray[np.int64], level: int, frames: int) -> list[TilePlace]:
    """Return the tiles of a level that pixel columns need, those in the middle of the view first.

    Parameters
    ----------
    edges
        ``(n + 1,)`` frames at the borders of the pixel columns.
    frames
        Length of the recording; no tile lies wholly outside it.
    """
    size = TILE_COLUMNS << level
    first, last = max(int(edges[0]), 0) // size, (min(int(edges[-1]), frames) - 1) // size
    middle = (int(edges[0]) + int(edges[-1])) // 2
    numbers = sorted(range(first, last + 1), key=lambda number: abs(number * size + size // 2 - middle))
    return [TilePlace(level, number) for number in numbers]


@dataclass(frozen=True, slots=True)
class Drawing:
    """Where a spectrogram goes on a picture.

    Parameters
    ----------
    rows, skip
        Pixels of its whole height, and how many of them lie above `picture`.
    table
        ``(256,)`` pixels by strength.
    """

    picture: Pixels
    rows: int
    skip: int
    table: Pixels


def draw_spectrogram(drawing: Drawing, spectrogram: Spectrogram, edges: NDArray[np.int64], level: int) -> None:
    """Draw pixel columns as far as tiles are ready; the others keep what the picture holds.

    `edges` is ``(n + 1,)`` frames for a picture of n columns.
    """
    middles = (edges[:-1] + edges[1:]) >> 1
    for run, tile, bands in _ready(spectrogram, middles, level):
        columns = (middles[run] >> tile.level) - tile.number * TILE_COLUMNS
        _paint(drawing, run, bands, columns)


def missing_tiles(spectrogram: Spectrogram, edges: NDArray[np.int64], level: int, frames: int) -> tuple[TilePlace, ...]:
    """Return the tiles of a view that are not ready."""
    return tuple(tile for tile in tiles_of(edges, level, frames) if spectrogram.tile(tile) is None)


def _ready(
    spectrogram: Spectrogram, middles: NDArray[np.int64], level: int
) -> Iterator[tuple[slice, TilePlace, NDArray[np.uint8]]]:
    """Give runs of columns with the tile that each is drawn from, where there is one."""
    for run in _runs(middles, level):
        tile = TilePlace(level, int(middles[run.start]) // (TILE_COLUMNS << level))
        bands = spectrogram.tile(tile)
        if bands is not None:
            yield run, tile, bands
            continue
        for beside in STAND_INS:
            other = level + beside
            if other < 0:
                continue
            found = _stand_ins(spectrogram, middles, run, other)
            if found:
                yield from found
                break


def _stand_ins(
    spectrogram: Spectrogram, middles: NDArray[np.int64], run: slice, level: int
) -> list[tuple[slice, TilePlace, NDArray[np.uint8]]]:
    found = []
    for part in _runs(middles[run], level):
        inside = slice(run.start + part.start, run.start + part.stop)
        tile = TilePlace(level, int(middles[inside.start]) // (TILE_COLUMNS << level))
        bands = spectrogram.tile(tile)
        if bands is not None:
            found.append((inside, tile, bands))
    return found


def _runs(middles: NDArray[np.int64], level: int) -> Iterator[slice]:
    """Give the runs of columns, from frame 0, that lie in one tile of a level."""
    if not len(middles):
        return
    numbers = middles // (TILE_COLUMNS << level)
    bounds = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
    for start, stop in pairwise(bounds):
        if numbers[start] >= 0:
            yield slice(start, stop)


def _paint(drawing: Drawing, run: slice, bands: NDArray[np.uint8], columns: NDArray[np.int64]) -> None:
    shown, count = drawing.picture.shape[0], bands.shape[1]
    # Row 0 is the top, which is the highest band; several bands on one row show their loudest.
    down = np.arange(drawing.skip, drawing.skip + shown)
    upper = count - down * count // drawing.rows
    lower = np.minimum(count - (down + 1) * count // drawing.rows, upper - 1)
    strength = bands[columns]
    if count > drawing.rows:
        level = np.maximum.reduceat(strength[:, : upper[0]], lower[::-1], axis=1)[:, ::-1]
    else:
        level = strength[:, lower]
    drawing.picture[:, run] = drawing.table[level.T]


@dataclass(frozen=True, slots=True)
class FrequencyTick:
    """A mark of the frequency axis, `down` pixels below its top."""

    down: int
    label: str


def frequency_ticks(highest_hz: float, rows: int, spacing: int) -> tuple[FrequencyTick, ...]:
    """Return the marks of an axis of `rows` pixels from the lowest, at least `spacing` pixels apart, 0 first.

    Without room for two, there are none.
    """
    step = next((hz for hz in STEPS_HZ if hz * rows >= spacing * highest_hz), None)
    if step is None or step > highest_hz:
        return ()
    ticks = []
    for hz in range(0, int(highest_hz) + 1, step):
        text = f"{hz / 1000:g} kHz" if hz else "0"
        ticks.append(FrequencyTick(round((rows - 1) * (1 - hz / highest_hz)), text))
    return tuple(ticks)


def frequency_at(down: int, highest_hz: float, rows: int) -> float:
    """Return the frequency in hertz at the middle of a row, counted from the top."""
    return highest_hz * (rows - down - 0.5) / rows
