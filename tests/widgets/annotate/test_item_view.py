from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from annotation.study.presentation import Answer
from tests.widgets.annotate.desk import SHOWN, Desk, look
from widgets.annotate.checklist import sentence_of
from widgets.annotate.feedback import compared
from widgets.annotate.item_view import ItemView
from widgets.theme import theme_named
from widgets.transport.transport_bar import TransportBar

PANEL_ACTIONS = (
    "event.onset_here",
    "event.offset_here",
    "play.onset",
    "play.end",
    "study.cannot_tell",
    "study.submit",
)
THEME = theme_named("light")


def view_of(desk: Desk, qtbot: QtBot, note: str = "") -> ItemView:
    bar = TransportBar(
        transport=desk.stage, rate_hz=SHOWN.rate_hz, frames=SHOWN.frames, actions=[QAction(str(n)) for n in range(5)]
    )
    view = ItemView(
        session=desk.session,
        waveforms={},
        pans=(-0.8, 0.8),
        theme=THEME,
        actions={name: QAction(name) for name in PANEL_ACTIONS},
        timeline_actions=(),
        transport_bar=bar,
        note=note,
    )
    qtbot.addWidget(view)
    view.resize(1_200, 800)
    with qtbot.waitActive(view):
        view.show()
        view.activateWindow()
    view.timeline.setFocus()
    return view


@pytest.fixture
def desk(qapp: QApplication) -> Desk:
    return Desk()


@pytest.fixture
def view(desk: Desk, qtbot: QtBot) -> Iterator[ItemView]:
    view = view_of(desk, qtbot)
    yield view
    view.close_view()


def focus() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def test_the_cue_is_a_band_on_the_lane_of_its_speaker_and_nothing_more(view: ItemView) -> None:
    content = view.timeline.content
    assert content is not None
    bands = {lane.id: lane.bands for lane in content.lanes}
    assert bands["v1"] == ()
    assert [(band.onset, band.offset, band.label) for band in bands["v2"]] == [(8_000, 12_000, "here")]


def test_every_item_begins_with_the_whole_clip_in_view(view: ItemView) -> None:
    first, last = view.timeline.visible_range
    assert first <= 0
    assert last >= SHOWN.frames


def test_a_kind_key_gives_the_kind_and_none_while_a_comment_is_typed(view: ItemView, desk: Desk) -> None:
    QTest.keyClick(focus(), Qt.Key.Key_4)
    assert desk.session.answer.kind == "BACKCHANNEL"
    view.panel.focus_comment()
    QTest.keyClick(focus(), Qt.Key.Key_1)
    view.commit_pending()
    assert (desk.session.answer.kind, desk.session.answer.comment) == ("BACKCHANNEL", "1")


def test_submitting_too_early_says_what_is_missing_and_goes_there(view: ItemView, desk: Desk, qtbot: QtBot) -> None:
    desk.session.set_kind("TURN")
    desk.session.set_holder_by_number("before", 1)
    with qtbot.assertNotEmitted(view.submitted):
        QTest.keyClick(focus(), Qt.Key.Key_Return)
    assert desk.said[-1] == "Still missing: who holds the floor after, the onset and the offset."
    assert focus().accessibleName() == "Who holds the floor after"


@pytest.mark.parametrize(
    ("part", "where"),
    [
        ("the kind", "Mark as Turn"),
        ("who holds the floor before", "Who holds the floor before"),
        ("who holds the floor after", "Who holds the floor after"),
        ("the onset", "Onset in seconds"),
        ("the offset", "Offset in seconds"),
    ],
)
def test_whatever_is_missing_has_a_place_for_the_keyboard(view: ItemView, part: str, where: str) -> None:
    assert part in view.session.asked
    view.panel.focus_part(part)
    assert focus().accessibleName() == where


def test_a_complete_answer_is_handed_in_by_enter(view: ItemView, desk: Desk, qtbot: QtBot) -> None:
    desk.answer_fully()
    with qtbot.waitSignal(view.submitted):
        QTest.keyClick(focus(), Qt.Key.Key_Return)


