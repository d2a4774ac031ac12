"""Where events come from: a reference, an import, a detector. Events of a source are never edited in place."""

from dataclasses import dataclass
from enum import StrEnum

from annotation.conversation import Conversation
from annotation.events import FloorEvent


class SourceRole(StrEnum):
    """What the events of a source are taken for."""

    REFERENCE = "reference"
    IMPORTED = "imported"
    DETECTOR = "detector"


@dataclass(frozen=True, slots=True)
class EventSource:
    """Events of one conversation from one place; `origin` is the file they were read from, as text."""

    name: str
    role: SourceRole
    origin: str
    events: tuple[FloorEvent, ...]


@dataclass(frozen=True, slots=True)
class ImportedConversation:
    """A conversation as a corpus gives it, with the events that came along."""

    conversation: Conversation
    sources: tuple[EventSource, ...] = ()
