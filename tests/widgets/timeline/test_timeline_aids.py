"""Spectrograms, speech and snapping on the timeline, with a hand on the mouse."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from annotation.audio.spectrogram_tiles import TILE_COLUMNS, TilePlace, level_for
from tests.widgets.timeline.hand import Hand
from widgets.theme import theme_named
from widgets.timeline.spectrogram import tiles_of
from widgets.timeline.values import Lane, Speech, TimelineContent
from widgets.timeline.view import TimelineView

SHIFT = Qt.KeyboardModifier.ShiftModifier
THEME = theme_named("light")
SPEECH = Speech(
    np.array([1_200, 4_000, 6_050]), np.array([1_900, 5_000, 7_060]), "speech model-1", "Speech", "An estimate"
)


class Wanted:
    """A spectrogram that computes when the test says so."""

    highest_hz = 500.0

    def __init__(self) -> None:
        self.tiles: dict[TilePlace, NDArray[np.uint8]] = {}
        self.asked: list[tuple[TilePlace, ...]] = []

    def tile(self, tile: TilePlace) -> NDArray[np.uint8] | None:
        return self.tiles.get(tile)

    def want(self, tiles: Sequence[TilePlace]) -> None:
        self.asked.append(tuple(tiles))

    def finish(self, strength: int = 255) -> None:
        for tile in self.asked[-1]:
            self.tiles[tile] = np.full((TILE_COLUMNS, 16), strength, dtype=np.uint8)


@pytest.fixture
def spectrogram() -> Wanted:
    return Wanted()


@pytest.fixture
def view(qtbot: QtBot, content: TimelineContent, spectrogram: Wanted) -> TimelineView:
    widget = TimelineView(theme=THEME)
    qtbot.addWidget(widget)
    widget.resize(1_200, 500)
    anna = replace(content.lanes[0], spectrogram=spectrogram, speech=SPEECH)
    widget.set_content(replace(content, lanes=(anna, content.lanes[1])))
    with qtbot.waitExposed(widget):
        widget.show()
    shown(widget)
    return widget


@pytest.fixture
def hand(view: TimelineView) -> Hand:
    return Hand(view)


@pytest.fixture
def edits(view: TimelineView) -> list[tuple[str, int, int, str]]:
    seen: list[tuple[str, int, int, str]] = []
    view.event_edited.connect(lambda *edit: seen.append(edit))
    return seen


def shown(view: TimelineView) -> None:
    """Paint, and let the view ask for what it lacks."""
    view.repaint()
    while view._asking.isActive():
        QApplication.processEvents()


def pixel(view: TimelineView, frame: int, part: str) -> str:
    """Return the colour in the middle of a part of the first lane."""
    box = view._layout.lanes[0]
    bounds = {"spectrogram": (box.spectrogram_top, box.speech_top), "speech": (box.speech_top, box.rows_top)}
    y = view._layout.metrics.ruler + sum(bounds[part]) // 2
    x = view._layout.metrics.header + int(view._viewport.x_from_frame(frame))
    return QColor(view.grab().toImage().pixel(x, y)).name()


# Spectrogram


def test_the_visible_tiles_are_wanted_once(view: TimelineView, spectrogram: Wanted) -> None:
    expected = tiles_of(view._viewport.edges(), level_for(view._viewport.frames_per_column), 10_000)
    assert spectrogram.asked == [tuple(expected)]
    view.frame.invalidate(backdrop=True)
    shown(view)
    assert len(spectrogram.asked) == 1


def test_nothing_is_asked_while_painting(view: TimelineView, spectrogram: Wanted) -> None:
    view.zoom_to(0, 1_000)
    asked = len(spectrogram.asked)
    view.repaint()
    assert len(spectrogram.asked) == asked


def test_scrolling_wants_each_tile_once(view: TimelineView, spectrogram: Wanted) -> None:
    view.zoom_to(0, 1_000)
    shown(view)
    spectrogram.asked.clear()
    for _ in range(40):
        spectrogram.tiles.update({t: np.zeros((TILE_COLUMNS, 16), np.uint8) for a in spectrogram.asked for t in a})
        view.pan(0.05)
        shown(view)
    wanted = [tile for asked in spectrogram.asked for tile in asked]
    assert len(wanted) == len(set(wanted)) > 3


def test_what_is_scrolled_away_is_no_longer_wanted(view: TimelineView, spectrogram: Wanted) -> None:
    view.zoom_to(0, 1_000)
    shown(view)
    before = set(spectrogram.asked[-1])
    view.zoom_to(8_000, 9_000)
    shown(view)
    assert not before & set(spectrogram.asked[-1])


def test_a_lane_out_of_view_wants_nothing(view: TimelineView, spectrogram: Wanted) -> None:
    view.resize(1_200, 170)
    view.set_lane_height(4)
    view._bar.setValue(view._bar.maximum())
    shown(view)
    assert spectrogram.asked[-1] == ()


def test_until_tiles_are_ready_a_stretch_looks_quiet(view: TimelineView, spectrogram: Wanted) -> None:
    assert pixel(view, 3_000, "spectrogram") == THEME.spectrogram[0]
    spectrogram.finish()
    view.refresh_spectrogram()
    shown(view)
    assert pixel(view, 3_000, "spectrogram") == THEME.spectrogram[-1]


def test_a_moving_cursor_draws_no_spectrogram(view: TimelineView, spectrogram: Wanted) -> None:
    spectrogram.finish()
    view.refresh_spectrogram()
    shown(view)
    drawn = view.frame.backdrop.spectrogram_columns_drawn
    for frame in range(0, 10_000, 500):
        view.set_cursor(frame)
        shown(view)
    assert view.frame.backdrop.spectrogram_columns_drawn == drawn


def test_scrolling_draws_only_the_columns_that_come_into_view(view: TimelineView) -> None:
    view.zoom_to(2_000, 3_000)
    shown(view)
    before, column = view.frame.backdrop.spectrogram_columns_drawn, view._viewport.column
    view.pan(0.1)
    shown(view)
    assert view.frame.backdrop.spectrogram_columns_drawn - before == view._viewport.column - column


def test_tiles_that_arrive_ask_no_waveform(view: TimelineView, content: TimelineContent) -> None:
    waveform = content.lanes[0].waveform
    calls = waveform.calls  # type: ignore[union-attr]
    view.refresh_spectrogram()
    shown(view)
    assert waveform.calls == calls  # type: ignore[union-attr]


def test_a_lane_with_a_spectrogram_is_high_enough_for_it(view: TimelineView, content: TimelineContent) -> None:
    view.resize(1_200, 100)
    box, plain = view._layout.lanes
    assert box.spectrogram_height >= view._layout.metrics.spectrogram_least
    assert box.wave_height >= view._layout.metrics.wave_least
    assert plain.spectrogram_height == 0


def test_lanes_can_be_made_higher_and_are_scrolled_then(view: TimelineView) -> None:
    before = view._layout.height
    view.set_lane_height(3)
    assert view._layout.height > before
    assert view._bar.maximum() > 0


def tip_at(view: TimelineView, at: QPoint) -> str:
    QToolTip.hideText()
    QApplication.sendEvent(view, QHelpEvent(QEvent.Type.ToolTip, at, view.mapToGlobal(at)))
    text = QToolTip.text()
    QToolTip.hideText()
    return text


def test_a_tip_on_the_spectrogram_is_time_and_frequency(view: TimelineView, hand: Hand) -> None:
    box = view._layout.lanes[0]
    at = QPoint(hand.place(3_000).x(), hand.metrics.ruler + box.spectrogram_top + box.spectrogram_height // 2)
    tip = tip_at(view, at)
    assert "0:00:03.0" in tip
    assert "Hz" in tip


def test_a_tip_on_the_strip_says_what_it_is(view: TimelineView, hand: Hand) -> None:
    at = QPoint(hand.place(3_000).x(), hand.metrics.ruler + view._layout.lanes[0].speech_top + 2)
    assert "An estimate" in tip_at(view, at)


# Speech


def test_the_strip_is_solid_where_there_is_speech(view: TimelineView) -> None:
    assert pixel(view, 4_500, "speech") == THEME.speech
    assert pixel(view, 3_000, "speech") != THEME.speech


# Snapping


def dragged_end(hand: Hand, frame: float) -> QPoint:
    start = hand.place(7_000)
    hand.press(start)
    hand.move(start + QPoint(30, 0))
    end = QPoint(hand.place(frame).x(), start.y())
    hand.move(end)
    return end


def test_an_edge_dragged_near_speech_is_drawn_to_it(
    view: TimelineView, hand: Hand, edits: list[tuple[str, int, int, str]]
) -> None:
    view.set_snapping(True)
    hand.release(dragged_end(hand, 7_090))
    assert edits == [("three", 6_000, 7_060, "speech model-1")]


def test_without_snapping_an_edge_stays_where_it_is_put(
    view: TimelineView, hand: Hand, edits: list[tuple[str, int, int, str]]
) -> None:
    hand.release(dragged_end(hand, 7_090))
    [(_, _, offset, aid)] = edits
    assert offset == pytest.approx(7_090, abs=10)
    assert aid == ""


def test_shift_held_during_the_drag_lets_the_edge_go(
    view: TimelineView, hand: Hand, edits: list[tuple[str, int, int, str]]
) -> None:
    view.set_snapping(True)
    end = dragged_end(hand, 7_090)
    hand.move(end, SHIFT)
    hand.release(end)
    [(_, _, offset, aid)] = edits
    assert (offset == 7_060, aid) == (False, "")


def test_pressing_shift_lets_go_before_the_pointer_moves(view: TimelineView, hand: Hand) -> None:
    view.set_snapping(True)
    dragged_end(hand, 7_090)
    drag = view._overlay.drag
    assert drag is not None
    assert drag.snapped_to == "speech model-1"
    QApplication.sendEvent(view, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Shift, SHIFT))
    assert view._overlay.drag is not None
    assert view._overlay.drag.snapped_to == ""
    QApplication.sendEvent(view, QKeyEvent(QEvent.Type.KeyRelease, Qt.Key.Key_Shift, Qt.KeyboardModifier.NoModifier))
    assert view._overlay.drag is not None
    assert view._overlay.drag.snapped_to == "speech model-1"


def test_escape_drops_a_snapped_drag(view: TimelineView, hand: Hand, edits: list[tuple[str, int, int, str]]) -> None:
    view.set_snapping(True)
    end = dragged_end(hand, 7_090)
    QApplication.sendEvent(view, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier))
    hand.release(end)
    assert edits == []


def test_a_snapped_edge_shows_what_holds_it(view: TimelineView, hand: Hand) -> None:
    view.set_snapping(True)
    hand.press(hand.place(7_000))
    hand.move(hand.place(7_300))
    free = pixel(view, 7_060, "speech")
    hand.move(hand.place(7_090))
    assert free != THEME.speech
    assert pixel(view, 7_060, "speech") == THEME.speech


def test_however_far_zoomed_out_an_edge_comes_from_a_fifth_of_a_second_at_most(
    view: TimelineView, content: TimelineContent
) -> None:
    assert view.content is not None
    view.set_content(replace(view.content, frames=10_000_000))
    view.set_snapping(True)
    drag = Hand(view)
    drag.press(drag.place(0))
    pull = view._pull(replace(view._drag_on(view._hit(drag.place(6_000).toPointF()), 0, create=True), lane_id="anna"))
    assert pull is not None
    assert pull.tolerance == 200


def test_an_edge_is_drawn_to_speech_of_its_own_lane_only(
    view: TimelineView, content: TimelineContent, edits: list[tuple[str, int, int, str]]
) -> None:
    lanes = (replace(content.lanes[0], speech=None), replace(content.lanes[1], speech=SPEECH))
    view.set_content(replace(content, lanes=lanes))
    view.repaint()
    view.set_snapping(True)
    hand = Hand(view)
    hand.release(dragged_end(hand, 7_090))
    assert edits[0][3] == ""


# Scrolling by a drag


def test_a_drag_past_the_border_scrolls_the_view_and_goes_on(
    qtbot: QtBot, view: TimelineView, hand: Hand, edits: list[tuple[str, int, int, str]]
) -> None:
    view.zoom_to(6_500, 7_200)
    first = view.visible_range[0]
    start = hand.place(7_000)
    hand.press(start)
    end = QPoint(view.width() + 40, start.y())
    hand.move(end)
    qtbot.waitUntil(lambda: view.visible_range[0] > first + 100)
    hand.release(end)
    stopped = view.visible_range
    [(_, _, offset, _)] = edits
    assert offset > first + 800
    assert not view._scroller.isActive()
    assert view.visible_range == stopped


def test_a_drag_that_begins_at_the_border_scrolls_only_outward(view: TimelineView, hand: Hand) -> None:
    view.zoom_to(6_000, 7_000)
    start = hand.place(7_000)
    hand.press(start)
    hand.move(start - QPoint(6, 0))
    assert not view._scroller.isActive()


def test_a_lane_without_sound_has_room_for_its_events(view: TimelineView, content: TimelineContent) -> None:
    silent = Lane("cleo", "Cleo", "no audio", "#123456", None, content.lanes[0].rows)
    view.set_content(replace(content, lanes=(silent,)))
    view.repaint()
    assert view._layout.lanes[0].rows[0].top == view._layout.lanes[0].wave_height
