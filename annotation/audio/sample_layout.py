"""Where plain samples lie in a file, for every container that holds them uncompressed."""

from dataclasses import dataclass
from enum import StrEnum

from annotation.notices import Notice


class SampleEncoding(StrEnum):
    """How a sample is written; the names are those of libsndfile."""

    PCM_S8 = "PCM_S8"
    PCM_U8 = "PCM_U8"
    PCM_16 = "PCM_16"
    PCM_24 = "PCM_24"
    PCM_32 = "PCM_32"
    FLOAT = "FLOAT"
    DOUBLE = "DOUBLE"
    ALAW = "ALAW"
    ULAW = "ULAW"


@dataclass(frozen=True, slots=True)
class SampleLayout:
    """Where interleaved samples lie in a file, and how many frames there are for certain."""

    rate_hz: int
    channels: int
    encoding: SampleEncoding
    big_endian: bool
    data_offset: int
    """Bytes from the start of the file to the first sample."""
    frames: int
    frame_bytes: int
    notices: tuple[Notice, ...] = ()
