"""Which frames come next: a stretch of the timeline, once or again and again."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Run(NamedTuple):
    """`length` frames in a row from `first`."""

    first: int
    length: int


@dataclass(frozen=True, slots=True)
class Passage:
    """The stretch ``[onset, offset)`` that is played; looping, its first frame follows on its last."""

    onset: int
    offset: int
    looping: bool = False

    def run_from(self, frame: int, count: int) -> Run:
        """Return the frames to play from `frame` on, `count` at most, up to the next seam; none at the end."""
        if self.looping and frame >= self.offset > self.onset:
            frame = self.onset
        return Run(frame, max(min(count, self.offset - frame), 0))

    def length_from(self, frame: int) -> int | None:
        """Return how many frames there are to play from `frame` on; None where the loop never ends."""
        if self.looping and self.offset > self.onset:
            return None
        return max(self.offset - frame, 0)

    def frame_after(self, frame: int, count: int) -> int:
        """Return the frame that is played `count` frames after `frame`; the offset at the end."""
        return int(self.frames_after(frame, np.array([count]))[0])

    def frames_after(self, frame: int, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the frames that are played so many frames after `frame`, through the seams of a loop."""
        frames = frame + counts
        if self.looping and self.offset > self.onset:
            past = frames - self.offset
            frames = np.where(past >= 0, self.onset + past % (self.offset - self.onset), frames)
        return frames

    def holds(self, frame: int) -> bool:
        """Whether a frame lies in the stretch."""
        return self.onset <= frame < self.offset


def passage_from_bounds(
    onset: int | None, offset: int | None, *, position: int, frames: int, last: Passage, looping: bool
) -> Passage:
    """Return what ``play(onset, offset)`` is to play.

    Without bounds it runs from the position to the end of the timeline, from the start where the position is the end,
    and inside the loop where the position lies in the stretch that is being looped.
    """
    if onset is None and offset is None:
        if looping and last.holds(position):
            return Passage(last.onset, last.offset, True)
        return Passage(position if position < frames else 0, frames, looping)
    first = position if onset is None else min(max(onset, 0), frames)
    last_frame = frames if offset is None else min(max(offset, 0), frames)
    return Passage(first, max(last_frame, first), looping)
