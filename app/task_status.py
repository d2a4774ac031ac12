"""What runs in the background, in the status line, with one button to stop it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QToolButton, QWidget

from app.tasks import TaskRunner


class TaskStatus(QWidget):
    """Shows the oldest task with its share done; hidden while nothing runs. `stopped` follows the Cancel button.

    A task without a label is over in a moment: it is neither shown nor stopped here.
    """

    stopped = Signal()

    def __init__(self, *, tasks: TaskRunner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._progress = QProgressBar()
        self._progress.setMaximumWidth(self.fontMetrics().averageCharWidth() * 34)
        self._progress.setRange(0, 100)
        cancel = QToolButton()
        cancel.setText("Cancel")
        cancel.setToolTip("Stop what runs in the background")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._progress)
        row.addWidget(cancel)
        tasks.changed.connect(self._show)
        cancel.clicked.connect(self._on_cancel)
        self.hide()

    def _show(self) -> None:
        running = [task for task in self._tasks.tasks if task.label and not task.token.cancelled]
        self.setVisible(bool(running))
        if running:
            self._progress.setFormat(f"{running[0].label}  %p %")
            self._progress.setValue(round(100 * running[0].share))
            self._progress.setToolTip("\n".join(task.label for task in running))

    def _on_cancel(self) -> None:
        for task in self._tasks.tasks:
            if task.label:
                self._tasks.cancel(task)
        self._show()
        self.stopped.emit()
