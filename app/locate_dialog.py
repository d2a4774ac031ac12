"""Missing audio: what is missing, one look from a file or folder, and what of it is taken."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from annotation.project.relocation import LocateReport, missing_media
from app.media_report import locate_sentences
from app.project_host import ProjectHost


class LocateDialog(QDialog):
    """Lists missing files; a person points to one file or folder, sees what was found, and takes it.

    Parameters
    ----------
    look
        Starts a look from the place given; whoever does it calls `show_report`.
    """

    def __init__(
        self, *, missing: tuple[Path, ...], look: Callable[[Path], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Locate missing audio")
        self._look = look
        self.report: LocateReport | None = None
        count = len(missing)
        self.head = QLabel(
            f"{count} audio file{' is' if count == 1 else 's are'} not where the project expects "
            f"{'it' if count == 1 else 'them'}. Point to one of the files, or to a folder that holds them: all others "
            "are looked for from there. Only files that are the same as the ones imported are taken."
        )
        self.head.setWordWrap(True)
        self.list = QPlainTextEdit("\n".join(map(str, missing)))
        self.list.setReadOnly(True)
        self.list.setAccessibleName("Missing files, and what was found")
        self.list.setMinimumWidth(self.fontMetrics().averageCharWidth() * 90)
        self.unproven = QCheckBox("Take files too of which only rate, channels and length are known")
        self.unproven.setEnabled(False)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        action = QDialogButtonBox.ButtonRole.ActionRole
        self.folder_button = self.buttons.addButton("Choose a f&older…", action)
        self.file_button = self.buttons.addButton("Choose a &file…", action)
        self.use_button = self.buttons.addButton("&Use what was found", QDialogButtonBox.ButtonRole.AcceptRole)
        self.use_button.setEnabled(False)
        self.folder_button.setDefault(True)
        column = QVBoxLayout(self)
        for part in (self.head, self.list, self.unproven, self.buttons):
            column.addWidget(part)
        self.folder_button.clicked.connect(self._choose_folder)
        self.file_button.clicked.connect(self._choose_file)
        self.unproven.toggled.connect(lambda _: self._refresh())
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)

    @property
    def moves(self) -> dict[Path, Path]:
        """What is to be used: the new place of each file."""
        if self.report is None:
            return {}
        taken = (*self.report.matches, *(self.report.unproven if self.unproven.isChecked() else ()))
        return {match.missing: match.found for match in taken}

    def look(self, place: Path) -> None:
        """Look from a place; until the answer is there, nothing else can be chosen."""
        for button in (self.folder_button, self.file_button, self.use_button):
            button.setEnabled(False)
        self.list.setPlainText(f"Looking in {place} …")
        self._look(place)

    def show_report(self, report: LocateReport) -> None:
        """Show what was found."""
        self.report = report
        self.list.setPlainText("\n".join(locate_sentences(report, unproven_taken=self.unproven.isChecked())))
        self._refresh()

    def show_fault(self, sentence: str) -> None:
        """Show why the look failed."""
        self.list.setPlainText(sentence)
        self._refresh()

    def _refresh(self) -> None:
        self.folder_button.setEnabled(True)
        self.file_button.setEnabled(True)
        self.unproven.setEnabled(self.report is not None and bool(self.report.unproven))
        self.use_button.setEnabled(bool(self.moves))

    def _choose_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "Where is the audio?")
        if name:
            self.look(Path(name))

    def _choose_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Where is one of the files?")
        if name:
            self.look(Path(name))


def locate_audio(window: ProjectHost) -> None:
    """Show what is missing, look for it in the background, and point the project to what a person takes."""
    project = window.project
    if project is None:
        return
    missing = tuple(missing_media(project.identities()))
    if not missing:
        window.say("No audio is missing.")
        return

    def start(place: Path) -> None:
        cache = window.audio_cache
        window.tasks.submit(
            "Looking for audio",
            lambda token, progress: project.locate(place, token, progress, cache),
            on_done=dialog.show_report,
            on_error=lambda error: dialog.show_fault(str(error)),
        )

    dialog = LocateDialog(missing=missing, look=start, parent=window.widget)
    if dialog.exec() and window.project is project:
        count = project.relocate(dialog.moves)
        window.refresh_project([f"{count} channels point to what was found."])
