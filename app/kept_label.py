"""The corner of the status line that says whether work is kept on disk."""

from datetime import datetime

from PySide6.QtWidgets import QLabel, QWidget

READ_ONLY = "Read only"


class KeptLabel(QLabel):
    """Says *kept* only of gestures whose commit has returned; until then it counts those under way."""

    def __init__(self, *, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("State of your work")
        self._under_way = 0
        self._kept = 0
        self.reset()

    @property
    def under_way(self) -> int:
        """Gestures drawn and not yet on disk."""
        return self._under_way

    def reset(self) -> None:
        """Begin again for another project."""
        self._under_way = self._kept = 0
        self.setText("Every gesture is kept at once")
        self.setToolTip("There is no Save: each step is on disk as soon as this line says so.")

    def show_access(self, read_only_reason: str) -> None:
        """Say that nothing can be entered here, and why; with an empty reason, that it can again."""
        if read_only_reason:
            self.setText(READ_ONLY)
            self.setToolTip(read_only_reason)
        elif self.text() == READ_ONLY:
            self.reset()

    def queue(self) -> None:
        """Count a gesture that was handed to the writer."""
        self._under_way += 1
        self.setText(f"Keeping {self._under_way} …")

    def keep(self, gestures: int) -> None:
        """Count gestures whose commit has returned."""
        self._under_way = max(0, self._under_way - gestures)
        self._kept += gestures
        if self._under_way:
            self.setText(f"Keeping {self._under_way} …")
        else:
            steps = "1 step" if self._kept == 1 else f"{self._kept} steps"
            self.setText(f"Kept {datetime.now().astimezone():%H:%M:%S} · {steps}")

    def fail(self, reason: str) -> None:
        """Say that the gestures under way are not on disk, and why."""
        self.setText(f"NOT KEPT: {self._under_way}")
        self.setToolTip(reason)
