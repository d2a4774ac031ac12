import math
import os
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from annotation.audio.cache import AudioCache
from annotation.audio.decoding import open_channel
from annotation.audio.refusal import AudioRefusedError
from annotation.audio.signal import is_prepared, open_signal, prepare_signal, resampled_blocks
from annotation.cancellation import CancelledError, CancelToken, no_progress
from annotation.conversation import Channel
from annotation.timebase import sample_at_timeline_frame

NOISE = np.random.default_rng(3).integers(-30000, 30000, size=4000).astype(np.int16)
EXACT = NOISE.astype(np.float32) / np.float32(32768)


@pytest.fixture
def cache(tmp_path: Path) -> AudioCache:
    return AudioCache(tmp_path / "cache")


def channel_of(
    path: Path, samples: NDArray[np.int16] = NOISE, *, rate_hz: int = 16000, start_frame: int = 0
) -> Channel:
    if not path.exists():
        soundfile.write(path, samples, rate_hz, subtype="PCM_16")
    return Channel("a", path, 0, rate_hz, len(samples), start_frame)


def test_a_channel_at_the_timeline_rate_is_heard_bit_for_bit(tmp_path: Path, cache: AudioCache) -> None:
    signal = open_signal(channel_of(tmp_path / "a.wav", start_frame=300), 16000, cache)
    expected = np.concatenate([np.zeros(300), EXACT, np.zeros(200)]).astype(np.float32)
    assert np.array_equal(signal.read(0, 4500), expected)
    signal.close()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rates=st.sampled_from([(8000, 48000), (16000, 44100), (44100, 48000), (48000, 16000), (11025, 1_000_000)]),
    start_frame=st.integers(0, 5000),
    first=st.integers(-3000, 30000),
    count=st.integers(0, 300),
)
def test_an_unprepared_frame_reads_the_sample_it_falls_into(
    tmp_path: Path, cache: AudioCache, rates: tuple[int, int], start_frame: int, first: int, count: int
) -> None:
    rate_hz, timeline_rate_hz = rates
    channel = channel_of(tmp_path / f"{rate_hz}.wav", rate_hz=rate_hz, start_frame=start_frame)
    signal = open_signal(channel, timeline_rate_hz, cache)
    heard = signal.read(first, count)
    signal.close()
    for place, value in enumerate(heard):
        sample = sample_at_timeline_frame(
            first + place, channel_rate_hz=rate_hz, timeline_rate_hz=timeline_rate_hz, start_frame=start_frame
        )
        assert value == (EXACT[sample] if 0 <= sample < len(EXACT) else 0)
    assert len(heard) == count


@pytest.mark.parametrize(
    ("rate_hz", "timeline_rate_hz"), [(8000, 48000), (16000, 48000), (44100, 48000), (8000, 44100), (48000, 44100)]
)
@pytest.mark.parametrize("sample", [0, 1, 4999, 300_000, 600_000 - 1])
def test_a_prepared_impulse_peaks_at_the_frame_of_its_sample(
    tmp_path: Path, cache: AudioCache, rate_hz: int, timeline_rate_hz: int, sample: int
) -> None:
    samples = np.zeros(600_000, dtype=np.int16)
    samples[sample] = 20000
    channel = channel_of(tmp_path / "a.wav", samples, rate_hz=rate_hz, start_frame=77)
    assert prepare_signal(channel, timeline_rate_hz, cache, CancelToken(), no_progress)
    assert is_prepared(channel, timeline_rate_hz, cache)
    signal = open_signal(channel, timeline_rate_hz, cache)
    end = channel.end_frame(timeline_rate_hz)
    heard = signal.read(77, end - 77)
    signal.close()
    assert int(np.argmax(np.abs(heard))) == round(sample * timeline_rate_hz / rate_hz)


def test_a_prepared_channel_has_silence_around_it(tmp_path: Path, cache: AudioCache) -> None:
    channel = channel_of(tmp_path / "a.wav", start_frame=50)
    prepare_signal(channel, 48000, cache, CancelToken(), no_progress)
    signal = open_signal(channel, 48000, cache)
    heard = signal.read(0, 13000)
    signal.close()
    assert len(heard) == 13000
    assert not heard[:50].any()
    assert not heard[50 + 12000 :].any()
    assert np.abs(heard[50:12050]).max() > 0.5


