"""Which boundary of speech an edge moves to: the nearest within a tolerance, or none.

Conventions: integer timeline frames; within includes the limit; of two equally near the earlier. An onset snaps to
onsets of speech and an offset to offsets. Snapping is an aid: whoever uses it records that, and Shift turns it off.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Edge = Literal["onset", "offset"]


def nearest_boundary(frame: int, boundaries: Sequence[int] | NDArray[np.int64], tolerance: int) -> int | None:
    """Return the boundary nearest to a frame, or None if all are further than `tolerance` frames.

    Parameters
    ----------
    boundaries
        Frames in ascending order.
    tolerance
        In frames, the limit included; not negative.
    """
    place = bisect_left(boundaries, frame)
    near = [int(boundaries[at]) for at in (place - 1, place) if 0 <= at < len(boundaries)]
    # `min` returns the first of equals, which is the earlier.
    nearest = min(near, key=lambda boundary: abs(boundary - frame), default=None)
    return nearest if nearest is not None and abs(nearest - frame) <= tolerance else None


def snapped(
    frame: int, edge: Edge, onsets: NDArray[np.int64], offsets: NDArray[np.int64], tolerance: int
) -> int | None:
    """Return where an edge of an event snaps to, or None if no boundary of that kind is within `tolerance` frames.

    Parameters
    ----------
    onsets, offsets
        Spans of speech, each in ascending order, as `SpeechActivity` gives them.
    """
    return nearest_boundary(frame, onsets if edge == "onset" else offsets, tolerance)
