"""START and STOP scenarios for agents: four conditions, thirty scenarios each.

A scenario is a lead-in conversation among people, at whose end the agent decides, and for STOP the clip that is played
under the agent's answer. The same stages as for any conversation make it; playing it to an agent is not done here.

| condition | decision | the lead-in ends | then | should act |
|---|---|---|---|---|
| eot | START | with a turn that hands over to the agent | silence | yes |
| hold | START | with a turn whose speaker pauses before the question | the rest of that turn | no, in the pause |
| interruption | STOP | with a question that asks for a long answer | a person interrupts the agent | yes |
| backchannel | STOP | with a question that asks for a long answer | a person says mhm or the like | no |

Decisions
---------
- Holds last at least 1 s. The event of a STOP scenario begins 1.0 s after the agent's onset.
- Two to five people besides the agent, all six interaction types, evenly over the thirty.
- Nobody says anything under the last turn of a lead-in, and it has no silence behind it.

MultiPartyTurnBench §4, §5, App. E.3, G
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from annotation.errors import InvalidValueError
from evaluation.construction.acts import Interaction, Kind, ResolvedConversation, Span, SymbolicConversation
from evaluation.construction.dynamics import Dynamics, FloorPlan, built_in_dynamics, floor_plans
from evaluation.construction.grammar import Aspect, Expander, Grammar, Topic, built_in_grammar
from evaluation.construction.orchestration import orchestrate
from evaluation.construction.plan import PlannedConversation
from evaluation.construction.script import ScriptWriter, SpeechPace
from evaluation.construction.seeds import derived_seed, stream

SCENARIOS_A_CONDITION = 30
LEAD_IN_S = 24.0
"""Mean length of a lead-in before its last turn."""

EVENT_AFTER_MS = 1000
"""How long after the agent's onset the event of a STOP scenario begins."""

MOST_ASIDES = 3


class Decision(StrEnum):
    """What an agent decides."""

    START = "start"
    STOP = "stop"


class Condition(StrEnum):
    """What happens where the agent decides."""

    EOT = "eot"
    HOLD = "hold"
    INTERRUPTION = "interruption"
    BACKCHANNEL = "backchannel"


@dataclass(frozen=True, slots=True)
class Role:
    """Which decision a condition tests, and whether the agent should act."""

    decision: Decision
    should_act: bool


ROLES: Mapping[Condition, Role] = MappingProxyType(
    {
        Condition.EOT: Role(Decision.START, should_act=True),
        Condition.HOLD: Role(Decision.START, should_act=False),
        Condition.INTERRUPTION: Role(Decision.STOP, should_act=True),
        Condition.BACKCHANNEL: Role(Decision.STOP, should_act=False),
    }
)


