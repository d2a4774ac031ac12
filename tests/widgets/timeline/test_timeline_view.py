from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from tests.widgets.timeline.hand import Hand
from widgets.theme import theme_named
from widgets.timeline.canvas import EMPTY_TEXT
from widgets.timeline.values import Selection, TimelineContent
from widgets.timeline.view import TimelineView

NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def view(qtbot: QtBot, content: TimelineContent) -> TimelineView:
    widget = TimelineView(theme=theme_named("light"))
    qtbot.addWidget(widget)
    widget.resize(1_200, 500)
    widget.set_content(content)
    with qtbot.waitExposed(widget):
        widget.show()
    widget.repaint()
    return widget


@pytest.fixture
def hand(view: TimelineView) -> Hand:
    return Hand(view)


@pytest.fixture
def edits(view: TimelineView) -> list[tuple[str, int, int, str]]:
    seen: list[tuple[str, int, int, str]] = []
    view.event_edited.connect(lambda *edit: seen.append(edit))
    return seen


def painted(view: TimelineView) -> tuple[int, int]:
    return view.frame.renders, view.frame.backdrop.renders


# Editing


def test_dragging_an_edge_says_so_once_on_release(hand: Hand, edits: list[tuple[str, int, int, str]]) -> None:
    start = hand.place(7_000)
    hand.press(start)
    hand.move(start + QPoint(60, 0))
    hand.move(start + QPoint(100, 0))
    assert edits == []
    hand.release(start + QPoint(100, 0))
    assert len(edits) == 1
    name, onset, offset, aid = edits[0]
    assert (name, onset, aid) == ("three", 6_000, "")
    assert offset == pytest.approx(7_000 + hand.view._viewport.frames_per_column * 100, abs=1)


def test_dragging_the_body_moves_both_edges(hand: Hand, edits: list[tuple[str, int, int, str]]) -> None:
    hand.drag(hand.place(6_500), hand.place(7_500))
    [(name, onset, offset, _)] = edits
    assert (name, offset - onset) == ("three", 1_000)
    assert onset == pytest.approx(7_000, abs=20)


def test_a_drag_changes_no_event_before_it_is_released(hand: Hand, view: TimelineView) -> None:
    before = view.content
    hand.press(hand.place(6_500))
    view.repaint()
    renders = painted(view)
    hand.move(hand.place(8_000))
    view.repaint()
    assert view.content is before
    assert painted(view) == renders


def test_escape_cancels_a_drag(hand: Hand, view: TimelineView, edits: list[tuple[str, int, int, str]]) -> None:
    hand.press(hand.place(7_000))
    hand.move(hand.place(8_000))
    QApplication.sendEvent(view, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Escape, NONE))
    hand.release(hand.place(8_000))
    assert edits == []


def test_escape_belongs_to_the_drag_and_not_to_a_shortcut_of_the_window(hand: Hand, view: TimelineView) -> None:
    def taken() -> bool:
        event = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Escape, NONE)
        event.ignore()
        QApplication.sendEvent(view, event)
        return event.isAccepted()

    assert not taken()
    hand.press(hand.place(6_500))
    assert taken()


def test_other_keys_are_left_to_the_window(view: TimelineView) -> None:
    event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Space, NONE)
    QApplication.sendEvent(view, event)
    assert not event.isAccepted()


@pytest.mark.parametrize("frame", [6_000, 6_500, 7_000])
@pytest.mark.parametrize("jitter", [-3, 3])
def test_a_click_that_trembles_by_three_pixels_moves_nothing(
    hand: Hand, edits: list[tuple[str, int, int, str]], frame: int, jitter: int
) -> None:
    start = hand.place(frame)
    hand.press(start)
    hand.move(start + QPoint(jitter, 2))
    hand.release(start + QPoint(jitter, 2))
    assert edits == []


def test_a_double_click_activates_and_moves_nothing(
    qtbot: QtBot, hand: Hand, view: TimelineView, edits: list[tuple[str, int, int, str]]
) -> None:
    at = hand.place(6_500)
    hand.click(at)
    with qtbot.waitSignal(view.event_activated) as signal:
        hand.send(QEvent.Type.MouseButtonDblClick, at)
    hand.move(at + QPoint(30, 0))
    hand.release(at + QPoint(30, 0))
    assert signal.args == ["three"]
    assert edits == []


