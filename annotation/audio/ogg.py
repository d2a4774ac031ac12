"""Where the streams of an Ogg file lie: a walk over its pages.

Conventions. An Ogg file is one recording or several one after another (chained), each with streams side by side. Read
are Vorbis and Opus, one stream at a time; chained recordings of one rate and channel count are one sound, in order.
FLAC in Ogg is refused: libsndfile 1.2.2 cannot open it. Opus is always decoded at 48 kHz: the rate in its header says
what was recorded once, and a decoder that goes by it resamples. What Opus must leave out at both ends follows from its
header and the positions on its pages, and the decoder does that.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from annotation.audio.random_access import RandomAccessFile
from annotation.audio.refusal import AudioRefusedError
from annotation.audio.splice import Part
from annotation.cancellation import CancelToken

OGG_MAGIC = b"OggS"
OPUS_RATE_HZ = 48_000

_HEADER = struct.Struct("<4sBBqIIIB")
_BEGINS, _ENDS = 2, 4
_MOST_LINKS = 1000
_SEARCH_BYTES = 256 * 1024
_MOST_GAPS = 1000
_WINDOW_BYTES = 1 << 18
_OPUS_RATE_FIELD = slice(12, 16)
_OTHERS = {
    b"\x7fFLAC": "FLAC",
    b"Speex   ": "Speex",
    b"\x80theora": "Theora video",
    b"fishead\0": "a skeleton of several streams",
    b"\x01video\0\0": "video",
    b"BBCD\0": "Dirac video",
    b"CELT    ": "CELT",
}


@dataclass(frozen=True, slots=True)
class OggLink:
    """One stream: its codec in libsndfile’s words and what a decoder reads."""

    codec: str
    rate_hz: int
    channels: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class OggLayout:
    """What an Ogg file holds.

    Parameters
    ----------
    cut
        Whether the file ends before its last page says that it is the end.
    gaps
        Whether pages are missing, or bytes that belong to no page stand between them.
    """

    links: tuple[OggLink, ...]
    cut: bool
    gaps: bool


@dataclass(frozen=True, slots=True)
class _Page:
    onset: int
    offset: int
    flags: int
    serial: int
    number: int


def ogg_layout_of(file: RandomAccessFile, token: CancelToken) -> OggLayout:
    """Return what an Ogg file holds.

    Raises
    ------
    AudioRefusedError
        If it holds no sound that is read, streams side by side, or recordings that differ in rate or channels.
    CancelledError
        If `token` was set.
    """
    walk = _Walk(file, token)
    links = tuple(_link_of(file, first, end) for first, end in walk.links())
    found = {(link.codec, link.rate_hz, link.channels) for link in links}
    if len(found) > 1:
        raise AudioRefusedError(
            f"The file holds {len(links)} recordings one after another that differ in codec, rate or channels.",
            code="audio-encoding",
            where=file.path,
            remedy="Split it into one file a recording.",
        )
    return OggLayout(links, walk.cut, walk.gaps)


def _link_of(file: RandomAccessFile, first: _Page, end: int) -> OggLink:
    page = file.exactly(first.onset, first.offset - first.onset)
    packet = page[_HEADER.size + page[_HEADER.size - 1] :]
    codec, rate_hz, channels = _codec_of(file.path, packet)
    parts: tuple[Part, ...] = ((first.onset, end),)
    if codec == "OPUS":
        parts = (_at_opus_rate(page, len(page) - len(packet)), (first.offset, end))
    return OggLink(codec, rate_hz, channels, parts)


def _codec_of(path: Path, packet: bytes) -> tuple[str, int, int]:
    """Return codec, rate and channels that the first packet of a stream names."""
    if packet.startswith(b"\x01vorbis") and len(packet) >= 30:
        return "VORBIS", int.from_bytes(packet[12:16], "little"), packet[11]
    if packet.startswith(b"OpusHead") and len(packet) >= 19:
        return "OPUS", OPUS_RATE_HZ, packet[9]
    kind = next((name for magic, name in _OTHERS.items() if packet.startswith(magic)), "a stream that is not known")
    raise AudioRefusedError(
        f"This Ogg file holds {kind}; of Ogg, Vorbis and Opus are read.",
        code="audio-encoding",
        where=path,
        remedy="Convert it to WAV or FLAC.",
    )


def _at_opus_rate(page: bytes, packet_onset: int) -> bytes:
    """Return the first page of an Opus stream with 48 kHz as its rate, and the checksum that goes with it."""
    changed = bytearray(page)
    changed[packet_onset + _OPUS_RATE_FIELD.start : packet_onset + _OPUS_RATE_FIELD.stop] = OPUS_RATE_HZ.to_bytes(
        4, "little"
    )
    changed[22:26] = bytes(4)
    changed[22:26] = ogg_checksum(bytes(changed)).to_bytes(4, "little")
    return bytes(changed)


def ogg_checksum(content: bytes) -> int:
    """Return the checksum of a page whose own checksum field is zero (CRC-32 by 0x04C11DB7, not reflected)."""
    register = 0
    for byte in content:
        register ^= byte << 24
        for _ in range(8):
            register = (register << 1 ^ 0x04C11DB7 if register & 0x80000000 else register << 1) & 0xFFFFFFFF
    return register


class _Walk:
    """One pass over the pages of a file."""

    def __init__(self, file: RandomAccessFile, token: CancelToken) -> None:
        self._file = file
        self._token = token
        self._window_onset = 0
        self._window = b""
        self.cut = False
        self.gaps = False

    def links(self) -> list[tuple[_Page, int]]:
        """Return the first page of each stream and where its last page ends."""
        links: list[tuple[_Page, int]] = []
        number, flags = 0, 0
        for page in self._pages():
            if page.flags & _BEGINS:
                if links and links[-1][0].offset == page.onset:
                    raise self._several_streams()
                if links:
                    self.cut = self.cut or not flags & _ENDS
                if len(links) >= _MOST_LINKS:
                    raise self._damaged(f"It begins anew more than {_MOST_LINKS:,} times")
                links.append((page, page.offset))
            elif not links:
                raise self._damaged("Its first page is no beginning")
            elif page.serial != links[-1][0].serial:
                raise self._several_streams()
            else:
                self.gaps = self.gaps or page.number != number + 1
                links[-1] = (links[-1][0], page.offset)
            number, flags = page.number, page.flags
        if not links:
            raise self._damaged(f"This is a stump of {self._file.size:,} bytes")
        self.cut = self.cut or not flags & _ENDS
        return links

    def _pages(self) -> Iterator[_Page]:
        position, gaps = 0, 0
        while position < self._file.size:
            page = self._page_at(position)
            if page is None:
                following = self._next_page(position + 1)
                if following is None:
                    # What follows the last page is a page that is cut, or rubbish.
                    self.cut = True
                    return
                self.gaps = True
                gaps += 1
                if gaps > _MOST_GAPS:
                    raise self._damaged(f"Its pages are interrupted more than {_MOST_GAPS:,} times")
                position = following
                continue
            yield page
            position = page.offset

    def _page_at(self, position: int) -> _Page | None:
        """Return the page at a place if it lies there whole."""
        head = self._bytes(position, _HEADER.size)
        if len(head) < _HEADER.size:
            return None
        magic, version, flags, _, serial, number, _, segments = _HEADER.unpack(head)
        if magic != OGG_MAGIC or version != 0:
            return None
        lengths = self._bytes(position + _HEADER.size, segments)
        offset = position + _HEADER.size + segments + sum(lengths)
        if len(lengths) < segments or offset > self._file.size:
            return None
        return _Page(position, offset, flags, serial, number)

    def _next_page(self, position: int) -> int | None:
        content = self._file.available(position, _SEARCH_BYTES)
        found = content.find(OGG_MAGIC)
        while found >= 0:
            if self._page_at(position + found) is not None:
                return position + found
            found = content.find(OGG_MAGIC, found + 1)
        return None

    def _bytes(self, position: int, count: int) -> bytes:
        """Return bytes through a window, so that a walk costs few reads."""
        inside = position - self._window_onset
        if inside < 0 or inside + count > len(self._window):
            self._token.check()
            self._window = self._file.available(position, _WINDOW_BYTES)
            self._window_onset, inside = position, 0
        return self._window[inside : inside + count]

    def _several_streams(self) -> AudioRefusedError:
        return AudioRefusedError(
            "The Ogg file holds several streams side by side, as a video does.",
            code="audio-encoding",
            where=self._file.path,
            remedy="Extract the sound into a file of its own.",
        )

    def _damaged(self, what: str) -> AudioRefusedError:
        return AudioRefusedError(
            f"This Ogg file cannot be read. {what}.",
            code="audio-header",
            where=self._file.path,
            remedy="Copy it again from where it was recorded.",
        )
