"""Dynamics: how many acts of each kind a conversation gets, who speaks, and for how long.

``resources/grammar/dynamics.json`` holds the figures: what the paper publishes, and rates a minute for each interaction
type. The rates give every conversation its share; the totals of a whole corpus are the published ones, to the act.

Decisions
---------
- The paper gives 6,116 events, 3,422 of them turns that yield, 241 holds, 367 interruptions, 1,481 backchannels and
  non-content; the 605 left are turns cut off and failed claims. Here every interruption cuts off one TURN, never
  another interruption, so 367 turns are cut off, 238 claims fail and 3,789 events are TURNs.
- The paper gives interruptions a minute for one type, turn lengths and events a minute for two. The other figures of
  the table are ours, chosen so that the totals and the 6.89 hours come out.
- 15 % of holds are contested (28 of 186, App. F.8); about 11 % of turns begin before the last one has ended, so that
  the overlap events are about 2,436 (App. C.3).

MultiPartyTurnBench §3.2, App. C, D.1, F.8
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import msgspec

from annotation.errors import FloorscopeError, InvalidValueError
from evaluation.construction.acts import Interaction, Speaker
from evaluation.construction.grammar import LARGEST_FILE_BYTES, Names
from evaluation.construction.plan import PlannedConversation
from evaluation.construction.script import LineBrief, ScriptRequest, SpeechPace
from evaluation.construction.seeds import stream

SHORTEST_LINE_S = 1.3
FEWEST_LINES = 4
LINES_AN_INTERRUPTION = 3
"""At most one floor act in so many is an interruption: its host and the turn after it stand apart from the next."""

COUNT_SPREAD = 0.22
"""Standard deviation of the logarithm of a conversation's share of the acts."""


class DynamicsError(FloorscopeError):
    """A table of dynamics that cannot be used."""

    code = "dynamics"


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Totals of the published corpus."""

    conversations: int
    seconds: float
    turns: int
    interruptions: int
    failed_claims: int
    listener_acts: int
    holds: int


class Manners(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures of one interaction type; counts are per minute.

    `turn_s` is the mean length of a TURN that is wanted; `line_s` is what a writer is asked for, so that it comes out
    with pauses, interruptions and the built-in writer's habits. `spread` is the standard deviation of the logarithm of
    a line's length, `gap_ms` the mean silence before a turn that does not begin early; `listener_acts` are
    backchannels and non-content together.
    """

    turn_s: float
    line_s: float
    spread: float
    gap_ms: float
    turns: float
    interruptions: float
    failed_claims: float
    listener_acts: float
    holds: float


