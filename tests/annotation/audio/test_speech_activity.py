import tracemalloc
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]
import soxr  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from annotation.audio.cache import AudioCache
from annotation.audio.refusal import AudioRefusedError
from annotation.audio.silero import CHUNK_SAMPLES, SileroStream
from annotation.audio.speech_activity import (
    SpeechActivity,
    cached_speech_activity,
    speech_activities,
    speech_activity,
)
from annotation.audio.speech_spans import SpeechRule, speech_spans
from annotation.cancellation import CancelledError, CancelToken, no_progress
from annotation.conversation import Channel

SECONDS = 12
SPEECH: NDArray[np.float32] = soundfile.read(
    Path(str(files("resources") / "demo" / "street_party_ana.flac")), frames=16000 * SECONDS, dtype="float32"
)[0]


@pytest.fixture
def cache(tmp_path: Path) -> AudioCache:
    return AudioCache(tmp_path / "cache")


def channel_of(
    path: Path, samples: NDArray[np.float32] = SPEECH, *, rate_hz: int = 16000, start_frame: int = 0
) -> Channel:
    soundfile.write(path, samples, rate_hz, subtype="FLOAT")
    return Channel(path.stem, path, 0, rate_hz, len(samples), start_frame)


def found_in(channel: Channel, cache: AudioCache, timeline_rate_hz: int = 16000) -> SpeechActivity:
    return speech_activity(channel, timeline_rate_hz, cache, CancelToken(), no_progress)


def test_probabilities_are_those_of_the_streamed_model_with_silence_after_the_end(
    tmp_path: Path, cache: AudioCache
) -> None:
    activity = found_in(channel_of(tmp_path / "a.wav", SPEECH[:-100]), cache)
    stream = SileroStream()
    padded = SPEECH.copy()
    padded[-100:] = 0
    expected = [stream.probability(chunk) for chunk in padded.reshape(-1, CHUNK_SAMPLES)]
    assert np.allclose(activity.probabilities, expected, atol=1e-4)
    assert activity.probabilities.dtype == np.float32
    assert activity.model == "silero-6.2.3"


def test_spans_lie_where_the_channel_lies_on_the_timeline(tmp_path: Path, cache: AudioCache) -> None:
    channel = channel_of(tmp_path / "a.wav", start_frame=1000)
    activity = found_in(channel, cache, timeline_rate_hz=48000)
    spans = speech_spans(activity.probabilities, len(SPEECH))
    assert len(spans.onsets) > 1
    assert activity.onsets.tolist() == [1000 + 3 * onset for onset in spans.onsets.tolist()]
    assert activity.offsets.tolist() == [1000 + 3 * offset for offset in spans.offsets.tolist()]
    assert activity.chunk_edges()[:3].tolist() == [1000, 1000 + 1536, 1000 + 3072]
    assert len(activity.chunk_edges()) == len(activity.probabilities) + 1


@given(st.integers(1, 1_000_000), st.integers(1, 500))
def test_samples_become_frames_by_the_rule_of_the_clock(timeline_rate_hz: int, chunks: int) -> None:
    nothing = np.zeros(0, dtype=np.int64)
    activity = SpeechActivity("", np.zeros(chunks, dtype=np.float32), nothing, nothing, 7, timeline_rate_hz)
    assert int(activity.chunk_edges()[-1]) == 7 + round(Fraction(chunks * CHUNK_SAMPLES * timeline_rate_hz, 16000))


def test_speech_that_ends_with_the_channel_ends_at_its_last_frame(tmp_path: Path, cache: AudioCache) -> None:
    loud = np.flatnonzero(np.abs(SPEECH) > 0.05)[-1]
    channel = channel_of(tmp_path / "a.wav", soxr.resample(SPEECH[:loud], 16000, 44100), rate_hz=44100)
    activity = found_in(channel, cache, timeline_rate_hz=44100)
    assert int(activity.offsets[-1]) == channel.end_frame(44100)