def test_an_event_of_a_reference_cannot_be_moved(hand: Hand, edits: list[tuple[str, int, int, str]]) -> None:
    hand.drag(hand.place(4_500, row=1), hand.place(5_500, row=1))
    assert edits == []


@pytest.mark.parametrize("modifier", [Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier])
def test_a_drag_with_shift_or_alt_selects_even_inside_an_event(
    hand: Hand, view: TimelineView, edits: list[tuple[str, int, int, str]], modifier: Qt.KeyboardModifier
) -> None:
    hand.drag(hand.place(6_300), hand.place(6_800), modifier)
    assert edits == []
    assert view.selection is not None
    assert view.selection.onset == pytest.approx(6_300, abs=20)


def test_a_drag_is_dropped_when_its_event_goes(
    hand: Hand, view: TimelineView, content: TimelineContent, edits: list[tuple[str, int, int, str]]
) -> None:
    hand.press(hand.place(6_500))
    hand.move(hand.place(8_000))
    view.set_rows("anna", (replace(content.lanes[0].rows[0], spans=()),))
    hand.release(hand.place(0))
    assert edits == []


def test_the_view_keeps_still_while_a_drag_is_held(hand: Hand, view: TimelineView) -> None:
    view.zoom_to(5_500, 7_500)
    before = view.visible_range
    hand.press(hand.place(6_500))
    view.reveal(1_000, 2_000)
    assert view.visible_range == before


# Clicking and selecting


def test_a_click_on_a_lane_asks_for_the_cursor_there(qtbot: QtBot, hand: Hand, view: TimelineView) -> None:
    with qtbot.waitSignal(view.cursor_requested) as signal:
        hand.click(hand.place(3_000, row=None))
    assert signal.args is not None
    assert signal.args[0] == pytest.approx(3_000, abs=10)


def test_a_click_before_the_start_asks_for_the_start(qtbot: QtBot, hand: Hand, view: TimelineView) -> None:
    with qtbot.waitSignal(view.cursor_requested) as signal:
        hand.click(QPoint(hand.metrics.header + 1, 4))
    assert signal.args == [0]


def test_a_click_on_an_event_selects_it_and_its_lane(hand: Hand, view: TimelineView) -> None:
    heard: list[str] = []
    view.lane_selected.connect(heard.append)
    view.event_selected.connect(heard.append)
    hand.click(hand.place(6_500))
    assert heard == ["anna", "three"]


def test_a_click_beside_all_events_selects_none(qtbot: QtBot, hand: Hand, view: TimelineView) -> None:
    view.set_selected_event("three")
    with qtbot.waitSignal(view.event_selected) as signal:
        hand.click(hand.place(9_000))
    assert signal.args == [""]


def test_a_click_on_a_header_makes_the_lane_active(qtbot: QtBot, hand: Hand, view: TimelineView) -> None:
    with qtbot.waitSignal(view.lane_selected) as signal:
        hand.click(hand.header(1))
    assert signal.args == ["boris"]


def test_a_drag_over_empty_space_selects_a_stretch_of_that_lane(qtbot: QtBot, hand: Hand, view: TimelineView) -> None:
    with qtbot.waitSignal(view.selection_changed) as signal:
        hand.drag(hand.place(4_000, lane=1), hand.place(3_000, lane=1))
    assert view.selection is not None
    assert view.selection.lane_id == "boris"
    assert signal.args == [(view.selection.onset, view.selection.offset)]
    assert view.selection.onset == pytest.approx(3_000, abs=10)


def test_a_drag_in_the_ruler_selects_a_stretch_of_all_lanes(hand: Hand, view: TimelineView) -> None:
    hand.drag(hand.ruler(1_000), hand.ruler(2_000))
    assert view.selection is not None
    assert view.selection.lane_id is None


