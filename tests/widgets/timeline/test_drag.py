from hypothesis import given
from hypothesis import strategies as st

from widgets.timeline.drag import Drag
from widgets.timeline.layout import Part
from widgets.timeline.values import Span

SPAN = Span("one", 400, 600, "", "T", "#000000", editable=True)


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
