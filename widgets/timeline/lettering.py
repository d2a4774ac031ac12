"""Fonts of the timeline in device pixels, and text cut to fit."""

from functools import lru_cache

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetrics, QPainter

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter

SMALL = 0.86
"""Size of secondary text against the widget's font."""


class Lettering:
    """The widget's font and two made from it, at the size they have on a picture of device pixels.

    Parameters
    ----------
    font
        The widget's font; whoever changes the text size of the application changes the timeline with it.
    ratio
        Device pixels per logical pixel.
    """

    def __init__(self, font: QFont, ratio: float) -> None:
        size = QFontInfo(font).pixelSize() * ratio
        self.text = self._sized(font, size)
        self.small = self._sized(font, size * SMALL)
        self.bold = self._sized(font, size)
        self.bold.setWeight(QFont.Weight.DemiBold)
        self.letter = self._sized(font, size * SMALL)
        self.letter.setWeight(QFont.Weight.Bold)
        self._metrics = {id(f): QFontMetrics(f) for f in (self.text, self.small, self.bold, self.letter)}
        self._cut = lru_cache(4_096)(self._cut_uncached)
        self._width = lru_cache(4_096)(self._width_uncached)

    def width(self, text: str, font: QFont) -> int:
        """Return how wide a text is in one of the fonts."""
        return self._width(text, id(font))

    def draw(
        self,
        painter: QPainter,
        rect: QRect,
        text: str,
        *,
        font: QFont,
        colour: str,
        align: Qt.AlignmentFlag = LEFT,
    ) -> None:
        """Draw a text into a rectangle, cut with an ellipsis where it does not fit."""
        shown = self._cut(text, id(font), rect.width())
        if shown:
            painter.setFont(font)
            painter.setPen(QColor(colour))
            painter.drawText(rect, align, shown)

    def _width_uncached(self, text: str, font: int) -> int:
        return self._metrics[font].horizontalAdvance(text)

    def _cut_uncached(self, text: str, font: int, width: int) -> str:
        return self._metrics[font].elidedText(text, Qt.TextElideMode.ElideRight, width)

    @staticmethod
    def _sized(font: QFont, pixels: float) -> QFont:
        result = QFont(font)
        result.setPixelSize(max(round(pixels), 1))
        return result