def test_enter_in_a_time_takes_it_over_and_hands_nothing_in(view: ItemView, desk: Desk, qtbot: QtBot) -> None:
    desk.answer_fully()
    view.panel.focus_part("the onset")
    field = focus()
    assert isinstance(field, QLineEdit)
    field.setText("9.5")
    with qtbot.assertNotEmitted(view.submitted):
        QTest.keyClick(field, Qt.Key.Key_Return)
    assert desk.session.answer.onset == 9_500


def test_an_onset_alone_reaches_to_the_cursor(view: ItemView, desk: Desk) -> None:
    desk.session.set_edges(9_000, 11_000)
    content = view.timeline.content
    assert content is not None
    assert [span.id for span in content.lanes[1].rows[0].spans] == ["answer"]
    desk.session.clear_edges()
    assert view.timeline.content is not None
    assert view.timeline.content.lanes[1].rows[0].spans == ()


def test_a_screen_reader_is_told_what_is_missing(view: ItemView, desk: Desk) -> None:
    desk.answer_fully()
    assert view.panel.checklist.accessibleName() == "Nothing is missing: the answer can be submitted."


def test_everything_that_takes_the_keyboard_has_a_name(view: ItemView) -> None:
    nameless = [
        widget
        for kind in (QAbstractButton, QComboBox, QLineEdit, QPlainTextEdit)
        for widget in view.panel.findChildren(kind)
        if not widget.accessibleName()
    ]
    assert nameless == []


def test_tab_goes_through_the_answer_from_the_kinds_to_submit(view: ItemView) -> None:
    view.panel.focus_part("the kind")
    names = [focus().accessibleName()]
    while names[-1] != "Submit this answer and go on" and len(names) < 40:
        QTest.keyClick(focus(), Qt.Key.Key_Tab)
        names.append(focus().accessibleName())
    wanted = ["Who holds the floor before", "Onset in seconds", "Offset in seconds", "Confidence 1, a guess", "Comment"]
    assert [name for name in names if name in wanted] == wanted
    assert len(names) < 40


def test_space_presses_the_button_that_has_the_keyboard(view: ItemView, desk: Desk) -> None:
    button = next(b for b in view.panel.findChildren(QAbstractButton) if b.accessibleName().startswith("Confidence 4"))
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert desk.session.answer.confidence == 4


def test_the_note_of_the_lead_is_shown_as_it_was_written(desk: Desk, qtbot: QtBot) -> None:
    view = view_of(desk, qtbot, note="<b>Please</b> listen to the end")
    label = next(label for label in view.panel.findChildren(QWidget) if "sent this item back" in _text(label))
    assert "<b>Please</b>" in _text(label)
    view.close_view()


def test_feedback_stands_beside_the_own_answer_and_nothing_is_changed_any_more(
    view: ItemView, desk: Desk, qtbot: QtBot
) -> None:
    desk.answer_fully()
    view.show_feedback(Answer("BACKCHANNEL", "", "v1", "v1", 9_100, 9_900))
    QTest.keyClick(view.timeline, Qt.Key.Key_2)
    assert desk.session.answer.kind == "TURN"
    content = view.timeline.content
    assert content is not None
    assert [row.title for row in content.lanes[1].rows] == ["My answer", "Reference"]
    with qtbot.waitSignal(view.continued):
        QTest.keyClick(focus(), Qt.Key.Key_Return)


def test_feedback_compares_edges_within_half_a_second() -> None:
    own = Answer("TURN", "", "v1", "v2", 9_000, 11_000)
    rows = compared(own, Answer("TURN", "", "v1", "v1", 9_500, 11_501), look(), 1_000)
    assert [(name, same) for name, _, _, same in rows] == [
        ("Kind", True),
        ("Floor before", True),
        ("Floor after", False),
        ("Onset", True),
        ("Offset", False),
    ]


def test_what_is_missing_is_a_sentence() -> None:
    assert sentence_of(("the kind",)) == "Still missing: the kind."
    assert sentence_of(("the kind", "the onset", "the offset")) == "Still missing: the kind, the onset and the offset."


def test_a_scheme_without_boundaries_shows_no_row_for_them(qapp: QApplication, qtbot: QtBot) -> None:
    desk = Desk(preset="validity")
    view = view_of(desk, qtbot)
    assert view.timeline.content is not None
    assert view.timeline.content.lanes[1].rows == ()
    assert desk.session.asked == ("the kind",)
    view.close_view()


def _text(widget: QWidget) -> str:
    return str(widget.property("text") or "")