@dataclass(frozen=True, slots=True)
class EventClip:
    """What a person says under the agent's speech, `after_ms` after the agent's onset."""

    speaker: str
    kind: Kind
    text: str
    after_ms: int = EVENT_AFTER_MS


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario before it has frames.

    Parameters
    ----------
    agent
        The name by which people call the agent; it is no speaker of the lead-in.
    cue
        Index of the act at whose end, or in whose pause, the agent decides: the last turn of the lead-in.
    event
        For STOP scenarios.
    """

    id: str
    condition: Condition
    agent: str
    lead_in: SymbolicConversation
    cue: int
    event: EventClip | None = None

    def __post_init__(self) -> None:
        if (self.event is not None) != (ROLES[self.condition].decision is Decision.STOP):
            raise InvalidValueError("A STOP scenario, and no other, has an event.", where=self.id)
        if len(self.lead_in.acts[self.cue].parts) != (2 if self.condition is Condition.HOLD else 1):
            raise InvalidValueError("The last turn pauses in a hold scenario, and in no other.", where=self.id)

    @property
    def role(self) -> Role:
        """Which decision is tested, and whether the agent should act."""
        return ROLES[self.condition]


def cue_span(scenario: Scenario, resolved: ResolvedConversation) -> Span:
    """Return where the agent decides, in frames of the lead-in: the hold, or the end of the last turn (a point)."""
    placed = next(each for each in resolved.acts if each.act.index == scenario.cue)
    if scenario.condition is Condition.HOLD:
        return Span(placed.spans[0].offset, placed.spans[1].onset)
    return Span(placed.offset, placed.offset)


def scenario_suite(
    seed: int,
    writer: ScriptWriter,
    *,
    count: int = SCENARIOS_A_CONDITION,
    pace: SpeechPace | None = None,
    grammar: Grammar | None = None,
    dynamics: Dynamics | None = None,
) -> tuple[Scenario, ...]:
    """Return `count` scenarios for each condition, condition by condition; the same seed gives the same ones.

    Raises
    ------
    InvalidValueError
        If `count` is not positive.
    ScriptError
        If the writer does not fulfil a request.
    """
    if count < 1:
        raise InvalidValueError(f"{count} scenarios a condition are none.")
    maker = _Maker(writer, pace or SpeechPace(), grammar or built_in_grammar(), dynamics or built_in_dynamics())
    planned = [(condition, _planned(condition, number, seed)) for condition in Condition for number in range(count)]
    plans = floor_plans(
        [each for _, each in planned], seed, names=maker.grammar.names, dynamics=maker.dynamics, mean_s=LEAD_IN_S
    )
    return tuple(maker.scenario(condition, plan) for (condition, _), plan in zip(planned, plans, strict=True))


def _planned(condition: Condition, number: int, seed: int) -> PlannedConversation:
    interactions = tuple(Interaction)
    interaction = interactions[number % len(interactions)]
    people = 2 + (number + number // len(interactions)) % 4
    name = f"{condition}-{number + 1:02}"
    return PlannedConversation(name, interaction, people, "test", derived_seed(seed, "scenario", name))


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes scenarios of floor plans."""

    writer: ScriptWriter
    pace: SpeechPace
    grammar: Grammar
    dynamics: Dynamics

    def scenario(self, condition: Condition, plan: FloorPlan) -> Scenario:
        """Return the scenario of a plan: a plain lead-in, its last turn turned to the agent."""
        plan = replace(
            plan, interruptions=0, holds=0, contested=0, early=0, failed_claims=0,
            backchannels=min(plan.backchannels, MOST_ASIDES), non_content=0,
        )  # fmt: skip
        script = self.writer.write(plan.request(self.pace))
        conversation = orchestrate(script, plan, pace=self.pace, dynamics=self.dynamics)
        numbers = stream(plan.seed, "agent")
        phrases = self.grammar.phrases
        expander = Expander(phrases.rules, numbers)
        agent = numbers.choice([name for name in phrases.agent.names if name not in _names(conversation)])
        topic = self._topic_of(plan.interaction, conversation.topic)
        aspect = numbers.choice(topic.aspects)
        slots = {
            "agent": agent,
            "title": topic.title,
            "thing": expander.phrase(aspect.thing),
            "plan": expander.phrase(numbers.choice(aspect.plans)),
        }
        start = ROLES[condition].decision is Decision.START
        templates = phrases.agent.handovers if start else phrases.agent.long_questions
        question = expander.sentence(numbers.choice(templates), **slots)
        before = expander.sentence(f"{numbers.choice(aspect.facts)}.")
        parts: tuple[str, ...] = (f"{before} {question}",)
        if condition is Condition.HOLD:
            hesitation = numbers.choice(["", *phrases.hold_ends])
            parts = (f"{before} {hesitation}".strip(), question)
        pauses = tuple(numbers.randint(*self.dynamics.hold_ms) for _ in parts[1:])
        lead_in, cue = _ending_with(conversation, len(plan.briefs) - 1, parts, pauses)
        event = None
        if not start:
            others = [speaker.id for speaker in plan.speakers if speaker.id != lead_in.acts[cue].speaker]
            speaker = numbers.choice([*others, lead_in.acts[cue].speaker])
            if condition is Condition.INTERRUPTION:
                text = expander.sentence(numbers.choice(phrases.agent.interruptions), **slots)
                event = EventClip(speaker, Kind.INTERRUPTION, text)
            else:
                group = numbers.choices(("continuer", "acknowledgement", "positive"), (5, 3, 2))[0]
                event = EventClip(speaker, Kind.BACKCHANNEL, numbers.choice(phrases.backchannels[group]))
        return Scenario(plan.id, condition, agent, lead_in, cue, event)

    def _topic_of(self, interaction: Interaction, title: str) -> Topic:
        """Return the topic with that title; of another writer's topic nothing is known but the title."""
        known = [topic for topic in self.grammar.topics[interaction] if topic.title == title]
        plain = Aspect(title, ("there is one more thing",), ("go on",), ("it is not easy",))
        return known[0] if known else Topic("other", title, (plain,))


def _names(conversation: SymbolicConversation) -> set[str]:
    return {speaker.name for speaker in conversation.speakers}


def _ending_with(
    conversation: SymbolicConversation, last: int, parts: tuple[str, ...], pauses_ms: tuple[int, ...]
) -> tuple[SymbolicConversation, int]:
    """Return the conversation with other words in its last turn and nobody speaking under it, and that turn's index."""
    acts = [act for act in conversation.acts if act.timing.anchor != last]
    acts[last] = replace(acts[last], parts=parts, pauses_ms=pauses_ms, question=True, addressee="")
    numbered = tuple(replace(act, index=position) for position, act in enumerate(acts))
    return replace(conversation, acts=numbered, tail_ms=0), last
