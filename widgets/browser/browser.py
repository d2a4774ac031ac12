"""The conversations of a project: a list that can be sorted and filtered, with their attributes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)

_Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()
SORT_ROLE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class BrowserRow:
    """One conversation as listed."""

    id: str
    speakers: tuple[str, ...]
    duration_s: float
    reference_events: int
    labels: int
    attributes: dict[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    """Audio files that are not where the project expects them."""

    @property
    def words(self) -> str:
        """Everything a filter may look for, in lower case."""
        pairs = [f"{name}={value}" for name, value in self.attributes.items()]
        states = ["labelled" if self.labels else "unlabelled", *(["missing"] if self.missing else [])]
        count = f"{len(self.speakers)} speakers"
        return " ".join([self.id, *self.speakers, *pairs, *states, count]).lower()


def duration_text(seconds: float) -> str:
    """Return a duration as ``m:ss`` or ``h:mm:ss``."""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


class ConversationModel(QAbstractTableModel):
    """Rows of the browser."""

    TITLES = ("Conversation", "Length", "Events", "Labels")

    def __init__(self, *, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[BrowserRow] = []

    def set_rows(self, rows: Sequence[BrowserRow]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def update_labels(self, conversation: str, labels: int) -> None:
        """Show another number of labels for one conversation."""
        for place, row in enumerate(self.rows):
            if row.id == conversation and row.labels != labels:
                self.rows[place] = BrowserRow(
                    row.id, row.speakers, row.duration_s, row.reference_events, labels, row.attributes, row.missing
                )
                self.dataChanged.emit(self.index(place, 0), self.index(place, len(self.TITLES) - 1))

    def rowCount(self, parent: _Index = _NO_INDEX) -> int:
        """Return the number of conversations."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: _Index = _NO_INDEX) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.TITLES)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's title."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self.TITLES[section]
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows, sorts by or tells."""
        row = self.rows[index.row()]
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            mark = "⚠ " if row.missing else ""
            texts = (mark + row.id, duration_text(row.duration_s), str(row.reference_events))
            return (*texts, str(row.labels) if row.labels else "–")[column]
        if role == SORT_ROLE:
            return (row.id, row.duration_s, row.reference_events, row.labels)[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            return details_of(row)
        if role == Qt.ItemDataRole.TextAlignmentRole and column > 0:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None


def details_of(row: BrowserRow) -> str:
    """Return all that is known of a conversation, a line each."""
    lines = [row.id, f"Speakers: {', '.join(row.speakers) or 'none'}"]
    lines.extend(f"{name}: {value}" for name, value in row.attributes.items())
    lines.extend(f"Missing: {path}" for path in row.missing)
    return "\n".join(lines)


class _WordFilter(QSortFilterProxyModel):
    def __init__(self, *, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words: list[str] = []
        self.setSortRole(SORT_ROLE)

    def set_words(self, text: str) -> None:
        self.beginFilterChange()
        self._words = text.lower().split()
        self.endFilterChange()

    def filterAcceptsRow(self, source_row: int, source_parent: _Index) -> bool:
        model = self.sourceModel()
        assert isinstance(model, ConversationModel)
        words = model.rows[source_row].words
        return all(word in words for word in self._words)


class Browser(QWidget):
    """Lists conversations; `opened` is emitted with the id of the one to show."""

    opened = Signal(str)

    def __init__(self, *, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current = ""
        self.filter_field = QLineEdit()
        self.filter_field.setPlaceholderText("Filter: words, split=test, unlabelled …")
        self.filter_field.setClearButtonEnabled(True)
        self.filter_field.setAccessibleName("Filter conversations")
        self._model = ConversationModel(parent=self)
        self._proxy = _WordFilter(parent=self)
        self._proxy.setSourceModel(self._model)
        self._table = self._build_table()
        self._empty = QLabel("No conversation matches the filter.")
        self._empty.setWordWrap(True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._details = QPlainTextEdit()
        self._details.setReadOnly(True)
        self._details.setTabChangesFocus(True)
        self._details.setAccessibleName("Attributes of the conversation")
        self._details.setMaximumHeight(self.fontMetrics().height() * 8)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 4, 8)
        for widget in (self.filter_field, self._table, self._empty, self._details):
            column.addWidget(widget)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 24)
        self.filter_field.textChanged.connect(self._on_filter)
        self.filter_field.returnPressed.connect(self._on_filter_entered)
        self._show_state()

    def set_rows(self, rows: Sequence[BrowserRow]) -> None:
        """Show a project's conversations."""
        self._model.set_rows(rows)
        self._show_state()
        self.set_current(self._current)

    def update_labels(self, conversation: str, labels: int) -> None:
        """Show another number of labels for one conversation."""
        self._model.update_labels(conversation, labels)

    def set_current(self, conversation: str) -> None:
        """Mark the conversation that is open."""
        self._current = conversation
        for place, row in enumerate(self._model.rows):
            if row.id == conversation:
                index = self._proxy.mapFromSource(self._model.index(place, 0))
                self._table.selectionModel().setCurrentIndex(
                    index,
                    self._table.selectionModel().SelectionFlag.ClearAndSelect
                    | self._table.selectionModel().SelectionFlag.Rows,
                )
                self._details.setPlainText(details_of(row))

    def neighbour(self, by: int) -> str:
        """Return the id of the conversation `by` rows below the open one as listed, or an empty string."""
        listed = [
            self._model.rows[self._proxy.mapToSource(self._proxy.index(row, 0)).row()].id
            for row in range(self._proxy.rowCount())
        ]
        row = listed.index(self._current) + by if self._current in listed else 0
        return listed[row] if 0 <= row < len(listed) else ""

    def _build_table(self) -> QTableView:
        table = QTableView()
        table.setModel(self._proxy)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setTabKeyNavigation(False)
        table.setSortingEnabled(True)
        table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        table.setShowGrid(False)
        table.setAlternatingRowColors(True)
        table.setAccessibleName("Conversations")
        table.verticalHeader().hide()
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column, title in enumerate(ConversationModel.TITLES):
            header.resizeSection(column, self.fontMetrics().horizontalAdvance(f"{title}00"))
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        table.activated.connect(self._on_activated)
        table.clicked.connect(self._on_activated)
        table.selectionModel().currentRowChanged.connect(self._on_row)
        return table

    def _row_at(self, index: _Index) -> BrowserRow | None:
        source = self._proxy.mapToSource(index)
        return self._model.rows[source.row()] if source.isValid() else None

    def _on_activated(self, index: QModelIndex) -> None:
        row = self._row_at(index)
        if row is not None and row.id != self._current:
            self.opened.emit(row.id)

    def _on_row(self, index: QModelIndex) -> None:
        row = self._row_at(index)
        self._details.setPlainText(details_of(row) if row else "")

    def _on_filter(self, text: str) -> None:
        self._proxy.set_words(text)
        self._show_state()

    def _on_filter_entered(self) -> None:
        """Open the row that is marked, or else the first that the filter left."""
        index = self._table.currentIndex()
        if not index.isValid():
            index = self._proxy.index(0, 0)
        if index.isValid():
            self._on_activated(index)
            self._table.setFocus()

    def _show_state(self) -> None:
        any_rows = self._proxy.rowCount() > 0
        self._empty.setText(
            "No conversation matches the filter."
            if self._model.rows
            else "This project has no conversations yet. Drop audio files or folders here, or use Project → Add audio."
        )
        self._empty.setVisible(not any_rows)
        self._table.setVisible(any_rows)
