"""What the timeline draws: plain values, so that it knows nothing of where they come from.

Adapters in labelling (and later annotate, review, agreement) make these from the domain's objects. All times are
frames of the conversation's timeline.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from annotation.audio.spectrogram_tiles import TilePlace


class Waveform(Protocol):
    """The outline of one channel, answered per pixel column."""

    @property
    def provisional(self) -> bool:
        """Whether a finer outline is still being computed."""
        ...

    def columns(self, edges: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return minimum and maximum, each ``(n,)`` in −1 to 1, of the samples in ``[edges[i], edges[i + 1])``.

        `edges` is ``(n + 1,)`` timeline frames, not decreasing. Columns without a sample of their own (zoomed in, or
        outside the channel) hold the value of the sample they read, or NaN outside the channel.
        """
        ...


class Spectrogram(Protocol):
    """How strong each band of one channel is over time, in tiles that are computed when wanted."""

    @property
    def highest_hz(self) -> float:
        """The upper end of the highest band; the lowest band begins at 0 Hz."""
        ...

    def tile(self, tile: TilePlace) -> NDArray[np.uint8] | None:
        """Return the bands of a tile, ``(256, bands)``, lowest first, 0 quiet to 255 loud; None if not ready.

        Called while a frame is drawn: it must not compute.
        """
        ...

    def want(self, tiles: Sequence[TilePlace]) -> None:
        """Compute these, in this order, instead of what was wanted before and has not begun.

        Who computes them says so by `TimelineCanvas.refresh_spectrogram`.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Speech:
    """Where a model hears speech on a lane; without stretches while that is computed.

    Parameters
    ----------
    onsets, offsets
        ``(n,)`` timeline frames, increasing: stretches ``[onset, offset)`` that do not meet.
    name
        What a step that was drawn to one of the boundaries is recorded with, such as ``speech silero-6.2.3``.
    title
        Written beside the strip.
    tip
        What it is, in words.
    """

    onsets: NDArray[np.int64]
    offsets: NDArray[np.int64]
    name: str
    title: str
    tip: str


@dataclass(frozen=True, slots=True)
class Span:
    """One event as drawn: half-open ``[onset, offset)`` on a lane, told apart by colour and letter."""

    id: str
    onset: int
    offset: int
    label: str
    letter: str
    colour: str
    """``#rrggbb``, right for the theme in force."""
    editable: bool = False
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch ``[onset, offset)`` of a lane that is shaded and cannot be taken hold of; an empty one is a line."""

    onset: int
    offset: int
    label: str
    colour: str
    """``#rrggbb``, right for the theme in force."""


@dataclass(frozen=True, slots=True)
class EventRow:
    """Events of one source on one speaker's lane, in order of onset; overlapping ones are stacked."""

    id: str
    title: str
    spans: tuple[Span, ...]
    editable: bool = False


@dataclass(frozen=True, slots=True)
class Lane:
    """One speaker: a waveform, what was asked for below it, and the rows of events."""

    id: str
    title: str
    subtitle: str
    colour: str
    waveform: Waveform | None
    rows: tuple[EventRow, ...] = ()
    onset: int = 0
    offset: int = 0
    """Where the channel has sound; outside it the lane is hatched."""
    spectrogram: Spectrogram | None = None
    """Drawn below the waveform."""
    speech: Speech | None = None
    """Drawn as a strip above the events, whose edges can be drawn to its boundaries."""
    bands: tuple[Band, ...] = ()
    """Shaded over the waveform."""


@dataclass(frozen=True, slots=True)
class TimelineContent:
    """All that one timeline shows."""

    rate_hz: int
    frames: int
    lanes: tuple[Lane, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """A selected stretch of the timeline, ``[onset, offset)``: on one lane, or on all of them (None)."""

    onset: int
    offset: int
    lane_id: str | None = None
