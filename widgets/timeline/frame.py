"""One frame of the timeline as a picture: the backdrop, and on it ruler, headers and events."""

import numpy as np
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter

from widgets.timeline.backdrop import Backdrop
from widgets.timeline.layout import LaneBox
from widgets.timeline.lettering import CENTRE, LEFT, RIGHT
from widgets.timeline.scene import Scene
from widgets.timeline.span_painter import paint_row
from widgets.timeline.spectrogram import frequency_ticks


class Frame:
    """Keeps the last picture and draws only what has changed.

    Attributes
    ----------
    renders
        How often events, ruler and headers were drawn; a moving cursor does not draw them.
    """

    def __init__(self) -> None:
        self.renders = 0
        self.backdrop = Backdrop()
        self._image = QImage()
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

    def image(self, scene: Scene) -> QImage:
        """Return the picture in device pixels, from the last time where nothing was invalidated."""
        if (self._image.width(), self._image.height()) != (scene.width, scene.height):
            self._image = QImage(scene.width, scene.height, QImage.Format.Format_RGB32)
            self.invalidate(backdrop=True)
        if self._stale:
            if self._stale_backdrop:
                self.backdrop.draw(scene)
            self._draw(scene)
            self._stale = self._stale_backdrop = False
        return self._image

    def _draw(self, scene: Scene) -> None:
        self.renders += 1
        picture = np.frombuffer(self._image.bits(), dtype=np.uint32).reshape(scene.height, scene.width)
        picture[:] = self.backdrop.pixels
        ruler = scene.layout.metrics.ruler
        lanes = QRect(0, ruler, scene.width, scene.height - ruler)
        view = QRect(scene.left, ruler, scene.viewport.width, scene.height - ruler)
        with QPainter(self._image) as painter:
            for _, box in scene.visible_lanes():
                painter.setClipRect(lanes)
                self._paint_header(painter, scene, box)
                painter.setClipRect(view)
                for row in box.rows:
                    paint_row(painter, picture, scene, row)
            painter.setClipping(False)
            self._paint_ruler(painter, scene)

    def _paint_ruler(self, painter: QPainter, scene: Scene) -> None:
        theme, metrics, fonts = scene.theme, scene.layout.metrics, scene.lettering
        painter.fillRect(QRect(0, 0, scene.width, metrics.ruler), QColor(theme.ruler))
        painter.setClipRect(QRect(scene.left, 0, scene.viewport.width, metrics.ruler))
        ticks = scene.ticks()
        columns = scene.viewport.columns_from_frames(np.array([tick.frame for tick in ticks], dtype=np.int64))
        for tick, column in zip(ticks, columns.tolist(), strict=True):
            x = scene.left + column
            height = metrics.ruler // 2 if tick.label else metrics.ruler // 5
            painter.fillRect(
                QRect(x, metrics.ruler - height, metrics.hair, height),
                QColor(theme.muted_text if tick.label else theme.border),
            )
            if tick.label:
                text = QRect(x + metrics.pad, 0, metrics.line * 8, metrics.ruler - metrics.hair * 2)
                fonts.draw(painter, text, tick.label, font=fonts.small, colour=theme.ruler_text, align=LEFT)
        painter.setClipping(False)
        painter.fillRect(QRect(0, metrics.ruler - metrics.hair, scene.width, metrics.hair), QColor(theme.separator))
        painter.fillRect(QRect(scene.left - metrics.hair, 0, metrics.hair, metrics.ruler), QColor(theme.separator))

    def _paint_header(self, painter: QPainter, scene: Scene, box: LaneBox) -> None:
        theme, metrics, fonts = scene.theme, scene.layout.metrics, scene.lettering
        active = box.lane.id == scene.active_lane
        top, height = scene.y_of(box.top), box.height - metrics.hair
        painter.fillRect(QRect(0, top, scene.left, height), QColor(theme.header_active if active else theme.header))
        painter.fillRect(QRect(0, top, metrics.hair * (8 if active else 5), height), QColor(box.lane.colour))
        painter.fillRect(QRect(scene.left - metrics.hair, top, metrics.hair, height), QColor(theme.separator))
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
        if box.lane.waveform is not None and box.lane.waveform.provisional:
            self._paint_provisional(painter, scene, top)

    def _paint_speech_title(self, painter: QPainter, scene: Scene, box: LaneBox, title: str) -> None:
        metrics, fonts = scene.layout.metrics, scene.lettering
        rect = QRect(0, scene.y_of(box.speech_top), scene.left - metrics.pad * 2, box.speech_height)
        fonts.draw(painter, rect, title, font=fonts.small, colour=scene.theme.muted_text, align=RIGHT)

    def _paint_frequencies(self, painter: QPainter, scene: Scene, box: LaneBox, highest_hz: float) -> None:
        """Mark frequencies at the right of the header, beside the spectrogram."""
        theme, metrics, fonts = scene.theme, scene.layout.metrics, scene.lettering
        top, bottom = scene.y_of(box.spectrogram_top), scene.y_of(box.speech_top)
        for tick in frequency_ticks(highest_hz, box.spectrogram_height, round(metrics.line * 1.2)):
            y = top + tick.down
            painter.fillRect(QRect(scene.left - metrics.pad, y, metrics.pad, metrics.hair), QColor(theme.muted_text))
            # The lowest and the highest mark are written inside the spectrogram's height.
            text = QRect(0, y - metrics.line // 2, scene.left - metrics.pad * 3 // 2, metrics.line)
            text.moveTop(min(max(text.top(), top), bottom - metrics.line))
            fonts.draw(painter, text, tick.label, font=fonts.small, colour=theme.muted_text, align=RIGHT)

    def _paint_provisional(self, painter: QPainter, scene: Scene, top: int) -> None:
        """Mark a lane whose outline is still coarse, in its right corner."""
        theme, metrics, fonts = scene.theme, scene.layout.metrics, scene.lettering
        text = "provisional"
        width = fonts.width(text, fonts.small) + 2 * metrics.pad
        right = scene.left + scene.viewport.width - metrics.pad
        rect = QRect(right - width, top + metrics.pad, width, metrics.line)
        painter.fillRect(rect, QColor(theme.header))
        fonts.draw(painter, rect, text, font=fonts.small, colour=theme.warning, align=CENTRE)
