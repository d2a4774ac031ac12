"""Which stretch of a conversation a presentation plays, and where its cue lies.

Decisions (PROTOCOLS §1, blindness): the cue covers the event with each edge moved outward by U(0.2, 1.0) s, drawn anew
for each presentation; the clip reaches the context plus U(0, 1) s beyond the cue. Where the recording ends sooner, the
clip ends up to a second inside it, so that neither edge of a clip tells whether it was met before. No two clips of one
annotator have the same length.

References: MultiPartyTurnBench App. A.1 (10 s of surrounding context).
"""

from collections.abc import Container
from dataclasses import dataclass
from random import Random

from annotation.errors import InvalidValueError

NARROWEST_MARGIN_S = 0.2
WIDEST_MARGIN_S = 1.0
WIDEST_JITTER_S = 1.0
_DRAWS = 200


@dataclass(frozen=True, slots=True)
class Clip:
    """A stretch ``[onset, offset)`` of a conversation and the cue in it, all in frames of the conversation."""

    onset: int
    offset: int
    cue_onset: int
    cue_offset: int

    @property
    def frames(self) -> int:
        """Length of the clip."""
        return self.offset - self.onset


def draw_clip(
    onset: int,
    offset: int,
    *,
    frames: int,
    rate_hz: int,
    context_s: float,
    chance: Random,
    lengths_taken: Container[int] = (),
) -> Clip:
    """Return a clip around the event ``[onset, offset)`` of a conversation of `frames` frames.

    Parameters
    ----------
    context_s
        Seconds on each side of the cue at least, where the recording has them.
    lengths_taken
        Lengths in frames that the clip must not have.

    Raises
    ------
    InvalidValueError
        If the event is not inside the conversation, or every length that could be drawn is taken.
    """
    if not 0 <= onset <= offset <= frames or frames == 0:
        raise InvalidValueError(f"An event from frame {onset} to {offset} is not inside {frames} frames.")
    for _ in range(_DRAWS):
        clip = _drawn(onset, offset, frames, rate_hz, context_s, chance)
        if clip.frames not in lengths_taken:
            return clip
    raise InvalidValueError(
        "No clip of a length of its own is left to draw.",
        remedy="Longer conversations or fewer items in each keep presentations apart.",
    )


def _drawn(onset: int, offset: int, frames: int, rate_hz: int, context_s: float, chance: Random) -> Clip:
    cue_onset = max(0, onset - _frames(chance.uniform(NARROWEST_MARGIN_S, WIDEST_MARGIN_S), rate_hz))
    cue_offset = min(frames, offset + _frames(chance.uniform(NARROWEST_MARGIN_S, WIDEST_MARGIN_S), rate_hz))
    before = _reach(cue_onset, rate_hz, context_s, chance)
    after = _reach(frames - cue_offset, rate_hz, context_s, chance)
    return Clip(cue_onset - before, cue_offset + after, cue_onset, cue_offset)


def _reach(room: int, rate_hz: int, context_s: float, chance: Random) -> int:
    """Return how far a clip goes beyond its cue, of the `room` frames that there are."""
    jitter = _frames(chance.uniform(0, WIDEST_JITTER_S), rate_hz)
    wanted = _frames(context_s, rate_hz) + jitter
    return wanted if wanted <= room else max(0, room - jitter)


def _frames(seconds: float, rate_hz: int) -> int:
    return round(seconds * rate_hz)
