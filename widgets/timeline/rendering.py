"""Waveforms as pixels: plain numpy on a picture of 32-bit colours, no paths and no blending.

A waveform column is one run of pixels. Whether a pixel is in its run is one unsigned comparison: ``row − top``, which
wraps around to a large number above the run, against the run's length (PERFORMANCE, way 3).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage

Pixels = NDArray[np.uint32]
Levels = NDArray[np.float32]

FULL_SCALE = np.float32(0.999)


def argb(colour: str) -> np.uint32:
    """Return ``#rrggbb`` as an opaque 32-bit pixel."""
    return np.uint32(0xFF000000 | int(colour[1:], 16))


class Sheet:
    """A picture of 32-bit colours, of which parts are handed to Qt without a copy.

    Qt copies a whole image row by row, and takes three times as long for a part of one.

    Attributes
    ----------
    pixels
        ``(height, width)``, to be written to.
    """

    def __init__(self, height: int, width: int) -> None:
        self.pixels: Pixels = np.zeros((height, width), dtype=np.uint32)
        self._flat = self.pixels.reshape(-1).data

    def window(self, part: QRect) -> QImage:
        """Return a part, not empty, as an image of the same memory: to be used before the sheet goes."""
        width = self.pixels.shape[1]
        flat = self._flat[part.top() * width + part.left() :]
        return QImage(flat, part.width(), part.height(), 4 * width, QImage.Format.Format_RGB32)


def joined(low: Levels, high: Levels) -> tuple[Levels, Levels]:
    """Return minima and maxima stretched to meet the column before, so that the outline has no holes.

    Takes ``(n + 1,)`` levels, the first one belonging to the column left of the picture, and returns ``(n,)``.
    Columns outside the channel stay NaN.
    """
    lower = np.where(np.isnan(low[1:]), low[1:], np.fmin(low[1:], high[:-1]))
    upper = np.where(np.isnan(high[1:]), high[1:], np.fmax(high[1:], low[:-1]))
    return lower, upper


def draw_waveform(
    picture: Pixels,
    low: Levels,
    high: Levels,
    *,
    ink: np.uint32,
    gain: float,
    height: int,
    skip: int = 0,
    thickness: int = 1,
) -> None:
    """Draw an outline on the rows that `picture` shows of it.

    Parameters
    ----------
    picture
        ``(rows, n)``, changed in place.
    low, high
        ``(n,)`` levels from −1 to 1; NaN draws nothing.
    gain
        Factor on the levels; what leaves the height is cut at its border.
    height, skip
        Pixels of the whole outline, and how many of them lie above `picture`.
    thickness
        Pixels that a column is drawn high at least.
    """
    # The comparison needs one value that no row has, so 255 rows are the most that fit in a byte.
    kind = np.uint8 if height <= np.iinfo(np.uint8).max else np.uint16
    half = (height - 1) / 2
    scale = np.float32(gain * half)
    with np.errstate(invalid="ignore"):
        top = np.rint(np.clip(half - high * scale, 0, height - 1))
        bottom = np.rint(np.clip(half - low * scale, 0, height - 1))
    absent = np.isnan(top) | np.isnan(bottom)
    start: NDArray[Any] = np.where(absent, height, top).astype(kind)
    length: NDArray[Any] = np.where(absent, 0, np.clip(bottom - top, thickness - 1, height - 1 - top)).astype(kind)
    rows: NDArray[Any] = np.arange(skip, skip + picture.shape[0]).astype(kind)
    np.copyto(picture, ink, where=(rows[:, None] - start) <= length)


def draw_hatching(picture: Pixels, *, column: int, row: int, period: int, colour: np.uint32) -> None:
    """Draw diagonal lines that scroll with the recording: `column` and `row` are the picture's absolute corner."""
    across = np.arange(column, column + picture.shape[1]) % period
    down = np.arange(row, row + picture.shape[0]) % period
    thickness = max(period // 8, 1)
    np.copyto(picture, colour, where=(across + down[:, None]) % period < thickness)


def draw_clipping(picture: Pixels, low: Levels, high: Levels, *, thickness: int, colour: np.uint32) -> None:
    """Mark the columns that reach full scale, at the border that they reach; `picture` is the whole lane's outline."""
    with np.errstate(invalid="ignore"):
        above, below = high >= FULL_SCALE, low <= -FULL_SCALE
    np.copyto(picture[:thickness], colour, where=above)
    np.copyto(picture[-thickness:], colour, where=below)


def draw_slivers(picture: Pixels, columns: NDArray[np.int64], widths: NDArray[np.int64], colours: Pixels) -> None:
    """Draw events too narrow for a shape as one strip: each at least one column, where they meet the later one on top.

    Parameters
    ----------
    picture
        ``(rows, n)``, changed in place.
    columns, widths, colours
        ``(m,)``: first column, number of columns and colour of each event.
    """
    strip = np.zeros(picture.shape[1], dtype=np.uint32)
    for step in range(max(int(widths.max(initial=1)), 1)):
        reach = columns + step
        inside = ((widths > step) | (step == 0)) & (reach >= 0) & (reach < len(strip))
        strip[reach[inside]] = colours[inside]
    np.copyto(picture, strip, where=strip != 0)


def draw_presence(picture: Pixels, onsets: NDArray[np.int64], offsets: NDArray[np.int64], *, colour: np.uint32) -> None:
    """Draw stretches of columns ``[onset, offset)``, each at least one column, over the whole height.

    `onsets` and `offsets` are ``(m,)``, increasing, and may lie beyond either side.
    """
    width = picture.shape[1]
    first = int(np.searchsorted(np.maximum(offsets, onsets + 1), 0, "right"))
    last = int(np.searchsorted(onsets, width, "left"))
    steps = np.zeros(width + 1, dtype=np.int64)
    begins = np.clip(onsets[first:last], 0, width)
    ends = np.clip(np.maximum(offsets[first:last], onsets[first:last] + 1), 0, width)
    np.add.at(steps, begins, 1)
    np.add.at(steps, ends, -1)
    np.copyto(picture, colour, where=np.cumsum(steps[:width]) > 0)
