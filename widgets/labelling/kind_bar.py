"""The kinds of the scheme as buttons with their keys, so that nobody has to remember them."""

from PySide6.QtCore import QMargins, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QToolButton, QWidget

from annotation.scheme import Kind
from widgets.labelling.appearance import Appearance
from widgets.labelling.flow_layout import FlowLayout

_BADGE = 18


class KindBar(QWidget):
    """One button a kind; pressing and releasing a button is pressing and releasing its key."""

    pressed = Signal(str)
    released = Signal(str)

    def __init__(self, *, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._buttons: dict[str, QToolButton] = {}
        row = FlowLayout(spacing=4, margins=QMargins(10, 4, 10, 4), parent=self)
        for kind in appearance.scheme.kinds:
            row.addWidget(self._button(kind))
        self.set_appearance(appearance)

    def set_appearance(self, appearance: Appearance) -> None:
        """Colour the badges for the theme in force."""
        for kind in appearance.scheme.kinds:
            self._buttons[kind.id].setIcon(self._badge(kind.letter, appearance.colour(kind.id)))

    def set_held(self, kind_id: str) -> None:
        """Show which kind's key is held; empty for none."""
        for own, button in self._buttons.items():
            button.setDown(own == kind_id)

    def _button(self, kind: Kind) -> QToolButton:
        button = QToolButton()
        button.setText(f"{kind.key}  {kind.name}")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setAutoRaise(True)
        button.setAccessibleName(f"Mark as {kind.name}")
        button.setToolTip(
            f"<p><b>{kind.name}</b> — key {kind.key}</p><p>{kind.definition}</p>"
            "<p>While playing: hold the key as long as the event lasts. At rest: gives the selected event this kind, "
            "or marks the selected stretch.</p>"
        )
        button.pressed.connect(lambda: self.pressed.emit(kind.id))
        button.released.connect(lambda: self.released.emit(kind.id))
        self._buttons[kind.id] = button
        return button

    def _badge(self, letter: str, colour: str) -> QIcon:
        icon = QIcon()
        for ratio in (1.0, 2.0):
            pixmap = QPixmap(round(_BADGE * ratio), round(_BADGE * ratio))
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            fill = QColor(colour)
            painter.setBrush(fill)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(0, 0, _BADGE, _BADGE, 4, 4)
            painter.setPen(QColor("#ffffff") if fill.lightnessF() < 0.55 else QColor("#10151c"))
            font = painter.font()
            font.setBold(True)
            font.setPixelSize(12)
            painter.setFont(font)
            painter.drawText(0, 0, _BADGE, _BADGE, Qt.AlignmentFlag.AlignCenter, letter)
            painter.end()
            icon.addPixmap(pixmap)
        return icon
