"""An annotator's session over a project: the order, answers, going back, breaks, notes, and the calibration."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from annotation.conversation import Conversation
from annotation.document import ReadOnlyError
from annotation.project.project import Project
from annotation.sources import ImportedConversation
from annotation.study.answers import Draft, Entry, Submission
from annotation.study.design import Calibration, StudyDesign, StudyError
from annotation.study.drawing import REPEAT
from annotation.study.presentation import Answer, Listening, Presentation
from annotation.study.records import Study, StudyRecords
from annotation.study.seats import find_seat
from annotation.study.store import REACH_BACK, AnnotatorStore

Maker = Callable[..., Answer]


@pytest.fixture
def kept() -> list[Entry]:
    return []


@pytest.fixture
def store(study: Study, path: Path, kept: list[Entry]) -> Iterator[AnnotatorStore]:
    opened = AnnotatorStore(path, find_seat(path, "Anouk"), kept.extend)
    yield opened
    opened.close()


def following(store: AnnotatorStore, after: str = "") -> Presentation:
    presentation = store.next_presentation(after)
    assert presentation is not None
    return presentation


def answered(store: AnnotatorStore, answer: Answer, count: int, spent_s: float = 10.0) -> list[str]:
    done: list[str] = []
    for _ in range(count):
        presentation = following(store, done[-1] if done else "")
        store.submit(presentation.id, answer, Listening(plays=1, spent_s=spent_s))
        done.append(presentation.id)
    return done


def test_presentations_come_in_the_seats_own_order(store: AnnotatorStore, records: StudyRecords, answer: Maker) -> None:
    expected = [one.id for one in records.presentations(seat=store.seat)]
    assert len(expected) == 38
    assert answered(store, answer(), 38) == expected
    assert store.next_presentation() is None
    assert store.progress().submitted == store.progress().total == 38


def test_a_presentation_says_what_is_heard_and_nothing_of_where_it_lies(
    store: AnnotatorStore, records: StudyRecords
) -> None:
    shown = following(store)
    drawn = records.presentations(seat=store.seat)[0]
    assert shown.position == 1
    assert shown.frames == drawn.clip.frames
    assert shown.cue.onset == drawn.clip.cue_onset - drawn.clip.onset
    assert [voice.id for voice in shown.speakers] == ["v1", "v2"]
    assert set(Presentation.__dataclass_fields__) == {"id", "position", "rate_hz", "frames", "speakers", "cue"}


def test_each_gesture_is_kept_and_the_session_goes_on_where_it_stopped(
    store: AnnotatorStore, path: Path, kept: list[Entry], answer: Maker
) -> None:
    answered(store, answer(), 3)
    shown = following(store)
    history = store.history(shown.id)
    history.give("Give the kind", Answer(kind="TURN"))
    history.give("Set the onset", replace(history.answer, onset=50))
    history.undo()
    store.close()
    assert sum(isinstance(entry, Draft) and entry.presentation == shown.id for entry in kept) == 3
    with_again = AnnotatorStore(path, store.seat)
    assert following(with_again).id == shown.id
    again = with_again.history(shown.id)
    assert again.answer == Answer(kind="TURN")
    assert (again.undo_label, again.redo_label) == ("Give the kind", "Set the onset")
    with_again.close()


def test_handing_in_freezes_the_last_step_and_says_how_it_was_listened_to(
    store: AnnotatorStore, records: StudyRecords, answer: Maker
) -> None:
    shown = following(store)
    history = store.history(shown.id)
    history.give("Answer", answer())
    listening = Listening(2, 31.5, 40.0, 0.5, 1.0, "Headphones", 0.012, -0.001)
    submission = store.submit(shown.id, history.answer, listening)
    (current,) = records.current()
    assert current.submission == submission
    assert (submission.draft, submission.listening, submission.scheme_version) == (
        history.newest.id if history.newest else "",
        listening,
        1,
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Answer(), "the kind, who holds the floor before"),
        (Answer("TURN", "", "v1", "", None, 5), "Not answered yet: the onset"),
        (Answer("SONG", "", "v1", "", 1, 5), "no kind “SONG”"),
        (Answer("TURN", "", "v9", "", 1, 5), "no speaker “v9”"),
        (Answer("TURN", "", "v1", "", 1, 10**9), "after the end of the clip"),
    ],
)
def test_handing_in_says_what_is_missing_or_cannot_be(store: AnnotatorStore, given: Answer, said: str) -> None:
    with pytest.raises(StudyError, match=said):
        store.submit(following(store).id, given, Listening())
    assert store.progress().submitted == 0


def test_one_goes_back_to_the_last_ten_whatever_their_pass_and_no_further(
    store: AnnotatorStore, records: StudyRecords, answer: Maker
) -> None:
    done = answered(store, answer(), 38)
    assert store.recent() == tuple(reversed(done[-REACH_BACK:]))
    store.presentation(done[-REACH_BACK])
    store.submit(done[-5], answer("BACKCHANNEL"), Listening())
    assert store.recent() == tuple(reversed(done[-REACH_BACK:]))
    assert store.submitted_answer(done[-5]) == answer("BACKCHANNEL")
    for call in (store.presentation, store.history, store.submitted_answer):
        with pytest.raises(StudyError, match="no further"):
            call(done[-REACH_BACK - 1])
    assert len(records.current()) == 38
    assert len(records.history()) == 39


def test_going_back_never_reaches_ones_first_answer_to_a_repeated_item(
    store: AnnotatorStore, records: StudyRecords, answer: Maker
) -> None:
    drawn = {one.id: one for one in records.presentations(seat=store.seat)}
    met = 0
    while (shown := store.next_presentation()) is not None:
        if drawn[shown.id].number == REPEAT:
            met += 1
            assert drawn[shown.id].item not in {drawn[one].item for one in store.recent()}
        for back in store.recent()[-1:]:
            # Handing the oldest in reach in again and again does not keep it in reach.
            store.submit(back, answer("TURN", onset=drawn[shown.id].position), Listening())
        store.submit(shown.id, answer(), Listening())
    assert met == 8


def test_progress_is_ones_own(store: AnnotatorStore, path: Path, answer: Maker) -> None:
    for spent in (10.0, 20.0, 60.0):
        answered(store, answer(), 1, spent)
    other = AnnotatorStore(path, find_seat(path, "Bertil"))
    answered(other, answer(), 2)
    progress = store.progress()
    assert (progress.submitted, progress.total, progress.pace_s, progress.spent_s) == (3, 38, 20.0, 90.0)
    assert other.progress().submitted == 2
    other.close()


def test_breaks_are_kept(store: AnnotatorStore, records: StudyRecords) -> None:
    assert not store.progress().on_break
    store.begin_break()
    store.begin_break()
    assert store.progress().on_break
    assert [seat.on_break for seat in records.status().seats] == [True, False, False]
    store.end_break()
    assert not store.progress().on_break
    assert not records.status().seats[0].on_break


def test_a_presentation_sent_back_comes_again_with_the_note_and_an_empty_answer(
    store: AnnotatorStore, records: StudyRecords, answer: Maker
) -> None:
    shown = following(store)
    store.history(shown.id).give("Answer", answer())
    first = store.submit(shown.id, answer(), Listening())
    answered(store, answer(), 15)
    records.reopen(first.id, "Lead Lea", "Listen to the end once more.")
    assert following(store).id == shown.id
    assert store.note(shown.id) == "Listen to the end once more."
    assert store.history(shown.id).answer == Answer()
    assert store.history(shown.id).undo_label is None
    assert store.progress().submitted == 15
    store.submit(shown.id, answer("BACKCHANNEL"), Listening())
    assert store.note(shown.id) == ""
    assert store.progress().submitted == 16
    assert [one.submission.answer.kind for one in records.current() if one.presentation.id == shown.id] == [
        "BACKCHANNEL"
    ]


def test_a_seat_that_is_open_elsewhere_is_read_only_with_the_reason(
    store: AnnotatorStore, path: Path, answer: Maker
) -> None:
    second = AnnotatorStore(path, store.seat)
    assert "Open for writing already" in second.read_only_reason
    shown = following(second)
    with pytest.raises(ReadOnlyError, match="already"):
        second.history(shown.id).give("Answer", answer())
    with pytest.raises(StudyError, match="already"):
        second.submit(shown.id, answer(), Listening())
    second.close()
    store.close()
    third = AnnotatorStore(path, store.seat)
    assert third.read_only_reason == ""
    third.close()


def test_a_seat_given_to_somebody_else_takes_nothing(
    store: AnnotatorStore, records: StudyRecords, path: Path, answer: Maker
) -> None:
    answered(store, answer(), 2)
    store.close()
    records.replace(store.seat, "Dagny")
    late = AnnotatorStore(path, store.seat)
    assert late.read_only_reason == "This seat was given to somebody else."
    late.close()
    dagny = AnnotatorStore(path, find_seat(path, "Dagny"))
    assert dagny.progress().submitted == 0
    assert len(answered(dagny, answer(), 38)) == 38
    dagny.close()


def test_a_seat_that_another_computer_took_over_keeps_no_more_and_says_so(
    store: AnnotatorStore, project: Project, answer: Maker
) -> None:
    shown = following(store)
    history = store.history(shown.id)
    with project.changing() as db:
        db.execute("UPDATE lease SET token = 'other' WHERE subject = ?", [f"seat:{store.seat}"])
    history.give("Answer", answer())
    assert not store.flush(30)
    assert "took over this seat" in history.frozen
    assert len(store.held) == 1
    with project.changing() as db:
        db.execute("DELETE FROM lease")


def test_after_a_fault_what_was_entered_is_held_until_a_retry(
    store: AnnotatorStore, path: Path, kept: list[Entry]
) -> None:
    history = store.history(following(store).id)
    history.give("Give the kind", Answer(kind="TURN"))
    assert store.flush(30)
    # The file is away while a step is entered.
    elsewhere = path.with_name("away.floorscope")
    path.rename(elsewhere)
    history.give("Give another kind", Answer(kind="HOLD"))
    assert not store.flush(30)
    assert history.frozen
    assert [entry.answer.kind for entry in store.held if isinstance(entry, Draft)] == ["HOLD"]
    elsewhere.rename(path)
    store.retry()
    assert store.flush(30)
    assert history.frozen == ""
    assert [entry.answer.kind for entry in kept if isinstance(entry, Draft)] == ["TURN", "HOLD"]


def test_the_last_answer_counts_even_when_the_clock_is_set_back(
    store: AnnotatorStore, records: StudyRecords, answer: Maker
) -> None:
    shown = following(store)
    ahead = Submission(shown.id, answer("HOLD"), Listening(), 1, at="2999-01-01T00:00:00.000+00:00")
    store._write(ahead)
    assert store.flush(30)
    newest = store.submit(shown.id, answer("TURN"), Listening())
    assert newest.at > ahead.at
    assert [one.submission for one in records.current()] == [newest]


def test_who_is_not_in_the_study_is_told_so(study: Study, path: Path) -> None:
    with pytest.raises(StudyError, match=r"no study of this project has an annotator “Zoe”|No study"):
        find_seat(path, "Zoe")
    with pytest.raises(StudyError, match="no such seat"):
        AnnotatorStore(path, "0" * 32)


@pytest.fixture
def calibrated(
    records: StudyRecords, project: Project, conversation: Callable[..., ImportedConversation], design: StudyDesign
) -> Study:
    """Return a study with a calibration of five items from a conversation of its own."""
    project.add([conversation("practice")])
    calibration = Calibration(("practice",), count=5, pass_mark="4/5")
    return records.create(msgspec.structs.replace(design, calibration=calibration), "Lead Lea")[0]


def test_the_study_opens_once_the_calibration_is_passed(
    calibrated: Study, records: StudyRecords, path: Path, answer: Maker
) -> None:
    store = AnnotatorStore(path, find_seat(path, "Chiara"))
    drawn = {one.id: one for one in records.presentations(seat=store.seat)}
    kinds = {one.id: one.reference.kind for one in drawn.values() if one.reference}
    study_first = next(one for one in drawn.values() if one.number == 1)
    assert len(kinds) == 5
    assert store.progress().total == 38
    with pytest.raises(StudyError, match="once the calibration is passed"):
        store.presentation(study_first.id)
    shown = following(store)
    assert store.feedback(shown.id) is None
    for turn, wrong in ((1, 2), (2, 1)):
        for number in range(5):
            shown = following(store)
            assert store.is_calibration(shown.id)
            assert store.calibration().round == turn
            assert store.calibration().submitted == number
            assert store.history(shown.id).answer == Answer()
            store.history(shown.id).give("Answer", answer())
            kind = kinds[shown.id] if number >= wrong else "HOLD"
            store.submit(shown.id, answer(kind), Listening())
            reference = store.feedback(shown.id)
            assert reference is not None
            assert reference == drawn[shown.id].reference
        assert store.recent() == ()
        assert store.calibration().passed == (turn == 2)
    assert store.calibration().agreed == 0.8
    assert following(store).id == study_first.id
    with pytest.raises(StudyError, match="has been passed"):
        store.submit(shown.id, answer(), Listening())
    assert store.progress().submitted == 0
    answered(store, answer(), 1)
    store.close()
    status = records.status().seats[2]
    assert (status.calibrated, status.submitted, status.presentations) == (True, 1, 38)
    table = records.label_table()
    assert len(table.labels) == 1
    assert len(table.items) == 30
    assert {item.conversation for item in table.items} == {"talk_one", "talk_two", "talk_three"}


def test_a_conversation_of_the_calibration_is_in_no_study_item(calibrated: Study, records: StudyRecords) -> None:
    assert {item.conversation for item in records.items() if item.calibration} == {"practice"}
    assert not {item.conversation for item in records.items() if not item.calibration} & {"practice"}
    assert Conversation("x", 1, ()).frames == 0
