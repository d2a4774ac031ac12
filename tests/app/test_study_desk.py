from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from annotation.project.project import Project
from annotation.study.design import preset_design
from annotation.study.lead_lock import is_locked, opens, set_passphrase
from annotation.study.presentation import Answer, Listening
from annotation.study.records import StudyRecords
from annotation.study.store import AnnotatorStore
from app.demo import make_demo
from app.main_window import MainWindow
from app.study_dialogs import LOCK_TEXT, ReplaceDialog, SetLockDialog, SubmissionsDialog
from app.study_wizard import StudyWizard

NAMES = ("Ana", "Ben", "Chidi")


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    return make_demo(tmp_path)


@pytest.fixture
def studied(demo: Path) -> Path:
    with Project.open(demo) as project:
        StudyRecords(project).create(preset_design("floor-events", "Party", NAMES, seed=3), "lead")
    return demo


def settle(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.tasks.tasks, timeout=30_000)


def submit_one(path: Path, seat: str) -> None:
    store = AnnotatorStore(path, seat)
    shown = store.next_presentation()
    assert shown is not None
    store.submit(shown.id, Answer(kind="TURN", holder_before="", holder_after="v1", onset=5, offset=9), Listening())
    store.close()


def wizard_of(qtbot: QtBot) -> StudyWizard:
    wizard = next(widget for widget in QApplication.topLevelWidgets() if isinstance(widget, StudyWizard))
    qtbot.waitUntil(wizard.isVisible)
    return wizard


def test_the_wizard_shows_the_work_before_it_draws_and_then_opens_the_page(
    window: MainWindow, demo: Path, qtbot: QtBot
) -> None:
    window.open_project(demo)
    settle(window, qtbot)
    window.actions_by_id["study.new"].trigger()
    wizard = wizard_of(qtbot)
    wizard.items.name.setText("Party")
    wizard.next()
    assert not wizard.people.isComplete()
    for field, name in zip(wizard.people.fields, NAMES, strict=True):
        field.setText(name)
    assert wizard.people.isComplete()
    wizard.next()
    wizard.guidelines.text.setPlainText("# Listen\n\nTo **all**.")
    assert "Listen" in wizard.guidelines.preview.toPlainText()
    wizard.next()
    wizard.next()
    text = wizard.workload.text.text()
    assert "Each of 3 annotators gets 34 presentations of 27 items" in text
    assert "7 of 27 items are met a second time" in text
    assert "A pack for another machine will have about" in text
    assert window.project is not None
    assert StudyRecords(window.project).studies() == ()
    wizard.accept()
    settle(window, qtbot)
    page = window.desk.page
    assert page is not None
    assert page.isVisible()
    assert page.status is not None
    assert [seat.seat.annotator for seat in page.status.seats] == list(NAMES)
    assert StudyRecords(window.project).study().design.guidelines.startswith("# Listen")


def test_the_wizard_says_what_is_wrong_with_names(window: MainWindow, demo: Path, qtbot: QtBot) -> None:
    window.open_project(demo)
    settle(window, qtbot)
    window.actions_by_id["study.new"].trigger()
    wizard = wizard_of(qtbot)
    people = wizard.people
    people.fields[0].setText("Ana")
    assert people.wrong.text() == "A study needs at least 2 annotators: type their names."
    people.fields[1].setText("ana")
    assert people.wrong.text() == "“Ana” stands here twice: give each their own name."
    people.add_person()
    assert len(people.fields) == 4
    wizard.reject()


def test_the_page_follows_what_annotators_do_and_shows_no_answer(
    window: MainWindow, studied: Path, qtbot: QtBot
) -> None:
    window.open_project(studied)
    settle(window, qtbot)
    window.actions_by_id["study.lead"].trigger()
    page = window.desk.page
    assert page is not None
    assert page.seat is not None
    submit_one(studied, page.seat.seat.id)
    qtbot.waitUntil(lambda: page.seat is not None and page.seat.submitted == 1)
    cells = [page.table.item(row, place) for row in range(3) for place in range(page.table.columnCount())]
    texts = [cell.text() for cell in cells if cell is not None] + [label.text() for label in page.findChildren(QLabel)]
    kinds = [kind.name for kind in window.scheme.kinds] + [kind.id for kind in window.scheme.kinds]
    assert [text for text in texts if any(kind in text for kind in kinds)] == []
    window.actions_by_id["study.leave"].trigger()
    assert window.page is not None
    assert window.page.isVisible()


