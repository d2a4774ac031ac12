import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widgets.timeline.drag import Drag, Pull
from widgets.timeline.layout import Part
from widgets.timeline.values import Span, Speech

SPAN = Span("one", 400, 600, "", "T", "#000000", editable=True)
SPEECH = Speech(np.array([300, 500, 900]), np.array([420, 700, 1_000]), "speech model", "Speech", "A model's estimate")


def pressed(part: Part) -> Drag:
    return Drag.on_span(SPAN, part, x=100, frame=500, lane_id="anna")


@given(st.floats(-3, 3), st.sampled_from(Part))
def test_a_press_that_trembles_is_no_drag(by: float, part: Part) -> None:
    assert not pressed(part).moved(100 + by, 900, frames=1_000).begun


def test_a_drag_counts_from_the_press() -> None:
    drag = pressed(Part.OFFSET).moved(150, 550, frames=1_000)
    assert (drag.onset, drag.offset) == (400, 650)


def test_a_drag_back_to_the_press_edits_nothing() -> None:
    assert not pressed(Part.BODY).moved(150, 550, frames=1_000).moved(100, 500, frames=1_000).edits


@given(st.integers(-5_000, 5_000), st.sampled_from(Part))
def test_an_event_stays_inside_the_recording_and_keeps_a_frame(frame: int, part: Part) -> None:
    drag = pressed(part).moved(500, frame, frames=1_000)
    assert 0 <= drag.onset < drag.offset <= 1_000


@given(st.integers(-5_000, 5_000))
def test_the_body_keeps_its_length(frame: int) -> None:
    drag = pressed(Part.BODY).moved(500, frame, frames=1_000)
    assert drag.offset - drag.onset == 200


@given(st.integers(-5_000, 5_000))
def test_an_edge_never_moves_the_other(frame: int) -> None:
    assert pressed(Part.ONSET).moved(500, frame, frames=1_000).offset == 600
    assert pressed(Part.OFFSET).moved(500, frame, frames=1_000).onset == 400


@given(st.integers(0, 1_000), st.integers(-5_000, 5_000))
def test_a_range_is_in_order_and_inside_and_edits_nothing(first: int, frame: int) -> None:
    drag = Drag.on_range(x=0, frame=first, lane_id=None, span=SPAN).moved(50, frame, frames=1_000)
    assert 0 <= drag.onset <= drag.offset <= 1_000
    assert not drag.edits


def test_an_event_past_the_end_is_not_pulled_inside_by_a_small_drag() -> None:
    beyond = Span("two", 900, 1_500, "", "T", "#000000", editable=True)
    moved = Drag.on_span(beyond, Part.BODY, x=0, frame=950, lane_id="anna").moved(50, 949, frames=1_000)
    assert (moved.onset, moved.offset) == (899, 1499)


@pytest.mark.parametrize(
    ("part", "frame", "onset", "offset", "aid"),
    [
        (Part.OFFSET, 592, 400, 700, "speech model"),
        (Part.OFFSET, 590, 400, 700, "speech model"),
        (Part.OFFSET, 589, 400, 689, ""),
        (Part.ONSET, 405, 300, 600, "speech model"),
        (Part.ONSET, 509, 409, 600, ""),
        (Part.BODY, 592, 492, 692, ""),
    ],
)
def test_an_edge_within_reach_is_drawn_to_a_boundary_of_its_own_side(
    part: Part, frame: int, onset: int, offset: int, aid: str
) -> None:
    drag = pressed(part).moved(500, frame, frames=1_000, pull=Pull(SPEECH, 10))
    assert (drag.onset, drag.offset, drag.snapped_to) == (onset, offset, aid)


def test_an_edge_drawn_to_a_boundary_is_let_go_when_the_pointer_moves_on() -> None:
    held = pressed(Part.OFFSET).moved(500, 592, frames=1_000, pull=Pull(SPEECH, 10))
    assert held.moved(520, 640, frames=1_000, pull=Pull(SPEECH, 10)).snapped_to == ""
    assert held.moved(500, 592, frames=1_000).offset == 692


@given(st.integers(-2_000, 3_000), st.sampled_from(Part), st.integers(0, 800))
def test_a_boundary_never_turns_an_event_inside_out_or_takes_it_out_of_the_recording(
    frame: int, part: Part, tolerance: int
) -> None:
    drag = pressed(part).moved(500, frame, frames=950, pull=Pull(SPEECH, tolerance))
    assert 0 <= drag.onset < drag.offset <= 950
    if drag.snapped_to:
        edges = SPEECH.onsets if part is Part.ONSET else SPEECH.offsets
        assert (drag.onset if part is Part.ONSET else drag.offset) in edges.tolist()


def test_a_stretch_that_is_drawn_is_left_where_it_is() -> None:
    drag = Drag.on_range(x=0, frame=500, lane_id="anna").moved(50, 698, frames=1_000, pull=Pull(SPEECH, 10))
    assert (drag.offset, drag.snapped_to) == (698, "")
