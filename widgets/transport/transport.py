"""What the transport bar and the workspaces need of whatever plays: defined by the users of it."""

from dataclasses import dataclass
from typing import Protocol

from annotation.circumstances import Circumstances


@dataclass(frozen=True, slots=True)
class ChannelMix:
    """How one channel is heard: gain in decibels, pan from −1 (left) to 1 (right)."""

    gain_db: float = 0.0
    pan: float = 0.0
    muted: bool = False
    solo: bool = False


class Transport(Protocol):
    """A player of one conversation; frames are timeline frames."""

    @property
    def playing(self) -> bool:
        """Whether it runs."""
        ...

    @property
    def position(self) -> int:
        """The frame that is heard now: the device's clock minus its output latency."""
        ...

    @property
    def looping(self) -> bool:
        """Whether the range played last starts again at its end."""
        ...

    @property
    def speed(self) -> float:
        """How fast it plays, 0.5 to 2, with the pitch kept."""
        ...

    def circumstances(self) -> Circumstances:
        """Return how sound is heard now: whether it plays, how fast, on what, and which delay is taken off."""
        ...

    def set_speed(self, speed: float) -> None:
        """Play faster or slower from now on, while playing too.

        Raises
        ------
        InvalidValueError
            If it is outside 0.5 to 2.
        """
        ...

    def play(self, onset: int | None = None, offset: int | None = None) -> None:
        """Play ``[onset, offset)``; from the position, or to the end, where a bound is None."""
        ...

    def pause(self) -> None:
        """Stop and keep the position."""
        ...

    def seek(self, frame: int) -> None:
        """Move the position; goes on playing if it was."""
        ...

    def set_looping(self, looping: bool) -> None:
        """Turn the loop on or off, while playing too."""
        ...

    def set_mix(self, mix: tuple[ChannelMix, ...]) -> None:
        """Set how each channel is heard, in the order of the lanes; heard within about a tenth of a second."""
        ...
