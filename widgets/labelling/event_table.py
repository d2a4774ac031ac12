"""The same events as a table: for the keyboard and for screen readers."""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from annotation.document import Change
from annotation.events import FloorEvent, event_order
from widgets.labelling.appearance import Appearance

_Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    text: Callable[[Appearance, FloorEvent], str]
    right: bool = False
    tip: str = ""


COLUMNS = (
    _Column("", lambda look, event: look.letter(event.kind)),
    _Column("Kind", lambda look, event: look.kind_name(event.kind)),
    _Column("Speaker", lambda look, event: look.speaker_name(event.speaker)),
    _Column("Onset (s)", lambda look, event: look.time(event.onset), right=True),
    _Column("Offset (s)", lambda look, event: look.time(event.offset), right=True),
    _Column("Length (s)", lambda look, event: look.time(event.length), right=True),
    _Column("Before", lambda look, event: look.holder_name(event.holder_before), tip="Who holds the floor before"),
    _Column("After", lambda look, event: look.holder_name(event.holder_after), tip="Who holds the floor after"),
    _Column("Comment", lambda look, event: event.comment or event.text),
)
SPEAKER_COLUMN = 2
COMMENT_COLUMN = 8


class EventTableModel(QAbstractTableModel):
    """Events in order of onset; a change of the document touches its own rows only.

    Parameters
    ----------
    comment
        Called with an event's id and the comment typed into its cell; None makes the table read-only.
    """

    def __init__(
        self,
        *,
        events: Iterable[FloorEvent],
        appearance: Appearance,
        comment: Callable[[str, str], None] | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._comment = comment
        self._events = {event.id: event for event in events}
        self._order = sorted(event_order(event) for event in self._events.values())

    def apply(self, change: Change) -> None:
        """Follow a change of the document; a replaced event that keeps its place only repaints its row."""
        replaced = {event.id: event for event in change.removed}
        for event in change.added:
            old = replaced.get(event.id)
            if old is not None and event_order(old) == event_order(event):
                del replaced[event.id]
                self._events[event.id] = event
                row = self.row_of(event.id)
                self.dataChanged.emit(self.index(row, 0), self.index(row, len(COLUMNS) - 1))
        for event in replaced.values():
            row = bisect_left(self._order, event_order(event))
            self.beginRemoveRows(QModelIndex(), row, row)
            del self._order[row], self._events[event.id]
            self.endRemoveRows()
        for event in change.added:
            if event.id not in self._events:
                row = bisect_left(self._order, event_order(event))
                self.beginInsertRows(QModelIndex(), row, row)
                self._events[event.id] = event
                insort(self._order, event_order(event))
                self.endInsertRows()

    def set_appearance(self, appearance: Appearance) -> None:
        """Show the same events with other names or colours."""
        self.beginResetModel()
        self._appearance = appearance
        self.endResetModel()

    def event_at(self, row: int) -> FloorEvent | None:
        """Return the event in a row, or None outside the table."""
        return self._events[self._order[row][2]] if 0 <= row < len(self._order) else None

    def row_of(self, event_id: str) -> int:
        """Return the row of an event, or −1."""
        event = self._events.get(event_id)
        return bisect_left(self._order, event_order(event)) if event else -1

    def rowCount(self, parent: _Index = _NO_INDEX) -> int:
        """Return the number of events."""
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: _Index = _NO_INDEX) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's title."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section].title
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.ToolTipRole:
            return COLUMNS[section].tip or None
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows, and for screen readers the whole event as a sentence."""
        event = self.event_at(index.row())
        if event is None:
            return None
        column = COLUMNS[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(self._appearance, event)
        if role == Qt.ItemDataRole.EditRole:
            return event.comment
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole and index.column() == 0:
            return QColor(self._appearance.colour(event.kind))
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return self._appearance.tip(event)
        return None

    def setData(self, index: _Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take a comment typed into its cell."""
        event = self.event_at(index.row())
        if event is None or self._comment is None or role != Qt.ItemDataRole.EditRole:
            return False
        self._comment(event.id, str(value))
        return True

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Return whether a cell can be edited: comments of own events can."""
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        editable = self._comment is not None and index.column() == COMMENT_COLUMN
        return flags | Qt.ItemFlag.ItemIsEditable if editable else flags
