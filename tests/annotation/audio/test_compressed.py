"""Compressed sound has the length that comes out of the decoder, at its place; what differs is said."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]
from numpy.typing import NDArray

from annotation.audio.decoding import AudioInfo, AudioRefusedError, float_samples, open_frames

Decoder = Callable[..., NDArray[np.float32]]
Encoder = Callable[..., Path]

RATE_HZ = 16_000
SECONDS = 12
CODECS = {"a.mp3": ("MP3", "MPEG_LAYER_III"), "a.ogg": ("OGG", "VORBIS"), "a.opus": ("OGG", "OPUS")}


def sound(seconds: float = SECONDS) -> NDArray[np.float32]:
    """Return two channels of tones that wander, with some noise, so that any shift shows."""
    time = np.arange(round(seconds * RATE_HZ))
    tones = np.stack([np.sin(time * (0.02 + time * 1e-7)), np.sin(time * 0.031)], axis=1) * 0.3
    noise = np.random.default_rng(4).normal(size=tones.shape) * 0.05
    return (tones + noise).astype(np.float32)


def encoded(path: Path, samples: NDArray[np.float32] | None = None) -> Path:
    """Write a compressed file in blocks of a second."""
    container, subtype = CODECS[f"a{path.suffix}"]
    samples = sound() if samples is None else samples
    with soundfile.SoundFile(path, "w", RATE_HZ, 2, format=container, subtype=subtype) as file:
        for first in range(0, len(samples), RATE_HZ):
            file.write(samples[first : first + RATE_HZ])
    return path


def read_whole(path: Path) -> tuple[AudioInfo, NDArray[np.float32]]:
    reader = open_frames(path)
    samples = float_samples(reader.read(0, reader.info.frames))
    reader.close()
    return reader.info, samples


def codes(info: AudioInfo) -> list[str]:
    return [notice.code for notice in info.notices]


def pages(content: bytes) -> list[bytes]:
    """Return an Ogg file as its pages."""
    places = [place for place in range(len(content)) if content.startswith(b"OggS", place)]
    return [content[first:last] for first, last in zip(places, [*places[1:], len(content)], strict=True)]


@pytest.mark.parametrize("name", CODECS)
def test_a_lossy_file_is_as_long_as_what_was_encoded_and_at_its_place(tmp_path: Path, name: str) -> None:
    info, samples = read_whole(encoded(tmp_path / name))
    step = 3 if name == "a.opus" else 1
    assert (info.rate_hz, info.frames, info.exact) == (RATE_HZ * step, SECONDS * RATE_HZ * step, True)
    assert codes(info) == []
    meant, heard = sound()[:, 1], samples[::step, 1]
    fits = [float(np.dot(meant[100:-100], heard[100 + lag : len(heard) - 100 + lag])) for lag in range(-50, 51)]
    assert int(np.argmax(fits)) == 50


@pytest.mark.parametrize("name", CODECS)
@pytest.mark.parametrize("share", [0.3, 0.66, 0.97])
def test_a_file_that_breaks_off_is_read_as_far_as_it_is_whole(
    tmp_path: Path, ffmpeg_decoded: Decoder, name: str, share: float
) -> None:
    path = encoded(tmp_path / name)
    _, whole = read_whole(path)
    os.truncate(path, int(path.stat().st_size * share))
    info, samples = read_whole(path)
    assert "audio-cut" in codes(info)
    assert 0 < len(samples) < len(whole)
    # The last piece of a lossy stream leans on the next one, which is not there.
    assert np.array_equal(samples[: -4 * 1152], whole[: len(samples) - 4 * 1152])
    theirs = ffmpeg_decoded(path, 2, *(("-c:a", "libopus") if name == "a.opus" else ()))
    assert abs(len(theirs) - len(samples)) <= 1152


@pytest.mark.parametrize("name", ["a.ogg", "a.opus"])
def test_recordings_one_after_another_are_one_sound(tmp_path: Path, name: str) -> None:
    first, second = encoded(tmp_path / name), encoded(tmp_path / f"b{name[1:]}", sound(2.5)[::-1])
    parts = [read_whole(first)[1], read_whole(second)[1]]
    chained = tmp_path / f"c{name[1:]}"
    chained.write_bytes(first.read_bytes() + second.read_bytes())
    info, samples = read_whole(chained)
    assert codes(info) == ["audio-chained"]
    assert np.array_equal(samples, np.concatenate(parts))


def test_recordings_that_differ_in_codec_are_refused(tmp_path: Path) -> None:
    mixed = tmp_path / "mixed.ogg"
    mixed.write_bytes(encoded(tmp_path / "a.ogg").read_bytes() + encoded(tmp_path / "a.opus").read_bytes())
    with pytest.raises(AudioRefusedError, match=r"mixed\.ogg: The file holds 2 recordings .* differ"):
        open_frames(mixed)


def test_streams_side_by_side_are_refused(tmp_path: Path) -> None:
    one, other = pages(encoded(tmp_path / "a.ogg").read_bytes()), pages(encoded(tmp_path / "a.opus").read_bytes())
    both = tmp_path / "both.ogg"
    both.write_bytes(b"".join((one[0], other[0], *one[1:], *other[1:])))
    with pytest.raises(AudioRefusedError, match="side by side"):
        open_frames(both)


@pytest.mark.parametrize("name", ["a.ogg", "a.opus"])
def test_missing_pages_are_said(tmp_path: Path, name: str) -> None:
    path = encoded(tmp_path / name)
    parts = pages(path.read_bytes())
    path.write_bytes(b"".join(parts[: len(parts) // 2] + parts[len(parts) // 2 + 1 :]))
    info, _ = read_whole(path)
    assert "audio-interrupted" in codes(info)


def test_an_mp3_is_what_ffmpeg_decodes_whatever_encoded_it(
    tmp_path: Path, ffmpeg_decoded: Decoder, ffmpeg_written: Encoder
) -> None:
    soundfile.write(tmp_path / "a.wav", sound(), RATE_HZ)
    for name, *options in (
        ("constant.mp3", "-c:a", "libmp3lame", "-b:a", "64k"),
        ("variable.mp3", "-c:a", "libmp3lame", "-q:a", "4"),
        ("high.mp3", "-c:a", "libmp3lame", "-ar", "44100"),
        ("low.mp3", "-c:a", "libmp3lame", "-ar", "8000"),
        ("mono.mp3", "-c:a", "libmp3lame", "-ac", "1"),
    ):
        path = ffmpeg_written(tmp_path / "a.wav", tmp_path / name, *options)
        info, samples = read_whole(path)
        theirs = ffmpeg_decoded(path, info.channels)
        assert codes(info) == []
        assert samples.shape == theirs.shape
        assert np.allclose(samples, theirs, rtol=0, atol=1e-5)
        assert info.frames == SECONDS * info.rate_hz


def test_a_variable_bit_rate_without_a_table_is_read_to_its_end(
    tmp_path: Path, ffmpeg_decoded: Decoder, ffmpeg_written: Encoder
) -> None:
    quiet_then_loud = sound() * np.linspace(0, 1, SECONDS * RATE_HZ, dtype=np.float32)[:, np.newaxis] ** 8
    soundfile.write(tmp_path / "a.wav", quiet_then_loud, RATE_HZ)
    path = ffmpeg_written(tmp_path / "a.wav", tmp_path / "a.mp3", "-q:a", "4", "-write_xing", "0")
    info, samples = read_whole(path)
    assert codes(info) == ["length-differs-from-header", "encoder-delay-unknown"]
    assert samples.shape == ffmpeg_decoded(path, 2).shape
    assert info.frames >= SECONDS * RATE_HZ


def test_a_table_that_counts_other_frames_is_said_and_not_believed(tmp_path: Path) -> None:
    path = encoded(tmp_path / "a.mp3")
    _, whole = read_whole(path)
    content = bytearray(path.read_bytes())
    table = max(content.find(b"Info"), content.find(b"Xing"))
    content[table + 8 : table + 12] = (7).to_bytes(4, "big")
    path.write_bytes(content)
    info, samples = read_whole(path)
    assert "length-differs-from-header" in codes(info)
    # What the encoder put behind is left out only where the table is right.
    assert np.array_equal(samples[: len(whole)], whole)
    assert 0 <= len(samples) - len(whole) < 4 * 1152


def test_tags_are_no_sound(tmp_path: Path) -> None:
    path = encoded(tmp_path / "a.mp3")
    _, whole = read_whole(path)
    front = b"ID3\x04\0\0\0\0\x02\x00" + bytes(256)
    path.write_bytes(front + path.read_bytes() + b"TAG" + bytes(125))
    info, samples = read_whole(path)
    assert codes(info) == []
    assert np.array_equal(samples, whole)


def test_rubbish_between_frames_is_passed_over_and_said(tmp_path: Path) -> None:
    path = encoded(tmp_path / "a.mp3")
    _, whole = read_whole(path)
    content = path.read_bytes()
    path.write_bytes(content[:20_000] + bytes(3000) + content[20_000:])
    info, samples = read_whole(path)
    assert "audio-interrupted" in codes(info)
    assert abs(len(samples) - len(whole)) <= 4 * 576


def test_the_same_talk_as_wav_and_mp3_lies_at_one_place(tmp_path: Path) -> None:
    click = np.zeros((RATE_HZ * 3, 2), dtype=np.float32)
    click[20_000] = 0.9
    _, samples = read_whole(encoded(tmp_path / "a.mp3", click))
    assert int(np.argmax(np.abs(samples[:, 0]))) == 20_000


@pytest.mark.parametrize("bits", ["s16", "s32"])
def test_a_flac_that_does_not_say_its_length_is_decoded(tmp_path: Path, bits: str) -> None:
    subtype = "PCM_16" if bits == "s16" else "PCM_24"
    path = tmp_path / "a.flac"
    soundfile.write(path, sound(), RATE_HZ, subtype=subtype)
    _, expected = read_whole(path)
    content = bytearray(path.read_bytes())
    content[21] &= 0xF0
    content[22:26] = bytes(4)
    path.write_bytes(content)
    info, samples = read_whole(path)
    assert (info.format, info.subtype, info.exact, info.notices) == ("FLAC", subtype, True, ())
    assert np.array_equal(samples, expected)


@pytest.mark.parametrize("frames", [1, 4096, 100_000, SECONDS * RATE_HZ - 1])
def test_a_flac_that_goes_on_after_its_stated_end_is_read_to_its_end(tmp_path: Path, frames: int) -> None:
    path = tmp_path / "a.flac"
    soundfile.write(path, sound(), RATE_HZ)
    _, expected = read_whole(path)
    content = bytearray(path.read_bytes())
    content[22:26] = frames.to_bytes(4, "big")
    path.write_bytes(content)
    info, samples = read_whole(path)
    assert codes(info) == ["length-differs-from-header"]
    assert f"{frames:,} frames; {SECONDS * RATE_HZ:,} were decoded" in info.notices[0].message
    assert np.array_equal(samples, expected)


def test_sound_beyond_full_scale_is_not_clamped(tmp_path: Path) -> None:
    loud = np.clip(sound() * 40, -1, 1)
    _, samples = read_whole(encoded(tmp_path / "a.ogg", loud))
    assert np.abs(samples).max() > 1.0
