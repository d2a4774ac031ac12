"""What lies behind the events: lanes, grid, hatching and waveforms, as one array of pixels."""

import numpy as np

from widgets.timeline.layout import LaneBox
from widgets.timeline.rendering import (
    Levels,
    Pixels,
    argb,
    draw_clipping,
    draw_hatching,
    draw_waveform,
    joined,
)
from widgets.timeline.scene import Scene
from widgets.timeline.stacking import Frames
from widgets.timeline.values import Lane, Waveform
from widgets.timeline.viewport import Viewport


class Backdrop:
    """Draws the backdrop, and keeps what the waveforms answered for as long as the view stays.

    Attributes
    ----------
    renders
        How often it was drawn; a moving cursor and an edited event do not draw it.
    """

    def __init__(self) -> None:
        self.renders = 0
        self._levels: dict[str, tuple[Waveform, Viewport, Levels, Levels]] = {}

    def forget(self, lane_id: str | None = None) -> None:
        """Ask the waveform of a lane again at the next drawing; of all lanes where none is named."""
        if lane_id is None:
            self._levels.clear()
        else:
            self._levels.pop(lane_id, None)

    def draw(self, scene: Scene, picture: Pixels) -> None:
        """Draw the whole backdrop on a picture of ``(height, width)``."""
        self.renders += 1
        picture[:] = argb(scene.theme.window)
        ticks = np.array([tick.frame for tick in scene.ticks() if tick.label], dtype=np.int64)
        columns = scene.viewport.columns_from_frames(ticks)
        grid = columns[(columns >= 0) & (columns < scene.viewport.width)]
        for number, box in scene.visible_lanes():
            self._draw_lane(scene, picture, box, argb(scene.lane_paper(number, box)), grid)

    def _draw_lane(
        self,
        scene: Scene,
        picture: Pixels,
        box: LaneBox,
        paper: np.uint32,
        grid: Frames,
    ) -> None:
        theme, metrics = scene.theme, scene.layout.metrics
        sheet = picture[:, scene.left : scene.left + scene.viewport.width]

        def rows(top: int, bottom: int) -> Pixels:
            first = max(scene.y_of(top), metrics.ruler)
            return sheet[first : max(scene.y_of(bottom), first)]

        wave_bottom = box.top + box.wave_height
        for top, bottom, colour in (
            (box.top, wave_bottom, paper),
            *((row.top, row.top + row.height, argb(theme.event_row)) for row in box.rows),
            (box.rows[-1].top + box.rows[-1].height if box.rows else wave_bottom, box.bottom, paper),
        ):
            line = np.full(scene.viewport.width, colour, dtype=np.uint32)
            line[grid] = argb(theme.grid)
            rows(top, bottom)[:] = line
        self._hatch(scene, box, rows(box.top, wave_bottom))
        self._draw_outline(scene, box, rows(box.top + metrics.hair, wave_bottom - metrics.hair))
        picture_line = slice(max(scene.y_of(box.bottom) - metrics.hair, metrics.ruler), max(scene.y_of(box.bottom), 0))
        picture[picture_line] = argb(theme.separator)

    def _hatch(self, scene: Scene, box: LaneBox, strip: Pixels) -> None:
        lane, viewport = box.lane, scene.viewport
        ends = viewport.columns_from_frames(np.array([lane.onset, lane.offset], dtype=np.int64))
        begin, end = (int(column) for column in np.clip(ends, 0, viewport.width))
        period = 8 * scene.layout.metrics.hair
        row = max(scene.layout.metrics.ruler - scene.y_of(box.top), 0)
        for first, last in ((0, begin), (end, viewport.width)):
            if first < last:
                draw_hatching(
                    strip[:, first:last],
                    column=viewport.column + first,
                    row=row,
                    period=period,
                    colour=argb(scene.theme.hatching),
                )

    def _draw_outline(self, scene: Scene, box: LaneBox, strip: Pixels) -> None:
        if box.lane.waveform is None or not strip.size:
            return
        low, high = self._levels_of(box.lane, box.lane.waveform, scene.viewport)
        hair = scene.layout.metrics.hair
        height = box.wave_height - 2 * hair
        draw_waveform(
            strip,
            low,
            high,
            ink=argb(box.lane.colour),
            gain=10 ** (scene.gains.get(box.lane.id, 0.0) / 20),
            height=height,
            thickness=hair,
            skip=max(scene.layout.metrics.ruler - scene.y_of(box.top + hair), 0),
        )
        if strip.shape[0] == height:
            draw_clipping(strip, low, high, thickness=3 * hair, colour=argb(scene.theme.clipped))

    def _levels_of(self, lane: Lane, waveform: Waveform, viewport: Viewport) -> tuple[Levels, Levels]:
        kept = self._levels.get(lane.id)
        if kept is not None and kept[0] is waveform and kept[1] == viewport:
            return kept[2], kept[3]
        low, high = joined(*waveform.columns(viewport.edges(before=1)))
        self._levels[lane.id] = (waveform, viewport, low, high)
        return low, high
