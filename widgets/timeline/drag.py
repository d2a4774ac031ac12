"""A drag from press to release, as plain values: what it holds and what it would change.

A drag owns what it took hold of until it ends. It begins only once the pointer has left the place of the press by the
threshold, so that a shaky click or double-click moves nothing (FIELD, H6), and it counts from the press, so that taking
hold of an edge beside its middle does not make it jump.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from annotation.audio.snapping import snapped
from widgets.timeline.layout import Part
from widgets.timeline.values import Span, Speech

THRESHOLD = 4
"""Logical pixels across that a press must travel to be a drag."""


class Grip(StrEnum):
    """What a drag moves."""

    ONSET = "onset"
    OFFSET = "offset"
    BODY = "body"
    RANGE = "range"


@dataclass(frozen=True, slots=True)
class Pull:
    """Draws an edge that is dragged near a boundary of speech onto it: an onset to onsets, an offset to offsets.

    Parameters
    ----------
    tolerance
        How near, in frames, the limit included.
    """

    speech: Speech
    tolerance: int

    def target(self, grip: Grip, frame: int) -> int | None:
        """Return where an edge at `frame` is drawn to; None where no boundary is near, and for all but edges."""
        if grip is Grip.ONSET:
            return snapped(frame, "onset", self.speech.onsets, self.speech.offsets, self.tolerance)
        if grip is Grip.OFFSET:
            return snapped(frame, "offset", self.speech.onsets, self.speech.offsets, self.tolerance)
        return None


@dataclass(frozen=True, slots=True)
class Drag:
    """A press, and what has become of it.

    Parameters
    ----------
    x
        Where it was pressed, in logical pixels.
    frame
        The frame there.
    onset, offset
        The event or range as it would be if the drag ended now.
    begun
        Whether the threshold has been passed.
    snapped_to
        The name of what its edge was drawn to, empty where it lies where the pointer put it.
    """

    grip: Grip
    x: float
    frame: int
    onset: int
    offset: int
    lane_id: str | None = None
    span: Span | None = None
    begun: bool = False
    snapped_to: str = ""

    @classmethod
    def on_span(cls, span: Span, part: Part, *, x: float, frame: int, lane_id: str) -> "Drag":
        """Return a press on a part of an event."""
        return cls(Grip(part.value), x, frame, span.onset, span.offset, lane_id, span)

    @classmethod
    def on_range(cls, *, x: float, frame: int, lane_id: str | None, span: Span | None = None) -> "Drag":
        """Return a press that would select a range; `span` is the event under it, which it leaves as it is."""
        return cls(Grip.RANGE, x, frame, frame, frame, lane_id, span)

    @property
    def edits(self) -> bool:
        """Whether ending it now changes an event."""
        if not self.begun or self.span is None or self.grip is Grip.RANGE:
            return False
        return (self.onset, self.offset) != (self.span.onset, self.span.offset)

    def moved(self, x: float, frame: int, *, frames: int, pull: Pull | None = None) -> "Drag":
        """Return the drag with the pointer at `x` and `frame`, in a recording of so many frames.

        The preview stays inside the recording, and an event keeps one frame at least; a boundary that would not leave
        it that draws nothing.
        """
        if not self.begun and abs(x - self.x) < THRESHOLD:
            return self
        onset, offset = self._bounds(frame, frames)
        moved = replace(self, begun=True, onset=onset, offset=offset, snapped_to="")
        target = pull.target(self.grip, onset if self.grip is Grip.ONSET else offset) if pull else None
        if pull is None or target is None:
            return moved
        if self.grip is Grip.ONSET and 0 <= target < offset:
            return replace(moved, onset=target, snapped_to=pull.speech.name)
        if self.grip is Grip.OFFSET and onset < target <= frames:
            return replace(moved, offset=target, snapped_to=pull.speech.name)
        return moved

    def _bounds(self, frame: int, frames: int) -> tuple[int, int]:
        if self.span is None or self.grip is Grip.RANGE:
            inside = sorted((_between(self.frame, 0, frames), _between(frame, 0, frames)))
            return inside[0], inside[1]
        onset, offset = self.span.onset, self.span.offset
        # An event that stands past the end as a file wrote it keeps its place until its own edge is moved inside.
        frames = max(frames, offset)
        by = frame - self.frame
        if self.grip is Grip.ONSET:
            return _between(onset + by, 0, offset - 1), offset
        if self.grip is Grip.OFFSET:
            return onset, _between(offset + by, onset + 1, frames)
        by = _between(by, -onset, frames - offset)
        return onset + by, offset + by


def _between(value: int, least: int, most: int) -> int:
    return min(max(value, least), max(most, least))
