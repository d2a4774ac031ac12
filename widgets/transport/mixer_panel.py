"""All speakers of a conversation and how each is heard."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from widgets.transport.channel_strip import ChannelStrip
from widgets.transport.transport import ChannelMix


class MixerPanel(QWidget):
    """One strip a speaker, in the order of the lanes.

    Parameters
    ----------
    speakers
        Name and colour (``#rrggbb``) of each.
    mix
        How each is heard at first; usually spread from left to right.

    Signals
    -------
    mix_changed(object)
        All channels, a tuple of `ChannelMix`, after each change a person makes.
    """

    mix_changed = Signal(object)

    def __init__(
        self, *, speakers: Sequence[tuple[str, str]], mix: Sequence[ChannelMix], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.strips = tuple(
            ChannelStrip(name=name, colour=colour, mix=channel)
            for (name, colour), channel in zip(speakers, mix, strict=True)
        )
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for strip in self.strips:
            strip.changed.connect(self._on_changed)
            column.addWidget(strip)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidget(inside)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)
        self._show_audible()

    @property
    def mix(self) -> tuple[ChannelMix, ...]:
        """How each speaker is heard."""
        return tuple(strip.mix for strip in self.strips)

    def set_mix(self, mix: Sequence[ChannelMix]) -> None:
        """Show another mix, without a signal."""
        for strip, channel in zip(self.strips, mix, strict=True):
            strip.set_mix(channel)
        self._show_audible()

    def set_colours(self, colours: Sequence[str]) -> None:
        """Show the speakers' colours of another theme."""
        for strip, colour in zip(self.strips, colours, strict=True):
            strip.set_colour(colour)

    def toggle_solo(self, place: int) -> None:
        """Switch the solo of the speaker at `place`, counted from 0."""
        self.strips[place].solo.toggle()

    def toggle_mute(self, place: int) -> None:
        """Switch the mute of the speaker at `place`, counted from 0."""
        self.strips[place].mute.toggle()

    def _on_changed(self) -> None:
        self._show_audible()
        self.mix_changed.emit(self.mix)

    def _show_audible(self) -> None:
        solo = any(strip.mix.solo for strip in self.strips)
        for strip in self.strips:
            strip.set_audible(strip.mix.solo if solo else not strip.mix.muted)
