"""The bar that plays: buttons, the time that is heard, and the sound device."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QFont
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLabel, QWidget

from widgets.timeline.ticks import frame_text
from widgets.transport.action_button import ActionButton
from widgets.transport.speed_button import SpeedButton, next_speed, speed_text
from widgets.transport.transport import Transport

POLL_MS = 33
"""The position is asked for 30 times a second, while it plays only."""

ICONS = ("play", "play-selection", "play-end", "loop", "follow")
SYSTEM_DEVICE = "System default"


class TransportBar(QWidget):
    """Buttons and clock of a transport.

    Parameters
    ----------
    actions
        Play or pause, play the selection, play the last second before the end edge, loop, follow: in this order. What
        they do is bound by their owner; only the loop is switched here, since the transport keeps it.
    speed_actions
        Slower, faster and as recorded; bound by their owner to `step_speed` and `choose_speed`.
    transport
        Where it has a signal `state_changed`, the bar follows it; otherwise `refresh` tells it to look.

    Signals
    -------
    position_changed(int)
        The frame heard now, 30 times a second while playing, and whenever it jumps.
    speed_changed(float)
        A person chose another speed.
    device_chosen(str)
        Name of a sound device; empty for the system's default.
    """

    position_changed = Signal(int)
    speed_changed = Signal(float)
    device_chosen = Signal(str)

    def __init__(
        self,
        *,
        transport: Transport,
        rate_hz: int,
        frames: int,
        actions: Sequence[QAction],
        speed_actions: Sequence[QAction] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._transport = transport
        self._rate_hz = rate_hz
        self._position = transport.position
        self.buttons = tuple(
            ActionButton(action=action, icon=icon) for action, icon in zip(actions, ICONS, strict=True)
        )
        self._play_button = self.buttons[0]
        self._loop_action = actions[3]
        self.speed_button = SpeedButton(actions=speed_actions)
        self.speed_button.speed_chosen.connect(self.choose_speed)
        self._time = _time_label("Position", bold=True)
        self._length = _time_label("Length", bold=False)
        self._length.setText(f"/ {frame_text(frames, rate_hz)}")
        self._device = QComboBox()
        self._device.setAccessibleName("Sound device")
        self._device.setToolTip("Where the sound goes")
        self._device.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._device.setMinimumContentsLength(14)
        self._device.hide()
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MS)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._lay_out()
        self._fit_time(max(frames, self._position))
        self._timer.timeout.connect(self._on_tick)
        self._device.activated.connect(self._on_device)
        self._loop_action.toggled.connect(self._on_loop)
        transport.set_looping(self._loop_action.isChecked())
        state_changed = getattr(transport, "state_changed", None)
        if state_changed is not None:
            state_changed.connect(self.refresh)
        self._show_state()

    @property
    def position(self) -> int:
        """The frame shown."""
        return self._position

    @property
    def time_text(self) -> str:
        """The time shown."""
        return self._time.text()

    @property
    def polling(self) -> bool:
        """Whether it asks for the position again and again."""
        return self._timer.isActive()

    def play(self, onset: int | None = None, offset: int | None = None) -> None:
        """Play ``[onset, offset)``; from the position, or to the end, where a bound is None."""
        self._transport.play(onset, offset)
        self.refresh()

    def seek(self, frame: int) -> None:
        """Move the position."""
        self._transport.seek(frame)
        self.refresh()

    def choose_speed(self, speed: float) -> None:
        """Play at another speed from now on."""
        if speed != self._transport.speed:
            self._transport.set_speed(speed)
            self.speed_changed.emit(speed)
        self.refresh()

    def step_speed(self, *, faster: bool) -> str:
        """Play at the next speed of the list; return the speed now, as it is shown."""
        self.choose_speed(next_speed(self._transport.speed, faster=faster))
        return speed_text(self._transport.speed)

    def set_devices(self, names: Sequence[str], current: str) -> None:
        """Offer sound devices, and show the one in use; an empty name is the system's default."""
        self._device.clear()
        self._device.addItem(SYSTEM_DEVICE, "")
        for name in names:
            self._device.addItem(name, name)
        if current and current not in names:
            self._device.addItem(f"{current} (not there)", current)
        self.show_device(current)
        self._device.show()

    @property
    def device(self) -> str:
        """The device shown; empty for the system's default."""
        return str(self._device.currentData() or "")

    def show_device(self, current: str) -> None:
        """Show the device in use among those offered; an empty name is the system's default."""
        self._device.setCurrentIndex(max(self._device.findData(current), 0))

    def refresh(self) -> None:
        """Look at the transport: whether it plays, and where it is."""
        self._show_state()
        self._show_position()

    def _show_state(self) -> None:
        playing = self._transport.playing
        # A player that goes on by itself once its device is back is paused by the same button.
        going_on = playing or getattr(self._transport, "interrupted", False)
        self._play_button.set_icon("pause" if going_on else "play")
        self.speed_button.show_speed(self._transport.speed)
        if self._loop_action.isChecked() != self._transport.looping:
            self._loop_action.setChecked(self._transport.looping)
        if playing and not self._timer.isActive():
            self._timer.start()
        elif not playing:
            self._timer.stop()

    def _show_position(self) -> None:
        frame = self._transport.position
        self._time.setText(frame_text(frame, self._rate_hz))
        if frame != self._position:
            self._position = frame
            self.position_changed.emit(frame)

    def _on_tick(self) -> None:
        self._show_position()
        if not self._transport.playing:
            self._show_state()

    def _on_loop(self, looping: bool) -> None:
        self._transport.set_looping(looping)

    def _on_device(self, place: int) -> None:
        self.device_chosen.emit(self._device.itemData(place))

    def _fit_time(self, frames: int) -> None:
        """Keep the width of the longest time, so that nothing beside it moves."""
        widest = frame_text(frames, self._rate_hz)
        self._time.setMinimumSize(QSize(self._time.fontMetrics().horizontalAdvance(widest) + 4, 0))
        self._time.setText(frame_text(self._position, self._rate_hz))

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        unit = self.fontMetrics().height()
        row.setContentsMargins(unit // 2, unit // 4, unit // 2, unit // 4)
        row.setSpacing(unit // 4)
        for button in self.buttons[:3]:
            row.addWidget(button)
        row.addWidget(_line())
        for button in self.buttons[3:]:
            row.addWidget(button)
        row.addWidget(_line())
        row.addWidget(self.speed_button)
        row.addWidget(_line())
        row.addSpacing(unit // 4)
        row.addWidget(self._time)
        row.addWidget(self._length)
        row.addStretch(1)
        row.addWidget(self._device)


def _time_label(name: str, *, bold: bool) -> QLabel:
    label = QLabel()
    font = QFont(label.font())
    font.setPointSizeF(font.pointSizeF() * (1.25 if bold else 1.0))
    font.setBold(bold)
    # Digits of one width, or the time would tremble while it runs.
    font.setFeature(QFont.Tag("tnum"), 1)
    label.setFont(font)
    label.setAccessibleName(name)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _line() -> QFrame:
    line = QFrame()
    line.setFrameShape(QFrame.Shape.VLine)
    line.setFrameShadow(QFrame.Shadow.Plain)
    line.setForegroundRole(line.palette().ColorRole.Mid)
    return line
