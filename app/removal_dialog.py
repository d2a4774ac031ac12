"""What is asked before a person's work is removed: the name, typed, since nothing brings it back."""

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from annotation.project.removal import RemovalPlan, removal_plan, remove_person
from app.project_host import ProjectHost
from app.removal_report import plan_sentences, removal_sentences


class RemovalDialog(QDialog):
    """Says exactly what goes; the button works once the name was typed."""

    def __init__(self, *, plans: dict[str, RemovalPlan], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Remove a person’s work")
        self._plans = plans
        self.people = QComboBox()
        self.people.addItems(list(plans))
        self.people.setAccessibleName("Person")
        self.text = QLabel()
        self.text.setWordWrap(True)
        self.text.setMinimumWidth(self.fontMetrics().averageCharWidth() * 80)
        self.typed = QLineEdit()
        self.typed.setAccessibleName("The name once more")
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.remove_button = self.buttons.addButton("&Remove for good", QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.button(QDialogButtonBox.StandardButton.Cancel).setDefault(True)
        column = QVBoxLayout(self)
        for part in (QLabel("Whose work?"), self.people, self.text, QLabel("Type the name to confirm:"), self.typed):
            column.addWidget(part)
        column.addWidget(self.buttons)
        self.people.currentTextChanged.connect(lambda _: self._show())
        self.typed.textChanged.connect(lambda _: self._show())
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._show()

    @property
    def person(self) -> str:
        """Whose work is to go."""
        return self.people.currentText()

    def _show(self) -> None:
        self.text.setText("\n\n".join(plan_sentences(self._plans[self.person])))
        self.remove_button.setEnabled(self.typed.text() == self.person)


def remove_work(window: ProjectHost) -> None:
    """Ask whose work goes, close the project, remove it in the background and open the project again.

    Raises
    ------
    FloorscopeError
        If the project cannot be read, or steps are not kept yet.
    """
    project = window.project
    if project is None:
        return
    people = project.people()
    if not people:
        window.say("Nobody has entered anything in this project.")
        return
    path = project.path
    plans = {person: removal_plan(path, person) for person in people}
    dialog = RemovalDialog(plans=plans, parent=window.widget)
    if not dialog.exec():
        return
    person = dialog.person
    window.close_project()

    def finish(say: Callable[[], None]) -> None:
        window.open_project(path)
        say()

    window.tasks.submit(
        f"Removing work from {path.name}",
        lambda token, progress: remove_person(path, person, progress),
        on_done=lambda report: finish(partial(window.say_notices, removal_sentences(report))),
        on_error=lambda error: finish(partial(window.on_error, error)),
    )
