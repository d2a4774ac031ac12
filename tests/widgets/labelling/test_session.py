from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from annotation.conversation import Channel, Conversation
from annotation.document import Document, Revision
from annotation.events import NOBODY, FloorEvent
from annotation.scheme import preset_scheme
from tests.widgets.labelling.stage import Stage
from widgets.labelling.appearance import Appearance
from widgets.labelling.session import LabellingSession
from widgets.marking.edge import Edge
from widgets.timeline.values import Speech

RATE = 1000


@pytest.fixture
def stage() -> Stage:
    return Stage()


@pytest.fixture
def session(qapp: QApplication, stage: Stage) -> LabellingSession:
    channels = tuple(Channel(name, None, 0, RATE, 60_000) for name in ("anna", "ben", "cleo"))
    conversation = Conversation("c", RATE, channels)
    look = Appearance(scheme=preset_scheme(), conversation=conversation, dark=False)
    document = Document(subject="conversation:c", person="p")
    return LabellingSession(conversation=conversation, document=document, appearance=look, transport=stage)


def said(session: LabellingSession) -> list[str]:
    sentences: list[str] = []
    session.said.connect(sentences.append)
    return sentences


def marked(session: LabellingSession, onset: int = 1000, offset: int = 2000, kind: str = "TURN") -> FloorEvent:
    session.select_event("")
    session.select_range(onset, offset)
    session.press_kind(kind)
    session.select_range(0, 0)
    event = session.selected
    assert event is not None
    return event


def test_a_key_held_while_playing_marks_from_press_to_release(session: LabellingSession, stage: Stage) -> None:
    stage.playing = True
    session.select_speaker("ben")
    stage.position = 12_340
    session.press_kind("BACKCHANNEL")
    stage.position = 13_100
    session.release_kind("BACKCHANNEL", session.position)
    event = session.selected
    assert event is not None
    assert (event.speaker, event.kind, event.onset, event.offset) == ("ben", "BACKCHANNEL", 12_340, 13_100)


def test_a_second_kind_key_during_a_mark_changes_nothing(session: LabellingSession, stage: Stage) -> None:
    stage.playing = True
    session.press_kind("TURN")
    stage.position = 500
    session.press_kind("BACKCHANNEL")
    session.release_kind("BACKCHANNEL", session.position)
    assert session.mark == ("anna", 0, "TURN")
    session.release_kind("TURN", session.position)
    assert [event.kind for event in session.document] == ["TURN"]


def test_a_mark_belongs_to_the_lane_that_was_active_at_the_press(session: LabellingSession, stage: Stage) -> None:
    stage.playing = True
    session.press_kind("TURN")
    session.select_speaker("cleo")
    stage.position = 300
    session.release_kind("TURN", session.position)
    assert [event.speaker for event in session.document] == ["anna"]


def test_a_mark_dropped_with_the_keyboard_leaves_nothing_and_says_so(session: LabellingSession, stage: Stage) -> None:
    sentences = said(session)
    stage.playing = True
    session.press_kind("TURN")
    session.abandon_mark()
    session.release_kind("TURN", session.position)
    assert len(session.document) == 0
    assert "dropped" in sentences[0]


def test_at_rest_the_key_marks_the_selected_stretch(session: LabellingSession) -> None:
    event = marked(session, 1000, 2000)
    assert (event.onset, event.offset) == (1000, 2000)


def test_at_rest_the_key_changes_the_kind_of_the_selected_event(session: LabellingSession) -> None:
    marked(session)
    session.press_kind("INTERRUPTION")
    assert [event.kind for event in session.document] == ["INTERRUPTION"]
    assert session.document.undo_label == "Kind turn → interruption"


def test_a_key_with_nothing_to_mark_says_what_to_do(session: LabellingSession) -> None:
    sentences = said(session)
    session.press_kind("TURN")
    assert sentences == ["Play and hold the key while the event lasts, or drag over a stretch of the lane first."]


@pytest.mark.parametrize(
    ("edge", "expected"), [(Edge.ONSET, (1010, 2000)), (Edge.OFFSET, (1000, 2010)), (Edge.BOTH, (1010, 2010))]
)
def test_nudging_moves_the_chosen_edge(session: LabellingSession, edge: Edge, expected: tuple[int, int]) -> None:
    marked(session, 1000, 2000)
    while session.edge is not edge:
        session.cycle_edge()
    session.nudge(10)
    event = session.selected
    assert event is not None
    assert (event.onset, event.offset) == expected


def test_five_nudges_are_five_steps(session: LabellingSession) -> None:
    marked(session, 1000, 2000)
    for _ in range(5):
        session.nudge(100)
    session.undo()
    event = session.selected
    assert event is not None
    assert event.offset == 2400


def test_a_nudge_that_cannot_be_is_said_and_changes_nothing(session: LabellingSession) -> None:
    sentences = said(session)
    marked(session, 59_000, 60_000)
    session.nudge(1)
    event = session.selected
    assert event is not None
    assert event.offset == 60_000
    assert "past the end" in sentences[-1]


def test_holders_are_given_by_lane_number_and_zero_is_nobody(session: LabellingSession) -> None:
    marked(session)
    session.set_holder_by_number("before", 0)
    session.set_holder_by_number("after", 2)
    event = session.selected
    assert event is not None
    assert (event.holder_before, event.holder_after) == (NOBODY, "ben")


