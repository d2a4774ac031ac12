"""Which frames are on screen, and where each pixel column begins.

Columns lie on one absolute grid: column ``k`` holds the frames ``[k · scale // GRAIN, (k + 1) · scale // GRAIN)``
whatever part of it is visible. Scrolling moves by whole columns, so a column shows the same samples wherever it
stands and nothing shimmers. All of it is integer arithmetic. Columns are device pixels.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

GRAIN = 1 << 16
"""Fractions of a frame in which `Viewport.scale` counts."""

FINEST_SCALE = GRAIN // 8
"""One frame over eight columns."""


@dataclass(frozen=True, slots=True)
class Viewport:
    """The visible part of a recording; make one with `whole` and derive the others from it.

    Parameters
    ----------
    frames
        Length of the recording.
    width
        Pixel columns, at least 1.
    scale
        Frames a column, in 1/`GRAIN` of a frame.
    column
        The first visible column on the absolute grid.
    """

    frames: int
    width: int
    scale: int
    column: int

    @classmethod
    def whole(cls, frames: int, width: int) -> "Viewport":
        """Return the view of the whole recording with a small margin at both ends."""
        width = max(width, 1)
        scale = max(-(-max(frames, 1) * GRAIN // max(width - 2 * _margin(width), 1)), FINEST_SCALE)
        return cls(frames, width, scale, -_margin(width))

    @property
    def first(self) -> int:
        """The first visible frame; negative in the margin before the recording."""
        return self.column * self.scale // GRAIN

    @property
    def last(self) -> int:
        """The frame after the last visible one."""
        return (self.column + self.width) * self.scale // GRAIN

    @property
    def frames_per_column(self) -> float:
        """Frames a pixel column stands for."""
        return self.scale / GRAIN

    def edges(self) -> NDArray[np.int64]:
        """Return where the visible columns begin and the last ends: ``(width + 1,)`` frames."""
        return self.grid_edges(self.column, self.column + self.width)

    def grid_edges(self, first: int, stop: int) -> NDArray[np.int64]:
        """Return where the columns ``[first, stop)`` of the absolute grid begin and the last ends, in frames."""
        return np.arange(first, stop + 1, dtype=np.int64) * self.scale // GRAIN

    def x_from_frame(self, frame: int) -> float:
        """Return where a frame begins, in columns from the left of the view."""
        return (frame * GRAIN - self.column * self.scale) / self.scale

    def columns_from_frames(self, frames: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the visible column, from the left, in which each frame begins; beyond either side too."""
        return (frames * GRAIN - self.column * self.scale) // self.scale

    def frame_from_x(self, x: float) -> int:
        """Return the frame whose beginning is nearest to a place, in columns from the left."""
        return (self.column * self.scale + round(x * self.scale) + GRAIN // 2) // GRAIN

    def contains(self, frame: int) -> bool:
        """Return whether a frame is visible."""
        return self.first <= frame < self.last

    def panned(self, columns: int) -> "Viewport":
        """Return the view moved by whole columns, as far as the recording goes."""
        return self._placed(self.scale, self.column + columns)

    def zoomed(self, factor: float, x: float) -> "Viewport":
        """Return the view with `factor` times the detail, the frame at `x` kept in place."""
        scale = self._clamped(round(self.scale / factor))
        held = self.column * self.scale + round(x * self.scale)
        return self._placed(scale, round((held - x * scale) / scale))

    def ranged(self, onset: int, offset: int) -> "Viewport":
        """Return the closest view that holds all of ``[onset, offset)``."""
        scale = self._clamped(-(-max(offset - onset, 1) * GRAIN // max(self.width - 1, 1)))
        spare = self.width - -(-(offset - onset) * GRAIN // scale)
        return self._placed(scale, onset * GRAIN // scale - max(spare, 0) // 2)

    def starting_at(self, frame: int, x: float) -> "Viewport":
        """Return the view at this zoom with `frame` at `x` columns from the left, as far as the recording goes."""
        return self._placed(self.scale, round((frame * GRAIN - x * self.scale) / self.scale))

    def resized(self, width: int) -> "Viewport":
        """Return the same range on another width; a view of the whole stays one."""
        width = max(width, 1)
        if self == Viewport.whole(self.frames, self.width):
            return Viewport.whole(self.frames, width)
        wider = replace(self, width=width)
        scale = wider._clamped(round(self.scale * self.width / width))
        return wider._placed(scale, round(self.column * self.scale / scale))

    def _clamped(self, scale: int) -> int:
        return min(max(scale, FINEST_SCALE), Viewport.whole(self.frames, self.width).scale)

    def _placed(self, scale: int, column: int) -> "Viewport":
        margin = _margin(self.width)
        furthest = -(-self.frames * GRAIN // scale) + margin - self.width
        return replace(self, scale=scale, column=max(min(column, furthest), -margin))


def _margin(width: int) -> int:
    return min(max(width // 100, 4), width // 4)
