import struct
from pathlib import Path

import pytest

from annotation.audio.random_access import RandomAccessFile
from annotation.audio.refusal import AudioRefusedError
from annotation.audio.sample_layout import SampleEncoding, SampleLayout
from annotation.audio.wav import wav_layout_of

PCM_GUID = bytes.fromhex("0100000000001000800000aa00389b71")


def fmt(tag: int = 1, channels: int = 1, rate: int = 16000, bits: int = 16, block: int | None = None) -> bytes:
    block = channels * -(-bits // 8) if block is None else block
    return struct.pack("<HHIIHH", tag, channels, rate, rate * block % 2**32, block, bits)


def chunk(name: bytes, content: bytes, stated: int | None = None) -> bytes:
    size = len(content) if stated is None else stated
    return name + struct.pack("<I", size) + content + b"\0" * (len(content) % 2)


def riff(*chunks: bytes, magic: bytes = b"RIFF") -> bytes:
    body = b"WAVE" + b"".join(chunks)
    return magic + struct.pack("<I", len(body) & 0xFFFFFFFF) + body


def layout_of(tmp_path: Path, content: bytes) -> SampleLayout:
    path = tmp_path / "sound.wav"
    path.write_bytes(content)
    with RandomAccessFile(path) as file:
        return wav_layout_of(file)


def refusal_of(tmp_path: Path, content: bytes) -> AudioRefusedError:
    with pytest.raises(AudioRefusedError) as refused:
        layout_of(tmp_path, content)
    assert "sound.wav" in str(refused.value)
    return refused.value


def test_a_plain_file_says_where_its_samples_lie(tmp_path: Path) -> None:
    layout = layout_of(tmp_path, riff(chunk(b"fmt ", fmt(channels=2)), chunk(b"data", bytes(40))))
    assert (layout.data_offset, layout.frames, layout.frame_bytes) == (44, 10, 4)
    assert layout.encoding is SampleEncoding.PCM_16
    assert layout.notices == ()


def test_chunks_of_odd_length_are_padded(tmp_path: Path) -> None:
    content = riff(chunk(b"LIST", b"abc"), chunk(b"fmt ", fmt()), chunk(b"data", bytes(8)))
    assert layout_of(tmp_path, content).data_offset == 56


def test_the_extensible_form_is_read(tmp_path: Path) -> None:
    extended = fmt(0xFFFE) + struct.pack("<HHI", 22, 16, 4) + PCM_GUID
    assert layout_of(tmp_path, riff(chunk(b"fmt ", extended), chunk(b"data", bytes(8)))).frames == 4


def test_sizes_of_64_bits_are_read(tmp_path: Path) -> None:
    sizes = struct.pack("<QQQI", 100, 8, 4, 0)
    content = riff(
        chunk(b"ds64", sizes), chunk(b"fmt ", fmt()), chunk(b"data", bytes(12), stated=0xFFFFFFFF), magic=b"RF64"
    )
    assert layout_of(tmp_path, content).frames == 4


def test_fewer_bytes_than_the_header_says_are_read_with_a_notice(tmp_path: Path) -> None:
    layout = layout_of(tmp_path, riff(chunk(b"fmt ", fmt()), chunk(b"data", bytes(20), stated=2000)))
    assert layout.frames == 10
    assert [notice.code for notice in layout.notices] == ["audio-shorter-than-header"]
    assert "1,000" in layout.notices[0].message


def test_a_length_left_open_by_a_pipe_is_taken_from_the_bytes_with_a_notice(tmp_path: Path) -> None:
    layout = layout_of(tmp_path, riff(chunk(b"fmt ", fmt()), chunk(b"data", bytes(20), stated=0xFFFFFFFF)))
    assert layout.frames == 10
    assert "unknown length" in layout.notices[0].message


def test_bytes_after_the_stated_samples_are_no_sound(tmp_path: Path) -> None:
    layout = layout_of(tmp_path, riff(chunk(b"fmt ", fmt()), chunk(b"data", bytes(20)), chunk(b"LIST", bytes(30))))
    assert layout.frames == 10


def test_a_cut_last_frame_is_left_out_with_a_notice(tmp_path: Path) -> None:
    layout = layout_of(tmp_path, riff(chunk(b"fmt ", fmt(channels=2)), chunk(b"data", bytes(42))))
    assert layout.frames == 10
    assert [notice.code for notice in layout.notices] == ["audio-partial-frame"]


def test_24_bits_kept_in_32_are_refused(tmp_path: Path) -> None:
    refusal = refusal_of(tmp_path, riff(chunk(b"fmt ", fmt(bits=24, block=4)), chunk(b"data", bytes(40))))
    assert refusal.code == "audio-header"
    assert "24 bits kept in 32" in str(refusal)


def test_24_bits_kept_in_32_in_the_extensible_form_are_refused(tmp_path: Path) -> None:
    extended = fmt(0xFFFE, bits=32) + struct.pack("<HHI", 22, 24, 4) + PCM_GUID
    refusal = refusal_of(tmp_path, riff(chunk(b"fmt ", extended), chunk(b"data", bytes(8))))
    assert "24 bits kept in 32" in str(refusal)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (riff(chunk(b"fmt ", fmt())), "audio-header"),
        (riff(chunk(b"data", bytes(8)), chunk(b"fmt ", fmt())), "audio-header"),
        (riff(chunk(b"fmt ", fmt()[:10])), "audio-header"),
        (riff(chunk(b"fmt ", fmt()))[:15], "audio-header"),
        (riff(chunk(b"fmt ", fmt(0xFFFE) + bytes(4)), chunk(b"data", bytes(8))), "audio-header"),
        (riff(chunk(b"fmt ", fmt(0xFFFE) + bytes(24)), chunk(b"data", bytes(8))), "audio-encoding"),
        (riff(chunk(b"ds64", bytes(8)), chunk(b"fmt ", fmt()), chunk(b"data", bytes(8))), "audio-header"),
        (riff(chunk(b"fmt ", fmt(tag=2, bits=4)), chunk(b"data", bytes(8))), "audio-encoding"),
        (riff(chunk(b"fmt ", fmt(channels=0)), chunk(b"data", bytes(8))), "audio-channels"),
        (riff(chunk(b"fmt ", fmt()), chunk(b"data", b"")), "audio-empty"),
        (riff(chunk(b"fmt ", fmt()), chunk(b"data", bytes(100), stated=0)), "audio-empty"),
        (riff(chunk(b"fmt ", fmt(), stated=0xFFFFFFF0)), "audio-header"),
        (riff(*[chunk(b"junk", b"")] * 5000, chunk(b"fmt ", fmt()), chunk(b"data", bytes(8))), "audio-header"),
    ],
    ids=[
        "header only",
        "samples before their format",
        "short format chunk",
        "stump",
        "short extensible",
        "unknown identifier",
        "short size table",
        "adpcm",
        "no channels",
        "no samples",
        "unfinished recording",
        "format beyond the end",
        "thousands of chunks",
    ],
)
def test_broken_headers_are_refused_with_a_code(tmp_path: Path, content: bytes, code: str) -> None:
    assert refusal_of(tmp_path, content).code == code
