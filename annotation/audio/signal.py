"""A channel's sound on the timeline of its conversation.

Conventions (DESIGN, time): sample k of a channel lies at frame ``start + round_half_even(k * T / r)``, and frame f
reads sample ``floor((f - start) * r / T)``, in integers. A channel at the timeline's rate is heard bit for bit. One
at another rate is heard sample by sample as above, which is in place but harsh, until it has been resampled once.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import numpy as np
import soxr  # type: ignore[import-untyped]
from numpy.typing import NDArray

from annotation.audio.cache import AudioCache, CachedSamples, CacheSink
from annotation.audio.decoding import SampleReader, open_channel
from annotation.audio.fingerprint import fingerprint_of
from annotation.audio.refusal import AudioRefusedError
from annotation.cancellation import CancelToken, Progress
from annotation.conversation import Channel

_BLOCK_FRAMES = 1 << 18
_LEAST_SILENCE = 256
"""Samples of silence fed to the resampler before and after, longer than its filter, so that edges are in place."""


class TimelineSignal(Protocol):
    """Sound by timeline frame; belongs to one thread."""

    def read(self, first_frame: int, count: int) -> NDArray[np.float32]:
        """Return frames ``[first_frame, first_frame + count)`` as ``(count,)``, zeros outside the channel.

        Raises
        ------
        AudioRefusedError
            If the file shrank, vanished or is damaged there.
        """
        ...

    def close(self) -> None:
        """Close what is open; a signal closes itself with its last reference too."""
        ...


def open_signal(channel: Channel, timeline_rate_hz: int, cache: AudioCache) -> TimelineSignal:
    """Return a channel's sound on a timeline: resampled where `prepare_signal` has been run, else sample by sample.

    Raises
    ------
    AudioRefusedError
        If the file is missing, is no longer what the conversation says of it, or cannot be read.
    """
    reader = open_checked(channel, cache)
    if channel.rate_hz == timeline_rate_hz:
        return _DirectSignal(reader, channel)
    prepared = _prepared_samples(channel, timeline_rate_hz, cache)
    if prepared is None:
        return _SteppedSignal(reader, channel, timeline_rate_hz)
    reader.close()
    return _PreparedSignal(prepared, channel)


def is_prepared(channel: Channel, timeline_rate_hz: int, cache: AudioCache) -> bool:
    """Return whether `open_signal` gives the channel's sound at its best.

    Raises
    ------
    AudioRefusedError
        If the file is missing or unreadable.
    """
    if channel.rate_hz == timeline_rate_hz:
        return True
    samples = _prepared_samples(channel, timeline_rate_hz, cache)
    if samples is not None:
        samples.close()
    return samples is not None


def prepare_signal(
    channel: Channel, timeline_rate_hz: int, cache: AudioCache, token: CancelToken, progress: Progress
) -> bool:
    """Resample a channel to the timeline's rate into the cache, once; return whether it is there afterwards.

    It is False when the cache cannot be written; `open_signal` then goes on sample by sample.

    Raises
    ------
    AudioRefusedError
        As for `open_signal`.
    CancelledError
        If `token` was set; nothing is kept then.
    """
    if is_prepared(channel, timeline_rate_hz, cache):
        progress(1.0)
        return True
    reader = open_checked(channel, cache)
    try:
        what = _entry_name(channel, timeline_rate_hz)
        with cache.writing(reader.key, what, "<f4") as sink:
            _resample(reader, channel, timeline_rate_hz, sink, token, progress)
        return sink.kept
    finally:
        reader.close()


def open_checked(channel: Channel, cache: AudioCache | None = None) -> SampleReader:
    """Return a reader of a channel's samples after checking that the file is still what the channel says.

    Parameters
    ----------
    cache
        Where compressed sound lies decoded. What is not there is decoded now, which takes seconds an hour of sound:
        where that must not be waited for, ask `needs_decoding` first.

    Raises
    ------
    AudioRefusedError
        If it is missing, unreadable, at another rate, or shorter.
    """
    path = path_of(channel)
    reader = open_channel(path, channel.index, cache)
    if reader.rate_hz == channel.rate_hz and reader.frames >= channel.frames:
        return reader
    reader.close()
    raise AudioRefusedError(
        f"The file has changed: {reader.frames:,} samples at {reader.rate_hz:,} Hz are in it, "
        f"{channel.frames:,} at {channel.rate_hz:,} Hz were imported.",
        code="audio-changed",
        where=path,
        remedy="Restore the file, or import the conversation again.",
    )


def path_of(channel: Channel) -> Path:
    """Return the file of a channel.

    Raises
    ------
    AudioRefusedError
        If the channel has none.
    """
    if channel.path is None:
        raise AudioRefusedError("This speaker has events and no sound.", code="audio-missing", where=channel.speaker)
    return channel.path


def _prepared_frames(channel: Channel, timeline_rate_hz: int) -> int:
    return channel.end_frame(timeline_rate_hz) - channel.start_frame


def _entry_name(channel: Channel, timeline_rate_hz: int) -> str:
    return f"sound-{channel.index}-{channel.frames}-{timeline_rate_hz}"


def _prepared_samples(channel: Channel, timeline_rate_hz: int, cache: AudioCache) -> CachedSamples | None:
    key = fingerprint_of(path_of(channel)).key
    samples = cache.open_samples(key, _entry_name(channel, timeline_rate_hz))
    if samples is not None and samples.count != _prepared_frames(channel, timeline_rate_hz):
        samples.close()
        return None
    return samples


def resampled_blocks(reader: SampleReader, channel: Channel, rate_hz: int) -> Iterator[NDArray[np.float32]]:
    """Yield a channel's samples at another rate, block by block: its sample k peaks nearest to ``k * rate_hz / r``.

    Together they are ``ceil(frames * rate_hz / r)``; at the channel's own rate they are its own samples.

    Raises
    ------
    AudioRefusedError
        If the file shrank, vanished or is damaged.
    """
    if rate_hz == channel.rate_hz:
        for first in range(0, channel.frames, _BLOCK_FRAMES):
            yield _inside(reader, channel, first, min(_BLOCK_FRAMES, channel.frames - first))
        return
    step = channel.rate_hz // math.gcd(channel.rate_hz, rate_hz)
    silence = step * -(-_LEAST_SILENCE // step)
    skipped = silence * rate_hz // channel.rate_hz
    missing = -(-channel.frames * rate_hz // channel.rate_hz)
    stream = soxr.ResampleStream(channel.rate_hz, rate_hz, 1, dtype="float32", quality="HQ")
    first, end = -silence, channel.frames + silence
    # Neither what goes in nor what comes out at once is longer than a block, however far the rates lie apart.
    block = max(1, min(_BLOCK_FRAMES, _BLOCK_FRAMES * channel.rate_hz // rate_hz))
    while missing > 0 and first < end:
        count = min(block, end - first)
        resampled = stream.resample_chunk(_inside(reader, channel, first, count), last=first + count == end)
        first += count
        kept = resampled[skipped : skipped + missing]
        skipped -= min(skipped, len(resampled))
        missing -= len(kept)
        yield kept
    yield np.zeros(missing, dtype=np.float32)


def _resample(
    reader: SampleReader,
    channel: Channel,
    timeline_rate_hz: int,
    sink: CacheSink,
    token: CancelToken,
    progress: Progress,
) -> None:
    frames, done = _prepared_frames(channel, timeline_rate_hz), 0
    token.check()
    for block in resampled_blocks(reader, channel, timeline_rate_hz):
        token.check()
        sink.append(block)
        if not sink.open:
            return
        done += len(block)
        progress(done / frames if frames else 1.0)


def _inside(reader: SampleReader, channel: Channel, first: int, count: int) -> NDArray[np.float32]:
    """Return samples of a channel with silence around what was imported, even where the file has grown since."""
    samples = reader.read(first, count)
    excess = first + count - channel.frames
    if excess > 0 and reader.frames > channel.frames:
        samples = samples.copy()
        samples[max(0, count - excess) :] = 0
    return samples


class _DirectSignal:
    """A channel at the timeline's own rate."""

    def __init__(self, reader: SampleReader, channel: Channel) -> None:
        self._reader = reader
        self._channel = channel

    def read(self, first_frame: int, count: int) -> NDArray[np.float32]:
        return _inside(self._reader, self._channel, first_frame - self._channel.start_frame, count)

    def close(self) -> None:
        self._reader.close()


