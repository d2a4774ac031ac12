"""A button that stands for an action: its tip, state and key come from the action, its icon from the theme."""

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton, QWidget

from widgets.transport.icons import icon_from_palette

CHECKED_STYLE = "QToolButton:checked { background: palette(highlight); border-color: palette(highlight); }"
"""A toggle that is on stands out by its fill, in the colours of the theme."""


class ActionButton(QToolButton):
    """Shows an action as an icon; unlike a default action it leaves the icon of the action alone (menus have none)."""

    def __init__(self, *, action: QAction, icon: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.action_shown = action
        self._icon_name = icon
        side = round(self.fontMetrics().height() * 1.2)
        self.setIconSize(QSize(side, side))
        self.setStyleSheet(CHECKED_STYLE)
        self.clicked.connect(self._on_clicked)
        action.changed.connect(self._on_action_changed)
        action.toggled.connect(self._draw_icon)
        self._on_action_changed()
        self._draw_icon()

    def set_icon(self, name: str) -> None:
        """Show another icon."""
        if name != self._icon_name:
            self._icon_name = name
            self._draw_icon()

    def changeEvent(self, event: QEvent) -> None:
        """Draw the icon anew in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._draw_icon()

    def _on_clicked(self) -> None:
        self.action_shown.trigger()
        self.setChecked(self.action_shown.isChecked())

    def _on_action_changed(self) -> None:
        action = self.action_shown
        self.setCheckable(action.isCheckable())
        self.setChecked(action.isChecked())
        self.setEnabled(action.isEnabled())
        self.setToolTip(action.toolTip())
        self.setStatusTip(action.statusTip())
        self.setAccessibleName(action.text().replace("&", ""))

    def _draw_icon(self) -> None:
        palette = self.palette()
        if self.isChecked():
            palette.setColor(palette.ColorGroup.Active, palette.ColorRole.ButtonText, palette.highlightedText().color())
        self.setIcon(icon_from_palette(self._icon_name, palette, self.iconSize().width()))