def test_a_holder_number_without_a_lane_is_said(session: LabellingSession) -> None:
    marked(session)
    sentences = said(session)
    session.set_holder_by_number("before", 4)
    assert sentences == ["There is no speaker 4."]


def test_next_and_previous_go_through_the_events_and_move_the_cursor(session: LabellingSession, stage: Stage) -> None:
    marked(session, 5000, 6000)
    marked(session, 1000, 2000)
    session.step_event(forward=True)
    assert stage.position == 5000
    session.step_event(forward=False)
    assert stage.position == 1000


def test_deleting_selects_the_next_event_so_that_work_goes_on(session: LabellingSession) -> None:
    later = marked(session, 5000, 6000)
    marked(session, 1000, 2000)
    session.delete()
    assert session.selected == later


def test_undoing_a_mark_leaves_nothing_selected(session: LabellingSession) -> None:
    marked(session)
    session.undo()
    assert session.selected is None


def test_the_last_second_before_the_end_edge_is_played(session: LabellingSession, stage: Stage) -> None:
    marked(session, 10_000, 50_000)
    session.play_end()
    assert stage.played == [(49_000, 50_000)]


def test_a_comment_goes_to_the_event_it_was_written_on(session: LabellingSession) -> None:
    first = marked(session, 1000, 2000)
    marked(session, 5000, 6000)
    session.comment_on(first.id, "late")
    assert [event.comment for event in session.document] == ["late", ""]


def test_a_frozen_document_is_said_not_raised(session: LabellingSession) -> None:
    marked(session)
    sentences = said(session)
    session.document.freeze("The disk is full.")
    session.delete()
    assert len(session.document) == 1
    assert "The disk is full." in sentences[0]


# How steps came about

HEARD = Speech(np.array([900, 5_000]), np.array([2_100, 6_000]), "speech silero-6.2.3", "Speech", "An estimate")


def kept(session: LabellingSession) -> list[Revision]:
    revisions: list[Revision] = []
    session.document._record = revisions.append
    return revisions


def test_an_edge_drawn_to_speech_is_named_and_kept_so(session: LabellingSession) -> None:
    event = marked(session)
    revisions = kept(session)
    session.set_edges(event.id, 1_000, 2_100, "speech silero-6.2.3")
    session.set_edges(event.id, 1_000, 2_050)
    aids = [revision.circumstances.snapped_to for revision in revisions if revision.circumstances]
    assert aids == ["speech silero-6.2.3", ""]
    assert [revision.label for revision in revisions] == [
        "Offset of turn 2.000 → 2.100, snapped to speech",
        "Offset of turn 2.100 → 2.050",
    ]


def test_a_snap_that_cannot_be_leaves_no_trace_on_the_next_step(session: LabellingSession) -> None:
    event = marked(session)
    revisions = kept(session)
    session.set_edges(event.id, 3_000, 2_000, "speech silero-6.2.3")
    session.nudge(10)
    assert [revision.circumstances.snapped_to for revision in revisions if revision.circumstances] == [""]


def test_snapping_moves_both_edges_to_speech_in_one_step(session: LabellingSession) -> None:
    marked(session)
    session.speech = {"anna": HEARD}
    revisions = kept(session)
    session.snap()
    event = session.selected
    assert event is not None
    assert (event.onset, event.offset) == (900, 2_100)
    [revision] = revisions
    assert revision.label.endswith("snapped to speech")
    assert revision.circumstances is not None
    assert revision.circumstances.snapped_to == "speech silero-6.2.3"


def test_an_edge_far_from_speech_is_left_where_it_is(session: LabellingSession) -> None:
    marked(session, 1_000, 3_000)
    session.speech = {"anna": HEARD}
    session.snap()
    event = session.selected
    assert event is not None
    assert (event.onset, event.offset) == (900, 3_000)


def test_what_snapping_cannot_do_is_said(session: LabellingSession) -> None:
    marked(session, 20_000, 21_000)
    sentences = said(session)
    session.snap()
    session.speech = {"anna": HEARD}
    session.snap()
    assert sentences == [
        "Show the speech activity first; then edges can be snapped to it.",
        "No speech begins or ends within 0.2 s of the event's edges.",
    ]


def test_edges_that_lie_on_speech_already_are_no_step(session: LabellingSession) -> None:
    marked(session, 5_000, 6_000)
    session.speech = {"anna": replace(HEARD)}
    revisions = kept(session)
    sentences = said(session)
    session.snap()
    assert revisions == []
    assert sentences == ["The edges lie where speech begins and ends already."]


def test_a_mark_is_kept_as_heard_at_its_onset_even_if_the_sound_ended_first(
    session: LabellingSession, stage: Stage
) -> None:
    revisions = kept(session)
    stage.playing = True
    session.press_kind("TURN")
    stage.position, stage.playing = 2_000, False
    session.release_kind("TURN", 2_000)
    session.nudge(-10)
    heard = [revision.circumstances.playing for revision in revisions if revision.circumstances]
    assert heard == [True, False]


def test_marks_made_while_playing_are_never_moved_to_speech(session: LabellingSession, stage: Stage) -> None:
    session.speech = {"anna": HEARD}
    stage.playing, stage.position = True, 905
    session.press_kind("TURN")
    session.release_kind("TURN", 2_090)
    event = session.selected
    assert event is not None
    assert (event.onset, event.offset) == (905, 2_090)