class _SteppedSignal:
    """A channel at another rate, each frame holding the sample it falls into."""

    def __init__(self, reader: SampleReader, channel: Channel, timeline_rate_hz: int) -> None:
        self._reader = reader
        self._channel = channel
        self._timeline_rate_hz = timeline_rate_hz

    def read(self, first_frame: int, count: int) -> NDArray[np.float32]:
        if count <= 0:
            return np.zeros(0, dtype=np.float32)
        frames = np.arange(count, dtype=np.int64) + (first_frame - self._channel.start_frame)
        samples = frames * self._channel.rate_hz // self._timeline_rate_hz
        first, last = int(samples[0]), int(samples[-1])
        onset, offset = max(first, 0), min(last + 1, self._channel.frames)
        if onset >= offset:
            return np.zeros(count, dtype=np.float32)
        block = self._reader.read(onset, offset - onset)
        heard = block[np.clip(samples - onset, 0, len(block) - 1)]
        heard[(samples < onset) | (samples >= offset)] = 0
        return heard

    def close(self) -> None:
        self._reader.close()


class _PreparedSignal:
    """A channel that was resampled to the timeline's rate."""

    def __init__(self, samples: CachedSamples, channel: Channel) -> None:
        self._samples = samples
        self._start_frame = channel.start_frame

    def read(self, first_frame: int, count: int) -> NDArray[np.float32]:
        first = first_frame - self._start_frame
        onset, offset = max(first, 0), min(first + count, self._samples.count)
        heard = np.zeros(max(0, count), dtype=np.float32)
        if onset < offset:
            heard[onset - first : offset - first] = self._samples.read(onset, offset - onset)
        return heard

    def close(self) -> None:
        self._samples.close()
