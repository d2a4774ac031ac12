"""The timeline: every speaker's sound and events over time, to look at, to seek in and to edit by hand.

The widget draws plain values and says what the user wants; it never changes an event. Creating never edits: with Shift
or Alt held at the press, a drag selects a stretch wherever it begins. Shift held during a drag lets the edge go where
the pointer is, past the boundaries of speech that would draw it.
"""

import html

from PySide6.QtCore import QEvent, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QGuiApplication, QHelpEvent, QHideEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from widgets.theme import Theme
from widgets.timeline.canvas import TimelineCanvas
from widgets.timeline.drag import Drag, Grip, Pull
from widgets.timeline.layout import Area, Hit, Layer, Part
from widgets.timeline.spectrogram import frequency_at
from widgets.timeline.ticks import frame_text
from widgets.timeline.values import Selection

WHEEL_ZOOM = 1.25
WHEEL_PAN = 0.1
"""Share of the view that one notch of the wheel moves it by."""
GAIN_STEP_DB = 1.5
SNAP_REACH = 8
"""Logical pixels within which a boundary of speech draws an edge to it,"""
SNAP_MOST_S = 0.2
"""and never from further than this."""
BORDER = 12
"""Logical pixels inside the view's border where a drag scrolls it."""
SCROLL_MS = 30
NOTCH = 120
"""What Qt reports for one notch of a wheel."""


