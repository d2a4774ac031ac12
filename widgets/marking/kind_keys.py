"""The kind keys, pressed and released, wherever the keyboard is but in a text field.

X11 repeats a held key as pairs of release and press with one time stamp, and under load Qt does not mark all of them as
repeats. A release during a mark is therefore believed only when no such press follows.
"""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

BELIEVE_MS = 40


def typing() -> bool:
    """Return whether the keyboard is in a text field."""
    return isinstance(QApplication.focusWidget(), (QLineEdit, QPlainTextEdit, QTextEdit))


class KindKeys(QObject):
    """Watches the application's keys for one view.

    Parameters
    ----------
    kinds
        Kind ids by their key, as typed.
    owner
        Keys count while its window has the keyboard and it is visible.
    marking
        Whether a mark is in progress.
    position
        The frame heard now; it is taken at the release, not when the release is believed.

    Signals
    -------
    pressed(str)
        A kind's key went down.
    released(str, object)
        It went up, with the frame of that moment.
    abandoned()
        The window lost the keyboard.
    """

    pressed = Signal(str)
    released = Signal(str, object)
    abandoned = Signal()

    def __init__(
        self,
        *,
        kinds: Mapping[str, str],
        owner: QWidget,
        marking: Callable[[], bool],
        position: Callable[[], int],
    ) -> None:
        super().__init__(owner)
        self._kinds = kinds
        self._owner = owner
        self._marking = marking
        self._position = position
        self._held: dict[int, str] = {}
        self._lifted: tuple[int, int, str, int] | None = None
        self._believe = QTimer(self)
        self._believe.setSingleShot(True)
        self._believe.setInterval(BELIEVE_MS)
        self._believe.timeout.connect(self._on_believed)
        self._application = QApplication.instance()
        if self._application is not None:
            self._application.installEventFilter(self)

    def stop(self) -> None:
        """Watch no more; a release that was not believed yet counts."""
        if self._application is not None:
            self._application.removeEventFilter(self)
        self._on_believed()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take kind keys; everything else goes on."""
        kind = event.type()
        if kind == QEvent.Type.WindowDeactivate and watched is self._owner.window():
            self._on_believed()
            self._held.clear()
            self.abandoned.emit()
        elif kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._on_press(watched, event)
        elif kind == QEvent.Type.KeyRelease and isinstance(event, QKeyEvent):
            return self._on_release(event)
        return super().eventFilter(watched, event)

    def _on_press(self, watched: QObject, event: QKeyEvent) -> bool:
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        kind = self._kinds.get(event.text(), "") if plain else ""
        if not kind or not self._takes(watched):
            return False
        if self._lifted is not None:
            key, stamp, *_ = self._lifted
            if (key, stamp) == (_place(event), event.timestamp()):
                self._believe.stop()
                self._lifted = None
                return True
            self._on_believed()
        if not event.isAutoRepeat() and _place(event) not in self._held:
            self._held[_place(event)] = kind
            self.pressed.emit(kind)
        return True

    def _on_release(self, event: QKeyEvent) -> bool:
        kind = self._held.get(_place(event), "")
        if not kind:
            return False
        if event.isAutoRepeat() or (self._lifted is not None and self._lifted[0] == _place(event)):
            return True
        if self._marking():
            self._lifted = (_place(event), event.timestamp(), kind, self._position())
            self._believe.start()
        else:
            del self._held[_place(event)]
            self.released.emit(kind, self._position())
        return True

    def _on_believed(self) -> None:
        self._believe.stop()
        if self._lifted is not None:
            key, _, kind, frame = self._lifted
            self._lifted = None
            self._held.pop(key, None)
            self.released.emit(kind, frame)

    def _takes(self, watched: QObject) -> bool:
        inside = isinstance(watched, QWidget) and watched.window() is self._owner.window()
        return inside and self._owner.isVisible() and not typing()


def _place(event: QKeyEvent) -> int:
    """Return which key of the board it is: with Shift pressed meanwhile, the release names another character."""
    return event.nativeScanCode() or event.key()
