"""Where everything on the timeline lies, and what is under a point.

All lengths are device pixels, made once from the font's line height and the screen's ratio, so that edges are whole
pixels at every scale. Lanes are laid out from 0 downwards; the view moves them below the ruler and scrolls them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from widgets.timeline.stacking import StackedRow
from widgets.timeline.values import EventRow, Lane, Span
from widgets.timeline.viewport import Viewport

FULL_SUB_ROWS = 3
"""Up to this depth each overlapping event has a full row; beyond it they share the height of so many rows."""


class Area(StrEnum):
    """The parts of the timeline."""

    CORNER = "corner"
    RULER = "ruler"
    HEADER = "header"
    LANE = "lane"
    OUTSIDE = "outside"


class Part(StrEnum):
    """What of an event is under the pointer."""

    ONSET = "onset"
    OFFSET = "offset"
    BODY = "body"


class Layer(StrEnum):
    """What of a lane's sound is under the pointer."""

    WAVEFORM = "waveform"
    SPECTROGRAM = "spectrogram"
    SPEECH = "speech"


@dataclass(frozen=True, slots=True)
class Metrics:
    """Lengths in device pixels."""

    line: int
    pad: int
    header: int
    ruler: int
    row: int
    wave_least: int
    wave_most: int
    spectrogram_least: int
    speech: int
    edge: int
    hair: int

    @classmethod
    def of(cls, line_height: float, ratio: float) -> "Metrics":
        """Return the lengths for a font's line height and a screen, in logical pixels and device pixels per one."""
        line = line_height * ratio
        return cls(
            line=round(line),
            pad=round(line * 0.35),
            header=round(line * 10),
            ruler=round(line * 1.75),
            row=round(line * 1.4),
            wave_least=round(line * 2.6),
            wave_most=round(line * 18),
            spectrogram_least=round(line * 4.5),
            speech=round(line * 0.9),
            edge=round(6 * ratio),
            hair=max(round(ratio), 1),
        )


@dataclass(frozen=True, slots=True)
class RowBox:
    """A row of events on a lane: `top` counts from the first lane's top."""

    stacked: StackedRow
    top: int
    sub_height: int

    @property
    def row(self) -> EventRow:
        """The events."""
        return self.stacked.row

    @property
    def height(self) -> int:
        """Height of all sub-rows."""
        return self.stacked.depth * self.sub_height


@dataclass(frozen=True, slots=True)
class LaneBox:
    """A lane from the top: waveform, spectrogram and speech where they are shown, then rows of events."""

    lane: Lane
    top: int
    height: int
    wave_height: int
    rows: tuple[RowBox, ...]
    spectrogram_height: int = 0
    speech_height: int = 0

    @property
    def bottom(self) -> int:
        """The first pixel below the lane."""
        return self.top + self.height

    @property
    def spectrogram_top(self) -> int:
        """The first pixel below the waveform."""
        return self.top + self.wave_height

    @property
    def speech_top(self) -> int:
        """The first pixel below waveform and spectrogram."""
        return self.spectrogram_top + self.spectrogram_height

    @property
    def rows_top(self) -> int:
        """The first pixel below all that shows sound."""
        return self.speech_top + self.speech_height


