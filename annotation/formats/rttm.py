"""RTTM: who spoke when, one segment a line, often several recordings in one file.

Conventions (NIST RT-09, as met in the wild): nine or ten columns ``type file channel onset duration ortho stype name
conf [lookahead]``, of which the tail may be missing; spaces or tabs. A ``SPEAKER`` line becomes an event of the kind
`SPEECH`. ``SPKR-INFO`` and comments are passed over; other line types hold no speech segment and are counted.
"""

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from annotation.formats.event_format import NoticeLog, ParsedEvent, ParsedEvents, decimal_from_text
from annotation.formats.text_lines import TextLine, lines_of_file, text_of_head

SPEECH = "SPEECH"
"""The kind of an RTTM segment: it says that somebody spoke, not what it did to the floor."""

_NO_VALUE = "<NA>"
_SPEECH_TYPES = ("SPEAKER", "SPKR-INFO")
_OTHER_TYPES = ("SEGMENT", "NOSCORE", "NO_RT_METADATA", "LEXEME", "NON-LEX", "NON-SPEECH", "FILLER", "EDIT", "SU", "IP")
_TYPES = frozenset((*_SPEECH_TYPES, *_OTHER_TYPES, "CB", "A/P"))


@dataclass(frozen=True, slots=True)
class _Segment:
    recording: str
    onset: str
    duration: str
    speaker: str


class Rttm:
    """Reader of RTTM files."""

    name = "rttm"
    suffixes = (".rttm",)

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether the first line that is no comment begins with an RTTM type."""
        for line in text_of_head(head).splitlines():
            if line.strip() and not line.lstrip().startswith(";"):
                words = line.split()
                return words[0] in _TYPES and len(words) >= 3
        return False

    def read(self, path: Path, *, speaker: str = "") -> ParsedEvents:
        """Return the segments of a file by recording.

        Raises
        ------
        TextRefusedError
            If the file cannot be read at all.
        """
        text = lines_of_file(path)
        log = NoticeLog(path)
        recordings: dict[str, list[ParsedEvent]] = {}
        skipped: dict[str, int] = {}
        for line in text.lines:
            if line.text.lstrip().startswith(";"):
                continue
            kind = line.text.split(maxsplit=1)[0]
            if kind == "SPEAKER":
                self._take(line, speaker, recordings, log)
            elif kind != "SPKR-INFO":
                skipped[kind] = skipped.get(kind, 0) + 1
        for kind, count in list(skipped.items())[:10]:
            log.add("line-type", "", f"{count:,} lines of the type “{kind[:40]}” hold no speech segment: passed over.")
        return ParsedEvents(
            {recording: tuple(events) for recording, events in recordings.items()}, (*text.notices, *log.notices())
        )

    def _take(self, line: TextLine, speaker: str, recordings: dict[str, list[ParsedEvent]], log: NoticeLog) -> None:
        segment = _segment_of(line.text)
        if segment is None:
            log.add("bad-line", line.number, "This SPEAKER line has no onset and duration where they belong.")
            return
        event = _event_of(segment, line.number, speaker, log)
        if event is not None:
            recordings.setdefault(segment.recording, []).append(event)


def _event_of(segment: _Segment, number: int, speaker: str, log: NoticeLog) -> ParsedEvent | None:
    onset, duration = decimal_from_text(segment.onset), decimal_from_text(segment.duration)
    if onset is None or duration is None:
        log.add("bad-line", number, f"“{segment.onset} {segment.duration}” are no onset and duration in seconds.")
        return None
    if onset < 0 or duration < 0:
        log.add("negative-time", number, f"An onset of {onset} s lasting {duration} s is no span; it was left out.")
        return None
    if duration == 0:
        log.add("zero-duration", number, "The segment lasts 0 s and is kept as a point.")
    if " " in segment.recording or " " in segment.speaker:
        log.add("space-in-id", number, f"Spaces in “{segment.recording}” or “{segment.speaker}” are kept as written.")
    name = segment.speaker or speaker
    return ParsedEvent(name, SPEECH, onset, onset + duration, str(number))


def _segment_of(line: str) -> _Segment | None:
    """Return the fields of a SPEAKER line: by tabs where they part it, else by words."""
    by_tab = [field.strip() for field in line.split("\t")]
    if len(by_tab) >= 5 and all(_is_number(field) for field in by_tab[3:5]):
        return _Segment(by_tab[1], by_tab[3], by_tab[4], _name_of(by_tab[7:8]))
    words = line.split()
    at = _onset_position(words)
    if at is None:
        return None
    if len(words) <= 10 and at == 3:
        return _Segment(words[1], words[3], words[4], _name_of(words[7:8]))
    return _Segment(" ".join(words[1 : at - 1]), words[at], words[at + 1], _name_of(_without_tail(words[at + 4 :])))


def _onset_position(words: list[str]) -> int | None:
    """Return where the onset stands: two numbers before two empty fields, or column four of a line without spaces."""
    places = [
        at
        for at in range(3, len(words) - 3)
        if _is_number(words[at]) and _is_number(words[at + 1]) and words[at + 2 : at + 4] == [_NO_VALUE, _NO_VALUE]
    ]
    if places:
        return places[0]
    return 3 if 5 <= len(words) <= 10 and _is_number(words[3]) and _is_number(words[4]) else None


def _without_tail(words: list[str]) -> list[str]:
    """Return a name that may hold spaces, without the confidence and look-ahead after it."""
    kept = list(words)
    for _ in range(2):
        if len(kept) > 1 and (kept[-1] == _NO_VALUE or _is_confidence(kept[-1])):
            kept.pop()
    return kept


def _is_confidence(word: str) -> bool:
    value = decimal_from_text(word)
    return value is not None and "." in word and Decimal(0) <= value <= Decimal(1)


def _name_of(words: list[str]) -> str:
    name = " ".join(words)
    return "" if name == _NO_VALUE else name


def _is_number(word: str) -> bool:
    return decimal_from_text(word) is not None