class TimelineView(TimelineCanvas):
    """A timeline that answers to the pointer; all its keys but Escape belong to the window's actions.

    Signals
    -------
    cursor_requested(object)
        A frame was clicked, in the ruler or on a lane.
    selection_changed(object)
        ``(onset, offset)`` was dragged over, or None; its lane is in `selection`.
    event_selected(str)
        An event was clicked; empty where the click was beside all of them.
    event_activated(str)
        An event was double-clicked.
    event_edited(str, object, object, str)
        An event was dragged to ``[onset, offset)``; once, on release. The last says what its edge was drawn to,
        empty where it lies where the pointer put it.
    lane_selected(str)
        Another lane became the active one.
    gain_changed(str, float)
        A lane's vertical gain in decibels.
    """

    cursor_requested = Signal(object)
    selection_changed = Signal(object)
    event_selected = Signal(str)
    event_activated = Signal(str)
    event_edited = Signal(str, object, object, str)
    lane_selected = Signal(str)
    gain_changed = Signal(str, float)

    def __init__(self, *, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme=theme, parent=parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._snapping = False
        self._pointer_x = 0.0
        self._scroller = QTimer(self)
        self._scroller.setInterval(SCROLL_MS)
        self._scroller.timeout.connect(self._on_scroll_tick)

    def set_snapping(self, snapping: bool) -> None:
        """Draw edges that are dragged near a boundary of speech on their lane to it, or leave them where they are."""
        self._snapping = snapping

    # Keyboard

    def event(self, event: QEvent) -> bool:
        """Show tips, and take Escape from the window's shortcuts while a drag is held."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            self._show_tip(event)
            return True
        escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if event.type() == QEvent.Type.ShortcutOverride and escape and self._overlay.drag is not None:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Cancel a drag on Escape; all other keys belong to the window's actions."""
        if event.key() == Qt.Key.Key_Escape and self._overlay.drag is not None:
            self._set_drag(None)
        else:
            self._on_modifier(event, held=True)
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Let boundaries draw the edge again when Shift is let go."""
        self._on_modifier(event, held=False)
        super().keyReleaseEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the focus ring."""
        super().focusInEvent(event)
        self._set_focused(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the focus ring; a drag goes on, for it owns what it holds."""
        super().focusOutEvent(event)
        self._set_focused(False)

    def hideEvent(self, event: QHideEvent) -> None:
        """Drop a drag: its release would never arrive."""
        super().hideEvent(event)
        self._set_drag(None)

    # Pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of what is under the pointer."""
        if event.button() != Qt.MouseButton.LeftButton or self._content is None:
            super().mousePressEvent(event)
            return
        x = event.position().x()
        hit = self._hit(event.position())
        if hit.area in (Area.RULER, Area.LANE):
            create = bool(event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier))
            self._set_drag(self._drag_on(hit, x, create=create))
        if hit.lane is not None:
            self._activate_lane(hit.lane.id)
        if hit.span is not None and self._overlay.drag is not None and self._overlay.drag.span is not None:
            self._choose_event(hit.span.id)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Preview what a drag would do, or show what the pointer would take hold of."""
        drag = self._overlay.drag
        if drag is None or self._content is None:
            self._show_shape(self._hit(event.position()))
            return
        self._move_drag(event.position().x(), free=_free(event.modifiers()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Say, once, what the drag or click asks for."""
        drag = self._overlay.drag
        if event.button() != Qt.MouseButton.LeftButton or drag is None:
            super().mouseReleaseEvent(event)
            return
        self._set_drag(None)
        if drag.edits and drag.span is not None:
            self.event_edited.emit(drag.span.id, drag.onset, drag.offset, drag.snapped_to)
        elif drag.begun and drag.grip is Grip.RANGE:
            chosen = Selection(drag.onset, drag.offset, drag.lane_id)
            self._choose_range(chosen if drag.onset < drag.offset else None)
        elif not drag.begun and drag.span is None:
            self._choose_range(None)
            if drag.lane_id is not None:
                self._choose_event("")
            self.cursor_requested.emit(self._inside(drag.frame))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Activate an event; on a header, draw the lane at its own level again."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        hit = self._hit(event.position())
        if hit.span is not None:
            self.event_activated.emit(hit.span.id)
        elif hit.area is Area.HEADER and hit.lane is not None:
            self._change_gain(hit.lane.id, 0.0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; with Ctrl zoom, with Shift scroll the lanes, with Alt or on a header change the gain."""
        # Some platforms swap the axes while Alt or Shift is held: whichever moved counts.
        turned = event.angleDelta()
        notches = (turned.y() or turned.x()) / NOTCH
        held = event.modifiers()
        hit = self._hit(event.position())
        if held & Qt.KeyboardModifier.ControlModifier:
            self._set_viewport(self._viewport.zoomed(WHEEL_ZOOM**notches, self._column_at(event.position().x())))
        elif held & Qt.KeyboardModifier.AltModifier or hit.area is Area.HEADER:
            if hit.lane is not None:
                self._change_gain(hit.lane.id, self.gain(hit.lane.id) + notches * GAIN_STEP_DB)
        elif held & Qt.KeyboardModifier.ShiftModifier:
            self._bar.setValue(self._bar.value() - round(notches * self._layout.metrics.line * 3))
        elif not event.pixelDelta().isNull():
            moved = event.pixelDelta()
            self._set_viewport(self._viewport.panned(-round(self._device(moved.x() or moved.y()))))
        else:
            self.pan(-notches * WHEEL_PAN)
        event.accept()

    # What the pointer asks for

    def _hit(self, place: QPointF) -> Hit:
        x, y = self._device(place.x()), self._device(place.y())
        return self._layout.hit(x, y, viewport=self._viewport, scroll=self._scroll, selected=self._selected)

    def _drag_on(self, hit: Hit, x: float, *, create: bool) -> Drag:
        frame = self._frame_at(x)
        lane_id = hit.lane.id if hit.lane else None
        if hit.span is None or hit.part is None or lane_id is None or create:
            return Drag.on_range(x=x, frame=frame, lane_id=lane_id)
        if not hit.span.editable:
            return Drag.on_range(x=x, frame=frame, lane_id=lane_id, span=hit.span)
        return Drag.on_span(hit.span, hit.part, x=x, frame=frame, lane_id=lane_id)

    def _set_drag(self, drag: Drag | None) -> None:
        super()._set_drag(drag)
        if drag is None:
            self._scroller.stop()

    def _move_drag(self, x: float, *, free: bool) -> None:
        """Let the drag follow the pointer, and the view the pointer where it is at its border."""
        drag = self._overlay.drag
        if drag is None or self._content is None:
            return
        self._pointer_x = x
        pull = None if free else self._pull(drag)
        drag = drag.moved(x, self._frame_at(x), frames=self._content.frames, pull=pull)
        self._set_drag(drag)
        if not (drag.begun and self._beyond(x, drag)):
            self._scroller.stop()
        elif not self._scroller.isActive():
            self._scroller.start()

    def _pull(self, drag: Drag) -> Pull | None:
        box = self._layout.lane_box(drag.lane_id)
        if not self._snapping or box is None or box.lane.speech is None or self._content is None:
            return None
        reach = self._device(SNAP_REACH) * self._viewport.frames_per_column
        return Pull(box.lane.speech, int(min(reach, SNAP_MOST_S * self._content.rate_hz)))

    def _beyond(self, x: float, drag: Drag) -> float:
        """Return how far the pointer is past the border, to the right positive; 0 where it is not, or came from there.

        A drag that begins at the border scrolls only once it goes outward.
        """
        right = self._logical_right() - BORDER
        left = self._layout.metrics.header / self._ratio + BORDER
        if x > right and x > drag.x:
            return x - right
        return x - left if x < left and x < drag.x else 0.0

    def _on_scroll_tick(self) -> None:
        drag = self._overlay.drag
        beyond = self._beyond(self._pointer_x, drag) if drag is not None and drag.begun else 0.0
        if not beyond:
            self._scroller.stop()
            return
        by = self._device(min(max(abs(beyond) / 3, 2), 60))
        self._set_viewport(self._viewport.panned(round(by) if beyond > 0 else -round(by)))
        self._move_drag(self._pointer_x, free=_free(QGuiApplication.keyboardModifiers()))

    def _on_modifier(self, event: QKeyEvent, *, held: bool) -> None:
        drag = self._overlay.drag
        if event.key() == Qt.Key.Key_Shift and drag is not None and drag.begun:
            self._move_drag(self._pointer_x, free=held)

    def _activate_lane(self, lane_id: str) -> None:
        if lane_id != self._active_lane:
            self.set_active_lane(lane_id)
            self.lane_selected.emit(lane_id)

    def _choose_event(self, event_id: str) -> None:
        if event_id != (self._selected or ""):
            self.set_selected_event(event_id or None)
            self.event_selected.emit(event_id)

    def _choose_range(self, selection: Selection | None) -> None:
        if selection != self.selection:
            self.set_selection(selection)
            self.selection_changed.emit((selection.onset, selection.offset) if selection else None)

    def _change_gain(self, lane_id: str, level_db: float) -> None:
        self.set_gain(lane_id, level_db)
        self.gain_changed.emit(lane_id, self.gain(lane_id))

    def _show_shape(self, hit: Hit) -> None:
        edge = hit.part in (Part.ONSET, Part.OFFSET)
        over_event = hit.span is not None and hit.span.editable
        if edge:
            self.setCursor(Qt.CursorShape.SizeHorCursor)
        else:
            self.setCursor(Qt.CursorShape.OpenHandCursor if over_event else Qt.CursorShape.ArrowCursor)

    def _show_tip(self, event: QHelpEvent) -> None:
        tip = self._tip(QPointF(event.pos()))
        if tip and self._overlay.drag is None:
            # Text of imported files is shown as it is, never as markup.
            QToolTip.showText(event.globalPos(), f'<p style="white-space: pre-wrap">{html.escape(tip)}</p>', self)
        else:
            QToolTip.hideText()

    def _tip(self, place: QPointF) -> str:
        hit = self._hit(place)
        if hit.span is not None:
            return hit.span.tip or hit.span.label
        if hit.lane is None:
            return ""
        if hit.area is Area.HEADER:
            return f"{hit.lane.title}: turn the wheel for taller or lower waves, double-click for 0 dB."
        if hit.layer is Layer.SPEECH and hit.lane.speech is not None:
            return hit.lane.speech.tip
        if hit.layer is Layer.SPECTROGRAM and hit.lane.spectrogram is not None:
            return self._place_text(place, hit.lane.id, hit.lane.spectrogram.highest_hz)
        return ""

    def _place_text(self, place: QPointF, lane_id: str, highest_hz: float) -> str:
        """Return time and frequency of a place on a spectrogram."""
        box = self._layout.lane_box(lane_id)
        if box is None or self._content is None:
            return ""
        down = int(self._device(place.y())) - self._layout.metrics.ruler + self._scroll - box.spectrogram_top
        frequency = frequency_at(down, highest_hz, box.spectrogram_height)
        return f"{frame_text(self._frame_at(place.x()), self._content.rate_hz)}, {frequency:,.0f} Hz"

    def _logical_right(self) -> float:
        return (self._layout.metrics.header + self._viewport.width) / self._ratio

    def _frame_at(self, x: float) -> int:
        return self._viewport.frame_from_x(self._column_at(x))

    def _column_at(self, x: float) -> float:
        return self._device(x) - self._layout.metrics.header

    def _inside(self, frame: int) -> int:
        return min(max(frame, 0), self._viewport.frames)


def _free(held: Qt.KeyboardModifier) -> bool:
    """Return whether the keys that are held leave an edge where the pointer is."""
    return bool(held & Qt.KeyboardModifier.ShiftModifier)
