"""Events of one row that overlap, laid one below the other, and which of them are visible."""

from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from widgets.timeline.values import EventRow

Frames = NDArray[np.int64]


def stack(onsets: Frames, offsets: Frames) -> NDArray[np.int64]:
    """Return the sub-row of each span, from 0, so that no two in one sub-row overlap.

    Each span takes the highest sub-row that is free at its onset: the fewest sub-rows that do, and a later span never
    moves an earlier one. A span of no length takes one frame.

    Parameters
    ----------
    onsets, offsets
        ``(n,)`` frames, onsets not decreasing.
    """
    rows = np.zeros(len(onsets), dtype=np.int64)
    busy: list[tuple[int, int]] = []
    free: list[int] = []
    depth = 0
    for place, (onset, offset) in enumerate(zip(onsets.tolist(), offsets.tolist(), strict=True)):
        while busy and busy[0][0] <= onset:
            heappush(free, heappop(busy)[1])
        if not free:
            heappush(free, depth)
            depth += 1
        row = heappop(free)
        rows[place] = row
        heappush(busy, (max(offset, onset + 1), row))
    return rows


class StackedRow:
    """A row of events as arrays, ready for two binary searches a frame.

    Attributes
    ----------
    onsets, offsets, places
        ``(n,)``: frames, and the sub-row of each span.
    depth
        Number of sub-rows, at least 1.
    """

    def __init__(self, row: EventRow) -> None:
        self.row = row
        self.onsets = np.fromiter((span.onset for span in row.spans), np.int64, len(row.spans))
        self.offsets = np.fromiter((span.offset for span in row.spans), np.int64, len(row.spans))
        self.places = stack(self.onsets, self.offsets)
        self.depth = int(self.places.max()) + 1 if len(row.spans) else 1
        self.colours = np.fromiter((0xFF000000 | int(span.colour[1:], 16) for span in row.spans), np.uint32)
        # Of spans with one id the first counts.
        self._numbers = {span.id: number for number, span in reversed(tuple(enumerate(row.spans)))}
        # Offsets are not sorted; the furthest so far is, and it bounds the first span that can be visible.
        self._reach = np.maximum.accumulate(self.offsets) if len(row.spans) else self.offsets

    def index_of(self, span_id: str) -> int | None:
        """Return the number of a span in the row, or None."""
        return self._numbers.get(span_id)

    def touching(self, first: int, last: int) -> NDArray[np.int64]:
        """Return the indices of the spans that touch the frames ``[first, last]``, in order of onset."""
        start = int(np.searchsorted(self._reach, first, "left"))
        stop = int(np.searchsorted(self.onsets, last, "right"))
        indices = np.arange(start, max(stop, start), dtype=np.int64)
        return indices[self.offsets[start:stop] >= first] if stop > start else indices