def test_a_tone_keeps_its_level_when_prepared(tmp_path: Path, cache: AudioCache) -> None:
    times = np.arange(16000) / 16000
    tone = np.round(16384 * np.sin(2 * math.pi * 440 * times)).astype(np.int16)
    channel = channel_of(tmp_path / "a.wav", tone)
    prepare_signal(channel, 48000, cache, CancelToken(), no_progress)
    signal = open_signal(channel, 48000, cache)
    expected = 0.5 * np.sin(2 * math.pi * 440 * np.arange(20000) / 48000)
    assert np.abs(signal.read(0, 20000) - expected)[1000:].max() < 1e-4
    signal.close()


def test_a_cancelled_preparation_keeps_nothing(tmp_path: Path, cache: AudioCache) -> None:
    channel = channel_of(tmp_path / "a.wav")
    token = CancelToken()
    token.cancel()
    with pytest.raises(CancelledError):
        prepare_signal(channel, 48000, cache, token, no_progress)
    assert not is_prepared(channel, 48000, cache)


def test_without_a_cache_folder_the_channel_is_still_heard(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    cache = AudioCache(tmp_path / "file" / "cache")
    channel = channel_of(tmp_path / "a.wav")
    assert not prepare_signal(channel, 32000, cache, CancelToken(), no_progress)
    signal = open_signal(channel, 32000, cache)
    assert np.array_equal(signal.read(0, 8000), np.repeat(EXACT, 2))
    signal.close()


def test_a_prepared_entry_that_was_cut_is_not_used(tmp_path: Path, cache: AudioCache) -> None:
    channel = channel_of(tmp_path / "a.wav")
    prepare_signal(channel, 48000, cache, CancelToken(), no_progress)
    (entry,) = cache.folder.iterdir()
    os.truncate(entry, 5000)
    assert not is_prepared(channel, 48000, cache)


def test_a_file_that_is_shorter_than_imported_is_refused(tmp_path: Path, cache: AudioCache) -> None:
    channel = channel_of(tmp_path / "a.wav")
    os.truncate(channel.path or tmp_path, 2000)
    with pytest.raises(AudioRefusedError, match="has changed"):
        open_signal(channel, 16000, cache)


def test_a_file_at_another_rate_than_imported_is_refused(tmp_path: Path, cache: AudioCache) -> None:
    channel = channel_of(tmp_path / "a.wav")
    soundfile.write(tmp_path / "a.wav", NOISE, 8000)
    with pytest.raises(AudioRefusedError, match="at 8,000 Hz"):
        open_signal(channel, 16000, cache)


def test_a_file_that_vanished_is_refused_though_it_was_prepared(tmp_path: Path, cache: AudioCache) -> None:
    channel = channel_of(tmp_path / "a.wav")
    prepare_signal(channel, 48000, cache, CancelToken(), no_progress)
    (tmp_path / "a.wav").unlink()
    with pytest.raises(AudioRefusedError, match="no such file"):
        open_signal(channel, 48000, cache)


def test_what_was_added_to_a_file_after_import_is_not_heard(tmp_path: Path, cache: AudioCache) -> None:
    channel = channel_of(tmp_path / "a.wav")
    soundfile.write(tmp_path / "a.wav", np.concatenate([NOISE, NOISE]), 16000)
    signal = open_signal(channel, 16000, cache)
    assert np.array_equal(signal.read(3990, 20), np.concatenate([EXACT[3990:], np.zeros(10, dtype=np.float32)]))
    assert not signal.read(5000, 20).any()
    signal.close()


def test_a_speaker_without_sound_is_refused(cache: AudioCache) -> None:
    with pytest.raises(AudioRefusedError, match="events and no sound"):
        open_signal(Channel("Ada", None, 0, 16000, 0), 16000, cache)


def test_no_block_grows_however_far_the_rates_lie_apart(tmp_path: Path) -> None:
    path = tmp_path / "slow.wav"
    soundfile.write(path, np.ones(3000, dtype=np.int16), 1000)
    channel = Channel("ana", path, 0, 1000, 3000)
    reader = open_channel(path, 0)
    lengths = [len(block) for block in resampled_blocks(reader, channel, 768_000)]
    reader.close()
    assert sum(lengths) == 3000 * 768
    assert max(lengths) < 3 * (1 << 18)
