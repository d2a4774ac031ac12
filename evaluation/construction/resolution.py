"""The resolution: acts that are timed relative to one another become frames, once the length of their speech is known.

The result of `resolve` obeys the rules of the floor whatever the lengths are: one holder or none at any time, every
transfer has a cause, nobody overlaps themselves, asides lie under one turn of another speaker, nobody takes the floor
in a hold, and a turn is cut off where the claim succeeds. Where speech came out too short or too long for what was
planned, it moves acts, turns an interruption into a turn or leaves out an aside, and says so in
`ResolvedConversation.repairs`.

Decisions
---------
- Onsets lie on whole milliseconds where the rate allows it, so that they are short decimals in seconds.
- A holder who is interrupted talks on for the act's `yield_ms`; when word times are given, to the end of a word within
  `SHORTEST_YIELD_MS` to `LONGEST_YIELD_MS` (or to a longer `yield_ms`). The floor changes hands there.
- An aside begins and ends while its host holds the floor, outside the host's pauses unless it is to contest a hold.
- The text of a turn that was cut off ends where it was cut: by word times, else by syllables, and with a dash.

MultiPartyTurnBench §3.1, App. B.1, C.1
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from annotation.errors import InvalidValueError
from annotation.events import NOBODY, FloorEvent
from evaluation.construction.acts import (
    Act,
    Cause,
    Kind,
    PartFrames,
    PlacedAct,
    Relation,
    Repair,
    ResolvedConversation,
    Span,
    SymbolicConversation,
    Timing,
    Transfer,
)
from evaluation.construction.script import SpeechPace, syllables

SHORTEST_YIELD_MS = 200
LONGEST_YIELD_MS = 600
SOLO_MS = 800
"""An interruption begins when its host has talked for at least so long."""

KEPT_MS = 300
"""A new holder goes on for at least so long after the last one has stopped."""

GUARD_MS = 80
"""Silence between two contributions of one speaker, and the least distance of an aside from a hold."""

OUTLASTS_MS = 400
"""The holder goes on for at least so long after a failed claim."""

WordEnds = Mapping[tuple[int, int], Sequence[int]]
"""Frames from the beginning of a part to the end of each of its words, for every (act, part) that has word times."""


def resolve(
    conversation: SymbolicConversation,
    part_frames: PartFrames,
    rate_hz: int,
    *,
    word_ends: WordEnds | None = None,
) -> ResolvedConversation:
    """Return the conversation in frames.

    Parameters
    ----------
    part_frames
        Frames of speech of every part of every act, at least 1 each.
    rate_hz
        Frames a second.
    word_ends
        Where words end, so that an interrupted turn ends with a word.

    Raises
    ------
    InvalidValueError
        If the length of a part is missing or not positive, or an aside is timed from another aside.
    """
    for act in conversation.acts:
        for part in range(len(act.parts)):
            if part_frames.get((act.index, part), 0) <= 0:
                raise InvalidValueError(
                    f"Part {part} of act {act.index} has no length.", where=conversation.id, remedy="Synthesise it."
                )
    return _Resolver(conversation, part_frames, rate_hz, word_ends or {}).resolved()


@dataclass(slots=True)
class _Tenure:
    """A placed floor act, and from when it holds the floor: later than its onset where it began early."""

    placed: PlacedAct
    since: int


class _Resolver:
    """One conversation on its way to frames: floor acts first, then what others do meanwhile."""

    def __init__(
        self, conversation: SymbolicConversation, part_frames: PartFrames, rate_hz: int, word_ends: WordEnds
    ) -> None:
        self._conversation = conversation
        self._part_frames = part_frames
        self._rate_hz = rate_hz
        self._word_ends = word_ends
        self._tenures: dict[int, _Tenure] = {}
        self._asides: list[PlacedAct] = []
        self._repairs: list[Repair] = []
        self._transfers: list[Transfer] = []

    def resolved(self) -> ResolvedConversation:
        floor_acts = [act for act in self._conversation.acts if act.takes_floor]
        for position, act in enumerate(floor_acts):
            self._place_floor_act(act, floor_acts[position - 1] if position else None)
        self._note_transfers()
        asides = [act for act in self._conversation.acts if not act.takes_floor]
        for act in sorted(asides, key=lambda act: act.timing.relation is not Relation.IN_PAUSE):
            self._place_aside(act)
        placed = [tenure.placed for tenure in self._tenures.values()] + self._asides
        placed.sort(key=lambda each: each.act.index)
        end = max(each.offset for each in placed) if placed else 0
        return ResolvedConversation(
            self._conversation,
            self._rate_hz,
            self._on_grid(end + self._frames(self._conversation.tail_ms), up=True),
            tuple(placed),
            _events(self._conversation.id, placed, self._heard),
            tuple(self._transfers),
            tuple(self._repairs),
        )

    def _heard(self, placed: PlacedAct) -> str:
        """Return what of an act's text was heard."""
        text = placed.act.text
        if not placed.cut:
            return text
        words = text.split()
        length = placed.spans[0].length
        ends = self._word_ends.get((placed.act.index, 0))
        if ends is None or len(ends) != len(words):
            weights = list(accumulate(syllables(word) for word in words))
            full = self._part_frames[placed.act.index, 0]
            ends = [full * weight // weights[-1] for weight in weights]
        return " ".join(words[: max(sum(end <= length for end in ends), 1)]).rstrip(".,?!") + "—"

    def _frames(self, ms: float) -> int:
        """Return milliseconds as frames, rounded up, so that no pause is shorter than it was meant to be."""
        return -int(-ms * self._rate_hz // 1000)

    def _on_grid(self, frame: int, *, up: bool = False) -> int:
        grid = self._rate_hz // 1000 if self._rate_hz % 1000 == 0 else 1
        return -(-frame // grid) * grid if up else frame // grid * grid

    def _spans(self, act: Act, onset: int) -> tuple[Span, ...]:
        """Return where the parts of an act lie when it is said to its end; parts after a pause begin on the grid."""
        spans = []
        for part in range(len(act.parts)):
            spans.append(Span(onset, onset + self._part_frames[act.index, part]))
            if part < len(act.pauses_ms):
                onset = self._on_grid(spans[-1].offset + self._frames(act.pauses_ms[part]), up=True)
        return tuple(spans)

    def _place_floor_act(self, act: Act, previous: Act | None) -> None:
        if previous is None:
            onset = self._frames(act.timing.ms)
            self._tenures[act.index] = _Tenure(PlacedAct(act, self._spans(act, self._on_grid(onset, up=True))), onset)
            return
        before = self._tenures[previous.index]
        if act.kind is Kind.INTERRUPTION:
            if self._interrupt(act, before):
                return
            act = self._made_turn(act, before)
        self._follow(act, before)

    def _interrupt(self, act: Act, host: _Tenure) -> bool:
        """Place an interruption and cut its host off; return False when either is too short for that."""
        spans = self._spans(act, 0)
        full = host.placed
        yield_frames = min(
            self._frames(host.placed.act.yield_ms or SHORTEST_YIELD_MS), spans[-1].offset - self._frames(KEPT_MS)
        )
        earliest = max(host.since, full.onset) + self._frames(SOLO_MS)
        latest = full.offset - yield_frames - 1
        if yield_frames < self._frames(SHORTEST_YIELD_MS) or earliest > latest or len(full.spans) > 1:
            return False
        wanted = full.onset + int(act.timing.share * (full.offset - full.onset))
        onset = self._on_grid(min(max(wanted, earliest), latest))
        cut = self._word_end_near(full, onset, onset + yield_frames, onset + spans[-1].offset - self._frames(KEPT_MS))
        host.placed = replace(full, spans=(Span(full.onset, cut),), cut=True)
        self._tenures[act.index] = _Tenure(PlacedAct(act, self._spans(act, onset)), cut)
        return True

    def _word_end_near(self, host: PlacedAct, claim: int, cut: int, latest: int) -> int:
        """Return the end of a word near where the host is to stop, or just there where no word ends in reach."""
        lowest, highest = claim + self._frames(SHORTEST_YIELD_MS), max(claim + self._frames(LONGEST_YIELD_MS), cut)
        ends = [host.onset + end for end in self._word_ends.get((host.act.index, 0), ())]
        fitting = [end for end in ends if lowest <= end <= min(highest, latest) and end < host.offset]
        return min(fitting, key=lambda end: (abs(end - cut), end), default=cut)

    def _made_turn(self, act: Act, host: _Tenure) -> Act:
        """Return an interruption as the turn it becomes when its host had finished before."""
        self._repairs.append(
            Repair(act.index, "The turn before was too short to be cut off; the interruption became a turn after it.")
        )
        uncut = host.placed.act
        host.placed = replace(host.placed, act=replace(uncut, cut_by=None, yield_ms=None))
        timing = Timing(Relation.AFTER_END, uncut.index, ms=0)
        return replace(act, kind=Kind.TURN, timing=timing, holder_before=NOBODY, cause=Cause.SELF_SELECTED)

    def _follow(self, act: Act, before: _Tenure) -> None:
        """Place a turn after the one before, or a little into its last part."""
        last = before.placed.spans[-1]
        wanted = last.offset + (self._frames(act.timing.ms) if act.timing.ms >= 0 else -self._frames(-act.timing.ms))
        first = self._part_frames[act.index, 0]
        earliest = max(
            before.since + self._frames(KEPT_MS),
            last.onset + last.length // 2,
            last.offset - max(first - self._frames(KEPT_MS), 0),
            self._free_from(act.speaker),
        )
        onset = wanted if act.timing.ms >= 0 else min(max(wanted, earliest), last.offset)
        onset = max(onset, self._free_from(act.speaker))
        onset = self._on_grid(onset, up=True)
        early = onset < last.offset
        if act.timing.ms < 0 and not early:
            self._repairs.append(Repair(act.index, "There was no room to begin early; the turn begins after the last."))
        act = replace(act, holder_before=before.placed.act.speaker if onset <= last.offset else NOBODY)
        self._tenures[act.index] = _Tenure(PlacedAct(act, self._spans(act, onset)), max(onset, last.offset))

    def _free_from(self, speaker: str) -> int:
        """Return from which frame on a speaker may begin another floor act."""
        ends = [each.placed.offset for each in self._tenures.values() if each.placed.act.speaker == speaker]
        return max(ends) + self._frames(GUARD_MS) if ends else 0

    def _note_transfers(self) -> None:
        tenures = list(self._tenures.values())
        holder = NOBODY
        for tenure, following in zip(tenures, [*tenures[1:], None], strict=True):
            act = tenure.placed.act
            self._transfers.append(Transfer(tenure.since, holder, act.speaker, act.cause, act.index))
            holder = act.speaker
            if following is None or following.since > tenure.placed.offset:
                self._transfers.append(Transfer(tenure.placed.offset, holder, NOBODY, Cause.YIELDED, act.index))
                holder = NOBODY

    def _place_aside(self, act: Act) -> None:
        """Place an aside under its turn, else under the nearest turn that has room for it, else leave it out."""
        anchor = act.timing.anchor
        if anchor not in self._tenures:
            raise InvalidValueError("An aside is timed from a turn.", where=f"{self._conversation.id}, act {act.index}")
        if self._place_under(act, self._tenures[anchor]):
            return
        order = list(self._tenures)
        for host in sorted(order, key=lambda each: (abs(order.index(each) - order.index(anchor)), each)):
            tenure = self._tenures[host]
            holder = tenure.placed.act.speaker
            timing = Timing(Relation.AT_SHARE, host, share=act.timing.share)
            moved = replace(act, timing=timing, holder_before=holder, holder_after=holder)
            if holder != act.speaker and self._place_under(moved, tenure):
                self._repairs.append(Repair(act.index, "There was no room for it where it was planned. It was moved."))
                return
        self._repairs.append(Repair(act.index, "There was no room for it under any turn. It was left out."))

    def _place_under(self, act: Act, host: _Tenure) -> bool:
        """Place an aside under a turn, as near to its time as there is room; return False when there is none."""
        length = self._spans(act, 0)[-1].offset
        floor = host.placed
        latest = floor.offset - length - (self._frames(OUTLASTS_MS) if act.kind is Kind.FAILED_CLAIM else 0)
        pauses = _pauses(floor)
        if act.timing.relation is Relation.IN_PAUSE:
            if act.timing.pause >= len(pauses):
                return False
            pause = pauses[act.timing.pause]
            wanted = pause.onset + int(act.timing.share * pause.length)
            allowed = Span(pause.onset, min(pause.offset - 1, latest) + 1)
            taken = self._busy(act.speaker)
        else:
            wanted = floor.onset + int(act.timing.share * (floor.offset - floor.onset))
            allowed = Span(max(floor.onset, host.since), latest + 1)
            guard = self._frames(GUARD_MS)
            near = [Span(pause.onset - guard, pause.offset + guard) for pause in pauses]
            taken = [*self._busy(act.speaker), *near]
        onset = self._nearest_free(wanted, length, allowed, taken)
        if onset is not None:
            self._asides.append(PlacedAct(act, self._spans(act, onset)))
        return onset is not None

    def _busy(self, speaker: str) -> list[Span]:
        """Return where a speaker speaks or pauses, with some silence on both sides."""
        guard = self._frames(GUARD_MS)
        placed = [tenure.placed for tenure in self._tenures.values()] + self._asides
        return [Span(each.onset - guard, each.offset + guard) for each in placed if each.act.speaker == speaker]

    def _nearest_free(self, wanted: int, length: int, allowed: Span, taken: Iterable[Span]) -> int | None:
        """Return the onset nearest to `wanted` at which a stretch overlaps nothing that is taken, or None.

        Parameters
        ----------
        allowed
            Which onsets are; the last is before its offset.
        """
        spans = list(taken)
        candidates = {min(max(wanted, allowed.onset), allowed.offset - 1), allowed.onset, allowed.offset - 1}
        candidates |= {edge for span in spans for edge in (span.offset, span.onset - length)}
        onsets = {self._on_grid(each, up=up) for each in candidates for up in (False, True)}
        free = [
            onset
            for onset in onsets
            if allowed.onset <= onset < allowed.offset
            and not any(onset < span.offset and span.onset < onset + length for span in spans)
        ]
        return min(free, key=lambda onset: (abs(onset - wanted), onset), default=None)


def _pauses(placed: PlacedAct) -> list[Span]:
    return [Span(before.offset, after.onset) for before, after in pairwise(placed.spans)]


def _events(
    conversation_id: str, acts: Iterable[PlacedAct], heard: Callable[[PlacedAct], str]
) -> tuple[FloorEvent, ...]:
    """Return the floor events of placed acts, by onset; numbers in the ids follow that order."""
    raw: list[tuple[int, int, Act, Kind, str]] = []
    for placed in acts:
        text = "" if placed.act.kind is Kind.NON_CONTENT else heard(placed)
        raw.append((placed.onset, placed.offset, placed.act, placed.act.kind, text))
        raw += [(pause.onset, pause.offset, placed.act, Kind.HOLD, "") for pause in _pauses(placed)]
    raw.sort(key=lambda each: (each[0], each[1], each[2].index))
    return tuple(
        FloorEvent(
            act.speaker,
            kind.value,
            onset,
            offset,
            holder_before=act.speaker if kind is Kind.HOLD else act.holder_before,
            holder_after=act.holder_after,
            text=text,
            id=f"{conversation_id}-{number:04}",
        )
        for number, (onset, offset, act, kind, text) in enumerate(raw)
    )


def planned_frames(conversation: SymbolicConversation, rate_hz: int, pace: SpeechPace) -> PartFrames:
    """Return how long all parts are planned to be, for a conversation that is not synthesised."""
    return {
        (act.index, part): max(round(pace.seconds(text) * rate_hz), 1)
        for act in conversation.acts
        for part, text in enumerate(act.parts)
    }
