"""Floor events: who did what to the floor, from when to when."""

from dataclasses import dataclass, field
from uuid import uuid4

from annotation.errors import InvalidValueError

NOBODY = ""
"""As a floor holder: nobody holds the floor. ``None`` means that no answer was given."""


def new_event_id() -> str:
    """Return a fresh id, unique across machines."""
    return uuid4().hex


@dataclass(frozen=True, slots=True)
class FloorEvent:
    """One event on one speaker's channel, in frames of the conversation's timeline, half-open ``[onset, offset)``.

    Overlap is normal, within one speaker too. An event of no length (a point mark) has ``onset == offset``.

    Parameters
    ----------
    speaker
        The speaker's id (`Channel.speaker`), never the name shown.
    kind
        The id of a kind of the scheme, or whatever an imported file calls it.
    onset, offset
        Timeline frames, ``0 <= onset <= offset``.
    holder_before, holder_after
        A speaker's id, `NOBODY`, or None where no answer was given.
    text
        Words that a file gave with the event; never an annotator's comment.

    Raises
    ------
    InvalidValueError
        If the span is negative, a field is empty that may not be, or a text holds half a character.
    """

    speaker: str
    kind: str
    onset: int
    offset: int
    holder_before: str | None = None
    holder_after: str | None = None
    comment: str = ""
    text: str = ""
    id: str = field(default_factory=new_event_id)

    def __post_init__(self) -> None:
        if not self.speaker or not self.id:
            raise InvalidValueError("An event needs a speaker and an id.")
        for value in (self.id, self.speaker, self.kind, self.comment, self.text, self.holder_before, self.holder_after):
            _require_storable(value or "")
        if not 0 <= self.onset <= self.offset:
            raise InvalidValueError(
                f"An event from frame {self.onset} to {self.offset} is no span.",
                where=f"{self.kind} of {self.speaker}",
                remedy="The onset is at or after the start of the recording, the offset at or after the onset.",
            )

    @property
    def length(self) -> int:
        """Frames from onset to offset."""
        return self.offset - self.onset


def _require_storable(text: str) -> None:
    """Refuse text that no file can hold: half of a surrogate pair, as a broken paste leaves it."""
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidValueError("The text holds half a character.", remedy="Type it again or leave it out.") from error


def event_order(event: FloorEvent) -> tuple[int, int, str]:
    """Return the sort key of events: onset, then offset, then id."""
    return (event.onset, event.offset, event.id)
