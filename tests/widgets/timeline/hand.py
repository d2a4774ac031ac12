"""A hand on the mouse over a timeline."""

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from widgets.timeline.layout import Metrics
from widgets.timeline.view import TimelineView

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


class Hand:
    """Moves the pointer over a timeline, in frames of the recording and rows of a lane."""

    def __init__(self, view: TimelineView) -> None:
        self.view = view
        self.metrics = Metrics.of(view.fontMetrics().height(), view.devicePixelRatioF())

    def place(self, frame: float, *, lane: int = 0, row: int | None = 0, by: int = 0) -> QPoint:
        first, last = self.view.visible_range
        width = self.view.width() - self.metrics.header
        x = self.metrics.header + (frame - first) / (last - first) * width
        box = self.view._layout.lanes[lane]
        down = box.top + 10 if row is None else box.rows[row].top + 5
        return QPoint(round(x) + by, self.metrics.ruler + down)

    def ruler(self, frame: float) -> QPoint:
        return QPoint(self.place(frame).x(), 4)

    def header(self, lane: int = 0) -> QPoint:
        return QPoint(20, self.place(0, lane=lane, row=None).y())

    def send(self, kind: QEvent.Type, at: QPoint, modifiers: Qt.KeyboardModifier = NONE) -> None:
        held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else LEFT
        button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else LEFT
        spot = QPointF(at)
        event = QMouseEvent(kind, spot, QPointF(self.view.mapToGlobal(at)), button, held, modifiers)
        QApplication.sendEvent(self.view, event)

    def press(self, at: QPoint, modifiers: Qt.KeyboardModifier = NONE) -> None:
        self.send(QEvent.Type.MouseButtonPress, at, modifiers)

    def move(self, at: QPoint, modifiers: Qt.KeyboardModifier = NONE) -> None:
        self.send(QEvent.Type.MouseMove, at, modifiers)

    def release(self, at: QPoint) -> None:
        self.send(QEvent.Type.MouseButtonRelease, at)

    def click(self, at: QPoint) -> None:
        self.press(at)
        self.release(at)

    def drag(self, start: QPoint, end: QPoint, modifiers: Qt.KeyboardModifier = NONE) -> None:
        self.press(start, modifiers)
        self.move((start + end) / 2)
        self.move(end)
        self.release(end)

    def wheel(self, at: QPoint, notches: int, modifiers: Qt.KeyboardModifier = NONE) -> None:
        event = QWheelEvent(
            QPointF(at),
            QPointF(self.view.mapToGlobal(at)),
            QPoint(),
            QPoint(0, 120 * notches),
            Qt.MouseButton.NoButton,
            modifiers,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(self.view, event)
