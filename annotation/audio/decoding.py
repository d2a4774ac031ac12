"""Samples of sound files, by exact index and as exact numbers.

Conventions: a 16-bit sample s is the float32 ``s / 32768``, as in libsndfile; 24-bit samples and float32 come out
unchanged; 32-bit integers and doubles are rounded to float32. What a file is, is told by its first bytes, never by its
name; its header is checked here before a decoder allocates by it. Plain samples (WAV, AIFF) are read where they lie.
MP3 and Ogg are decoded once into the cache (`annotation.audio.pcm`), and so is a FLAC that does not say its length
or goes on after it.

Any other FLAC is read through its decoder, which seeks in it exactly: it is on the screen within milliseconds and takes
no room in the cache, where 16-bit sound would take about twice what the file takes. Its length is the header's, and
provisional, until an outline has been made from all of it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
import soundfile  # type: ignore[import-untyped]
from numpy.typing import NDArray

from annotation.audio.aiff import AIFF_MAGIC, AIFF_TYPES, aiff_layout_of
from annotation.audio.cache import AudioCache
from annotation.audio.compressed import mp3_layout, ogg_layout, unbounded_flac_layout
from annotation.audio.fingerprint import fingerprint_of_file
from annotation.audio.flac import FLAC_MAGIC, flac_header_of, goes_on_after_stated_end, truncated_flac
from annotation.audio.mpeg import ID3_MAGIC, mpeg_header_of, sound_offset
from annotation.audio.ogg import OGG_MAGIC
from annotation.audio.pcm import LayoutOf, is_kept, open_pcm
from annotation.audio.random_access import RandomAccessFile
from annotation.audio.readers import (
    SIXTEEN_BIT_SUBTYPES,
    AudioInfo,
    FrameReader,
    SampleReader,
    SteadyFile,
    decoder_refusal,
    float_samples,
    require_plausible,
)
from annotation.audio.refusal import AudioRefusedError
from annotation.audio.sample_layout import SampleEncoding, SampleLayout
from annotation.audio.wav import WAV_MAGICS, wav_layout_of
from annotation.cancellation import CancelToken, Progress, no_progress

__all__ = [
    "AudioInfo",
    "AudioRefusedError",
    "FrameReader",
    "SampleReader",
    "float_samples",
    "needs_decoding",
    "open_channel",
    "open_frames",
    "probe_audio",
]

READ_FORMATS = "WAV, AIFF, FLAC, MP3, Ogg Vorbis and Opus"

_OTHER_FORMATS = {
    b"riff": "a Wave64 file",
    b"caff": "a CAF file",
    b".snd": "an AU file",
    b"ADIF": "an AAC file",
    b"NIST": "a NIST SPHERE file",
    b"#!AM": "an AMR file",
    b"\x1aE\xdf\xa3": "a Matroska or WebM file",
    b"\x30\x26\xb2\x75": "a WMA file",
    b"MThd": "a MIDI file",
}

_NOWHERE = -1
"""Where a decoder stands after a fault."""

_LAYERS = {0: "an AAC file", 2: "an MPEG layer II file", 3: "an MPEG layer I file"}


def probe_audio(
    path: Path,
    cache: AudioCache | None = None,
    token: CancelToken | None = None,
    progress: Progress = no_progress,
) -> AudioInfo:
    """Return what a sound file holds, after checking that it can be read; a compressed one is decoded for that.

    Parameters
    ----------
    cache
        Where decoded sound is kept. Without one it is decoded anew each time.
    token, progress
        For decoding, which takes seconds an hour of sound.

    Raises
    ------
    AudioRefusedError
        If it is missing, empty, cut, damaged, of a format that is not read, beyond 1,000 to 768,000 Hz or 64 channels,
        or its sound finds no room.
    CancelledError
        If `token` was set.
    """
    reader = open_frames(path, cache, token, progress)
    reader.close()
    return reader.info


def needs_decoding(path: Path, cache: AudioCache) -> bool:
    """Return whether opening a file will take long, because its sound has to be decoded first.

    A file that will be refused takes no time.
    """
    try:
        with RandomAccessFile(path) as file:
            return _compressed_layout(file) is not None and not is_kept(file, cache)
    except AudioRefusedError:
        return False


def open_frames(
    path: Path,
    cache: AudioCache | None = None,
    token: CancelToken | None = None,
    progress: Progress = no_progress,
) -> FrameReader:
    """Return a reader of all channels.

    Parameters
    ----------
    cache, token, progress
        As for `probe_audio`.

    Raises
    ------
    AudioRefusedError, CancelledError
        As for `probe_audio`.
    """
    file = RandomAccessFile(path)
    reader: FrameReader | None = None
    try:
        layout_of = _compressed_layout(file)
        if layout_of is None:
            reader = _open_in_place(file)
            return reader
        return open_pcm(file, layout_of, cache, token or CancelToken(), progress)
    finally:
        if reader is None:
            file.close()


def open_channel(path: Path, index: int, cache: AudioCache | None = None) -> SampleReader:
    """Return a reader of one channel of a file, `index` from 0.

    Raises
    ------
    AudioRefusedError
        As for `probe_audio`, or if the file has no such channel.
    """
    reader = open_frames(path, cache)
    if not 0 <= index < reader.info.channels:
        reader.close()
        raise AudioRefusedError(
            f"There is no channel {index + 1}; the file has {reader.info.channels}.", code="audio-channels", where=path
        )
    return _ChannelReader(reader, index)


def _compressed_layout(file: RandomAccessFile) -> LayoutOf | None:
    """Return what reads the layout of a file that has to be decoded from its start; None for any other."""
    head = file.available(0, 4)
    if head == OGG_MAGIC:
        return ogg_layout
    if head == FLAC_MAGIC:
        return unbounded_flac_layout if goes_on_after_stated_end(file, flac_header_of(file)) else None
    if mpeg_header_of(head) is not None:
        return mp3_layout
    if head.startswith(ID3_MAGIC):
        following = file.available(sound_offset(file), 12)
        # What an ID3 tag stands before is an MP3, unless it says otherwise.
        return None if _kind_of(following) else mp3_layout
    return None


def _open_in_place(file: RandomAccessFile) -> FrameReader:
    """Return a reader of a file whose samples can be read at any place."""
    if file.size == 0:
        raise AudioRefusedError("The file is empty (0 bytes).", code="audio-empty", where=file.path)
    magic = file.available(0, 12)
    if magic[:4] in WAV_MAGICS:
        return _open_plain(file, wav_layout_of(file), "WAV")
    if magic[:4] == AIFF_MAGIC and magic[8:] in AIFF_TYPES:
        return _open_plain(file, aiff_layout_of(file), "AIFF")
    if magic[:4] == FLAC_MAGIC:
        return _open_flac(file)
    raise _foreign_format(file)


def _foreign_format(file: RandomAccessFile) -> AudioRefusedError:
    magic = file.available(0, 12)
    behind = " behind an ID3 tag" if magic.startswith(ID3_MAGIC) else ""
    kind = _kind_of(file.available(sound_offset(file), 12) if behind else magic)
    what = f"This is {kind}{behind}" if kind else "This is no sound file that is known here"
    return AudioRefusedError(
        f"{what}; {READ_FORMATS} are read.",
        code="audio-format",
        where=file.path,
        remedy="Convert it to WAV or FLAC.",
    )


def _kind_of(magic: bytes) -> str:
    """Return what the first bytes of a file that is not read say it is, or an empty text."""
    kind = _OTHER_FORMATS.get(magic[:4], "")
    if magic[4:8] == b"ftyp":
        kind = "an MP4 or M4A file (AAC or ALAC)"
    elif magic[:4] == FLAC_MAGIC:
        kind = "a FLAC file"
    elif magic[:1] == b"\xff" and len(magic) > 1 and magic[1] & 0xE0 == 0xE0 and mpeg_header_of(magic) is None:
        kind = _LAYERS.get(magic[1] >> 1 & 3, "")
    return kind


def _open_plain(file: RandomAccessFile, layout: SampleLayout, container: str) -> FrameReader:
    require_plausible(file.path, layout.rate_hz, layout.channels)
    info = AudioInfo(
        path=file.path,
        rate_hz=layout.rate_hz,
        channels=layout.channels,
        frames=layout.frames,
        format=container,
        subtype=layout.encoding.value,
        exact=True,
        notices=layout.notices,
    )
    if layout.encoding is SampleEncoding.PCM_16:
        return _PlainFrames(file, layout, info)
    return _DecodedFrames(file, info)


def _open_flac(file: RandomAccessFile) -> FrameReader:
    header = flac_header_of(file)
    require_plausible(file.path, header.rate_hz, header.channels)
    info = AudioInfo(
        path=file.path,
        rate_hz=header.rate_hz,
        channels=header.channels,
        frames=header.frames,
        format="FLAC",
        subtype=f"PCM_{header.bits if header.bits > 8 else 'S8'}",
        exact=False,
    )
    reader = _DecodedFrames(file, info)
    try:
        reader.read(info.frames - 1, 1)
    except AudioRefusedError as refusal:
        reader.close()
        raise truncated_flac(info.path, info.frames) from refusal
    return reader


class _PlainFrames:
    """16-bit frames straight from the file."""

    def __init__(self, file: RandomAccessFile, layout: SampleLayout, info: AudioInfo) -> None:
        self._file = file
        self._layout = layout
        self._dtype = ">i2" if layout.big_endian else "<i2"
        self.info = info

    @property
    def key(self) -> str:
        return fingerprint_of_file(self._file).key

    def read(self, first: int, count: int) -> NDArray[np.int16]:
        width = self._layout.frame_bytes
        content = self._file.exactly(self._layout.data_offset + first * width, count * width)
        return self._native(np.frombuffer(content, dtype=self._dtype)).reshape(count, self.info.channels)

    def read_stripes(self, firsts: Sequence[int], count: int) -> NDArray[np.int16]:
        self._file.expect_random_reads()
        start, width = self._layout.data_offset, self._layout.frame_bytes
        content = np.empty((len(firsts), count * width), dtype=np.uint8)
        self._file.fill_rows((start + first * width for first in firsts), (row.data for row in content))
        return self._native(content.view(self._dtype)).reshape(len(firsts), count, self.info.channels)

    def _native(self, samples: NDArray[np.int16]) -> NDArray[np.int16]:
        return samples.astype(np.int16) if self._layout.big_endian else samples

    def close(self) -> None:
        self._file.close()


class _DecodedFrames:
    """Frames through libsndfile; reading on from where the last read ended costs no seek."""

    def __init__(self, file: RandomAccessFile, info: AudioInfo) -> None:
        self._source = file
        self.info = info
        self._dtype = "int16" if info.subtype in SIXTEEN_BIT_SUBTYPES else "float32"
        self._next = 0
        try:
            self._file = SteadyFile(file.source(), closefd=False)
        except soundfile.SoundFileError as fault:
            raise decoder_refusal(info.path, fault) from fault
        found = (self._file.samplerate, self._file.channels)
        if found != (info.rate_hz, info.channels) or self._file.frames < info.frames:
            self.close()
            raise AudioRefusedError(
                f"The decoder finds {found[1]} channels at {found[0]:,} Hz and {self._file.frames:,} frames; "
                f"the header says {info.channels} at {info.rate_hz:,} Hz and {info.frames:,}.",
                code="audio-damaged",
                where=info.path,
                remedy="Copy or convert it again.",
            )

    @property
    def key(self) -> str:
        return fingerprint_of_file(self._source).key

    def read(self, first: int, count: int) -> NDArray[np.int16] | NDArray[np.float32]:
        try:
            if self._next != first:
                self._file.seek(first)
            self._next = _NOWHERE
            samples: NDArray[np.int16] | NDArray[np.float32] = self._file.read(count, self._dtype, always_2d=True)
        except soundfile.SoundFileError as fault:
            raise decoder_refusal(self.info.path, fault) from fault
        if len(samples) < count:
            raise AudioRefusedError(
                f"Frames {first:,} to {first + count:,} were asked for and {len(samples):,} of them are there.",
                code="audio-changed",
                where=self.info.path,
                remedy="The file became shorter or is damaged: restore it, or import it again.",
            )
        self._next = first + count
        return samples

    def read_stripes(self, firsts: Sequence[int], count: int) -> NDArray[np.int16] | NDArray[np.float32]:
        stripes = np.stack([self.read(first, count) for first in firsts])
        return cast("NDArray[np.int16] | NDArray[np.float32]", stripes)

    def close(self) -> None:
        self._file.close()
        self._source.close()


class _ChannelReader:
    """One channel of a `FrameReader`, as float32, with silence around it."""

    def __init__(self, reader: FrameReader, index: int) -> None:
        self._reader = reader
        self._index = index
        self.rate_hz = reader.info.rate_hz
        self.frames = reader.info.frames

    @property
    def key(self) -> str:
        return self._reader.key

    def read(self, first: int, count: int) -> NDArray[np.float32]:
        onset, offset = max(first, 0), min(first + count, self.frames)
        if onset >= offset:
            return np.zeros(count, dtype=np.float32)
        inside = float_samples(self._reader.read(onset, offset - onset)[:, self._index])
        if len(inside) == count:
            return inside
        samples = np.zeros(count, dtype=np.float32)
        samples[onset - first : offset - first] = inside
        return samples

    def close(self) -> None:
        self._reader.close()
