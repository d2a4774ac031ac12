"""Conversations: channels of different rate, length and start on one timeline, and who has which sound."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.conversation import Channel, Conversation, SpeakerAssignment, assign_speakers
from annotation.errors import InvalidValueError


def channel(speaker: str, *, rate_hz: int = 16_000, frames: int = 16_000, start: int = 0, name: str = "") -> Channel:
    return Channel(speaker, Path(f"{speaker}.wav"), 0, rate_hz, frames, start, name)


def test_the_timeline_ends_with_the_longest_channel() -> None:
    conversation = Conversation(
        "one", 48_000, (channel("ana", rate_hz=48_000, frames=96_000), channel("ben", frames=48_000, start=24_000))
    )
    assert conversation.frames == 168_000
    assert conversation.duration == Fraction(7, 2)


def test_an_event_log_lasts_until_its_last_event() -> None:
    lane = Channel("ana", None, 0, 1_000_000, 0)
    assert Conversation("log", 1_000_000, (lane,), event_frames=5_250_000).duration == Fraction(21, 4)


@given(st.integers(0, 10**9), st.sampled_from([8_000, 16_000, 22_050, 44_100, 48_000]), st.integers(0, 10**6))
def test_no_sample_lies_after_the_end_of_its_channel(frames: int, rate_hz: int, start: int) -> None:
    end = channel("ana", rate_hz=rate_hz, frames=frames, start=start).end_frame(48_000)
    assert Fraction(frames, rate_hz) <= Fraction(end - start, 48_000) < Fraction(frames, rate_hz) + Fraction(1, 48_000)


def test_two_channels_of_one_speaker_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="“ana” has two channels"):
        Conversation("one", 16_000, (channel("ana"), channel("ana")))


@pytest.mark.parametrize("rate_hz", [0, -1, 1_000_001])
def test_a_rate_that_no_timeline_has_is_refused(rate_hz: int) -> None:
    with pytest.raises(InvalidValueError, match=f"{rate_hz} Hz"):
        channel("ana", rate_hz=rate_hz)
    with pytest.raises(InvalidValueError, match=f"{rate_hz} Hz"):
        Conversation("one", rate_hz, (channel("ana"),))


def test_a_channel_before_the_start_of_the_timeline_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="not negative"):
        channel("ana", start=-1)


def test_a_speaker_without_a_channel_is_not_found() -> None:
    with pytest.raises(KeyError):
        Conversation("one", 16_000, (channel("ana"),)).channel_of("ben")


def test_sound_dealt_to_another_speaker_leaves_the_speakers_as_they_are() -> None:
    imported = Conversation("one", 16_000, (channel("ana"), channel("ben")))
    dealt = assign_speakers(imported, (SpeakerAssignment("ana", "Anna", 1), SpeakerAssignment("ben", "", 0)))
    assert [(c.speaker, c.display_name, c.path) for c in dealt.channels] == [
        ("ana", "Anna", Path("ben.wav")),
        ("ben", "ben", Path("ana.wav")),
    ]


@pytest.mark.parametrize(
    "assignments",
    [
        (SpeakerAssignment("ana", "", 0),),
        (SpeakerAssignment("ana", "", 0), SpeakerAssignment("ben", "", 0)),
        (SpeakerAssignment("ana", "", 0), SpeakerAssignment("ana", "", 1)),
    ],
)
def test_a_mapping_that_leaves_a_speaker_or_a_channel_out_is_refused(
    assignments: tuple[SpeakerAssignment, ...],
) -> None:
    imported = Conversation("one", 16_000, (channel("ana"), channel("ben")))
    with pytest.raises(InvalidValueError, match="every speaker and every channel"):
        assign_speakers(imported, assignments)


def test_two_speakers_of_one_name_are_refused() -> None:
    imported = Conversation("one", 16_000, (channel("ana"), channel("ben")))
    with pytest.raises(InvalidValueError, match="same name"):
        assign_speakers(imported, (SpeakerAssignment("ana", "ben", 0), SpeakerAssignment("ben", "", 1)))
