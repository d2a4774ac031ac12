"""The orchestrator: who holds the floor, by which act, when, and how it ends.

It turns a script into symbolic acts, as the floor plan asks: which turns are cut off by whom, where speakers pause, who
mutters what into whose turn. Times are relative, so that they hold whatever length the speech turns out to have.

MultiPartyTurnBench §3.1, App. C.1, C.3
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from annotation.events import NOBODY
from evaluation.construction.acts import (
    Act,
    Cause,
    Kind,
    Relation,
    Sound,
    SymbolicConversation,
    Timing,
)
from evaluation.construction.dynamics import Dynamics, FloorPlan, built_in_dynamics
from evaluation.construction.grammar import built_in_grammar, joined
from evaluation.construction.script import Line, Script, SpeechPace, check_script
from evaluation.construction.seeds import stream

LEAD_MS = 800
CUT_SHARES = (0.6, 0.85)
"""Between which shares of what a speaker would have said an interruption begins."""

ASIDE_SHARES = (0.12, 0.9)
PAUSE_SHARES = (0.1, 0.5)
ROOM_AN_ASIDE_S = 1.5
"""Seconds of a turn for each aside under it."""

SHORTEST_HOST_S = 2.2
"""A turn that is to be cut off, or spoken into, is planned at least this long."""

LONGEST_GAP_MS = 1400
SHORTEST_GAP_MS = 40
HESITATION_CHANCE = 0.6

SOUNDS = {
    Sound.LAUGH: 5,
    Sound.CHUCKLE: 4,
    Sound.COUGH: 2,
    Sound.THROAT: 2,
    Sound.SIGH: 1,
    Sound.SNIFF: 1,
}
"""How often each sound without words is made."""


@dataclass(slots=True)
class _Floor:
    """What was decided about one line."""

    interrupts: bool = False
    cut: bool = False
    early: bool = False
    holds: list[bool] = field(default_factory=list)
    """One entry a hold: whether it is contested."""


def orchestrate(
    script: Script,
    plan: FloorPlan,
    *,
    pace: SpeechPace | None = None,
    dynamics: Dynamics | None = None,
) -> SymbolicConversation:
    """Return the acts of a conversation.

    The same script and plan give the same acts. Acts that find no place (in a very short conversation, say) are left
    out, so the counts are the plan's or, rarely, fewer.

    Raises
    ------
    ScriptError
        If the script does not answer the plan's request.
    """
    pace = pace or SpeechPace()
    check_script(script, plan.request(pace))
    return _Orchestrator(script, plan, pace, dynamics or built_in_dynamics()).conversation()


class _Orchestrator:
    """One conversation on its way from lines to acts."""

    def __init__(self, script: Script, plan: FloorPlan, pace: SpeechPace, dynamics: Dynamics) -> None:
        self._script = script
        self._plan = plan
        self._pace = pace
        self._dynamics = dynamics
        self._numbers = stream(plan.seed, "orchestration")
        self._sounds = built_in_grammar().phrases.sounds
        self._seconds = [pace.seconds(_text(line)) for line in script.lines]
        self._floors = [_Floor() for _ in script.lines]
        self._acts: list[Act] = []

    def conversation(self) -> SymbolicConversation:
        self._choose_interruptions()
        self._choose_holds()
        self._choose_early_turns()
        for position in range(len(self._script.lines)):
            self._add_floor_act(position)
        self._add_asides()
        return SymbolicConversation(
            self._plan.id,
            self._plan.interaction,
            self._script.topic,
            self._plan.speakers,
            tuple(self._acts),
            self._plan.seed,
            split=self._plan.split,
            lead_ms=LEAD_MS,
        )

    def _choose_interruptions(self) -> None:
        """Choose turns that are cut off: long ones first, rather no question, and none next to another."""
        lines = self._script.lines
        ranks = [
            (
                line.question or lines[position + 1].answers,
                self._seconds[position] < SHORTEST_HOST_S,
                self._numbers.random(),
                position,
            )
            for position, line in enumerate(lines[:-1])
        ]
        left = self._plan.interruptions
        for *_, position in sorted(ranks):
            around = self._floors[max(position - 1, 0) : position + 3]
            if left and not any(floor.cut or floor.interrupts for floor in around):
                self._floors[position].cut = True
                self._floors[position + 1].interrupts = True
                left -= 1

    def _choose_holds(self) -> None:
        """Spread holds over turns that are neither cut off nor interruptions, long ones first."""
        candidates = [
            position
            for position, floor in enumerate(self._floors)
            if not floor.cut and not floor.interrupts and self._pauses_of(position) > 0
        ]
        contested = [number < self._plan.contested for number in range(self._plan.holds)]
        self._numbers.shuffle(contested)
        for is_contested in contested:
            free = [each for each in candidates if len(self._floors[each].holds) < self._pauses_of(each)]
            if not free:
                return
            weights = [self._seconds[each] / (1 + 4 * len(self._floors[each].holds)) for each in free]
            self._floors[self._numbers.choices(free, weights)[0]].holds.append(is_contested)

    def _pauses_of(self, position: int) -> int:
        """Return how many pauses a line can have: between its sentences, or after a hesitation before the first."""
        line = self._script.lines[position]
        return min(max(len(line.sentences) - 1, 1 if line.hesitations else 0), 2)

    def _choose_early_turns(self) -> None:
        free = [
            position
            for position, floor in enumerate(self._floors)
            if position and not floor.interrupts and self._seconds[position] >= 1.2
        ]
        for position in self._numbers.sample(free, min(self._plan.early, len(free))):
            self._floors[position].early = True

    def _add_floor_act(self, position: int) -> None:
        line, floor = self._script.lines[position], self._floors[position]
        parts = self._parts(position)
        previous = self._script.lines[position - 1] if position else None
        if floor.interrupts and previous is not None:
            before, cause = previous.speaker, Cause.CLAIMED
            timing = Timing(Relation.AT_SHARE, position - 1, share=round(self._numbers.uniform(*CUT_SHARES), 3))
        else:
            before = previous.speaker if previous is not None and floor.early else NOBODY
            cause = _cause(previous, line)
            timing = self._turn_timing(position)
        self._acts.append(
            Act(
                position,
                line.speaker,
                Kind.INTERRUPTION if floor.interrupts else Kind.TURN,
                parts,
                timing,
                holder_before=before,
                holder_after=line.speaker,
                cause=cause,
                pauses_ms=tuple(self._numbers.randint(*self._dynamics.hold_ms) for _ in parts[1:]),
                cut_by=position + 1 if floor.cut else None,
                yield_ms=self._numbers.randint(*self._dynamics.yield_ms) if floor.cut else None,
                question=line.question and not floor.cut,
                addressee=line.addressee,
            )
        )

    def _turn_timing(self, position: int) -> Timing:
        if position == 0:
            return Timing(Relation.START, ms=LEAD_MS)
        if self._floors[position].early:
            return Timing(Relation.AFTER_END, position - 1, ms=-self._numbers.randint(*self._dynamics.early_ms))
        mean_ms = self._dynamics.interactions[self._plan.interaction].gap_ms
        gap_ms = SHORTEST_GAP_MS + self._numbers.gammavariate(2, (mean_ms - SHORTEST_GAP_MS) / 2)
        return Timing(Relation.AFTER_END, position - 1, ms=min(round(gap_ms), LONGEST_GAP_MS))

    def _parts(self, position: int) -> tuple[str, ...]:
        """Return what is said in the wording that the floor asks for, in as many parts as it has holds and one more."""
        line, floor = self._script.lines[position], self._floors[position]
        sentences = list(line.sentences)
        if floor.interrupts and line.interrupting:
            sentences[0] = line.interrupting
        elif self._was_cut(position) and line.resuming and not line.answers:
            sentences[0] = line.resuming
        elif line.reaction and not floor.interrupts:
            sentences[0] = f"{line.reaction} {sentences[0]}"
        if floor.cut and line.tail:
            sentences[-1] = f"{sentences[-1].rstrip('.?!')}, {line.tail}"
        if not floor.holds:
            return (" ".join(sentences),)
        return self._with_pauses(sentences, len(floor.holds), line.hesitations)

    def _was_cut(self, position: int) -> bool:
        """Return whether the speaker was cut off two lines before."""
        return (
            position >= 2
            and self._floors[position - 2].cut
            and self._script.lines[position - 2].speaker == self._script.lines[position].speaker
        )

    def _with_pauses(self, sentences: list[str], pauses: int, hesitations: Sequence[str]) -> tuple[str, ...]:
        if len(sentences) == 1:
            return self._continued((hesitations[0], sentences[0]))
        borders = sorted(self._numbers.sample(range(1, len(sentences)), pauses))
        pieces = [sentences[first:last] for first, last in zip([0, *borders], [*borders, None], strict=True)]
        for number, piece in enumerate(pieces[:-1]):
            if number < len(hesitations) and self._numbers.random() < HESITATION_CHANCE:
                piece.append(hesitations[number])
        return self._continued(" ".join(piece) for piece in pieces)

    def _continued(self, parts: Iterable[str]) -> tuple[str, ...]:
        """Return parts, those with a small letter that go on with a sentence after the pause."""
        names = frozenset(speaker.name for speaker in self._plan.speakers)
        continued: list[str] = []
        for part in parts:
            goes_on = bool(continued) and continued[-1].endswith(",")
            continued.append(joined(",", part, names).removeprefix(", ") if goes_on else part)
        return tuple(continued)

    def _add_asides(self) -> None:
        room = [self._room_of(position) for position in range(len(self._floors))]
        heard: dict[tuple[int, Kind], int] = {}
        kinds = [Kind.FAILED_CLAIM] * self._plan.failed_claims + [Kind.BACKCHANNEL] * self._plan.backchannels
        kinds += [Kind.NON_CONTENT] * self._plan.non_content
        for position, number in self._contested_holds():
            words = [each for each in kinds if each is not Kind.NON_CONTENT]
            if words:
                contender = self._numbers.choice(words)
                kinds.remove(contender)
                timing = Timing(Relation.IN_PAUSE, position, share=self._share(PAUSE_SHARES), pause=number)
                self._add_aside(position, contender, timing, heard)
        for kind in kinds:
            weights = [max(seconds - 0.5 * _asides_at(heard, each), 0.0) for each, seconds in enumerate(room)]
            if not any(weights):
                return
            position = self._numbers.choices(range(len(room)), weights)[0]
            room[position] -= ROOM_AN_ASIDE_S
            if room[position] < ROOM_AN_ASIDE_S / 2:
                room[position] = 0
            timing = Timing(Relation.AT_SHARE, position, share=self._share(ASIDE_SHARES))
            self._add_aside(position, kind, timing, heard)

    def _room_of(self, position: int) -> float:
        """Return the seconds of a line that others may speak into."""
        seconds = self._seconds[position]
        return seconds if seconds >= SHORTEST_HOST_S else 0.0

    def _contested_holds(self) -> list[tuple[int, int]]:
        return [
            (position, number)
            for position, floor in enumerate(self._floors)
            for number, contested in enumerate(floor.holds)
            if contested
        ]

    def _share(self, bounds: tuple[float, float]) -> float:
        return round(self._numbers.uniform(*bounds), 3)

    def _add_aside(self, position: int, kind: Kind, timing: Timing, heard: dict[tuple[int, Kind], int]) -> None:
        line = self._script.lines[position]
        count = heard.get((position, kind), 0)
        heard[position, kind] = count + 1
        text, sound = self._aside_text(line, kind, count)
        self._acts.append(
            Act(
                len(self._acts),
                self._aside_speaker(position),
                kind,
                (text,),
                timing,
                holder_before=line.speaker,
                holder_after=line.speaker,
                sound=sound,
            )
        )

    def _aside_text(self, line: Line, kind: Kind, count: int) -> tuple[str, Sound | None]:
        if kind is Kind.NON_CONTENT:
            sound = self._numbers.choices(tuple(SOUNDS), tuple(SOUNDS.values()))[0]
            return self._numbers.choice(self._sounds[sound]), sound
        offered = line.backchannels if kind is Kind.BACKCHANNEL else line.claims
        if not offered:
            return ("Mm hm." if kind is Kind.BACKCHANNEL else "But—"), None
        return offered[count % len(offered)], None

    def _aside_speaker(self, position: int) -> str:
        """Return somebody else than the holder, and rather not who speaks right before or after."""
        lines = self._script.lines
        near = {lines[each].speaker for each in (position - 1, position + 1) if 0 <= each < len(lines)}
        others = [each.id for each in self._plan.speakers if each.id != lines[position].speaker]
        return self._numbers.choices(others, [1 if each in near else 3 for each in others])[0]


def _asides_at(heard: dict[tuple[int, Kind], int], position: int) -> int:
    return sum(count for (place, _), count in heard.items() if place == position)


def _text(line: Line) -> str:
    return f"{line.reaction} {' '.join(line.sentences)}"


def _cause(previous: Line | None, line: Line) -> Cause:
    if previous is None:
        return Cause.OPENING
    return Cause.SELECTED if previous.question and previous.addressee == line.speaker else Cause.SELF_SELECTED
