import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from widgets.theme import theme_named
from widgets.timeline.overview import Overview
from widgets.timeline.values import TimelineContent


@pytest.fixture
def overview(qtbot: QtBot, content: TimelineContent) -> Overview:
    widget = Overview(theme=theme_named("dark"))
    qtbot.addWidget(widget)
    widget.resize(1_000, 48)
    widget.set_content(content)
    widget.set_visible_range(2_000, 3_000)
    with qtbot.waitExposed(widget):
        widget.show()
    widget.repaint()
    return widget


def test_a_click_brings_the_middle_of_the_view_there(qtbot: QtBot, overview: Overview) -> None:
    with qtbot.waitSignal(overview.range_requested) as signal:
        QTest.mouseClick(overview, Qt.MouseButton.LeftButton, pos=QPoint(700, 20))
    assert signal.args == [6_500, 7_500]


def test_dragging_the_visible_part_moves_it_as_far(qtbot: QtBot, overview: Overview) -> None:
    QTest.mousePress(overview, Qt.MouseButton.LeftButton, pos=QPoint(220, 20))
    with qtbot.waitSignal(overview.range_requested) as signal:
        QTest.mouseMove(overview, QPoint(320, 20))
    QTest.mouseRelease(overview, Qt.MouseButton.LeftButton, pos=QPoint(320, 20))
    assert signal.args == [3_000, 4_000]


def test_taking_hold_of_the_visible_part_does_not_move_it(qtbot: QtBot, overview: Overview) -> None:
    with qtbot.assertNotEmitted(overview.range_requested):
        QTest.mouseClick(overview, Qt.MouseButton.LeftButton, pos=QPoint(290, 20))


def test_the_visible_part_stays_inside_the_recording(qtbot: QtBot, overview: Overview) -> None:
    with qtbot.waitSignal(overview.range_requested) as signal:
        QTest.mouseClick(overview, Qt.MouseButton.LeftButton, pos=QPoint(995, 20))
    assert signal.args == [9_000, 10_000]


def test_a_moving_cursor_does_not_draw_the_waveforms_again(overview: Overview) -> None:
    before = overview.renders
    overview.set_cursor(5_000)
    overview.set_visible_range(3_000, 4_000)
    overview.repaint()
    assert overview.renders == before


def test_a_finer_waveform_is_drawn_when_told(overview: Overview) -> None:
    before = overview.renders
    overview.refresh()
    overview.repaint()
    assert overview.renders == before + 1


def test_without_content_nothing_can_be_asked_for(qtbot: QtBot, overview: Overview) -> None:
    overview.set_content(None)
    overview.repaint()
    with qtbot.assertNotEmitted(overview.range_requested):
        QTest.mouseClick(overview, Qt.MouseButton.LeftButton, pos=QPoint(700, 20))
