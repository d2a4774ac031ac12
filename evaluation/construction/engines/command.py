"""Any program that speaks, given as a command line with places for the text and the file to write."""

import hashlib
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from evaluation.construction.engines.programs import Limits, run_program, speech_from_file
from evaluation.construction.synthesis import Speech, SynthesisError, spoken_text

_PLACE = re.compile(r"\{(text|voice|out|seed|speed|stretch)\}")


class CommandEngine:
    """A program called without a shell; ``{text}`` and ``{out}`` stand in its command line.

    Parameters
    ----------
    template
        Split as a shell would split it; also filled in are ``{voice}``, ``{seed}``, and ``{speed}`` or ``{stretch}``
        (1 as usual, a speed of 2 or a stretch of 0.5 twice as fast). Only with one of the last two can the pitch be
        shifted.
    voices
        What stands for ``{voice}``; one unnamed voice where the template has none.

    Raises
    ------
    SynthesisError
        If the template lacks a place or cannot be split.
    """

    name = "command"
    licence = "that of the program called"
    natural = False
    deterministic = False

    def __init__(self, template: str, *, voices: Sequence[str] = (), limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        try:
            self._words = shlex.split(template)
        except ValueError as error:
            raise _template_error(template, f"it cannot be split into words ({error})") from error
        places = set(_PLACE.findall(template))
        if not self._words or _PLACE.search(self._words[0]):
            raise _template_error(template, "it begins with no program")
        if not {"text", "out"} <= places:
            raise _template_error(template, "it lacks {text} or {out}")
        if ("voice" in places) != bool(voices):
            raise _template_error(template, "{voice} and --voice NAME belong together")
        self.stretches = bool(places & {"speed", "stretch"})
        self.version = hashlib.sha256(template.encode()).hexdigest()[:12]
        self._voices = tuple(voices) or ("default",)

    def voices(self) -> Sequence[str]:
        """Return the names given."""
        return self._voices

    def speak(self, text: str, voice: str, *, seed: int, stretch: float = 1.0) -> Speech:
        """Return a text spoken; see `SpeechEngine.speak`."""
        with TemporaryDirectory(prefix="floorscope-") as folder:
            out = Path(folder) / "speech.wav"
            values = {
                "text": spoken_text(text),
                "voice": voice,
                "out": str(out),
                "seed": str(seed),
                "speed": f"{1 / stretch:.6f}",
                "stretch": f"{stretch:.6f}",
            }
            run_program([_PLACE.sub(lambda place: values[place[1]], word) for word in self._words], self._limits)
            return speech_from_file(out, self._limits)

    def close(self) -> None:
        """Do nothing: no process is kept."""


def _template_error(template: str, why: str) -> SynthesisError:
    error = SynthesisError(
        f"This command cannot speak: {why}.",
        where=f"command:{template}",
        remedy="For instance: command:say -v {voice} -o {out} {text}",
    )
    error.exit_code = 2
    return error
