"""The formats that bring events in, and which of them a file is in."""

from pathlib import Path

from annotation.formats.audacity import AudacityLabels
from annotation.formats.event_format import EventFormat
from annotation.formats.rttm import Rttm

HEAD_BYTES = 4096
"""How much of a file's beginning is enough to tell its format."""

EVENT_FORMATS: tuple[EventFormat, ...] = (Rttm(), AudacityLabels())
"""In the order in which they are tried: the more particular first."""

EVENT_SUFFIXES = frozenset(suffix for one in EVENT_FORMATS for suffix in one.suffixes)


def event_format_of(path: Path) -> EventFormat | None:
    """Return the format that the beginning of a file shows, or None; a file that cannot be opened shows none."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        return None
    return event_format_of_head(head, path)


def event_format_of_head(head: bytes, path: Path) -> EventFormat | None:
    """Return the format that the first bytes of a file show, or None."""
    return next((one for one in EVENT_FORMATS if one.sniff(head, path)), None)
