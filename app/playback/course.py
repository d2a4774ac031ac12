"""What the worker renders next: the frames of a passage one after the other, at the speed that was chosen.

At speed 1 a course is the mix itself, bit by bit. At another speed it is the mix laid out anew by cuts that the sum of
all channels decides (`annotation.audio.stretch`): cutting is linear, so that cutting the mix is cutting every channel
at the same places. The unrolled loop is what is laid out, so that its seam is a frame like any other.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from annotation.audio.mixing import GuidedMix
from annotation.audio.stretch import Material, Stretcher
from app.playback.passage import Passage
from widgets.transport.transport import ChannelMix


class Renderer(Protocol):
    """Mixes the channels of one conversation."""

    def render(self, first: int, count: int, mix: tuple[ChannelMix, ...], /) -> NDArray[np.float32]:
        """Return the stereo mix of ``[first, first + count)``, float32, ``(count, 2)``."""
        ...


@runtime_checkable
class GuidedRenderer(Protocol):
    """A renderer that gives the sum of all channels as well, whoever is muted."""

    def render_guided(self, first: int, count: int, mix: tuple[ChannelMix, ...], /) -> GuidedMix:
        """Return the stereo mix of ``[first, first + count)`` and the sum of all channels."""
        ...


class Rendered(NamedTuple):
    """Samples, ``(count, 2)`` float32, and the timeline frame heard in each, ``(count,)`` int64."""

    samples: NDArray[np.float32]
    frames: NDArray[np.int64]


NOTHING = Rendered(np.zeros((0, 2), np.float32), np.zeros(0, np.int64))


class Course(Protocol):
    """Renders what follows, and goes on from there."""

    @property
    def joint(self) -> int:
        """At the multiples of so many frames given, what was heard last is one place of the source and no fade."""
        ...

    def take(self, count: int) -> Rendered:
        """Return what follows, about `count` frames; none at the end of the passage."""
        ...

    def again(self, sound: "Sound", given: int) -> "Course":
        """Return the course as it was after `given` frames, a multiple of `joint` or all, with another sound.

        It goes on through the same frames at the same pace; the speed of `sound` is that of this course.
        """
        ...


@dataclass(frozen=True, slots=True)
class Sound:
    """Whose sound a course takes, and how it is heard."""

    renderer: Renderer | None
    mix: tuple[ChannelMix, ...]
    rate_hz: int
    speed: float = 1.0

    def course(self, passage: Passage, frame: int) -> Course:
        """Return the course through a passage from one of its frames on."""
        if self.speed == 1.0:
            return _PlainCourse(self, passage, frame)
        if self.renderer is None:
            return _SilentCourse(self.speed, passage, frame)
        return _StretchedCourse(self, passage, frame)

    def plain(self, first: int, count: int) -> NDArray[np.float32]:
        """Return the mix of ``[first, first + count)``."""
        if self.renderer is None:
            return np.zeros((count, 2), np.float32)
        return self.renderer.render(first, count, self.mix)

    def material(self, first: int, count: int) -> Material:
        """Return the mix of ``[first, first + count)`` and the sum of all channels, or of both sides without one."""
        if isinstance(self.renderer, GuidedRenderer):
            guided = self.renderer.render_guided(first, count, self.mix)
            return Material(guided.mixed, guided.guide)
        mixed = self.plain(first, count)
        return Material(mixed, mixed.sum(axis=1))


class _PlainCourse:
    joint = 1

    def __init__(self, sound: Sound, passage: Passage, frame: int) -> None:
        self._sound = sound
        self._passage = passage
        self._start = self._next = frame

    def take(self, count: int) -> Rendered:
        run = self._passage.run_from(self._next, count)
        if run.length == 0:
            return NOTHING
        self._next = run.first + run.length
        return Rendered(self._sound.plain(run.first, run.length), np.arange(run.first, self._next))

    def again(self, sound: Sound, given: int) -> Course:
        course = _PlainCourse(sound, self._passage, self._start)
        course._next = self._passage.frame_after(self._start, given)
        return course


class _StretchedCourse:
    def __init__(self, sound: Sound, passage: Passage, frame: int) -> None:
        self._sound = sound
        self._passage = passage
        self._start = frame
        self._next: int | None = None
        self._stretcher: Stretcher | None = None
        length = passage.length_from(frame)
        if length != 0:
            self._stretcher = Stretcher(self._read, rate_hz=sound.rate_hz, speed=sound.speed, length=length)

    @property
    def joint(self) -> int:
        return 1 if self._stretcher is None else self._stretcher.hop

    def take(self, count: int) -> Rendered:
        if self._stretcher is None:
            return NOTHING
        samples, places = self._stretcher.take(count)
        return Rendered(samples, self._passage.frames_after(self._start, places)) if len(places) else NOTHING

    def again(self, sound: Sound, given: int) -> Course:
        course = _StretchedCourse(sound, self._passage, self._start)
        if self._stretcher is not None:
            course._stretcher = self._stretcher.again(course._read, given)
        return course

    def _read(self, first: int, count: int) -> Material:
        """Return the next `count` frames of the passage, of the unrolled loop, or what is left of them."""
        if self._next is None:
            self._next = self._passage.frame_after(self._start, first)
        parts = []
        while count:
            run = self._passage.run_from(self._next, count)
            if run.length == 0:
                break
            parts.append(self._sound.material(run.first, run.length))
            self._next = run.first + run.length
            count -= run.length
        if not parts:
            return Material(np.zeros((0, 2), np.float32), np.zeros(0, np.float32))
        return Material(
            np.concatenate([part.samples for part in parts]), np.concatenate([part.guide for part in parts])
        )


class _SilentCourse:
    """Frames that nothing sounds at."""

    joint = 1

    def __init__(self, speed: float, passage: Passage, frame: int) -> None:
        self._speed = speed
        self._passage = passage
        self._start = frame
        self._length = passage.length_from(frame)
        self._given = 0

    def take(self, count: int) -> Rendered:
        if self._length is not None:
            count = min(count, round(self._length / self._speed) - self._given)
        if count <= 0:
            return NOTHING
        places = (np.arange(self._given, self._given + count) * self._speed).astype(np.int64)
        self._given += count
        return Rendered(np.zeros((count, 2), np.float32), self._passage.frames_after(self._start, places))

    def again(self, sound: Sound, given: int) -> Course:
        course = sound.course(self._passage, self._start)
        course.take(given)
        return course
