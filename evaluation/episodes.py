"""Speech of an agent: raw segments, and the episodes that protocols count.

Conventions
-----------
Frames of the trial's timeline, half-open: speaking at t means onset < t < offset, so an onset at t is fresh and an
offset at t is silence.

Decisions
---------
A raw segment of at least 120 ms opens an episode. Any later segment, however short, at a gap under 800 ms extends it;
exactly 800 ms does not. Shorter segments alone are no episode. The same rules hold while a trial runs and when it is
scored, so that scheduler and scorer agree.

Duplex-MPE App. A3.1, A4.1; MultiPartyTurnBench §5
"""

from collections.abc import Iterable
from dataclasses import dataclass

from annotation.errors import InvalidValueError

LEAST_SPEECH_MS = 120
PAUSE_MS = 800

Span = tuple[int, int]
"""Half-open ``(onset, offset)`` in frames."""


@dataclass(frozen=True, slots=True)
class EpisodeRule:
    """The two durations in frames of one rate."""

    least_speech: int
    pause: int

    @classmethod
    def at(cls, rate_hz: int) -> "EpisodeRule":
        """Return the published durations at a rate, each the smallest whole number of frames that reaches it."""
        if rate_hz < 1:
            raise InvalidValueError(f"{rate_hz} Hz is no rate.")
        return cls(-(-LEAST_SPEECH_MS * rate_hz // 1000), -(-PAUSE_MS * rate_hz // 1000))


@dataclass(frozen=True, slots=True)
class Episode:
    """Speech that counts as one; `offset` is None while it may still be going on."""

    onset: int
    offset: int | None

    def holds(self, frame: int) -> bool:
        """Return whether the agent speaks at a frame: strictly between onset and offset."""
        return self.onset < frame and (self.offset is None or frame < self.offset)


@dataclass(frozen=True, slots=True)
class HeardSpeech:
    """What is known of an agent's speech at one moment, and nothing later.

    Parameters
    ----------
    known
        Everything before this frame is known.
    episodes
        In order. The last one has no offset while its last segment has none.
    pending
        Onset of a segment that has begun and is not long enough yet to open an episode.
    """

    known: int
    episodes: tuple[Episode, ...] = ()
    pending: int | None = None

    def speaking_at(self, frame: int) -> bool:
        """Return whether an episode, as far as it is known, covers a frame."""
        return any(episode.holds(frame) for episode in self.episodes)


class SpeechTracker:
    """Turns segments into episodes as they come; times only ever grow."""

    def __init__(self, rule: EpisodeRule) -> None:
        self._rule = rule
        self._segments: list[Span] = []
        self._closed: list[Span] = []
        self._open: int | None = None
        self._known = 0

    @property
    def spans(self) -> tuple[Span, ...]:
        """The episodes whose offset is known, merged as far as it is known."""
        return tuple(self._closed)

    @property
    def segments(self) -> tuple[Span, ...]:
        """All closed segments, however short."""
        return tuple(self._segments)

    def begin(self, onset: int) -> None:
        """Take the onset of a segment."""
        self._open = onset

    def end(self, offset: int) -> None:
        """Take the offset of the segment that is open."""
        assert self._open is not None
        onset, self._open = self._open, None
        self._segments.append((onset, offset))
        if self._extends(onset):
            self._closed[-1] = (self._closed[-1][0], offset)
        elif offset - onset >= self._rule.least_speech:
            self._closed.append((onset, offset))

    def know(self, until: int) -> None:
        """Take that everything before a frame is known now."""
        self._known = until

    def finish(self, frames: int) -> None:
        """End the stream: what is open ends with it."""
        self._known = frames
        if self._open is not None:
            self.end(frames)

    def heard(self) -> HeardSpeech:
        """Return what is known now."""
        episodes = [Episode(*span) for span in self._closed]
        if self._open is None:
            return HeardSpeech(self._known, tuple(episodes))
        if self._extends(self._open):
            episodes[-1] = Episode(self._closed[-1][0], None)
        elif self._known - self._open >= self._rule.least_speech:
            episodes.append(Episode(self._open, None))
        else:
            return HeardSpeech(self._known, tuple(episodes), self._open)
        return HeardSpeech(self._known, tuple(episodes))

    def _extends(self, onset: int) -> bool:
        return bool(self._closed) and onset - self._closed[-1][1] < self._rule.pause


def merged_episodes(segments: Iterable[Span], rule: EpisodeRule) -> tuple[Span, ...]:
    """Return the episodes of raw segments in time order.

    Raises
    ------
    InvalidValueError
        If a segment is empty, or begins before the one before it has ended.
    """
    tracker = SpeechTracker(rule)
    last = 0
    for onset, offset in segments:
        if not last <= onset < offset:
            raise InvalidValueError(f"The speech segment {onset}–{offset} is empty, or not after the one before it.")
        tracker.begin(onset)
        tracker.end(offset)
        last = offset
    return tracker.spans
