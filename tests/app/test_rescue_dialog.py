"""A damaged project in the window and on the command line: what is wrong, what can be rescued, what is lost."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from pytestqt.qtbot import QtBot

from annotation.events import FloorEvent
from annotation.project.project import Project, conversation_subject
from app.cli import floorscope
from app.demo import make_demo
from app.main_window import MainWindow
from app.rescue_dialog import RescueDialog
from app.settings import account_name

STEPS = 60


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """Return a project whose 50th step was changed behind Floorscope's back; its backup holds the first 40."""
    path = make_demo(tmp_path / "demo")
    with Project.open(path, backups=False) as project:
        opened = project.open_document(conversation_subject(project.conversations()[0].id), account_name())
        for step in range(STEPS):
            if step == 40:
                project.backup()
            with opened.document.edit("Add") as edit:
                speaker = project.conversations()[0].conversation.channels[0].speaker
                edit.add(FloorEvent(speaker, "turn", step, step + 5, comment=f"number {step}."))
    data = path.read_bytes()
    path.write_bytes(data.replace(b"number 50.", b"number 5O."))
    return path


def dialog_of(window: MainWindow, qtbot: QtBot) -> RescueDialog:
    qtbot.waitUntil(lambda: window.findChild(RescueDialog) is not None, timeout=30_000)
    dialog = window.findChild(RescueDialog)
    assert isinstance(dialog, RescueDialog)
    return dialog


def settle(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.tasks.tasks, timeout=30_000)


def test_the_window_says_what_is_there_and_rescues_it_into_a_new_file(
    window: MainWindow, damaged: Path, qtbot: QtBot
) -> None:
    before = damaged.read_bytes()
    window.open_project(damaged)
    dialog = dialog_of(window, qtbot)
    said = dialog.text.text()
    assert "with 40 steps; 10 more can be read" in said
    assert "10 steps are lost: 10 can be read but build on what is lost" in said
    dialog.rescue_button.click()
    qtbot.waitUntil(lambda: window.page is not None, timeout=30_000)
    settle(window, qtbot)
    assert window.project is not None
    assert "(rescued " in window.project.path.name
    assert window.page is not None
    assert len(window.page.session.document) == 50
    assert damaged.read_bytes() == before


def test_the_newest_backup_opens_for_reading_with_its_sound(window: MainWindow, damaged: Path, qtbot: QtBot) -> None:
    window.open_project(damaged)
    dialog_of(window, qtbot).backup_button.click()
    qtbot.waitUntil(lambda: window.page is not None, timeout=30_000)
    settle(window, qtbot)
    assert window.project is not None
    assert window.project.read_only
    assert window.page is not None
    assert len(window.page.session.document) == 40
    assert window.project.conversations()[0].missing == ()


def test_declining_leaves_everything_as_it_is(window: MainWindow, damaged: Path, qtbot: QtBot) -> None:
    before = sorted(file.name for file in damaged.parent.iterdir() if not file.name.endswith("-shm"))
    window.open_project(damaged)
    dialog_of(window, qtbot).reject()
    assert window.project is None
    assert sorted(file.name for file in damaged.parent.iterdir() if not file.name.endswith("-shm")) == before


def test_a_sound_project_can_be_joined_with_its_backups(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    window.open_project(make_demo(tmp_path))
    settle(window, qtbot)
    window.actions_by_id["project.rescue"].trigger()
    assert "No step is lost." in dialog_of(window, qtbot).text.text()


def test_the_command_says_in_sentences_and_in_json_what_is_lost(damaged: Path, tmp_path: Path) -> None:
    out = tmp_path / "new.floorscope"
    result = CliRunner().invoke(floorscope, ["project", "rescue", str(damaged), "--out", str(out)])
    assert result.exit_code == 0
    assert "10 steps are lost" in result.stdout
    assert f"Written and checked: {out}" in result.stdout
    document = json.loads(CliRunner().invoke(floorscope, ["project", "rescue", str(damaged), "--json"]).stdout)
    assert (document["revisions"], document["lost"], document["set_aside"]) == (50, 10, 10)
    assert Path(document["out"]).exists()


def test_a_name_without_the_ending_is_refused(damaged: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(floorscope, ["project", "rescue", str(damaged), "--out", str(tmp_path / "new.db")])
    assert result.exit_code == 2
