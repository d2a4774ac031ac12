"""Outlines of sound at every zoom: smallest and largest sample of bins on an absolute grid.

Conventions: bins hold 256 samples, and four bins of one level make one of the next; a bin starts at a multiple of its
length, so that scrolling never changes what a column shows. Values are 16-bit integers, sample times 32,768, the
smallest rounded down and the largest up, so that no peak is lost; what lies beyond full scale is cut to it and
counted. The pyramid of an hour at 16 kHz takes 1.2 MB.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from annotation.audio.cache import AudioCache, CachedNumbers
from annotation.audio.decoding import FrameReader, open_frames
from annotation.cancellation import CancelToken, Progress

BIN_SAMPLES = 256
LEVEL_RATIO = 4
PREVIEW_SAMPLES = 512
"""Samples read for each stripe of a preview of plain 16-bit sound."""

_CHUNK_SAMPLES = 1 << 18
_LEAST_BINS = 64
_PLAIN_STRIPES = 2048
_DECODED_STRIPES = 160
_DECODED_SAMPLES = 4096
"""A seek in FLAC decodes a block of this size anyway."""
_STRIPES_A_CHECK = 64
"""How many stripes are read between two looks at whether to stop."""
_FULL_SCALE = 32768.0

Outline = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class PeakLevel:
    """Smallest and largest sample of each bin of `bin_samples`, as int16 ``(n,)``; the last bin may be partial."""

    bin_samples: int
    smallest: Outline
    largest: Outline


@dataclass(frozen=True, slots=True)
class Pyramid:
    """The outline of one channel, finest level first.

    Parameters
    ----------
    frames
        Samples of the channel.
    over_full_scale, not_finite
        How many samples are beyond −1 to 1, and how many are no number (drawn as zero).
    provisional
        Whether most samples were passed over to be quick.
    """

    frames: int
    levels: tuple[PeakLevel, ...]
    over_full_scale: int = 0
    not_finite: int = 0
    provisional: bool = False


def build_pyramid(path: Path, cache: AudioCache, token: CancelToken, progress: Progress) -> tuple[Pyramid, ...]:
    """Return the pyramids of all channels of a file, from the cache or computed and kept there.

    Safe to run in several threads at once, one a file: reading and reducing release the interpreter lock.

    Raises
    ------
    AudioRefusedError
        If the file cannot be read.
    CancelledError
        If `token` was set.
    """
    reader = open_frames(path, cache, token)
    try:
        key = reader.key
        kept = _kept_pyramids(reader, key, cache)
        if kept is None:
            kept = _computed_pyramids(reader, token, progress)
            _keep(kept, key, cache)
    finally:
        reader.close()
    progress(1.0)
    return kept


def cached_pyramid(path: Path, cache: AudioCache) -> tuple[Pyramid, ...] | None:
    """Return the pyramids of a file’s channels if the cache has them.

    Raises
    ------
    AudioRefusedError
        If the file cannot be read.
    """
    reader = open_frames(path, cache)
    try:
        return _kept_pyramids(reader, reader.key, cache)
    finally:
        reader.close()


def pyramid_of(samples: NDArray[np.float32]) -> Pyramid:
    """Return the pyramid of sound in memory, at least one sample, ``(n,)``."""
    found = _extremes_of_rows(_rows(samples))
    levels = _levels_above(found.smallest, found.largest)
    return Pyramid(len(samples), levels, found.over_full_scale, found.not_finite)


def sparse_preview(path: Path, cache: AudioCache, token: CancelToken) -> tuple[Pyramid, ...]:
    """Return provisional outlines of all channels from a few samples of each stretch, within milliseconds.

    Compressed sound that does not lie decoded in the cache is decoded first, which takes longer.

    Raises
    ------
    AudioRefusedError
        If the file cannot be read.
    CancelledError
        If `token` was set.
    """
    reader = open_frames(path, cache, token)
    try:
        return _sparse_pyramids(reader, token)
    finally:
        reader.close()


def level_sizes(frames: int) -> tuple[int, ...]:
    """Return how many bins each level of a full pyramid over `frames` samples has."""
    sizes = [-(-frames // BIN_SAMPLES)]
    while sizes[-1] > _LEAST_BINS:
        sizes.append(-(-sizes[-1] // LEVEL_RATIO))
    return tuple(sizes)


@dataclass(frozen=True, slots=True)
class _Extremes:
    """Outline of rows of samples, with what could not be drawn as it is."""

    smallest: Outline
    largest: Outline
    over_full_scale: int
    not_finite: int


def _extremes_of_rows(rows: NDArray[np.int16] | NDArray[np.float32]) -> _Extremes:
    """Return smallest and largest of each row of ``(n, width)``, rounded outward to 16 bits."""
    if rows.dtype == np.int16:
        return _Extremes(rows.min(axis=1), rows.max(axis=1), 0, 0)
    finite = np.isfinite(rows)
    not_finite = rows.size - int(np.count_nonzero(finite))
    if not_finite:
        rows = np.where(finite, rows, np.float32(0))
    low, high = rows.min(axis=1), rows.max(axis=1)
    over = 0
    if low.min() < -1.0 or high.max() > 1.0:
        over = int(np.count_nonzero(np.abs(rows) > 1.0))
    smallest = np.clip(np.floor(low * _FULL_SCALE), -32768, 32767).astype(np.int16)
    largest = np.clip(np.ceil(high * _FULL_SCALE), -32768, 32767).astype(np.int16)
    return _Extremes(smallest, largest, over, not_finite)


def _sparse_pyramids(reader: FrameReader, token: CancelToken) -> tuple[Pyramid, ...]:
    info = reader.info
    # What is not certain of its length is a FLAC that is read through its decoder.
    plain = info.exact
    width, most_stripes = (PREVIEW_SAMPLES, _PLAIN_STRIPES) if plain else (_DECODED_SAMPLES, _DECODED_STRIPES)
    stripe = width
    while stripe * most_stripes < info.frames:
        stripe *= 2
    last = (info.frames - 1) // stripe
    # The middle of each stripe; the last one may be short, and is filled up with its own last sample.
    middles = range((stripe - width) // 2, last * stripe, stripe)
    tail_frames = info.frames - last * stripe
    tail = reader.read(last * stripe + max(0, tail_frames - width) // 2, min(width, tail_frames))
    parts = []
    for group in range(0, last, _STRIPES_A_CHECK):
        token.check()
        parts.append(reader.read_stripes(middles[group : group + _STRIPES_A_CHECK], width))
    token.check()
    parts.append(np.concatenate([tail, np.repeat(tail[-1:], width - len(tail), axis=0)])[np.newaxis])
    sampled = np.moveaxis(np.concatenate(parts), 2, 0)
    pyramids = []
    for rows in sampled:
        found = _extremes_of_rows(rows)
        level = PeakLevel(stripe, found.smallest, found.largest)
        pyramids.append(Pyramid(info.frames, (level,), found.over_full_scale, found.not_finite, provisional=True))
    return tuple(pyramids)


def _computed_pyramids(reader: FrameReader, token: CancelToken, progress: Progress) -> tuple[Pyramid, ...]:
    """Read a file once from start to end and reduce all of its channels."""
    info = reader.info
    bins = -(-info.frames // BIN_SAMPLES)
    smallest = np.empty((info.channels, bins), dtype=np.int16)
    largest = np.empty_like(smallest)
    over, not_finite = [0] * info.channels, [0] * info.channels
    chunk = max(BIN_SAMPLES, _CHUNK_SAMPLES // info.channels // BIN_SAMPLES * BIN_SAMPLES)
    for first in range(0, info.frames, chunk):
        token.check()
        block = reader.read(first, min(chunk, info.frames - first))
        place = slice(first // BIN_SAMPLES, -(-(first + len(block)) // BIN_SAMPLES))
        for index in range(info.channels):
            found = _extremes_of_rows(_rows(block[:, index]))
            smallest[index, place], largest[index, place] = found.smallest, found.largest
            over[index] += found.over_full_scale
            not_finite[index] += found.not_finite
        progress((first + len(block)) / info.frames)
    return tuple(
        Pyramid(info.frames, _levels_above(smallest[index], largest[index]), over[index], not_finite[index])
        for index in range(info.channels)
    )


def _rows(samples: NDArray[np.int16] | NDArray[np.float32]) -> NDArray[np.int16] | NDArray[np.float32]:
    """Return samples as rows of one bin each; a last partial bin is filled up with its own last sample."""
    missing = -len(samples) % BIN_SAMPLES
    if missing:
        samples = np.concatenate([samples, np.repeat(samples[-1:], missing)])
    # Contiguous rows of one channel reduce four times as fast as a view across channels.
    if not samples.flags.c_contiguous:
        samples = samples.copy()
    return samples.reshape(-1, BIN_SAMPLES)


def _levels_above(smallest: Outline, largest: Outline) -> tuple[PeakLevel, ...]:
    levels = [PeakLevel(BIN_SAMPLES, smallest, largest)]
    for _ in level_sizes(len(smallest) * BIN_SAMPLES)[1:]:
        below = levels[-1]
        levels.append(
            PeakLevel(
                below.bin_samples * LEVEL_RATIO,
                _coarser(below.smallest, np.minimum),
                _coarser(below.largest, np.maximum),
            )
        )
    return tuple(levels)


def _coarser(values: Outline, extreme: np.ufunc) -> Outline:
    missing = -len(values) % LEVEL_RATIO
    if missing:
        values = np.concatenate([values, np.repeat(values[-1:], missing)])
    pairs = extreme(values[0::4], values[1::4]), extreme(values[2::4], values[3::4])
    coarser: Outline = extreme(*pairs)
    return coarser


def _keep(pyramids: tuple[Pyramid, ...], key: str, cache: AudioCache) -> None:
    for index, pyramid in enumerate(pyramids):
        with cache.writing(key, f"peaks-{index}", "<i2") as sink:
            sink.facts = (pyramid.frames, pyramid.over_full_scale, pyramid.not_finite)
            for level in pyramid.levels:
                sink.append(level.smallest)
                sink.append(level.largest)


def _kept_pyramids(reader: FrameReader, key: str, cache: AudioCache) -> tuple[Pyramid, ...] | None:
    pyramids = []
    for index in range(reader.info.channels):
        entry = cache.load(key, f"peaks-{index}")
        if entry is None:
            return None
        pyramid = _pyramid_from(entry, reader.info.frames)
        if pyramid is None:
            return None
        pyramids.append(pyramid)
    return tuple(pyramids)


def _pyramid_from(entry: CachedNumbers, frames: int) -> Pyramid | None:
    """Return the pyramid an entry holds, or None if it is of another length than the file."""
    sizes = level_sizes(frames)
    if entry.facts[0] != frames or len(entry.numbers) != 2 * sum(sizes) or entry.numbers.dtype != np.int16:
        return None
    numbers = entry.numbers.astype(np.int16, copy=False)
    levels, position = [], 0
    for number, size in enumerate(sizes):
        smallest, largest = numbers[position : position + size], numbers[position + size : position + 2 * size]
        levels.append(PeakLevel(BIN_SAMPLES * LEVEL_RATIO**number, smallest, largest))
        position += 2 * size
    return Pyramid(frames, tuple(levels), over_full_scale=entry.facts[1], not_finite=entry.facts[2])
