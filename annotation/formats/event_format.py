"""What a reader of event files gives back, and how its seconds become frames of a conversation.

Readers are lenient by the line: a bad line is a `Notice` with file and line and costs itself only. Seconds stay the
decimal number that the file wrote until they are placed on a timeline, so they are rounded once. Nothing is rescaled,
swapped or clamped.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from hashlib import blake2b
from pathlib import Path
from typing import Protocol

from annotation.conversation import Conversation
from annotation.errors import InvalidValueError
from annotation.events import FloorEvent
from annotation.notices import Notice
from annotation.timebase import frame_from_seconds

MOST_NOTICES = 100
"""Notices kept of one file; the rest is counted in a last one."""

_DECIMAL_NUMBER = re.compile(r"[+-]?(\d{1,20}(\.\d{0,20})?|\.\d{1,20})([eE][+-]?\d{1,2})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class ParsedEvent:
    """One event as a file gives it.

    Parameters
    ----------
    speaker
        The file's word for who it was; empty where the file does not say.
    onset_s, offset_s
        Seconds exactly as written, ``0 <= onset_s <= offset_s``.
    place
        Line number or JSON path within the file.
    holder_before, holder_after
        As in `FloorEvent`.
    """

    speaker: str
    kind: str
    onset_s: Decimal
    offset_s: Decimal
    place: str
    text: str = ""
    comment: str = ""
    holder_before: str | None = None
    holder_after: str | None = None


@dataclass(frozen=True, slots=True)
class ParsedEvents:
    """The events of one file by recording; the recording is empty where the file does not name it."""

    recordings: Mapping[str, tuple[ParsedEvent, ...]]
    notices: tuple[Notice, ...] = ()


class EventFormat(Protocol):
    """A file format that brings events in."""

    @property
    def name(self) -> str:
        """Short name, as on the command line."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """File name endings, lower case with the dot; they choose what to look into, the content decides."""
        ...

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether the first bytes of a file look like this format."""
        ...

    def read(self, path: Path, *, speaker: str = "") -> ParsedEvents:
        """Return the events of a file; `speaker` is taken where the file itself names none.

        Raises
        ------
        TextRefusedError
            If the file cannot be read at all.
        """
        ...


class NoticeLog:
    """Notices of one file, the first hundred in full and the rest as a number."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._notices: list[Notice] = []
        self._more = 0

    def add(self, code: str, place: object, message: str) -> None:
        """Note something at a line number or another place within the file; an empty place means the whole file."""
        if len(self._notices) >= MOST_NOTICES:
            self._more += 1
            return
        where = f"{self._path}:{place}" if place != "" else str(self._path)
        self._notices.append(Notice(code, where, message))

    def notices(self) -> tuple[Notice, ...]:
        """Return what was noted, in order."""
        if not self._more:
            return tuple(self._notices)
        rest = Notice("more-notices", str(self._path), f"{self._more:,} more notices about this file are not listed.")
        return (*self._notices, rest)


def decimal_from_text(text: str) -> Decimal | None:
    """Return a plain decimal number exactly as written, or None; “nan”, “inf” and huge exponents are no numbers."""
    return Decimal(text) if _DECIMAL_NUMBER.fullmatch(text) else None


@dataclass(frozen=True, slots=True)
class PlacedEvents:
    """Events in frames of one conversation's timeline, and what was said while placing them."""

    events: tuple[FloorEvent, ...]
    notices: tuple[Notice, ...] = ()


def place_events(
    parsed: Iterable[ParsedEvent], conversation: Conversation, *, source: str, origin: Path, unnamed_speaker: str
) -> PlacedEvents:
    """Return events on the timeline of a conversation.

    Ids are derived from conversation, source and content, so that reading the same file twice gives the same events.

    Parameters
    ----------
    source
        Name of the source that the events will belong to.
    origin
        The file, for notices.
    unnamed_speaker
        Who spoke where the file does not say.
    """
    log = NoticeLog(origin)
    events: list[FloorEvent] = []
    beyond: list[ParsedEvent] = []
    end = conversation.frames
    for position, event in enumerate(parsed):
        try:
            onset = frame_from_seconds(event.onset_s, conversation.rate_hz)
            offset = frame_from_seconds(event.offset_s, conversation.rate_hz)
        except InvalidValueError as error:
            log.add("time-refused", event.place, f"{error} The event was left out.")
            continue
        if end and offset > end:
            beyond.append(event)
        identity = repr((conversation.id, source, position, event)).encode("utf-8", errors="backslashreplace")
        events.append(
            FloorEvent(
                speaker=event.speaker or unnamed_speaker,
                kind=event.kind,
                onset=onset,
                offset=offset,
                holder_before=event.holder_before,
                holder_after=event.holder_after,
                comment=event.comment,
                text=event.text,
                id=blake2b(identity, digest_size=16).hexdigest(),
            )
        )
    if beyond:
        _note_beyond(log, beyond, events=len(events), end_s=float(conversation.duration))
    return PlacedEvents(tuple(events), log.notices())


def _note_beyond(log: NoticeLog, beyond: list[ParsedEvent], *, events: int, end_s: float) -> None:
    latest = max(event.offset_s for event in beyond)
    message = (
        f"{len(beyond):,} of {events:,} events end after the sound does ({end_s:.3f} s), the latest at {latest} s. "
        "They stand as written."
    )
    if latest > 2 * Decimal(end_s):
        message += " The file probably counts samples or milliseconds where seconds are expected; nothing was rescaled."
    log.add("beyond-end", beyond[0].place, message)
