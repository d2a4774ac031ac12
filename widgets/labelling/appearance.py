"""How events look: from the domain's events to the timeline's spans, and to words."""

from collections.abc import Iterable

from annotation.conversation import Conversation
from annotation.events import FloorEvent
from annotation.scheme import Scheme
from widgets.marking.look import KindLook
from widgets.timeline.values import Span


class Appearance(KindLook):
    """Names and colours of events in one conversation, under one scheme and theme.

    Parameters
    ----------
    dark
        Whether the dark theme's colours are wanted.
    """

    def __init__(self, *, scheme: Scheme, conversation: Conversation, dark: bool) -> None:
        names = {channel.speaker: channel.display_name for channel in conversation.channels}
        super().__init__(scheme=scheme, names=names, rate_hz=conversation.rate_hz, dark=dark)
        self.conversation = conversation

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
