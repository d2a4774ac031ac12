"""Preferences: appearance, who labels, the sound device with its delay, and every key."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.actions import ACTIONS, conflict, key_text, keys_of, plain_text
from app.settings import Settings
from app.sound_page import SoundPage
from app.storage_page import StoragePage

THEMES = (("As the desktop", "system"), ("Light", "light"), ("Dark", "dark"))
SCALES = (1.0, 1.25, 1.5, 1.75, 2.0)


class KeyTable(QWidget):
    """Actions with their keys; a key that is taken is refused with the name of who has it."""

    def __init__(
        self, *, remapped: Mapping[str, str], reserved: Mapping[str, str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.remapped = dict(remapped)
        self._reserved = reserved
        self._table = QTableWidget(len(ACTIONS), 2)
        self._table.setHorizontalHeaderLabels(["Action", "Keys"])
        self._table.verticalHeader().hide()
        self._table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self._table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        self._table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self._table.setTabKeyNavigation(False)
        self._table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self._edit = QKeySequenceEdit()
        self._edit.setMaximumSequenceLength(1)
        self._edit.setAccessibleName("New key for the action")
        self._set = QPushButton("&Set")
        self._none = QPushButton("&No key")
        self._default = QPushButton("&Default")
        self._said = QLabel("Choose an action, press its new key, then Set.")
        self._said.setWordWrap(True)
        row = QHBoxLayout()
        for widget in (self._edit, self._set, self._none, self._default):
            row.addWidget(widget)
        column = QVBoxLayout(self)
        column.addWidget(self._table)
        column.addLayout(row)
        column.addWidget(self._said)
        self._set.clicked.connect(self._on_set)
        self._none.clicked.connect(lambda: self.assign(""))
        self._default.clicked.connect(lambda: self.assign(None))
        self._fill()
        self._table.selectRow(0)

    def select(self, action_id: str) -> None:
        """Choose an action by its id."""
        self._table.selectRow([spec.id for spec in ACTIONS].index(action_id))

    def assign(self, key: str | None) -> None:
        """Give the chosen action a key: empty for none, None for its default."""
        spec = ACTIONS[max(self._table.currentRow(), 0)]
        wanted = spec.keys if key is None else (key,) if key else ()
        for candidate in wanted:
            taken = conflict(spec.id, candidate, self.remapped, self._reserved)
            if taken:
                self._said.setText(
                    f"{key_text(candidate)} is the key of “{taken}”. Choose another, or free it there first."
                )
                return
        if key is None:
            self.remapped.pop(spec.id, None)
        else:
            self.remapped[spec.id] = key
        shown = " or ".join(key_text(candidate) for candidate in wanted)
        self._said.setText(f"{plain_text(spec.text)}: {shown or 'no key'}.")
        self._edit.clear()
        self._fill()

    def take_pending(self) -> bool:
        """Set a key that was pressed and not set yet; False if it is taken, which is then said."""
        if self._edit.keySequence().isEmpty():
            return True
        self._on_set()
        return self._edit.keySequence().isEmpty()

    def _on_set(self) -> None:
        key = self._edit.keySequence().toString()
        if key:
            self.assign(key)
        else:
            self._said.setText("Press the new key in the field first.")

    def _fill(self) -> None:
        for row, spec in enumerate(ACTIONS):
            keys = " or ".join(key_text(key) for key in keys_of(spec, self.remapped))
            for column, text in enumerate((f"{plain_text(spec.menu)} · {plain_text(spec.text)}", keys)):
                item = QTableWidgetItem(text)
                item.setToolTip(spec.tip)
                self._table.setItem(row, column, item)


class Preferences(QDialog):
    """Edits a `Settings`; `changes` holds the fields that differ once accepted."""

    def __init__(
        self,
        *,
        settings: Settings,
        sound: SoundPage,
        storage: StoragePage,
        reserved: Mapping[str, str],
        account: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Preferences")
        self._settings = settings
        self.changes: dict[str, object] = {}
        self._theme = self._chooser(THEMES, settings.theme)
        self._scale = self._chooser([(f"{scale:.0%}", scale) for scale in SCALES], settings.text_scale)
        self.sound = sound
        self.storage = storage
        self._person = QLineEdit(settings.person)
        self._person.setPlaceholderText(account)
        self.keys = KeyTable(remapped=settings.keys, reserved=reserved)
        general = QWidget()
        form = QFormLayout(general)
        form.addRow("&Theme", self._theme)
        form.addRow("&Size of text and controls", self._scale)
        form.addRow("", QLabel("A new size takes effect at the next start."))
        form.addRow("&Who labels", self._person)
        self._tabs = QTabWidget()
        self._tabs.addTab(general, "&General")
        self._tabs.addTab(sound, "S&ound")
        self._tabs.addTab(storage, "S&torage")
        self._tabs.addTab(self.keys, "&Keys")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self._on_accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(self._tabs)
        column.addWidget(buttons)
        self.resize(self.fontMetrics().averageCharWidth() * 90, self.fontMetrics().height() * 34)

    def show_sound(self) -> None:
        """Turn to the sound device."""
        self._tabs.setCurrentWidget(self.sound)
        self.sound.device_field.setFocus()

    def keyPressEvent(self, event: object) -> None:
        """Leave Enter to the key editor while it has the keyboard."""
        key = event.key()  # type: ignore[attr-defined]
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(self.focusWidget(), QKeySequenceEdit):
            return
        super().keyPressEvent(event)  # type: ignore[arg-type]

    def _chooser(self, items: Sequence[tuple[str, object]], value: object) -> QComboBox:
        box = QComboBox()
        for text, data in items:
            box.addItem(text, data)
        place = box.findData(value)
        if place < 0:
            box.addItem(f"{value} (not present)", value)
            place = box.count() - 1
        box.setCurrentIndex(place)
        return box

    def _on_accept(self) -> None:
        if not self.keys.take_pending():
            return
        wanted = {
            "theme": self._theme.currentData(),
            "text_scale": self._scale.currentData(),
            "device": self.sound.device,
            "corrections_ms": self.sound.corrections_ms,
            "cache_gb": self.storage.cache_gb,
            "person": self._person.text().strip(),
            "keys": self.keys.remapped,
        }
        self.changes = {name: value for name, value in wanted.items() if getattr(self._settings, name) != value}
        self.accept()