class Dynamics(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table; pairs are lowest and highest, in milliseconds."""

    published: Published
    non_content_share: float
    contested_share: float
    early_share: float
    hold_ms: tuple[int, int]
    yield_ms: tuple[int, int]
    early_ms: tuple[int, int]
    speaker_count_factor: dict[int, float]
    interactions: dict[Interaction, Manners]


@cache
def built_in_dynamics() -> Dynamics:
    """Return the table that ships with Floorscope."""
    return dynamics_from_json(
        files("resources").joinpath("grammar", "dynamics.json").read_bytes(), where="dynamics.json"
    )


def dynamics_from_json(data: bytes, *, where: str) -> Dynamics:
    """Return the table that a JSON document holds.

    Raises
    ------
    DynamicsError
        With the JSON path of the first fault.
    """
    if len(data) > LARGEST_FILE_BYTES:
        raise DynamicsError("The file is larger than 1 MiB.", where=where)
    try:
        table = msgspec.json.decode(data, type=Dynamics)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DynamicsError(f"This is no table of dynamics: {error}.", where=where) from error
    if set(table.interactions) != set(Interaction) or set(table.speaker_count_factor) != {2, 3, 4, 5}:
        raise DynamicsError("An interaction type or a speaker count is missing.", where=where)
    return table


@dataclass(frozen=True, slots=True)
class FloorPlan:
    """What the orchestrator is to make of one conversation: how many acts of each kind, and whose lines how long.

    Parameters
    ----------
    turns, interruptions
        TURN and INTERRUPTION acts; together as many as briefs.
    contested
        How many of the holds somebody else speaks into.
    early
        How many turns begin before the last one has ended.
    """

    id: str
    interaction: Interaction
    split: str
    seed: int
    ordinal: int
    speakers: tuple[Speaker, ...]
    briefs: tuple[LineBrief, ...]
    interruptions: int
    failed_claims: int
    backchannels: int
    non_content: int
    holds: int
    contested: int
    early: int

    @property
    def turns(self) -> int:
        """How many of the lines are TURNs."""
        return len(self.briefs) - self.interruptions

    def request(self, pace: SpeechPace | None = None) -> ScriptRequest:
        """Return what a script writer is asked for."""
        return ScriptRequest(
            self.id, self.interaction, self.speakers, self.briefs, self.seed, self.ordinal, pace or SpeechPace()
        )


def floor_plans(
    planned: Sequence[PlannedConversation],
    seed: int,
    *,
    names: Names,
    dynamics: Dynamics | None = None,
    mean_s: float | None = None,
) -> tuple[FloorPlan, ...]:
    """Return a floor plan for each conversation; over a whole grid the totals are the published ones.

    Parameters
    ----------
    seed
        Of the corpus.
    mean_s
        Mean length of a conversation in seconds; the published corpus has 103.35.

    Raises
    ------
    InvalidValueError
        If conversations are to be shorter than 15 s.
    """
    table = dynamics or built_in_dynamics()
    published_s = table.published.seconds / table.published.conversations
    if mean_s is not None and mean_s < 15:
        raise InvalidValueError(f"A conversation of {mean_s:g} s is too short.", remedy="Ask for at least 15 s.")
    scale = (mean_s or published_s) / published_s
    shares = _Shares(planned, table, scale, seed)
    interruptions = shares.counts("interruptions")
    lines = [
        max(turns + claims, FEWEST_LINES, conversation.speakers + 1)
        for turns, claims, conversation in zip(shares.counts("turns"), interruptions, planned, strict=True)
    ]
    interruptions = _within(interruptions, [(count - 1) // LINES_AN_INTERRUPTION for count in lines])
    listener = shares.counts("listener_acts")
    failed = shares.counts("failed_claims")
    holds = _within(shares.counts("holds"), [count // 2 for count in lines])
    non_content = _part(listener, table.non_content_share, stream(seed, "non-content"))
    contested = _part(holds, table.contested_share, stream(seed, "contested"))
    early = _part(
        [count - 1 - claims for count, claims in zip(lines, interruptions, strict=True)],
        table.early_share,
        stream(seed, "early"),
    )
    ordinals: dict[Interaction, int] = {}
    plans = []
    for position, conversation in enumerate(planned):
        manners = table.interactions[conversation.interaction]
        ordinal = ordinals.get(conversation.interaction, 0)
        ordinals[conversation.interaction] = ordinal + 1
        speakers = _speakers(conversation, names)
        plans.append(
            FloorPlan(
                conversation.id,
                conversation.interaction,
                conversation.split,
                conversation.seed,
                ordinal,
                speakers,
                _briefs(conversation, speakers, lines[position], manners),
                interruptions=interruptions[position],
                failed_claims=failed[position],
                backchannels=listener[position] - non_content[position],
                non_content=non_content[position],
                holds=holds[position],
                contested=contested[position],
                early=early[position],
            )
        )
    return tuple(plans)


class _Shares:
    """Parts whole totals among conversations, by their type's rate, their speakers and some chance."""

    def __init__(self, planned: Sequence[PlannedConversation], table: Dynamics, scale: float, seed: int) -> None:
        self._planned = planned
        self._table = table
        self._scale = scale
        self._seed = seed

    def counts(self, kind: str) -> list[int]:
        """Return how many acts of a kind each conversation gets."""
        rates = {interaction: getattr(row, kind) for interaction, row in self._table.interactions.items()}
        factors = self._table.speaker_count_factor if kind != "turns" else dict.fromkeys((2, 3, 4, 5), 1.0)
        per_cell = sum(rates.values()) / len(rates) * sum(factors.values()) / len(factors)
        published = self._table.published
        unit = self._scale * getattr(published, kind) / published.conversations / per_cell
        expected = [rates[each.interaction] * factors[each.speakers] * unit for each in self._planned]
        total = round(sum(expected))
        chances = [
            value * math.exp(stream(each.seed, "share", kind).gauss(0, COUNT_SPREAD))
            for value, each in zip(expected, self._planned, strict=True)
        ]
        return apportioned(total, chances)


def apportioned(total: int, weights: Sequence[float]) -> list[int]:
    """Return whole numbers in proportion to the weights that sum up to the total: largest remainders first."""
    whole = sum(weights)
    if not whole:
        return [0] * len(weights)
    quotas = [total * weight / whole for weight in weights]
    counts = [math.floor(quota) for quota in quotas]
    by_remainder = sorted(range(len(quotas)), key=lambda i: (counts[i] - quotas[i], i))
    for position in by_remainder[: total - sum(counts)]:
        counts[position] += 1
    return counts


def _within(counts: Sequence[int], limits: Sequence[int]) -> list[int]:
    """Return the counts, none over its limit; what is over goes to those with the most room."""
    kept = [min(count, limit) for count, limit in zip(counts, limits, strict=True)]
    for _ in range(sum(counts) - sum(kept)):
        position = max(range(len(kept)), key=lambda i: (limits[i] - kept[i], -i))
        if kept[position] >= limits[position]:
            break
        kept[position] += 1
    return kept


def _part(counts: Sequence[int], share: float, numbers: random.Random) -> list[int]:
    """Return how many of each count belong to a share of all of them, drawn without replacement."""
    owners = [position for position, count in enumerate(counts) for _ in range(count)]
    parts = [0] * len(counts)
    for position in numbers.sample(owners, round(len(owners) * share)):
        parts[position] += 1
    return parts


def _speakers(conversation: PlannedConversation, names: Names) -> tuple[Speaker, ...]:
    numbers = stream(conversation.seed, "names")
    registers = ["low" if position % 2 else "high" for position in range(conversation.speakers)]
    if numbers.random() < 0.5:
        registers = ["high" if register == "low" else "low" for register in registers]
    pools = {"low": numbers.sample(names.low, len(names.low)), "high": numbers.sample(names.high, len(names.high))}
    chosen = [(pools[register].pop(), register) for register in registers]
    return tuple(Speaker(name.lower(), name, register) for name, register in chosen)


def _briefs(
    conversation: PlannedConversation, speakers: tuple[Speaker, ...], count: int, manners: Manners
) -> tuple[LineBrief, ...]:
    numbers = stream(conversation.seed, "briefs")
    order = _speaking_order(len(speakers), count, conversation.interaction, numbers)
    weights = [
        math.exp(numbers.gauss(0, manners.spread)) * _length_factor(conversation.interaction, position)
        for position in order
    ]
    unit = manners.line_s * count / sum(weights)
    return tuple(
        LineBrief(speakers[position].id, max(SHORTEST_LINE_S, round(weight * unit, 2)))
        for position, weight in zip(order, weights, strict=True)
    )


def _length_factor(interaction: Interaction, position: int) -> float:
    """Return how long the lines of a speaker are, relative to others: the teller and the teacher say more."""
    leads = {Interaction.NARRATIVE: (1.6, 0.45), Interaction.INSTRUCTIONAL: (1.35, 0.75)}
    lead, follow = leads.get(interaction, (1.0, 1.0))
    return lead if position == 0 else follow


def _speaking_order(speakers: int, count: int, interaction: Interaction, numbers: random.Random) -> list[int]:
    """Return who speaks each line: never twice in a row, everybody at least once."""
    lead_chance = {Interaction.NARRATIVE: 1.0, Interaction.INSTRUCTIONAL: 0.8}.get(interaction, 0.0)
    order = [0 if lead_chance else numbers.randrange(speakers)]
    spoken = [0] * speakers
    spoken[order[0]] += 1
    while len(order) < count:
        last = order[-1]
        others = [position for position in range(speakers) if position != last]
        unheard = [position for position in others if not spoken[position]]
        if unheard and sum(not heard for heard in spoken) >= count - len(order) - 1:
            others = unheard
        elif last != 0 and numbers.random() < lead_chance:
            others = [0]
        order.append(numbers.choices(others, [1 / (2 + spoken[position]) for position in others])[0])
        spoken[order[-1]] += 1
    return order