def test_a_channel_at_another_rate_has_its_speech_in_the_same_places(tmp_path: Path, cache: AudioCache) -> None:
    reference = found_in(channel_of(tmp_path / "a.wav"), cache, 48000)
    resampled = found_in(
        channel_of(tmp_path / "b.wav", soxr.resample(SPEECH, 16000, 48000), rate_hz=48000), cache, 48000
    )
    assert len(reference.onsets) == len(resampled.onsets)
    assert np.abs(reference.onsets - resampled.onsets).max() <= CHUNK_SAMPLES * 3
    assert np.abs(reference.offsets - resampled.offsets).max() <= CHUNK_SAMPLES * 3


def test_a_second_time_comes_from_the_cache_and_is_the_same(tmp_path: Path, cache: AudioCache) -> None:
    channel = channel_of(tmp_path / "a.wav")
    assert cached_speech_activity(channel, 16000, cache) is None
    first = found_in(channel, cache)
    entries = sorted(path.stat().st_mtime_ns for path in cache.folder.iterdir())
    second = cached_speech_activity(channel, 16000, cache)
    assert second is not None
    assert np.array_equal(first.probabilities, second.probabilities)
    assert np.array_equal(first.onsets, second.onsets)
    assert np.array_equal(found_in(channel, cache).offsets, first.offsets)
    assert len(entries) == len(list(cache.folder.iterdir())) == 1


def test_another_channel_at_the_same_place_is_computed_anew(tmp_path: Path, cache: AudioCache) -> None:
    found_in(channel_of(tmp_path / "a.wav"), cache)
    silent = channel_of(tmp_path / "a.wav", np.zeros(16000 * SECONDS, dtype=np.float32))
    assert cached_speech_activity(silent, 16000, cache) is None
    assert len(found_in(silent, cache).onsets) == 0


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "cache").write_bytes(b"in the way")
    activity = found_in(channel_of(tmp_path / "a.wav"), AudioCache(tmp_path / "cache"))
    assert len(activity.onsets) > 1


def test_channels_of_different_lengths_together_are_as_each_alone(tmp_path: Path, cache: AudioCache) -> None:
    channels = [
        channel_of(tmp_path / "a.wav"),
        channel_of(tmp_path / "b.wav", SPEECH[: 16000 * 3 + 77]),
        channel_of(tmp_path / "d.wav", soxr.resample(SPEECH[16000 * 4 :], 16000, 8000), rate_hz=8000),
    ]
    together = speech_activities(channels, 16000, cache, CancelToken(), no_progress)
    for channel, outcome in zip(channels, together, strict=True):
        alone = found_in(channel, AudioCache(tmp_path / f"alone-{channel.speaker}"))
        assert isinstance(outcome, SpeechActivity)
        assert np.allclose(outcome.probabilities, alone.probabilities, atol=1e-5)
        assert np.array_equal(outcome.onsets, alone.onsets)
        assert np.array_equal(outcome.offsets, alone.offsets)


def test_a_missing_file_costs_its_channel_only(tmp_path: Path, cache: AudioCache) -> None:
    present = channel_of(tmp_path / "a.wav")
    absent = Channel("b", tmp_path / "b.wav", 0, 16000, 16000)
    refused, heard = speech_activities((absent, present), 16000, cache, CancelToken(), no_progress)
    assert isinstance(refused, AudioRefusedError)
    assert refused.code == "audio-missing"
    assert isinstance(heard, SpeechActivity)
    with pytest.raises(AudioRefusedError, match="no such file"):
        found_in(absent, cache)


