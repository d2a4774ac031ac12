"""One bar for everything that must be said without stopping the work."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget


class MessageBar(QFrame):
    """A line above the page: a sentence, perhaps one button that helps, and a cross; it never blocks anything."""

    def __init__(self, *, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("messageBar")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._text = QLabel()
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setAccessibleName("Message")
        self._remedy = QPushButton()
        self._remedy.hide()
        self._close = QToolButton()
        self._close.setText("✕")
        self._close.setAutoRaise(True)
        self._close.setToolTip("Close this message")
        self._close.setAccessibleName("Close this message")
        self._close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.addWidget(self._text, 1)
        row.addWidget(self._remedy)
        row.addWidget(self._close)
        self._call: Callable[[], object] | None = None
        self._remedy.clicked.connect(self._on_remedy)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence shown last."""
        return self._text.text()

    def say(
        self, text: str, *, serious: bool = False, button: str = "", call: Callable[[], object] | None = None
    ) -> None:
        """Show a sentence; a serious one stands out. `call` is run by the button, if one is named."""
        self.setProperty("serious", serious)
        self.style().unpolish(self)
        self.style().polish(self)
        self._text.setText(text)
        self._remedy.setText(button)
        self._remedy.setVisible(bool(button))
        self._call = call
        self.show()

    def _on_remedy(self) -> None:
        self.hide()
        if self._call is not None:
            self._call()
