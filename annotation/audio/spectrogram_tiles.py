"""Spectrograms in tiles on an absolute grid, and a store of those that were computed.

Conventions: tile ``(level, number)`` is 256 columns of ``2 ** level`` timeline frames each, from frame
``number * 256 * 2 ** level``. So a tile is the same wherever the view stands, and level and number name it for ever.
"""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.audio.cache import AudioCache
from annotation.audio.spectrogram import BANDS, SpectrogramColumns, open_spectrogram
from annotation.conversation import Channel
from annotation.errors import InvalidValueError

TILE_COLUMNS = 256
HIGHEST_LEVEL = 40
"""Columns of twelve days at the highest rate."""


@dataclass(frozen=True, slots=True, order=True)
class TilePlace:
    """Which tile: columns of ``2 ** level`` frames, the tile beginning at frame 0 being number 0."""

    level: int
    number: int

    def __post_init__(self) -> None:
        if not 0 <= self.level <= HIGHEST_LEVEL:
            raise InvalidValueError(f"A tile’s level lies between 0 and {HIGHEST_LEVEL}, not at {self.level}.")

    @property
    def frames(self) -> int:
        """How many timeline frames the tile spans."""
        return TILE_COLUMNS << self.level

    @property
    def onset(self) -> int:
        """Its first timeline frame."""
        return self.number * self.frames

    @property
    def offset(self) -> int:
        """The timeline frame after it."""
        return self.onset + self.frames

    def edges(self) -> NDArray[np.int64]:
        """Return the timeline frames at the edges of its columns, ``(257,)``."""
        return self.onset + (np.arange(TILE_COLUMNS + 1, dtype=np.int64) << self.level)


def level_for(frames_per_pixel: float) -> int:
    """Return the level whose columns are as wide as a pixel or narrower, by less than half."""
    return min(max(int(frames_per_pixel).bit_length() - 1, 0), HIGHEST_LEVEL)


def tiles_between(onset: int, offset: int, level: int) -> tuple[TilePlace, ...]:
    """Return the tiles of a level that meet the frames ``[onset, offset)``, from left to right."""
    frames = TILE_COLUMNS << level
    return tuple(TilePlace(level, number) for number in range(onset // frames, -(-offset // frames)))


def compute_tile(
    channel: Channel, timeline_rate_hz: int, place: TilePlace, cache: AudioCache | None = None
) -> SpectrogramColumns:
    """Return a tile of a channel, its arrays read-only; opens the file and closes it, so any thread may call it.

    Parameters
    ----------
    cache
        Where compressed sound lies decoded, as for `open_spectrogram`.

    Raises
    ------
    AudioRefusedError
        If the file is missing, is no longer what the conversation says of it, or cannot be read.
    """
    spectrogram = open_spectrogram(channel, timeline_rate_hz, cache)
    try:
        tile = spectrogram.columns(place.edges())
    finally:
        spectrogram.close()
    tile.levels.setflags(write=False)
    tile.inside.setflags(write=False)
    return tile


class TileStore:
    """Tiles that were computed, up to a number of bytes; those not asked for the longest go. Belongs to one thread.

    Parameters
    ----------
    limit_bytes
        How much is kept, at least one tile.
    """

    def __init__(self, limit_bytes: int = 64 << 20) -> None:
        self._most = max(1, limit_bytes // (TILE_COLUMNS * (BANDS + 1)))
        self._tiles: OrderedDict[tuple[Hashable, TilePlace], SpectrogramColumns] = OrderedDict()

    def __len__(self) -> int:
        return len(self._tiles)

    def tile(self, owner: Hashable, place: TilePlace) -> SpectrogramColumns | None:
        """Return a tile of an owner (a lane, a channel) if it is kept."""
        tile = self._tiles.get((owner, place))
        if tile is not None:
            self._tiles.move_to_end((owner, place))
        return tile

    def keep(self, owner: Hashable, place: TilePlace, tile: SpectrogramColumns) -> None:
        """Keep a tile, in place of the same one from before."""
        self._tiles[owner, place] = tile
        self._tiles.move_to_end((owner, place))
        while len(self._tiles) > self._most:
            self._tiles.popitem(last=False)

    def forget(self, owner: Hashable) -> None:
        """Drop all tiles of an owner, whose sound is another one now."""
        for key in [key for key in self._tiles if key[0] == owner]:
            del self._tiles[key]
