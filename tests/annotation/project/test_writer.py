import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotation.document import Revision
from annotation.errors import FloorscopeError
from annotation.events import FloorEvent
from annotation.project.database import connect, create_file, log_path, writing
from annotation.project.faults import LeaseLostError, ProjectWriteError, StepRefusedError
from annotation.project.lease import Lease, take_lease
from annotation.project.revision_log import revisions_after
from annotation.project.writer import RevisionWriter

Listener = tuple[list[Revision], list[tuple[FloorscopeError, tuple[Revision, ...]]]]


@pytest.fixture
def heard() -> Listener:
    return [], []


@pytest.fixture
def writer(path: Path, heard: Listener) -> Iterator[RevisionWriter]:
    create_file(path)
    opened = RevisionWriter(path, heard[0].extend, lambda fault, revisions: heard[1].append((fault, revisions)))
    yield opened
    opened.close()


def revisions(count: int) -> list[Revision]:
    return [
        Revision("conversation:c1", "ann", f"Step {number}", (FloorEvent("A", "turn", number, number + 1),), ())
        for number in range(count)
    ]


def stored(path: Path) -> list[Revision]:
    db = connect(path, read_only=True)
    found = [entry.revision for entry in revisions_after(db, 0)]
    db.close()
    return found


def test_what_was_submitted_is_kept_in_order(writer: RevisionWriter, path: Path, heard: Listener) -> None:
    given = revisions(50)
    for revision in given:
        writer.submit(revision)
    assert writer.flush(30)
    assert stored(path) == heard[0] == given
    assert heard[1] == []


def test_a_revision_submitted_twice_is_kept_once(writer: RevisionWriter, path: Path) -> None:
    (revision,) = revisions(1)
    writer.submit(revision)
    writer.submit(revision)
    assert writer.flush(30)
    writer.submit(revision)
    assert writer.flush(30)
    assert stored(path) == [revision]


def test_pending_revisions_share_a_transaction(path: Path) -> None:
    create_file(path)
    groups: list[int] = []
    first_kept = threading.Event()
    may_go_on = threading.Event()

    def on_kept(kept: tuple[Revision, ...]) -> None:
        groups.append(len(kept))
        first_kept.set()
        may_go_on.wait(30)

    writer = RevisionWriter(path, on_kept, lambda fault, held: None)
    first, *rest = revisions(21)
    writer.submit(first)
    assert first_kept.wait(30)
    for revision in rest:
        writer.submit(revision)
    may_go_on.set()
    writer.close()
    assert groups == [1, 20]


def test_closing_writes_what_is_pending(writer: RevisionWriter, path: Path) -> None:
    given = revisions(20)
    for revision in given:
        writer.submit(revision)
    assert writer.close() == ()
    assert stored(path) == given


def test_submitting_goes_on_while_another_holds_the_file(writer: RevisionWriter, path: Path) -> None:
    db = connect(path)
    given = revisions(100)
    with writing(db):
        for revision in given:
            writer.submit(revision)
        assert not writer.flush(0)
    db.close()
    assert writer.flush(30)
    assert stored(path) == given


def test_after_a_fault_all_is_held_in_order_until_a_retry(writer: RevisionWriter, path: Path, heard: Listener) -> None:
    given = revisions(4)
    writer.submit(given[0])
    assert writer.flush(30)
    assert writer.release(30)
    elsewhere = path.with_name("moved.floorscope")
    path.rename(elsewhere)
    for revision in given[1:]:
        writer.submit(revision)
        assert not writer.flush(30)
    assert writer.held == tuple(given[1:])
    assert [revision for _, held in heard[1] for revision in held] == given[1:]
    writer.retry()
    assert not writer.flush(30)
    elsewhere.rename(path)
    writer.retry()
    assert writer.flush(30)
    assert writer.failure is None
    assert stored(path) == heard[0] == given


def test_a_file_that_lost_its_log_is_noticed_before_anything_is_called_kept(
    writer: RevisionWriter, path: Path, heard: Listener
) -> None:
    given = revisions(3)
    writer.submit(given[0])
    assert writer.flush(30)
    log_path(path).unlink()
    path.with_name(path.name + "-shm").unlink()
    writer.submit(given[1])
    assert not writer.flush(30)
    assert heard[0] == given[:1]
    assert isinstance(heard[1][0][0], ProjectWriteError)
    writer.submit(given[2])
    writer.retry()
    assert writer.flush(30)
    assert sorted(r.label for r in stored(path)) == [r.label for r in given]


