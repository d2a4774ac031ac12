"""How an event looks: a tinted bar with its colour, its letter and its label, as far as there is room."""

from functools import lru_cache

import numpy as np
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from widgets.theme import Theme, blend
from widgets.timeline.layout import RowBox
from widgets.timeline.rendering import Pixels, draw_slivers
from widgets.timeline.scene import Scene
from widgets.timeline.stacking import Frames
from widgets.timeline.values import Span

TINT_LIGHT = 0.80
TINT_DARK = 0.72
"""How far the fill of an event goes from its colour towards the row it lies on."""


SHAPE_WIDTH = 13
"""Logical pixels from which an event is a shape with an outline; below it is a run of plain pixels."""

MOST_PICTURES = 256
WIDEST_PICTURE = 400
"""Logical pixels up to which the picture of an event is kept: together some tens of megabytes at most."""

_mixed = lru_cache(1_024)(blend)


class SpanPictures:
    """Events as they were painted last, for those that lie wholly in view: a scroll paints none of them anew.

    Attributes
    ----------
    painted
        How many pictures were painted.
    """

    def __init__(self) -> None:
        self.painted = 0
        self._pictures: dict[tuple[object, ...], QImage] = {}
        self._made_for: tuple[object, ...] = ()

    def paint(self, painter: QPainter, scene: Scene, rect: QRect, span: Span) -> None:
        """Paint an event that is not selected."""
        inside = rect.left() >= scene.left and rect.right() < scene.left + scene.viewport.width
        if not inside or rect.width() > WIDEST_PICTURE * scene.layout.metrics.hair:
            paint_span(painter, scene, rect, span)
            return
        if self._made_for != (scene.theme, scene.lettering) or len(self._pictures) >= MOST_PICTURES:
            self._pictures.clear()
            self._made_for = (scene.theme, scene.lettering)
        key = (rect.width(), rect.height(), span.label, span.letter, span.colour, span.editable)
        picture = self._pictures.get(key)
        if picture is None:
            picture = self._pictures[key] = self._painted(scene, rect, span)
        painter.drawImage(rect.topLeft(), picture)

    def _painted(self, scene: Scene, rect: QRect, span: Span) -> QImage:
        self.painted += 1
        picture = QImage(rect.size(), QImage.Format.Format_RGB32)
        picture.fill(QColor(scene.theme.event_row))
        with QPainter(picture) as painter:
            painter.translate(-rect.topLeft())
            paint_span(painter, scene, rect, span)
        return picture


def tint(colour: str, theme: Theme) -> str:
    """Return the fill of an event of that colour, pale enough for the theme's text."""
    return _mixed(colour, theme.event_row, TINT_DARK if theme.dark else TINT_LIGHT)


def paint_row(painter: QPainter, picture: Pixels, scene: Scene, box: RowBox, pictures: SpanPictures) -> None:
    """Paint the visible events of a row.

    Narrow events become runs of pixels, those under two logical pixels without a gap between them; only the others
    are shapes. The selected one is painted last and alone has handles.
    """
    stacked, viewport = box.stacked, scene.viewport
    near = stacked.touching(viewport.first, viewport.last)
    if not len(near):
        return
    left = viewport.columns_from_frames(stacked.onsets[near])
    widths = viewport.columns_from_frames(stacked.offsets[near]) - left
    places = stacked.places[near]
    inset = hair = scene.layout.metrics.hair
    narrow = widths < SHAPE_WIDTH * hair
    runs = widths - hair * (widths > 3 * hair)
    for place in np.unique(places[narrow]).tolist():
        chosen = narrow & (places == place)
        top = scene.y_of(box.top + place * box.sub_height + inset)
        floor = scene.layout.metrics.ruler
        strip = picture[max(top, floor) : max(top + box.sub_height - 2 * inset, floor)]
        sheet = strip[:, scene.left : scene.left + viewport.width]
        draw_slivers(sheet, left[chosen], runs[chosen], stacked.colours[near[chosen]])
    selected: tuple[QRect, Span] | None = None
    for index in np.flatnonzero(~narrow).tolist():
        span = box.row.spans[near[index]]
        rect = span_rect(scene, box, int(places[index]), int(left[index]), int(widths[index]))
        if span.id == scene.selected:
            selected = (rect, span)
        else:
            pictures.paint(painter, scene, rect, span)
    if selected is None:
        selected = _narrow_selection(scene, box, near[narrow], left[narrow], widths[narrow])
    if selected is not None:
        paint_selected(painter, scene, *selected)