def test_a_file_cut_while_it_is_read_costs_its_channel_only(tmp_path: Path, cache: AudioCache) -> None:
    long = np.tile(SPEECH, 3)
    cut, whole = channel_of(tmp_path / "a.wav", long), channel_of(tmp_path / "b.wav", long)

    def cut_at_once(share: float) -> None:
        with (tmp_path / "a.wav").open("r+b") as file:
            file.truncate(4096)

    refused, heard = speech_activities((cut, whole), 16000, cache, CancelToken(), cut_at_once)
    assert isinstance(refused, AudioRefusedError)
    assert isinstance(heard, SpeechActivity)
    assert len(list(cache.folder.iterdir())) == 1


def test_cancelling_stops_and_keeps_nothing(tmp_path: Path, cache: AudioCache) -> None:
    token = CancelToken()

    def stop(share: float) -> None:
        token.cancel()

    with pytest.raises(CancelledError):
        speech_activity(channel_of(tmp_path / "a.wav"), 16000, cache, token, stop)
    assert not cache.folder.exists()


def test_progress_grows_to_one(tmp_path: Path, cache: AudioCache) -> None:
    shares: list[float] = []
    speech_activity(channel_of(tmp_path / "a.wav"), 16000, cache, CancelToken(), shares.append)
    assert shares == sorted(shares)
    assert 0 < shares[0] < 1
    assert shares[-1] == 1


def test_samples_that_are_no_numbers_do_not_silence_the_rest_of_the_channel(tmp_path: Path, cache: AudioCache) -> None:
    broken = SPEECH.copy()
    broken[:40] = np.array([np.nan, np.inf, -np.inf, 1e38] * 10, dtype=np.float32)
    activity = found_in(channel_of(tmp_path / "a.wav", broken), cache)
    reference = found_in(channel_of(tmp_path / "b.wav"), cache)
    assert np.all(np.isfinite(activity.probabilities))
    assert activity.onsets[1:].tolist() == reference.onsets[1:].tolist()


def test_another_rule_makes_other_spans_of_the_same_probabilities(tmp_path: Path, cache: AudioCache) -> None:
    channel = channel_of(tmp_path / "a.wav")
    default = found_in(channel, cache)
    merged = cached_speech_activity(channel, 16000, cache, SpeechRule(least_silence_ms=5000))
    assert merged is not None
    assert 1 <= len(merged.onsets) < len(default.onsets)


def test_arrays_are_read_only_since_they_cross_threads(tmp_path: Path, cache: AudioCache) -> None:
    activity = found_in(channel_of(tmp_path / "a.wav"), cache)
    for array in (activity.probabilities, activity.onsets, activity.offsets):
        assert not array.flags.writeable


def peak_bytes(channel: Channel, cache: AudioCache) -> int:
    tracemalloc.start()
    try:
        found_in(channel, cache)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("rate_hz", [16000, 48000])
def test_memory_does_not_grow_with_the_length_of_the_channel(tmp_path: Path, rate_hz: int) -> None:
    sound = np.tile(SPEECH, 3 * rate_hz // 16000)
    short = channel_of(tmp_path / "a.wav", sound, rate_hz=rate_hz)
    long = channel_of(tmp_path / "b.wav", np.tile(sound, 3), rate_hz=rate_hz)
    found_in(channel_of(tmp_path / "warm.wav"), AudioCache(tmp_path / "warm"))
    cache = AudioCache(tmp_path / "cache")
    assert peak_bytes(long, cache) < 1.2 * peak_bytes(short, cache)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_spans_are_those_that_the_official_package_finds(tmp_path: Path, cache: AudioCache) -> None:
    silero_vad = pytest.importorskip("silero_vad", reason="the official package is an extra: silero")
    torch = pytest.importorskip("torch")
    samples = SPEECH[:-100]
    official = silero_vad.get_speech_timestamps(torch.from_numpy(samples.copy()), silero_vad.load_silero_vad())
    activity = found_in(channel_of(tmp_path / "a.wav", samples), cache)
    assert activity.onsets.tolist() == [span["start"] for span in official]
    assert activity.offsets.tolist() == [span["end"] for span in official]
