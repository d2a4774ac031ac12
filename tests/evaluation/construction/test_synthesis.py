"""From an engine's samples to a clip: rate, pitch, level and trimming."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.construction.synthesis import (
    FULL_SCALE,
    SPEECH_LEVEL_DB,
    Speech,
    SynthesisError,
    active_rms,
    clip_from_speech,
    spoken_text,
)


def tone(seconds: float, hz: float, rate_hz: int, level: float = 0.3) -> np.ndarray:
    return level * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate_hz)) / rate_hz)


def test_silence_around_speech_is_trimmed_to_within_two_windows() -> None:
    rate_hz = 16_000
    samples = np.concatenate((np.zeros(4000), tone(1.0, 200, rate_hz), np.zeros(8000)))
    clip = clip_from_speech(Speech(samples, rate_hz), pitch=1.0, rate_hz=rate_hz)
    assert 16_000 <= len(clip) <= 16_000 + 4 * 80
    assert len(clip) % 80 == 0


@given(level=st.floats(0.001, 1.0), pitch=st.sampled_from([0.72, 1.0, 1.25]))
def test_the_level_of_a_clip_does_not_depend_on_the_level_of_the_engine(level: float, pitch: float) -> None:
    clip = clip_from_speech(Speech(tone(0.5, 300, 22_050, level), 22_050), pitch=pitch, rate_hz=16_000)
    assert 20 * np.log10(active_rms(clip / FULL_SCALE, 16_000)) == pytest.approx(SPEECH_LEVEL_DB, abs=0.05)


def test_pitch_shifts_the_frequency_and_a_stretched_engine_keeps_the_length() -> None:
    pitch = 0.8
    spoken = Speech(tone(1.0 * pitch, 500, 24_000), 24_000)
    clip = clip_from_speech(spoken, pitch=pitch, rate_hz=16_000) / FULL_SCALE
    peak = np.fft.rfftfreq(len(clip), 1 / 16_000)[np.abs(np.fft.rfft(clip)).argmax()]
    assert peak == pytest.approx(400, abs=2)
    assert len(clip) / 16_000 == pytest.approx(1.0, abs=0.02)


def test_a_long_silence_inside_speech_is_shortened_and_a_short_one_is_kept() -> None:
    words = [tone(0.5, 200, 16_000), np.zeros(16_000), tone(0.5, 200, 16_000), np.zeros(4_800), tone(0.5, 200, 16_000)]
    clip = clip_from_speech(Speech(np.concatenate(words), 16_000), pitch=1.0, rate_hz=16_000)
    assert len(clip) / 16_000 == pytest.approx(0.5 + 0.45 + 0.5 + 0.3 + 0.5, abs=0.02)


def test_a_clip_with_a_high_crest_is_set_lower_instead_of_being_clamped() -> None:
    samples = tone(0.5, 200, 16_000, 0.02)
    samples[4000] = 1.0
    clip = clip_from_speech(Speech(samples, 16_000), pitch=1.0, rate_hz=16_000)
    assert abs(int(np.abs(clip.astype(int)).max()) - 0.98 * FULL_SCALE) < 2
    assert np.count_nonzero(np.abs(clip.astype(int)) > 0.9 * FULL_SCALE) == 1


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        (np.zeros(16_000), "silence"),
        (np.zeros(0), "silence"),
        (np.array([0.1, np.nan] * 800), "no numbers"),
        (np.zeros(16_000 * 121), "more than 120 s"),
    ],
)
def test_what_is_no_speech_costs_its_clip_with_a_sentence(samples: np.ndarray, reason: str) -> None:
    with pytest.raises(SynthesisError, match=reason):
        clip_from_speech(Speech(samples, 16_000), pitch=1.0, rate_hz=16_000)


def test_a_text_becomes_one_line() -> None:
    assert spoken_text("  So,\n what\tnow?  ") == "So, what now?"


@pytest.mark.parametrize("text", ["", " \n", "a\x00b", "\x1b[2J", "x" * 2_001])
def test_a_text_that_no_engine_should_get_is_refused(text: str) -> None:
    with pytest.raises(SynthesisError, match="cannot be spoken"):
        spoken_text(text)
