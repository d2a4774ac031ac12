"""Signing in as an annotator: a pack says whose it is, a project asks for the name.

The names of a study's annotators are not offered: none is to know of the others.
"""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from annotation.study.pack_tables import PACK_SUFFIX


class SignInDialog(QDialog):
    """Asks for a project or a pack, and for a project for the name.

    Parameters
    ----------
    project
        The project that is open, if any.
    enter
        Opens the seat of a file and a name; returns why it cannot be opened, empty where it is open.
    """

    def __init__(
        self, *, project: Path | None, name: str, enter: Callable[[Path, str], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Annotate")
        self._enter = enter
        self.file_field = QLineEdit(str(project) if project else "")
        self.file_field.setAccessibleName("Project or pack")
        self.name_field = QLineEdit(name)
        self.name_field.setAccessibleName("Your name in the study")
        self.trouble = QLabel()
        self.trouble.setWordWrap(True)
        self.trouble.hide()
        choose = QPushButton("Choose…")
        choose.setAccessibleName("Choose a project or a pack")
        choose.clicked.connect(lambda _=False: self._choose())
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.button(QDialogButtonBox.StandardButton.Ok).setText("Sign in")
        buttons.accepted.connect(self.sign_in)
        buttons.rejected.connect(self.reject)
        hint = QLabel(
            "Enter your name as the lead of the study wrote it. A pack is yours alone and needs no name. "
            "A project that is open is closed meanwhile."
        )
        hint.setWordWrap(True)
        row = QHBoxLayout()
        row.addWidget(self.file_field, 1)
        row.addWidget(choose)
        form = QFormLayout()
        form.addRow("Project or pack", row)
        form.addRow("Your name", self.name_field)
        column = QVBoxLayout(self)
        column.addWidget(hint)
        column.addLayout(form)
        column.addWidget(self.trouble)
        column.addWidget(buttons)
        self.resize(self.fontMetrics().averageCharWidth() * 80, self.sizeHint().height())
        self.file_field.textChanged.connect(lambda _: self._follow_file())
        self._follow_file()
        (self.name_field if project else self.file_field).setFocus()

    def sign_in(self) -> None:
        """Open the seat, or say why it cannot be opened."""
        text, name = self.file_field.text().strip(), self.name_field.text().strip()
        if not text:
            self._say("Choose a project or a pack first.")
            return
        if self.name_field.isEnabled() and not name:
            self._say("Enter your name as it stands in the study.")
            return
        trouble = self._enter(Path(text), name)
        if trouble:
            self._say(trouble)
        else:
            self.accept()

    def _say(self, sentence: str) -> None:
        self.trouble.setText(sentence)
        self.trouble.show()

    def _choose(self) -> None:
        path, _ = QFileDialog.getOpenFileName(
            self, "Project or pack", self.file_field.text(), f"Studies (*.floorscope *{PACK_SUFFIX});;All files (*)"
        )
        if path:
            self.file_field.setText(path)

    def _follow_file(self) -> None:
        self.name_field.setEnabled(not self.file_field.text().strip().endswith(PACK_SUFFIX))
