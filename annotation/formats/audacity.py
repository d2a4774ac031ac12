r"""Audacity labels: ``onset⇥offset⇥text`` by line, seconds.

Conventions: two or three columns parted by tabs; spaces are taken too, with a notice. A ``\`` row gives the
frequencies of the label above it and is passed over. A label whose text is the id of a kind of the floor-events scheme
has that kind; any other has the kind `LABEL` and keeps its text. ``1,234`` is a decimal comma; a number that has both
marks, or one of them twice, could mean several things and is refused with its line.
"""

import re
from decimal import Decimal
from pathlib import Path

from annotation.formats.event_format import NoticeLog, ParsedEvent, ParsedEvents, decimal_from_text
from annotation.formats.text_lines import TextLine, lines_of_file, text_of_head
from annotation.scheme import preset_scheme

LABEL = "LABEL"
"""The kind of a label whose text is no kind of the scheme."""

_NUMBER = r"[+-]?\d[\d.,]*(?:[eE][+-]?\d{1,2})?"
_TABBED = re.compile(rf"\s*({_NUMBER})[ ]*\t[ ]*({_NUMBER})[ ]*(?:\t(.*))?")
_SPACED = re.compile(rf"\s*({_NUMBER})[ \t]+({_NUMBER})(?:[ \t]+(.*))?")


class AudacityLabels:
    """Reader of Audacity label files."""

    name = "audacity"
    suffixes = (".txt",)

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether the first line that is no frequency row holds two times."""
        lines = text_of_head(head).splitlines()
        for line in lines:
            if line.strip() and not line.startswith("\\"):
                return (_TABBED.fullmatch(line) or _SPACED.fullmatch(line)) is not None
        return False

    def read(self, path: Path, *, speaker: str = "") -> ParsedEvents:
        """Return the labels of a file, under the empty recording.

        The speaker of all of them is `speaker`; without it, what stands between the last two dots of the file name
        (``call.agent.txt``); without that, empty, with a notice.

        Raises
        ------
        TextRefusedError
            If the file cannot be read at all.
        """
        text = lines_of_file(path)
        log = NoticeLog(path)
        named = speaker or Path(path.stem).suffix[1:]
        kinds = frozenset(kind.id for kind in preset_scheme().kinds)
        reading = _Reading(log, named, kinds)
        events = tuple(event for line in text.lines if (event := reading.event_of(line)) is not None)
        reading.note_spellings()
        if events and not named:
            log.add("speaker-unknown", "", "Neither the labels nor the file name (STEM.SPEAKER.txt) say who speaks.")
        return ParsedEvents({"": events} if events else {}, (*text.notices, *log.notices()))


class _Reading:
    """One pass over one file: counts how it spells numbers and columns."""

    def __init__(self, log: NoticeLog, speaker: str, kinds: frozenset[str]) -> None:
        self._log = log
        self._speaker = speaker
        self._kinds = kinds
        self._commas: list[int] = []
        self._spaces: list[int] = []

    def event_of(self, line: TextLine) -> ParsedEvent | None:
        if line.text.startswith("\\"):
            return None
        match = _TABBED.fullmatch(line.text)
        if match is None:
            match = _SPACED.fullmatch(line.text)
            if match is None:
                self._log.add("bad-line", line.number, "This is no label: it does not begin with two times.")
                return None
            self._spaces.append(line.number)
        onset, offset = self._seconds(match[1], line.number), self._seconds(match[2], line.number)
        if onset is None or offset is None:
            return None
        if onset < 0 or offset < onset:
            self._log.add("negative-time", line.number, f"From {onset} s to {offset} s is no span; it was left out.")
            return None
        text = (match[3] or "").strip()
        kind, rest = (text, "") if text in self._kinds else (LABEL, text)
        return ParsedEvent(self._speaker, kind, onset, offset, str(line.number), text=rest)

    def _seconds(self, text: str, number: int) -> Decimal | None:
        marks = text.count(".") + text.count(",")
        if marks > 1:
            self._log.add(
                "ambiguous-number",
                number,
                f"“{text}” could be read in several ways; the label was left out. Write it with one decimal point.",
            )
            return None
        if "," in text and number not in self._commas[-1:]:
            self._commas.append(number)
        seconds = decimal_from_text(text.replace(",", "."))
        if seconds is None:
            self._log.add("bad-line", number, f"“{text[:40]}” is no time in seconds.")
        return seconds

    def note_spellings(self) -> None:
        if self._commas:
            self._log.add(
                "decimal-comma",
                self._commas[0],
                f"Commas were read as decimal commas in {len(self._commas):,} lines, this one first.",
            )
        if self._spaces:
            self._log.add(
                "spaces-for-tabs", self._spaces[0], f"{len(self._spaces):,} lines have spaces for tabs, this one first."
            )
