"""The sound page of the preferences: which device, what it reports, and how much later it is heard."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.playback.devices import OutputDevice
from app.playback.output import SHORTEST_LATENCY_S
from app.tap_wizard import HIGHEST_CORRECTION_MS, LOWEST_CORRECTION_MS

Devices = Sequence[OutputDevice]
NOTE = (
    "The cursor follows what the device reports, plus the correction. Bluetooth and some screens are heard later than "
    "they report: measure them, or type what you know. Every label notes the delay and the correction it was made with."
)


class SoundPage(QWidget):
    """Chooses a device and its correction.

    Parameters
    ----------
    devices
        As they are known now, the default first.
    device
        Name of the one in the settings; empty for the system's default.
    list_anew
        Looks for devices and hands them over, at once or later.
    measure
        Opens the tap wizard on a device, by its own name, and returns the correction in force afterwards.
    """

    def __init__(
        self,
        *,
        devices: Devices,
        device: str,
        corrections_ms: Mapping[str, float],
        list_anew: Callable[[Callable[[Devices], None]], object],
        measure: Callable[[str], float],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._devices: Devices = ()
        self._list_anew = list_anew
        self._measure = measure
        self._corrections_ms = dict(corrections_ms)
        self.device_field = QComboBox()
        self.refresh_button = QPushButton("&List anew")
        self.refresh_button.setToolTip("Look for devices again; playing pauses meanwhile.")
        self.reported_label = QLabel()
        self.correction_field = QDoubleSpinBox()
        self.correction_field.setRange(LOWEST_CORRECTION_MS, HIGHEST_CORRECTION_MS)
        self.correction_field.setDecimals(0)
        self.correction_field.setSingleStep(5)
        self.correction_field.setSuffix(" ms")
        self.correction_field.setToolTip("How much later than it reports this device is heard.")
        self.measure_button = QPushButton("&Measure…")
        self.measure_button.setToolTip("Tap on a steady click to measure the correction of this device.")
        for button in (self.refresh_button, self.measure_button):
            button.setAutoDefault(False)
        note = QLabel(NOTE)
        note.setWordWrap(True)
        note.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        form = QFormLayout()
        form.addRow(_label("Sound &device", self.device_field), _row(self.device_field, self.refresh_button))
        form.addRow("Reported delay", self.reported_label)
        form.addRow(_label("&Correction", self.correction_field), _row(self.correction_field, self.measure_button))
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(note)
        column.addStretch(1)
        self.show_devices(devices, device)
        self.device_field.currentIndexChanged.connect(lambda _: self._show_chosen())
        self.correction_field.valueChanged.connect(self._on_correction)
        self.refresh_button.clicked.connect(self._on_refresh)
        self.measure_button.clicked.connect(self._on_measure)

    @property
    def device(self) -> str:
        """Name of the device chosen; empty for the system's default."""
        return str(self.device_field.currentData() or "")

    @property
    def corrections_ms(self) -> dict[str, float]:
        """The corrections by device, those of 0 left out."""
        return {name: by_ms for name, by_ms in self._corrections_ms.items() if by_ms}

    def show_devices(self, devices: Devices, chosen: str) -> None:
        """Offer these devices, the default first."""
        self._devices = devices
        known = devices[0].name if devices else "none is there"
        default = "System default" if known == "default" else f"System default ({known})"
        self.device_field.blockSignals(True)
        self.device_field.clear()
        self.device_field.addItem(default, "")
        for device in devices:
            self.device_field.addItem(device.name, device.name)
        if chosen and self.device_field.findData(chosen) < 0:
            self.device_field.addItem(f"{chosen} (not there)", chosen)
        self.device_field.setCurrentIndex(self.device_field.findData(chosen))
        self.device_field.blockSignals(False)
        self._show_chosen()

    def _own_name(self) -> str:
        """Return the name under which the device chosen is known once it is open."""
        return self.device or (self._devices[0].name if self._devices else "")

    def _show_chosen(self) -> None:
        name = self._own_name()
        found = next((device for device in self._devices if device.name == name), None)
        if found is None:
            self.reported_label.setText("The device is not there." if name else "There is no sound device.")
        else:
            asked_ms = 1000 * max(found.latency_s, SHORTEST_LATENCY_S)
            self.reported_label.setText(f"{asked_ms:.0f} ms or a little more")
        self.correction_field.setEnabled(bool(name))
        self.measure_button.setEnabled(found is not None)
        self.correction_field.blockSignals(True)
        self.correction_field.setValue(self._corrections_ms.get(name, 0.0))
        self.correction_field.blockSignals(False)

    def _on_correction(self, value: float) -> None:
        self._corrections_ms[self._own_name()] = value

    def _on_refresh(self) -> None:
        self.refresh_button.setEnabled(False)
        self._list_anew(self._take_devices)

    def _take_devices(self, devices: Devices) -> None:
        self.refresh_button.setEnabled(True)
        self.show_devices(devices, self.device)

    def _on_measure(self) -> None:
        name = self._own_name()
        self._corrections_ms[name] = self._measure(name)
        self._show_chosen()


def _label(text: str, field: QWidget) -> QLabel:
    label = QLabel(text)
    label.setBuddy(field)
    return label


def _row(field: QWidget, button: QPushButton) -> QHBoxLayout:
    row = QHBoxLayout()
    row.addWidget(field, 1)
    row.addWidget(button)
    return row
