"""eSpeak NG: accents and variants without end, plainly a machine; a separate program under the GPL."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from evaluation.construction.engines.programs import Limits, run_program, speech_from_file
from evaluation.construction.synthesis import Speech, SynthesisError, spoken_text

VOICES = ("en-us+m3", "en-us+f2", "en-gb+m1", "en-gb+f4", "en-gb-scotland+m7", "en-us-nyc+f3")
"""Accents with a variant each: they differ in more than pitch, so each counts as a base voice."""

WORDS_A_MINUTE = 165


class EspeakEngine:
    """The ``espeak-ng`` command.

    Raises
    ------
    SynthesisError
        If it is not installed.
    """

    name = "espeak"
    licence = "GPL-3.0, called from outside"
    natural = False
    deterministic = True
    stretches = True

    def __init__(self, *, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._command = shutil.which("espeak-ng") or ""
        if not self._command:
            raise SynthesisError("espeak-ng is not installed.", remedy="On Debian: sudo apt-get install espeak-ng")
        found = re.search(r"\d+(\.\d+)+", run_program([self._command, "--version"], self._limits))
        self.version = found.group() if found else "unknown"

    def voices(self) -> Sequence[str]:
        """Return accents with variants."""
        return VOICES

    def speak(self, text: str, voice: str, *, seed: int, stretch: float = 1.0) -> Speech:
        """Return a text spoken; see `SpeechEngine.speak`. The seed changes nothing."""
        line = spoken_text(text)
        with TemporaryDirectory(prefix="floorscope-") as folder:
            out = Path(folder) / "speech.wav"
            options = ("-v", voice, "-s", str(round(WORDS_A_MINUTE / stretch)), "-w", str(out), "--stdin")
            run_program([self._command, *options], self._limits, text=line)
            return speech_from_file(out, self._limits)

    def close(self) -> None:
        """Do nothing: no process is kept."""
