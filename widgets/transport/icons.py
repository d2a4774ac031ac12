"""Icons drawn from SVG in the colour of the text, so that they follow light, dark and every scale."""

from functools import lru_cache
from importlib import resources

from PySide6.QtCore import QByteArray, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer

SCALES = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
"""Screen scales for which a pixmap of its own is drawn: Qt would blur one of another size."""


def icon_from_palette(name: str, palette: QPalette, size: int) -> QIcon:
    """Return the icon `name` of resources/icons, sharp at `size` logical pixels on every screen."""
    active, disabled = QPalette.ColorGroup.Active, QPalette.ColorGroup.Disabled
    return _icon(
        name,
        palette.color(active, QPalette.ColorRole.ButtonText).name(),
        palette.color(active, QPalette.ColorRole.HighlightedText).name(),
        palette.color(disabled, QPalette.ColorRole.ButtonText).name(),
        size,
    )


@lru_cache(maxsize=128)
def _icon(name: str, text: str, highlighted: str, disabled: str, size: int) -> QIcon:
    """Return an icon, drawn once for the same colours: a button asks again at each change of style."""
    icon = QIcon()
    looks = (
        (QIcon.Mode.Normal, QIcon.State.Off, text),
        (QIcon.Mode.Normal, QIcon.State.On, highlighted),
        (QIcon.Mode.Disabled, QIcon.State.Off, disabled),
        (QIcon.Mode.Disabled, QIcon.State.On, disabled),
    )
    for mode, state, colour in looks:
        renderer = QSvgRenderer(QByteArray(svg_in_colour(name, QColor(colour))))
        for scale in SCALES:
            icon.addPixmap(_pixmap(renderer, round(size * scale)), mode, state)
    return icon


def svg_in_colour(name: str, colour: QColor) -> bytes:
    """Return the SVG text of an icon with ``currentColor`` replaced."""
    text = resources.files("resources").joinpath("icons", f"{name}.svg").read_text(encoding="utf-8")
    return text.replace("currentColor", colour.name()).encode()


def _pixmap(renderer: QSvgRenderer, pixels: int) -> QPixmap:
    pixmap = QPixmap(QSize(pixels, pixels))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter)
    painter.end()
    return pixmap
