"""flite: Debian's small synthesiser; four voices, quick, plainly a machine."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from evaluation.construction.engines.programs import Limits, run_program, speech_from_file
from evaluation.construction.synthesis import Speech, SynthesisError, spoken_text

_WANTED = ("slt", "rms", "awb", "kal16", "kal")


class FliteEngine:
    """The ``flite`` command.

    Raises
    ------
    SynthesisError
        If it is not installed.
    """

    name = "flite"
    licence = "BSD-like (Carnegie Mellon)"
    natural = False
    deterministic = True
    stretches = True

    def __init__(self, *, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._command = shutil.which("flite") or ""
        if not self._command:
            raise SynthesisError("flite is not installed.", remedy="On Debian: sudo apt-get install flite")
        # Debian's flite says its version and exits with 1.
        found = re.search(r"flite-\S+", run_program([self._command, "--version"], self._limits, good_codes=(0, 1)))
        self.version = found.group() if found else "unknown"
        listed = run_program([self._command, "-lv"], self._limits).partition(":")[2].split()
        # kal16 and kal are one voice at two rates; awb_time can tell the time only.
        wanted = [name for name in _WANTED if name in listed]
        self._voices = tuple(name for name in wanted if name != "kal" or "kal16" not in wanted)

    def voices(self) -> Sequence[str]:
        """Return the voices that can say any text."""
        return self._voices

    def speak(self, text: str, voice: str, *, seed: int, stretch: float = 1.0) -> Speech:
        """Return a text spoken; see `SpeechEngine.speak`. The seed changes nothing."""
        line = spoken_text(text)
        with TemporaryDirectory(prefix="floorscope-") as folder:
            out = Path(folder) / "speech.wav"
            options = ("-voice", voice, "--setf", f"duration_stretch={stretch:.6f}")
            run_program([self._command, *options, "-t", line, "-o", str(out)], self._limits)
            return speech_from_file(out, self._limits)

    def close(self) -> None:
        """Do nothing: no process is kept."""
