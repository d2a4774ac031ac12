"""A conversation: speakers' channels on one timeline.

A channel has its own rate and an integer start on the timeline, so members of one session may differ in rate, length
and start (DESIGN, time). The timeline rate is fixed when the conversation is created.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

from annotation.errors import InvalidValueError
from annotation.timebase import HIGHEST_RATE_HZ


@dataclass(frozen=True, slots=True)
class Channel:
    """One channel of one file, and the speaker it carries.

    Parameters
    ----------
    speaker
        The speaker's id, unique in the conversation and fixed once imported: events refer to it.
    path
        The audio file; None in an event log without audio.
    index
        Channel within the file, from 0.
    rate_hz, frames
        The channel's own rate and its own number of frames.
    start_frame
        Where its first sample lies, in timeline frames; not negative.
    name
        What the speaker is called on screen and in exports; empty means the id itself.
    """

    speaker: str
    path: Path | None
    index: int
    rate_hz: int
    frames: int
    start_frame: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        if not self.speaker:
            raise InvalidValueError("A channel needs a speaker.", where=str(self.path or ""))
        if not 1 <= self.rate_hz <= HIGHEST_RATE_HZ:
            raise InvalidValueError(
                f"A rate of {self.rate_hz} Hz cannot be placed on a timeline.", where=str(self.path or "")
            )
        if self.index < 0 or self.frames < 0 or self.start_frame < 0:
            raise InvalidValueError(
                "Index, frames and start of a channel are not negative.", where=str(self.path or "")
            )

    @property
    def display_name(self) -> str:
        """What to call the speaker on screen."""
        return self.name or self.speaker

    def end_frame(self, timeline_rate_hz: int) -> int:
        """Return the timeline frame after the channel's last sample (rounded up, so that no sample is cut)."""
        return self.start_frame + -(-self.frames * timeline_rate_hz // self.rate_hz)


def _no_attributes() -> Mapping[str, str]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Conversation:
    """Channels on one timeline of `rate_hz` frames a second.

    Parameters
    ----------
    id
        Unique in its project.
    channels
        One a speaker, in the order of the lanes.
    attributes
        Text by name (interaction type, split, …), for filtering.
    event_frames
        For event logs without audio: where the last event ends.
    """

    id: str
    rate_hz: int
    channels: tuple[Channel, ...]
    attributes: Mapping[str, str] = field(default_factory=_no_attributes)
    event_frames: int = 0

    def __post_init__(self) -> None:
        if not self.id:
            raise InvalidValueError("A conversation needs an id.")
        speakers = [channel.speaker for channel in self.channels]
        twice = sorted({speaker for speaker in speakers if speakers.count(speaker) > 1})
        if twice:
            raise InvalidValueError(
                f"Speaker “{twice[0]}” has two channels.",
                where=self.id,
                remedy="Name each channel’s speaker differently.",
            )
        if not 1 <= self.rate_hz <= HIGHEST_RATE_HZ:
            raise InvalidValueError(f"A timeline of {self.rate_hz} Hz is not possible.", where=self.id)

    @property
    def frames(self) -> int:
        """Length of the timeline: the end of the longest channel, or of the last event."""
        return max([self.event_frames, *(channel.end_frame(self.rate_hz) for channel in self.channels)], default=0)

    @property
    def duration(self) -> Fraction:
        """Length in seconds, exactly."""
        return Fraction(self.frames, self.rate_hz)

    def channel_of(self, speaker: str) -> Channel:
        """Return the channel of a speaker's id.

        Raises
        ------
        KeyError
            If no channel carries that speaker.
        """
        for channel in self.channels:
            if channel.speaker == speaker:
                return channel
        raise KeyError(speaker)


@dataclass(frozen=True, slots=True)
class SpeakerAssignment:
    """Which audio a speaker's lane plays, and what the speaker is called: one line of the mapping that a user sees."""

    speaker: str
    name: str
    source: int
    """Position, in the conversation as imported, of the channel whose sound this speaker has."""


def assign_speakers(imported: Conversation, assignments: tuple[SpeakerAssignment, ...]) -> Conversation:
    """Return the conversation as imported with its sound dealt to speakers as `assignments` say, in their order.

    Events follow the speaker's id. The inverse is the conversation as imported, which the project keeps.

    Raises
    ------
    InvalidValueError
        If the assignments do not name every speaker and every channel exactly once, or two names are equal.
    """
    speakers = sorted(channel.speaker for channel in imported.channels)
    sources = list(range(len(imported.channels)))
    if sorted(a.speaker for a in assignments) != speakers or sorted(a.source for a in assignments) != sources:
        raise InvalidValueError("A mapping names every speaker and every channel exactly once.", where=imported.id)
    names = [a.name or a.speaker for a in assignments]
    if len(set(names)) < len(names):
        raise InvalidValueError(
            "Two speakers have the same name.", where=imported.id, remedy="Give each a name of its own."
        )
    channels = tuple(replace(imported.channels[a.source], speaker=a.speaker, name=a.name) for a in assignments)
    return replace(imported, channels=channels)
