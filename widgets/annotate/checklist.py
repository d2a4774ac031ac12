"""What is answered and what is still missing, always in view."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from widgets.theme import Theme


def sentence_of(missing: Sequence[str]) -> str:
    """Return what is missing as a sentence, such as “Still missing: the kind and the offset”."""
    if not missing:
        return "Nothing is missing: the answer can be submitted."
    listed = missing[0] if len(missing) == 1 else f"{', '.join(missing[:-1])} and {missing[-1]}"
    return f"Still missing: {listed}."


class Checklist(QLabel):
    """One line a part of the answer that is asked for, with a mark and in words."""

    def __init__(self, *, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._asked: tuple[str, ...] = ()
        self._missing: tuple[str, ...] = ()
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)

    def show_state(self, asked: Sequence[str], missing: Sequence[str]) -> None:
        """Show what is asked for, and what of it is missing."""
        self._asked, self._missing = tuple(asked), tuple(missing)
        marks = [
            f'<span style="color: {self._theme.warning}">○</span> <b>{part}</b>'
            if part in missing
            else f'<span style="color: {self._theme.success}">✓</span> {part}'
            for part in asked
        ]
        self.setText("<br>".join(marks if missing else [*marks, sentence_of(missing)]))
        self.setAccessibleName(sentence_of(missing))

    def set_theme(self, theme: Theme) -> None:
        """Colour the marks for another theme."""
        self._theme = theme
        self.show_state(self._asked, self._missing)
