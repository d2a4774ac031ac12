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


@dataclass(frozen=True, slots=True)
class FlacHeader:
    """What STREAMINFO says; `frames` is what the encoder counted, 0 if it did not."""

    rate_hz: int
    channels: int
    bits: int
    frames: int


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
