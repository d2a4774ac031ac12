"""Where the frames of an MP3 file lie: every frame header is looked at, nothing is estimated.

Conventions. The sound of an MP3 is what its whole frames decode to: 1,152 samples each (576 at 24 kHz and below). A
first frame that holds a table of the encoder (Xing, Info, VBRI) is no sound. Where LAME’s table says how many samples
the encoder put in front and behind, these and the decoder’s own delay of 529 are left out, so that a label lies where
it lay in what was encoded; the end is trimmed only if the table counts as many frames as there are. A last frame that
is cut is left out. Tags (ID3, APE) and other bytes between frames are passed over.

A decoder is then given a table of our own with the counted frames and those frames alone: libsndfile would otherwise
take the length from a bit rate or a wrong table, and stop there.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from annotation.audio.random_access import RandomAccessFile
from annotation.audio.refusal import AudioRefusedError
from annotation.audio.splice import Part
from annotation.cancellation import CancelToken

ID3_MAGIC = b"ID3"
DECODER_DELAY = 529
"""Samples by which every decoder of layer III is late."""

_RATES_HZ = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}
_KILOBITS = {
    3: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    2: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_LAYER_III = 1
_SEARCH_BYTES = 64 * 1024
_MOST_TAGS = 64
_MOST_GAPS = 1000
_MOST_RUBBISH_BYTES = 1 << 20
"""Between frames, all together; a walk through more would take long and find noise."""
_WINDOW_BYTES = 1 << 18
_TABLE_BYTES = 192
_END_TAGS = (b"TAG", b"APETAGEX", b"LYRICSBEGIN", b"ID3")


@dataclass(frozen=True, slots=True)
class MpegHeader:
    """What the four bytes before a frame say; `version` is 3 for MPEG-1, 2 for MPEG-2, 0 for MPEG-2.5."""

    version: int
    rate_hz: int
    channels: int
    kilobits: int
    """A second."""
    frame_bytes: int

    @property
    def samples(self) -> int:
        """Samples a frame and channel."""
        return 1152 if self.version == 3 else 576

    @property
    def table_offset(self) -> int:
        """Bytes from the start of a frame to where an encoder puts its table."""
        if self.version == 3:
            return 4 + (17 if self.channels == 1 else 32)
        return 4 + (9 if self.channels == 1 else 17)

    def same_stream(self, other: "MpegHeader") -> bool:
        """Return whether two frames can follow each other in one recording."""
        return (self.version, self.rate_hz, self.channels) == (other.version, other.rate_hz, other.channels)


@dataclass(frozen=True, slots=True)
class MpegLayout:
    """What an MP3 file holds.

    Parameters
    ----------
    mpeg_frames
        How many whole frames of sound there are.
    stated
        Samples that the encoder’s table says there are, or, without one, that follow from the bit rate of the first
        frame; what other programs go by.
    delay, padding
        Samples that the encoder put in front and behind; None where the file does not say so.
    cut, rubbish
        Whether the last frame is cut, and whether bytes that are no sound stood between frames.
    parts
        What a decoder reads.
    """

    rate_hz: int
    channels: int
    mpeg_frames: int
    stated: int
    delay: int | None
    padding: int | None
    cut: bool
    rubbish: bool
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class _Table:
    """An encoder’s table: MPEG frames it counts (None if it does not), delay and padding in samples (−1 unknown)."""

    mpeg_frames: int | None
    delay: int = -1
    padding: int = -1


def mpeg_header_of(content: bytes) -> MpegHeader | None:
    """Return what four bytes say as the header of a layer III frame, or None if they are none."""
    if len(content) < 4 or content[0] != 0xFF or content[1] & 0xE0 != 0xE0:
        return None
    version, layer = content[1] >> 3 & 3, content[1] >> 1 & 3
    bit_rate, rate, padded = content[2] >> 4, content[2] >> 2 & 3, content[2] >> 1 & 1
    if version == 1 or layer != _LAYER_III or bit_rate in (0, 15) or rate == 3:
        return None
    kilobits = _KILOBITS[3 if version == 3 else 2][bit_rate]
    rate_hz = _RATES_HZ[version][rate]
    frame_bytes = (144 if version == 3 else 72) * kilobits * 1000 // rate_hz + padded
    return MpegHeader(version, rate_hz, 1 if content[3] >> 6 == 3 else 2, kilobits, frame_bytes)


def sound_offset(file: RandomAccessFile) -> int:
    """Return where a file goes on after the ID3 tags in front of it.

    Raises
    ------
    AudioRefusedError
        If the system cannot read the file.
    """
    position = 0
    for _ in range(_MOST_TAGS):
        head = file.available(position, 10)
        if len(head) < 10 or head[:3] != ID3_MAGIC or max(head[6:10]) > 0x7F:
            break
        size = head[6] << 21 | head[7] << 14 | head[8] << 7 | head[9]
        position += 10 + size + (10 if head[5] & 0x10 else 0)
    return position


def mpeg_layout_of(file: RandomAccessFile, token: CancelToken) -> MpegLayout:
    """Return where the sound of an MP3 file lies.

    Raises
    ------
    AudioRefusedError
        If there are no two frames in a row, or none but the encoder’s table.
    CancelledError
        If `token` was set; an hour has some hundred thousand frames.
    """
    walk = _Walk(file, sound_offset(file), token)
    first, spans = walk.first, walk.spans()
    head = file.exactly(walk.start, min(first.frame_bytes, _TABLE_BYTES))
    table = _table_of(head, first)
    if table is not None:
        onset, offset = spans[0]
        spans = [(onset + first.frame_bytes, offset), *spans[1:]]
    mpeg_frames = walk.mpeg_frames - (table is not None)
    if mpeg_frames == 0:
        raise AudioRefusedError(
            "There is no whole frame of sound in this MP3.",
            code="audio-empty",
            where=file.path,
            remedy="Copy it again from where it was recorded.",
        )
    delay, padding = _trims(table, mpeg_frames)
    own_table = _own_table(head, first, mpeg_frames, delay, padding)
    return MpegLayout(
        rate_hz=first.rate_hz,
        channels=first.channels,
        mpeg_frames=mpeg_frames,
        stated=_stated(file, walk, table, mpeg_frames),
        delay=delay,
        padding=padding,
        cut=walk.cut,
        rubbish=walk.rubbish,
        parts=(own_table, *spans),
    )


def _trims(table: _Table | None, mpeg_frames: int) -> tuple[int | None, int | None]:
    """Return the samples to leave out in front and behind; behind only where the table counts what is there."""
    if table is None or table.delay < 0:
        return None, None
    return table.delay, table.padding if table.mpeg_frames == mpeg_frames else 0


def _stated(file: RandomAccessFile, walk: "_Walk", table: _Table | None, mpeg_frames: int) -> int:
    """Return the length that the table says or, without one, the bit rate, which may be off by a rounded frame."""
    first = walk.first
    if table is not None and table.mpeg_frames is not None:
        return table.mpeg_frames * first.samples - max(0, table.delay) - max(0, table.padding)
    estimate = (file.size - walk.start) * 8 * first.rate_hz // (first.kilobits * 1000)
    counted = mpeg_frames * first.samples
    return counted if abs(estimate - counted) <= 2 * first.samples else estimate


def _table_of(head: bytes, header: MpegHeader) -> _Table | None:
    """Return the encoder’s table that the first frame holds, if it holds one."""
    if head[36:40] == b"VBRI":
        return _Table(int.from_bytes(head[50:54], "big") if len(head) >= 54 else None)
    content = head[header.table_offset :]
    if content[:4] not in (b"Xing", b"Info"):
        return None
    flags = int.from_bytes(content[4:8], "big")
    counted = int.from_bytes(content[8:12], "big") if flags & 1 else None
    lame = content[8 + 4 * (flags & 1) + 2 * (flags & 2) + 25 * (flags & 4) + (flags & 8) // 2 :]
    if len(lame) < 24 or lame[0] == 0:
        return _Table(counted)
    trims = int.from_bytes(lame[21:24], "big")
    return _Table(counted, trims >> 12, trims & 0xFFF) if trims else _Table(counted)


def _own_table(head: bytes, header: MpegHeader, mpeg_frames: int, delay: int | None, padding: int | None) -> bytes:
    """Return a frame that tells a decoder how many frames follow and what to leave out at both ends.

    Where the delay is not known nothing may be left out. mpg123 leaves its own delay out whenever it knows how many
    frames there are, so one frame of silence goes in front for it to leave out.
    """
    silence = b""
    if delay is None:
        silence = _empty_frame(head, bit_rate=1)
        mpeg_frames, delay = mpeg_frames + 1, header.samples - DECODER_DELAY
    start = _empty_frame(head, bit_rate=14)
    content = b"Info" + (1).to_bytes(4, "big") + mpeg_frames.to_bytes(4, "big")
    content += b"LAME3.100" + bytes(12) + (delay << 12 | (padding or 0)).to_bytes(3, "big") + bytes(12)
    return (start[: header.table_offset] + content).ljust(len(start), b"\0") + silence


def _empty_frame(head: bytes, bit_rate: int) -> bytes:
    """Return a frame of silence like another, without a checksum, at the bit rate of that index."""
    start = bytes((0xFF, head[1] | 1, bit_rate << 4 | head[2] & 0x0C, head[3]))
    header = mpeg_header_of(start)
    assert header is not None
    return start.ljust(header.frame_bytes, b"\0")


class _Walk:
    """One pass over the frames of a file."""

    def __init__(self, file: RandomAccessFile, position: int, token: CancelToken) -> None:
        self._file = file
        self._token = token
        self._window_onset = 0
        self._window = b""
        self.cut = False
        self.rubbish = False
        self.mpeg_frames = 0
        found = self._next_start(position, None)
        if found is None:
            raise AudioRefusedError(
                "This is no MP3: no two frames of layer III follow each other.",
                code="audio-header",
                where=file.path,
                remedy="Copy it again, or convert it to WAV or FLAC.",
            )
        self.start, self.first = found

    def spans(self) -> list[tuple[int, int]]:
        """Return the stretches of whole frames, having counted the frames."""
        spans: list[tuple[int, int]] = []
        position: int | None = self.start
        rubbish = 0
        while position is not None and len(spans) <= _MOST_GAPS and rubbish <= _MOST_RUBBISH_BYTES:
            end = self._end_of_run(position)
            spans.append((position, end))
            position = self._after_gap(end)
            rubbish += position - end if position is not None else 0
        if position is not None:
            raise AudioRefusedError(
                f"The frames of this MP3 are interrupted {len(spans):,} times by {rubbish:,} bytes of something else.",
                code="audio-damaged",
                where=self._file.path,
                remedy="Copy it again.",
            )
        return spans

    def _end_of_run(self, position: int) -> int:
        """Return where whole frames that touch each other end."""
        while (header := self._header_at(position)) is not None:
            if position + header.frame_bytes > self._file.size:
                self.cut = True
                break
            self.mpeg_frames += 1
            position += header.frame_bytes
        return position

    def _after_gap(self, position: int) -> int | None:
        """Return where frames go on after something else, or None at the end of the sound."""
        if self.cut or position >= self._file.size or self._bytes(position, 11).startswith(_END_TAGS):
            return None
        # A file that only ends with a stump of a header has not been interrupted.
        if self._file.size - position < 4:
            self.cut = True
            return None
        self.rubbish = True
        found = self._next_start(position, self.first)
        return found[0] if found else None

    def _next_start(self, position: int, like: MpegHeader | None) -> tuple[int, MpegHeader] | None:
        """Return the next place, not far away, where one frame follows another."""
        for candidate in self._syncs(position):
            header = mpeg_header_of(self._bytes(candidate, 4))
            if header is None or (like is not None and not header.same_stream(like)):
                continue
            after = mpeg_header_of(self._bytes(candidate + header.frame_bytes, 4))
            if (after is not None and after.same_stream(header)) or self._ends_at(candidate + header.frame_bytes):
                return candidate, header
        return None

    def _ends_at(self, position: int) -> bool:
        return position == self._file.size or self._bytes(position, 11).startswith(_END_TAGS)

    def _syncs(self, position: int) -> Iterator[int]:
        content = self._file.available(position, _SEARCH_BYTES)
        found = content.find(b"\xff")
        while found >= 0:
            yield position + found
            found = content.find(b"\xff", found + 1)

    def _header_at(self, position: int) -> MpegHeader | None:
        header = mpeg_header_of(self._bytes(position, 4))
        return header if header is not None and header.same_stream(self.first) else None

    def _bytes(self, position: int, count: int) -> bytes:
        """Return bytes through a window, so that a walk costs few reads."""
        inside = position - self._window_onset
        if inside < 0 or inside + count > len(self._window):
            self._token.check()
            self._window = self._file.available(position, _WINDOW_BYTES)
            self._window_onset, inside = position, 0
        return self._window[inside : inside + count]
