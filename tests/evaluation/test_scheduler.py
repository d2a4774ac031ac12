from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.errors import InvalidValueError
from evaluation.episodes import EpisodeRule, SpeechTracker
from evaluation.protocols.duplex_mpe.schedule import Turn, TurnLabel, duplex_mpe_script
from evaluation.scheduler import Begun, Play, Scheduler, Script, Wait, in_order

RATE_HZ = 1000
FOREVER = 10**9


def played(
    script: Script, speech: Sequence[tuple[int, int]], *, frame: int = 20, longest: int = 200_000
) -> list[Begun]:
    """Return the clips that a script begins while an agent speaks in the given milliseconds."""
    scheduler = Scheduler(script)
    tracker = SpeechTracker(EpisodeRule.at(RATE_HZ))
    edges = sorted([(onset, 1) for onset, _ in speech] + [(offset, 0) for _, offset in speech])
    begun: list[Begun] = []
    for now in range(0, longest, frame):
        # Speech that begins at this very frame is in the frame that is not answered yet.
        while edges and (edges[0][0] < now or edges[0] == (now, 0)):
            moment, begins = edges.pop(0)
            (tracker.begin if begins else tracker.end)(moment)
        tracker.know(now)
        begun += scheduler.advance(now, now + frame, tracker.heard())
        if scheduler.ended is not None:
            return begun
    raise AssertionError("The script does not end.")


def after_a_request(speech: Sequence[tuple[int, int]], **options: int) -> int:
    """Return where the turn after a T that ends at 8.0 s begins, in ms."""
    turns = [
        Turn(TurnLabel.NOBODY, "first", 3_000),
        Turn(TurnLabel.REQUEST, "request", 4_500),
        Turn(TurnLabel.MENTION, "next", 1_000),
    ]
    clips = {each.clip: each.start for each in played(duplex_mpe_script(turns, RATE_HZ), speech, **options)}
    assert clips["request"] == 3_500
    return clips["next"]


@pytest.mark.parametrize(
    ("speech", "starts"),
    [
        ([], 13_000),
        ([(9_000, 10_000)], 12_000),
        ([(7_500, 8_300)], 10_300),
        ([(9_000, 10_000), (11_900, 12_500)], 14_500),
        ([(9_000, FOREVER)], 69_000),
        ([(7_500, FOREVER)], 68_000),
    ],
)
def test_the_wait_after_a_request_is_as_duplex_mpe_says(speech: list[tuple[int, int]], starts: int) -> None:
    assert after_a_request(speech) == starts


@pytest.mark.parametrize(
    ("speech", "starts", "why"),
    [
        ([(7_000, 7_900)], 13_000, "an offset before the end is silence"),
        ([(7_000, 8_000)], 13_000, "an offset at the end is silence"),
        ([(8_000, 9_000)], 11_000, "an onset at the end is fresh"),
        ([(7_000, 7_900), (8_300, 9_000)], 11_000, "a pause under 800 ms at the end counts as speaking as it resumes"),
        ([(7_900, FOREVER)], 68_000, "speaking already: at most 60 s from the end of T"),
        ([(7_000, 7_900), (8_750, FOREVER)], 68_750, "resumed after 850 ms: a fresh onset, at most 60 s from it"),
        ([(9_000, 9_119)], 13_000, "119 ms open no episode"),
        (
            [(9_000, 10_000), (11_950, 12_050)],
            12_060,
            "a short run at the end of the silence is waited out, then known",
        ),
        ([(9_000, 10_000), (12_500, 13_000)], 12_000, "what comes after the silence comes too late"),
        ([(12_990, 13_500)], 15_500, "begun by 5.0 s: waited out until it is confirmed"),
        ([(12_990, 13_050)], 13_060, "begun by 5.0 s and then nothing: the clip begins where that is known"),
        ([(9_000, 10_000), (10_700, 10_720)], 12_720, "a short segment after 700 ms extends the episode"),
    ],
)
def test_borders_of_the_wait(speech: list[tuple[int, int]], starts: int, why: str) -> None:
    assert after_a_request(speech) == starts, why


def test_ordinary_turns_are_half_a_second_apart_and_a_question_waits_three() -> None:
    turns = [
        Turn(TurnLabel.OTHER_ADDRESSEE, "a", 1_000),
        Turn(TurnLabel.REQUEST, "t", 1_000),
        Turn(TurnLabel.QUESTION, "q", 1_000),
        Turn(TurnLabel.RESOLUTION, "r", 1_000),
        Turn(TurnLabel.MENTION, "b", 700),
    ]
    script = duplex_mpe_script(turns, RATE_HZ, preamble=Play("duty", 31_900))
    silent = [(each.clip, each.start) for each in played(script, [])]
    assert silent == [("duty", 0), ("a", 32_400), ("t", 33_900), ("q", 39_900), ("r", 43_900), ("b", 45_400)]
    talks_on = [(each.clip, each.start) for each in played(script, [(41_500, 60_000)])]
    assert talks_on == silent, "N4R is played whether or not the agent still speaks"


@pytest.mark.parametrize(
    "labels",
    [["N1", "N2"], ["T", "N1"], ["N1", "T"], ["N1", "T", "N4Q", "N1"], ["N1", "T", "N4R"], ["N1", "T", "T", "N1"]],
)
def test_conversations_that_are_none_are_refused(labels: list[str]) -> None:
    turns = [Turn(TurnLabel(label), str(place), 100) for place, label in enumerate(labels)]
    with pytest.raises(InvalidValueError):
        duplex_mpe_script(turns, RATE_HZ)


def test_several_steps_can_end_within_one_frame_at_their_exact_frames() -> None:
    steps = (Play("a", 3), Wait(2), Play("b", 7), Play("c", 1))
    assert played(in_order(steps), [], frame=20) == [Begun("a", 0), Begun("b", 5), Begun("c", 12)]
    scheduler = Scheduler(in_order(steps))
    heard = SpeechTracker(EpisodeRule.at(RATE_HZ)).heard()
    scheduler.advance(0, 20, heard)
    assert scheduler.ended == 13
    assert [(each.start, each.end) for each in scheduler.finished] == [(0, 3), (3, 5), (5, 12), (12, 13)]
    assert scheduler.advance(20, 40, heard) == ()


@given(
    st.lists(st.tuples(st.integers(1, 4000), st.integers(1, 4000)), max_size=8),
    st.sampled_from([10, 20, 32, 60]),
)
def test_no_clip_begins_by_what_is_said_later(steps: list[tuple[int, int]], frame: int) -> None:
    speech, at = [], 0
    for gap, length in steps:
        speech.append((at + gap, at + gap + length))
        at += gap + length
    start = after_a_request(speech, frame=frame)
    assert 8_000 < start <= 8_000 + 65_000 + frame
    known = [(onset, min(offset, start)) for onset, offset in speech if onset < start]
    # The same agent that says something else from then on.
    other = [*known[:-1], (known[-1][0], known[-1][1] + 3_000)] if known and known[-1][1] == start else known
    assert after_a_request(other, frame=frame) == start
