"""When each word of a clip is spoken: forced alignment of the known text, where an aligner is installed."""

import importlib.metadata
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

import numpy as np
import soxr  # type: ignore[import-untyped]
from numpy.typing import NDArray

from evaluation.construction.engines.programs import Limits, ProgramPool, SpeakingProgram, can_serve
from evaluation.construction.synthesis import SynthesisError

_RATE_HZ = 16_000
_STEPS_A_SECOND = 100
_SERVER = Path(__file__).with_name("engines") / "pocketsphinx_server.py"
_LETTERS = re.compile(r"[a-z']+")


@dataclass(frozen=True, slots=True)
class TimedWord:
    """A word as it is written, half-open ``[onset, offset)`` in frames of its clip."""

    text: str
    onset: int
    offset: int


class Aligner(Protocol):
    """Finds the words of a text in its sound."""

    @property
    def name(self) -> str: ...  # noqa: D102

    def words(self, text: str, clip: NDArray[np.int16], rate_hz: int, *, pitch: float = 1.0) -> tuple[TimedWord, ...]:
        """Return the words of a clip in their order; nothing where they are not found. For several threads.

        Parameters
        ----------
        pitch
            By what the pitch of the clip was shifted.
        """

    def close(self) -> None:
        """End the processes that are kept for the next call."""


class PocketsphinxAligner:
    """pocketsphinx (BSD) in a process of its own: about 22 ms off at word borders on synthetic speech.

    Raises
    ------
    SynthesisError
        If it is not installed.
    """

    def __init__(self, *, limits: Limits | None = None) -> None:
        if not can_serve("pocketsphinx"):
            raise SynthesisError("pocketsphinx is not installed.", remedy="pip install pocketsphinx")
        self.name = f"pocketsphinx {importlib.metadata.version('pocketsphinx')}"
        self._limits = limits or Limits()
        self._pool = ProgramPool(lambda _: SpeakingProgram([sys.executable, "-I", str(_SERVER)], self._limits))

    def words(self, text: str, clip: NDArray[np.int16], rate_hz: int, *, pitch: float = 1.0) -> tuple[TimedWord, ...]:
        """Return the words of a clip; see `Aligner.words`. It hears the voice at its own pitch, slower or faster."""
        written = [(token, _word_of(token)) for token in text.split()]
        written = [(token, word) for token, word in written if word]
        if not written:
            return ()
        samples = soxr.resample(clip.astype(np.float64), rate_hz / pitch, _RATE_HZ)
        with TemporaryDirectory(prefix="floorscope-") as folder:
            path = Path(folder) / "speech.raw"
            path.write_bytes(np.rint(np.clip(samples, -32768, 32767)).astype("<i2").tobytes())
            question = json.dumps({"words": [word for _, word in written], "samples": str(path)})
            with self._pool.lent("") as program:
                answer = json.loads(program.ask(question, lambda line: line.startswith("{")))
        if "error" in answer:
            return ()
        timed = []
        for (token, _), (first, last) in zip(written, answer["times"], strict=True):
            onset, offset = (
                min(round(step * rate_hz / (pitch * _STEPS_A_SECOND)), len(clip)) for step in (first, last + 1)
            )
            if onset < offset:
                timed.append(TimedWord(token, onset, offset))
        return tuple(timed)

    def close(self) -> None:
        """End the processes that hold the model."""
        self._pool.close()


def installed_aligner() -> Aligner | None:
    """Return the aligner of this machine, or None."""
    try:
        return PocketsphinxAligner()
    except SynthesisError:
        return None


def _word_of(token: str) -> str:
    """Return a token as the dictionary spells it: small letters and apostrophes inside."""
    return "".join(_LETTERS.findall(token.casefold().replace("’", "'"))).strip("'")
