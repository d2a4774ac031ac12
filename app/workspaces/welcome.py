"""The first page: what one can do, and what was open before."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget


class WelcomePage(QWidget):
    """Offers the demo, opening, a new project and recent projects; files can be dropped anywhere on the window."""

    recent_chosen = Signal(str)

    def __init__(self, *, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        title = QLabel("Floorscope")
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 2.2)
        font.setBold(True)
        title.setFont(font)
        lead = QLabel("Hear, label and judge who holds the conversational floor.")
        lead.setWordWrap(True)
        drop = QLabel(
            "Or drop audio here: one file a speaker, a file with several channels, or a folder of either. "
            "Press ? for every key."
        )
        drop.setWordWrap(True)
        drop.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        buttons = QHBoxLayout()
        for place, action in enumerate(actions):
            buttons.addWidget(self._button(action, first=place == 0))
        buttons.addStretch(1)
        self._caption = QLabel("Recent")
        self._list = QListWidget()
        self._list.setAccessibleName("Recent projects")
        self._list.setSpacing(2)
        self._list.itemActivated.connect(lambda item: self.recent_chosen.emit(item.data(Qt.ItemDataRole.UserRole)))
        self._list.setStyleSheet("QListWidget { activate-on-singleclick: 1; }")
        column = QVBoxLayout()
        column.setSpacing(14)
        column.addStretch(2)
        column.addWidget(title)
        column.addWidget(lead)
        column.addSpacing(6)
        column.addLayout(buttons)
        column.addWidget(drop)
        column.addSpacing(18)
        column.addWidget(self._caption)
        column.addWidget(self._list)
        column.addStretch(3)
        page = QHBoxLayout(self)
        page.addStretch(1)
        page.addLayout(column, 3)
        page.addStretch(1)

    def set_recent(self, projects: Sequence[str]) -> None:
        """Show projects used before that are still there."""
        present = [Path(project) for project in projects if Path(project).exists()]
        self._list.clear()
        for path in present:
            item = QListWidgetItem(f"{path.stem}    {path.parent}")
            item.setData(Qt.ItemDataRole.UserRole, str(path))
            item.setToolTip(str(path))
            self._list.addItem(item)
        rows = min(len(present), 8)
        self._list.setFixedHeight(round(self.fontMetrics().height() * 1.6 * max(rows, 1)) + 8)
        self._caption.setVisible(bool(present))
        self._list.setVisible(bool(present))

    def _button(self, action: QAction, *, first: bool) -> QPushButton:
        button = QPushButton(action.text())
        button.setToolTip(action.toolTip())
        button.setDefault(first)
        button.setAutoDefault(True)
        button.clicked.connect(action.trigger)
        return button
