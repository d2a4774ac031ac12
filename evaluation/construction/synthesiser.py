"""Clips by voice and text: from the store where they are there, else from the voice's engine, tried twice."""

import logging
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from evaluation.construction.clip_store import ClipStore, clip_key
from evaluation.construction.synthesis import SpeechEngine, SynthesisError, Voice, clip_from_speech

_log = logging.getLogger(__name__)


class Synthesiser:
    """Engines with a store behind them; may be used from several threads.

    Parameters
    ----------
    engines
        By whose names voices refer to them.
    store
        None: nothing is kept.
    rate_hz
        Of the clips.
    seed
        For engines that draw noise; one for a whole corpus, so that the store serves all its conversations.
    """

    def __init__(self, engines: Iterable[SpeechEngine], store: ClipStore | None, *, rate_hz: int, seed: int) -> None:
        self._engines = {engine.name: engine for engine in engines}
        self._store = store
        self.rate_hz = rate_hz
        self._seed = seed

    def clip(self, voice: Voice, text: str) -> NDArray[np.int16]:
        """Return a text spoken by a voice.

        Raises
        ------
        SynthesisError
            If the engine failed twice.
        """
        engine = self._engines[voice.engine]
        key = clip_key(engine, voice, text, seed=self._seed, rate_hz=self.rate_hz)
        kept = self._store.load(key) if self._store else None
        if kept is not None:
            return kept
        clip = self._spoken(engine, voice, text)
        if self._store:
            self._store.keep(key, clip)
        return clip

    def _spoken(self, engine: SpeechEngine, voice: Voice, text: str) -> NDArray[np.int16]:
        stretch = voice.pitch if engine.stretches else 1.0
        try:
            speech = engine.speak(text, voice.base, seed=self._seed, stretch=stretch)
        except SynthesisError as error:
            _log.info("%s failed once: %s", engine.name, error)
            speech = engine.speak(text, voice.base, seed=self._seed, stretch=stretch)
        return clip_from_speech(speech, pitch=stretch, rate_hz=self.rate_hz)

    def close(self) -> None:
        """End what the engines keep running."""
        for engine in self._engines.values():
            engine.close()
