"""All that one frame of the timeline is made from, as one value."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from widgets.theme import Theme
from widgets.timeline.layout import LaneBox, Layout
from widgets.timeline.lettering import Lettering
from widgets.timeline.ticks import Tick, ruler_ticks
from widgets.timeline.values import TimelineContent
from widgets.timeline.viewport import Viewport


@dataclass(frozen=True, slots=True)
class Scene:
    """A frame to be drawn; lengths are device pixels.

    Parameters
    ----------
    width, height
        Size of the picture.
    scroll
        How far the lanes are moved up.
    gains
        Decibels by lane; a lane that is not there has 0.
    """

    content: TimelineContent
    layout: Layout
    viewport: Viewport
    theme: Theme
    lettering: Lettering
    width: int
    height: int
    scroll: int = 0
    active_lane: str | None = None
    selected: str | None = None
    gains: Mapping[str, float] = field(default_factory=dict)

    @property
    def left(self) -> int:
        """Where the first column of the recording stands."""
        return self.layout.metrics.header

    def y_of(self, down: int) -> int:
        """Return where a height, counted from the first lane's top, stands on the picture."""
        return self.layout.metrics.ruler + down - self.scroll

    def visible_lanes(self) -> list[tuple[int, LaneBox]]:
        """Return the lanes of which something shows, each with its number from 0."""
        floor = self.layout.metrics.ruler
        boxes = enumerate(self.layout.lanes)
        return [(n, box) for n, box in boxes if self.y_of(box.bottom) > floor and self.y_of(box.top) < self.height]

    def lane_paper(self, number: int, box: LaneBox) -> str:
        """Return the colour that a lane is drawn on."""
        if box.lane.id == self.active_lane:
            return self.theme.lane_active
        return self.theme.lane_alternate if number % 2 else self.theme.lane

    def ticks(self) -> tuple[Tick, ...]:
        """Return the ticks of the ruler; one may begin in the last column and after the last whole frame."""
        label = self.lettering.width("0:00:00.000", self.lettering.small) + self.layout.metrics.pad * 6
        return ruler_ticks(
            self.viewport.first,
            self.viewport.last + 1,
            rate_hz=self.content.rate_hz,
            spacing=label * self.viewport.frames_per_column,
        )

    def grid(self) -> NDArray[np.int64]:
        """Return the visible columns of the labelled ticks."""
        frames = np.array([tick.frame for tick in self.ticks() if tick.label], dtype=np.int64)
        columns = self.viewport.columns_from_frames(frames)
        return columns[(columns >= 0) & (columns < self.viewport.width)]
