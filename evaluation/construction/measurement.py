"""Measured dynamics: what an event log is like, by interaction type.

Works on any log with these kinds, whether it was constructed or not: it sees events, never the acts behind them.

Measures
--------
- **turn length**: mean of TURN, onset to offset, holds and cut-off turns included.
- **rates**: events of a kind per minute of conversation, lead and tail included.
- **cut off**: a TURN that an INTERRUPTION with that holder before it begins inside.
- **early**: a TURN that begins while its `holder_before` still speaks.
- **overlap events**: all events but holds that overlap another speaker's speech, an early or interrupting one counted
  once; the event that was spoken into is none.
- **overlap share**: time in which two or more speak, of the time in which anybody does.
- **gaps**: from the end of a floor act to the onset of the next one that is no interruption; negative is overlap.

MultiPartyTurnBench §3.2, App. C.2, D.1
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import quantiles

from annotation.events import FloorEvent
from evaluation.construction.acts import FLOOR_KINDS, Interaction, Kind, ResolvedConversation, Span

ALL = "All"
"""Name of the row over every type."""

GAP_QUANTILES = (10, 50, 90)


@dataclass(frozen=True, slots=True)
class EventLog:
    """The events of one conversation and its length, in frames."""

    interaction: str
    rate_hz: int
    frames: int
    events: tuple[FloorEvent, ...]


@dataclass(frozen=True, slots=True)
class DynamicsRow:
    """Measured dynamics of one type; times in seconds, None where nothing was there to measure.

    Parameters
    ----------
    counts
        Events by kind.
    gap_quantiles_s
        Of the gaps, at `GAP_QUANTILES` percent; empty with fewer than two gaps.
    """

    interaction: str
    conversations: int
    minutes: float
    counts: Mapping[str, int]
    cut_off: int
    early: int
    overlap_events: int
    turn_s: float | None
    hold_s: float | None
    shortest_hold_s: float | None
    overlap_share: float | None
    gap_quantiles_s: tuple[float, ...]

    @property
    def events(self) -> int:
        """Events of all kinds."""
        return sum(self.counts.values())

    @property
    def events_per_minute(self) -> float:
        """Events of all kinds per minute."""
        return self.events / self.minutes

    @property
    def interruptions_per_minute(self) -> float:
        """INTERRUPTION events per minute."""
        return self.counts.get(Kind.INTERRUPTION, 0) / self.minutes

    def share(self, kind: Kind) -> float:
        """Return the share of a kind among all events."""
        return self.counts.get(kind, 0) / self.events


def log_of(resolved: ResolvedConversation) -> EventLog:
    """Return the event log of a constructed conversation."""
    return EventLog(resolved.conversation.interaction, resolved.rate_hz, resolved.frames, resolved.events)


def measure(logs: Iterable[EventLog]) -> tuple[DynamicsRow, ...]:
    """Return a row for each interaction type that has logs, the six in their order, others after, and one over all.

    MultiPartyTurnBench App. D.1
    """
    tallies: dict[str, _Tally] = {}
    whole = _Tally()
    for log in logs:
        tallies.setdefault(log.interaction, _Tally()).add(log)
        whole.add(log)
    known = [each.value for each in Interaction]
    order = sorted(tallies, key=lambda name: (known.index(name) if name in known else len(known), name))
    rows = [tallies[name].row(name) for name in order]
    return (*rows, whole.row(ALL)) if rows else ()


@dataclass(slots=True)
class _Tally:
    """Sums over the logs of one type."""

    conversations: int = 0
    seconds: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    cut_off: int = 0
    early: int = 0
    overlap_events: int = 0
    turns_s: list[float] = field(default_factory=list)
    holds_s: list[float] = field(default_factory=list)
    gaps_s: list[float] = field(default_factory=list)
    spoken_s: float = 0.0
    together_s: float = 0.0

    def add(self, log: EventLog) -> None:
        """Add one conversation."""
        rate_hz = log.rate_hz
        self.conversations += 1
        self.seconds += log.frames / rate_hz
        self.counts.update(event.kind for event in log.events)
        self.turns_s += [event.length / rate_hz for event in log.events if event.kind == Kind.TURN]
        self.holds_s += [event.length / rate_hz for event in log.events if event.kind == Kind.HOLD]
        floor = sorted((event for event in log.events if event.kind in FLOOR_KINDS), key=lambda event: event.onset)
        for before, after in pairwise(floor):
            if after.kind == Kind.INTERRUPTION:
                self.cut_off += before.kind == Kind.TURN and after.holder_before == before.speaker
            else:
                self.gaps_s.append((after.onset - before.offset) / rate_hz)
                self.early += after.onset < before.offset
        speech = _speech(log.events)
        self.overlap_events += sum(_joins(event, speech) for event in log.events)
        spoken, together = _activity([span for spans in speech.values() for span in spans])
        self.spoken_s += spoken / rate_hz
        self.together_s += together / rate_hz

    def row(self, interaction: str) -> DynamicsRow:
        """Return the sums as figures."""
        cuts = quantiles(self.gaps_s, n=100, method="inclusive") if len(self.gaps_s) > 1 else []
        return DynamicsRow(
            interaction,
            self.conversations,
            self.seconds / 60,
            dict(self.counts),
            self.cut_off,
            self.early,
            self.overlap_events,
            turn_s=_mean(self.turns_s),
            hold_s=_mean(self.holds_s),
            shortest_hold_s=min(self.holds_s, default=None),
            overlap_share=self.together_s / self.spoken_s if self.spoken_s else None,
            gap_quantiles_s=tuple(cuts[percent - 1] for percent in GAP_QUANTILES) if cuts else (),
        )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _speech(events: Iterable[FloorEvent]) -> dict[str, list[Span]]:
    """Return where each speaker speaks: all events but the holds, less the holds."""
    events = tuple(events)
    speech: dict[str, list[Span]] = {}
    for event in events:
        if event.kind == Kind.HOLD:
            continue
        spans = [Span(event.onset, event.offset)]
        for hold in events:
            if hold.kind == Kind.HOLD and hold.speaker == event.speaker:
                spans = [piece for span in spans for piece in _without(span, hold)]
        speech.setdefault(event.speaker, []).extend(spans)
    return speech


def _without(span: Span, hold: FloorEvent) -> list[Span]:
    if hold.offset <= span.onset or span.offset <= hold.onset:
        return [span]
    pieces = [Span(span.onset, hold.onset), Span(hold.offset, span.offset)]
    return [piece for piece in pieces if piece.length > 0]


def _joins(event: FloorEvent, speech: Mapping[str, Sequence[Span]]) -> bool:
    """Return whether an event is spoken into somebody else's speech that began before it.

    An aside or interruption joins its holder; a turn joins the last one when it begins early.
    """
    if event.kind == Kind.HOLD or not event.holder_before or event.holder_before == event.speaker:
        return False
    return any(span.onset < event.offset and event.onset < span.offset for span in speech.get(event.holder_before, ()))


def _activity(spans: Iterable[Span]) -> tuple[int, int]:
    """Return for how many frames one or more speak, and two or more."""
    edges = sorted((frame, step) for span in spans for frame, step in ((span.onset, 1), (span.offset, -1)))
    spoken = together = active = last = 0
    for frame, step in edges:
        spoken += (frame - last) if active >= 1 else 0
        together += (frame - last) if active >= 2 else 0
        active += step
        last = frame
    return spoken, together