def test_what_a_program_sets_is_not_said_again(qtbot: QtBot, view: TimelineView) -> None:
    signals = (view.event_selected, view.selection_changed, view.lane_selected, view.gain_changed)
    heard: list[object] = []
    for signal in signals:
        signal.connect(lambda *args: heard.append(args))
    view.set_selected_event("three")
    view.set_selection(Selection(1, 2))
    view.set_active_lane("boris")
    view.set_gain("anna", 6)
    assert heard == []


# The wheel


def test_the_wheel_pans(hand: Hand, view: TimelineView) -> None:
    view.zoom_to(4_000, 5_000)
    before = view.visible_range
    hand.wheel(hand.place(4_500), -1)
    assert view.visible_range[0] > before[0]


def test_the_wheel_with_control_zooms_about_the_pointer(hand: Hand, view: TimelineView) -> None:
    at = hand.place(2_500)
    hand.wheel(at, 3, Qt.KeyboardModifier.ControlModifier)
    first, last = view.visible_range
    assert last - first < 6_000
    assert abs(hand.place(2_500).x() - at.x()) <= 1


@pytest.mark.parametrize("modifier", [Qt.KeyboardModifier.AltModifier, NONE])
def test_the_wheel_on_a_header_or_with_alt_changes_the_gain(
    qtbot: QtBot, hand: Hand, view: TimelineView, modifier: Qt.KeyboardModifier
) -> None:
    at = hand.header(1) if modifier == NONE else hand.place(3_000, lane=1)
    with qtbot.waitSignal(view.gain_changed) as signal:
        hand.wheel(at, 2, modifier)
    assert signal.args == ["boris", 3.0]
    assert view.gain("boris") == 3.0


def test_the_wheel_with_shift_scrolls_lanes_that_do_not_fit(hand: Hand, view: TimelineView) -> None:
    view.resize(1_200, 160)
    view.repaint()
    hand.wheel(QPoint(600, 100), -1, Qt.KeyboardModifier.ShiftModifier)
    assert view._scroll > 0


# What is shown


def test_the_same_recording_again_keeps_the_view(view: TimelineView, content: TimelineContent) -> None:
    view.zoom_to(4_000, 5_000)
    view.set_gain("anna", 6)
    before = view.visible_range
    view.set_content(replace(content, lanes=tuple(replace(lane, title="Renamed") for lane in content.lanes)))
    assert view.visible_range == before
    assert view.gain("anna") == 6


def test_another_recording_is_shown_whole(view: TimelineView, content: TimelineContent) -> None:
    view.zoom_to(4_000, 5_000)
    view.set_content(replace(content, frames=20_000))
    first, last = view.visible_range
    assert first <= 0
    assert last >= 20_000


def test_the_visible_range_is_said_when_it_changes(qtbot: QtBot, view: TimelineView) -> None:
    with qtbot.waitSignal(view.range_changed) as signal:
        view.zoom_in()
    assert signal.args == list(view.visible_range)


def test_zooming_to_the_length_shown_scrolls_without_drift(view: TimelineView) -> None:
    view.zoom_to(4_000, 5_000)
    scale = view._viewport.scale
    for onset in range(3_000, 5_000, 37):
        first, last = view.visible_range
        view.zoom_to(onset, onset + last - first)
    assert view._viewport.scale == scale


def test_zooming_to_the_selection_shows_all_of_it(view: TimelineView) -> None:
    view.set_selection(Selection(4_000, 5_000))
    view.zoom_to_selection()
    first, last = view.visible_range
    assert first <= 4_000
    assert last >= 5_000
    assert last - first < 1_200


def test_zooming_to_the_selection_takes_the_selected_event_where_no_range_is(view: TimelineView) -> None:
    view.set_selected_event("three")
    view.zoom_to_selection()
    assert view.visible_range[0] == pytest.approx(5_750, abs=10)


def test_zooming_out_shows_the_whole_again(view: TimelineView) -> None:
    whole = view.visible_range
    view.zoom_in()
    view.zoom_to_all()
    assert view.visible_range == whole


def test_revealing_what_is_in_view_changes_nothing(view: TimelineView) -> None:
    view.zoom_to(4_000, 5_000)
    before = view.visible_range
    view.reveal(4_200, 4_800)
    assert view.visible_range == before


