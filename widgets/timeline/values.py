"""What the timeline draws: plain values, so that it knows nothing of where they come from.

Adapters in labelling (and later annotate, review, agreement) make these from the domain's objects. All times are
frames of the conversation's timeline.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


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
class EventRow:
    """Events of one source on one speaker's lane, in order of onset; overlapping ones are stacked."""

    id: str
    title: str
    spans: tuple[Span, ...]
    editable: bool = False


@dataclass(frozen=True, slots=True)
class Lane:
    """One speaker: a waveform and the rows of events below it."""

    id: str
    title: str
    subtitle: str
    colour: str
    waveform: Waveform | None
    rows: tuple[EventRow, ...] = ()
    onset: int = 0
    offset: int = 0
    """Where the channel has sound; outside it the lane is hatched."""


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
