from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.events import FloorEvent
from annotation.project import backup as backup_module
from annotation.project.backup import KEPT, backup_folder, backups_of, fault_of_backup, make_backup
from annotation.project.faults import ProjectError
from annotation.project.project import Project, conversation_subject

SUBJECT = conversation_subject("c1")
MakeEvent = Callable[..., FloorEvent]


def label(project: Project, event: FloorEvent) -> None:
    opened = project.open_document(SUBJECT, "ann")
    with opened.document.edit("Add") as edit:
        edit.add(event)
    project.close_document(opened)


def test_a_backup_holds_all_that_was_entered_and_opens_as_a_project(project: Project, event: MakeEvent) -> None:
    label(project, event())
    made = project.backup()
    assert made is not None
    assert fault_of_backup(made) == ""
    assert [file.name for file in made.parent.iterdir()] == [made.name]
    with Project.open(made, read_only=True) as restored:
        assert len(restored.open_document(SUBJECT, "ann").document) == 1
        assert restored.id == project.id


def test_nothing_new_needs_no_new_backup(project: Project, event: MakeEvent) -> None:
    label(project, event())
    assert project.backup() is not None
    assert project.backup() is None


def test_backups_are_made_by_themselves_on_opening_and_closing(path: Path, event: MakeEvent) -> None:
    with Project.create(path) as project:
        assert len(backups_of(path)) == 1
        label(project, event())
    assert len(backups_of(path)) == 2
    with Project.open(path):
        assert len(backups_of(path)) == 2


def test_a_crashed_session_is_backed_up_on_the_next_opening(path: Path, event: MakeEvent) -> None:
    with Project.create(path, backups=False) as project:
        label(project, event())
    with Project.open(path):
        assert len(backups_of(path)) == 1


def test_the_oldest_goes_when_enough_newer_ones_are_sound(project: Project, event: MakeEvent) -> None:
    made = []
    for onset in range(KEPT + 2):
        label(project, event(onset, onset + 1))
        made.append(project.backup())
    assert list(backups_of(project.path)) == made[:1:-1]


def test_damaged_newer_backups_never_cost_a_sound_older_one(project: Project, event: MakeEvent) -> None:
    sound = None
    for onset in range(KEPT):
        label(project, event(onset, onset + 1))
        made = project.backup()
        assert made is not None
        if sound is None:
            sound = made
        else:
            made.write_bytes(made.read_bytes()[:-4096] + b"\xff" * 4096)
    label(project, event(99, 100))
    project.backup()
    assert sound is not None
    assert sound in backups_of(project.path)
    assert fault_of_backup(sound) == ""


def test_a_damaged_newest_backup_is_replaced_although_nothing_changed(project: Project, event: MakeEvent) -> None:
    label(project, event())
    first = project.backup()
    assert first is not None
    first.write_bytes(b"")
    second = project.backup()
    assert second is not None
    assert fault_of_backup(second) == ""


def test_a_copy_that_does_not_read_back_is_never_called_a_backup(
    project: Project, event: MakeEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    label(project, event())
    copy = backup_module._copy

    def damaged(db: object, draft: Path) -> object:
        contents = copy(db, draft)  # type: ignore[arg-type]
        draft.write_bytes(draft.read_bytes()[:4096])
        return contents

    monkeypatch.setattr(backup_module, "_copy", damaged)
    with pytest.raises(ProjectError, match="not sound"):
        project.backup()
    assert list(backup_folder(project.path).iterdir()) == []


def test_a_backup_that_fails_does_not_keep_a_project_from_opening(path: Path, event: MakeEvent) -> None:
    Project.create(path, backups=False).close()
    backup_folder(path).write_text("in the way")
    with Project.open(path) as project:
        assert [notice.code for notice in project.notices] == ["backup-failed"]
        label(project, event())
    with Project.open(path, backups=False) as again:
        assert len(again.open_document(SUBJECT, "ann").document) == 1


def test_a_backup_is_one_state_although_another_connection_writes(project: Project, event: MakeEvent) -> None:
    opened = project.open_document(SUBJECT, "ann")
    for onset in range(300):
        with opened.document.edit("Add") as edit:
            edit.add(event(onset, onset + 1))
    made = make_backup(project.path)
    assert made is not None
    assert fault_of_backup(made) == ""
    with Project.open(made, read_only=True) as restored:
        onsets = [found.onset for found in restored.open_document(SUBJECT, "ann").document]
    assert onsets == list(range(len(onsets)))
    assert project.flush(30)


def test_a_name_with_brackets_has_its_backups_found_and_rotated(tmp_path: Path) -> None:
    path = tmp_path / "study [1].floorscope"
    Project.create(path, backups=False).close()
    first = make_backup(path)
    assert backups_of(path) == (first,)
