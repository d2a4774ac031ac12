import json
import os
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotation.errors import FloorscopeError
from annotation.project.project import Project
from annotation.scheme import SchemeError
from app.demo import make_demo
from app.main_window import MainWindow
from app.project_dialogs import usable_scheme
from app.settings import SettingsFile

CTRL, ALT, SHIFT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier,
)


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    return make_demo(tmp_path)


def settle(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.tasks.tasks, timeout=30_000)


def opened(window: MainWindow, project: Path, qtbot: QtBot) -> None:
    window.open_project(project)
    settle(window, qtbot)
    assert window.page is not None


def press(window: MainWindow, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(QApplication.focusWidget() or window, key, modifiers)


def mark(window: MainWindow, onset: int, offset: int) -> None:
    page = window.page
    assert page is not None
    page.view.timeline.setFocus()
    page.session.select_event("")
    page.session.select_range(onset, offset)
    press(window, Qt.Key.Key_1)
    page.session.select_range(0, 0)


def test_it_starts_on_the_welcome_page(window: MainWindow) -> None:
    assert window.welcome.isVisible()
    assert not window.actions_by_id["play.toggle"].isEnabled()


def test_the_demo_opens_with_its_speakers_and_reference_events(window: MainWindow, demo: Path, qtbot: QtBot) -> None:
    opened(window, demo, qtbot)
    page = window.page
    assert page is not None
    assert len(page.conversation.channels) >= 3
    content = page.view.timeline.content
    assert content is not None
    assert any(row.spans for lane in content.lanes for row in lane.rows if row.id != "own")


def test_a_mark_is_shown_as_kept_and_found_again(window: MainWindow, demo: Path, qtbot: QtBot) -> None:
    opened(window, demo, qtbot)
    with qtbot.waitSignal(window.kept):
        mark(window, 8000, 16000)
    assert window.kept_text.startswith("Kept ")
    page = window.page
    assert page is not None
    expected = list(page.session.document)
    window.close_project()
    opened(window, demo, qtbot)
    assert window.page is not None
    assert list(window.page.session.document) == expected


def test_undo_names_its_step_and_takes_back_one_gesture(window: MainWindow, demo: Path, qtbot: QtBot) -> None:
    opened(window, demo, qtbot)
    mark(window, 8000, 16000)
    press(window, Qt.Key.Key_Right, ALT)
    assert "Offset of turn" in window.actions_by_id["edit.undo"].text()
    press(window, Qt.Key.Key_Z, CTRL)
    page = window.page
    assert page is not None
    assert [(event.onset, event.offset) for event in page.session.document] == [(8000, 16000)]


def test_timeline_table_and_document_show_the_same_after_every_step(
    window: MainWindow, demo: Path, qtbot: QtBot
) -> None:
    opened(window, demo, qtbot)
    page = window.page
    assert page is not None
    for onset in (9000, 5000, 7000):
        mark(window, onset, onset + 1000)
    for key, modifiers in ((Qt.Key.Key_X, CTRL), (Qt.Key.Key_Delete, ALT), (Qt.Key.Key_Z, CTRL), (Qt.Key.Key_Z, CTRL)):
        press(window, key, modifiers if key == Qt.Key.Key_Z else Qt.KeyboardModifier.NoModifier)
        content = page.view.timeline.content
        assert content is not None
        drawn = {span.id for lane in content.lanes for row in lane.rows if row.id == "own" for span in row.spans}
        model = page.view.table.model()
        listed = {model.event_at(row).id for row in range(model.rowCount())}  # type: ignore[attr-defined]
        assert drawn == listed == {event.id for event in page.session.document}


def test_space_plays_from_the_table_and_from_a_button_but_types_in_a_text_field(
    window: MainWindow, demo: Path, qtbot: QtBot
) -> None:
    opened(window, demo, qtbot)
    mark(window, 8000, 16000)
    page = window.page
    assert page is not None
    page.view.table.setFocus()
    press(window, Qt.Key.Key_Space)
    assert page.player.playing
    press(window, Qt.Key.Key_Space)
    assert not page.player.playing
    press(window, Qt.Key.Key_C)
    press(window, Qt.Key.Key_Space)
    assert not page.player.playing
    press(window, Qt.Key.Key_N)
    press(window, Qt.Key.Key_Escape)
    assert [event.comment for event in page.session.document] == [" n"]


def test_a_second_window_can_only_read_and_says_why(
    window: MainWindow, demo: Path, qtbot: QtBot, qapp: QApplication
) -> None:
    opened(window, demo, qtbot)
    other = MainWindow(settings=SettingsFile())
    other.show()
    opened(other, demo, qtbot)
    assert other.page is not None
    assert other.page.session.document.frozen
    assert str(os.getpid()) in other.messages.texts[0]
    other.close()
    other.deleteLater()


def test_labels_of_the_second_window_follow_the_first(window: MainWindow, demo: Path, qtbot: QtBot) -> None:
    opened(window, demo, qtbot)
    other = MainWindow(settings=SettingsFile())
    other.show()
    opened(other, demo, qtbot)
    page = other.page
    assert page is not None
    with qtbot.waitActive(window):
        window.activateWindow()
    mark(window, 8000, 16000)
    press(window, Qt.Key.Key_Right, ALT)
    qtbot.waitUntil(lambda: [event.offset for event in page.session.document] == [16160])
    assert other.page is page
    assert other.kept_text == "Read only"
    other.close()
    other.deleteLater()


def test_a_file_that_is_no_project_is_said_and_left_alone(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "letter.floorscope"
    path.write_text("dear reader", encoding="utf-8")
    window.open_project(path)
    assert str(path) in window.messages.texts[0]
    assert path.read_text(encoding="utf-8") == "dear reader"
    assert window.welcome.isVisible()


def test_audio_without_a_project_gets_one_that_is_found_again(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    paths = [tmp_path / "call_agent.wav", tmp_path / "call_caller.wav"]
    for path in paths:
        soundfile.write(path, np.zeros(8000, np.float32), 8000)
    window.open_paths(paths)
    qtbot.waitUntil(lambda: window.page is not None, timeout=10_000)
    settle(window, qtbot)
    mark(window, 100, 200)
    assert window.project is not None
    first = window.project.path
    window.open_paths(paths)
    qtbot.waitUntil(lambda: window.page is not None and len(window.page.session.document) == 1, timeout=10_000)
    settle(window, qtbot)
    assert window.project.path == first


def test_a_missing_audio_file_costs_its_lane_and_nothing_else(window: MainWindow, demo: Path, qtbot: QtBot) -> None:
    with Project.open(demo) as project:
        summary = project.conversations()[0]
        path = summary.conversation.channels[0].path
    assert path is not None
    path.rename(path.with_suffix(".moved"))
    opened(window, demo, qtbot)
    assert any(path.name in text for text in window.messages.texts)
    mark(window, 8000, 16000)
    assert window.page is not None
    assert len(window.page.session.document) == 1


def test_every_action_of_the_table_does_something(window: MainWindow, demo: Path, qtbot: QtBot) -> None:
    from app.actions import ACTIONS, When

    opened(window, demo, qtbot)
    assert window.page is not None
    bound = {*window.page.handlers(), *window.own_handlers(), "project.recent"}
    # What an annotator uses is bound by the annotate page: tests/app/annotate holds that.
    assert {spec.id for spec in ACTIONS if spec.when != When.STUDY} == bound


def test_a_comment_being_typed_is_kept_when_the_window_goes_elsewhere(
    window: MainWindow, demo: Path, qtbot: QtBot
) -> None:
    opened(window, demo, qtbot)
    mark(window, 8000, 16000)
    press(window, Qt.Key.Key_C)
    QTest.keyClicks(QApplication.focusWidget() or window, "half a thought")
    window.close_project()
    opened(window, demo, qtbot)
    assert window.page is not None
    assert [event.comment for event in window.page.session.document] == ["half a thought"]


def test_a_reference_row_chosen_in_the_table_is_not_what_delete_removes(
    window: MainWindow, demo: Path, qtbot: QtBot
) -> None:
    opened(window, demo, qtbot)
    mark(window, 8000, 16000)
    page = window.page
    assert page is not None
    box = page.view._source_box
    box.setCurrentIndex(1)
    box.activated.emit(1)
    page.view.table.selectRow(3)
    press(window, Qt.Key.Key_Delete)
    assert len(page.session.document) == 1


def test_steps_that_cannot_be_written_hold_the_page_until_given_up(
    window: MainWindow, demo: Path, qtbot: QtBot
) -> None:
    opened(window, demo, qtbot)
    assert window.project is not None
    log = demo.with_name(demo.name + "-wal")
    demo.rename(demo.with_suffix(".moved"))
    mark(window, 8000, 16000)
    qtbot.waitUntil(lambda: window.kept_text.startswith("NOT KEPT"))
    page = window.page
    with pytest.raises(FloorscopeError):
        window.close_project()
    assert window.page is page
    demo.with_suffix(".moved").rename(demo)
    assert log.exists() or demo.exists()
    window.messages._on_remedy(0)
    qtbot.waitUntil(lambda: window.kept_text.startswith("Kept"))
    assert page is not None
    assert not page.session.document.frozen
    assert page.view.inspector._kind.isEnabled()


def test_a_damaged_conversation_is_said_and_the_window_stays(window: MainWindow, demo: Path, qtbot: QtBot) -> None:
    opened(window, demo, qtbot)
    window.open_conversation("no such conversation")
    assert any("no such conversation" in text for text in window.messages.texts)


def test_a_document_that_was_given_back_can_be_taken_over_by_one_button(
    window: MainWindow, demo: Path, qtbot: QtBot
) -> None:
    opened(window, demo, qtbot)
    other = MainWindow(settings=SettingsFile())
    other.show()
    opened(other, demo, qtbot)
    window.close_project()
    other.messages._on_remedy(0)
    assert other.page is not None
    assert not other.page.session.document.frozen
    assert other.kept_text != "Read only"
    other.close()
    other.deleteLater()


def test_escape_clears_the_filter_and_gives_the_keyboard_back(window: MainWindow, demo: Path, qtbot: QtBot) -> None:
    opened(window, demo, qtbot)
    press(window, Qt.Key.Key_F, CTRL)
    field = window.project_page.browser.filter_field
    QTest.keyClicks(field, "nothing like it")
    press(window, Qt.Key.Key_Escape)
    assert field.text() == ""
    assert window.page is not None
    assert window.page.view.timeline.hasFocus()


def scheme_file(folder: Path, key: str) -> Path:
    kind = {"id": "LAUGH", "name": "Laugh", "key": key, "letter": "L", "light": "#1b6ac9", "dark": "#6cb0ff"}
    path = folder / "own.json"
    path.write_text(json.dumps({"id": "own", "name": "Own", "version": 1, "kinds": [kind]}), encoding="utf-8")
    return path


def test_kinds_of_a_scheme_file_are_marked_with_their_keys_and_remembered(
    window: MainWindow, demo: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    opened(window, demo, qtbot)
    window.use_scheme(str(scheme_file(tmp_path, "7")))
    page = window.page
    assert page is not None
    page.view.timeline.setFocus()
    page.session.select_range(8000, 16000)
    press(window, Qt.Key.Key_7)
    assert [event.kind for event in page.session.document] == ["LAUGH"]
    assert SettingsFile().value.scheme == str(tmp_path / "own.json")


def test_a_scheme_with_the_key_of_an_action_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SchemeError, match="Loop"):
        usable_scheme(scheme_file(tmp_path, "l"), {})


def test_a_scheme_that_is_gone_gives_way_to_the_one_that_ships_and_is_said(window: MainWindow, tmp_path: Path) -> None:
    window.use_scheme(str(tmp_path / "gone.json"))
    assert window.scheme.id == "floor-events"
    assert any("gone.json" in text for text in window.messages.texts)
