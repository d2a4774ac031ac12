"""Recorded clips: a folder with ``clips.tsv``, a table of voice, text and file."""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from annotation.formats.manifest import confined_path
from evaluation.construction.engines.programs import Limits, speech_from_file
from evaluation.construction.synthesis import Speech, SynthesisError

TABLE_NAME = "clips.tsv"
_WORDS = re.compile(r"[^\w']+")


class RecordedEngine:
    """Clips that people or other programs have spoken; it says what stands in the table and nothing else.

    Texts are compared by their words: letter case, punctuation and spaces do not matter.

    Parameters
    ----------
    folder
        Holds ``clips.tsv``: a line each of voice, text, file (relative to the folder), parted by tabs; lines that
        begin with # are left out.

    Raises
    ------
    SynthesisError
        If the table cannot be read or a line of it is wrong.
    """

    name = "clips"
    licence = "that of the recordings"
    natural = True
    deterministic = True
    stretches = False

    def __init__(self, folder: Path, *, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        table = folder / TABLE_NAME
        try:
            content = table.read_bytes()
            lines = content.decode("utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise SynthesisError(
                f"The table of clips cannot be read: {error}.", where=str(table), remedy="See docs/construction.md."
            ) from error
        self.version = hashlib.sha256(content).hexdigest()[:12]
        self._files: dict[tuple[str, str], Path] = {}
        for number, line in enumerate(lines, start=1):
            if not line.strip() or line.startswith("#"):
                continue
            fields = line.split("\t")
            where = f"{table}:{number}"
            if len(fields) != 3 or not fields[0]:
                raise SynthesisError("A line has a voice, a text and a file, parted by tabs.", where=where)
            self._files[fields[0], _key(fields[1])] = confined_path(folder, fields[2], where=where)
        if not self._files:
            raise SynthesisError("The table names no clip.", where=str(table))

    def voices(self) -> Sequence[str]:
        """Return the voices of the table, sorted."""
        return sorted({voice for voice, _ in self._files})

    def speak(self, text: str, voice: str, *, seed: int, stretch: float = 1.0) -> Speech:
        """Return the clip of a text; see `SpeechEngine.speak`. Seed and stretch change nothing."""
        path = self._files.get((voice, _key(text)))
        if path is None:
            raise SynthesisError(f"There is no clip of “{text[:60]}” by {voice}.", remedy="Record it, or add its line.")
        return speech_from_file(path, self._limits)

    def close(self) -> None:
        """Do nothing: no process is kept."""


def _key(text: str) -> str:
    return _WORDS.sub(" ", text.casefold()).strip()
