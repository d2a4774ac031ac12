from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from widgets.timeline.layout import Area, Hit, Layout, Metrics, Part, lay_out
from widgets.timeline.values import EventRow, Lane, Span, TimelineContent
from widgets.timeline.viewport import Viewport

METRICS = Metrics.of(16, 1.0)


def laid(content: TimelineContent, height: int = 600) -> Layout:
    return lay_out(content.lanes, METRICS, height)


def at(layout: Layout, frame: int, *, by: float = 0, lane: int = 0, row: int = 0, selected: str | None = None) -> Hit:
    viewport = Viewport.whole(10_000, 1_000)
    y = METRICS.ruler + layout.lanes[lane].rows[row].top + 3
    return layout.hit(
        METRICS.header + viewport.x_from_frame(frame) + by, y, viewport=viewport, scroll=0, selected=selected
    )


def test_lanes_fill_the_height_without_gaps(content: TimelineContent) -> None:
    layout = laid(content, height=400)
    assert layout.lanes[0].top == 0
    assert layout.lanes[1].top == layout.lanes[0].bottom
    assert 0 <= 400 - layout.height < len(layout.lanes)


def test_lanes_keep_their_least_height_and_run_over(content: TimelineContent) -> None:
    layout = laid(content, height=50)
    assert all(box.wave_height == METRICS.wave_least for box in layout.lanes)
    assert layout.height > 50


@given(st.floats(1, 3))
def test_rows_lie_inside_their_lane_below_the_waveform(ratio: float) -> None:
    spans = tuple(Span(str(n), n, 50, "", "T", "#000000") for n in range(8))
    lanes = [Lane("a", "A", "", "#000000", None, (EventRow("x", "X", spans), EventRow("y", "Y", ())))]
    box = lay_out(lanes, Metrics.of(16, ratio), 400).lanes[0]
    assert box.rows[0].top == box.wave_height
    assert box.rows[1].top == box.rows[0].top + box.rows[0].height
    assert box.rows[1].top + box.rows[1].height <= box.bottom


def test_a_row_known_already_is_not_stacked_again(content: TimelineContent) -> None:
    first = laid(content)
    again = lay_out(content.lanes, METRICS, 300, previous=first)
    assert again.lanes[0].rows[0].stacked is first.lanes[0].rows[0].stacked


def test_the_body_of_an_event_is_hit_in_its_middle(content: TimelineContent) -> None:
    hit = at(laid(content), 6_500)
    assert hit.span is not None
    assert (hit.span.id, hit.part) == ("three", Part.BODY)


@pytest.mark.parametrize("by", [-5, 0, 5])
@pytest.mark.parametrize(("frame", "part"), [(6_000, Part.ONSET), (7_000, Part.OFFSET)])
def test_an_edge_is_hit_up_to_six_pixels_beside_it(content: TimelineContent, frame: int, part: Part, by: int) -> None:
    assert at(laid(content), frame, by=by).part is part


@pytest.mark.parametrize("by", [-8, 8])
def test_an_edge_is_not_hit_further_away(content: TimelineContent, by: int) -> None:
    assert at(laid(content), 6_000, by=by).part is not Part.ONSET


def test_an_overlapping_event_is_hit_in_its_own_sub_row(content: TimelineContent) -> None:
    layout = laid(content)
    viewport = Viewport.whole(10_000, 1_000)
    box = layout.lanes[0].rows[0]
    x = METRICS.header + viewport.x_from_frame(1_750)
    names = []
    for place in (0, 1):
        hit = layout.hit(x, METRICS.ruler + box.top + place * box.sub_height + 3, viewport=viewport, scroll=0)
        names.append(hit.span.id if hit.span else None)
    assert names == ["one", "two"]


def test_an_event_that_cannot_be_edited_has_no_edges(content: TimelineContent) -> None:
    hit = at(laid(content), 4_000, row=1)
    assert hit.span is not None
    assert (hit.span.id, hit.part) == ("gold", Part.BODY)


def test_a_narrow_event_can_still_be_taken_by_its_body() -> None:
    span = Span("thin", 5_000, 5_060, "", "T", "#000000", editable=True)
    lane = Lane("a", "A", "", "#000000", None, (EventRow("x", "X", (span,), editable=True),))
    layout = lay_out([lane], METRICS, 300)
    assert at(layout, 5_030).part is Part.BODY
    assert at(layout, 5_000, by=-4).part is Part.ONSET
    assert at(layout, 5_060, by=4).part is Part.OFFSET


@pytest.mark.parametrize(("selected", "expected"), [("left", Part.OFFSET), ("right", Part.ONSET)])
def test_where_two_events_meet_the_selected_one_gives_its_edge(selected: str, expected: Part) -> None:
    left = Span("left", 4_000, 5_000, "", "T", "#000000", editable=True)
    right = replace(left, id="right", onset=5_000, offset=6_000)
    lane = Lane("a", "A", "", "#000000", None, (EventRow("x", "X", (left, right), editable=True),))
    hit = at(lay_out([lane], METRICS, 300), 5_000, selected=selected)
    assert hit.span is not None
    assert (hit.span.id, hit.part) == (selected, expected)


@pytest.mark.parametrize(("by", "expected"), [(-2, "left"), (2, "right")])
def test_where_two_events_meet_the_pointers_side_decides(by: int, expected: str) -> None:
    left = Span("left", 4_000, 5_000, "", "T", "#000000", editable=True)
    right = replace(left, id="right", onset=5_000, offset=6_000)
    lane = Lane("a", "A", "", "#000000", None, (EventRow("x", "X", (left, right), editable=True),))
    hit = at(lay_out([lane], METRICS, 300), 5_000, by=by)
    assert hit.span is not None
    assert hit.span.id == expected


def test_the_areas_around_the_lanes_are_told_apart(content: TimelineContent) -> None:
    layout = laid(content)
    viewport = Viewport.whole(10_000, 1_000)
    inside, below = METRICS.header + 50, METRICS.ruler + 5

    def area(x: float, y: float) -> Area:
        return layout.hit(x, y, viewport=viewport, scroll=0).area

    assert [area(5, 5), area(inside, 5), area(5, below), area(inside, below), area(inside, 5_000)] == [
        Area.CORNER,
        Area.RULER,
        Area.HEADER,
        Area.LANE,
        Area.OUTSIDE,
    ]


def test_a_scrolled_lane_is_hit_where_it_is_drawn(content: TimelineContent) -> None:
    layout = laid(content)
    hit = layout.hit(
        METRICS.header + 10,
        METRICS.ruler + 5,
        viewport=Viewport.whole(10_000, 1_000),
        scroll=layout.lanes[1].top,
    )
    assert hit.lane is content.lanes[1]
