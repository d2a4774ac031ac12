"""Samples of sound files, by exact index and as exact numbers.

Conventions: a 16-bit sample s is the float32 ``s / 32768``, as in libsndfile; 24-bit samples and float32 come out
unchanged; 32-bit integers and doubles are rounded to float32. This version reads WAV and FLAC. What a file is, is
told by its first bytes, never by its name; its header is checked here before a decoder allocates by it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

import numpy as np
import soundfile  # type: ignore[import-untyped]
from numpy.typing import NDArray

from annotation.audio.flac import FLAC_MAGIC, flac_header_of, truncated_flac
from annotation.audio.random_access import RandomAccessFile
from annotation.audio.refusal import AudioRefusedError
from annotation.audio.wav import WAV_MAGICS, WavEncoding, WavLayout, wav_layout_of
from annotation.notices import Notice

__all__ = [
    "AudioInfo",
    "AudioRefusedError",
    "FrameReader",
    "SampleReader",
    "float_samples",
    "open_channel",
    "open_frames",
    "probe_audio",
]

LOWEST_RATE_HZ = 1_000
HIGHEST_RATE_HZ = 768_000
MOST_CHANNELS = 64

_OTHER_FORMATS = {
    b"OggS": "an Ogg file",
    b"FORM": "an AIFF file",
    b"ID3\x02": "an MP3 file or begins with ID3 tags",
    b"ID3\x03": "an MP3 file or begins with ID3 tags",
    b"ID3\x04": "an MP3 file or begins with ID3 tags",
    b"riff": "a Wave64 file",
    b"caff": "a CAF file",
    b".snd": "an AU file",
    b"ADIF": "an AAC file",
    b"\x1aE\xdf\xa3": "a Matroska or WebM file",
}

_SIXTEEN_BIT_SUBTYPES = ("PCM_16", "PCM_U8", "PCM_S8", "ULAW", "ALAW")
"""What 16-bit integers hold exactly."""


@dataclass(frozen=True, slots=True)
class AudioInfo:
    """What a sound file holds.

    Parameters
    ----------
    format, subtype
        ``WAV`` or ``FLAC``, and the encoding in libsndfile's words (``PCM_16``, ``FLOAT``, …).
    exact
        Whether `frames` is certain. A FLAC says its length in its header: it is provisional until the file has been
        decoded once, although its last sample was found where the header puts it.
    notices
        What is odd about the file and does not stop it from being read.
    """

    path: Path
    rate_hz: int
    channels: int
    frames: int
    format: str
    subtype: str
    exact: bool
    notices: tuple[Notice, ...] = ()


class FrameReader(Protocol):
    """All channels of a file by frame; belongs to one thread."""

    @property
    def info(self) -> AudioInfo:
        """What the file holds."""
        ...

    def read(self, first: int, count: int) -> NDArray[np.int16] | NDArray[np.float32]:
        """Return frames ``[first, first + count)``, all inside the file, as ``(count, channels)``.

        They are int16 where that holds the samples exactly, else float32.

        Raises
        ------
        AudioRefusedError
            If the file shrank, vanished or is damaged there.
        """
        ...

    def read_stripes(self, firsts: Sequence[int], count: int) -> NDArray[np.int16] | NDArray[np.float32]:
        """Return `count` frames from each of `firsts`, at least one and far apart.

        Their shape is ``(len(firsts), count, channels)``, their type that of `read`.

        Raises
        ------
        AudioRefusedError
            As for `read`.
        """
        ...

    def close(self) -> None:
        """Close the file."""
        ...


class SampleReader(Protocol):
    """One channel by sample; belongs to one thread."""

    @property
    def rate_hz(self) -> int:
        """Samples a second."""
        ...

    @property
    def frames(self) -> int:
        """Number of samples."""
        ...

    def read(self, first: int, count: int) -> NDArray[np.float32]:
        """Return samples ``[first, first + count)`` as ``(count,)``, zeros outside ``[0, frames)``.

        Raises
        ------
        AudioRefusedError
            If the file shrank, vanished or is damaged there.
        """
        ...

    def close(self) -> None:
        """Close the file; a reader closes itself with its last reference too."""
        ...


def probe_audio(path: Path) -> AudioInfo:
    """Return what a WAV or FLAC file holds, after checking that it can be read.

    Raises
    ------
    AudioRefusedError
        If it is missing, empty, cut, damaged, neither WAV nor FLAC, or beyond 1,000 to 768,000 Hz or 64 channels.
    """
    reader = open_frames(path)
    reader.close()
    return reader.info


def open_frames(path: Path) -> FrameReader:
    """Return a reader of all channels.

    Raises
    ------
    AudioRefusedError
        As for `probe_audio`.
    """
    file = RandomAccessFile(path)
    try:
        if file.size == 0:
            raise AudioRefusedError("The file is empty (0 bytes).", code="audio-empty", where=path)
        magic = file.available(0, 12)
        if magic[:4] in WAV_MAGICS:
            return _open_wav(file)
        if magic[:4] == FLAC_MAGIC:
            return _open_flac(file)
        raise _foreign_format(path, magic)
    except AudioRefusedError:
        file.close()
        raise


def open_channel(path: Path, index: int) -> SampleReader:
    """Return a reader of one channel of a file, `index` from 0.

    Raises
    ------
    AudioRefusedError
        As for `probe_audio`, or if the file has no such channel.
    """
    reader = open_frames(path)
    if not 0 <= index < reader.info.channels:
        reader.close()
        raise AudioRefusedError(
            f"There is no channel {index + 1}; the file has {reader.info.channels}.", code="audio-channels", where=path
        )
    return _ChannelReader(reader, index)


def float_samples(samples: NDArray[np.int16] | NDArray[np.float32]) -> NDArray[np.float32]:
    """Return samples as float32 in the convention of this module."""
    if samples.dtype == np.int16:
        return np.multiply(samples, np.float32(1 / 32768), dtype=np.float32)
    return np.asarray(samples, dtype=np.float32)


def _foreign_format(path: Path, magic: bytes) -> AudioRefusedError:
    kind = _OTHER_FORMATS.get(magic[:4])
    if kind is None and magic[4:8] == b"ftyp":
        kind = "an MP4 or M4A file"
    if kind is None and magic[:1] == b"\xff" and len(magic) > 1 and magic[1] & 0xE0 == 0xE0:
        kind = "an MP3 or AAC file"
    what = f"This is {kind}" if kind else "This is no sound file that is known here"
    return AudioRefusedError(
        f"{what}; WAV and FLAC are read by this version.",
        code="audio-format",
        where=path,
        remedy="Convert it to WAV or FLAC.",
    )


def _checked(info: AudioInfo) -> AudioInfo:
    if not LOWEST_RATE_HZ <= info.rate_hz <= HIGHEST_RATE_HZ:
        raise AudioRefusedError(
            f"A rate of {info.rate_hz:,} Hz is outside {LOWEST_RATE_HZ:,} to {HIGHEST_RATE_HZ:,} Hz.",
            code="audio-rate",
            where=info.path,
            remedy="The header is probably damaged.",
        )
    if not 1 <= info.channels <= MOST_CHANNELS:
        raise AudioRefusedError(
            f"{info.channels:,} channels are more than the {MOST_CHANNELS} that are read.",
            code="audio-channels",
            where=info.path,
            remedy="The header is probably damaged; otherwise split the file.",
        )
    return info


def _open_wav(file: RandomAccessFile) -> FrameReader:
    layout = wav_layout_of(file)
    info = _checked(
        AudioInfo(
            path=file.path,
            rate_hz=layout.rate_hz,
            channels=layout.channels,
            frames=layout.frames,
            format="WAV",
            subtype=layout.encoding.value,
            exact=True,
            notices=layout.notices,
        )
    )
    if layout.encoding is WavEncoding.PCM_16 and not layout.big_endian:
        return _PlainFrames(file, layout, info)
    file.close()
    return _DecodedFrames(info)


def _open_flac(file: RandomAccessFile) -> FrameReader:
    header = flac_header_of(file)
    info = _checked(
        AudioInfo(
            path=file.path,
            rate_hz=header.rate_hz,
            channels=header.channels,
            frames=header.frames,
            format="FLAC",
            subtype=f"PCM_{header.bits if header.bits > 8 else 'S8'}",
            exact=False,
        )
    )
    file.close()
    reader = _DecodedFrames(info)
    try:
        reader.read(info.frames - 1, 1)
    except AudioRefusedError as refusal:
        reader.close()
        raise truncated_flac(info.path, info.frames) from refusal
    return reader


class _PlainFrames:
    """Little-endian 16-bit frames straight from the file."""

    def __init__(self, file: RandomAccessFile, layout: WavLayout, info: AudioInfo) -> None:
        self._file = file
        self._layout = layout
        self.info = info

    def read(self, first: int, count: int) -> NDArray[np.int16]:
        width = self._layout.frame_bytes
        content = self._file.exactly(self._layout.data_offset + first * width, count * width)
        return np.frombuffer(content, dtype="<i2").reshape(count, self.info.channels)

    def read_stripes(self, firsts: Sequence[int], count: int) -> NDArray[np.int16]:
        self._file.expect_random_reads()
        start, width = self._layout.data_offset, self._layout.frame_bytes
        content = np.empty((len(firsts), count * width), dtype=np.uint8)
        self._file.fill_rows((start + first * width for first in firsts), (row.data for row in content))
        return content.view("<i2").reshape(len(firsts), count, self.info.channels)

    def close(self) -> None:
        self._file.close()


def _decoder_refusal(path: Path, fault: Exception) -> AudioRefusedError:
    words = getattr(fault, "error_string", "") or str(fault) or type(fault).__name__
    return AudioRefusedError(
        f"The decoder gives up: {words.rstrip('.')}.",
        code="audio-damaged",
        where=path,
        remedy="Copy or convert it again.",
    )


class _DecodedFrames:
    """Frames through libsndfile; reading on from where the last read ended costs no seek."""

    def __init__(self, info: AudioInfo) -> None:
        self.info = info
        self._dtype = "int16" if info.subtype in _SIXTEEN_BIT_SUBTYPES else "float32"
        try:
            self._file = soundfile.SoundFile(info.path)
        except soundfile.SoundFileError as fault:
            raise _decoder_refusal(info.path, fault) from fault
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

    def read(self, first: int, count: int) -> NDArray[np.int16] | NDArray[np.float32]:
        try:
            if self._file.tell() != first:
                self._file.seek(first)
            samples: NDArray[np.int16] | NDArray[np.float32] = self._file.read(count, self._dtype, always_2d=True)
        except soundfile.SoundFileError as fault:
            raise _decoder_refusal(self.info.path, fault) from fault
        if len(samples) < count:
            raise AudioRefusedError(
                f"Frames {first:,} to {first + count:,} were asked for and {len(samples):,} of them are there.",
                code="audio-changed",
                where=self.info.path,
                remedy="The file became shorter or is damaged: restore it, or import it again.",
            )
        return samples

    def read_stripes(self, firsts: Sequence[int], count: int) -> NDArray[np.int16] | NDArray[np.float32]:
        stripes = np.stack([self.read(first, count) for first in firsts])
        return cast("NDArray[np.int16] | NDArray[np.float32]", stripes)

    def close(self) -> None:
        self._file.close()


class _ChannelReader:
    """One channel of a `FrameReader`, as float32, with silence around it."""

    def __init__(self, reader: FrameReader, index: int) -> None:
        self._reader = reader
        self._index = index
        self.rate_hz = reader.info.rate_hz
        self.frames = reader.info.frames

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
