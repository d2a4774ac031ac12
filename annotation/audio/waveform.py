"""One channel's outline per pixel column of a timeline, from its pyramid, or from its samples when zoomed in.

Conventions: a column ``[e, f)`` of timeline frames shows the samples its frames read (DESIGN, time), so it shows what
is heard. Which level it is drawn from follows from its own width alone: the same column looks the same wherever the
view stands. Bins are at most a quarter of the column; a bin on an edge belongs to both columns, so that no peak is
lost. Columns of fewer than 256 samples are exact.
"""

from collections import deque
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from annotation.audio.cache import AudioCache
from annotation.audio.decoding import SampleReader
from annotation.audio.peaks import BIN_SAMPLES, PeakLevel, Pyramid, cached_pyramid, sparse_preview
from annotation.audio.refusal import AudioRefusedError
from annotation.audio.signal import open_checked, path_of
from annotation.cancellation import CancelToken
from annotation.conversation import Channel

_BINS_A_COLUMN = 4
_READ_GRID = 1 << 14
"""Samples are read in blocks on this grid, so that a drag rarely reads."""
_KEPT_BLOCKS = 3
"""Of the last reads: the view itself, and what came into it on either side."""
_EXACT = -1
Number = TypeVar("Number", np.int16, np.float32)
_TO_UNIT = np.float32(1 / 32768)


class _Columns(NamedTuple):
    """For some columns: which they are, and the samples ``[onset, offset)`` of each, all inside the channel."""

    places: NDArray[np.int64]
    onset: NDArray[np.int64]
    offset: NDArray[np.int64]


class _Block(NamedTuple):
    """Samples that were read, from `onset`."""

    onset: int
    samples: NDArray[np.float32]


