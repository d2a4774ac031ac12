"""The spectrogram of one lane: its tiles, computed in the background as the timeline wants them."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from annotation.audio.cache import AudioCache
from annotation.audio.spectrogram import BAND_HZ, SpectrogramColumns
from annotation.audio.spectrogram_tiles import TilePlace, TileStore, compute_tile
from annotation.cancellation import CancelToken
from annotation.conversation import Channel
from app.tasks import Task, TaskRunner


class LaneSpectrogram:
    """A `widgets.timeline.values.Spectrogram` of a channel.

    Parameters
    ----------
    highest_hz
        Up to where it is shown.
    cache
        Where compressed sound lies decoded.
    store
        Keeps tiles of all lanes, up to its bytes.
    on_ready, on_error
        Called on the main thread when a tile can be drawn, and once when the file cannot be read; then it stays empty.
    """

    def __init__(
        self,
        *,
        channel: Channel,
        timeline_rate_hz: int,
        highest_hz: float,
        cache: AudioCache,
        store: TileStore,
        tasks: TaskRunner,
        on_ready: Callable[[], None],
        on_error: Callable[[Exception], None],
    ) -> None:
        self._channel = channel
        self._timeline_rate_hz = timeline_rate_hz
        self._bands = round(highest_hz / BAND_HZ)
        self._cache = cache
        self._store = store
        self._tasks = tasks
        self._on_ready = on_ready
        self._on_error = on_error
        self._task: Task[None] | None = None
        self._computing: frozenset[TilePlace] = frozenset()
        self._wanted: tuple[TilePlace, ...] = ()
        self._refused = False
        self.computed = 0
        """How many tiles were computed."""

    @property
    def highest_hz(self) -> float:
        """The upper end of the highest band."""
        return self._bands * BAND_HZ

    def tile(self, tile: TilePlace) -> NDArray[np.uint8] | None:
        """Return the bands of a tile, ``(256, bands)``, if it is ready."""
        found = self._store.tile(self._channel.speaker, tile)
        return None if found is None else found.levels[:, : self._bands]

    def want(self, tiles: Sequence[TilePlace]) -> None:
        """Compute these instead of those wanted before; what is under way goes on where any of it is still wanted."""
        self._wanted = tuple(tiles)
        if self._task is not None and not self._computing & set(self._wanted):
            self.stop()
        self._begin()

    def stop(self) -> None:
        """Compute no more until tiles are wanted again."""
        if self._task is not None:
            self._tasks.cancel(self._task)
        self._task = None
        self._computing = frozenset()

    def _begin(self) -> None:
        places = tuple(place for place in self._wanted if self._store.tile(self._channel.speaker, place) is None)
        if places and self._task is None and not self._refused:
            self._computing = frozenset(places)
            self._task = self._tasks.submit(
                "",
                lambda token, progress: self._compute(places, token),
                on_done=lambda _: self._on_done(),
                on_error=self._on_refusal,
            )

    def _compute(self, places: Sequence[TilePlace], token: CancelToken) -> None:
        """Compute tiles and hand each over at once; runs in another thread."""
        for place in places:
            token.check()
            tile = compute_tile(self._channel, self._timeline_rate_hz, place, self._cache)
            self._tasks.post(partial(self._take, token, place, tile))

    def _take(self, token: CancelToken, place: TilePlace, tile: SpectrogramColumns) -> None:
        self.computed += 1
        self._store.keep(self._channel.speaker, place, tile)
        if not token.cancelled:
            self._on_ready()

    def _on_done(self) -> None:
        self._task = None
        self._computing = frozenset()
        self._begin()

    def _on_refusal(self, error: Exception) -> None:
        self.stop()
        self._refused = True
        self._on_error(error)
