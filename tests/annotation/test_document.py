from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from annotation.document import Change, Document, ReadOnlyError, Revision
from annotation.errors import InvalidValueError
from annotation.events import FloorEvent, event_order


def event(onset: int = 10, offset: int = 20, speaker: str = "a") -> FloorEvent:
    return FloorEvent(speaker=speaker, kind="TURN", onset=onset, offset=offset)


def document(record: Callable[[Revision], None] | None = None) -> Document:
    return Document(subject="conversation:c", person="p", record=record)


class Edits(RuleBasedStateMachine):
    """Any sequence of edits, undo and redo; a mirror is fed by changes only, and the log is replayed at every step."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[Revision] = []
        self.document = document(self.log.append)
        self.mirror: dict[str, FloorEvent] = {}
        self.document.subscribe(self._follow)
        self.states: list[list[FloorEvent]] = [[]]
        self.undone: list[list[FloorEvent]] = []

    def _follow(self, change: Change) -> None:
        for gone in change.removed:
            assert self.mirror.pop(gone.id) == gone
        for come in change.added:
            assert come.id not in self.mirror
            self.mirror[come.id] = come

    def _stepped(self) -> None:
        self.states.append(list(self.document))
        self.undone.clear()

    @rule(onset=st.integers(0, 1000), length=st.integers(0, 300))
    def add(self, onset: int, length: int) -> None:
        with self.document.edit("Mark") as edit:
            edit.add(event(onset, onset + length))
        self._stepped()

    @precondition(lambda self: len(self.document) > 0)
    @rule(place=st.integers(0, 100), by=st.integers(1, 50))
    def move(self, place: int, by: int) -> None:
        old = list(self.document)[place % len(self.document)]
        with self.document.edit("Move") as edit:
            edit.remove(old)
            edit.add(replace(old, onset=old.onset + by, offset=old.offset + by))
        self._stepped()

    @precondition(lambda self: len(self.document) > 0)
    @rule(place=st.integers(0, 100))
    def delete(self, place: int) -> None:
        with self.document.edit("Delete") as edit:
            edit.remove(list(self.document)[place % len(self.document)])
        self._stepped()

    @rule()
    def undo(self) -> None:
        label = self.document.undo()
        assert (label is None) == (len(self.states) == 1)
        if label is not None:
            self.undone.append(self.states.pop())

    @rule()
    def redo(self) -> None:
        label = self.document.redo()
        assert (label is None) == (not self.undone)
        if label is not None:
            self.states.append(self.undone.pop())

    @invariant()
    def events_are_as_expected(self) -> None:
        assert list(self.document) == self.states[-1]

    @invariant()
    def mirror_equals_document(self) -> None:
        assert sorted(self.mirror.values(), key=event_order) == list(self.document)

    @invariant()
    def replay_gives_the_same_events_and_stacks(self) -> None:
        replayed = Document(subject="conversation:c", person="p", revisions=self.log)
        assert list(replayed) == list(self.document)
        assert (replayed.undo_label, replayed.redo_label) == (self.document.undo_label, self.document.redo_label)

    def teardown(self) -> None:
        while self.document.undo() is not None:
            pass
        assert list(self.document) == []


TestEdits = Edits.TestCase
TestEdits.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


def test_an_empty_gesture_leaves_no_step() -> None:
    log: list[Revision] = []
    subject = document(log.append)
    with subject.edit("Nothing"):
        pass
    assert log == []
    assert subject.undo_label is None


def test_a_gesture_that_puts_back_what_it_took_leaves_no_step() -> None:
    log: list[Revision] = []
    subject = document(log.append)
    mark = event()
    with subject.edit("Mark") as edit:
        edit.add(mark)
    with subject.edit("Touch") as edit:
        edit.remove(mark)
        edit.add(mark)
    assert len(log) == 1


def test_an_exception_takes_the_whole_gesture_back() -> None:
    log: list[Revision] = []
    subject = document(log.append)

    def fail_half_way() -> None:
        with subject.edit("Mark") as edit:
            edit.add(event())
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_half_way()
    assert list(subject) == []
    assert log == []


def test_two_edits_of_an_event_in_one_gesture_are_one_replacement() -> None:
    log: list[Revision] = []
    subject = document(log.append)
    first = event()
    with subject.edit("Mark") as edit:
        edit.add(first)
    with subject.edit("Move twice") as edit:
        once = replace(first, offset=30)
        edit.remove(first)
        edit.add(once)
        edit.remove(once)
        edit.add(replace(first, offset=40))
    assert [e.offset for e in log[-1].added] == [40]
    assert log[-1].removed == (first,)


def test_removing_what_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="not there"), document().edit("Delete") as edit:
        edit.remove(event())


def test_adding_an_id_twice_is_refused() -> None:
    mark = event()
    subject = document()
    with subject.edit("Mark") as edit:
        edit.add(mark)
    with pytest.raises(InvalidValueError, match="there already"), subject.edit("Mark again") as edit:
        edit.add(mark)


def test_a_frozen_document_says_why_it_takes_no_edit() -> None:
    subject = document()
    subject.freeze("The disk is full.")
    with pytest.raises(ReadOnlyError, match="disk is full"), subject.edit("Mark"):
        pass
    subject.thaw()
    with subject.edit("Mark") as edit:
        edit.add(event())
    assert len(subject) == 1


def test_a_gesture_cannot_be_opened_inside_another() -> None:
    subject = document()
    with subject.edit("Outer"), pytest.raises(ReadOnlyError, match="open already"), subject.edit("Inner"):
        pass


@given(
    st.lists(st.tuples(st.integers(0, 500), st.integers(0, 200)), max_size=40),
    st.integers(0, 600),
    st.integers(1, 200),
)
def test_between_returns_what_touches_the_frames(spans: list[tuple[int, int]], first: int, length: int) -> None:
    events = [event(onset, onset + size) for onset, size in spans]
    subject = document()
    with subject.edit("Mark") as edit:
        for mark in events:
            edit.add(mark)
    last = first + length
    expected = [e for e in events if e.onset < last and (e.offset > first or e.onset == e.offset == first)]
    assert subject.between(first, last) == sorted(expected, key=event_order)
