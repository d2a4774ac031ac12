"""Floor plans and measured dynamics, against the published figures."""

from itertools import pairwise

import msgspec
import pytest

from annotation.errors import InvalidValueError
from annotation.events import FloorEvent
from evaluation.construction.acts import Interaction, Kind
from evaluation.construction.dynamics import (
    Dynamics,
    DynamicsError,
    FloorPlan,
    apportioned,
    built_in_dynamics,
    dynamics_from_json,
    floor_plans,
)
from evaluation.construction.grammar import built_in_grammar
from evaluation.construction.grammar_writer import GrammarWriter
from evaluation.construction.measurement import ALL, DynamicsRow, EventLog, log_of, measure
from evaluation.construction.orchestration import orchestrate
from evaluation.construction.plan import planned_conversations
from evaluation.construction.resolution import planned_frames, resolve
from evaluation.construction.script import SpeechPace


def plans_of(count: int, seed: int, mean_s: float | None = None) -> tuple[FloorPlan, ...]:
    return floor_plans(planned_conversations(count, seed), seed, names=built_in_grammar().names, mean_s=mean_s)


@pytest.fixture(scope="module")
def rows() -> dict[str, DynamicsRow]:
    """Return the measured dynamics of 240 conversations, with planned lengths of speech."""
    logs = []
    for plan in plans_of(240, 7):
        conversation = orchestrate(GrammarWriter().write(plan.request()), plan)
        logs.append(log_of(resolve(conversation, planned_frames(conversation, 16_000, SpeechPace()), 16_000)))
    return {row.interaction: row for row in measure(logs)}


@pytest.mark.parametrize("seed", [1, 7, 2026])
def test_over_the_whole_grid_the_plan_has_the_published_totals(seed: int) -> None:
    plans = plans_of(240, seed)
    assert sum(plan.turns for plan in plans) == 3_422 + 367
    assert sum(plan.interruptions for plan in plans) == 367
    assert sum(plan.holds for plan in plans) == 241
    assert sum(plan.backchannels + plan.non_content for plan in plans) == 1_481
    assert sum(plan.failed_claims for plan in plans) == 605 - 367
    assert sum(plan.contested for plan in plans) == 36


def test_nobody_speaks_twice_in_a_row_and_everybody_speaks() -> None:
    for plan in (*plans_of(48, 3), *plans_of(48, 3, mean_s=20)):
        order = [brief.speaker for brief in plan.briefs]
        assert all(before != after for before, after in pairwise(order))
        assert set(order) == {speaker.id for speaker in plan.speakers}
        assert len({speaker.name for speaker in plan.speakers}) == len(plan.speakers)
        assert plan.contested <= plan.holds


def test_in_a_story_every_other_line_is_the_tellers() -> None:
    for plan in plans_of(24, 1):
        if plan.interaction is Interaction.NARRATIVE:
            told = [brief.speaker == plan.speakers[0].id for brief in plan.briefs]
            assert sum(told) >= len(told) // 2


def test_plans_depend_on_the_seed_and_on_nothing_else() -> None:
    assert plans_of(12, 5) == plans_of(12, 5)
    assert plans_of(12, 5) != plans_of(12, 6)


def test_conversations_of_a_few_seconds_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="too short"):
        plans_of(6, 1, mean_s=5)


def test_parts_of_a_total_sum_up_and_follow_the_weights() -> None:
    assert apportioned(10, [1, 1, 2]) == [3, 2, 5]
    assert apportioned(3, [0, 0]) == [0, 0]
    assert apportioned(0, [1, 2]) == [0, 0]


def test_where_a_table_asks_for_more_than_fits_the_plan_keeps_its_limits() -> None:
    table = built_in_dynamics()
    wild = msgspec.structs.replace(table.published, interruptions=9_000, holds=9_000)
    planned = planned_conversations(12, 1)
    names = built_in_grammar().names
    for plan in floor_plans(planned, 1, names=names, dynamics=msgspec.structs.replace(table, published=wild)):
        assert plan.interruptions == (len(plan.briefs) - 1) // 3
        assert plan.holds == len(plan.briefs) // 2


