"""What a person is offered when a project is damaged: a rescue into a new file, or a look at the newest backup."""

from pathlib import Path

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from annotation.errors import FloorscopeError
from annotation.project.faults import DamagedProjectError
from annotation.project.salvage import Findings, RescueReport, rescue_path_for, survey_damage, write_rescued
from app.project_host import ProjectHost
from app.rescue_report import rescue_sentences


class RescueDialog(QDialog):
    """Says what is wrong and what can be rescued; `chosen` is what the person wants: rescue, backup or nothing.

    Parameters
    ----------
    fault
        Why the project cannot be opened; empty where it can.
    """

    RESCUE, BACKUP = "rescue", "backup"

    def __init__(self, *, report: RescueReport, fault: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Rescue a damaged project")
        self.chosen = ""
        self.text = QLabel("\n\n".join([*([fault] if fault else []), *rescue_sentences(report)]))
        self.text.setWordWrap(True)
        self.text.setMinimumWidth(self.fontMetrics().averageCharWidth() * 80)
        where = QLabel(
            f"A rescue makes the new project “{rescue_path_for(report.path).name}” beside it. "
            "The damaged file and its log are only read: they stay as they are."
        )
        where.setWordWrap(True)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.rescue_button = self.buttons.addButton("&Rescue into a new file", QDialogButtonBox.ButtonRole.AcceptRole)
        self.rescue_button.setDefault(True)
        self.backup_button = self.buttons.addButton(
            "Open newest &backup read-only", QDialogButtonBox.ButtonRole.ActionRole
        )
        self.backup_button.setEnabled(report.backup is not None)
        self.backup_button.setToolTip("Look at what the newest sound backup holds; nothing is changed.")
        self.buttons.accepted.connect(lambda: self._choose(self.RESCUE))
        self.backup_button.clicked.connect(lambda: self._choose(self.BACKUP))
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        for part in (self.text, where, self.buttons):
            column.addWidget(part)

    def _choose(self, what: str) -> None:
        self.chosen = what
        self.accept()


def offer_rescue(window: ProjectHost, path: Path, error: Exception | None = None) -> bool:
    """Look in the background at what can be rescued, then ask; False if the error is none that a rescue helps with.

    Parameters
    ----------
    error
        Why the project cannot be opened; None where a person asks for a rescue.
    """
    if error is not None and not isinstance(error, DamagedProjectError):
        return False
    fault = "" if error is None else f"{error.where}: {error.what}"
    window.tasks.submit(
        f"Reading what is left of {path.name}",
        lambda token, progress: survey_damage(path, token, progress),
        on_done=lambda findings: _ask(window, findings, fault),
        on_error=lambda later: window.on_error(error if error and isinstance(later, FloorscopeError) else later),
    )
    return True


def _ask(window: ProjectHost, findings: Findings, fault: str) -> None:
    report = findings.report
    dialog = RescueDialog(report=report, fault=fault, parent=window.widget)

    def finish() -> None:
        if dialog.chosen == RescueDialog.BACKUP and report.backup is not None:
            window.open_project(report.backup, read_only=True)
        elif dialog.chosen == RescueDialog.RESCUE:
            window.tasks.submit(
                f"Rescuing {report.path.name}",
                lambda token, progress: write_rescued(findings, rescue_path_for(report.path), progress),
                on_done=lambda written: _open(window, written),
                on_error=window.on_error,
            )

    dialog.accepted.connect(finish)
    dialog.finished.connect(lambda _: dialog.deleteLater())
    dialog.open()


def _open(window: ProjectHost, report: RescueReport) -> None:
    assert report.out is not None
    window.open_project(report.out)
    window.say_notices(rescue_sentences(report))
