"""The sound of a presentation, in clip frames: read whole, so that nothing beyond the clip can be heard.

It uses a narrow connection of its own, which may read where the audio lies and nothing that anybody entered. Nothing of
it reaches the widgets but signals and outlines.
"""

from dataclasses import dataclass
from pathlib import Path

from annotation.audio.cache import AudioCache
from annotation.audio.signal import TimelineSignal
from annotation.audio.waveform import ChannelWaveform
from annotation.cancellation import CancelToken


@dataclass(frozen=True, slots=True, eq=False)
class ClipVoice:
    """One voice's sound; without one, `missing` says why in a sentence."""

    id: str
    signal: TimelineSignal
    waveform: ChannelWaveform | None
    missing: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class ClipSound:
    """The sound of a presentation, voices in the order of its lanes; in memory, so any thread may read it."""

    presentation: str
    rate_hz: int
    frames: int
    voices: tuple[ClipVoice, ...]


class ClipLibrary:
    """Opens the sound of presentations of a project; belongs to one thread."""

    def __init__(self, path: Path, seat: str, cache: AudioCache) -> None:
        raise NotImplementedError

    def sound(self, presentation: str, token: CancelToken | None = None) -> ClipSound:
        """Return the sound of a presentation; of one that was prefetched, at once."""
        raise NotImplementedError

    def prefetch(self, presentation: str, token: CancelToken | None = None) -> None:
        """Read the sound of a presentation that will be wanted soon, and keep it until then."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the connection and forget what was prefetched."""
        raise NotImplementedError
