"""One frame of the timeline as a picture: the backdrop, and on it ruler, headers and events."""

import numpy as np
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter

from widgets.timeline.backdrop import Backdrop
from widgets.timeline.layout import LaneBox
from widgets.timeline.lettering import CENTRE, LEFT, RIGHT
from widgets.timeline.rendering import Pixels, Sheet, argb
from widgets.timeline.scene import Scene
from widgets.timeline.span_painter import SpanPictures, paint_row
from widgets.timeline.spectrogram import frequency_ticks


class Frame:
    """Keeps the last picture and draws only what has changed.

    The picture is the backdrop's ring, and over it parts of a second sheet: ruler, headers and rows of events.

    Attributes
    ----------
    renders
        How often events and ruler were drawn; a moving cursor does not draw them.
    headers_drawn
        How often headers were drawn; scrolling along the recording does not draw them.
    spans
        Pictures of events.
    """

    def __init__(self) -> None:
        self.renders = 0
        self.headers_drawn = 0
        self.backdrop = Backdrop()
        self._sheet = Sheet(0, 0)
        self.spans = SpanPictures()
        self._parts: list[QRect] = []
        self._headers: Scene | None = None
        self._stale = True
        self._stale_backdrop = True

    def invalidate(self, *, backdrop: bool) -> None:
        """Draw the events anew when next asked, and the backdrop too where that has changed."""
        self._stale = True
        self._stale_backdrop = self._stale_backdrop or backdrop

    @property
    def stale(self) -> bool:
        """Whether the picture would be drawn anew."""
        return self._stale

    def paint(self, painter: QPainter, scene: Scene) -> None:
        """Paint the picture in device pixels, as it was the last time where nothing was invalidated."""
        if self._sheet.pixels.shape != (scene.height, scene.width):
            self._sheet = Sheet(scene.height, scene.width)
            self._headers = None
            self.invalidate(backdrop=True)
        if self._stale:
            if self._stale_backdrop:
                self.backdrop.draw(scene)
            self._draw(scene)
            self._stale = self._stale_backdrop = False
        self.backdrop.paint(painter, scene)
        for part in self._parts:
            painter.drawImage(part.topLeft(), self._sheet.window(part))

    def _draw(self, scene: Scene) -> None:
        self.renders += 1
        picture = self._sheet.pixels
        ruler = scene.layout.metrics.ruler
        view = QRect(scene.left, ruler, scene.viewport.width, scene.height - ruler)
        self._parts = [QRect(0, 0, scene.width, ruler), QRect(0, ruler, scene.left, scene.height - ruler)]
        lanes = scene.visible_lanes()
        paper = np.full(scene.viewport.width, argb(scene.theme.event_row), dtype=np.uint32)
        paper[scene.grid()] = argb(scene.theme.grid)
        image = self._sheet.window(QRect(0, 0, scene.width, scene.height))
        with QPainter(image) as painter:
            if self._headers is None or not _same_headers(self._headers, scene):
                self._paint_headers(painter, scene)
            self._headers = scene
            for _, box in lanes:
                rows = QRect(view.left(), scene.y_of(box.rows_top), view.width(), _rows_height(box)) & view
                if not rows.isEmpty():
                    self._parts.append(rows)
                    picture[rows.top() : rows.bottom() + 1, scene.left :] = paper
                painter.setClipRect(rows)
                for row in box.rows:
                    paint_row(painter, picture, scene, row, self.spans)
                if box.lane.waveform is not None and box.lane.waveform.provisional:
                    painter.setClipRect(view)
                    self._parts.append(self._paint_provisional(painter, scene, scene.y_of(box.top)) & view)
            painter.setClipping(False)
            self._paint_ruler(painter, picture, scene)

    def _paint_headers(self, painter: QPainter, scene: Scene) -> None:
        self.headers_drawn += 1
        ruler = scene.layout.metrics.ruler
        column = QRect(0, ruler, scene.left, scene.height - ruler)
        painter.setClipRect(column)
        painter.fillRect(column, QColor(scene.theme.window))
        for _, box in scene.visible_lanes():
            self._paint_header(painter, scene, box)

    def _paint_ruler(self, painter: QPainter, picture: Pixels, scene: Scene) -> None:
        theme, metrics, fonts = scene.theme, scene.layout.metrics, scene.lettering
        floor = metrics.ruler - metrics.hair
        picture[:floor] = argb(theme.ruler)
        ticks = scene.ticks()
        columns = scene.viewport.columns_from_frames(np.array([tick.frame for tick in ticks], dtype=np.int64))
        strip = picture[:floor, scene.left :]
        for labelled, height, colour in (
            (False, metrics.ruler // 5, theme.border),
            (True, metrics.ruler // 2, theme.muted_text),
        ):
            chosen = columns[[bool(tick.label) == labelled for tick in ticks]]
            for beside in range(metrics.hair):
                inside = chosen + beside
                inside = inside[(inside >= 0) & (inside < strip.shape[1])]
                strip[metrics.ruler - height :, inside] = argb(colour)
        picture[floor : metrics.ruler] = argb(theme.separator)
        picture[: metrics.ruler, scene.left - metrics.hair : scene.left] = argb(theme.separator)
        painter.setClipRect(QRect(scene.left, 0, scene.viewport.width, metrics.ruler))
        for tick, column in zip(ticks, columns.tolist(), strict=True):
            if tick.label:
                text = QRect(scene.left + column + metrics.pad, 0, metrics.line * 8, metrics.ruler - metrics.hair * 2)
                fonts.draw(painter, text, tick.label, font=fonts.small, colour=theme.ruler_text, align=LEFT)
        painter.setClipping(False)

    def _paint_header(self, painter: QPainter, scene: Scene, box: LaneBox) -> None:
        theme, metrics, fonts = scene.theme, scene.layout.metrics, scene.lettering
        active = box.lane.id == scene.active_lane
        top, height = scene.y_of(box.top), box.height - metrics.hair
        painter.fillRect(QRect(0, top, scene.left, height), QColor(theme.header_active if active else theme.header))
        painter.fillRect(QRect(0, top, metrics.hair * (8 if active else 5), height), QColor(box.lane.colour))
        painter.fillRect(QRect(scene.left - metrics.hair, top, metrics.hair, height), QColor(theme.separator))
        painter.fillRect(QRect(0, top + height, scene.left, metrics.hair), QColor(theme.separator))
        line = round(metrics.line * 1.2)
        inner = QRect(metrics.pad * 3, top + metrics.pad, scene.left - metrics.pad * 5, line)
        fonts.draw(painter, inner, box.lane.title, font=fonts.bold, colour=theme.text)
        inner.translate(0, line)
        gain = scene.gains.get(box.lane.id, 0.0)
        note = f"{gain:+g} dB".replace("-", "−") if gain else ""
        room = fonts.width(note, fonts.small) + metrics.pad if note else 0
        fonts.draw(
            painter, inner.adjusted(0, 0, -room, 0), box.lane.subtitle, font=fonts.small, colour=theme.muted_text
        )
        fonts.draw(painter, inner, note, font=fonts.small, colour=theme.text, align=RIGHT)
        for row in box.rows:
            title = QRect(inner.left(), scene.y_of(row.top), inner.width(), min(row.height, metrics.row))
            if row.height >= metrics.line:
                fonts.draw(painter, title, row.row.title, font=fonts.small, colour=theme.muted_text, align=RIGHT)
        if box.lane.spectrogram is not None:
            self._paint_frequencies(painter, scene, box, box.lane.spectrogram.highest_hz)
        if box.lane.speech is not None:
            self._paint_speech_title(painter, scene, box, box.lane.speech.title)

    def _paint_speech_title(self, painter: QPainter, scene: Scene, box: LaneBox, title: str) -> None:
        metrics, fonts = scene.layout.metrics, scene.lettering
        rect = QRect(0, scene.y_of(box.speech_top), scene.left - metrics.pad * 2, box.speech_height)
        fonts.draw(painter, rect, title, font=fonts.small, colour=scene.theme.muted_text, align=RIGHT)

    def _paint_frequencies(self, painter: QPainter, scene: Scene, box: LaneBox, highest_hz: float) -> None:
        """Mark frequencies at the right of the header, beside the spectrogram."""
        theme, metrics, fonts = scene.theme, scene.layout.metrics, scene.lettering
        top, bottom = scene.y_of(box.spectrogram_top), scene.y_of(box.speech_top)
        for tick in frequency_ticks(highest_hz, box.spectrogram_height, round(metrics.line * 1.6)):
            y = top + tick.down
            painter.fillRect(QRect(scene.left - metrics.pad, y, metrics.pad, metrics.hair), QColor(theme.muted_text))
            # The lowest and the highest mark are written inside the spectrogram's height.
            text = QRect(0, y - metrics.line // 2, scene.left - metrics.pad * 3 // 2, metrics.line)
            text.moveTop(min(max(text.top(), top), bottom - metrics.line))
            fonts.draw(painter, text, tick.label, font=fonts.small, colour=theme.muted_text, align=RIGHT)

    def _paint_provisional(self, painter: QPainter, scene: Scene, top: int) -> QRect:
        """Mark a lane whose outline is still coarse, in its right corner, and return where."""
        theme, metrics, fonts = scene.theme, scene.layout.metrics, scene.lettering
        text = "provisional"
        width = fonts.width(text, fonts.small) + 2 * metrics.pad
        right = scene.left + scene.viewport.width - metrics.pad
        rect = QRect(right - width, top + metrics.pad, width, metrics.line)
        painter.fillRect(rect, QColor(theme.header))
        fonts.draw(painter, rect, text, font=fonts.small, colour=theme.warning, align=CENTRE)
        return rect


def _rows_height(box: LaneBox) -> int:
    return sum(row.height for row in box.rows)


def _same_headers(one: Scene, other: Scene) -> bool:
    """Return whether two scenes have the same headers: they differ in the visible range and in events at most."""
    same = one.layout is other.layout and one.theme is other.theme and one.lettering is other.lettering
    return same and (one.scroll, one.active_lane, one.gains) == (other.scroll, other.active_lane, other.gains)
