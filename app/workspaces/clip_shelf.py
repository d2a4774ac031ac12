"""The sound of the next item, read in the background while the present one is worked on."""

from collections.abc import Callable
from typing import Protocol

from annotation.cancellation import CancelToken
from annotation.study.clips import ClipSound
from app.tasks import Task, TaskRunner


class SoundLibrary(Protocol):
    """Reads the sound of presentations; any thread may use it (`annotation.study.clips.ClipLibrary`)."""

    def sound(self, presentation: str, token: CancelToken | None = None) -> ClipSound:
        """Return the sound of a presentation."""
        ...

    def close(self) -> None:
        """Close what is open."""
        ...


class ClipShelf:
    """Holds the sound of one presentation until it is wanted.

    Nothing else is kept, so that an item met before takes as long as one that was not (PROTOCOLS, blindness).

    Attributes
    ----------
    waits
        How often a sound was wanted and not there yet.
    """

    def __init__(self, *, library: SoundLibrary, tasks: TaskRunner) -> None:
        self._library = library
        self._tasks = tasks
        self._ready: ClipSound | None = None
        self._task: Task[ClipSound] | None = None
        self.waits = 0

    def prefetch(self, presentation: str) -> None:
        """Read a sound that will be wanted next; a fault is met when it is wanted."""
        if self._ready is None or self._ready.presentation != presentation:
            self._read(presentation, self._keep, lambda error: None)

    def take(self, presentation: str) -> ClipSound | None:
        """Return a sound that is ready, or None."""
        ready, self._ready = self._ready, None
        return ready if ready is not None and ready.presentation == presentation else None

    def want(
        self, presentation: str, on_done: Callable[[ClipSound], None], on_error: Callable[[Exception], None]
    ) -> None:
        """Read a sound that is wanted now and was not ready."""
        self.waits += 1
        self._read(presentation, on_done, on_error)

    def close(self) -> None:
        """Stop what runs and close the library."""
        if self._task is not None:
            self._tasks.cancel(self._task)
        self._ready = None
        self._library.close()

    def _read(
        self, presentation: str, on_done: Callable[[ClipSound], None], on_error: Callable[[Exception], None]
    ) -> None:
        if self._task is not None:
            self._tasks.cancel(self._task)
        # A task without a label stands in no status line: nothing tells how long an item took to load.
        self._task = self._tasks.submit(
            "", lambda token, progress: self._library.sound(presentation, token), on_done=on_done, on_error=on_error
        )

    def _keep(self, sound: ClipSound) -> None:
        self._ready = sound
