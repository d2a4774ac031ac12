"""The reference answer of a calibration item beside one's own."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QWidget

from annotation.study.presentation import Answer
from widgets.marking.look import KindLook
from widgets.theme import Theme

SAME_EDGE_S = 0.5
"""Within it two edges count as the same (MultiPartyTurnBench App. A.2: boundary F1 within 500 ms)."""


def compared(own: Answer, reference: Answer, look: KindLook, rate_hz: int) -> tuple[tuple[str, str, str, bool], ...]:
    """Return what is asked for as rows: its name, the own answer and the reference in words, whether they agree.

    What the reference does not say stands in no row.
    """
    rows = [("Kind", _kind(own, look), _kind(reference, look), own.kind == reference.kind)]
    for name, mine, theirs in (
        ("Floor before", own.holder_before, reference.holder_before),
        ("Floor after", own.holder_after, reference.holder_after),
    ):
        if look.scheme.asks_holders and theirs is not None:
            rows.append((name, look.holder_name(mine), look.holder_name(theirs), mine == theirs))
    for name, here, there in (("Onset", own.onset, reference.onset), ("Offset", own.offset, reference.offset)):
        if look.scheme.asks_boundaries and there is not None:
            same = here is not None and abs(here - there) <= round(SAME_EDGE_S * rate_hz)
            rows.append((name, "–" if here is None else look.time(here), look.time(there), same))
    return tuple(rows)


def _kind(answer: Answer, look: KindLook) -> str:
    return look.kind_name(answer.kind) if answer.kind else "cannot tell" if answer.cannot_tell else "–"


class FeedbackPanel(QFrame):
    """Both answers row by row; `continued` goes on to the next item."""

    continued = Signal()

    def __init__(
        self,
        *,
        own: Answer,
        reference: Answer,
        look: KindLook,
        rate_hz: int,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        grid = QGridLayout(self)
        title = QLabel("<b>Calibration: your answer and the reference</b>")
        title.setWordWrap(True)
        grid.addWidget(title, 0, 0, 1, 4)
        for column, text in enumerate(("", "You", "Reference"), 1):
            grid.addWidget(QLabel(text), 1, column - 1)
        rows = compared(own, reference, look, rate_hz)
        for place, (name, mine, theirs, same) in enumerate(rows, 2):
            mark = QLabel("✓ the same" if same else "≠ differs")
            mark.setStyleSheet(f"color: {theme.success if same else theme.warning}")
            for column, widget in enumerate((QLabel(name), QLabel(mine), QLabel(theirs), mark)):
                widget.setTextFormat(Qt.TextFormat.PlainText)
                widget.setWordWrap(True)
                grid.addWidget(widget, place, column)
        self.setAccessibleName(
            "Calibration. "
            + " ".join(
                f"{name}: yours {mine}, reference {theirs}, {'the same' if same else 'different'}."
                for name, mine, theirs, same in rows
            )
        )
        self.button = QPushButton("Continue")
        self.button.setDefault(True)
        self.button.setAccessibleName("Continue with the next item")
        self.button.clicked.connect(lambda _=False: self.continued.emit())
        grid.addWidget(self.button, len(rows) + 2, 0, 1, 4)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)
