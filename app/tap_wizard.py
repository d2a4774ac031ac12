"""The dialog that measures, by taps on a steady click, how much later than it reports a sound device is heard."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import (
    QDialog,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from annotation.errors import FloorscopeError
from app.playback.engine import OpenOutput
from app.playback.player import Player
from app.tap_delay import EARLIEST_S, LATEST_S, ClickPlan, Clicks, Delay, delay_from_taps

HIGHEST_CORRECTION_MS = 2000.0
LOWEST_CORRECTION_MS = -500.0
POLL_MS = 50
GRID_MS = (0, 250, 500)

EXPLANATION = (
    "You hear a steady click. Tap on each one, as exactly as you can, with Space or any letter, or with the mouse on "
    "the field below. The first {lead_in} only give the beat."
)
BIAS = (
    "People tap a little before the beat they hear, usually by 20 to 50 ms, and taps cannot tell that from the delay "
    "of the device. Measure wired headphones first: what you get there is mostly your own lead, and the difference to "
    "it is the delay of the other device."
)


class TapField(QWidget):
    """Shows each tap as a dot, click by click, with the median and the middle half; it is tapped on itself.

    Signals
    -------
    tapped()
        A key went down, or the mouse.
    """

    tapped = Signal()

    def __init__(self, *, plan: ClickPlan, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plan = plan
        self._delay: Delay | None = None
        self._clicks_heard = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Tap field: press a key on each click")
        self.setMinimumHeight(self.fontMetrics().height() * 10)

    def sizeHint(self) -> QSize:
        """Wide enough for a dot a click."""
        return QSize(self.fontMetrics().averageCharWidth() * 80, self.fontMetrics().height() * 13)

    def show_delay(self, delay: Delay | None) -> None:
        """Draw these taps."""
        self._delay = delay
        self.update()

    def show_heard(self, clicks: int) -> None:
        """Mark how many clicks, the lead-in included, have been heard."""
        if clicks != self._clicks_heard:
            self._clicks_heard = clicks
            self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take a tap from any key that writes."""
        if event.text().strip() or event.key() == Qt.Key.Key_Space:
            if not event.isAutoRepeat():
                self.tapped.emit()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take a tap from the mouse."""
        self.setFocus()
        self.tapped.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the grid, the clicks heard, the taps and their middle."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = self.palette()
        room = self._room()
        border = colours.color(QPalette.ColorRole.Highlight if self.hasFocus() else QPalette.ColorRole.Mid)
        painter.setPen(QPen(border, 1))
        painter.setBrush(colours.color(QPalette.ColorRole.Base))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        self._paint_grid(painter, room)
        self._paint_clicks(painter, room)
        if self._delay is not None:
            self._paint_taps(painter, room, self._delay)
        painter.end()

    def _room(self) -> QRectF:
        unit = self.fontMetrics().height()
        left = self.fontMetrics().horizontalAdvance("500 ms") + unit
        return QRectF(self.rect()).adjusted(left, unit * 0.8, -unit * 0.8, -unit * 1.6)

    def _y(self, room: QRectF, offset_ms: float) -> float:
        lowest, highest = -1000 * EARLIEST_S, 1000 * LATEST_S
        return room.bottom() - (offset_ms - lowest) / (highest - lowest) * room.height()

    def _x(self, room: QRectF, click: int) -> float:
        count = self._plan.lead_in + self._plan.counted
        return room.left() + (click + 0.5) / count * room.width()

    def _paint_grid(self, painter: QPainter, room: QRectF) -> None:
        colours = self.palette()
        for level in GRID_MS:
            y = self._y(room, level)
            painter.setPen(
                QPen(colours.color(QPalette.ColorRole.Mid), 1, Qt.PenStyle.DotLine if level else Qt.PenStyle.SolidLine)
            )
            painter.drawLine(QPointF(room.left(), y), QPointF(room.right(), y))
            painter.setPen(colours.color(QPalette.ColorRole.PlaceholderText))
            label = QRectF(0, y - 10, room.left() - self.fontMetrics().averageCharWidth(), 20)
            painter.drawText(label, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{level} ms")

    def _paint_clicks(self, painter: QPainter, room: QRectF) -> None:
        colours = self.palette()
        y = room.bottom() + self.fontMetrics().height() * 0.7
        for click in range(self._plan.lead_in + self._plan.counted):
            heard = click < self._clicks_heard
            role = QPalette.ColorRole.Highlight if heard else QPalette.ColorRole.Mid
            painter.setPen(QPen(colours.color(role), 1.5))
            lead_in = click < self._plan.lead_in
            painter.setBrush(colours.color(role) if heard and not lead_in else Qt.BrushStyle.NoBrush)
            painter.drawEllipse(QPointF(self._x(room, click), y), 3.5, 3.5)

    def _paint_taps(self, painter: QPainter, room: QRectF, delay: Delay) -> None:
        accent = self.palette().color(QPalette.ColorRole.Highlight)
        if delay.median_ms is not None and delay.quartiles_ms is not None:
            low, high = (self._y(room, quartile) for quartile in delay.quartiles_ms)
            band = QColor(accent)
            band.setAlphaF(0.18)
            painter.fillRect(QRectF(room.left(), high, room.width(), max(low - high, 2.0)), band)
            painter.setPen(QPen(accent, 1.5, Qt.PenStyle.DashLine))
            y = self._y(room, delay.median_ms)
            painter.drawLine(QPointF(room.left(), y), QPointF(room.right(), y))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(accent)
        for tap in delay.taps:
            painter.drawEllipse(
                QPointF(self._x(room, self._plan.lead_in + tap.click), self._y(room, tap.offset_ms)), 4, 4
            )


class TapWizard(QDialog):
    """Plays clicks through a device and turns taps into its correction.

    Parameters
    ----------
    device
        Name of the device, as the settings keep it; empty for the system's default.
    corrections_ms
        Corrections by device, as they are.
    save
        Keeps the correction of a device, in milliseconds.
    open_sound
        Opens another output than the device (tests).
    """

    def __init__(
        self,
        *,
        device: str,
        corrections_ms: Mapping[str, float],
        save: Callable[[str, float], object],
        plan: ClickPlan | None = None,
        open_sound: OpenOutput | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Delay of the sound device")
        self.plan = plan or ClickPlan()
        self._save_call = save
        self._corrections_ms = dict(corrections_ms)
        self._taps: list[int] = []
        self._running = False
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MS)
        self.player = Player(
            rate_hz=self.plan.rate_hz,
            frames=self.plan.frames,
            renderer=Clicks(self.plan),
            channels=1,
            device=device,
            open_sound=open_sound,
            parent=self,
        )
        self.delay: Delay | None = None
        self.device_name = device or default_name()
        self.field = TapField(plan=self.plan)
        self._build()
        self._connect()
        self._show_device()
        self.correction_field.setValue(self._corrections_ms.get(self.device_name, 0.0))
        if self.player.trouble:
            self._result.setText(self.player.trouble)
            self.start_button.setEnabled(False)

    def _build(self) -> None:
        self._intro = _paragraph(EXPLANATION.format(lead_in=self.plan.lead_in))
        self._device_label = _paragraph("")
        self._result = _paragraph("Press Start, then tap.")
        self._result.setMinimumHeight(self.fontMetrics().lineSpacing() * 2)
        self.start_button = QPushButton("&Start")
        self.start_button.setDefault(True)
        self.correction_field = QDoubleSpinBox()
        self.correction_field.setRange(LOWEST_CORRECTION_MS, HIGHEST_CORRECTION_MS)
        self.correction_field.setDecimals(0)
        self.correction_field.setSingleStep(5)
        self.correction_field.setSuffix(" ms")
        self.correction_field.setToolTip("How much later than it reports the device is heard; you can type it too.")
        self.save_button = QPushButton("S&ave")
        self.reset_button = QPushButton("&Reset to 0")
        self.close_button = QPushButton("&Close")
        for button in (self.save_button, self.reset_button, self.close_button):
            button.setAutoDefault(False)
        top = QHBoxLayout()
        top.addWidget(self._device_label, 1)
        top.addWidget(self.start_button)
        form = QFormLayout()
        form.addRow("&Correction of this device", self.correction_field)
        bottom = QHBoxLayout()
        bottom.addLayout(form)
        bottom.addStretch(1)
        for button in (self.reset_button, self.save_button, self.close_button):
            bottom.addWidget(button)
        column = QVBoxLayout(self)
        column.addWidget(self._intro)
        column.addLayout(top)
        column.addWidget(self.field, 1)
        column.addWidget(self._result)
        column.addLayout(bottom)
        column.addWidget(_paragraph(BIAS, muted=True))

    def _connect(self) -> None:
        self.start_button.clicked.connect(self.toggle)
        self.save_button.clicked.connect(self._on_save)
        self.reset_button.clicked.connect(self._on_reset)
        self.close_button.clicked.connect(self.accept)
        self.field.tapped.connect(self._on_tap)
        self.player.finished.connect(self._finish)
        self.player.fault.connect(self._on_fault)
        self.player.sound_lost.connect(self._on_fault)
        self.player.state_changed.connect(self._on_state)
        self._timer.timeout.connect(self._show_heard)

    @property
    def result_text(self) -> str:
        """What is said of the taps."""
        return self._result.text()

    @property
    def running(self) -> bool:
        """Whether the clicks play."""
        return self._running

    def toggle(self) -> None:
        """Start the clicks, or stop them."""
        if self._running:
            self._finish()
            return
        self._taps = []
        self.delay = None
        self._running = True
        self.field.show_delay(None)
        self.field.setFocus()
        self.start_button.setText("&Stop")
        self._result.setText("Listen to the beat, then tap on each click.")
        self.player.play(0, None)
        self._timer.start()

    def done(self, result: int) -> None:
        """Stop the sound and give the device back, however the dialog ends."""
        self._running = False
        self._timer.stop()
        self.player.close()
        super().done(result)

    def _on_tap(self) -> None:
        if self._running and self.player.playing:
            self._taps.append(self.player.position)
            self._show_taps()

    def _show_taps(self) -> None:
        delay = delay_from_taps(self.plan, self._taps)
        self.field.show_delay(delay)
        if delay.taps:
            self._result.setText(
                f"{len(delay.taps)} of {self.plan.counted} taps; the latest {delay.taps[-1].offset_ms:+.0f} ms."
            )

    def _show_heard(self) -> None:
        self.field.show_heard(sum(click <= self.player.position for click in self.plan.clicks))

    def _stop(self) -> None:
        self._running = False
        self._timer.stop()
        self.player.pause()
        self.start_button.setText("&Start again")

    def _finish(self) -> None:
        if not self._running:
            return
        self._stop()
        self._show_heard()
        self.delay = delay_from_taps(self.plan, self._taps)
        self.field.show_delay(self.delay)
        if self.delay.refusal or self.delay.median_ms is None or self.delay.spread_ms is None:
            self._result.setText(self.delay.refusal)
            return
        ignored = f", {self.delay.ignored} not counted" if self.delay.ignored else ""
        self._result.setText(
            f"You tapped {self.delay.median_ms:.0f} ms after the time the device reports (median of "
            f"{len(self.delay.taps)} taps{ignored}; half of them within {self.delay.spread_ms:.0f} ms). "
            "Save it, or type a value of your own."
        )
        self.correction_field.setValue(self.delay.median_ms)
        self.save_button.setFocus()

    def _on_fault(self, sentence: str) -> None:
        self._stop()
        self._result.setText(sentence)

    def _on_state(self) -> None:
        name = self.player.output_name
        if name and name != self.device_name and self._running:
            self.device_name = name
        self._show_device()

    def _show_device(self) -> None:
        latency = self.player.latency_frames
        reported = f" It reports {1000 * latency / self.plan.rate_hz:.0f} ms." if latency else ""
        kept = self._corrections_ms.get(self.device_name, 0.0)
        self._device_label.setText(
            f"Device: <b>{self.device_name or 'none'}</b>.{reported} Correction in force: {kept:.0f} ms."
        )

    def _on_save(self) -> None:
        self._keep(self.correction_field.value())
        self._result.setText(
            f"Saved: “{self.device_name}” is heard {self.correction_field.value():.0f} ms later than it reports."
        )

    def _on_reset(self) -> None:
        self.correction_field.setValue(0)
        self._keep(0.0)
        self._result.setText(f"Saved: “{self.device_name}” has no correction.")

    def _keep(self, correction_ms: float) -> None:
        self._corrections_ms[self.device_name] = correction_ms
        self._save_call(self.device_name, correction_ms)
        self._show_device()


def default_name() -> str:
    """Return the name of the system's default output; empty where there is none."""
    from app.playback.devices import device_named

    try:
        return device_named("").name
    except FloorscopeError:
        return ""


def _paragraph(text: str, *, muted: bool = False) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    if muted:
        label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return label
