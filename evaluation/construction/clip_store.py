"""Clips that were synthesised, kept so that a run that is taken up again does not speak twice."""

import hashlib
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from annotation.audio.cache import AudioCache
from evaluation.construction.synthesis import SpeechEngine, Voice

CLIP_FORMAT = 1
"""Raised when the way from an engine's samples to a clip changes: older entries are then not found any more."""

_WHAT = "clip"
_SHARDS = 64


def clip_key(engine: SpeechEngine, voice: Voice, text: str, *, seed: int, rate_hz: int) -> str:
    """Return what a clip is kept under: engine, version, voice, pitch, text, seed and rate."""
    identity = [CLIP_FORMAT, engine.name, engine.version, voice.base, f"{voice.pitch:.6f}", text, seed, rate_hz]
    return hashlib.sha256(json.dumps(identity).encode()).hexdigest()


class ClipStore:
    """Clips in a folder of limited size; may be used from several threads and processes.

    Entries are those of `AudioCache`: written beside their place and moved there whole, with a checksum. They are
    spread over folders, since each looks through all its entries when one is added.

    Parameters
    ----------
    folder
        Made when the first clip is kept.
    limit_bytes
        Those used longest ago go when it is passed.
    """

    def __init__(self, folder: Path, *, limit_bytes: int = 4 * 10**9) -> None:
        self._shards = [AudioCache(folder / f"{shard:02d}", limit_bytes // _SHARDS) for shard in range(_SHARDS)]

    def load(self, key: str) -> NDArray[np.int16] | None:
        """Return a clip as it was kept, or None if it is absent or damaged."""
        found = self._shard(key).load(key, _WHAT)
        return None if found is None else np.asarray(found.numbers, dtype=np.int16)

    def keep(self, key: str, samples: NDArray[np.int16]) -> bool:
        """Keep a clip and return whether the disk took it."""
        with self._shard(key).writing(key, _WHAT, "<i2") as sink:
            sink.append(samples)
        return sink.kept

    def _shard(self, key: str) -> AudioCache:
        return self._shards[int(key[:8], 16) % _SHARDS]
