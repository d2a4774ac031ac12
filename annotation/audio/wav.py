"""Where the samples of a WAV file lie: a bounded walk over its chunks.

Conventions: RIFF and RIFX (big-endian), RF64 and BW64 (sizes in a ``ds64`` chunk), WAVE_FORMAT_EXTENSIBLE. The number
of frames is the smaller of what the header says and what bytes are present; where they differ a notice says so. A
header that contradicts itself is refused rather than guessed at: a wrong guess plays noise or shifts time.
"""

import struct
from dataclasses import dataclass
from pathlib import Path

from annotation.audio.random_access import RandomAccessFile
from annotation.audio.refusal import AudioRefusedError
from annotation.audio.sample_layout import SampleEncoding, SampleLayout
from annotation.notices import Notice

WAV_MAGICS = (b"RIFF", b"RIFX", b"RF64", b"BW64")

_MOST_CHUNKS = 1024
_UNKNOWN_SIZE = 0xFFFFFFFF
_EXTENSIBLE = 0xFFFE
_FORMAT_GUID_END = (0, 0x10, bytes.fromhex("800000aa00389b71"))


_ENCODINGS = {
    (1, 1): SampleEncoding.PCM_U8,
    (1, 2): SampleEncoding.PCM_16,
    (1, 3): SampleEncoding.PCM_24,
    (1, 4): SampleEncoding.PCM_32,
    (3, 4): SampleEncoding.FLOAT,
    (3, 8): SampleEncoding.DOUBLE,
    (6, 1): SampleEncoding.ALAW,
    (7, 1): SampleEncoding.ULAW,
}
"""Encoding by format tag and bytes a sample."""


@dataclass(frozen=True, slots=True)
class _Format:
    rate_hz: int
    channels: int
    encoding: SampleEncoding
    frame_bytes: int


def wav_layout_of(file: RandomAccessFile) -> SampleLayout:
    """Return where the samples of a WAV file lie.

    Raises
    ------
    AudioRefusedError
        If the file is no WAV, its header is cut, contradicts itself or names an encoding that is not read, or there
        is no sample in it.
    """
    head = file.available(0, 12)
    if len(head) < 12 or head[:4] not in WAV_MAGICS or head[8:] != b"WAVE":
        raise AudioRefusedError(
            f"This is a stump of {file.size:,} bytes or no WAV file.", code="audio-header", where=file.path
        )
    order = ">" if head[:4] == b"RIFX" else "<"
    found: _Format | None = None
    long_data_bytes: int | None = None
    position = 12
    for _ in range(_MOST_CHUNKS):
        header = file.available(position, 8)
        if len(header) < 8:
            break
        name, size = struct.unpack(order + "4sI", header)
        body = position + 8
        if name == b"data":
            if found is None:
                raise _contradiction(file.path, "The samples come before the chunk that says how to read them")
            stated = long_data_bytes if size == _UNKNOWN_SIZE and long_data_bytes is not None else size
            return _layout(file, found, big_endian=order == ">", data_offset=body, stated=stated)
        if name == b"ds64":
            long_data_bytes = _long_data_bytes(file, body, size)
        elif name == b"fmt " and found is None:
            found = _format_of(file, body, size, order)
        position = body + size + (size & 1)
    raise AudioRefusedError(
        f"The file has a header and no samples ({file.size:,} bytes, no data chunk).",
        code="audio-header",
        where=file.path,
        remedy="Copy it again from where it was recorded.",
    )


def _contradiction(path: Path, what: str) -> AudioRefusedError:
    return AudioRefusedError(
        f"{what}.", code="audio-header", where=path, remedy="Save it again as a plain WAV with an audio editor."
    )


def _long_data_bytes(file: RandomAccessFile, body: int, size: int) -> int:
    content = file.available(body, 24)
    if size < 24 or len(content) < 24:
        raise _contradiction(file.path, "The table of 64-bit sizes is cut")
    return int.from_bytes(content[8:16], "little")


def _format_of(file: RandomAccessFile, body: int, size: int, order: str) -> _Format:
    content = file.available(body, min(size, 40))
    if len(content) < 16 or len(content) < min(size, 40):
        raise _contradiction(file.path, "The format chunk is cut")
    tag, channels, rate_hz, _, frame_bytes, bits = struct.unpack(order + "HHIIHH", content[:16])
    if tag == _EXTENSIBLE:
        tag = _extensible_tag(file.path, content, bits, order)
    if channels == 0:
        raise AudioRefusedError("The header says 0 channels.", code="audio-channels", where=file.path)
    sample_bytes = -(-bits // 8)
    encoding = _ENCODINGS.get((tag, sample_bytes))
    if encoding is None:
        raise AudioRefusedError(
            f"Samples of {bits} bits in WAV format 0x{tag:04X} are not read by this version.",
            code="audio-encoding",
            where=file.path,
            remedy="Convert it to 16- or 24-bit PCM WAV, or to FLAC.",
        )
    if frame_bytes != channels * sample_bytes:
        raise _contradiction(
            file.path,
            f"The header contradicts itself: {channels} channels of {bits} bits take {channels * sample_bytes} bytes "
            f"a frame, it says {frame_bytes} (24 bits kept in 32 look like this)",
        )
    return _Format(rate_hz, channels, encoding, frame_bytes)


def _extensible_tag(path: Path, content: bytes, bits: int, order: str) -> int:
    """Return the format tag inside a WAVE_FORMAT_EXTENSIBLE chunk."""
    if len(content) < 40:
        raise _contradiction(path, "The extended format chunk is cut")
    valid_bits = struct.unpack(order + "H", content[18:20])[0]
    if valid_bits not in (0, bits):
        # Writers disagree on whether the spare bits lie above or below, a factor of 256 in level.
        raise _contradiction(path, f"The header says {valid_bits} bits kept in {bits}, which writers do in two ways")
    tag, *end = struct.unpack(order + "IHH8s", content[24:40])
    if tuple(end) != _FORMAT_GUID_END:
        raise AudioRefusedError(
            "The encoding is named by an identifier that is not known.",
            code="audio-encoding",
            where=path,
            remedy="Convert it to 16- or 24-bit PCM WAV, or to FLAC.",
        )
    return int(tag)


def _layout(file: RandomAccessFile, found: _Format, *, big_endian: bool, data_offset: int, stated: int) -> SampleLayout:
    present = max(0, file.size - data_offset)
    frames = min(stated, present) // found.frame_bytes
    if frames == 0:
        raise AudioRefusedError(
            f"There is no sample in the file: the header says {stated:,} bytes of sound, {present:,} are there.",
            code="audio-empty",
            where=file.path,
            remedy="A recording that was not finished can be repaired by an audio editor." if present else "",
        )
    return SampleLayout(
        rate_hz=found.rate_hz,
        channels=found.channels,
        encoding=found.encoding,
        big_endian=big_endian,
        data_offset=data_offset,
        frames=frames,
        frame_bytes=found.frame_bytes,
        notices=_length_notices(file.path, found, stated=stated, present=present, frames=frames),
    )


def _length_notices(path: Path, found: _Format, *, stated: int, present: int, frames: int) -> tuple[Notice, ...]:
    if stated > present:
        said = "an unknown length" if stated == _UNKNOWN_SIZE else f"{stated // found.frame_bytes:,} frames"
        message = f"The header says {said}; {frames:,} frames are there, and these are read."
        return (Notice("audio-shorter-than-header", str(path), message),)
    if stated % found.frame_bytes:
        message = f"The last frame is cut: {stated % found.frame_bytes} bytes at the end are left out."
        return (Notice("audio-partial-frame", str(path), message),)
    return ()