@dataclass(frozen=True, slots=True)
class Hit:
    """What is under a point; the fields that do not apply are None."""

    area: Area
    lane: Lane | None = None
    row: EventRow | None = None
    span: Span | None = None
    part: Part | None = None
    layer: Layer | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """All lanes in order, without gaps."""

    metrics: Metrics
    lanes: tuple[LaneBox, ...] = ()

    @property
    def height(self) -> int:
        """Height of all lanes together."""
        return self.lanes[-1].bottom if self.lanes else 0

    def lane_box(self, lane_id: str | None) -> LaneBox | None:
        """Return the lane with that id, or None."""
        return next((box for box in self.lanes if box.lane.id == lane_id), None)

    def lane_at(self, y: int) -> LaneBox | None:
        """Return the lane at a height counted from the first lane's top, or None."""
        return next((box for box in self.lanes if box.top <= y < box.bottom), None)

    def find(self, span_id: str) -> tuple[LaneBox, RowBox, int] | None:
        """Return where an event is drawn: its lane, its row and its index in the row; None if it is nowhere."""
        for box in self.lanes:
            for row_box in box.rows:
                index = row_box.stacked.index_of(span_id)
                if index is not None:
                    return box, row_box, index
        return None

    def hit(self, x: float, y: float, *, viewport: Viewport, scroll: int, selected: str | None = None) -> Hit:
        """Return what is under a point of the widget, in device pixels.

        An edge of an editable event wins over a body; the edge of the selected event wins over the others.
        """
        if y < self.metrics.ruler:
            return Hit(Area.CORNER if x < self.metrics.header else Area.RULER)
        down = int(y) - self.metrics.ruler + scroll
        box = self.lane_at(down)
        if box is None:
            return Hit(Area.OUTSIDE)
        if x < self.metrics.header:
            return Hit(Area.HEADER, box.lane)
        row_box = next((row for row in box.rows if row.top <= down < row.top + row.height), None)
        if row_box is None:
            return Hit(Area.LANE, box.lane, layer=_layer_at(box, down))
        place = (down - row_box.top) // row_box.sub_height
        span, part = self._span_at(row_box, place, x - self.metrics.header, viewport, selected)
        return Hit(Area.LANE, box.lane, row_box.row, span, part)

    def _span_at(
        self, box: RowBox, place: int, x: float, viewport: Viewport, selected: str | None
    ) -> tuple[Span | None, Part | None]:
        reach = self.metrics.edge
        near = box.stacked.touching(viewport.frame_from_x(x - reach), viewport.frame_from_x(x + reach))
        near = near[box.stacked.places[near] == place]
        best: tuple[tuple[bool, bool, float], Span, Part] | None = None
        for index in near[-32:]:
            span = box.row.spans[index]
            for part, distance in self._parts(span, x, viewport):
                rank = (part is not Part.BODY, span.id == selected, -distance)
                if best is None or rank > best[0]:
                    best = (rank, span, part)
        return (best[1], best[2]) if best else (None, None)

    def _parts(self, span: Span, x: float, viewport: Viewport) -> list[tuple[Part, float]]:
        left = viewport.x_from_frame(span.onset)
        right = max(viewport.x_from_frame(span.offset), left + self.metrics.hair)
        parts = []
        if span.editable:
            # A narrow event keeps a third of itself to be taken by its body.
            inner = min(self.metrics.edge, (right - left) / 3)
            parts = [
                (part, abs(x - edge) + 0.5 * (outward > 0))
                for part, edge, outward in ((Part.ONSET, left, left - x), (Part.OFFSET, right, x - right))
                if -inner <= outward <= self.metrics.edge
            ]
        slack = 2 * self.metrics.hair
        if left - slack <= x < right + slack:
            parts.append((Part.BODY, max(left - x, x - right, 0.0)))
        return parts


def lay_out(
    lanes: Sequence[Lane], metrics: Metrics, height: int, *, previous: Layout | None = None, stretch: float = 1.0
) -> Layout:
    """Return the lanes over `height` pixels; where they do not fit they keep their least height and run over.

    Rows that `previous` holds already are not stacked again. `stretch` is a factor on the least and the greatest
    height of what shows sound.
    """
    known = {id(row.row): row.stacked for box in previous.lanes for row in box.rows} if previous else {}
    stacked = [[known.get(id(row)) or StackedRow(row) for row in lane.rows] for lane in lanes]
    heights = [[_sub_height(row, metrics) for row in rows] for rows in stacked]
    speech = [metrics.speech if lane.speech is not None else 0 for lane in lanes]
    used = [
        sum(row.depth * high for row, high in zip(*pair, strict=True)) for pair in zip(stacked, heights, strict=True)
    ]
    least = [round(stretch * _least_sound(lane, metrics)) for lane in lanes]
    spare = (height - sum(used) - sum(speech) - sum(least)) // max(len(lanes), 1) - metrics.pad
    boxes: list[LaneBox] = []
    top = 0
    for place, lane in enumerate(lanes):
        sound = max(min(least[place] + spare, round(stretch * metrics.wave_most)), least[place])
        picture = _spectrogram_height(lane, sound, metrics)
        row_boxes = []
        down = top + sound + speech[place]
        for row, high in zip(stacked[place], heights[place], strict=True):
            row_boxes.append(RowBox(row, down, high))
            down += row.depth * high
        total = down - top + metrics.pad
        boxes.append(LaneBox(lane, top, total, sound - picture, tuple(row_boxes), picture, speech[place]))
        top = boxes[-1].bottom
    return Layout(metrics, tuple(boxes))


def _least_sound(lane: Lane, metrics: Metrics) -> int:
    return metrics.wave_least + (metrics.spectrogram_least if lane.spectrogram is not None else 0)


def _spectrogram_height(lane: Lane, sound: int, metrics: Metrics) -> int:
    """Return how much of the height for sound is the spectrogram's: as much as at the least height."""
    if lane.spectrogram is None:
        return 0
    return sound * metrics.spectrogram_least // (metrics.spectrogram_least + metrics.wave_least)


def _layer_at(box: LaneBox, down: int) -> Layer | None:
    if down < box.spectrogram_top:
        return Layer.WAVEFORM
    if down < box.speech_top:
        return Layer.SPECTROGRAM
    return Layer.SPEECH if down < box.rows_top else None


def _sub_height(row: StackedRow, metrics: Metrics) -> int:
    if row.depth <= FULL_SUB_ROWS:
        return metrics.row
    return max(FULL_SUB_ROWS * metrics.row // row.depth, metrics.row // 3)
