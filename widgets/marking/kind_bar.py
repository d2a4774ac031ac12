"""The kinds of the scheme as buttons with their keys, so that nobody has to remember them."""

from collections.abc import Callable, Sequence
from html import escape

from PySide6.QtCore import QMargins, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QToolButton, QWidget

from annotation.scheme import Kind
from widgets.marking.flow_layout import FlowLayout

_BADGE = 18


class KindBar(QWidget):
    """One button a kind; pressing and releasing a button is pressing and releasing its key.

    Parameters
    ----------
    colour
        A kind's colour as ``#rrggbb`` by its id.
    usage
        What a key does, in sentences, for the tooltips.
    reachable
        Whether Tab reaches the buttons; otherwise they have their keys only.
    """

    pressed = Signal(str)
    released = Signal(str)

    def __init__(
        self,
        *,
        kinds: Sequence[Kind],
        colour: Callable[[str], str],
        usage: str,
        reachable: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._kinds = tuple(kinds)
        self._usage = usage
        self._focus = Qt.FocusPolicy.StrongFocus if reachable else Qt.FocusPolicy.NoFocus
        self._buttons: dict[str, QToolButton] = {}
        row = FlowLayout(spacing=4, margins=QMargins(10, 4, 10, 4), parent=self)
        for kind in self._kinds:
            row.addWidget(self._button(kind))
        self.set_colours(colour)

    def set_colours(self, colour: Callable[[str], str]) -> None:
        """Colour the badges for the theme in force."""
        for kind in self._kinds:
            self._buttons[kind.id].setIcon(self._badge(kind.letter, colour(kind.id)))

    def set_held(self, kind_id: str) -> None:
        """Show which kind's key is held; empty for none."""
        for own, button in self._buttons.items():
            button.setDown(own == kind_id)

    def set_chosen(self, kind_id: str) -> None:
        """Show which kind was chosen, until another is; empty for none."""
        for own, button in self._buttons.items():
            button.setCheckable(own == kind_id)
            button.setChecked(own == kind_id)

    def focus_first(self) -> None:
        """Put the keyboard on the kind chosen, or else on the first."""
        chosen = next((button for button in self._buttons.values() if button.isChecked()), None)
        button = chosen or next(iter(self._buttons.values()))
        button.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _button(self, kind: Kind) -> QToolButton:
        button = QToolButton()
        button.setText(f"{kind.key}  {kind.name}")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setFocusPolicy(self._focus)
        button.setAutoRaise(True)
        button.setAccessibleName(f"Mark as {kind.name}")
        button.setToolTip(
            f"<p><b>{escape(kind.name)}</b> — key {escape(kind.key)}</p><p>{escape(kind.definition)}</p>"
            f"<p>{escape(self._usage)}</p>"
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