def test_no_button_of_the_page_has_the_letter_of_a_menu(window: MainWindow, studied: Path, qtbot: QtBot) -> None:
    window.open_project(studied)
    settle(window, qtbot)
    window.actions_by_id["study.lead"].trigger()
    page = window.desk.page
    assert page is not None
    texts = [button.text() for button in (*page.buttons.values(), page.back)]
    texts += [action.text() for action in window.menuBar().actions()]
    letters = [text[text.index("&") + 1].lower() for text in texts if text not in ("&Study",)]
    assert len(set(letters)) == len(letters)


def test_a_pack_is_written_and_comes_home_by_dropping_it(
    window: MainWindow, studied: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    window.open_project(studied)
    settle(window, qtbot)
    window.actions_by_id["study.lead"].trigger()
    page = window.desk.page
    assert page is not None
    assert window.project is not None
    seat = page.seat
    assert seat is not None
    pack = tmp_path / "ana.floorpack"
    window.desk.write(window.project, seat, pack)
    settle(window, qtbot)
    assert pack.exists()
    submit_one(pack, seat.seat.id)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(pack))])
    page.dropEvent(
        QDropEvent(
            QPointF(5, 5),
            Qt.DropAction.CopyAction,
            data,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
    )
    settle(window, qtbot)
    assert page.status is not None
    assert page.status.seats[0].submitted == 1
    assert "1 submissions and 1 steps and breaks added" in window.messages.texts[0]


def test_a_locked_page_opens_with_its_passphrase_only(studied: Path) -> None:
    with Project.open(studied) as project:
        assert not is_locked(project)
        set_passphrase(project, "open sesame")
        assert is_locked(project)
        assert not opens(project, "open")
        assert opens(project, "open sesame")
    assert b"open sesame" not in studied.read_bytes()
    with Project.open(studied) as project:
        set_passphrase(project, "")
        assert not is_locked(project)


def test_the_dialog_of_the_passphrase_says_what_it_does_not_protect(qtbot: QtBot) -> None:
    dialog = SetLockDialog(locked=False)
    qtbot.addWidget(dialog)
    assert LOCK_TEXT in [label.text() for label in dialog.findChildren(QLabel)]
    assert "does not protect the file" in LOCK_TEXT
    dialog.first.setText("abcd")
    assert not dialog.set_button.isEnabled()
    dialog.second.setText("abcd")
    assert dialog.set_button.isEnabled()


def test_submissions_show_no_answer_until_asked_and_go_back_with_a_note(studied: Path, qtbot: QtBot) -> None:
    with Project.open(studied) as project:
        records = StudyRecords(project)
        submit_one(studied, records.seats()[0].id)
        dialog = SubmissionsDialog(submissions=records.current())
        qtbot.addWidget(dialog)
        assert dialog.table.isColumnHidden(4)
        dialog.table.selectRow(0)
        assert not dialog.send_button.isEnabled()
        dialog.note.setPlainText("Once more, please.")
        assert dialog.send_button.isEnabled()
        assert dialog.chosen is not None
        records.reopen(dialog.chosen.submission.id, "lead", dialog.text)
        assert records.status().seats[0].reopened == 1


def test_a_seat_goes_to_nobody_who_has_one(qtbot: QtBot) -> None:
    dialog = ReplaceDialog(leaving="Ana", submitted=3, names=NAMES)
    qtbot.addWidget(dialog)
    dialog.name.setText("ben")
    assert not dialog.replace_button.isEnabled()
    dialog.name.setText("Dora")
    assert dialog.replace_button.isEnabled()
