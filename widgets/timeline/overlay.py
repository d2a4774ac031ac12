"""What moves over the frame: cursor, selection, the preview of a drag and the event being marked."""

import math
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QPainter, QPolygon

from widgets.timeline.drag import Drag, Grip
from widgets.timeline.layout import LaneBox
from widgets.timeline.lettering import CENTRE
from widgets.timeline.scene import Scene
from widgets.timeline.span_painter import paint_selected, span_rect
from widgets.timeline.ticks import frame_text
from widgets.timeline.values import Band, Selection


@dataclass(frozen=True, slots=True)
class LiveSpan:
    """An event being marked while the sound plays; without an offset it reaches to the cursor."""

    lane_id: str
    onset: int
    offset: int | None
    colour: str


@dataclass(frozen=True, slots=True)
class Overlay:
    """All that is painted over a frame."""

    cursor: int = 0
    selection: Selection | None = None
    drag: Drag | None = None
    live: LiveSpan | None = None
    focused: bool = False

    def paint(self, painter: QPainter, scene: Scene) -> None:
        """Paint it, in device pixels."""
        metrics = scene.layout.metrics
        view = QRect(scene.left, 0, scene.viewport.width, scene.height)
        painter.setClipRect(view.adjusted(0, metrics.ruler, 0, 0))
        for _, box in scene.visible_lanes():
            for band in box.lane.bands:
                self._paint_band(painter, scene, box, band)
        shown = self._dragged_range() or self.selection
        if shown is not None:
            self._paint_selection(painter, scene, shown)
        if self.live is not None:
            self._paint_live(painter, scene, self.live)
        if self.drag is not None and self.drag.begun and self.drag.grip is not Grip.RANGE:
            self._paint_preview(painter, scene, self.drag)
        painter.setClipRect(view)
        self._paint_cursor(painter, scene)
        painter.setClipping(False)
        self._paint_corner(painter, scene)
        if self.focused:
            self._paint_focus(painter, scene)

    def cursor_rect(self, scene: Scene) -> QRect:
        """Return the strip that the cursor covers, in device pixels."""
        half = scene.layout.metrics.pad + 2 * scene.layout.metrics.hair
        x = self._cursor_x(scene)
        return QRect(x - half, 0, 2 * half + 1, scene.height)

    @staticmethod
    def corner_rect(scene: Scene) -> QRect:
        """Return the place of the cursor's time, in device pixels."""
        hair = scene.layout.metrics.hair
        return QRect(0, 0, scene.left - hair, scene.layout.metrics.ruler - hair)

    def _dragged_range(self) -> Selection | None:
        drag = self.drag
        if drag is None or not drag.begun or drag.grip is not Grip.RANGE:
            return None
        return Selection(drag.onset, drag.offset, drag.lane_id)

    def _cursor_x(self, scene: Scene) -> int:
        x = math.floor(scene.viewport.x_from_frame(self.cursor))
        return scene.left + min(max(x, -scene.width), 2 * scene.width)

    def _columns(self, scene: Scene, onset: int, offset: int) -> tuple[int, int]:
        slack = 4 * scene.layout.metrics.edge
        first, last = (
            min(max(math.floor(scene.viewport.x_from_frame(frame)), -slack), scene.viewport.width + slack)
            for frame in (onset, offset)
        )
        return first, last

    def _paint_selection(self, painter: QPainter, scene: Scene, selection: Selection) -> None:
        first, last = self._columns(scene, selection.onset, selection.offset)
        ruler, hair = scene.layout.metrics.ruler, scene.layout.metrics.hair
        whole = QRect(scene.left + first, ruler, max(last - first, hair), scene.height - ruler)
        colour = QColor(scene.theme.selection)
        own = scene.layout.lane_box(selection.lane_id)
        colour.setAlphaF(0.07 if own else 0.2)
        painter.fillRect(whole, colour)
        if own:
            colour.setAlphaF(0.22)
            painter.fillRect(QRect(whole.left(), scene.y_of(own.top), whole.width(), own.height), colour)
        edge = QColor(scene.theme.selection)
        painter.fillRect(QRect(whole.left(), ruler, hair, whole.height()), edge)
        painter.fillRect(QRect(whole.left() + whole.width() - hair, ruler, hair, whole.height()), edge)

    def _paint_band(self, painter: QPainter, scene: Scene, box: LaneBox, band: Band) -> None:
        metrics, fonts = scene.layout.metrics, scene.lettering
        first, last = self._columns(scene, band.onset, band.offset)
        shade = QRect(scene.left + first, scene.y_of(box.top), max(last - first, metrics.hair), box.rows_top - box.top)
        colour = QColor(band.colour)
        for x in (shade.left(), shade.left() + shade.width() - metrics.hair):
            painter.fillRect(QRect(x, shade.top(), metrics.hair, shade.height()), colour)
        flag = QRect(shade.left(), shade.top(), fonts.width(band.label, fonts.small) + 2 * metrics.pad, metrics.line)
        painter.fillRect(flag, colour)
        ink = scene.theme.text_on(band.colour)
        fonts.draw(painter, flag, band.label, font=fonts.small, colour=ink, align=CENTRE)
        colour.setAlphaF(0.16)
        painter.fillRect(shade, colour)

    def _paint_live(self, painter: QPainter, scene: Scene, live: LiveSpan) -> None:
        box = scene.layout.lane_box(live.lane_id)
        if box is None:
            return
        onset, offset = sorted((live.onset, self.cursor if live.offset is None else live.offset))
        first, last = self._columns(scene, onset, offset)
        band = QRect(scene.left + first, scene.y_of(box.top), max(last - first, 1), box.rows_top - box.top)
        veil = QColor(live.colour)
        veil.setAlphaF(0.22)
        painter.fillRect(band, veil)
        band.setHeight(scene.layout.metrics.hair * 4)
        painter.fillRect(band, QColor(live.colour))

    def _paint_preview(self, painter: QPainter, scene: Scene, drag: Drag) -> None:
        found = scene.layout.find(drag.span.id) if drag.span else None
        if found is None or drag.span is None:
            return
        lane, row, index = found
        first, last = self._columns(scene, drag.onset, drag.offset)
        rect = span_rect(scene, row, int(row.stacked.places[index]), first, max(last - first, 1))
        paint_selected(painter, scene, rect, drag.span)
        for moved, x, frame in (
            (drag.grip is not Grip.OFFSET, first, drag.onset),
            (drag.grip is not Grip.ONSET, last, drag.offset),
        ):
            if moved:
                text = frame_text(frame, scene.content.rate_hz)
                if drag.snapped_to:
                    text = f"{text} · {drag.snapped_to.split()[0]}"
                self._paint_guide(painter, scene, lane, scene.left + x, text, left=frame == drag.onset)
                if drag.snapped_to:
                    self._paint_catch(painter, scene, lane, scene.left + x)

    @staticmethod
    def _paint_catch(painter: QPainter, scene: Scene, lane: LaneBox, x: int) -> None:
        """Show that an edge is held by a boundary of speech: a broad line, and a diamond on the strip."""
        metrics, colour = scene.layout.metrics, QColor(scene.theme.speech)
        top = scene.y_of(lane.top) + metrics.line
        painter.fillRect(QRect(x - metrics.hair, top, 3 * metrics.hair, lane.height - metrics.line), colour)
        half, y = metrics.pad, scene.y_of(lane.speech_top) + lane.speech_height // 2
        painter.setPen(QColor(scene.theme.text))
        painter.setBrush(colour)
        painter.drawPolygon(
            QPolygon([QPoint(x - half, y), QPoint(x, y - half), QPoint(x + half, y), QPoint(x, y + half)])
        )

    @staticmethod
    def _paint_guide(painter: QPainter, scene: Scene, lane: LaneBox, x: int, text: str, *, left: bool) -> None:
        """Mark where an edge would go, with its time, on the waveform above the event."""
        metrics, theme, fonts = scene.layout.metrics, scene.theme, scene.lettering
        top = scene.y_of(lane.top)
        painter.fillRect(QRect(x, top, metrics.hair, lane.height), QColor(theme.text))
        width = fonts.width(text, fonts.small) + 2 * metrics.pad
        flag = QRect(x - width if left else x, top, width, metrics.line)
        painter.fillRect(flag, QColor(theme.tooltip))
        fonts.draw(painter, flag, text, font=fonts.small, colour=theme.tooltip_text, align=CENTRE)

    def _paint_cursor(self, painter: QPainter, scene: Scene) -> None:
        metrics = scene.layout.metrics
        x, colour = self._cursor_x(scene), QColor(scene.theme.cursor)
        # One column of the recording is the cursor's; a second beside it keeps it visible on a busy waveform.
        painter.fillRect(QRect(x, metrics.ruler // 2, 2 * metrics.hair, scene.height), colour)
        half, base = metrics.pad, metrics.ruler - metrics.hair
        painter.setPen(colour)
        painter.setBrush(colour)
        middle = x + metrics.hair
        painter.drawPolygon(
            QPolygon([QPoint(middle - half, base - half), QPoint(middle + half, base - half), QPoint(middle, base)])
        )

    def _paint_corner(self, painter: QPainter, scene: Scene) -> None:
        rect, fonts = self.corner_rect(scene), scene.lettering
        painter.fillRect(rect, QColor(scene.theme.ruler))
        text = frame_text(self.cursor, scene.content.rate_hz)
        fonts.draw(painter, rect, text, font=fonts.bold, colour=scene.theme.text, align=CENTRE)

    @staticmethod
    def _paint_focus(painter: QPainter, scene: Scene) -> None:
        hair, colour = scene.layout.metrics.hair, QColor(scene.theme.accent)
        width = 2 * hair
        for rect in (
            QRect(0, 0, scene.width, width),
            QRect(0, scene.height - width, scene.width, width),
            QRect(0, 0, width, scene.height),
            QRect(scene.width - width, 0, width, scene.height),
        ):
            painter.fillRect(rect, colour)
