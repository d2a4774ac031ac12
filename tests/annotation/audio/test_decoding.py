import os
import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.audio.decoding import AudioInfo, AudioRefusedError, open_channel, probe_audio

INTEGERS = np.random.default_rng(5).integers(-32768, 32768, size=(3000, 2)).astype(np.int16)
EXACT = INTEGERS.astype(np.float32) / np.float32(32768)


def written(path: Path, subtype: str = "PCM_16", rate_hz: int = 16000) -> Path:
    soundfile.write(path, INTEGERS if subtype == "PCM_16" else EXACT, rate_hz, subtype=subtype)
    return path


def wav_header(rate_hz: int, channels: int) -> bytes:
    block = (channels * 2) & 0xFFFF
    fmt = struct.pack("<HHIIHH", 1, channels, rate_hz, 0, block, 16)
    data = bytes(block)
    return b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0" + fmt + b"data" + struct.pack("<I", len(data)) + data


def flac_header(*, rate_hz: int = 16000, frames: int = 1000, block: int = 4096, least_frame: int = 0) -> bytes:
    packed = rate_hz << 44 | 0 << 41 | 15 << 36 | frames
    info = struct.pack(">HH", block, block) + least_frame.to_bytes(3, "big") + bytes(3) + packed.to_bytes(8, "big")
    return b"fLaC\x80\0\0\x22" + info + bytes(16)


@pytest.mark.parametrize("name", ["a.wav", "a.flac"])
def test_16_bit_samples_come_out_exactly(tmp_path: Path, name: str) -> None:
    reader = open_channel(written(tmp_path / name), 1)
    assert reader.frames == 3000
    samples = reader.read(0, 3000)
    assert samples.dtype == np.float32
    assert np.array_equal(samples, EXACT[:, 1])
    reader.close()


@pytest.mark.parametrize(
    ("name", "subtype"),
    [("a.wav", "PCM_24"), ("a.flac", "PCM_24"), ("a.wav", "FLOAT"), ("a.wav", "DOUBLE"), ("a.wav", "PCM_32")],
)
def test_samples_that_float32_holds_come_out_exactly(tmp_path: Path, name: str, subtype: str) -> None:
    reader = open_channel(written(tmp_path / name, subtype), 0)
    assert np.array_equal(reader.read(100, 500), EXACT[100:600, 0])
    reader.close()


@pytest.mark.parametrize(("name", "exact"), [("a.wav", True), ("a.flac", False)])
def test_a_file_says_what_it_holds(tmp_path: Path, name: str, exact: bool) -> None:
    path = written(tmp_path / name)
    assert probe_audio(path) == AudioInfo(path, 16000, 2, 3000, name[2:].upper(), "PCM_16", exact)


def test_the_first_bytes_decide_and_not_the_name(tmp_path: Path) -> None:
    path = written(tmp_path / "a.wav").rename(tmp_path / "a.flac")
    assert probe_audio(path).format == "WAV"


