from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.errors import InvalidValueError
from annotation.study.clip import Clip, draw_clip

RATE_HZ = 1000


@st.composite
def events(draw: st.DrawFn) -> tuple[int, int, int]:
    frames = draw(st.integers(1, 120 * RATE_HZ))
    onset = draw(st.integers(0, frames))
    return onset, draw(st.integers(onset, frames)), frames


def drawn(event: tuple[int, int, int], seed: int) -> Clip:
    onset, offset, frames = event
    return draw_clip(onset, offset, frames=frames, rate_hz=RATE_HZ, context_s=10, chance=Random(seed))


@given(events(), st.integers())
def test_the_cue_covers_the_event_and_the_clip_the_cue(event: tuple[int, int, int], seed: int) -> None:
    onset, offset, frames = event
    clip = drawn(event, seed)
    assert 0 <= clip.onset <= clip.cue_onset <= onset <= offset <= clip.cue_offset <= clip.offset <= frames


@given(events(), st.integers())
def test_each_cue_edge_lies_outward_by_what_is_said_or_at_the_end_of_the_recording(
    event: tuple[int, int, int], seed: int
) -> None:
    onset, offset, frames = event
    clip = drawn(event, seed)
    assert 200 <= onset - clip.cue_onset <= 1000 or clip.cue_onset == 0
    assert 200 <= clip.cue_offset - offset <= 1000 or clip.cue_offset == frames


@given(st.integers())
def test_a_clip_inside_a_long_recording_has_ten_to_eleven_seconds_on_each_side(seed: int) -> None:
    clip = drawn((60_000, 61_000, 120_000), seed)
    assert 10_000 <= clip.cue_onset - clip.onset <= 11_000
    assert 10_000 <= clip.offset - clip.cue_offset <= 11_000


def test_clips_of_a_short_recording_still_differ_in_both_edges() -> None:
    clips = [drawn((6_000, 7_000, 14_000), seed) for seed in range(50)]
    assert len({clip.onset for clip in clips}) > 40
    assert len({clip.offset for clip in clips}) > 40


def test_the_edges_of_a_cue_do_not_give_away_the_middle_of_the_event() -> None:
    clips = [drawn((60_000, 61_000, 120_000), seed) for seed in range(200)]
    margins = [(60_000 - clip.cue_onset, clip.cue_offset - 61_000) for clip in clips]
    assert len(set(margins)) > 190
    assert sum(before > after for before, after in margins) in range(70, 131)


def test_a_length_that_is_taken_is_not_drawn_again() -> None:
    taken: set[int] = set()
    for seed in range(300):
        clip = draw_clip(
            60_000,
            61_000,
            frames=120_000,
            rate_hz=RATE_HZ,
            context_s=10,
            chance=Random(seed),
            lengths_taken=taken,
        )
        assert clip.frames not in taken
        taken.add(clip.frames)


def test_a_recording_too_short_for_another_length_is_said() -> None:
    with pytest.raises(InvalidValueError, match="length of its own"):
        draw_clip(0, 10, frames=10, rate_hz=RATE_HZ, context_s=10, chance=Random(1), lengths_taken=range(11))


def test_an_event_outside_its_conversation_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="not inside"):
        drawn((5, 11, 10), 1)
