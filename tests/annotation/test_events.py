"""Floor events: what a span may be, and the order of events."""

from dataclasses import replace

import pytest

from annotation.errors import InvalidValueError
from annotation.events import NOBODY, FloorEvent, event_order, new_event_id


def test_an_event_has_the_length_from_onset_to_offset() -> None:
    assert FloorEvent("ana", "TURN", 100, 260).length == 160


def test_a_point_is_an_event_of_no_length() -> None:
    assert FloorEvent("ana", "TURN", 100, 100).length == 0


@pytest.mark.parametrize(("onset", "offset"), [(-1, 5), (6, 5), (-3, -2)])
def test_a_span_that_begins_before_zero_or_ends_before_it_begins_is_refused(onset: int, offset: int) -> None:
    with pytest.raises(InvalidValueError, match="is no span"):
        FloorEvent("ana", "TURN", onset, offset)


def test_an_event_without_a_speaker_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="needs a speaker"):
        FloorEvent("", "TURN", 0, 1)


def test_nobody_and_no_answer_are_two_things() -> None:
    event = FloorEvent("ana", "TURN", 0, 1, holder_before=NOBODY)
    assert event.holder_before == ""
    assert event.holder_after is None


def test_events_are_ordered_by_onset_then_offset_then_id() -> None:
    first = FloorEvent("ana", "TURN", 5, 9, id="b")
    events = [replace(first, onset=6), first, replace(first, offset=8), replace(first, id="a")]
    assert sorted(events, key=event_order) == [events[2], events[3], first, events[0]]


def test_ids_are_fresh() -> None:
    assert len({new_event_id() for _ in range(1000)}) == 1000


def test_half_a_character_is_refused_where_it_is_entered() -> None:
    with pytest.raises(InvalidValueError, match="half a character"):
        FloorEvent(speaker="a", kind="TURN", onset=0, offset=1, comment="\ud83d")
