"""hibari-tts: natural English in a small model, Apache-2.0, the extra ``voices``.

Where the package is importable its model is loaded once in a process of its own that answers line by line
(`hibari_server`); where only the ``hibari`` command is found, it is called for each clip.
"""

import importlib.metadata
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from evaluation.construction.engines.programs import (
    Limits,
    ProgramPool,
    SpeakingProgram,
    can_serve,
    run_program,
    speech_from_file,
)
from evaluation.construction.synthesis import Speech, SynthesisError, spoken_text

BUNDLED_VOICE = "heart"
"""The one voice that comes in the package; the others are a download and are used only where they are already."""

_REMEDY = "Install it with: pip install hibari-tts"
_SERVER = Path(__file__).with_name("hibari_server.py")


class HibariEngine:
    """hibari-tts, deterministic for a seed.

    Raises
    ------
    SynthesisError
        If neither the package nor the command is there.
    """

    name = "hibari"
    licence = "Apache-2.0"
    natural = True
    deterministic = True
    stretches = True

    def __init__(self, *, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._command = "" if can_serve("hibari") else shutil.which("hibari") or ""
        self._pool = ProgramPool(self._start)
        if self._command:
            self.version = run_program([self._command, "--version"], self._limits).strip()
            self._voices: tuple[str, ...] = (BUNDLED_VOICE,)
            return
        if not can_serve("hibari"):
            raise SynthesisError("hibari-tts is not installed.", remedy=_REMEDY)
        self.version = importlib.metadata.version("hibari-tts")
        with self._pool.lent("") as program:
            self._voices = tuple(json.loads(program.ask(json.dumps({"voices": True}), _is_json))["voices"])

    def voices(self) -> Sequence[str]:
        """Return the voices whose model is on this machine."""
        return self._voices

    def speak(self, text: str, voice: str, *, seed: int, stretch: float = 1.0) -> Speech:
        """Return a text spoken; see `SpeechEngine.speak`."""
        line = spoken_text(text)
        with TemporaryDirectory(prefix="floorscope-") as folder:
            out = Path(folder) / "speech.wav"
            if self._command:
                options = ("--voice", voice, "--speed", f"{1 / stretch:.6f}", "--seed", str(seed % 2**32))
                run_program([self._command, "-", *options, "--threads", "1", "-o", str(out)], self._limits, text=line)
            else:
                question = {"text": line, "voice": voice, "speed": 1 / stretch, "seed": seed, "out": str(out)}
                with self._pool.lent("") as program:
                    answer = json.loads(program.ask(json.dumps(question), _is_json))
                if "error" in answer:
                    raise SynthesisError(f"hibari-tts failed: {answer['error']}.")
            return speech_from_file(out, self._limits)

    def close(self) -> None:
        """End the processes that hold the model."""
        self._pool.close()

    def _start(self, _key: str) -> SpeakingProgram:
        # One thread each: samples must not depend on how a sum was divided, and several clips are made at once.
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        return SpeakingProgram([sys.executable, "-I", str(_SERVER)], self._limits, environment=environment)


def _is_json(line: str) -> bool:
    return line.startswith("{")
