import multiprocessing
import os
import sqlite3
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from sqlite_utils import Database

from annotation.document import ReadOnlyError
from annotation.events import FloorEvent
from annotation.project.database import connect, create_file, writing
from annotation.project.lease import Lease, lease_stands, release_lease, take_lease
from annotation.project.project import Project

SUBJECT = "conversation:c1"


def hold_document(path: Path, pipe: Connection) -> None:
    """Open a document in another process, add an event, and hold it until told to let go."""
    project = Project.open(path, backups=False)
    opened = project.open_document(SUBJECT, "ann")
    if opened.lease is not None:
        with opened.document.edit("Add") as edit:
            edit.add(FloorEvent("A", "turn", 0, 1))
        project.flush(30)
    pipe.send((os.getpid(), opened.read_only_reason, len(opened.document)))
    pipe.recv()
    project.close()


class Holder:
    """Another process that holds the document."""

    def __init__(self, path: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=hold_document, args=(path, theirs))
        self.process.start()
        assert self.pipe.poll(60)
        self.process_id, self.reason, self.events = self.pipe.recv()

    def let_go(self) -> None:
        self.pipe.send("go")
        self.process.join(60)

    def kill(self) -> None:
        self.process.kill()
        self.process.join(60)


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    create_file(path)
    opened = connect(path)
    yield opened
    opened.close()


def test_a_second_process_reads_and_is_told_who_writes(path: Path, project: Project) -> None:
    holder = Holder(path)
    assert (holder.reason, holder.events) == ("", 1)
    mine = project.open_document(SUBJECT, "ann")
    assert f"process {holder.process_id}" in mine.read_only_reason
    assert len(mine.document) == 1
    with pytest.raises(ReadOnlyError, match=str(holder.process_id)), mine.document.edit("Add"):
        pass
    holder.let_go()
    assert project.open_document(SUBJECT, "ann").lease is not None


def test_a_process_that_was_killed_holds_nothing_and_lost_nothing(path: Path, project: Project) -> None:
    holder = Holder(path)
    holder.kill()
    opened = project.open_document(SUBJECT, "ann")
    assert opened.lease is not None
    assert len(opened.document) == 1


def test_two_processes_never_both_write(path: Path, project: Project) -> None:
    first, second = Holder(path), Holder(path)
    assert first.reason == ""
    assert f"process {first.process_id}" in second.reason
    first.let_go()
    second.let_go()


def alter(db: Database, **values: object) -> None:
    columns = ", ".join(f"{name} = ?" for name in values)
    db.execute(f"UPDATE lease SET {columns}", list(values.values()))


def taken(db: Database) -> Lease:
    lease = take_lease(db, SUBJECT, "ann").lease
    assert lease is not None
    return lease


def test_a_process_with_the_same_id_that_started_later_does_not_hold_it(db: Database) -> None:
    lease = taken(db)
    alter(db, process_started=lease.process_started - 3600)
    assert take_lease(db, SUBJECT, "ann").lease is not None


def test_a_lease_from_another_computer_stands_until_it_is_taken_over(db: Database) -> None:
    taken(db)
    alter(db, host="elsewhere", process_id=1)
    answer = take_lease(db, SUBJECT, "ann")
    assert answer.lease is None
    assert "“elsewhere”" in answer.reason
    assert take_lease(db, SUBJECT, "ann", take_over=True).lease is not None


def test_a_living_process_here_keeps_its_lease_against_a_take_over(db: Database) -> None:
    taken(db)
    assert take_lease(db, SUBJECT, "ann", take_over=True).lease is None


def test_releasing_leaves_the_lease_of_another_alone(db: Database) -> None:
    mine = taken(db)
    alter(db, token="another")
    release_lease(db, mine)
    assert db.execute("SELECT token FROM lease").fetchall() == [("another",)]
    with writing(db):
        assert not lease_stands(db, mine)


def test_a_lease_that_vanished_from_the_file_is_put_back(db: Database) -> None:
    mine = taken(db)
    db.execute("DELETE FROM lease")
    with writing(db):
        assert lease_stands(db, mine)
    assert db.execute("SELECT token FROM lease").fetchall() == [(mine.token,)]


def test_a_document_that_was_taken_over_freezes_and_the_other_goes_on(path: Path, project: Project) -> None:
    document = project.open_document(SUBJECT, "ann").document
    connection = sqlite3.connect(path)
    connection.execute("UPDATE lease SET token = 'another'")
    connection.commit()
    connection.close()
    with document.edit("Add") as edit:
        edit.add(FloorEvent("A", "turn", 0, 1))
    assert not project.flush(30)
    assert "took over" in document.frozen
    assert [revision.label for revision in project.held] == ["Add"]
    other = project.open_document(SUBJECT, "bob").document
    with other.edit("Add") as edit:
        edit.add(FloorEvent("A", "turn", 0, 1))
    project.flush(30)
    assert [revision.person for revision in project.held] == ["ann"]
    with pytest.raises(Exception, match="1 steps could not be kept"):
        project.close()
