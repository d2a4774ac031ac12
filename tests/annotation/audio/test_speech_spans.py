import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.audio.silero import CHUNK_SAMPLES
from annotation.audio.speech_spans import SpeechRule, speech_spans
from annotation.errors import InvalidValueError


def spans(probabilities: list[float], samples: int | None = None, rule: SpeechRule | None = None) -> list[list[int]]:
    found = speech_spans(np.array(probabilities, dtype=np.float32), samples or len(probabilities) * CHUNK_SAMPLES, rule)
    return [[int(onset), int(offset)] for onset, offset in zip(found.onsets, found.offsets, strict=True)]


def test_a_span_runs_from_its_first_loud_chunk_to_its_first_quiet_one_with_30_ms_on_both_sides() -> None:
    # Chunks 10 to 19 are speech: samples 5120 to 10240, and 480 samples are 30 ms.
    assert spans([0.1] * 10 + [0.9] * 10 + [0.1] * 10) == [[5120 - 480, 10240 + 480]]


def test_a_probability_of_exactly_the_threshold_begins_speech() -> None:
    assert spans([0.0] * 5 + [0.5] * 10 + [0.0] * 10) == [[2560 - 480, 7680 + 480]]


def test_between_the_thresholds_speech_goes_on_but_does_not_begin() -> None:
    assert spans([0.4] * 20) == []
    assert spans([0.9] * 5 + [0.4] * 20 + [0.1] * 10) == [[0, 25 * 512 + 480]]


def test_silence_under_100_ms_does_not_end_a_span() -> None:
    # Three quiet chunks and the loud one after them: 1,536 samples, under 1,600.
    assert spans([0.9] * 10 + [0.1] * 3 + [0.9] * 10) == [[0, 23 * 512]]


def test_silence_of_100_ms_ends_a_span_where_it_began() -> None:
    # The fifth quiet chunk lies 2,048 samples after the first.
    assert spans([0.9] * 10 + [0.1] * 5 + [0.9] * 10) == [[0, 5120 + 480], [7680 - 480, 25 * 512]]


def test_spans_of_250_ms_or_less_are_dropped() -> None:
    # Seven chunks are 224 ms, eight are 256 ms.
    assert spans([0.1] * 10 + [0.9] * 7 + [0.1] * 10) == []
    assert spans([0.1] * 10 + [0.9] * 8 + [0.1] * 10) == [[5120 - 480, 5120 + 8 * 512 + 480]]


def test_speech_up_to_the_end_ends_with_the_channel() -> None:
    assert spans([0.9] * 10, samples=10 * 512 - 100) == [[0, 10 * 512 - 100]]


def test_spans_that_would_meet_share_the_silence_between_them() -> None:
    rule = SpeechRule(pad_ms=100)
    # Silence from sample 5,120 to 7,680: 2,560, less than twice 1,600.
    assert spans([0.9] * 10 + [0.1] * 5 + [0.9] * 10, rule=rule) == [[0, 6400], [6400, 25 * 512]]


def test_no_chunks_are_no_speech() -> None:
    assert spans([]) == []


@pytest.mark.parametrize(
    "values",
    [
        {"threshold": 0.3},
        {"negative_threshold": 0.0},
        {"threshold": 1.5},
        {"least_speech_ms": -1},
        {"pad_ms": -1},
        {"least_silence_ms": -5},
    ],
)
def test_a_rule_that_cannot_hold_is_refused(values: dict[str, float]) -> None:
    with pytest.raises(InvalidValueError):
        SpeechRule(**values)  # type: ignore[arg-type]


PROBABILITIES = st.lists(st.sampled_from([0.0, 0.2, 0.34, 0.35, 0.4, 0.5, 0.51, 1.0]), max_size=120)


@settings(max_examples=200)
@given(PROBABILITIES, st.integers(0, 511), st.integers(0, 300))
def test_spans_lie_in_the_channel_in_order_and_apart(probabilities: list[float], missing: int, pad_ms: int) -> None:
    samples = max(0, len(probabilities) * CHUNK_SAMPLES - missing)
    found = speech_spans(np.array(probabilities, dtype=np.float32), samples, SpeechRule(pad_ms=pad_ms))
    assert np.all(found.onsets < found.offsets)
    assert np.all(found.offsets[:-1] <= found.onsets[1:])
    assert np.all(found.onsets >= 0)
    assert np.all(found.offsets <= samples)


@settings(max_examples=200)
@given(PROBABILITIES, st.integers(0, 511))
def test_spans_are_those_of_the_official_package(probabilities: list[float], missing: int) -> None:
    utils_vad = pytest.importorskip("silero_vad.utils_vad", reason="the official package is an extra: silero")
    samples = max(0, len(probabilities) * CHUNK_SAMPLES - missing)
    as_float32 = np.array(probabilities, dtype=np.float32)
    official = utils_vad.get_speech_timestamps_from_probs(as_float32.tolist(), audio_length_samples=samples)
    expected = [[span["start"], span["end"]] for span in official]
    found = speech_spans(as_float32, samples)
    assert list(map(list, zip(found.onsets.tolist(), found.offsets.tolist(), strict=True))) == expected
