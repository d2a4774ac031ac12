"""Compressed sound as plain samples: decoded once into the cache, read from there at any place.

Conventions. The entry of a file is named by its fingerprint and holds its frames interleaved, with rate, channels and
what was odd; its length is the length of the file. An entry that went is decoded anew and is the same. Where the cache
cannot keep it, it is kept among the temporary files of the system while the program runs, and a notice says so.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from annotation.audio.cache import AudioCache, CachedSamples, NumberType, temporary_cache
from annotation.audio.compressed import CompressedLayout, DecodedStream, info_of_facts
from annotation.audio.fingerprint import fingerprint_of_file
from annotation.audio.random_access import RandomAccessFile
from annotation.audio.readers import AudioInfo
from annotation.audio.refusal import AudioRefusedError
from annotation.cancellation import CancelToken, Progress
from annotation.notices import Notice
from annotation.timebase import LONGEST_SECONDS

_ENTRY = "pcm-1"
"""The number changes whenever the same file would decode to something else than before."""

LayoutOf = Callable[[RandomAccessFile, CancelToken], CompressedLayout]


def is_kept(file: RandomAccessFile, cache: AudioCache) -> bool:
    """Return whether a file's sound lies in the cache, so that `open_pcm` returns at once."""
    reader = _kept(file, fingerprint_of_file(file).key, cache)
    if reader is not None:
        reader.close()
    return reader is not None


def open_pcm(
    file: RandomAccessFile, layout_of: LayoutOf, cache: AudioCache | None, token: CancelToken, progress: Progress
) -> "PcmFrames":
    """Return a reader of a compressed file's sound, from the cache or decoded into it now; the file may be closed then.

    Raises
    ------
    AudioRefusedError
        If the file cannot be decoded, or there is no room for its sound anywhere.
    CancelledError
        If `token` was set; nothing is kept then.
    """
    key = fingerprint_of_file(file).key
    if cache is not None and (kept := _kept(file, key, cache)) is not None:
        return kept
    layout = layout_of(file, token)
    reader = None
    fault = ""
    if cache is not None:
        reader = _decoded(file, layout, key, cache, token, progress)
        fault = cache.fault
    if reader is None:
        reader, fault = _decoded_aside(file, layout, key, cache, token, progress, fault)
    if reader is None:
        raise AudioRefusedError(
            f"There is no room for its decoded sound. {fault}", code="audio-no-room", where=file.path
        )
    progress(1.0)
    return reader


def _decoded_aside(
    file: RandomAccessFile,
    layout: CompressedLayout,
    key: str,
    cache: AudioCache | None,
    token: CancelToken,
    progress: Progress,
    fault: str,
) -> tuple["PcmFrames | None", str]:
    """Return the sound decoded among the temporary files, or why it could not be."""
    try:
        aside = temporary_cache() if cache is None else cache.spare()
    except OSError as refused:
        return None, f"{fault} Temporary files cannot be written: {refused.strerror or refused}.".strip()
    reader = _decoded(file, layout, key, aside, token, progress)
    if reader is None:
        return None, f"{fault} {aside.fault}".strip()
    return (reader if cache is None else reader.not_kept(cache)), fault


def _kept(file: RandomAccessFile, key: str, cache: AudioCache) -> "PcmFrames | None":
    reader = _reader(file, key, cache)
    if reader is None and cache.has_spare:
        reader = _reader(file, key, cache.spare())
        return None if reader is None else reader.not_kept(cache)
    return reader


def _reader(file: RandomAccessFile, key: str, cache: AudioCache) -> "PcmFrames | None":
    """Return a reader of an entry, or None if it is absent, damaged or from another version."""
    samples = cache.open_samples(key, _ENTRY)
    if samples is None:
        return None
    channels = samples.facts[1]
    try:
        if channels < 1 or samples.count % channels or not samples.count:
            raise ValueError(f"{samples.count} samples are no frames of {channels}")
        info = info_of_facts(file.path, samples.count // channels, samples.facts)
    except ValueError:
        samples.close()
        return None
    return PcmFrames(samples, info, key, cache)


def _decoded(
    file: RandomAccessFile,
    layout: CompressedLayout,
    key: str,
    cache: AudioCache,
    token: CancelToken,
    progress: Progress,
) -> "PcmFrames | None":
    """Decode a file into a cache and return the reader, or None if the cache cannot keep it."""
    number_type: NumberType = "<i2" if layout.sixteen_bits else "<f4"
    stream = DecodedStream(file, layout)
    most_frames = min(
        LONGEST_SECONDS * layout.rate_hz, cache.limit_bytes // (layout.channels * np.dtype(number_type).itemsize)
    )
    frames = 0
    with cache.writing(key, _ENTRY, number_type) as sink:
        for block in stream.blocks(token, progress):
            frames += len(block)
            if frames > most_frames:
                raise _too_long(layout, most_frames)
            sink.append(block.reshape(-1))
            if not sink.open:
                break
        if frames == 0:
            raise AudioRefusedError(
                "There is no sound in the file: nothing came out of the decoder.", code="audio-empty", where=file.path
            )
        sink.facts = stream.layout_with_length().facts
    return _reader(file, key, cache) if sink.kept else None


def _too_long(layout: CompressedLayout, most_frames: int) -> AudioRefusedError:
    hours = most_frames / layout.rate_hz / 3600
    return AudioRefusedError(
        f"Its sound is longer than the {hours:,.0f} hours for which there is room.",
        code="audio-no-room",
        where=layout.path,
        remedy="Split the file, or give the cache more room.",
    )


class PcmFrames:
    """Frames of a decoded file."""

    def __init__(self, samples: CachedSamples, info: AudioInfo, key: str, cache: AudioCache) -> None:
        self._samples = samples
        # A temporary cache lives as long as what reads from it.
        self._cache = cache
        self.info = info
        self.key = key

    def not_kept(self, cache: AudioCache) -> "PcmFrames":
        """Return this reader with a notice that the sound will have to be decoded again another time."""
        where = str(self.info.path)
        message = f"The decoded sound is kept until Floorscope ends and then decoded anew. {cache.fault}".strip()
        notices = (*self.info.notices, Notice("pcm-not-kept", where, message))
        return PcmFrames(self._samples, replace(self.info, notices=notices), self.key, self._cache)

    def read(self, first: int, count: int) -> NDArray[np.int16] | NDArray[np.float32]:
        """Return frames as `FrameReader` says."""
        channels = self.info.channels
        samples: NDArray[np.int16] | NDArray[np.float32] = self._samples.read(first * channels, count * channels)
        return samples.reshape(count, channels)

    def read_stripes(self, firsts: Sequence[int], count: int) -> NDArray[np.int16] | NDArray[np.float32]:
        """Return stripes as `FrameReader` says."""
        stripes = np.stack([self.read(first, count) for first in firsts])
        return cast("NDArray[np.int16] | NDArray[np.float32]", stripes)

    def close(self) -> None:
        """Close the entry."""
        self._samples.close()
