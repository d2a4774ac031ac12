"""Laws of the floor, over random conversations and random lengths of speech."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.events import NOBODY
from evaluation.construction.acts import (
    ASIDE_KINDS,
    FLOOR_KINDS,
    Cause,
    Interaction,
    Kind,
    PlacedAct,
    Relation,
    ResolvedConversation,
    SymbolicConversation,
)
from evaluation.construction.dynamics import FloorPlan, floor_plans
from evaluation.construction.grammar import built_in_grammar
from evaluation.construction.grammar_writer import GrammarWriter
from evaluation.construction.orchestration import orchestrate
from evaluation.construction.plan import PlannedConversation
from evaluation.construction.resolution import planned_frames, resolve
from evaluation.construction.script import ScriptError, SpeechPace, syllables


def planned(interaction: Interaction, speakers: int, seed: int, mean_s: float = 60.0) -> FloorPlan:
    conversation = PlannedConversation("talk", interaction, speakers, "test", seed)
    return floor_plans([conversation], seed, names=built_in_grammar().names, mean_s=mean_s)[0]


@st.composite
def conversations(draw: st.DrawFn) -> SymbolicConversation:
    """Draw a conversation, often with far more overlap than any table asks for."""
    plan = planned(
        draw(st.sampled_from(Interaction)),
        draw(st.integers(2, 5)),
        draw(st.integers(0, 2**32)),
        draw(st.sampled_from((15.0, 40.0, 110.0))),
    )
    lines = len(plan.briefs)
    holds = draw(st.integers(0, lines))
    busy = replace(
        plan,
        interruptions=draw(st.integers(0, (lines - 1) // 3)),
        failed_claims=draw(st.integers(0, lines)),
        backchannels=draw(st.integers(0, 2 * lines)),
        non_content=draw(st.integers(0, lines)),
        holds=holds,
        contested=draw(st.integers(0, holds)),
        early=draw(st.integers(0, lines)),
    )
    plan = draw(st.sampled_from((plan, busy)))
    return orchestrate(GrammarWriter().write(plan.request()), plan)


@st.composite
def resolved_conversations(draw: st.DrawFn) -> ResolvedConversation:
    """Draw a conversation with any lengths: slow and fast voices, and parts that came out much too short or long."""
    conversation = draw(conversations())
    rate_hz = draw(st.sampled_from((8_000, 16_000, 22_050, 24_000, 44_100)))
    slow, uneven = draw(st.floats(0.04, 0.5)), draw(st.floats(0, 1.5))
    numbers = random.Random(draw(st.integers(0, 2**32)))
    frames = {
        (act.index, part): max(int(rate_hz * slow * syllables(text) * numbers.uniform(1, 1 + uneven)), 1)
        for act in conversation.acts
        for part, text in enumerate(act.parts)
    }
    return resolve(conversation, frames, rate_hz)


def holder_at(resolved: ResolvedConversation, frame: int) -> str:
    """Return who holds the floor just before a frame, by the transfers alone."""
    return next((each.after for each in reversed(resolved.transfers) if each.frame < frame), NOBODY)


def placed(resolved: ResolvedConversation) -> dict[int, PlacedAct]:
    return {each.act.index: each for each in resolved.acts}


def of_kind(resolved: ResolvedConversation, kind: Kind) -> Iterator[PlacedAct]:
    return (each for each in resolved.acts if each.act.kind is kind)


@given(resolved_conversations())
@settings(max_examples=60, deadline=None)
def test_the_floor_has_one_holder_or_none_and_every_transfer_a_cause(resolved: ResolvedConversation) -> None:
    assert resolved.transfers[0].before == NOBODY
    assert resolved.transfers[0].cause is Cause.OPENING
    assert resolved.transfers[-1].after == NOBODY
    for before, after in pairwise(resolved.transfers):
        assert before.frame <= after.frame
        assert before.after == after.before
    for transfer in resolved.transfers:
        act = placed(resolved)[transfer.act].act
        assert transfer.before != transfer.after
        assert transfer.cause is not Cause.NONE
        assert (transfer.cause is Cause.YIELDED) == (transfer.after == NOBODY)
        assert (transfer.cause is Cause.CLAIMED) == (act.kind is Kind.INTERRUPTION and transfer.after != NOBODY)
        assert act.speaker == (transfer.before if transfer.cause is Cause.YIELDED else transfer.after)


@given(resolved_conversations())
@settings(max_examples=60, deadline=None)
def test_an_interrupted_turn_is_cut_where_the_claim_succeeds(resolved: ResolvedConversation) -> None:
    acts = placed(resolved)
    for host in resolved.acts:
        assert host.cut == (host.act.cut_by is not None)
        if host.act.cut_by is None:
            continue
        claim = acts[host.act.cut_by]
        assert claim.act.kind is Kind.INTERRUPTION
        assert host.onset < claim.onset < host.offset < claim.offset
        assert 200 * resolved.rate_hz <= 1000 * (host.offset - claim.onset) <= 600 * resolved.rate_hz + 1000
        won = next(each for each in resolved.transfers if each.act == claim.act.index)
        assert (won.frame, won.before) == (host.offset, host.act.speaker)


@given(resolved_conversations())
@settings(max_examples=60, deadline=None)
def test_nobody_interrupts_an_empty_floor(resolved: ResolvedConversation) -> None:
    for claim in of_kind(resolved, Kind.INTERRUPTION):
        holder = holder_at(resolved, claim.onset)
        assert holder not in (NOBODY, claim.act.speaker)
        assert claim.act.holder_before == holder
        assert claim.act.holder_after == claim.act.speaker
    for turn in of_kind(resolved, Kind.TURN):
        assert turn.act.holder_before == holder_at(resolved, turn.onset)


@given(resolved_conversations())
@settings(max_examples=60, deadline=None)
def test_asides_leave_the_floor_where_it_is(resolved: ResolvedConversation) -> None:
    for aside in resolved.acts:
        if aside.act.kind not in ASIDE_KINDS:
            continue
        inside = [each for each in resolved.transfers if aside.onset < each.frame < aside.offset]
        assert not inside
        assert holder_at(resolved, aside.onset + 1) == aside.act.holder_before == aside.act.holder_after
        assert aside.act.holder_before not in (NOBODY, aside.act.speaker)


@given(resolved_conversations())
@settings(max_examples=60, deadline=None)
def test_speakers_never_overlap_themselves_and_everybody_speaks(resolved: ResolvedConversation) -> None:
    for speaker in resolved.conversation.speakers:
        spans = sorted(
            (span.onset, span.offset) for each in resolved.acts for span in each.spans if each.act.speaker == speaker.id
        )
        assert all(before[1] < after[0] for before, after in pairwise(spans))
        assert any(each.act.takes_floor for each in resolved.acts if each.act.speaker == speaker.id)


@given(resolved_conversations())
@settings(max_examples=60, deadline=None)
def test_holds_last_a_second_inside_a_turn_and_nobody_takes_the_floor_in_them(resolved: ResolvedConversation) -> None:
    turns = [event for event in resolved.events if event.kind == Kind.TURN]
    for hold in (event for event in resolved.events if event.kind == Kind.HOLD):
        assert hold.length >= resolved.rate_hz
        assert any(
            turn.speaker == hold.speaker and turn.onset < hold.onset and hold.offset < turn.offset for turn in turns
        )
        assert not [each for each in resolved.transfers if hold.onset <= each.frame <= hold.offset]
        assert not [
            event for event in resolved.events if event.kind in FLOOR_KINDS and hold.onset <= event.onset < hold.offset
        ]
        assert hold.holder_before == hold.holder_after == hold.speaker


@given(resolved_conversations())
@settings(max_examples=60, deadline=None)
def test_only_contested_holds_are_spoken_into(resolved: ResolvedConversation) -> None:
    holds = [event for event in resolved.events if event.kind == Kind.HOLD]
    for aside in resolved.acts:
        if aside.act.kind in ASIDE_KINDS:
            begins_inside = any(hold.onset <= aside.onset < hold.offset for hold in holds)
            assert begins_inside == (aside.act.timing.relation is Relation.IN_PAUSE)


@given(resolved_conversations())
@settings(max_examples=60, deadline=None)
def test_events_lie_inside_the_conversation_and_are_what_was_placed(resolved: ResolvedConversation) -> None:
    assert all(0 <= event.onset < event.offset <= resolved.frames for event in resolved.events)
    pauses = sum(len(each.spans) - 1 for each in resolved.acts)
    assert len(resolved.events) == len(resolved.acts) + pauses
    assert len({event.id for event in resolved.events}) == len(resolved.events)
    assert [event.onset for event in resolved.events] == sorted(event.onset for event in resolved.events)
    left_out = len(resolved.conversation.acts) - len(resolved.acts)
    assert left_out == sum("left out" in repair.text for repair in resolved.repairs)


@given(st.sampled_from(Interaction), st.integers(2, 5), st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_the_same_seed_gives_the_same_events_and_another_seed_others(
    interaction: Interaction, speakers: int, seed: int
) -> None:
    def events(seed: int) -> object:
        plan = planned(interaction, speakers, seed)
        conversation = orchestrate(GrammarWriter().write(plan.request()), plan)
        return resolve(conversation, planned_frames(conversation, 16_000, SpeechPace()), 16_000)

    assert events(seed) == events(seed)
    assert events(seed) != events(seed + 1)


def test_a_plan_is_fulfilled_to_the_act() -> None:
    plan = planned(Interaction.COLLABORATIVE, 4, 5, mean_s=103.0)
    conversation = orchestrate(GrammarWriter().write(plan.request()), plan)
    kinds = [act.kind for act in conversation.acts]
    assert kinds.count(Kind.TURN) == plan.turns
    assert kinds.count(Kind.INTERRUPTION) == plan.interruptions > 0
    assert kinds.count(Kind.FAILED_CLAIM) == plan.failed_claims
    assert kinds.count(Kind.BACKCHANNEL) == plan.backchannels
    assert kinds.count(Kind.NON_CONTENT) == plan.non_content
    assert sum(len(act.pauses_ms) for act in conversation.acts) == plan.holds
    assert sum(act.timing.relation is Relation.IN_PAUSE for act in conversation.acts) == plan.contested


def test_a_question_selects_whoever_it_names() -> None:
    selected = 0
    for seed in range(6):
        plan = planned(Interaction.CASUAL, 3, seed)
        conversation = orchestrate(GrammarWriter().write(plan.request()), plan)
        floor = [act for act in conversation.acts if act.takes_floor]
        for question, answer in pairwise(floor):
            assert (answer.cause is Cause.SELECTED) == (question.question and answer.kind is Kind.TURN)
            if question.question:
                selected += 1
                name = next(each.name for each in conversation.speakers if each.id == answer.speaker)
                assert question.addressee == answer.speaker
                assert name in question.text
    assert selected > 5


def test_a_script_for_another_plan_is_refused() -> None:
    plan = planned(Interaction.CASUAL, 3, 1)
    script = GrammarWriter().write(plan.request())
    with pytest.raises(ScriptError, match="lines"):
        orchestrate(replace(script, lines=script.lines[1:]), plan)
    wrong = replace(script.lines[0], speaker=script.lines[1].speaker)
    with pytest.raises(ScriptError, match="speaker"):
        orchestrate(replace(script, lines=(wrong, *script.lines[1:])), plan)
    silent = replace(script.lines[0], sentences=())
    with pytest.raises(ScriptError, match="says nothing"):
        orchestrate(replace(script, lines=(silent, *script.lines[1:])), plan)
    endless = replace(script.lines[0], tail="and " * 1000)
    with pytest.raises(ScriptError, match="longer than"):
        orchestrate(replace(script, lines=(endless, *script.lines[1:])), plan)


def test_a_script_without_any_listener_texts_still_gets_its_asides() -> None:
    plan = planned(Interaction.CASUAL, 3, 2, mean_s=100)
    script = GrammarWriter().write(plan.request())
    bare = replace(script, lines=tuple(replace(line, backchannels=(), claims=()) for line in script.lines))
    kinds = [act.kind for act in orchestrate(bare, plan).acts]
    assert kinds.count(Kind.BACKCHANNEL) == plan.backchannels
