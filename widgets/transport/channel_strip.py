"""How one speaker is heard: solo, mute, gain and pan."""

from dataclasses import replace

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPalette, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QSlider, QToolButton, QWidget

from widgets.transport.transport import ChannelMix

LOWEST_GAIN_DB = -60.0
HIGHEST_GAIN_DB = 12.0
GAIN_STEPS_PER_DB = 2
PAN_STEPS = 100
"""Steps from the middle to one side."""

TOGGLE_STYLE = (
    "QToolButton { font-weight: bold; padding: 2px 6px; border: 1px solid palette(mid); border-radius: 4px; }"
    "QToolButton:checked { background: palette(highlight); color: palette(highlighted-text); }"
    "QToolButton:focus { border: 2px solid palette(highlight); padding: 1px 5px; }"
    "QToolButton:checked:focus { border-color: palette(text); }"
)


def gain_text(gain_db: float) -> str:
    """Return a gain as it is shown, with a sign unless it is 0."""
    if gain_db == 0:
        return "0.0 dB"
    return f"{'+' if gain_db > 0 else '−'}{abs(gain_db):.1f} dB"


def pan_text(pan: float) -> str:
    """Return a place between the loudspeakers as it is shown: L 100 to R 100, or centre."""
    share = round(abs(pan) * 100)
    if share == 0:
        return "centre"
    return f"{'L' if pan < 0 else 'R'} {share}"


class ResettingSlider(QSlider):
    """A horizontal slider that a double click takes back to its usual value."""

    def __init__(self, *, lowest: int, highest: int, usual: int, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.usual = usual
        self.setRange(lowest, highest)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setPageStep(max((highest - lowest) // 12, 1))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Go back to the usual value."""
        self.setValue(self.usual)
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn with the wheel only where the keyboard is: scrolling past must change nothing."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class ColourMark(QWidget):
    """The speaker's colour, as on the lane."""

    def __init__(self, *, colour: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.colour = colour
        self.setFixedWidth(max(self.fontMetrics().height() // 3, 4))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fill a rounded bar."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.colour))
        painter.drawRoundedRect(self.rect(), self.width() / 2, self.width() / 2)
        painter.end()


class NameLabel(QLabel):
    """A name that ends in an ellipsis where there is no room for all of it."""

    def __init__(self, *, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.name = name
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setToolTip(name)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cut the name to the new width."""
        super().resizeEvent(event)
        self.setText(self.fontMetrics().elidedText(self.name, Qt.TextElideMode.ElideRight, self.width()))


class ChannelStrip(QWidget):
    """Solo, mute, gain and pan of one speaker.

    Parameters
    ----------
    mix
        What it shows first; its pan is where a double click on the pan goes back to.

    Signals
    -------
    changed()
        Somebody moved something; `mix` holds the new values.
    """

    changed = Signal()

    def __init__(self, *, name: str, colour: str, mix: ChannelMix, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self._mix = mix
        self._mark = ColourMark(colour=colour)
        self._name = NameLabel(name=name)
        self.solo = self._toggle("S", f"Solo {name}", f"Hear only {name} (and others on solo)")
        self.mute = self._toggle("M", f"Mute {name}", f"Silence {name}")
        self.gain = ResettingSlider(
            lowest=round(LOWEST_GAIN_DB * GAIN_STEPS_PER_DB),
            highest=round(HIGHEST_GAIN_DB * GAIN_STEPS_PER_DB),
            usual=0,
        )
        self.gain.setAccessibleName(f"Gain of {name}")
        self.gain.setToolTip("Gain; double-click for 0 dB")
        self.pan = ResettingSlider(lowest=-PAN_STEPS, highest=PAN_STEPS, usual=round(mix.pan * PAN_STEPS))
        self.pan.setSingleStep(5)
        self.pan.setAccessibleName(f"Pan of {name}")
        self.pan.setToolTip("Left to right; double-click for the place it had at first")
        self._gain_text = QLabel()
        self._pan_text = QLabel()
        for label, widest in ((self._gain_text, gain_text(LOWEST_GAIN_DB)), (self._pan_text, "centre ")):
            label.setMinimumWidth(label.fontMetrics().horizontalAdvance(widest))
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._lay_out()
        self._colour_pan()
        self._show_mix()
        self.solo.toggled.connect(lambda on: self._change(solo=on))
        self.mute.toggled.connect(lambda on: self._change(muted=on))
        self.gain.valueChanged.connect(lambda value: self._change(gain_db=value / GAIN_STEPS_PER_DB))
        self.pan.valueChanged.connect(lambda value: self._change(pan=value / PAN_STEPS))

    @property
    def mix(self) -> ChannelMix:
        """How the speaker is heard."""
        return self._mix

    def set_mix(self, mix: ChannelMix) -> None:
        """Show other values, without a signal."""
        self._mix = mix
        self._show_mix()

    def set_colour(self, colour: str) -> None:
        """Show the colour of another theme."""
        self._mark.colour = colour
        self._mark.update()

    def set_audible(self, audible: bool) -> None:
        """Grey the name out while mute, or the solo of others, silences the speaker."""
        self._name.setEnabled(audible)
        self._name.setAccessibleDescription("" if audible else "silenced")

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "pan"):
            self._colour_pan()

    def _colour_pan(self) -> None:
        # A pan has no amount that a fill from the left could show.
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Highlight, palette.color(QPalette.ColorRole.Mid))
        self.pan.setPalette(palette)

    def _toggle(self, letter: str, name: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setText(letter)
        button.setCheckable(True)
        button.setAccessibleName(name)
        button.setToolTip(tip)
        button.setStyleSheet(TOGGLE_STYLE)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    def _change(self, **values: float | bool) -> None:
        self._mix = replace(self._mix, **values)  # type: ignore[arg-type]
        self._show_texts()
        self.changed.emit()

    def _show_mix(self) -> None:
        mix = self._mix
        for widget in (self.solo, self.mute, self.gain, self.pan):
            widget.blockSignals(True)
        self.solo.setChecked(mix.solo)
        self.mute.setChecked(mix.muted)
        self.gain.setValue(round(mix.gain_db * GAIN_STEPS_PER_DB))
        self.pan.setValue(round(mix.pan * PAN_STEPS))
        for widget in (self.solo, self.mute, self.gain, self.pan):
            widget.blockSignals(False)
        self._show_texts()

    def _show_texts(self) -> None:
        self._gain_text.setText(gain_text(self._mix.gain_db))
        self._pan_text.setText(pan_text(self._mix.pan))

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        unit = self.fontMetrics().height()
        grid.setContentsMargins(unit // 4, unit // 4, unit // 4, unit // 4)
        grid.setHorizontalSpacing(unit // 2)
        grid.setVerticalSpacing(unit // 4)
        grid.addWidget(self._mark, 0, 0, 2, 1)
        grid.addWidget(self._name, 0, 1, 1, 2)
        grid.addWidget(self.solo, 0, 3, Qt.AlignmentFlag.AlignRight)
        grid.addWidget(self.mute, 0, 4, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(self.gain, 1, 1)
        grid.addWidget(self._gain_text, 1, 2)
        grid.addWidget(self.pan, 1, 3)
        grid.addWidget(self._pan_text, 1, 4)
        grid.setColumnStretch(1, 3)
        grid.setColumnStretch(3, 2)
        for before, after in ((self.solo, self.mute), (self.mute, self.gain), (self.gain, self.pan)):
            QWidget.setTabOrder(before, after)
