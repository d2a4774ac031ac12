"""Frames and seconds: identities between them, and the laws of samples on a timeline."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.errors import InvalidValueError
from annotation.timebase import (
    LONGEST_SECONDS,
    frame_from_seconds,
    frames_from_tolerance,
    sample_at_timeline_frame,
    seconds_from_frame,
    text_from_frame,
    timeline_frame_of_sample,
)

RATES = st.sampled_from([8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000])
THREE_HOURS = st.integers(0, 96_000 * 3600 * 3)


def test_a_time_of_one_point_four_seconds_at_16_khz_is_frame_22400() -> None:
    assert frame_from_seconds("1.4", 16_000) == 22_400
    assert frame_from_seconds(1.4, 16_000) == 22_400
    assert frame_from_seconds(Decimal("1.4"), 16_000) == 22_400


@given(THREE_HOURS, RATES)
def test_a_frame_survives_the_way_through_seconds_as_a_double(frame: int, rate_hz: int) -> None:
    assert frame_from_seconds(seconds_from_frame(frame, rate_hz), rate_hz) == frame


@given(THREE_HOURS, RATES)
def test_a_frame_survives_the_way_through_six_decimals(frame: int, rate_hz: int) -> None:
    assert frame_from_seconds(text_from_frame(frame, rate_hz, digits=6), rate_hz) == frame


@given(st.decimals(0, 10_000, places=4), RATES)
def test_a_time_lands_within_half_a_frame(seconds: Decimal, rate_hz: int) -> None:
    frame = frame_from_seconds(seconds, rate_hz)
    assert abs(Fraction(seconds) * rate_hz - frame) <= Fraction(1, 2)


@pytest.mark.parametrize(("seconds", "frame"), [("0.5", 0), ("1.5", 2), ("2.5", 2), ("-0.5", 0)])
def test_a_time_between_two_frames_goes_to_the_even_one(seconds: str, frame: int) -> None:
    assert frame_from_seconds(seconds, 1) == frame


@pytest.mark.parametrize("seconds", ["nan", "inf", "-inf", "soon", "", float("nan"), float("inf"), Decimal("sNaN")])
def test_what_is_no_finite_number_is_no_time(seconds: str | float | Decimal) -> None:
    with pytest.raises(InvalidValueError, match="is not a time"):
        frame_from_seconds(seconds, 16_000)


@pytest.mark.parametrize("seconds", [LONGEST_SECONDS + 1, "-2592001", "1e400", Decimal("-1e999999999")])
def test_a_time_beyond_thirty_days_is_taken_for_a_wrong_unit(seconds: int | str | Decimal) -> None:
    with pytest.raises(InvalidValueError, match="thirty days"):
        frame_from_seconds(seconds, 16_000)


def test_a_vanishing_time_is_frame_zero_and_costs_no_memory() -> None:
    assert frame_from_seconds(Decimal("1e-999999999"), 96_000) == 0
    assert frame_from_seconds(Decimal("0e999999999"), 96_000) == 0


@given(st.integers(0, 10**8), RATES, RATES, st.integers(0, 10**9))
def test_a_sample_is_read_back_from_where_it_lies_on_a_faster_timeline(
    sample: int, one_hz: int, other_hz: int, start: int
) -> None:
    channel_hz, timeline_hz = sorted((one_hz, other_hz))
    frame = timeline_frame_of_sample(
        sample, channel_rate_hz=channel_hz, timeline_rate_hz=timeline_hz, start_frame=start
    )
    read = sample_at_timeline_frame(frame, channel_rate_hz=channel_hz, timeline_rate_hz=timeline_hz, start_frame=start)
    assert read in (sample - 1, sample)
    assert (frame - start) * channel_hz >= (sample - 1) * timeline_hz
    if timeline_hz % channel_hz == 0:
        assert read == sample


@given(st.integers(0, 10**9), RATES, st.integers(0, 10**9))
def test_at_one_rate_samples_and_frames_differ_by_the_start_only(sample: int, rate_hz: int, start: int) -> None:
    frame = timeline_frame_of_sample(sample, channel_rate_hz=rate_hz, timeline_rate_hz=rate_hz, start_frame=start)
    assert frame == start + sample
    assert (
        sample_at_timeline_frame(frame, channel_rate_hz=rate_hz, timeline_rate_hz=rate_hz, start_frame=start) == sample
    )


@given(st.integers(0, 10**8), st.integers(0, 10**8), RATES, RATES)
def test_later_samples_never_lie_earlier(one: int, other: int, channel_hz: int, timeline_hz: int) -> None:
    frames = [
        timeline_frame_of_sample(sample, channel_rate_hz=channel_hz, timeline_rate_hz=timeline_hz, start_frame=0)
        for sample in sorted((one, other))
    ]
    assert frames[0] <= frames[1]


@given(st.integers(-(10**9), 10**9), RATES, RATES)
def test_the_sample_read_is_the_last_that_has_begun(frame: int, channel_hz: int, timeline_hz: int) -> None:
    sample = sample_at_timeline_frame(frame, channel_rate_hz=channel_hz, timeline_rate_hz=timeline_hz, start_frame=0)
    assert Fraction(sample, channel_hz) <= Fraction(frame, timeline_hz) < Fraction(sample + 1, channel_hz)


def test_a_tolerance_covers_whole_frames_and_its_limit() -> None:
    assert frames_from_tolerance("0.5", 16_000) == 8_000
    assert frames_from_tolerance(0.2, 44_100) == 8_820
    assert frames_from_tolerance("0.0001", 8_000) == 0


@pytest.mark.parametrize(("frame", "text"), [(5, "0.000"), (15, "0.002"), (22_400, "2.240"), (25, "0.002")])
def test_a_frame_is_written_with_ties_to_even(frame: int, text: str) -> None:
    assert text_from_frame(frame, 10_000) == text
