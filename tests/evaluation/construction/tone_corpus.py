"""A corpus spoken in tones, for tests and for processes that tests start: ``python tone_corpus.py FOLDER [WHAT]``.

`WHAT` is what happens after the second conversation: ``kill`` ends the process at once, ``fill`` refuses larger files.
"""

import os
import resource
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from annotation.cancellation import CancelToken
from evaluation.construction.construction import Construction, Listener, Makers, Order, construct
from evaluation.construction.plan import planned_conversations
from evaluation.construction.resolution import resolve
from evaluation.construction.stages import script_writer_for, symbolic_writer
from evaluation.construction.synthesis import Speech, SpeechEngine, SynthesisError

CONVERSATIONS = 4


class ToneEngine:
    """Says a text as a tone as long as the text, on a note that its words decide; some texts it cannot say."""

    name = "tone"
    version = "1"
    licence = "none"
    natural = False
    deterministic = True
    stretches = True

    def __init__(self, *, dumb: Sequence[str] = ()) -> None:
        self._dumb = dumb

    def voices(self) -> Sequence[str]:
        return ("one", "two")

    def speak(self, text: str, voice: str, *, seed: int, stretch: float = 1.0) -> Speech:
        if any(word in text for word in self._dumb):
            raise SynthesisError(f"“{text}” cannot be said in tones.")
        frames = round(8_000 * stretch * (0.2 + 0.055 * len(text)))
        note = 200 + 10 * (sum(text.encode()) % 30) + (100 if voice == "two" else 0)
        return Speech(0.3 * np.sin(2 * np.pi * note * np.arange(frames) / 8_000), 8_000)

    def close(self) -> None:
        return None


def make_corpus(
    folder: Path,
    *,
    seed: int = 3,
    engine: SpeechEngine | None = None,
    cancel: CancelToken | None = None,
    listener: Listener = lambda done, of, name: None,
    workers: int = 2,
    split: str = "test",
) -> Construction:
    """Make four short conversations."""
    planned = planned_conversations(CONVERSATIONS, seed, split=split)
    write = symbolic_writer(planned, seed, script_writer_for("grammar"), mean_s=20)
    makers = Makers(resolve, (engine or ToneEngine(),), None, None)
    order = Order(planned, seed, mean_s=20)
    return construct(folder, order, write, makers, cancel or CancelToken(), listener, workers=workers)


def main() -> None:
    folder, what = Path(sys.argv[1]), sys.argv[2]

    def listener(done: int, of: int, name: str) -> None:
        if done == 2 and what == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if done == 2 and what == "fill":
            resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, resource.RLIM_INFINITY))

    make_corpus(folder, listener=listener, workers=1)


if __name__ == "__main__":
    main()
