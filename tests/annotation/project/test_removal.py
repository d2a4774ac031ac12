"""What one person entered goes on request: rows, and bytes in the file, its log and its backups."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from annotation.conversation import SpeakerAssignment
from annotation.events import FloorEvent
from annotation.project.backup import backups_of, fault_of_backup, make_backup
from annotation.project.database import connect
from annotation.project.faults import ProjectError
from annotation.project.project import Project, conversation_subject
from annotation.project.removal import removal_plan, remove_person
from annotation.project.revision_log import documents_in, first_broken, revisions_of
from annotation.project.salvage import rescue
from annotation.sources import ImportedConversation

NAME = "Annegret Musterfrau"
SECRET = "what only she said"
SUBJECT = conversation_subject("c1")


def label(path: Path, person: str, comment: str, steps: int = 30) -> None:
    with Project.open(path, backups=False) as project:
        opened = project.open_document(SUBJECT, person)
        for step in range(steps):
            with opened.document.edit("Add") as edit:
                edit.add(FloorEvent("A", "turn", step, step + 1, comment=f"{comment} {step}" * (1 + step % 3 * 700)))
        opened.document.undo()
        project.close_document(opened)


@pytest.fixture
def shared(path: Path, imported: ImportedConversation) -> Path:
    """Return a project with work of two people, and three backups: of one, of both, and a damaged one."""
    with Project.create(path, backups=False) as project:
        project.add([imported])
        project.assign("c1", tuple(SpeakerAssignment(s, "", 1 - n) for n, s in enumerate("AB")), NAME)
    label(path, "bob", "bob's")
    label(path, NAME, SECRET)
    label(path, "bob", "bob's later")
    make_backup(path)
    label(path, NAME, SECRET, 3)
    damaged = make_backup(path)
    assert damaged is not None
    damaged.write_bytes(damaged.read_bytes()[:-4096])
    make_backup(path)
    return path


def bytes_of(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_the_plan_says_what_is_there_and_changes_nothing(shared: Path) -> None:
    before = bytes_of(shared.parent)
    plan = removal_plan(shared, NAME)
    assert (plan.revisions, plan.documents, plan.mappings, plan.others) == (35, 1, 1, ("bob",))
    assert (len(plan.backups), len(plan.damaged_backups)) == (2, 1)
    assert bytes_of(shared.parent) == before
    assert removal_plan(shared, "nobody").empty


def test_the_bytes_are_gone_from_file_log_and_backups(shared: Path) -> None:
    assert NAME.encode() in bytes_of(shared.parent)
    assert SECRET.encode() in bytes_of(shared.parent)
    report = remove_person(shared, NAME)
    assert (report.revisions, report.mappings, report.backups_rewritten, report.backups_deleted) == (35, 1, 2, 1)
    assert report.erased
    left = bytes_of(shared.parent)
    assert NAME.encode() not in left
    assert SECRET.encode() not in left
    assert b"bob's later 7" in left


def test_what_others_entered_stays_and_the_log_is_as_strict_as_before(shared: Path) -> None:
    db = connect(shared, read_only=True)
    bob = revisions_of(db, SUBJECT, "bob")
    db.close()
    remove_person(shared, NAME)
    for file in (shared, *backups_of(shared)):
        assert fault_of_backup(file) == ""
        db = connect(file, read_only=True)
        assert documents_in(db) == ((SUBJECT, "bob"),)
        assert revisions_of(db, SUBJECT, "bob") == bob
        assert first_broken(db) is None
        db.close()
    with Project.open(shared) as project:
        assert project.notices == ()
        assert project.mapping_history("c1")[0].person == ""
        assert project.check().problems == ()
    db = connect(shared)
    for statement in ("DELETE FROM revision", "UPDATE mapping SET person = 'x'", "DELETE FROM set_aside"):
        if "set_aside" not in statement:
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                db.execute(statement)
    db.close()


def test_it_is_recorded_without_the_name(shared: Path) -> None:
    remove_person(shared, NAME)
    db = connect(shared, read_only=True)
    ((number, at, revisions, mappings, sequences),) = db.execute("SELECT * FROM removal").fetchall()
    db.close()
    assert (number, revisions, mappings, sequences) == (1, 35, 1, "[[32,62],[94,97]]")
    assert at.startswith("20")


def test_removing_again_finds_nothing_and_harms_nothing(shared: Path) -> None:
    remove_person(shared, NAME)
    report = remove_person(shared, NAME)
    assert (report.revisions, report.mappings, report.backups_rewritten) == (0, 0, 0)
    db = connect(shared, read_only=True)
    assert db.execute("SELECT count(*) FROM removal").fetchone() == (1,)
    db.close()


def test_work_that_is_open_is_not_removed(shared: Path) -> None:
    before = removal_plan(shared, NAME)
    with Project.open(shared, backups=False) as project:
        project.open_document(SUBJECT, NAME)
        with pytest.raises(ProjectError, match="is open"):
            remove_person(shared, NAME)
    assert removal_plan(shared, NAME) == before


def test_work_of_others_may_be_open(shared: Path) -> None:
    with Project.open(shared, backups=False) as project:
        opened = project.open_document(SUBJECT, "bob")
        remove_person(shared, NAME)
        with opened.document.edit("Add") as edit:
            edit.add(FloorEvent("A", "turn", 0, 1))
        assert project.flush(30)
        assert project.poll().changed in (True, False)
    assert NAME.encode() not in bytes_of(shared.parent)


def test_what_was_removed_is_no_loss_to_a_rescue_and_does_not_come_back(shared: Path) -> None:
    remove_person(shared, NAME)
    data = bytearray(shared.read_bytes())
    data[0] = 0
    shared.write_bytes(data)
    report = rescue(shared)
    assert report.out is not None
    assert (report.lost, report.unread) == (0, 0)
    assert NAME.encode() not in bytes_of(shared.parent)
    again = rescue(report.out)
    assert (again.revisions, again.lost) == (report.revisions, 0)


def test_a_full_disk_says_what_is_done_and_what_is_not(tiny_disk: Path) -> None:
    path = tiny_disk / "study.floorscope"
    Project.create(path, backups=False).close()
    label(path, NAME, SECRET, 9)
    label(path, "bob", "bob's", 12)
    with (tiny_disk / "ballast").open("wb", buffering=0) as file:
        free = 20_000
        statistics = shutil.disk_usage(tiny_disk)
        file.write(b"x" * max(0, statistics.free - free))
    with pytest.raises(ProjectError):
        remove_person(path, NAME)
    (tiny_disk / "ballast").unlink()
    remove_person(path, NAME)
    assert SECRET.encode() not in bytes_of(tiny_disk)
    with Project.open(path, backups=False) as project:
        assert len(project.open_document(SUBJECT, "bob").document) == 11
