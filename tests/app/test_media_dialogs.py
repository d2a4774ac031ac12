"""Locating, collecting and removing, in the window and on the command line."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from annotation.cancellation import CancelToken
from annotation.events import FloorEvent
from annotation.project.project import Project, conversation_subject
from annotation.project.relocation import LocateReport, missing_media
from annotation.project.removal import removal_plan
from app.cli import floorscope
from app.demo import make_demo
from app.locate_dialog import LocateDialog
from app.main_window import MainWindow
from app.removal_dialog import RemovalDialog

NAME = "Annegret Musterfrau"


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    """Return a project whose audio was moved to the folder “new” beside it."""
    path = make_demo(tmp_path / "demo")
    with Project.open(path, backups=False) as project:
        files = {identity.path for identity in project.identities()}
    (tmp_path / "new").mkdir()
    for file in files:
        shutil.move(file, tmp_path / "new" / file.name)
    return path


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    path = make_demo(tmp_path / "demo")
    with Project.open(path) as project:
        conversation = project.conversations()[0].conversation
        for person in (NAME, "bob"):
            opened = project.open_document(conversation_subject(conversation.id), person)
            with opened.document.edit("Add") as edit:
                edit.add(FloorEvent(conversation.channels[0].speaker, "turn", 0, 10))
            project.close_document(opened)
    return path


def settle(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.tasks.tasks, timeout=30_000)


def call(*arguments: object, text: str = "") -> Result:
    return CliRunner().invoke(floorscope, [str(argument) for argument in arguments], input=text)


def test_missing_audio_is_said_once_with_a_way_to_locate_it(window: MainWindow, moved: Path, qtbot: QtBot) -> None:
    window.open_project(moved)
    settle(window, qtbot)
    assert window.page is not None
    assert any("not in the expected place" in text for text in window.messages.texts)


def test_what_a_look_finds_is_used_by_one_button(window: MainWindow, moved: Path, tmp_path: Path, qtbot: QtBot) -> None:
    window.open_project(moved)
    settle(window, qtbot)
    assert window.project is not None

    def point() -> None:
        dialog = window.findChild(LocateDialog)
        assert isinstance(dialog, LocateDialog)
        dialog.look(tmp_path / "new")
        qtbot.waitUntil(lambda: dialog.report is not None, timeout=30_000)
        assert "proven to be the same" in dialog.list.toPlainText()
        dialog.use_button.click()

    QTimer.singleShot(0, point)
    window.actions_by_id["project.locate"].trigger()
    assert window.project.conversations()[0].missing == ()
    settle(window, qtbot)


def test_a_file_of_which_only_the_shape_is_known_is_taken_only_if_asked(qtbot: QtBot, moved: Path) -> None:
    with Project.open(moved, backups=False) as project:
        missing = missing_media(project.identities())
        report = project.locate(moved.parent.parent / "new", CancelToken())
    unproven = LocateReport((), report.matches, (), ())
    dialog = LocateDialog(missing=tuple(missing), look=lambda place: None)
    qtbot.addWidget(dialog)
    dialog.show_report(unproven)
    assert not dialog.use_button.isEnabled()
    dialog.unproven.setChecked(True)
    assert len(dialog.moves) == len(missing)
    assert dialog.use_button.isEnabled()


def test_the_locate_command_points_to_what_is_the_same(moved: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    nothing = call("project", "locate", moved, tmp_path / "empty")
    assert nothing.exit_code == 1
    assert "Still missing" in nothing.stdout
    result = call("project", "locate", moved, tmp_path / "new", "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["missing"] == []
    assert document["repointed"] > 0
    assert call("project", "check", moved).exit_code == 0
    assert "No audio is missing." in call("project", "locate", moved, tmp_path / "new").stdout


def test_collecting_copies_in_the_background_and_shows_the_copies(
    window: MainWindow, labelled: Path, qtbot: QtBot
) -> None:
    window.open_project(labelled)
    settle(window, qtbot)
    window.actions_by_id["project.collect"].trigger()
    settle(window, qtbot)
    assert window.project is not None
    assert {identity.path.parent.name for identity in window.project.identities()} == {f"{labelled.stem}-audio"}
    assert any("copied and verified" in text for text in window.messages.texts)


def test_the_collect_command_copies_everything(labelled: Path) -> None:
    document = json.loads(call("project", "collect", labelled, "--json").stdout)
    assert document["copied"] > 0
    assert document["missing"] == []
    again = call("project", "collect", labelled)
    assert again.exit_code == 0
    assert again.stdout.startswith("0 files copied and verified")


def test_work_is_removed_only_after_the_name_was_typed(window: MainWindow, labelled: Path, qtbot: QtBot) -> None:
    window.open_project(labelled)
    settle(window, qtbot)

    def confirm() -> None:
        dialog = window.findChild(RemovalDialog)
        assert isinstance(dialog, RemovalDialog)
        dialog.people.setCurrentText(NAME)
        assert "1 step of" in dialog.text.text()
        dialog.typed.setText(NAME[:-1])
        assert not dialog.remove_button.isEnabled()
        dialog.typed.setText(NAME)
        dialog.remove_button.click()

    QTimer.singleShot(0, confirm)
    window.actions_by_id["project.forget"].trigger()
    settle(window, qtbot)
    assert window.project is not None
    assert window.project.people() == ("bob",)
    assert any("1 step removed" in text for text in window.messages.texts)


def test_the_forget_command_asks_for_the_name_and_says_what_it_did(labelled: Path) -> None:
    declined = call("project", "forget", labelled, "--person", NAME, text="no\n")
    assert declined.exit_code == 2
    assert "Nothing brings this back" in declined.stderr
    assert removal_plan(labelled, NAME).revisions == 1
    assert call("project", "forget", labelled, "--person", "nobody", "--yes").exit_code == 2
    done = call("project", "forget", labelled, "--person", NAME, text=f"{NAME}\n")
    assert done.exit_code == 0
    assert "1 step removed" in done.stdout
    assert removal_plan(labelled, NAME).empty
    document = json.loads(call("project", "forget", labelled, "--person", "bob", "--yes", "--json").stdout)
    assert (document["revisions"], document["erased"]) == (1, True)