def test_revealing_scrolls_to_what_is_out_of_view(view: TimelineView) -> None:
    view.zoom_to(4_000, 5_000)
    view.reveal(8_000, 8_100)
    first, last = view.visible_range
    assert first < 8_000
    assert last > 8_100


def test_the_page_turns_after_the_cursor_while_following(view: TimelineView) -> None:
    view.zoom_to(1_000, 2_000)
    view.set_following(True)
    view.set_cursor(1_990)
    view.set_cursor(2_020)
    first, last = view.visible_range
    assert first <= 2_020 < last
    assert first > 1_900


def test_the_view_stays_where_the_user_scrolled_to_while_following(view: TimelineView) -> None:
    view.set_following(True)
    view.zoom_to(1_000, 2_000)
    view.set_cursor(1_500)
    view.zoom_to(7_000, 8_000)
    before = view.visible_range
    view.set_cursor(1_510)
    assert view.visible_range == before


def test_without_content_it_says_what_to_do(qtbot: QtBot, view: TimelineView) -> None:
    view.set_content(None)
    view.repaint()
    assert view.accessibleDescription() == EMPTY_TEXT


def test_a_screen_reader_is_told_the_selected_event(view: TimelineView) -> None:
    assert view.accessibleName() == "Timeline"
    view.set_selected_event("one")
    assert "Turn, Anna" in view.accessibleDescription()


def test_it_takes_the_keyboard(view: TimelineView) -> None:
    assert view.focusPolicy() == Qt.FocusPolicy.StrongFocus


def test_a_tip_shows_text_as_it_is_and_not_as_markup(view: TimelineView, hand: Hand, content: TimelineContent) -> None:
    row = content.lanes[0].rows[0]
    spans = (replace(row.spans[0], tip="<b>not bold</b>"),)
    view.set_rows("anna", (replace(row, spans=spans),))
    at = hand.place(1_500)
    QApplication.sendEvent(view, QHelpEvent(QEvent.Type.ToolTip, at, view.mapToGlobal(at)))
    assert "&lt;b&gt;not bold" in QToolTip.text()
    QToolTip.hideText()


# Work done


@pytest.mark.parametrize(
    "change",
    [
        lambda view: view.set_cursor(3_000),
        lambda view: view.set_selection(Selection(2_000, 3_000, "anna")),
        lambda view: view.set_live_span("anna", 1_000, None, "#123456"),
    ],
)
def test_what_moves_over_the_frame_does_not_draw_it(view: TimelineView, change: Callable[[TimelineView], None]) -> None:
    before = painted(view)
    change(view)
    view.repaint()
    assert painted(view) == before


def test_other_events_leave_the_waveforms_undrawn(view: TimelineView, content: TimelineContent) -> None:
    before = painted(view)
    row = content.lanes[0].rows[0]
    view.set_rows("anna", (replace(row, spans=row.spans[:2]), content.lanes[0].rows[1]))
    view.repaint()
    assert painted(view) == (before[0] + 1, before[1])


def test_events_that_need_another_sub_row_move_the_lanes(view: TimelineView, content: TimelineContent) -> None:
    before = view.frame.backdrop.renders
    row = content.lanes[0].rows[0]
    view.set_rows("anna", (replace(row, spans=row.spans[:1]), content.lanes[0].rows[1]))
    view.repaint()
    assert view.frame.backdrop.renders == before + 1


def test_many_changes_are_drawn_once(qtbot: QtBot, view: TimelineView) -> None:
    before = painted(view)
    for _ in range(5):
        view.zoom_in()
        view.pan(0.1)
    view.repaint()
    assert painted(view) == (before[0] + 1, before[1] + 1)


def test_gain_does_not_ask_the_waveform_again(view: TimelineView, content: TimelineContent) -> None:
    waveform = content.lanes[0].waveform
    calls = waveform.calls  # type: ignore[union-attr]
    view.set_gain("anna", 6)
    view.repaint()
    assert waveform.calls == calls  # type: ignore[union-attr]


