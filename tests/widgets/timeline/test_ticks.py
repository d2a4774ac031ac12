from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from widgets.timeline.ticks import clock_text, frame_text, ruler_ticks


def test_labels_are_whole_seconds_where_the_step_is() -> None:
    labels = [tick.label for tick in ruler_ticks(0, 30_001, rate_hz=1_000, spacing=8_000) if tick.label]
    assert labels == ["0:00:00", "0:00:10", "0:00:20", "0:00:30"]


def test_labels_show_milliseconds_below_a_second() -> None:
    labels = [tick.label for tick in ruler_ticks(3_600_000, 3_600_300, rate_hz=1_000, spacing=90) if tick.label]
    assert labels == ["1:00:00.000", "1:00:00.100", "1:00:00.200"]


def test_labels_show_microseconds_below_a_millisecond() -> None:
    labels = [tick.label for tick in ruler_ticks(0, 25, rate_hz=48_000, spacing=12) if tick.label]
    assert labels == ["0:00:00.000000", "0:00:00.000500"]


def test_no_tick_stands_before_the_recording() -> None:
    assert min(tick.frame for tick in ruler_ticks(-5_000, 5_000, rate_hz=1_000, spacing=900)) == 0


@given(
    first=st.integers(-(10**6), 10**9),
    length=st.integers(1, 10**8),
    rate_hz=st.sampled_from([8_000, 44_100, 48_000, 1_000_000]),
)
def test_ticks_are_in_order_inside_the_range_and_labels_far_enough_apart(first: int, length: int, rate_hz: int) -> None:
    spacing = length / 10
    ticks = ruler_ticks(first, first + length, rate_hz=rate_hz, spacing=spacing)
    frames = [tick.frame for tick in ticks]
    assert frames == sorted(frames)
    assert all(first <= frame < first + length for frame in frames)
    labelled = [tick.frame for tick in ticks if tick.label]
    assert all(b - a >= spacing - 1 for a, b in pairwise(labelled))
    assert len(labelled) <= 11


@given(st.integers(0, 10**5), st.sampled_from([8_000, 11_025, 44_100]))
def test_ticks_lie_at_the_frame_nearest_to_their_time(seconds: int, rate_hz: int) -> None:
    first = seconds * rate_hz
    tick = next(t for t in ruler_ticks(first, first + rate_hz, rate_hz=rate_hz, spacing=rate_hz) if t.label)
    assert (tick.frame, tick.label) == (first, clock_text(seconds * 1_000_000, 0))


def test_a_time_has_hours_minutes_seconds_and_milliseconds() -> None:
    assert frame_text(48_000 * 3_723 + 24, 48_000) == "1:02:03.000"
    assert frame_text(48_000 * 3_723 + 480, 48_000) == "1:02:03.010"


def test_a_time_before_the_recording_has_a_sign() -> None:
    assert frame_text(-500, 1_000) == "−0:00:00.500"
