import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.document import Document
from annotation.errors import InvalidValueError
from annotation.events import FloorEvent, event_order
from widgets.labelling import gestures
from widgets.marking.edge import Edge

RATE = 1000
FRAMES = 10_000


def opened(*events: FloorEvent) -> Document:
    document = Document(subject="conversation:c", person="p")
    with document.edit("Mark") as edit:
        for event in events:
            edit.add(event)
    return document


def turn(onset: int, offset: int, speaker: str = "a") -> FloorEvent:
    return FloorEvent(speaker=speaker, kind="TURN", onset=onset, offset=offset, comment="c")


def test_marking_inside_another_event_leaves_the_other_as_it_was() -> None:
    outer = turn(100, 900)
    document = opened(outer)
    gestures.mark(document, turn(300, 400), kind_name="Turn", frames=FRAMES)
    assert document.get(outer.id) == outer


def test_a_mark_of_no_length_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="Nothing was marked"):
        gestures.mark(opened(), turn(5, 5), kind_name="Turn", frames=FRAMES)


def test_a_mark_past_the_end_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="past the end"):
        gestures.mark(opened(), turn(5, FRAMES + 1), kind_name="Turn", frames=FRAMES)


def test_a_moved_offset_is_named_with_both_times() -> None:
    event = turn(0, 12_340 // 2)
    document = opened(event)
    gestures.set_edges(document, event, 0, 6_500, kind_name="Turn", rate_hz=RATE, frames=FRAMES)
    assert document.undo_label == "Offset of turn 6.170 → 6.500"


@pytest.mark.parametrize(("onset", "offset"), [(500, 500), (600, 500)])
def test_edges_that_meet_or_cross_are_refused(onset: int, offset: int) -> None:
    event = turn(0, 100)
    document = opened(event)
    with pytest.raises(InvalidValueError, match="reach the offset"):
        gestures.set_edges(document, event, onset, offset, kind_name="Turn", rate_hz=RATE, frames=FRAMES)
    assert document.get(event.id) == event


def test_an_onset_before_the_recording_is_refused() -> None:
    event = turn(5, 100)
    document = opened(event)
    with pytest.raises(InvalidValueError, match="before the recording"):
        gestures.nudge(document, event, Edge.ONSET, -10, kind_name="Turn", rate_hz=RATE, frames=FRAMES)


@given(st.integers(1, 98))
def test_split_then_merge_is_the_event_as_it_was(frame: int) -> None:
    event = turn(0, 99)
    document = opened(event)
    first, second = gestures.split(document, event, frame, kind_name="Turn")
    assert (first.offset, second.onset) == (frame, frame)
    assert gestures.merge(document, first, second, kind_name="Turn") == event


def test_a_split_outside_the_event_is_refused() -> None:
    event = turn(10, 20)
    with pytest.raises(InvalidValueError, match="not inside"):
        gestures.split(opened(event), event, 20, kind_name="Turn")


def test_events_of_two_speakers_are_not_merged() -> None:
    one, two = turn(0, 5), turn(6, 9, "b")
    with pytest.raises(InvalidValueError, match="two speakers"):
        gestures.merge(opened(one, two), one, two, kind_name="Turn")


def test_merging_keeps_both_comments() -> None:
    one = FloorEvent(speaker="a", kind="TURN", onset=0, offset=5, comment="first")
    two = FloorEvent(speaker="a", kind="TURN", onset=6, offset=9, comment="second")
    assert gestures.merge(opened(one, two), one, two, kind_name="Turn").comment == "first · second"


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 9)), min_size=1, max_size=12))
def test_stepping_forward_visits_every_event_in_order(spans: list[tuple[int, int]]) -> None:
    document = opened(*(turn(onset, onset + length) for onset, length in spans))
    visited = []
    current = gestures.step(document, None, 0, forward=True)
    while current is not None:
        visited.append(current)
        current = gestures.step(document, current, current.onset, forward=True)
    assert visited == sorted(document, key=event_order)
