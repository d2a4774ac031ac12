"""The whole recording in one strip, with the visible part to drag."""

import numpy as np
from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from widgets.theme import Theme
from widgets.timeline.rendering import Pixels, argb, draw_waveform, joined
from widgets.timeline.stacking import Frames
from widgets.timeline.values import Lane, TimelineContent

NARROWEST = 4
"""Logical pixels that the visible part is drawn wide at least, so that it can be seen and held."""


class Overview(QWidget):
    """Every lane's outline over the whole recording, the visible part and the cursor.

    Signals
    -------
    range_requested(object, object)
        The visible part was dragged, or a click wants it elsewhere: its first frame and the one after its last, as
        long as the part that is visible now.
    """

    range_requested = Signal(object, object)

    def __init__(self, *, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._content: TimelineContent | None = None
        self._first = self._last = self._cursor = 0
        self._image: QImage | None = None
        self._held: float | None = None
        self.renders = 0
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Overview")
        self.setAccessibleDescription("The whole recording; the part shown in the timeline is framed.")

    # What is shown

    def set_content(self, content: TimelineContent | None) -> None:
        """Show a recording."""
        self._content = content
        self.refresh()

    def refresh(self) -> None:
        """Ask the waveforms again: they know more than before."""
        self._image = None
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours; those of lanes come with the content."""
        self._theme = theme
        self.refresh()

    def set_visible_range(self, first: int, last: int) -> None:
        """Frame what the timeline shows."""
        self._first, self._last = first, last
        self.update()

    def set_cursor(self, frame: int) -> None:
        """Move the cursor; what lies behind it is not drawn anew."""
        if self._cursor == frame:
            return
        for place in (self._cursor, frame):
            self._cursor = place
            self.update(QRect(int(self._x(place)) - 2, 0, 6, self.height()))

    # Qt

    def sizeHint(self) -> QSize:
        """Return room for a strip of two and a half lines."""
        line = self.fontMetrics().height()
        return QSize(line * 40, round(line * 3))

    def minimumSizeHint(self) -> QSize:
        """Return room for two lines."""
        line = self.fontMetrics().height()
        return QSize(line * 10, line * 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Blit the strip and paint frame and cursor over it."""
        with QPainter(self) as painter:
            if self._content is None or not self._content.lanes:
                painter.fillRect(self.rect(), QColor(self._theme.lane_alternate))
            else:
                self._paint(painter)

    def _paint(self, painter: QPainter) -> None:
        ratio = self.devicePixelRatioF()
        painter.scale(1 / ratio, 1 / ratio)
        image = self._strip(ratio)
        painter.drawImage(0, 0, image)
        hair = max(round(ratio), 1)
        window = self._window_rect(ratio, image)
        veil = QColor(self._theme.window)
        veil.setAlphaF(0.62)
        painter.fillRect(QRect(0, 0, window.left(), image.height()), veil)
        painter.fillRect(QRect(window.right() + 1, 0, image.width() - window.right(), image.height()), veil)
        pen = painter.pen()
        pen.setColor(QColor(self._theme.accent))
        pen.setWidth(2 * hair)
        painter.setPen(pen)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawRoundedRect(QRectF(window).adjusted(hair, hair, -hair, -hair), 2 * hair, 2 * hair)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        cursor = QRect(int(self._x(self._cursor) * ratio), 0, 2 * hair, image.height())
        painter.fillRect(cursor, QColor(self._theme.cursor))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the visible part where it is, or bring its middle here."""
        if event.button() != Qt.MouseButton.LeftButton or self._content is None:
            super().mousePressEvent(event)
            return
        frame = self._frame(event.position().x())
        middle = (self._first + self._last) // 2
        slack = self._frame(NARROWEST) - self._frame(0)
        inside = min(self._first, middle - slack) <= frame < max(self._last, middle + slack)
        self._held = frame - self._first if inside else (self._last - self._first) / 2
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        if not inside:
            self._request(frame)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the visible part along."""
        if self._held is not None:
            self._request(self._frame(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        self._held = None
        self.unsetCursor()

    # Inside

    def _request(self, frame: float) -> None:
        if self._content is None or self._held is None:
            return
        length = self._last - self._first
        first = min(max(round(frame - self._held), 0), max(self._content.frames - length, 0))
        self.range_requested.emit(first, first + length)

    def _x(self, frame: int) -> float:
        frames = max(self._content.frames if self._content else 1, 1)
        return frame / frames * self.width()

    def _frame(self, x: float) -> float:
        frames = self._content.frames if self._content else 0
        return x / max(self.width(), 1) * frames

    def _window_rect(self, ratio: float, image: QImage) -> QRect:
        left, right = (round(self._x(frame) * ratio) for frame in (self._first, self._last))
        spare = max(round(NARROWEST * ratio) - (right - left), 0)
        left = max(left - spare // 2, 0)
        return QRect(left, 0, min(max(right + spare // 2, left + 1), image.width()) - left, image.height())

    def _strip(self, ratio: float) -> QImage:
        size = QSize(max(round(self.width() * ratio), 1), max(round(self.height() * ratio), 1))
        if self._image is None or self._image.size() != size:
            self._image = QImage(size, QImage.Format.Format_RGB32)
            picture = np.frombuffer(self._image.bits(), dtype=np.uint32).reshape(size.height(), size.width())
            self._draw(picture)
        return self._image

    def _draw(self, picture: Pixels) -> None:
        self.renders += 1
        picture[:] = argb(self._theme.lane)
        if self._content is None:
            return
        height, width = picture.shape
        edges = np.arange(-1, width + 1, dtype=np.int64) * self._content.frames // width
        bounds = np.linspace(0, height, len(self._content.lanes) + 1).astype(int).tolist()
        for lane, top, bottom in zip(self._content.lanes, bounds, bounds[1:], strict=False):
            _draw_lane(picture[top:bottom], lane, edges)


def _draw_lane(strip: Pixels, lane: Lane, edges: Frames) -> None:
    if lane.waveform is None or not strip.shape[0]:
        return
    low, high = joined(*lane.waveform.columns(edges))
    # Conversations are mostly quiet against full scale: a strip this low shows the loudest column at full height.
    levels = np.concatenate([np.abs(low), np.abs(high)])
    peak = float(np.nanmax(levels, initial=0.0)) if not np.isnan(levels).all() else 0.0
    draw_waveform(strip, low, high, ink=argb(lane.colour), gain=1 / max(peak, 0.05), height=strip.shape[0])