def test_a_table_is_read_back_and_a_fault_in_it_is_told() -> None:
    table = built_in_dynamics()
    data = msgspec.json.encode(table)
    assert dynamics_from_json(data, where="t.json") == table
    with pytest.raises(DynamicsError, match=r"t\.json: .*no table"):
        dynamics_from_json(b'{"published": 1}', where="t.json")
    with pytest.raises(DynamicsError, match="larger than"):
        dynamics_from_json(data + b" " * 2_000_000, where="t.json")
    fewer: Dynamics = msgspec.structs.replace(table, speaker_count_factor={2: 1.0})
    with pytest.raises(DynamicsError, match="missing"):
        dynamics_from_json(msgspec.json.encode(fewer), where="t.json")


def test_measured_totals_are_the_published_ones(rows: dict[str, DynamicsRow]) -> None:
    everything = rows[ALL]
    assert everything.events == pytest.approx(6_116, abs=3)
    assert everything.counts[Kind.INTERRUPTION] == everything.cut_off == 367
    assert everything.counts[Kind.TURN] - everything.cut_off == 3_422
    assert everything.counts[Kind.HOLD] == 241
    assert everything.minutes / 60 == pytest.approx(6.89, rel=0.02)
    assert everything.overlap_events == pytest.approx(2_436, rel=0.02)
    assert everything.shortest_hold_s is not None
    assert everything.shortest_hold_s >= 1


def test_measured_dynamics_differ_by_type_as_published(rows: dict[str, DynamicsRow]) -> None:
    types = [rows[interaction] for interaction in Interaction]
    collaborative, casual, narrative = (
        rows[each] for each in (Interaction.COLLABORATIVE, Interaction.CASUAL, Interaction.NARRATIVE)
    )
    assert collaborative.interruptions_per_minute == pytest.approx(1.33, rel=0.07)
    assert collaborative is max(types, key=lambda row: row.interruptions_per_minute)
    assert narrative.turn_s == pytest.approx(9.22, rel=0.04)
    assert narrative is max(types, key=lambda row: row.turn_s or 0)
    assert casual.turn_s == pytest.approx(4.81, rel=0.04)
    assert casual is min(types, key=lambda row: row.turn_s or 0)
    assert casual.events_per_minute == pytest.approx(19.4, rel=0.04)
    assert casual is max(types, key=lambda row: row.events_per_minute)
    for row in types:
        assert row.turn_s == pytest.approx(
            built_in_dynamics().interactions[Interaction(row.interaction)].turn_s, rel=0.04
        )


def test_a_log_of_four_events_is_measured_as_by_hand() -> None:
    """Ana speaks 0 to 6 s with a hold from 2 to 3 s; Ben says mhm at 4 to 5 s, interrupts at 5.5 s until 8 s."""
    events = (
        FloorEvent("ana", Kind.TURN, 0, 6_000, "", "ana"),
        FloorEvent("ana", Kind.HOLD, 2_000, 3_000, "ana", "ana"),
        FloorEvent("ben", Kind.BACKCHANNEL, 4_000, 5_000, "ana", "ana"),
        FloorEvent("ben", Kind.INTERRUPTION, 5_500, 8_000, "ana", "ben"),
        FloorEvent("ana", Kind.TURN, 8_200, 9_200, "", "ana"),
        FloorEvent("ben", Kind.TURN, 9_000, 10_000, "ana", "ben"),
    )
    row = measure([EventLog("Casual", 1_000, 12_000, events)])[0]
    assert (row.conversations, row.minutes, row.events) == (1, 0.2, 6)
    assert row.events_per_minute == pytest.approx(30)
    assert row.interruptions_per_minute == pytest.approx(5)
    assert row.turn_s == pytest.approx((6 + 1 + 1) / 3)
    assert row.hold_s == row.shortest_hold_s == 1
    assert (row.cut_off, row.early, row.overlap_events) == (1, 1, 3)
    assert row.overlap_share == pytest.approx((1 + 0.5 + 0.2) / (2 + 5 + 1.8))
    assert row.gap_quantiles_s[1] == pytest.approx(0)
    assert row.share(Kind.TURN) == 0.5


def test_no_logs_give_no_rows_and_a_log_without_events_has_nothing_to_measure() -> None:
    assert measure([]) == ()
    row = measure([EventLog("Panel", 1_000, 60_000, ())])[0]
    assert (row.interaction, row.events, row.turn_s, row.overlap_share, row.gap_quantiles_s) == (
        "Panel",
        0,
        None,
        None,
        (),
    )
