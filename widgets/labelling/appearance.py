"""How events look: from the domain's events to the timeline's spans, and to words."""

from collections.abc import Iterable

from annotation.conversation import Conversation
from annotation.events import NOBODY, FloorEvent
from annotation.scheme import Scheme
from annotation.timebase import text_from_frame
from widgets.timeline.values import Span

UNKNOWN_KIND_LIGHT = "#5a6472"
UNKNOWN_KIND_DARK = "#aab4c3"


class Appearance:
    """Names and colours of events in one conversation, under one scheme and theme.

    Parameters
    ----------
    dark
        Whether the dark theme's colours are wanted.
    """

    def __init__(self, *, scheme: Scheme, conversation: Conversation, dark: bool) -> None:
        self.scheme = scheme
        self.conversation = conversation
        self._dark = dark
        self._kinds = {kind.id: kind for kind in scheme.kinds}
        self._names = {channel.speaker: channel.display_name for channel in conversation.channels}

    def kind_name(self, kind_id: str) -> str:
        """Return what a kind is called; a kind that the scheme does not know is called by its id."""
        kind = self._kinds.get(kind_id)
        return kind.name if kind else kind_id

    def speaker_name(self, speaker: str) -> str:
        """Return what a speaker is called on screen."""
        return self._names.get(speaker, speaker)

    def holder_name(self, holder: str | None) -> str:
        """Return who holds the floor, in words; a dash where no answer was given."""
        if holder is None:
            return "–"
        return "nobody" if holder == NOBODY else self.speaker_name(holder)

    def colour(self, kind_id: str) -> str:
        """Return a kind's colour as ``#rrggbb``."""
        kind = self._kinds.get(kind_id)
        if kind is None:
            return UNKNOWN_KIND_DARK if self._dark else UNKNOWN_KIND_LIGHT
        return kind.dark if self._dark else kind.light

    def letter(self, kind_id: str) -> str:
        """Return a kind's letter; for an unknown kind the first letter of its id."""
        kind = self._kinds.get(kind_id)
        return kind.letter if kind else kind_id[:1].upper()

    def time(self, frame: int) -> str:
        """Return a frame's time in seconds with three digits."""
        return text_from_frame(frame, self.conversation.rate_hz)

    def sentence(self, event: FloorEvent) -> str:
        """Return an event in words, as a screen reader says it: “Turn, Anna, 12.340 to 13.100 s”."""
        who = f"{self.kind_name(event.kind)}, {self.speaker_name(event.speaker)}"
        return f"{who}, {self.time(event.onset)} to {self.time(event.offset)} s"

    def tip(self, event: FloorEvent) -> str:
        """Return all that is known of an event, a line each."""
        lines = [self.sentence(event)]
        if event.holder_before is not None or event.holder_after is not None:
            lines.append(f"Floor: {self.holder_name(event.holder_before)} → {self.holder_name(event.holder_after)}")
        lines.extend(part for part in (event.text, event.comment) if part)
        return "\n".join(lines)

    def spans(self, events: Iterable[FloorEvent], *, editable: bool) -> tuple[Span, ...]:
        """Return events, in their order, as spans of the timeline."""
        return tuple(
            Span(
                id=event.id,
                onset=event.onset,
                offset=event.offset,
                label=event.text or self.kind_name(event.kind),
                letter=self.letter(event.kind),
                colour=self.colour(event.kind),
                editable=editable,
                tip=self.tip(event),
            )
            for event in events
        )