@pytest.mark.parametrize("name", ["a.wav", "a.flac"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ranges=st.lists(st.tuples(st.integers(-5000, 8000), st.integers(0, 4000)), max_size=4))
def test_any_range_in_any_order_is_the_sound_with_silence_around(
    tmp_path: Path, name: str, ranges: list[tuple[int, int]]
) -> None:
    path = tmp_path / name
    if not path.exists():
        written(path)
    padded = np.concatenate([np.zeros(5000), EXACT[:, 0], np.zeros(12000)]).astype(np.float32)
    reader = open_channel(path, 0)
    for first, count in ranges:
        assert np.array_equal(reader.read(first, count), padded[first + 5000 : first + 5000 + count])
    reader.close()


@pytest.mark.parametrize("index", [-1, 2])
def test_a_channel_that_is_not_there_is_refused(tmp_path: Path, index: int) -> None:
    with pytest.raises(AudioRefusedError, match="the file has 2"):
        open_channel(written(tmp_path / "a.wav"), index)


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (b"", "audio-empty", "0 bytes"),
        (b"R", "audio-format", "WAV, AIFF, FLAC, MP3, Ogg Vorbis and Opus are read"),
        (b"RIFF", "audio-header", "stump of 4 bytes"),
        (b"fLaC", "audio-header", "stump of 4 bytes"),
        (b"OggS" + bytes(100), "audio-header", "Its first page is no beginning"),
        (b"OggS" + bytes(10), "audio-header", "stump of 14 bytes"),
        (b"\xff\xfb\x90\x00" + bytes(100), "audio-header", "no MP3"),
        (b"ID3\x04\0\0\0\0\0\x02\0\0fLaC" + bytes(100), "audio-format", "a FLAC file behind an ID3 tag"),
        (b"ID3\x04\0\0\0\0\0\x02\0\0" + bytes(100), "audio-header", "no MP3"),
        (bytes(4) + b"ftypM4A " + bytes(100), "audio-format", "M4A"),
        (b"\xff\xf1" + bytes(100), "audio-format", "an AAC file"),
        (b"\xff\xfd\x90\x00" + bytes(100), "audio-format", "an MPEG layer II file"),
        (b"\x30\x26\xb2\x75" + bytes(100), "audio-format", "a WMA file"),
        (b"FORM\0\0\0\x04AIFF", "audio-header", "no chunk that says how to read"),
        (b"speaker,onset\n", "audio-format", "no sound file"),
        (wav_header(4_000_000_000, 1), "audio-rate", "4,000,000,000 Hz"),
        (wav_header(3, 1), "audio-rate", "3 Hz"),
        (wav_header(16000, 30000), "audio-channels", "30,000 channels"),
        (flac_header(rate_hz=1), "audio-rate", "1 Hz"),
        (flac_header(frames=0), "audio-empty", "nothing came out of the decoder"),
        (flac_header(block=3), "audio-header", "blocks of 3"),
        (flac_header(frames=2**36 - 1, least_frame=11), "audio-truncated", "breaks off"),
        (flac_header(frames=2**36 - 1), "audio-truncated", "breaks off"),
        (flac_header()[:4] + b"\x00" + flac_header()[5:] + b"\x84\xff\xff\xff", "audio-header", "beyond the end"),
    ],
)
def test_what_cannot_be_read_is_refused_with_name_and_reason(
    tmp_path: Path, content: bytes, code: str, words: str
) -> None:
    path = tmp_path / "odd file.wav"
    path.write_bytes(content)
    with pytest.raises(AudioRefusedError) as refused:
        probe_audio(path)
    assert refused.value.code == code
    assert "odd file.wav" in str(refused.value)
    assert words in str(refused.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AudioRefusedError, match="no such file"):
        probe_audio(tmp_path / "gone.wav")


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.wav")
    with pytest.raises(AudioRefusedError, match="no ordinary file"):
        probe_audio(tmp_path / "pipe.wav")


@pytest.mark.parametrize("share", [0.02, 0.5, 0.99])
def test_a_flac_that_breaks_off_is_refused(tmp_path: Path, share: float) -> None:
    path = tmp_path / "a.flac"
    noise = np.random.default_rng(2).integers(-9000, 9000, size=200_000).astype(np.int16)
    soundfile.write(path, noise, 16000)
    os.truncate(path, int(path.stat().st_size * share))
    with pytest.raises(AudioRefusedError) as refused:
        probe_audio(path)
    assert refused.value.code == "audio-truncated"


@pytest.mark.parametrize("name", ["a.wav", "a.flac"])
def test_a_file_that_shrinks_while_open_is_refused_and_not_garbage(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    noise = np.random.default_rng(2).integers(-9000, 9000, size=300_000).astype(np.int16)
    soundfile.write(path, noise, 16000)
    reader = open_channel(path, 0)
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(AudioRefusedError, match=name):
        reader.read(200_000, 90_000)
    reader.close()
