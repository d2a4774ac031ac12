"""What waveforms answered, kept so that a scroll asks for little and rarely.

Columns lie on an absolute grid, so an answer stays right wherever the view goes at the same zoom. What comes into view
is asked for with some columns more in the same direction: one question serves many small steps.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from widgets.timeline.rendering import Levels
from widgets.timeline.values import Waveform
from widgets.timeline.viewport import Viewport

AHEAD = 128
"""Columns asked for beyond those that come into view."""


class Outline(NamedTuple):
    """Minimum and maximum of some columns, ``(n,)`` each."""

    low: Levels
    high: Levels


@dataclass(frozen=True, slots=True)
class _Kept:
    """Levels of the columns ``[first, first + n)`` of the absolute grid at one scale."""

    waveform: Waveform
    scale: int
    first: int
    low: Levels
    high: Levels

    @property
    def stop(self) -> int:
        return self.first + len(self.low)


class LevelStore:
    """Answers of the waveforms by lane."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}

    def forget(self, lane_id: str | None = None) -> None:
        """Ask the waveform of a lane again; of all lanes where none is named."""
        if lane_id is None:
            self._kept.clear()
        else:
            self._kept.pop(lane_id, None)

    def outline(self, lane_id: str, waveform: Waveform, viewport: Viewport, columns: slice) -> Outline:
        """Return the levels of some columns of a view, and of one more on the left: ``(n + 1,)``."""
        first, stop = viewport.column + columns.start - 1, viewport.column + columns.stop
        kept = self._kept.get(lane_id)
        near = kept is not None and kept.first <= stop + AHEAD and first - AHEAD <= kept.stop
        if kept is None or kept.waveform is not waveform or kept.scale != viewport.scale or not near:
            kept = _Kept(waveform, viewport.scale, first, *waveform.columns(viewport.grid_edges(first, stop)))
        else:
            kept = _reaching(kept, viewport, first, stop)
        self._kept[lane_id] = kept
        part = slice(first - kept.first, stop - kept.first)
        return Outline(kept.low[part], kept.high[part])


def _reaching(kept: _Kept, viewport: Viewport, first: int, stop: int) -> _Kept:
    """Return levels that hold the columns ``[first, stop)`` too, and no more than the view's and some around it."""
    if kept.first <= first and stop <= kept.stop:
        return kept
    parts = [(kept.low, kept.high)]
    begin = kept.first
    if first < kept.first:
        begin = first - AHEAD
        parts.insert(0, kept.waveform.columns(viewport.grid_edges(begin, kept.first)))
    if kept.stop < stop:
        parts.append(kept.waveform.columns(viewport.grid_edges(kept.stop, stop + AHEAD)))
    low, high = (np.concatenate(levels) for levels in zip(*parts, strict=True))
    held = slice(
        max(viewport.column - 2 * AHEAD - begin, 0), max(viewport.column + viewport.width + 2 * AHEAD - begin, 0)
    )
    return _Kept(kept.waveform, kept.scale, begin + held.start, low[held], high[held])
