from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotation.conversation import Channel, Conversation
from annotation.document import Document
from annotation.events import FloorEvent
from annotation.scheme import preset_scheme
from annotation.sources import EventSource, SourceRole
from tests.widgets.labelling.stage import Stage
from widgets.labelling.appearance import Appearance
from widgets.labelling.session import LabellingSession
from widgets.labelling.view import LabellingView
from widgets.theme import theme_named
from widgets.transport.transport_bar import TransportBar

RATE = 1000
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def stage() -> Stage:
    return Stage()


@pytest.fixture
def view(qapp: QApplication, qtbot: QtBot, stage: Stage) -> Iterator[LabellingView]:
    channels = tuple(Channel(name, None, 0, RATE, 60_000) for name in ("anna", "ben"))
    conversation = Conversation("c", RATE, channels)
    document = Document(subject="conversation:c", person="p")
    with document.edit("Mark") as edit:
        for onset in (1000, 1005, 1010, 30_000):
            edit.add(FloorEvent(speaker="anna", kind="TURN", onset=onset, offset=onset + 500))
    look = Appearance(scheme=preset_scheme(), conversation=conversation, dark=False)
    session = LabellingSession(conversation=conversation, document=document, appearance=look, transport=stage)
    reference = FloorEvent(speaker="ben", kind="BACKCHANNEL", onset=5000, offset=5400)
    view = LabellingView(
        session=session,
        sources=[EventSource("reference", SourceRole.REFERENCE, "made here", (reference,))],
        waveforms={},
        pans=(-0.5, 0.5),
        theme=theme_named("light"),
        timeline_actions=[],
        transport_bar=TransportBar(
            transport=stage, rate_hz=RATE, frames=60_000, actions=[QAction(name) for name in "pseLF"]
        ),
    )
    qtbot.addWidget(view)
    view.resize(1200, 800)
    with qtbot.waitActive(view):
        view.show()
        view.activateWindow()
    yield view
    view.close_session()


def own(view: LabellingView) -> list[FloorEvent]:
    return list(view.session.document)


def selected_row(view: LabellingView) -> int:
    rows = view.table.selectionModel().selectedRows()
    return rows[0].row() if rows else -1


def key(view: LabellingView, kind: QEvent.Type, code: Qt.Key, text: str, stamp: int) -> None:
    event = QKeyEvent(kind, code, NONE, text, False, 1)
    event.setTimestamp(stamp)
    QApplication.sendEvent(view.timeline, event)


def test_nudging_past_neighbours_keeps_the_event_selected(view: LabellingView) -> None:
    first = own(view)[0]
    view.session.select_event(first.id)
    view.session.cycle_edge()
    for _ in range(3):
        view.session.nudge(10)
    moved = view.session.selected
    assert moved is not None
    assert (moved.id, moved.onset, moved.offset) == (first.id, 1030, 1530)
    assert selected_row(view) == own(view).index(moved)


def test_a_row_chosen_in_the_table_is_the_selected_event(view: LabellingView) -> None:
    view.table.selectRow(2)
    assert view.session.selected == own(view)[2]


def test_undoing_a_delete_selects_the_event_that_came_back(view: LabellingView) -> None:
    last = own(view)[-1]
    view.session.select_event(last.id)
    view.session.delete()
    view.session.select_event(own(view)[0].id)
    view.session.undo()
    assert view.session.selected == last
    assert selected_row(view) == 3


def test_a_held_key_that_x11_repeats_is_one_mark(view: LabellingView, stage: Stage, qtbot: QtBot) -> None:
    before = len(own(view))
    stage.playing = True
    view.timeline.setFocus()
    key(view, QEvent.Type.KeyPress, Qt.Key.Key_1, "1", 100)
    for repeat in range(5):
        stage.position = 660 + 40 * repeat
        key(view, QEvent.Type.KeyRelease, Qt.Key.Key_1, "1", 760 + 40 * repeat)
        key(view, QEvent.Type.KeyPress, Qt.Key.Key_1, "1", 760 + 40 * repeat)
    stage.position = 2000
    key(view, QEvent.Type.KeyRelease, Qt.Key.Key_1, "1", 2100)
    stage.position = 2100
    qtbot.waitUntil(lambda: view.session.mark is None)
    marked = [event for event in own(view) if event.onset == 0]
    assert len(own(view)) == before + 1
    assert [(event.onset, event.offset) for event in marked] == [(0, 2000)]


def test_two_quick_presses_are_two_marks(view: LabellingView, stage: Stage, qtbot: QtBot) -> None:
    before = len(own(view))
    stage.playing = True
    view.timeline.setFocus()
    for stamp in (100, 300):
        stage.position = stamp
        key(view, QEvent.Type.KeyPress, Qt.Key.Key_4, "4", stamp)
        stage.position = stamp + 90
        key(view, QEvent.Type.KeyRelease, Qt.Key.Key_4, "4", stamp + 90)
    qtbot.waitUntil(lambda: view.session.mark is None)
    assert len(own(view)) == before + 2


def test_kind_keys_are_text_in_a_text_field(view: LabellingView) -> None:
    view.session.select_event(own(view)[0].id)
    view.inspector.focus_comment()
    QTest.keyClicks(view.inspector._comment, "1 2 3")
    view.timeline.setFocus()
    assert own(view)[0].comment == "1 2 3"
    assert {event.kind for event in own(view)} == {"TURN"}


def test_drawing_a_stretch_and_marking_it_uses_it_up(view: LabellingView) -> None:
    view._on_range((10_000, 11_000))
    view.session.press_kind("TURN")
    assert view.session.range is None
    assert view.timeline.selection is None


def test_a_reference_event_is_shown_and_never_selected_for_editing(view: LabellingView) -> None:
    reference = view._sources[0].events[0]
    view.timeline.event_selected.emit(reference.id)
    assert view.session.selected is None
    assert reference.id not in view.session.document


def test_a_typed_onset_moves_the_edge_and_gives_the_keyboard_back(view: LabellingView) -> None:
    last = own(view)[-1]
    view.session.select_event(last.id)
    field = view.inspector._onset
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "0.25")
    QTest.keyClick(field, Qt.Key.Key_Return)
    event = view.session.selected
    assert event is not None
    assert (event.id, event.onset) == (last.id, 250)
    assert view.timeline.hasFocus()
