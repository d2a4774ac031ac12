"""One bar for everything that must be said without stopping the work."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence, its rank (0 is shown first), and perhaps one button that helps."""

    text: str
    rank: int
    button: str = ""
    call: Callable[[], object] | None = None


class MessageBar(QFrame):
    """A line above the page; it never blocks anything.

    Several messages wait for each other: the newest is shown, serious ones before all others; closing one shows the
    next, and nothing is said twice.
    """

    def __init__(self, *, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("messageBar")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._messages: list[Message] = []
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
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.addWidget(self._text, 1)
        row.addWidget(self._remedy)
        row.addWidget(self._close)
        self._close.clicked.connect(self.close_message)
        self._remedy.clicked.connect(self._on_remedy)
        self.hide()

    @property
    def texts(self) -> tuple[str, ...]:
        """The sentences that have not been closed, the one shown first."""
        return tuple(message.text for message in self._messages)

    def say(
        self,
        text: str,
        *,
        serious: bool = False,
        last: bool = False,
        button: str = "",
        call: Callable[[], object] | None = None,
    ) -> None:
        """Show a sentence, or let it wait: serious ones come first, `last` ones behind all others.

        `call` is run by the button, if one is named.
        """
        rank = 0 if serious else (2 if last else 1)
        self._messages = [other for other in self._messages if other.text != text]
        ahead = sum(other.rank < rank for other in self._messages)
        self._messages.insert(ahead, Message(text, rank, button, call))
        self._show_first()

    def close_message(self) -> None:
        """Close the sentence shown and show the next."""
        del self._messages[:1]
        self._show_first()

    def clear(self) -> None:
        """Close all sentences."""
        self._messages.clear()
        self._show_first()

    def _show_first(self) -> None:
        if not self._messages:
            self.hide()
            return
        message = self._messages[0]
        self.setProperty("serious", message.rank == 0)
        self.style().unpolish(self)
        self.style().polish(self)
        waiting = f"  (1 of {len(self._messages)})" if len(self._messages) > 1 else ""
        self._text.setText(message.text + waiting)
        self._remedy.setText(message.button)
        self._remedy.setVisible(bool(message.button))
        self.show()

    def _on_remedy(self) -> None:
        call = self._messages[0].call if self._messages else None
        self.close_message()
        if call is not None:
            call()
