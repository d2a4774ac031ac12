"""A transport whose clock the test moves by hand."""

from dataclasses import dataclass, field

from annotation.circumstances import Circumstances
from widgets.transport.transport import ChannelMix


@dataclass
class Stage:
    """Plays nothing, and remembers what it was asked to play."""

    position: int = 0
    playing: bool = False
    looping: bool = False
    speed: float = 1.0
    played: list[tuple[int | None, int | None]] = field(default_factory=list)

    def play(self, onset: int | None = None, offset: int | None = None) -> None:
        """Run, at the pace of the test."""
        self.playing = True
        self.played.append((onset, offset))

    def pause(self) -> None:
        """Rest."""
        self.playing = False

    def seek(self, frame: int) -> None:
        """Be elsewhere."""
        self.position = frame

    def set_looping(self, looping: bool) -> None:
        """Remember the loop."""
        self.looping = looping

    def set_mix(self, mix: tuple[ChannelMix, ...]) -> None:
        """Hear nothing."""

    def circumstances(self) -> Circumstances:
        """Say that nothing but the speed bears on the times."""
        return Circumstances(playing=self.playing, speed=self.speed)

    def set_speed(self, speed: float) -> None:
        """Remember the speed."""
        self.speed = speed
