import pytest
from PySide6.QtWidgets import QApplication

from annotation.events import NOBODY
from tests.widgets.annotate.desk import FRAMES, Desk
from widgets.marking.edge import Edge


@pytest.fixture
def desk(qapp: QApplication) -> Desk:
    return Desk()


def test_onset_and_offset_are_set_where_they_are_heard_while_it_plays(desk: Desk) -> None:
    desk.session.toggle()
    desk.stage.position = 9_100
    desk.session.set_edge_to_cursor(Edge.ONSET)
    desk.stage.position = 10_250
    desk.session.set_edge_to_cursor(Edge.OFFSET)
    assert (desk.session.answer.onset, desk.session.answer.offset) == (9_100, 10_250)
    assert [draft.circumstances is not None and draft.circumstances.playing for draft in desk.drafts] == [True, True]


def test_an_onset_after_the_offset_is_refused_in_a_sentence(desk: Desk) -> None:
    desk.session.set_edges(9_000, 9_500)
    desk.stage.position = 9_800
    desk.session.set_edge_to_cursor(Edge.ONSET)
    assert desk.session.answer.onset == 9_000
    assert "onset lies after the offset" in desk.said[-1]


def test_nothing_reaches_past_the_end_of_the_clip(desk: Desk) -> None:
    desk.session.set_edges(FRAMES - 50, FRAMES)
    desk.session.nudge(10)
    assert desk.session.answer.offset == FRAMES
    assert "after the end" in desk.said[-1]


def test_the_edge_that_was_set_last_is_the_one_that_is_nudged(desk: Desk) -> None:
    desk.session.set_edges(9_000, 10_000)
    desk.stage.position = 9_005
    desk.session.set_edge_to_cursor(Edge.ONSET)
    desk.session.nudge(-10)
    assert (desk.session.answer.onset, desk.session.answer.offset) == (8_995, 10_000)


def test_a_stretch_dragged_on_the_lane_of_the_cue_is_the_answer_until_there_is_one(desk: Desk) -> None:
    assert not desk.session.drag_over("v1", 1_000, 2_000)
    assert desk.session.span == (1_000, 2_000)
    assert desk.session.drag_over("v2", 9_000, 9_900)
    assert not desk.session.drag_over("v2", 1_000, 1_500)
    assert (desk.session.answer.onset, desk.session.answer.offset) == (9_000, 9_900)


def test_a_kind_takes_back_that_it_cannot_be_told_and_the_other_way_round(desk: Desk) -> None:
    desk.session.cannot_tell("Too noisy.")
    assert desk.session.missing == ()
    desk.session.set_kind("TURN")
    assert (desk.session.answer.kind, desk.session.answer.cannot_tell) == ("TURN", "")
    desk.session.cannot_tell("Too noisy.")
    assert desk.session.answer.kind == ""


def test_holders_are_told_by_the_number_of_their_lane(desk: Desk) -> None:
    desk.session.set_holder_by_number("before", 2)
    desk.session.set_holder_by_number("after", 0)
    desk.session.set_holder_by_number("after", 7)
    assert (desk.session.answer.holder_before, desk.session.answer.holder_after) == ("v2", NOBODY)
    assert desk.said[-1] == "There is no speaker 7."


def test_confidence_begins_in_the_middle_and_stays_in_its_bounds(desk: Desk) -> None:
    desk.session.step_confidence(-1)
    assert desk.session.answer.confidence == 3
    for _ in range(5):
        desk.session.step_confidence(1)
    assert desk.session.answer.confidence == 5


def test_each_gesture_is_one_draft_and_undo_takes_back_one(desk: Desk) -> None:
    desk.answer_fully()
    assert len(desk.drafts) == 4
    desk.session.undo()
    assert (desk.session.answer.onset, desk.session.answer.offset) == (None, None)
    assert desk.drafts[-1].undoes == desk.drafts[-2].id
    desk.session.redo()
    assert desk.session.answer.onset == 9_000


def test_what_is_auditioned_is_the_answer_or_else_the_cue(desk: Desk) -> None:
    desk.session.play_span()
    desk.session.set_edges(9_000, 11_000)
    desk.session.play_end()
    desk.session.play_onset()
    assert desk.stage.played == [(8_000, 12_000), (10_000, 11_000), (9_000, 10_000)]
    assert desk.session.listening().plays == 3


def test_a_typed_time_that_is_none_changes_nothing(desk: Desk) -> None:
    desk.session.set_edge_from_text(Edge.ONSET, "9,25")
    desk.session.set_edge_from_text(Edge.OFFSET, "soon")
    assert (desk.session.answer.onset, desk.session.answer.offset) == (9_250, None)
    desk.session.set_edge_from_text(Edge.ONSET, "")
    assert desk.session.answer.onset is None


def test_a_scheme_without_holders_says_so(qapp: QApplication) -> None:
    desk = Desk(preset="response")
    desk.session.set_holder_by_number("before", 1)
    assert desk.session.answer.holder_before is None
    assert desk.said == ["This study does not ask who holds the floor."]
