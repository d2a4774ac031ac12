"""What lies behind the events: lanes, grid, hatching, waveforms, spectrograms and speech, as one array of pixels.

The array is a ring: column ``c`` of the absolute grid stands at ``c`` modulo the width. So a scroll moves no pixel; it
draws the columns that come into view over those that went out, and the picture is blitted in two pieces.
"""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter

from annotation.audio.spectrogram_tiles import level_for
from widgets.timeline.colour_map import colour_table
from widgets.timeline.layout import LaneBox
from widgets.timeline.levels import LevelStore
from widgets.timeline.rendering import (
    Pixels,
    Sheet,
    argb,
    draw_clipping,
    draw_hatching,
    draw_presence,
    draw_waveform,
    joined,
)
from widgets.timeline.scene import Scene
from widgets.timeline.spectrogram import Drawing, draw_spectrogram
from widgets.timeline.stacking import Frames
from widgets.timeline.viewport import Viewport


@dataclass(frozen=True, slots=True)
class Piece:
    """Columns that lie together both in the view, from its left, and in the ring."""

    view: slice
    ring: slice


class Backdrop:
    """Draws the backdrop, and keeps of it what a scroll leaves as it was.

    Columns lie on an absolute grid, so a scrolled backdrop is the last one moved, and only the columns that come into
    view are asked of the waveforms and drawn.

    Attributes
    ----------
    renders
        How often it was drawn; a moving cursor and an edited event do not draw it.
    columns_drawn
        How many columns of pixels were drawn for that.
    spectrogram_columns_drawn
        How many columns of spectrograms, all lanes together.
    """

    def __init__(self) -> None:
        self.renders = 0
        self.columns_drawn = 0
        self.spectrogram_columns_drawn = 0
        self._sheet = Sheet(0, 0)
        self._last: Scene | None = None
        self._levels = LevelStore()

    @property
    def pixels(self) -> Pixels:
        """The ring, ``(height, width)``: as high as the scene and as wide as its view."""
        return self._sheet.pixels

    def forget(self, lane_id: str | None = None) -> None:
        """Ask the waveform of a lane again at the next drawing; of all lanes where none is named."""
        self._last = None
        self._levels.forget(lane_id)

    def forget_picture(self) -> None:
        """Draw every column at the next drawing, from what the waveforms answered before."""
        self._last = None

    def draw(self, scene: Scene) -> None:
        """Draw the backdrop of a scene, as far as it is not there."""
        self.renders += 1
        width = scene.viewport.width
        if self.pixels.shape != (scene.height, width):
            self._sheet = Sheet(scene.height, width)
            self._last = None
        columns = self._lacking(scene)
        self._last = scene
        self.columns_drawn += columns.stop - columns.start
        grid = scene.grid()
        for _, box in scene.visible_lanes():
            if box.lane.waveform is not None:
                # Asked once for all that lacks, however the ring cuts it.
                self._levels.outline(box.lane.id, box.lane.waveform, scene.viewport, columns)
        for piece in pieces(scene.viewport, columns):
            self._draw_piece(scene, piece, grid)

    def paint(self, painter: QPainter, scene: Scene) -> None:
        """Paint what was drawn last, right of the headers."""
        for piece in pieces(scene.viewport, slice(0, scene.viewport.width)):
            part = QRect(piece.ring.start, 0, piece.ring.stop - piece.ring.start, scene.height)
            painter.drawImage(scene.left + piece.view.start, 0, self._sheet.window(part))

    def _lacking(self, scene: Scene) -> slice:
        """Return the columns of the view that the ring does not hold."""
        width = scene.viewport.width
        by = scene.viewport.column - self._last.viewport.column if self._last else 0
        if self._last is None or not _only_scrolled(self._last, scene) or abs(by) >= width:
            return slice(0, width)
        return slice(width - by, width) if by >= 0 else slice(0, -by)

    def _draw_piece(self, scene: Scene, piece: Piece, grid: Frames) -> None:
        sheet, columns = self.pixels[:, piece.ring], piece.view
        sheet[max(scene.y_of(scene.layout.height), 0) :] = argb(scene.theme.window)
        inside = grid[(grid >= columns.start) & (grid < columns.stop)] - columns.start
        for number, box in scene.visible_lanes():
            self._draw_lane(scene, sheet, box, argb(scene.lane_paper(number, box)), inside, columns)

    def _draw_lane(
        self, scene: Scene, sheet: Pixels, box: LaneBox, paper: np.uint32, grid: Frames, columns: slice
    ) -> None:
        theme, metrics = scene.theme, scene.layout.metrics

        def rows(top: int, bottom: int) -> Pixels:
            first = max(scene.y_of(top), metrics.ruler)
            return sheet[first : max(scene.y_of(bottom), first)]

        below = box.rows[-1].top + box.rows[-1].height if box.rows else box.rows_top
        for top, bottom, colour in (
            (box.top, box.speech_top, paper),
            (box.speech_top, below, argb(theme.event_row)),
            (below, box.bottom, paper),
        ):
            line = np.full(sheet.shape[1], colour, dtype=np.uint32)
            line[grid] = argb(theme.grid)
            rows(top, bottom)[:] = line
        if box.spectrogram_height:
            self._draw_spectrogram(scene, box, rows(box.spectrogram_top, box.speech_top), columns)
        self._hatch(scene, box, rows(box.top, box.speech_top), columns)
        self._draw_outline(scene, box, rows(box.top + metrics.hair, box.spectrogram_top - metrics.hair), columns)
        if box.speech_height:
            inset = box.speech_height // 4
            self._draw_speech(scene, box, rows(box.speech_top + inset, box.rows_top - inset), columns)
        rows(box.bottom - metrics.hair, box.bottom)[:] = argb(theme.separator)

    def _draw_spectrogram(self, scene: Scene, box: LaneBox, strip: Pixels, columns: slice) -> None:
        """Draw what is ready; until then a stretch looks as if it were quiet."""
        assert box.lane.spectrogram is not None
        table = colour_table(scene.theme.spectrogram)
        strip[:] = table[0]
        edges = scene.viewport.edges()[columns.start : columns.stop + 1]
        level = level_for(scene.viewport.frames_per_column)
        if strip.size:
            above = max(scene.layout.metrics.ruler - scene.y_of(box.spectrogram_top), 0)
            self.spectrogram_columns_drawn += strip.shape[1]
            draw_spectrogram(Drawing(strip, box.spectrogram_height, above, table), box.lane.spectrogram, edges, level)

    def _draw_speech(self, scene: Scene, box: LaneBox, strip: Pixels, columns: slice) -> None:
        assert box.lane.speech is not None
        onset, offset = (
            scene.viewport.columns_from_frames(frames) - columns.start
            for frames in (box.lane.speech.onsets, box.lane.speech.offsets)
        )
        draw_presence(strip, onset, offset, colour=argb(scene.theme.speech))

    def _hatch(self, scene: Scene, box: LaneBox, strip: Pixels, columns: slice) -> None:
        lane, viewport = box.lane, scene.viewport
        if lane.onset <= viewport.first and lane.offset >= viewport.last:
            return
        ends = viewport.columns_from_frames(np.array([lane.onset, lane.offset], dtype=np.int64))
        begin, end = (int(column) for column in np.clip(ends, columns.start, columns.stop))
        for first, last in ((columns.start, begin), (end, columns.stop)):
            if first < last:
                draw_hatching(
                    strip[:, first - columns.start : last - columns.start],
                    column=viewport.column + first,
                    row=max(scene.layout.metrics.ruler - scene.y_of(box.top), 0),
                    period=8 * scene.layout.metrics.hair,
                    colour=argb(scene.theme.hatching),
                )

    def _draw_outline(self, scene: Scene, box: LaneBox, strip: Pixels, columns: slice) -> None:
        if box.lane.waveform is None or not strip.size:
            return
        low, high = joined(*self._levels.outline(box.lane.id, box.lane.waveform, scene.viewport, columns))
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


def pieces(viewport: Viewport, columns: slice) -> list[Piece]:
    """Return some columns of a view, cut where the ring closes; none where there are none."""
    width, found = viewport.width, []
    start = columns.start
    while start < columns.stop:
        place = (viewport.column + start) % width
        stop = min(columns.stop, start + width - place)
        found.append(Piece(slice(start, stop), slice(place, place + stop - start)))
        start = stop
    return found


def _same_grid(one: Viewport, other: Viewport) -> bool:
    return (one.scale, one.width) == (other.scale, other.width)


def _only_scrolled(one: Scene, other: Scene) -> bool:
    same = one.layout is other.layout and one.theme is other.theme and _same_grid(one.viewport, other.viewport)
    return same and (one.scroll, one.active_lane, one.gains) == (other.scroll, other.active_lane, other.gains)
