"""What the header of a FLAC file says, read within bounds before a decoder allocates by it."""

from dataclasses import dataclass
from pathlib import Path

from annotation.audio.random_access import RandomAccessFile
from annotation.audio.refusal import AudioRefusedError
from annotation.audio.splice import Part

FLAC_MAGIC = b"fLaC"

_STREAM_INFO_BYTES = 34
_SMALLEST_BLOCK = 16
_MOST_METADATA_BLOCKS = 1024
_BLOCK_SAMPLES = {1: 192, **{code: 144 << code for code in range(2, 6)}, **{code: 1 << code for code in range(8, 16)}}
"""Samples by the code in a frame's header; with the codes 6 and 7 the number stands behind it, in 1 and 2 bytes."""
_FRAME_SYNC = b"\xff"
_TAIL_BYTES = 128 * 1024
"""Frames are a few kilobytes long, so that the last of them begins in here."""


@dataclass(frozen=True, slots=True)
class FlacHeader:
    """What STREAMINFO says; `frames` is what the encoder counted, 0 if it did not."""

    rate_hz: int
    channels: int
    bits: int
    frames: int
    most_in_block: int


def flac_header_of(file: RandomAccessFile) -> FlacHeader:
    """Return what a FLAC file says of itself.

    Raises
    ------
    AudioRefusedError
        If the header is cut or damaged, or the file is too short to hold what it says.
    """
    head = file.available(0, 8 + _STREAM_INFO_BYTES)
    if len(head) < 8 + _STREAM_INFO_BYTES or head[:4] != FLAC_MAGIC:
        raise AudioRefusedError(
            f"This is a stump of {file.size:,} bytes or no FLAC file.", code="audio-header", where=file.path
        )
    if head[4] & 0x7F != 0 or int.from_bytes(head[5:8], "big") != _STREAM_INFO_BYTES:
        raise _damaged(file.path, "Its first block is not the stream’s description")
    info = head[8:]
    most_in_block = int.from_bytes(info[2:4], "big")
    least_frame_bytes = int.from_bytes(info[4:7], "big")
    packed = int.from_bytes(info[10:18], "big")
    header = FlacHeader(
        rate_hz=packed >> 44,
        channels=(packed >> 41 & 0x7) + 1,
        bits=(packed >> 36 & 0x1F) + 1,
        frames=packed & (1 << 36) - 1,
        most_in_block=most_in_block,
    )
    if most_in_block < _SMALLEST_BLOCK:
        raise _damaged(file.path, f"It says blocks of {most_in_block} samples")
    sound_bytes = file.size - _sound_offset(file)
    # The last block may be shorter than the shortest full one, so it is not counted.
    if (header.frames // most_in_block) * least_frame_bytes > sound_bytes:
        raise truncated_flac(file.path, header.frames)
    return header


def unbounded_flac_parts(file: RandomAccessFile) -> tuple[FlacHeader, tuple[Part, ...]]:
    """Return the header of a FLAC that does not say its length, and the file as a decoder reads it to its end.

    libsndfile takes an unknown length for none, so its header is given the greatest one there is.

    Raises
    ------
    AudioRefusedError
        As for `flac_header_of`.
    """
    header = flac_header_of(file)
    info = bytearray(file.exactly(0, 8 + _STREAM_INFO_BYTES))
    info[21] |= 0x0F
    info[22:26] = b"\xff" * 4
    return header, (bytes(info), (len(info), file.size))


def goes_on_after_stated_end(file: RandomAccessFile, header: FlacHeader) -> bool:
    """Return whether the last frame lies beyond the length that the header says; then only decoding tells.

    Raises
    ------
    AudioRefusedError
        If the system cannot read the file.
    """
    if header.frames == 0:
        return True
    tail = file.available(max(0, file.size - _TAIL_BYTES), _TAIL_BYTES)
    place = len(tail)
    while (place := tail.rfind(_FRAME_SYNC, 0, place)) >= 0:
        end = _end_of_frame_header(tail[place : place + 16], header.most_in_block)
        if end is not None:
            return end > header.frames
    return False


def _end_of_frame_header(content: bytes, most_in_block: int) -> int | None:
    """Return the number of the sample after the frame that begins here, or None if no frame does."""
    if len(content) < 16 or content[1] & 0xFE != 0xF8:
        return None
    block_code, rate_code = content[2] >> 4, content[2] & 0xF
    number, place = _coded_number(content, 4)
    if number is None or block_code == 0 or rate_code == 15:
        return None
    samples = _BLOCK_SAMPLES.get(block_code, 0)
    if not samples:
        width = block_code - 5
        samples = int.from_bytes(content[place : place + width], "big") + 1
        place += width
    place += {12: 1, 13: 2, 14: 2}.get(rate_code, 0)
    if _checksum(content[:place]) != content[place]:
        return None
    # Blocks of one length are counted in blocks, others in samples.
    return (number if content[1] & 1 else number * most_in_block) + samples


def _coded_number(content: bytes, place: int) -> tuple[int | None, int]:
    """Return a number written as UTF-8 does, up to 36 bits, and where it ends."""
    first = content[place]
    length = 1 if first < 0x80 else 8 - (first ^ 0xFF).bit_length() if 0xC0 <= first < 0xFF else 0
    if length == 0:
        return None, place
    value = first if length == 1 else first & (0x7F >> length)
    for byte in content[place + 1 : place + length]:
        if byte & 0xC0 != 0x80:
            return None, place
        value = value << 6 | byte & 0x3F
    return value, place + length


def _checksum(content: bytes) -> int:
    """Return the CRC-8 by 0x07."""
    register = 0
    for byte in content:
        register ^= byte
        for _ in range(8):
            register = (register << 1 ^ 0x07 if register & 0x80 else register << 1) & 0xFF
    return register


def truncated_flac(path: Path, frames: int) -> AudioRefusedError:
    """Return the refusal of a FLAC file that breaks off."""
    return AudioRefusedError(
        f"The file breaks off: the header says {frames:,} frames, and the last of them are not there.",
        code="audio-truncated",
        where=path,
        remedy="Copy it again, or decode what is left to WAV with “flac -d -F”.",
    )


def _damaged(path: Path, what: str) -> AudioRefusedError:
    return AudioRefusedError(
        f"The header is damaged. {what}.", code="audio-header", where=path, remedy="Copy or encode it again."
    )


def _sound_offset(file: RandomAccessFile) -> int:
    """Return where the first frame lies, after metadata blocks that all lie inside the file."""
    position = 4
    for _ in range(_MOST_METADATA_BLOCKS):
        header = file.available(position, 4)
        if len(header) < 4:
            break
        position += 4 + int.from_bytes(header[1:], "big")
        if header[0] & 0x80:
            if position > file.size:
                break
            return position
    raise _damaged(file.path, "A block of tags reaches beyond the end of the file")
