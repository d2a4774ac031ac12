from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAction
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from annotation.project.project import Project
from annotation.study.presentation import Answer, Listening
from annotation.study.records import StudyRecords
from annotation.study.seats import find_seat
from annotation.study.store import AnnotatorStore
from app.actions import ACTIONS, When
from app.main_window import MainWindow
from app.sign_in_dialog import SignInDialog
from tests.app.annotate.hand import (
    ME,
    answer_fully,
    begun,
    choose,
    item_of,
    press,
    settle,
    signed_in,
    submit,
)
from widgets.annotate.cards import Card

CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier


def told(card: Card | None) -> str:
    assert card is not None
    return card.accessibleName()


def test_the_welcome_card_says_who_and_how_far(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    page = signed_in(window, path, qtbot)
    assert "Street study" in told(page.card)
    assert f"signed in as {ME}" in told(page.card)
    assert window.project is None
    assert window.windowTitle() == f"Street study – {ME} – Floorscope"


def test_an_item_is_answered_and_handed_in_by_keyboard_alone(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    page = signed_in(window, path, qtbot)
    press(window, Qt.Key.Key_Return)
    settle(window, qtbot)
    item = item_of(page)
    first = item.presentation.id
    item.player.seek(item.presentation.cue.onset + 50)
    press(window, Qt.Key.Key_BracketLeft)
    item.player.seek(item.presentation.cue.offset - 50)
    press(window, Qt.Key.Key_BracketRight)
    press(window, Qt.Key.Key_1)
    press(window, Qt.Key.Key_1, CTRL)
    press(window, Qt.Key.Key_0, ALT)
    press(window, Qt.Key.Key_Period)
    answer = item.session.answer
    assert (answer.kind, answer.holder_after, answer.confidence) == ("TURN", "", 3)
    assert (answer.onset, answer.offset) == (item.presentation.cue.onset + 50, item.presentation.cue.offset - 50)
    press(window, Qt.Key.Key_Return)
    settle(window, qtbot)
    assert item_of(page).presentation.id != first


def test_nothing_is_opened_between_submit_and_the_next_item(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    page = begun(window, path, qtbot)
    waited = page.shelf.waits
    for _ in range(6):
        submit(window, page, qtbot)
        assert page.item is not None
    assert page.shelf.waits == waited


def test_the_next_item_begins_with_the_same_view_whatever_was_done_to_the_last(
    window: MainWindow, path: Path, qtbot: QtBot
) -> None:
    page = begun(window, path, qtbot)
    item = item_of(page)
    item.view.timeline.zoom_in()
    window.actions_by_id["play.loop"].trigger()
    item.view.toggle(solo=True)
    item.player.seek(900)
    submit(window, page, qtbot)
    item = item_of(page)
    first, last = item.view.timeline.visible_range
    assert (first <= 0, last >= item.presentation.frames) == (True, True)
    assert (item.player.looping, item.player.position) == (False, 0)
    assert not any(channel.solo for channel in item.view.mixer.mix)


def test_drafts_survive_the_window_and_the_item_that_was_open_comes_first(
    window: MainWindow, path: Path, qtbot: QtBot
) -> None:
    page = begun(window, path, qtbot)
    submit(window, page, qtbot)
    item_of(page).session.set_kind("BACKCHANNEL")
    item_of(page).view.panel.focus_comment()
    for key in (Qt.Key.Key_O, Qt.Key.Key_K):
        press(window, key)
    open_item = item_of(page).presentation.id
    window.actions_by_id["study.sign_out"].trigger()
    qtbot.waitUntil(lambda: window.seat_page is None)
    page = begun(window, path, qtbot)
    item = item_of(page)
    assert item.presentation.id == open_item
    assert (item.session.answer.kind, item.session.answer.comment.lower()) == ("BACKCHANNEL", "ok")
    assert item.session.history.undo_label == "Comment"


def test_gestures_are_shown_as_kept_when_they_are(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    page = begun(window, path, qtbot)
    item_of(page).session.set_kind("TURN")
    assert window.kept_text.startswith("Keeping 1")
    qtbot.waitUntil(lambda: window.kept_text.startswith("Kept"))


def test_undo_belongs_to_the_item_and_is_named(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    page = begun(window, path, qtbot)
    item_of(page).session.set_kind("TURN")
    assert "Kind: Turn" in window.actions_by_id["edit.undo"].text()
    press(window, Qt.Key.Key_Z, CTRL)
    assert item_of(page).session.answer.kind == ""
    submit(window, page, qtbot)
    assert not window.actions_by_id["edit.undo"].isEnabled()


def test_one_goes_back_and_hands_in_anew(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    page = begun(window, path, qtbot)
    first = item_of(page).presentation.id
    submit(window, page, qtbot, kind="HOLD")
    waiting = item_of(page).presentation.id
    page.go_back()
    menu = page.findChildren(QMenu)[-1]
    assert [action.text() for action in menu.actions()] == ["1 back · Hold", "The item to be answered next"]
    menu.actions()[0].trigger()
    settle(window, qtbot)
    assert (item_of(page).presentation.id, item_of(page).session.answer.kind) == (first, "HOLD")
    menu.close()
    submit(window, page, qtbot, kind="TURN")
    assert item_of(page).presentation.id == waiting


def test_an_item_that_was_sent_back_comes_first_with_the_note(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    page = begun(window, path, qtbot)
    first = item_of(page).presentation.id
    submit(window, page, qtbot)
    window.close_project()
    with Project.open(path, backups=False) as project:
        records = StudyRecords(project)
        records.reopen(records.current()[0].submission.id, "Lead", "Listen to the end")
    page = begun(window, path, qtbot)
    item = item_of(page)
    assert (item.presentation.id, item.session.answer.kind) == (first, "")
    page.go_back()
    menu = page.findChildren(QMenu)[-1]
    assert menu.actions()[0].text() == "Sent back: “Listen to the end”"
    menu.close()


def test_a_break_stops_clock_and_sound_and_is_recorded(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    page = begun(window, path, qtbot)
    item = item_of(page)
    item.session.toggle()
    window.actions_by_id["study.break"].trigger()
    assert "On a break" in told(page.card)
    assert not item.player.playing
    spent = item.session.listening().spent_s
    assert not window.actions_by_id["play.toggle"].isEnabled()
    press(window, Qt.Key.Key_1)
    assert item.session.answer.kind == ""
    assert item.session.listening().spent_s == spent
    choose(page, "resume")
    assert item_of(page) is item
    assert window.actions_by_id["play.toggle"].isEnabled()


def test_a_break_goes_on_over_a_restart(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    page = begun(window, path, qtbot)
    page.begin_break()
    window.close_project()
    page = signed_in(window, path, qtbot)
    assert "On a break" in told(page.card)
    choose(page, "resume")
    settle(window, qtbot)
    assert page.item is not None


def test_how_it_was_listened_to_is_handed_in(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    page = begun(window, path, qtbot)
    item_of(page).bar.choose_speed(0.75)
    item_of(page).session.play_span()
    qtbot.waitUntil(lambda: item_of(page).player.playing)
    submit(window, page, qtbot)
    window.close_project()
    with Project.open(path, backups=False) as project:
        [current] = StudyRecords(project).current()
    assert (current.submission.listening.plays, current.submission.listening.slowest) == (1, 0.75)
    assert current.submission.scheme_version == 1
    assert current.submission.draft is not None


def test_when_all_is_done_a_card_says_so_with_the_own_totals(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    store = AnnotatorStore(path, find_seat(path, ME))
    try:
        while (shown := store.next_presentation()) is not None:
            if store.progress().submitted == store.progress().total - 1:
                break
            history = store.history(shown.id)
            history.give("All", Answer("TURN", "", shown.speakers[0].id, "", shown.cue.onset, shown.cue.onset + 10, 3))
            store.submit(shown.id, history.answer, Listening(spent_s=30.0))
    finally:
        store.close()
    page = begun(window, path, qtbot)
    submit(window, page, qtbot)
    assert "All done You handed in" in told(page.card)
    assert page.item is None


def test_a_calibration_shows_the_reference_and_opens_the_study_once_passed(
    window: MainWindow, calibrated: Path, qtbot: QtBot
) -> None:
    page = signed_in(window, calibrated, qtbot)
    assert "First comes a calibration: 2 items" in told(page.card)
    choose(page, "next")
    settle(window, qtbot)
    for _ in range(2):
        answer_fully(page, "HOLD")
        press(window, Qt.Key.Key_Return)
        assert item_of(page).view.showing_feedback
        press(window, Qt.Key.Key_Return)
        settle(window, qtbot)
    assert "Another round" in told(page.card)
    choose(page, "next")
    settle(window, qtbot)
    for _ in range(2):
        with Project.open(calibrated, read_only=True) as project:
            reference = kind_of(StudyRecords(project), item_of(page).presentation.id)
        answer_fully(page, reference)
        press(window, Qt.Key.Key_Return)
        press(window, Qt.Key.Key_Return)
        settle(window, qtbot)
    assert "Calibration passed" in told(page.card)


def test_a_name_that_is_not_in_the_study_is_refused_without_naming_any_other(
    window: MainWindow, path: Path, qtbot: QtBot
) -> None:
    said: list[str] = []

    def enter(file: Path, name: str) -> str:
        said.append(window.seats._sign_in_as(file, name))
        return said[-1]

    dialog = SignInDialog(project=path, name="", enter=enter)
    qtbot.addWidget(dialog)
    dialog.sign_in()
    assert dialog.trouble.text() == "Enter your name as it stands in the study."
    dialog.name_field.setText("Nobody Here")
    dialog.sign_in()
    assert "Nobody Here" in dialog.trouble.text()
    assert not any(name in dialog.trouble.text() for name in ("Wilhelmina", "Zebedee", "Quentin"))


def test_actions_of_a_project_cannot_be_used_while_annotating(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    begun(window, path, qtbot)
    for name in ("project.import_events", "project.check", "event.split", "view.table", "view.next_conversation"):
        assert not window.actions_by_id[name].isEnabled()
    for name in ("play.toggle", "study.submit", "holder.after_9", "event.onset_here"):
        assert window.actions_by_id[name].isEnabled()


def test_every_action_of_an_annotator_does_something(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    page = begun(window, path, qtbot)
    assert {spec.id for spec in ACTIONS if spec.when == When.STUDY} <= set(page.handlers())


def kind_of(records: StudyRecords, presentation: str) -> str:
    item = next(p.item for p in records.presentations() if p.id == presentation)
    return next(i.kind for i in records.items() if i.id == item) or ""


def words_of(window: MainWindow) -> str:
    """Return all text that a screen reader, a tooltip, a menu or the title could give away."""
    found = [window.windowTitle()]
    for widget in [window, *window.findChildren(QWidget)]:
        found += [widget.objectName(), widget.accessibleName(), widget.accessibleDescription(), widget.toolTip()]
        found += [widget.statusTip(), widget.whatsThis(), widget.windowTitle()]
        interface = QAccessible.queryAccessibleInterface(widget)
        if widget.isVisible() and interface is not None:
            found += [interface.text(kind) for kind in (QAccessible.Text.Name, QAccessible.Text.Value)]
        for name in ("text", "toPlainText", "placeholderText", "title"):
            if callable(getattr(widget, name, None)):
                found.append(str(getattr(widget, name)()))
    found += [f"{action.text()} {action.toolTip()}" for action in window.findChildren(QAction)]
    return "\n".join(found)


def test_no_word_of_the_window_unblinds(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    with Project.open(path, backups=False) as project:
        records = StudyRecords(project)
        hidden = {item.id for item in records.items()} | {p.id for p in records.presentations()}
        [summary] = project.conversations()
        hidden |= {channel.path.name for channel in summary.conversation.channels if channel.path is not None}
        hidden |= {summary.conversation.id, "Zebedee", "Quentin", "κ", "agreement"}
    page = begun(window, path, qtbot)
    for _ in range(12):
        shown = words_of(window)
        assert "What does" in shown
        assert not [word for word in hidden if word.lower() in shown.lower()]
        submit(window, page, qtbot)
