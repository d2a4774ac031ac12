"""The one seam where Qt meets a document: its changes as a signal."""

from PySide6.QtCore import QObject, Signal

from annotation.document import Change, Document


class DocumentBridge(QObject):
    """Repeats each `Change` of a document as a signal, until closed."""

    changed = Signal(object)

    def __init__(self, *, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._end = document.subscribe(self._on_change)

    def _on_change(self, change: Change) -> None:
        self.changed.emit(change)

    def close(self) -> None:
        """Stop listening."""
        self._end()
