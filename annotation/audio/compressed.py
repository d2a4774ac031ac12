"""Compressed sound, decoded from start to end: MP3, Ogg Vorbis, Opus, and FLAC that does not say its length.

Conventions. What a file holds is what its decoder gives, and the count of that is its length; nothing else is. Lossy
decoders give float32, also beyond full scale, and float32 it stays: 16 bits would clamp that and add noise. Lossless
16-bit sound stays 16-bit. A layout is read by a walk over frames or pages (`annotation.audio.mpeg`,
`annotation.audio.ogg`), and a decoder only ever sees what the walk found whole.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntFlag
from pathlib import Path

import numpy as np
import soundfile  # type: ignore[import-untyped]
from numpy.typing import NDArray

from annotation.audio.flac import unbounded_flac_parts
from annotation.audio.mpeg import mpeg_layout_of
from annotation.audio.ogg import ogg_layout_of
from annotation.audio.random_access import RandomAccessFile
from annotation.audio.readers import (
    SIXTEEN_BIT_SUBTYPES,
    AudioInfo,
    SteadyFile,
    decoder_refusal,
    require_plausible,
)
from annotation.audio.refusal import AudioRefusedError
from annotation.audio.splice import Part, Splice
from annotation.cancellation import CancelToken, Progress
from annotation.notices import Notice

UNKNOWN_LENGTH = -1
_NO_LENGTH = 1 << 40
"""From here on libsndfile’s count of frames means that it has none."""
_BLOCK_SAMPLES = 1 << 16
"""About a second: libsndfile decodes much longer Ogg blocks at once badly."""


class Oddity(IntFlag):
    """What is odd about compressed sound that is read all the same; kept as a number beside the decoded sound."""

    NONE = 0
    CUT = 1
    RUBBISH = 2
    GAPS = 4
    DELAY_UNKNOWN = 8
    CHAINED = 16


_SENTENCES = {
    Oddity.CUT: ("audio-cut", "The file breaks off: what is whole was decoded, its last piece was left out."),
    Oddity.RUBBISH: (
        "audio-interrupted",
        "Bytes that are no sound stand between frames and were passed over: if sound was lost there, what follows "
        "stands earlier than it was recorded.",
    ),
    Oddity.GAPS: (
        "audio-interrupted",
        "Pages of the stream are missing: what follows them may stand earlier than it was recorded.",
    ),
    Oddity.DELAY_UNKNOWN: (
        "encoder-delay-unknown",
        "The MP3 does not say how much silence its encoder put in front (often 1,105 samples), so none was left out: "
        "beside other recordings of the same talk it may be late by that much.",
    ),
    Oddity.CHAINED: ("audio-chained", "The file holds several recordings one after another; they are one sound here."),
}

_KINDS = (
    ("MP3", "MPEG_LAYER_III"),
    ("OGG", "VORBIS"),
    ("OGG", "OPUS"),
    ("FLAC", "PCM_16"),
    ("FLAC", "PCM_24"),
    ("FLAC", "PCM_S8"),
)
"""Container and encoding; their place here is stored beside decoded sound, so the order stays and new ones go last."""


@dataclass(frozen=True, slots=True)
class CompressedLayout:
    """What a compressed file says of itself, and what of it is decoded.

    Parameters
    ----------
    format, subtype
        As in `AudioInfo`.
    stated
        Frames that the file says it has, `UNKNOWN_LENGTH` if it does not.
    links
        What a decoder reads: one stream after another.
    """

    path: Path
    rate_hz: int
    channels: int
    format: str
    subtype: str
    stated: int
    oddities: Oddity
    links: tuple[tuple[Part, ...], ...]

    @property
    def sixteen_bits(self) -> bool:
        """Whether 16-bit integers hold what is decoded."""
        return self.subtype in SIXTEEN_BIT_SUBTYPES

    def info(self, frames: int) -> AudioInfo:
        """Return what the file holds, now that `frames` were decoded."""
        return info_of_facts(self.path, frames, self.facts)

    @property
    def facts(self) -> tuple[int, int, int, int]:
        """What `info_of_facts` needs, as whole numbers."""
        kind = _KINDS.index((self.format, self.subtype))
        return self.rate_hz, self.channels, self.stated, int(self.oddities) << 8 | kind


def info_of_facts(path: Path, frames: int, facts: tuple[int, ...]) -> AudioInfo:
    """Return what a file holds whose sound was decoded, from `CompressedLayout.facts`.

    Raises
    ------
    ValueError
        If a later version has written the facts.
    """
    rate_hz, channels, stated, last = facts
    if last & 0xFF >= len(_KINDS):
        raise ValueError(f"there is no kind of compressed sound {last & 0xFF}")
    container, subtype = _KINDS[last & 0xFF]
    notices = [Notice(code, str(path), text) for oddity, (code, text) in _SENTENCES.items() if last >> 8 & oddity]
    if stated not in (UNKNOWN_LENGTH, frames):
        message = f"The header says or suggests {stated:,} frames; {frames:,} were decoded, and these count."
        notices.insert(0, Notice("length-differs-from-header", str(path), message))
    return AudioInfo(path, rate_hz, channels, frames, container, subtype, exact=True, notices=tuple(notices))


def mp3_layout(file: RandomAccessFile, token: CancelToken) -> CompressedLayout:
    """Return the layout of an MP3.

    Raises
    ------
    AudioRefusedError
        If it is none, or has no whole frame.
    CancelledError
        If `token` was set.
    """
    found = mpeg_layout_of(file, token)
    oddities = Oddity.CUT if found.cut else Oddity.NONE
    oddities |= Oddity.RUBBISH if found.rubbish else Oddity.NONE
    oddities |= Oddity.DELAY_UNKNOWN if found.delay is None else Oddity.NONE
    return _checked(
        CompressedLayout(
            path=file.path,
            rate_hz=found.rate_hz,
            channels=found.channels,
            format="MP3",
            subtype="MPEG_LAYER_III",
            stated=found.stated,
            oddities=oddities,
            links=(found.parts,),
        )
    )


def ogg_layout(file: RandomAccessFile, token: CancelToken) -> CompressedLayout:
    """Return the layout of an Ogg file; its length is what libsndfile makes of the positions on the pages.

    Raises
    ------
    AudioRefusedError
        If it holds no sound that is read.
    CancelledError
        If `token` was set.
    """
    found = ogg_layout_of(file, token)
    first = found.links[0]
    oddities = Oddity.CUT if found.cut else Oddity.NONE
    oddities |= Oddity.GAPS if found.gaps else Oddity.NONE
    oddities |= Oddity.CHAINED if len(found.links) > 1 else Oddity.NONE
    return _checked(
        CompressedLayout(
            path=file.path,
            rate_hz=first.rate_hz,
            channels=first.channels,
            format="OGG",
            subtype=first.codec,
            stated=UNKNOWN_LENGTH,
            oddities=oddities,
            links=tuple(link.parts for link in found.links),
        )
    )


def unbounded_flac_layout(file: RandomAccessFile, token: CancelToken) -> CompressedLayout:
    """Return the layout of a FLAC that does not say its length, as from a pipe, or says too little.

    Raises
    ------
    AudioRefusedError
        If the header is damaged.
    CancelledError
        If `token` was set.
    """
    token.check()
    header, parts = unbounded_flac_parts(file)
    subtype = "PCM_S8" if header.bits <= 8 else "PCM_16" if header.bits <= 16 else "PCM_24"
    return _checked(
        CompressedLayout(
            path=file.path,
            rate_hz=header.rate_hz,
            channels=header.channels,
            format="FLAC",
            subtype=subtype,
            stated=header.frames or UNKNOWN_LENGTH,
            oddities=Oddity.NONE,
            links=(parts,),
        )
    )


def _checked(layout: CompressedLayout) -> CompressedLayout:
    require_plausible(layout.path, layout.rate_hz, layout.channels)
    return layout


class DecodedStream:
    """The sound of a compressed file, block after block; belongs to one thread.

    Parameters
    ----------
    stated
        Frames that the decoder expects, from the positions on the pages of an Ogg; known once all was read.
    """

    def __init__(self, file: RandomAccessFile, layout: CompressedLayout) -> None:
        self._file = file
        self.layout = layout
        self.stated = 0

    def blocks(self, token: CancelToken, progress: Progress) -> Iterator[NDArray[np.int16] | NDArray[np.float32]]:
        """Yield the frames in order as ``(n, channels)`` of about a second.

        Raises
        ------
        AudioRefusedError
            If the decoder gives up, or finds another sound than the header says.
        CancelledError
            If `token` was set.
        """
        links = self.layout.links
        for number, parts in enumerate(links):
            splice = Splice(self._file, parts)
            try:
                with SteadyFile(splice) as decoder:
                    self._require_agreement(decoder)
                    self._add_stated(decoder.frames)
                    for block in self._blocks_of(decoder):
                        token.check()
                        yield block
                        progress((number + splice.position / splice.size) / len(links))
            except soundfile.SoundFileError as fault:
                raise splice.fault or decoder_refusal(self.layout.path, fault) from fault
            if splice.fault is not None:
                raise splice.fault

    def _add_stated(self, frames: int) -> None:
        known = self.stated != UNKNOWN_LENGTH and frames < _NO_LENGTH
        self.stated = self.stated + frames if known else UNKNOWN_LENGTH

    def _blocks_of(self, decoder: SteadyFile) -> Iterator[NDArray[np.int16] | NDArray[np.float32]]:
        count = max(1, _BLOCK_SAMPLES // self.layout.channels)
        dtype = "int16" if self.layout.sixteen_bits else "float32"
        while len(block := decoder.read(count, dtype, always_2d=True)):
            yield block

    def _require_agreement(self, decoder: SteadyFile) -> None:
        layout = self.layout
        if (decoder.samplerate, decoder.channels) != (layout.rate_hz, layout.channels):
            raise AudioRefusedError(
                f"The decoder finds {decoder.channels} channels at {decoder.samplerate:,} Hz; "
                f"the header says {layout.channels} at {layout.rate_hz:,} Hz.",
                code="audio-damaged",
                where=layout.path,
                remedy="Copy or convert it again.",
            )

    def layout_with_length(self) -> CompressedLayout:
        """Return the layout with the length that the pages of an Ogg give, after all of it was decoded."""
        if self.layout.format != "OGG":
            return self.layout
        return replace(self.layout, stated=self.stated)
