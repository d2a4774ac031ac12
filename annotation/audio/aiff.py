"""Where the samples of an AIFF or AIFF-C file lie: a bounded walk over its chunks.

Conventions: big-endian, but for the compression type ``sowt``; the number of frames is the smallest of what the header
says, what the sound chunk says and what bytes are present, and where they differ a notice says so.
"""

import struct
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from annotation.audio.random_access import RandomAccessFile
from annotation.audio.refusal import AudioRefusedError
from annotation.audio.sample_layout import SampleEncoding, SampleLayout
from annotation.notices import Notice

AIFF_MAGIC = b"FORM"
AIFF_TYPES = (b"AIFF", b"AIFC")

_MOST_CHUNKS = 1024
_INTEGERS = {
    1: SampleEncoding.PCM_S8,
    2: SampleEncoding.PCM_16,
    3: SampleEncoding.PCM_24,
    4: SampleEncoding.PCM_32,
}
_COMPRESSIONS = {
    b"fl32": (SampleEncoding.FLOAT, 4),
    b"FL32": (SampleEncoding.FLOAT, 4),
    b"fl64": (SampleEncoding.DOUBLE, 8),
    b"FL64": (SampleEncoding.DOUBLE, 8),
    b"ulaw": (SampleEncoding.ULAW, 1),
    b"ULAW": (SampleEncoding.ULAW, 1),
    b"alaw": (SampleEncoding.ALAW, 1),
    b"ALAW": (SampleEncoding.ALAW, 1),
}
_AS_INTEGERS = (b"NONE", b"twos", b"sowt")


@dataclass(frozen=True, slots=True)
class _Common:
    """What the COMM chunk says."""

    rate_hz: int
    channels: int
    frames: int
    encoding: SampleEncoding
    frame_bytes: int
    big_endian: bool


def aiff_layout_of(file: RandomAccessFile) -> SampleLayout:
    """Return where the samples of an AIFF file lie.

    Raises
    ------
    AudioRefusedError
        If the header is cut, contradicts itself or names an encoding that is not read, or there is no sample.
    """
    head = file.available(0, 12)
    if len(head) < 12 or head[:4] != AIFF_MAGIC or head[8:] not in AIFF_TYPES:
        raise _damaged(file.path, f"This is a stump of {file.size:,} bytes or no AIFF file")
    common: _Common | None = None
    sound: tuple[int, int] | None = None
    position = 12
    for _ in range(_MOST_CHUNKS):
        header = file.available(position, 8)
        if len(header) < 8 or (common and sound):
            break
        name, size = struct.unpack(">4sI", header)
        if name == b"COMM" and common is None:
            common = _common_of(file, position + 8, size, compressed=head[8:] == b"AIFC")
        elif name == b"SSND" and sound is None:
            sound = _sound_of(file, position + 8, size)
        position += 8 + size + (size & 1)
    if common is None:
        raise _damaged(file.path, "It has no chunk that says how to read the samples")
    if sound is None:
        raise _damaged(file.path, "It has a header and no samples")
    return _layout(file, common, *sound)


def _common_of(file: RandomAccessFile, body: int, size: int, *, compressed: bool) -> _Common:
    least = 22 if compressed else 18
    content = file.available(body, least)
    if size < least or len(content) < least:
        raise _damaged(file.path, "The chunk that says how to read the samples is cut")
    channels, frames, bits = struct.unpack(">HIH", content[:8])
    if channels == 0:
        raise AudioRefusedError("The header says 0 channels.", code="audio-channels", where=file.path)
    compression = content[18:22] if compressed else b"NONE"
    encoding, sample_bytes = _encoding_of(file.path, compression, bits)
    return _Common(
        rate_hz=_rate_hz(file.path, content[8:18]),
        channels=channels,
        frames=frames,
        encoding=encoding,
        frame_bytes=channels * sample_bytes,
        big_endian=compression != b"sowt",
    )


def _encoding_of(path: Path, compression: bytes, bits: int) -> tuple[SampleEncoding, int]:
    sample_bytes = -(-bits // 8)
    if compression in _AS_INTEGERS and sample_bytes in _INTEGERS:
        return _INTEGERS[sample_bytes], sample_bytes
    if compression in _COMPRESSIONS:
        return _COMPRESSIONS[compression]
    raise AudioRefusedError(
        f"Samples of {bits} bits in AIFF compression “{compression.decode('latin-1')}” are not read by this version.",
        code="audio-encoding",
        where=path,
        remedy="Convert it to 16- or 24-bit PCM WAV, or to FLAC.",
    )


def _rate_hz(path: Path, extended: bytes) -> int:
    """Return a rate from its 80-bit floating-point number."""
    exponent, mantissa = struct.unpack(">HQ", extended)
    power = (exponent & 0x7FFF) - 16383 - 63
    # Beyond 32 bits there is no rate, and the shift would be as long as the exponent says.
    rate = Fraction(mantissa) * Fraction(2) ** power if -64 < power <= 0 else Fraction(0)
    if exponent & 0x8000 or rate.denominator != 1 or not rate:
        raise AudioRefusedError(
            "The header gives no whole number of samples a second.",
            code="audio-rate",
            where=path,
            remedy="The header is probably damaged.",
        )
    return int(rate)


def _sound_of(file: RandomAccessFile, body: int, size: int) -> tuple[int, int]:
    """Return where the samples begin and how many bytes of them the chunk says there are."""
    content = file.available(body, 8)
    if size < 8 or len(content) < 8:
        raise _damaged(file.path, "The chunk with the samples is cut")
    skipped = int.from_bytes(content[:4], "big")
    if skipped:
        raise _damaged(file.path, f"The samples begin {skipped:,} bytes late, which decoders read in two ways")
    return body + 8, size - 8


def _layout(file: RandomAccessFile, common: _Common, data_offset: int, stated_bytes: int) -> SampleLayout:
    present = max(0, file.size - data_offset)
    frames = min(common.frames, stated_bytes // common.frame_bytes, present // common.frame_bytes)
    if frames == 0:
        raise AudioRefusedError(
            f"There is no sample in the file: the header says {common.frames:,} frames, {present:,} bytes are there.",
            code="audio-empty",
            where=file.path,
        )
    layout = SampleLayout(
        rate_hz=common.rate_hz,
        channels=common.channels,
        encoding=common.encoding,
        big_endian=common.big_endian,
        data_offset=data_offset,
        frames=frames,
        frame_bytes=common.frame_bytes,
    )
    if frames == common.frames:
        return layout
    message = f"The header says {common.frames:,} frames; {frames:,} frames are there, and these are read."
    return replace(layout, notices=(Notice("audio-shorter-than-header", str(file.path), message),))


def _damaged(path: Path, what: str) -> AudioRefusedError:
    return AudioRefusedError(
        f"{what}.", code="audio-header", where=path, remedy="Copy it again from where it was recorded."
    )
