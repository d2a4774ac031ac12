"""One bar for everything that must be said without stopping the work."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget


@dataclass(frozen=True, slots=True)
class Remedy:
    """A button that helps; `closes` says whether the sentence goes with it."""

    button: str
    call: Callable[[], object]
    closes: bool = True


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence, its rank (0 is shown first), and the buttons that help."""

    text: str
    rank: int
    remedies: tuple[Remedy, ...] = ()


MOST_REMEDIES = 2


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
        self._remedies = tuple(QPushButton() for _ in range(MOST_REMEDIES))
        self._close = QToolButton()
        self._close.setText("✕")
        self._close.setAutoRaise(True)
        self._close.setToolTip("Close this message")
        self._close.setAccessibleName("Close this message")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.addWidget(self._text, 1)
        for place, button in enumerate(self._remedies):
            button.hide()
            row.addWidget(button)
            button.clicked.connect(lambda _=False, place=place: self._on_remedy(place))
        row.addWidget(self._close)
        self._close.clicked.connect(self.close_message)
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
        remedies: Sequence[Remedy] = (),
    ) -> None:
        """Show a sentence, or let it wait: serious ones come first, `last` ones behind all others.

        `call` is run by the button, if one is named, which closes the sentence; `remedies`, two at most, are buttons
        that may leave it.
        """
        rank = 0 if serious else (2 if last else 1)
        if call is not None:
            remedies = (Remedy(button, call),)
        self._messages = [other for other in self._messages if other.text != text]
        ahead = sum(other.rank < rank for other in self._messages)
        self._messages.insert(ahead, Message(text, rank, tuple(remedies[:MOST_REMEDIES])))
        self._show_first()

    def withdraw(self, text: str) -> None:
        """Take back a sentence that no longer holds; nothing happens if it was closed already."""
        if text in self.texts:
            self._messages = [other for other in self._messages if other.text != text]
            self._show_first()

    def amend(self, text: str, other: str) -> None:
        """Put another sentence where one stands that is still true, with the same buttons."""
        self._messages = [replace(m, text=other) if m.text == text else m for m in self._messages]
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
        for place, button in enumerate(self._remedies):
            offered = place < len(message.remedies)
            button.setText(message.remedies[place].button if offered else "")
            button.setVisible(offered)
        self.show()

    def _on_remedy(self, place: int) -> None:
        remedy = self._messages[0].remedies[place]
        if remedy.closes:
            self.close_message()
        remedy.call()
