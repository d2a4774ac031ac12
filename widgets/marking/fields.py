"""Fields that are handed over when they are left: a comment, a time in seconds."""

from collections.abc import Callable

from PySide6.QtCore import QRegularExpression, Qt
from PySide6.QtGui import QFontDatabase, QKeyEvent, QRegularExpressionValidator
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget


class CommentField(QPlainTextEdit):
    """A comment that is handed over when the field is left."""

    def __init__(self, *, commit: Callable[[str], None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._commit = commit
        self.setTabChangesFocus(True)
        self.setAccessibleName("Comment")
        self.setPlaceholderText("Comment")

    def focusOutEvent(self, event: object) -> None:
        """Hand the comment over."""
        super().focusOutEvent(event)  # type: ignore[arg-type]
        self._commit(self.toPlainText())


class LineField(QLineEdit):
    """A line of text that keeps Enter to itself: it takes the text over and does nothing else."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter go no further."""
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()


class TimeField(LineField):
    """A time in seconds; `name` says which."""

    def __init__(self, *, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setToolTip(f"{name}; Enter takes it over")
        self.setValidator(QRegularExpressionValidator(QRegularExpression(r"[0-9]{1,7}([.,][0-9]{0,9})?"), self))
