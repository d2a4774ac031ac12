import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]

from annotation.audio.decoding import AudioRefusedError, float_samples, open_frames, probe_audio

NOISE = np.random.default_rng(3).integers(-32768, 32768, size=(2000, 3)).astype(np.int16)


def extended(rate: int) -> bytes:
    """Return a rate as an 80-bit floating-point number."""
    exponent = rate.bit_length() - 1
    return struct.pack(">HQ", exponent + 16383, rate << (63 - exponent))


def chunk(name: bytes, content: bytes) -> bytes:
    return name + struct.pack(">I", len(content)) + content + b"\0" * (len(content) % 2)


def aiff(
    *,
    frames: int = 4,
    channels: int = 1,
    bits: int = 16,
    rate: bytes | None = None,
    offset: int = 0,
    data: bytes = b"\x01\x02\xff\xfe\x00\x10\x7f\xff",
    compression: bytes = b"",
) -> bytes:
    common = struct.pack(">HIH", channels, frames, bits) + (rate or extended(16_000))
    if compression:
        common += compression + b"\0\0"
    sound = chunk(b"SSND", struct.pack(">II", offset, 0) + data)
    body = (b"AIFC" if compression else b"AIFF") + chunk(b"COMM", common) + sound
    return b"FORM" + struct.pack(">I", len(body)) + body


def written(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "odd.aif"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("subtype", ["PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE"])
def test_samples_come_out_exactly(tmp_path: Path, subtype: str) -> None:
    path = tmp_path / "a.aif"
    soundfile.write(path, NOISE, 48_000, subtype=subtype, format="AIFF")
    info = probe_audio(path)
    assert (info.format, info.subtype, info.rate_hz, info.channels, info.frames, info.exact) == (
        *("AIFF", subtype, 48_000, 3, 2000, True),
    )
    reader = open_frames(path)
    expected, _ = soundfile.read(path, dtype="float32", always_2d=True)
    assert np.array_equal(float_samples(reader.read(500, 700)), expected[500:1200])
    assert np.array_equal(float_samples(reader.read_stripes([3, 900], 50)[1]), expected[900:950])
    reader.close()


def test_samples_are_big_endian_unless_it_says_sowt(tmp_path: Path) -> None:
    for content, values in (
        (aiff(), [0x0102, -2, 16, 32767]),
        (aiff(compression=b"NONE"), [0x0102, -2, 16, 32767]),
        (aiff(compression=b"sowt"), [0x0201, -257, 4096, -129]),
    ):
        reader = open_frames(written(tmp_path, content))
        assert reader.read(0, 4)[:, 0].tolist() == values
        reader.close()


def test_fewer_samples_than_the_header_says_are_read_and_said(tmp_path: Path) -> None:
    info = probe_audio(written(tmp_path, aiff(frames=100)))
    assert info.frames == 4
    assert [notice.code for notice in info.notices] == ["audio-shorter-than-header"]
    assert "100 frames; 4 frames are there" in info.notices[0].message


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (b"FORM\0\0\0\0AIFF", "audio-header", "no chunk that says how"),
        (aiff()[:-16], "audio-header", "the samples is cut"),
        (aiff()[:38], "audio-header", "no samples"),
        (aiff(channels=0), "audio-channels", "0 channels"),
        (aiff(channels=30_000, data=bytes(60_000)), "audio-channels", "30,000 channels"),
        (aiff(rate=bytes(10)), "audio-rate", "no whole number"),
        (aiff(rate=b"\x7f\xff" + b"\xff" * 8), "audio-rate", "no whole number"),
        (aiff(rate=extended(3)), "audio-rate", "3 Hz"),
        (aiff(bits=40), "audio-encoding", "40 bits"),
        (aiff(compression=b"ima4"), "audio-encoding", "ima4"),
        (aiff(offset=4), "audio-header", "4 bytes late"),
        (aiff(frames=0), "audio-empty", "no sample"),
        (aiff(data=b""), "audio-empty", "no sample"),
    ],
)
def test_what_cannot_be_read_right_is_refused(tmp_path: Path, content: bytes, code: str, words: str) -> None:
    with pytest.raises(AudioRefusedError) as refused:
        probe_audio(written(tmp_path, content))
    assert refused.value.code == code
    assert words in str(refused.value)
    assert "odd.aif" in str(refused.value)
