"""The page of an open project: the list of its conversations beside the one that is open."""

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QLabel, QSplitter, QStackedWidget, QWidget

from annotation.project.project import Project
from widgets.browser.browser import Browser, BrowserRow


def browser_rows(project: Project) -> list[BrowserRow]:
    """Return a row for each conversation of a project."""
    return [
        BrowserRow(
            id=summary.id,
            speakers=summary.speakers,
            duration_s=float(summary.duration),
            reference_events=sum(summary.reference_kinds.values()),
            labels=sum(summary.labels.values()),
            attributes=dict(summary.conversation.attributes),
            missing=tuple(str(path) for path in summary.missing),
        )
        for summary in project.conversations()
    ]


class ProjectPage(QSplitter):
    """Holds the browser and one page; without one it says how to add audio."""

    def __init__(self, *, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.browser = Browser()
        self._empty = QLabel("Add audio to begin: drop files or a folder here, or use Project → Add audio files.")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        self._holder = QStackedWidget()
        self._holder.addWidget(self._empty)
        self.addWidget(self.browser)
        self.addWidget(self._holder)
        self.setStretchFactor(1, 1)
        self.setCollapsible(1, False)
        self.setSizes([self.fontMetrics().averageCharWidth() * 50, 1200])

    def show_page(self, page: QWidget) -> None:
        """Show the page of a conversation."""
        self._holder.addWidget(page)
        self._holder.setCurrentWidget(page)

    def drop_page(self, page: QWidget) -> None:
        """Take a page away."""
        self._holder.removeWidget(page)
        page.deleteLater()

    def layout_state(self) -> str:
        """Return the sizes of the parts, for the next start."""
        return bytes(self.saveState().toBase64().data()).decode()

    def restore_layout(self, state: str) -> None:
        """Take sizes returned by `layout_state`."""
        self.restoreState(QByteArray.fromBase64(state.encode()))
