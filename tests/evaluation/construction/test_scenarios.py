"""The 120 START and STOP scenarios."""

from collections import Counter
from dataclasses import replace

import pytest

from annotation.errors import InvalidValueError
from evaluation.construction.acts import Interaction, Kind
from evaluation.construction.grammar_writer import GrammarWriter
from evaluation.construction.resolution import planned_frames, resolve
from evaluation.construction.scenarios import ROLES, Condition, Decision, Scenario, cue_span, scenario_suite
from evaluation.construction.script import Script, ScriptRequest, SpeechPace


@pytest.fixture(scope="module")
def suite() -> tuple[Scenario, ...]:
    return scenario_suite(3, GrammarWriter())


def test_there_are_thirty_of_each_condition_over_all_types_and_party_sizes(suite: tuple[Scenario, ...]) -> None:
    assert Counter(scenario.condition for scenario in suite) == dict.fromkeys(Condition, 30)
    for condition in Condition:
        of_it = [scenario for scenario in suite if scenario.condition is condition]
        assert Counter(each.lead_in.interaction for each in of_it) == dict.fromkeys(Interaction, 5)
        sizes = Counter(len(each.lead_in.speakers) for each in of_it)
        assert set(sizes) == {2, 3, 4, 5}
        assert max(sizes.values()) - min(sizes.values()) <= 2
    assert len({scenario.id for scenario in suite}) == 120


def test_an_agent_should_start_after_a_turn_and_stop_for_an_interruption() -> None:
    acts = {condition for condition, role in ROLES.items() if role.should_act}
    assert acts == {Condition.EOT, Condition.INTERRUPTION}
    assert ROLES[Condition.HOLD].decision is ROLES[Condition.EOT].decision is Decision.START


def test_the_last_turn_asks_the_agent_by_name_and_nobody_speaks_under_it(suite: tuple[Scenario, ...]) -> None:
    for scenario in suite:
        last = scenario.lead_in.acts[scenario.cue]
        assert last.kind is Kind.TURN
        assert last.question
        assert scenario.agent in last.text
        assert scenario.agent not in {speaker.name for speaker in scenario.lead_in.speakers}
        assert all(act.timing.anchor != scenario.cue for act in scenario.lead_in.acts)
        assert all(not act.takes_floor for act in scenario.lead_in.acts[scenario.cue + 1 :])


def test_a_start_scenario_decides_in_a_hold_of_a_second_or_at_the_very_end(suite: tuple[Scenario, ...]) -> None:
    for scenario in suite:
        frames = planned_frames(scenario.lead_in, 16_000, SpeechPace())
        resolved = resolve(scenario.lead_in, frames, 16_000)
        cue = cue_span(scenario, resolved)
        if scenario.condition is Condition.HOLD:
            assert cue.length >= 16_000
            assert cue.offset < resolved.frames
        else:
            assert cue == (cue.__class__(resolved.frames, resolved.frames))
        assert not resolved.repairs


def test_a_stop_scenario_has_an_event_of_its_kind_by_somebody_who_is_there(suite: tuple[Scenario, ...]) -> None:
    for scenario in suite:
        if scenario.role.decision is Decision.START:
            assert scenario.event is None
            continue
        assert scenario.event is not None
        assert scenario.event.kind == scenario.condition.upper()
        assert scenario.event.after_ms == 1_000
        assert scenario.event.speaker in {speaker.id for speaker in scenario.lead_in.speakers}


def test_scenarios_repeat_with_their_seed(suite: tuple[Scenario, ...]) -> None:
    assert scenario_suite(3, GrammarWriter()) == suite
    assert scenario_suite(4, GrammarWriter()) != suite


def test_the_words_to_the_agent_vary(suite: tuple[Scenario, ...]) -> None:
    assert len({scenario.lead_in.acts[scenario.cue].text for scenario in suite}) > 110


class OtherWriter:
    """A writer whose topics the grammar does not know."""

    name = "other"

    def write(self, request: ScriptRequest) -> Script:
        return replace(GrammarWriter().write(request), topic="the moon")


def test_another_writer_may_write_the_lead_in() -> None:
    scenarios = scenario_suite(3, OtherWriter(), count=2)
    assert len(scenarios) == 8
    assert all(scenario.lead_in.topic == "the moon" for scenario in scenarios)


def test_scenarios_that_contradict_themselves_are_refused(suite: tuple[Scenario, ...]) -> None:
    eot, stop = suite[0], suite[-1]
    with pytest.raises(InvalidValueError, match="has an event"):
        replace(eot, event=stop.event)
    with pytest.raises(InvalidValueError, match="pauses in a hold"):
        replace(eot, condition=Condition.HOLD)
    with pytest.raises(InvalidValueError, match="are none"):
        scenario_suite(1, GrammarWriter(), count=0)