def test_a_finer_waveform_is_asked_for_one_lane_only(view: TimelineView, content: TimelineContent) -> None:
    calls = [lane.waveform.calls for lane in content.lanes]  # type: ignore[union-attr]
    view.refresh_waveform("boris")
    view.repaint()
    assert [lane.waveform.calls for lane in content.lanes] == [calls[0], calls[1] + 1]  # type: ignore[union-attr]


def test_the_cursor_is_drawn_where_its_frame_is(view: TimelineView, hand: Hand) -> None:
    view.set_cursor(8_000)
    x = hand.metrics.header + int(view._viewport.x_from_frame(8_000))
    y = hand.place(0, lane=1, row=None).y()
    image = view.grab(QRect(0, 0, view.width(), view.height())).toImage()
    assert image.pixelColor(x, y) == QColor(theme_named("light").cursor)
    assert image.pixelColor(x - 2, y) != QColor(theme_named("light").cursor)


def test_scrolling_shows_the_same_pixels_elsewhere(view: TimelineView, hand: Hand) -> None:
    view.zoom_to(2_000, 3_000)
    before = view.grab().toImage()
    column = view._viewport.column
    view.pan(0.05)
    by = view._viewport.column - column
    after = view.grab().toImage()
    left, top = hand.metrics.header + 5, hand.metrics.ruler + 5
    wide, high = view.width() - left - by - 5, view._layout.lanes[0].wave_height - 10
    assert by > 0
    assert before.copy(left + by, top, wide, high) == after.copy(left, top, wide, high)


STEPS = st.tuples(st.sampled_from(["pan", "zoom", "gain", "lane", "scroll", "resize"]), st.integers(-400, 400))


@given(st.lists(STEPS, max_size=8))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
def test_a_scrolled_picture_is_the_one_drawn_afresh(view: TimelineView, steps: list[tuple[str, int]]) -> None:
    view.zoom_to(2_000, 3_000)
    change: dict[str, Callable[[int], object]] = {
        "pan": lambda by: view.pan(by / 400),
        "zoom": lambda by: view.zoom_to(4_000 + by, 5_000 + 2 * by),
        "gain": lambda by: view.set_gain("anna", by / 40),
        "lane": lambda by: view.set_active_lane("anna" if by > 0 else "boris"),
        "scroll": lambda by: view._bar.setValue(abs(by)),
        "resize": lambda by: view.resize(1_200, 160 if by > 0 else 500),
    }
    for step, by in steps:
        change[step](by)
        view.repaint()
    scrolled = view.grab().toImage()
    view.frame.backdrop.forget()
    view.frame.invalidate(backdrop=True)
    assert view.grab().toImage() == scrolled


def test_scrolling_draws_and_reads_only_what_comes_into_view(view: TimelineView) -> None:
    view.zoom_to(2_000, 3_000)
    view.repaint()
    before, column = view.frame.backdrop.columns_drawn, view._viewport.column
    view.pan(0.1)
    view.repaint()
    assert view.frame.backdrop.columns_drawn - before == view._viewport.column - column


def test_many_small_steps_ask_a_waveform_rarely(view: TimelineView, content: TimelineContent) -> None:
    view.zoom_to(2_000, 3_000)
    view.repaint()
    waveform = content.lanes[0].waveform
    calls, column = waveform.calls, view._viewport.column  # type: ignore[union-attr]
    for _ in range(60):
        view.pan(0.004)
        view.repaint()
    assert view._viewport.column - column > 200
    assert waveform.calls - calls <= 4  # type: ignore[union-attr]


def test_scrolling_along_draws_no_header(view: TimelineView) -> None:
    view.zoom_to(2_000, 3_000)
    view.repaint()
    drawn = view.frame.headers_drawn
    view.pan(0.1)
    view.repaint()
    assert view.frame.headers_drawn == drawn
    view.set_gain("anna", 6)
    view.repaint()
    assert view.frame.headers_drawn == drawn + 1


def test_an_event_in_view_is_painted_once_while_scrolling(view: TimelineView) -> None:
    view.zoom_to(500, 3_500)
    view.repaint()
    painted = view.frame.spans.painted
    for _ in range(5):
        view.pan(0.02)
        view.repaint()
    # A width may round to one column more or less on the way.
    assert painted >= 3
    assert view.frame.spans.painted - painted <= 3
