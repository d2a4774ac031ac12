"""Scripts from the grammar: variety, coherence, and the lengths that were asked for."""

from itertools import pairwise

import pytest

from annotation.errors import InvalidValueError
from evaluation.construction.acts import Interaction
from evaluation.construction.dynamics import floor_plans
from evaluation.construction.grammar import built_in_grammar
from evaluation.construction.grammar_writer import GrammarWriter
from evaluation.construction.plan import planned_conversations
from evaluation.construction.script import Script, ScriptRequest, SpeechPace, check_script, fitted_pace, spoken
from evaluation.construction.variety import variety


@pytest.fixture(scope="module")
def requests() -> tuple[ScriptRequest, ...]:
    plans = floor_plans(planned_conversations(240, 7), 7, names=built_in_grammar().names)
    return tuple(plan.request() for plan in plans)


@pytest.fixture(scope="module")
def scripts(requests: tuple[ScriptRequest, ...]) -> tuple[Script, ...]:
    writer = GrammarWriter()
    return tuple(writer.write(request) for request in requests)


def test_every_script_answers_its_request(requests: tuple[ScriptRequest, ...], scripts: tuple[Script, ...]) -> None:
    for request, script in zip(requests, scripts, strict=True):
        check_script(script, request)


def test_over_240_conversations_few_sentences_come_twice_and_no_two_read_alike(scripts: tuple[Script, ...]) -> None:
    found = variety(scripts)
    assert found.sentences > 7_000
    assert found.distinct_share > 0.92
    assert found.overlap_within_topic is not None
    assert found.overlap_within_topic < 0.2
    assert found.overlap_across_topics is not None
    assert found.overlap_across_topics < 0.015


def test_variety_of_one_script_has_no_pairs(scripts: tuple[Script, ...]) -> None:
    assert variety(scripts[:1]).overlap_within_topic is None
    twice = variety((scripts[0], scripts[0]))
    assert twice.overlap_within_topic == 1
    assert twice.distinct_share <= 0.5


def test_every_topic_is_used_and_every_conversation_keeps_to_one(scripts: tuple[Script, ...]) -> None:
    for interaction in Interaction:
        titles = {script.topic for script in scripts if script.interaction is interaction}
        assert titles == {topic.title for topic in built_in_grammar().topics[interaction]}
    assert all(script.topic in " ".join(script.lines[0].sentences) for script in scripts)


def test_questions_name_the_next_speaker_who_answers(scripts: tuple[Script, ...]) -> None:
    questions = 0
    for script in scripts:
        names = {speaker.id: speaker.name for speaker in script.speakers}
        for line, following in pairwise(script.lines):
            assert following.answers == line.question
            if line.question:
                questions += 1
                assert line.addressee == following.speaker
                assert names[following.speaker] in line.sentences[-1]
        assert not script.lines[-1].question
    assert questions > 500


def test_no_sentence_comes_twice_in_one_conversation_but_by_chance(scripts: tuple[Script, ...]) -> None:
    repeated = 0
    for script in scripts:
        sentences = [sentence for line in script.lines for sentence in line.sentences]
        repeated += len(sentences) - len(set(sentences))
    assert repeated < 20


def test_lines_are_about_as_long_as_asked_for(requests: tuple[ScriptRequest, ...], scripts: tuple[Script, ...]) -> None:
    pace = SpeechPace()
    asked = sum(brief.seconds for request in requests for brief in request.briefs)
    said = sum(pace.seconds(f"{line.reaction} {' '.join(line.sentences)}") for each in scripts for line in each.lines)
    assert said == pytest.approx(asked, rel=0.06)


def test_the_same_request_gives_the_same_script(requests: tuple[ScriptRequest, ...]) -> None:
    writer = GrammarWriter()
    assert writer.write(requests[3]) == GrammarWriter().write(requests[3])
    assert writer.write(requests[3]) != writer.write(requests[4])


def test_a_pace_is_found_again_from_what_it_gives(scripts: tuple[Script, ...]) -> None:
    pace = SpeechPace(0.15, 0.21, 0.25, 0.45)
    texts = [" ".join(line.sentences) for line in scripts[0].lines + scripts[1].lines]
    found = fitted_pace((text, pace.seconds(text)) for text in texts)
    assert found.syllable_s == pytest.approx(0.21, abs=0.001)
    assert found.sentence_s == pytest.approx(0.45, abs=0.001)
    with pytest.raises(InvalidValueError, match="eight"):
        fitted_pace([("tea", 0.5)])


def test_a_broken_off_end_is_not_read_out() -> None:
    assert spoken("But what about—") == "But what about"
