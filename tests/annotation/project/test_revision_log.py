import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlite_utils import Database

from annotation.circumstances import Circumstances
from annotation.document import Revision
from annotation.errors import InvalidValueError
from annotation.events import FloorEvent
from annotation.project.database import connect, create_file, writing
from annotation.project.faults import DamagedProjectError
from annotation.project.revision_log import (
    documents_in,
    events_from_json,
    insert_revisions,
    json_from_events,
    label_counts,
    last_sequence,
    revisions_after,
    revisions_of,
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
events = st.builds(
    lambda speaker, kind, onset, length, before, after, comment, text: FloorEvent(
        speaker, kind, onset, onset + length, before, after, comment, text
    ),
    texts.filter(bool),
    texts,
    st.integers(0, 2**53),
    st.integers(0, 2**40),
    st.none() | texts,
    st.none() | texts,
    texts,
    texts,
)


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    create_file(path)
    opened = connect(path)
    yield opened
    opened.close()


def revision(event: FloorEvent, **fields: str) -> Revision:
    return replace(Revision("conversation:c1", "ann", "Add", (event,), ()), **fields)  # type: ignore[arg-type]


def insert(db: Database, *revisions: Revision) -> None:
    with writing(db):
        insert_revisions(db.conn, revisions)


@given(st.lists(events, max_size=5).map(tuple))
def test_events_come_back_from_json_as_they_went(given_events: tuple[FloorEvent, ...]) -> None:
    assert events_from_json(json_from_events(given_events), where="") == given_events


def test_revisions_come_back_as_they_went(db: Database, event: Callable[..., FloorEvent]) -> None:
    first = revision(event())
    second = replace(revision(event()), added=(), removed=first.added, undoes=first.id)
    insert(db, first, second)
    assert revisions_of(db, "conversation:c1", "ann") == (first, second)


def test_the_same_revision_twice_is_kept_once(db: Database, event: Callable[..., FloorEvent]) -> None:
    first = revision(event())
    insert(db, first, first)
    insert(db, first)
    assert [entry.revision for entry in revisions_after(db, 0)] == [first]


def test_another_revision_with_a_known_id_is_refused(db: Database, event: Callable[..., FloorEvent]) -> None:
    first = revision(event())
    insert(db, first)
    with pytest.raises(InvalidValueError, match="Another revision has this id"):
        insert(db, replace(first, label="Else"))
    assert revisions_of(db, "conversation:c1", "ann") == (first,)


@pytest.mark.parametrize("field", ["subject", "person"])
def test_undo_never_crosses_subjects_or_people(db: Database, event: Callable[..., FloorEvent], field: str) -> None:
    first = revision(event())
    insert(db, first)
    with pytest.raises(InvalidValueError, match="never crosses"):
        insert(db, revision(event(), undoes=first.id, **{field: "other"}))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE revision SET label = 'x'",
        "DELETE FROM revision",
        "UPDATE OR IGNORE revision SET id = 'x'",
        "INSERT OR REPLACE INTO revision (sequence, id, subject, person, at, label, added, removed) "
        "VALUES (1, 'new', 's', 'p', '', '', '[]', '[]')",
    ],
)
def test_the_log_refuses_to_be_changed(db: Database, event: Callable[..., FloorEvent], statement: str) -> None:
    first = revision(event())
    insert(db, first)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        db.execute(statement)
    assert revisions_of(db, "conversation:c1", "ann") == (first,)


def test_replacing_a_revision_by_its_id_leaves_it(db: Database, event: Callable[..., FloorEvent]) -> None:
    first = revision(event())
    insert(db, first)
    db.execute(
        "INSERT OR REPLACE INTO revision (id, subject, person, at, label, added, removed) "
        "VALUES (?, 's', 'p', '', '', '[]', '[]')",
        [first.id],
    )
    assert revisions_of(db, "conversation:c1", "ann") == (first,)


def test_a_row_that_breaks_an_event_names_the_place(db: Database) -> None:
    with pytest.raises(DamagedProjectError, match=r"revision 7.*onset"):
        events_from_json('[{"speaker": "A", "kind": "t", "onset": 9, "offset": 1}]', where="revision 7")


def test_a_text_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="half a character"):
        json_from_events((FloorEvent("A", "turn", 0, 1, comment="\ud800"),))


def test_labels_are_counted_by_what_stands_now(db: Database, event: Callable[..., FloorEvent]) -> None:
    first = revision(event())
    undone = replace(revision(event()), added=(), removed=first.added, undoes=first.id)
    insert(db, first, undone, revision(event()), revision(event()), revision(event(), person="bob"))
    assert label_counts(db) == {"conversation:c1": {"ann": 2, "bob": 1}}
    assert documents_in(db) == (("conversation:c1", "ann"), ("conversation:c1", "bob"))
    assert last_sequence(db) == 5


def test_how_a_step_was_made_comes_back_with_it(path: Path) -> None:
    how = Circumstances(
        playing=True, speed=0.5, device="Headset", reported_latency_s=0.21, correction_s=0.15, snapped_to="speech x"
    )
    step = Revision("conversation:a", "Ana", "Mark", (), (), circumstances=how)
    create_file(path)
    db = connect(path)
    with writing(db):
        insert_revisions(db.conn, [step])
    assert revisions_of(db, "conversation:a", "Ana") == (step,)
    db.close()