def _narrow_selection(
    scene: Scene, box: RowBox, near: Frames, left: Frames, widths: Frames
) -> tuple[QRect, Span] | None:
    number = box.stacked.index_of(scene.selected) if scene.selected else None
    if number is None:
        return None
    index = int(np.searchsorted(near, number))
    if index == len(near) or near[index] != number:
        return None
    width = max(int(widths[index]), 4 * scene.layout.metrics.hair)
    rect = span_rect(scene, box, int(box.stacked.places[number]), int(left[index]), width)
    return rect, box.row.spans[number]


def span_rect(scene: Scene, box: RowBox, place: int, column: int, width: int) -> QRect:
    """Return the pixels of an event, cut a little outside the view so that no coordinate grows out of bounds."""
    slack = 4 * scene.layout.metrics.edge
    first = max(column, -slack)
    last = min(column + width, scene.viewport.width + slack)
    inset = scene.layout.metrics.hair
    top = scene.y_of(box.top + place * box.sub_height) + inset
    return QRect(scene.left + first, top, max(last - first, 1), box.sub_height - 2 * inset)


def paint_span(painter: QPainter, scene: Scene, rect: QRect, span: Span) -> None:
    """Paint an event that is not selected."""
    hair, theme = scene.layout.metrics.hair, scene.theme
    fill = tint(span.colour, theme)
    body = rect.adjusted(0, 0, -hair, 0)
    _paint_round(painter, body, fill, span.colour if span.editable else _mixed(span.colour, fill, 0.45), hair)
    painter.fillRect(QRect(rect.left(), rect.top() + hair, 3 * hair, rect.height() - 2 * hair), QColor(span.colour))
    _write(painter, scene, body.adjusted(3 * hair, 0, 0, 0), span, letter=span.colour, text=theme.text)


def paint_selected(painter: QPainter, scene: Scene, rect: QRect, span: Span) -> None:
    """Paint the selected event: filled with its colour, framed, with handles where it can be edited."""
    hair, theme = scene.layout.metrics.hair, scene.theme
    ink = theme.text_on(span.colour)
    _paint_round(painter, rect, span.colour, theme.text, 2 * hair)
    inner = rect
    if span.editable and rect.width() >= 14 * hair:
        grip = QRect(0, 0, 3 * hair, round(rect.height() * 0.55))
        for centre in (rect.left() + 4 * hair, rect.right() - 4 * hair):
            grip.moveCenter(rect.center())
            grip.moveLeft(centre - hair)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(ink))
            painter.drawRoundedRect(QRectF(grip), hair, hair)
        inner = rect.adjusted(7 * hair, 0, -7 * hair, 0)
    _write(painter, scene, inner, span, letter=ink, text=ink)


def _paint_round(painter: QPainter, rect: QRect, fill: str, edge: str, width: int) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
    pen = painter.pen()
    pen.setStyle(Qt.PenStyle.SolidLine)
    pen.setWidth(width)
    pen.setColor(QColor(edge))
    painter.setPen(pen)
    painter.setBrush(QColor(fill))
    half = width / 2
    radius = min(rect.height() / 5, rect.width() / 3)
    painter.drawRoundedRect(QRectF(rect).adjusted(half, half, -half, -half), radius, radius)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


def _write(painter: QPainter, scene: Scene, rect: QRect, span: Span, *, letter: str, text: str) -> None:
    """Write letter and label; an event that begins left of the view has them at the view's edge."""
    fonts, pad = scene.lettering, scene.layout.metrics.pad
    line = scene.layout.metrics.line
    visible = rect.intersected(QRect(scene.left, rect.top(), scene.viewport.width, rect.height()))
    room = visible.adjusted(pad // 2, 0, -pad // 2, 0)
    if rect.height() < line * 0.8:
        return
    wide = fonts.width(span.letter, fonts.letter)
    if room.width() < wide:
        return
    if room.width() < wide + pad:
        fonts.draw(painter, visible, span.letter, font=fonts.letter, colour=letter, align=Qt.AlignmentFlag.AlignCenter)
        return
    fonts.draw(
        painter, QRect(room.left(), room.top(), wide + 1, room.height()), span.letter, font=fonts.letter, colour=letter
    )
    label = room.adjusted(wide + pad, 0, 0, 0)
    if label.width() > 2 * line:
        fonts.draw(painter, label, span.label, font=fonts.small, colour=text)
