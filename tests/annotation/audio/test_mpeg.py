from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.audio.mpeg import MpegHeader, MpegLayout, mpeg_header_of, mpeg_layout_of, sound_offset
from annotation.audio.random_access import RandomAccessFile
from annotation.audio.refusal import AudioRefusedError
from annotation.cancellation import CancelledError, CancelToken

FRAME = b"\xff\xfb\x90\x00".ljust(417, b"\0")
"""A frame of MPEG-1 at 44.1 kHz, two channels, 128 kbit/s."""


def table(name: bytes, *, frames: int | None = None, lame: bytes = b"") -> bytes:
    """Return a frame that holds an encoder’s table."""
    flags = 0 if frames is None else 1
    content = name + flags.to_bytes(4, "big") + (b"" if frames is None else frames.to_bytes(4, "big")) + lame
    return (FRAME[:36] + content).ljust(417, b"\0")


def layout_of(tmp_path: Path, content: bytes) -> MpegLayout:
    (tmp_path / "a.mp3").write_bytes(content)
    with RandomAccessFile(tmp_path / "a.mp3") as file:
        return mpeg_layout_of(file, CancelToken())


@pytest.mark.parametrize(
    ("content", "header"),
    [
        (FRAME, MpegHeader(3, 44_100, 2, 128, 417)),
        (b"\xff\xfb\x92\x00", MpegHeader(3, 44_100, 2, 128, 418)),
        (b"\xff\xf3\x84\xc0", MpegHeader(2, 24_000, 1, 64, 192)),
        (b"\xff\xe3\x18\xc4", MpegHeader(0, 8_000, 1, 8, 72)),
        (b"\xff\xfb\x00\x00", None),
        (b"\xff\xfb\xf0\x00", None),
        (b"\xff\xfb\x9c\x00", None),
        (b"\xff\xfd\x90\x00", None),
        (b"\xff\xeb\x90\x00", None),
        (b"\xff\xfb", None),
        (b"RIFF", None),
    ],
)
def test_four_bytes_are_a_header_or_none(content: bytes, header: MpegHeader | None) -> None:
    assert mpeg_header_of(content) == header


@given(content=st.binary(min_size=4, max_size=4))
def test_a_header_always_leads_on(content: bytes) -> None:
    header = mpeg_header_of(content)
    assert header is None or 24 <= header.frame_bytes <= 1441


def test_whole_frames_are_counted(tmp_path: Path) -> None:
    layout = layout_of(tmp_path, FRAME * 5)
    assert (layout.mpeg_frames, layout.stated, layout.cut, layout.rubbish) == (5, 5 * 1152, False, False)
    assert layout.delay is None
    assert layout.parts[1:] == ((0, 5 * 417),)


def test_a_last_frame_that_is_cut_is_left_out(tmp_path: Path) -> None:
    for missing in (1, 200, 416):
        layout = layout_of(tmp_path, (FRAME * 5)[:-missing])
        assert (layout.mpeg_frames, layout.cut) == (4, True)


@pytest.mark.parametrize("name", [b"Xing", b"Info"])
def test_the_encoders_table_is_no_sound(tmp_path: Path, name: bytes) -> None:
    lame = b"LAME3.100" + bytes(12) + (576 << 12 | 1000).to_bytes(3, "big")
    layout = layout_of(tmp_path, table(name, frames=5, lame=lame) + FRAME * 5)
    assert (layout.mpeg_frames, layout.delay, layout.padding) == (5, 576, 1000)
    assert layout.stated == 5 * 1152 - 1576
    assert layout.parts[1:] == ((417, 6 * 417),)


def test_the_end_is_trimmed_only_if_the_table_counts_what_is_there(tmp_path: Path) -> None:
    lame = b"LAME3.100" + bytes(12) + (576 << 12 | 1000).to_bytes(3, "big")
    layout = layout_of(tmp_path, table(b"Info", frames=9, lame=lame) + FRAME * 5)
    assert (layout.mpeg_frames, layout.delay, layout.padding, layout.stated) == (5, 576, 0, 9 * 1152 - 1576)


def test_a_table_of_another_encoder_counts_frames(tmp_path: Path) -> None:
    vbri = (FRAME[:36] + b"VBRI" + bytes(10) + (77).to_bytes(4, "big")).ljust(417, b"\0")
    layout = layout_of(tmp_path, vbri + FRAME * 5)
    assert (layout.mpeg_frames, layout.stated, layout.delay) == (5, 77 * 1152, None)


def test_tags_and_rubbish_are_passed_over(tmp_path: Path) -> None:
    front = b"ID3\x03\0\0\0\0\0\x0a" + bytes(10)
    with_tags = layout_of(tmp_path, front + FRAME * 3 + b"TAG" + bytes(125))
    assert (with_tags.mpeg_frames, with_tags.rubbish) == (3, False)
    assert with_tags.parts[1:] == ((20, 20 + 3 * 417),)
    between = layout_of(tmp_path, FRAME * 3 + b"\xff\xfbrubbish" + FRAME * 2)
    assert (between.mpeg_frames, between.rubbish) == (5, True)
    behind = layout_of(tmp_path, FRAME * 3 + b"rubbish")
    assert (behind.mpeg_frames, behind.rubbish) == (3, True)


def test_frames_of_another_rate_are_no_part_of_the_stream(tmp_path: Path) -> None:
    layout = layout_of(tmp_path, FRAME * 3 + b"\xff\xfb\x94\x00".ljust(384, b"\0") * 2 + FRAME * 2)
    assert (layout.mpeg_frames, layout.rate_hz, layout.rubbish) == (5, 44_100, True)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (FRAME[:300], "audio-header"),
        (bytes(70_000) + FRAME * 3, "audio-header"),
        (table(b"Info", frames=0), "audio-empty"),
        (table(b"Info") + FRAME[:100], "audio-empty"),
        ((FRAME * 2 + b"x") * 1002, "audio-damaged"),
        ((FRAME * 2 + b"\xff" * 60_000) * 20 + FRAME * 2, "audio-damaged"),
    ],
)
def test_what_holds_no_sound_is_refused(tmp_path: Path, content: bytes, code: str) -> None:
    with pytest.raises(AudioRefusedError) as refused:
        layout_of(tmp_path, content)
    assert refused.value.code == code
    assert "a.mp3" in str(refused.value)


def test_tags_that_claim_to_be_endless_end(tmp_path: Path) -> None:
    path = tmp_path / "a.mp3"
    path.write_bytes((b"ID3\x04\0\0" + bytes(4)) * 200)
    with RandomAccessFile(path) as file:
        assert sound_offset(file) == 640
    path.write_bytes(b"ID3\x04\0\0\x7f\x7f\x7f\x7f" + FRAME * 3)
    with RandomAccessFile(path) as file, pytest.raises(AudioRefusedError):
        mpeg_layout_of(file, CancelToken())


def test_counting_frames_can_be_cancelled(tmp_path: Path) -> None:
    path = tmp_path / "a.mp3"
    path.write_bytes(FRAME * 1000)
    token = CancelToken()
    token.cancel()
    with RandomAccessFile(path) as file, pytest.raises(CancelledError):
        mpeg_layout_of(file, token)