class ChannelWaveform:
    """The outline of one channel on a timeline; belongs to one thread.

    Parameters
    ----------
    channel
        Where on the timeline its samples lie.
    timeline_rate_hz
        Frames a second of the timeline.
    pyramid
        Of this channel of the file, complete or provisional.
    reader
        For the samples themselves when zoomed in; without one the finest level is drawn.
    """

    def __init__(
        self, channel: Channel, timeline_rate_hz: int, pyramid: Pyramid, reader: SampleReader | None = None
    ) -> None:
        self._channel = channel
        self._timeline_rate_hz = timeline_rate_hz
        self._pyramid = pyramid
        self._reader = reader
        self._frames = min(channel.frames, pyramid.frames)
        self._blocks: deque[_Block] = deque(maxlen=_KEPT_BLOCKS)
        self.refusal: AudioRefusedError | None = None
        """Why samples can no longer be read, after which the finest level is drawn instead."""

    @property
    def provisional(self) -> bool:
        """Whether a finer outline is still being computed."""
        return self._pyramid.provisional

    @property
    def over_full_scale(self) -> int:
        """How many samples lie beyond −1 to 1 and are drawn at its edge."""
        return self._pyramid.over_full_scale

    @property
    def not_finite(self) -> int:
        """How many samples are no number and are drawn as zero."""
        return self._pyramid.not_finite

    def columns(self, edges: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return minimum and maximum, each ``(n,)`` in −1 to 1, of the samples read in ``[edges[i], edges[i + 1])``.

        Parameters
        ----------
        edges
            ``(n + 1,)`` timeline frames, not decreasing. A column of no frame shows the sample at its edge; one
            outside the channel is NaN.
        """
        first, after = self._sample_ranges(edges)
        smallest = np.full(len(first), np.nan, dtype=np.float32)
        largest = smallest.copy()
        chosen = self._levels_for(after - first)
        onset, offset = np.maximum(first, 0), np.minimum(after, self._frames)
        inside = onset < offset
        for number in np.unique(chosen[inside]):
            places = np.flatnonzero(inside & (chosen == number))
            columns = _Columns(places, onset[places], offset[places])
            if number == _EXACT:
                self._fill_exactly(columns, smallest, largest)
            else:
                _fill_from_level(self._pyramid.levels[number], columns, smallest, largest)
        return smallest, largest

    def with_pyramid(self, pyramid: Pyramid) -> "ChannelWaveform":
        """Return the same channel drawn from another pyramid; the reader goes over to it."""
        return ChannelWaveform(self._channel, self._timeline_rate_hz, pyramid, self._reader)

    def close(self) -> None:
        """Close the file."""
        if self._reader is not None:
            self._reader.close()

    def _sample_ranges(self, edges: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        rate_hz, timeline_rate_hz = self._channel.rate_hz, self._timeline_rate_hz
        frames = np.asarray(edges, dtype=np.int64) - self._channel.start_frame
        at_edges = frames * rate_hz // timeline_rate_hz
        # The last frame's own sample, and at rates above the timeline's those that are passed over up to the next.
        after = np.maximum((frames[1:] - 1) * rate_hz // timeline_rate_hz + 1, at_edges[1:])
        return at_edges[:-1], np.maximum(after, at_edges[:-1] + 1)

    def _levels_for(self, widths: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the number of the level to draw each column from, or −1 for the samples themselves."""
        least = [level.bin_samples * _BINS_A_COLUMN for level in self._pyramid.levels]
        chosen = np.maximum(np.searchsorted(least, widths, side="right") - 1, 0)
        if self._reader is not None and self.refusal is None:
            chosen[widths < BIN_SAMPLES] = _EXACT
        return chosen

    def _fill_exactly(self, columns: _Columns, smallest: NDArray[np.float32], largest: NDArray[np.float32]) -> None:
        """Fill columns from the samples; after a fault, from the finest level."""
        gaps = np.flatnonzero(columns.onset[1:] > columns.offset[:-1] + _READ_GRID) + 1
        for run in np.split(np.arange(len(columns.places)), gaps):
            part = _Columns(columns.places[run], columns.onset[run], columns.offset[run])
            begin, end = int(part.onset[0]), int(part.offset[-1])
            try:
                samples = self._samples(begin, end)
            except AudioRefusedError as refusal:
                self.refusal = refusal
                _fill_from_level(self._pyramid.levels[0], columns, smallest, largest)
                return
            low = _reduced(samples, part.onset - begin, part.offset - begin, np.minimum)
            high = _reduced(samples, part.onset - begin, part.offset - begin, np.maximum)
            smallest[part.places] = np.clip(low, -1, 1)
            largest[part.places] = np.clip(high, -1, 1)

    def _samples(self, begin: int, end: int) -> NDArray[np.float32]:
        """Return samples, with zero for what is no number."""
        for block in self._blocks:
            if block.onset <= begin and end <= block.onset + len(block.samples):
                return block.samples[begin - block.onset : end - block.onset]
        if self._reader is None:
            raise ValueError("a waveform without a reader has no samples")
        onset = begin // _READ_GRID * _READ_GRID
        offset = min(-(-end // _READ_GRID) * _READ_GRID, self._frames)
        samples = np.nan_to_num(self._reader.read(onset, offset - onset), nan=0.0, posinf=0.0, neginf=0.0)
        self._blocks.append(_Block(onset, samples))
        return samples[begin - onset : end - onset]


def open_waveform(
    channel: Channel,
    timeline_rate_hz: int,
    cache: AudioCache,
    token: CancelToken,
    *,
    pyramids: tuple[Pyramid, ...] | None = None,
) -> ChannelWaveform:
    """Return what can be drawn at once: the outline from the cache, or else a provisional preview.

    Parameters
    ----------
    pyramids
        Those of the file, where a caller has them already from another channel of it.

    Raises
    ------
    AudioRefusedError
        If the file is missing, is no longer what the conversation says of it, or cannot be read.
    CancelledError
        If `token` was set.
    """
    path = path_of(channel)
    reader = open_checked(channel, cache)
    pyramids = pyramids or cached_pyramid(path, cache) or sparse_preview(path, cache, token)
    return ChannelWaveform(channel, timeline_rate_hz, pyramids[channel.index], reader)


def _fill_from_level(
    level: PeakLevel, columns: _Columns, smallest: NDArray[np.float32], largest: NDArray[np.float32]
) -> None:
    begin, end = columns.onset // level.bin_samples, -(-columns.offset // level.bin_samples)
    smallest[columns.places] = _reduced(level.smallest, begin, end, np.minimum) * _TO_UNIT
    largest[columns.places] = _reduced(level.largest, begin, end, np.maximum) * _TO_UNIT


def _reduced(
    values: NDArray[Number], begin: NDArray[np.int64], end: NDArray[np.int64], extreme: np.ufunc
) -> NDArray[Number]:
    """Return the extreme of ``values[begin[i]:end[i]]`` for ranges that are not empty and do not go back."""
    low, high = int(begin[0]), int(end.max())
    # One value more, because `reduceat` takes no end beyond the last index.
    span = np.append(values[low:high], values[high - 1])
    bounds = np.empty(2 * len(begin), dtype=np.intp)
    bounds[0::2], bounds[1::2] = begin - low, end - low
    reduced: NDArray[Number] = extreme.reduceat(span, bounds)[0::2]
    return reduced
