import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.errors import InvalidValueError
from evaluation.episodes import Episode, EpisodeRule, SpeechTracker, merged_episodes

RULE = EpisodeRule.at(1000)


@pytest.mark.parametrize(
    ("segments", "episodes"),
    [
        ([], []),
        ([(0, 119)], []),
        ([(0, 120)], [(0, 120)]),
        ([(0, 120), (919, 920)], [(0, 920)]),
        ([(0, 120), (920, 921)], [(0, 120)]),
        ([(0, 120), (920, 1040)], [(0, 120), (920, 1040)]),
        ([(0, 50), (100, 150), (200, 320)], [(200, 320)]),
        ([(0, 120), (500, 510), (1300, 1400)], [(0, 1400)]),
    ],
)
def test_segments_merge_by_the_two_durations(segments: list[tuple[int, int]], episodes: list[tuple[int, int]]) -> None:
    assert list(merged_episodes(segments, RULE)) == episodes


def test_durations_hold_at_any_rate() -> None:
    assert EpisodeRule.at(16_000) == EpisodeRule(1920, 12_800)
    assert EpisodeRule.at(22_050) == EpisodeRule(2646, 17_640)
    assert EpisodeRule.at(11_025) == EpisodeRule(1323, 8820)
    with pytest.raises(InvalidValueError):
        EpisodeRule.at(0)


def test_segments_out_of_order_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="5–5"):
        merged_episodes([(5, 5)], RULE)
    with pytest.raises(InvalidValueError, match="not after"):
        merged_episodes([(0, 200), (100, 300)], RULE)


def test_speaking_is_strictly_between_onset_and_offset() -> None:
    episode = Episode(10, 20)
    assert [frame for frame in range(8, 23) if episode.holds(frame)] == list(range(11, 20))
    assert Episode(10, None).holds(10_000)


_segments = st.lists(st.tuples(st.integers(1, 1500), st.integers(1, 600)), max_size=12)


@given(_segments, st.integers(1, 70))
def test_what_is_known_while_it_happens_becomes_what_is_known_afterwards(
    steps: list[tuple[int, int]], frame: int
) -> None:
    segments, at = [], 0
    for gap, length in steps:
        segments.append((at + gap, at + gap + length))
        at += gap + length
    tracker = SpeechTracker(RULE)
    edges = sorted([(onset, 1) for onset, _ in segments] + [(offset, 0) for _, offset in segments])
    confirmed: set[int] = set()
    for now in range(0, at + frame, frame):
        while edges and edges[0][0] <= now:
            moment, begins = edges.pop(0)
            (tracker.begin if begins else tracker.end)(moment)
        tracker.know(now)
        heard = tracker.heard()
        assert confirmed <= {episode.onset for episode in heard.episodes}, "an episode once known stays"
        confirmed |= {episode.onset for episode in heard.episodes}
        assert all(episode.offset is not None for episode in heard.episodes[:-1])
    tracker.finish(at + frame)
    assert tracker.spans == merged_episodes(segments, RULE)
    assert {onset for onset, _ in tracker.spans} == confirmed
    assert tracker.segments == tuple(segments)


def test_a_stream_that_ends_in_speech_ends_the_speech() -> None:
    tracker = SpeechTracker(RULE)
    tracker.begin(100)
    tracker.know(150)
    assert tracker.heard().pending == 100
    assert not tracker.heard().speaking_at(120)
    tracker.know(220)
    assert tracker.heard().speaking_at(120)
    tracker.finish(400)
    assert tracker.spans == ((100, 400),)