def test_kept_revisions_that_vanished_with_the_log_are_written_again(
    writer: RevisionWriter, path: Path, heard: Listener
) -> None:
    before = path.read_bytes()
    given = revisions(3)
    writer.submit(given[0])
    writer.submit(given[1])
    assert writer.flush(30)
    for file in path.parent.glob(path.name + "*"):
        file.unlink()
    path.write_bytes(before)
    writer.submit(given[2])
    assert not writer.flush(30)
    writer.retry()
    assert writer.flush(30)
    assert stored(path) == given
    assert heard[0] == given


def test_a_full_disk_is_said_and_the_gestures_are_kept_after_room_was_made(
    tmp_path: Path, path: Path, heard: Listener
) -> None:
    """SQLite's own page limit gives the same answer, SQLITE_FULL, as a disk without room."""
    create_file(path)
    limited = [True]

    class Limited(RevisionWriter):
        def _connected(self):  # type: ignore[no-untyped-def]
            db = super()._connected()
            pages = db.execute("PRAGMA page_count").fetchone()[0]
            db.execute(f"PRAGMA max_page_count = {pages if limited[0] else 10**6}")
            return db

    writer = Limited(path, heard[0].extend, lambda fault, held: heard[1].append((fault, held)))
    big = Revision("conversation:c1", "ann", "Big", (FloorEvent("A", "turn", 0, 1, comment="x" * 100_000),), ())
    writer.submit(big)
    assert not writer.flush(30)
    fault, held = heard[1][0]
    assert "disk is full" in str(fault)
    assert held == (big,)
    limited[0] = False
    writer.retry()
    assert writer.flush(30)
    writer.close()
    assert stored(path) == [big]


def lease_of(path: Path) -> Lease:
    db = connect(path)
    lease = take_lease(db, "conversation:c1", "ann").lease
    db.close()
    assert lease is not None
    return lease


def test_a_lease_taken_by_another_stops_its_document_alone(writer: RevisionWriter, path: Path, heard: Listener) -> None:
    lease = lease_of(path)
    mine, lost = revisions(2)
    other = Revision("conversation:c2", "ann", "Other", (FloorEvent("A", "turn", 0, 1),), ())
    writer.submit(mine, lease)
    assert writer.flush(30)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE lease SET token = 'another'")
    connection.commit()
    connection.close()
    writer.submit(lost, lease)
    writer.submit(other)
    assert not writer.flush(30)
    assert stored(path) == [mine, other]
    assert [(type(fault), held) for fault, held in heard[1]] == [(LeaseLostError, (lost,))]
    assert writer.held == (lost,)


def test_a_step_that_the_log_refuses_is_held_not_dropped(writer: RevisionWriter, path: Path, heard: Listener) -> None:
    orphan = Revision("conversation:c1", "ann", "Undo", (FloorEvent("A", "turn", 0, 1),), (), undoes="nothing")
    writer.submit(orphan)
    assert not writer.flush(30)
    assert writer.close() == (orphan,)
    assert stored(path) == []
    assert "cannot be kept" in str(heard[1][0][0])


def test_flush_after_closing_returns_at_once(writer: RevisionWriter) -> None:
    writer.close()
    assert writer.flush(0)


def test_nothing_pending_means_no_callback(writer: RevisionWriter, heard: Listener) -> None:
    assert writer.flush(30)
    writer.retry()
    assert writer.flush(30)
    assert heard == ([], [])


def test_the_callbacks_come_on_the_writers_thread(path: Path) -> None:
    create_file(path)
    names: list[str] = []
    keep: Callable[[tuple[Revision, ...]], None] = lambda kept: names.append(threading.current_thread().name)  # noqa: E731
    writer = RevisionWriter(path, keep, lambda fault, held: None)
    writer.submit(revisions(1)[0])
    writer.close()
    assert names == ["floorscope-writer"]


def test_one_step_that_cannot_be_encoded_costs_itself_and_its_document(
    writer: RevisionWriter, path: Path, heard: Listener
) -> None:
    good, other = revisions(2)
    broken = Revision("conversation:c2", "ann", "Broken", (), (), at="half a character: \ud800")
    follower = Revision("conversation:c2", "ann", "Follower", (FloorEvent("A", "turn", 0, 1),), ())
    db = connect(path)
    with writing(db):
        for revision in (good, broken, follower, other):
            writer.submit(revision)
    db.close()
    assert not writer.flush(30)
    assert stored(path) == [good, other]
    assert heard[0] == [good, other]
    assert writer.held == (broken, follower)
    assert writer.failure is None
    assert {type(fault) for fault, _ in heard[1]} == {StepRefusedError}
    assert "cannot be written" in str(heard[1][0][0])
    later = Revision("conversation:c2", "ann", "Later", (FloorEvent("A", "turn", 0, 1),), ())
    writer.submit(later)
    assert not writer.flush(30)
    assert writer.close() == (broken, follower, later)
    assert stored(path) == [good, other]
