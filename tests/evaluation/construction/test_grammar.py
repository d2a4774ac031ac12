"""The grammar's files, and the expansion of its phrases."""

import random
import re
import shutil
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest

from evaluation.construction.acts import Interaction, Sound
from evaluation.construction.grammar import (
    LARGEST_FILE_BYTES,
    Expander,
    GrammarError,
    built_in_grammar,
    grammar_from,
    is_first_person,
    joined,
)

SLOTS = {
    "thing": "the tea", "title": "tea", "fact": "tea is hot", "plan": "drink it", "trouble": "it spills",
    "you": "Ana", "agent": "Nova",
}  # fmt: skip


def texts_in(value: object) -> Iterator[str]:
    """Give every text in a value of the grammar, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, tuple):
        for each in value:
            yield from texts_in(each)
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            if name != "id":
                yield from texts_in(getattr(value, name))


def every_phrase() -> Iterator[str]:
    grammar = built_in_grammar()
    yield from texts_in(grammar.phrases)
    yield from texts_in(grammar.topics)


def test_there_are_eight_topics_or_more_of_each_type_with_five_aspects_each() -> None:
    for interaction, topics in built_in_grammar().topics.items():
        assert len(topics) >= 8, interaction
        assert len({topic.id for topic in topics}) == len(topics)
        assert all(len(topic.aspects) == 5 for topic in topics)


def test_every_phrase_expands_to_plain_text() -> None:
    expander = Expander(built_in_grammar().phrases.rules, random.Random(1))
    for template in every_phrase():
        text = expander.phrase(template.removeprefix("~").removeprefix("yn:").removeprefix("wh:"), **SLOTS)
        assert text == text.strip()
        assert not re.search(r"[(){}<>|~]|  ", text), template


def test_no_content_is_said_twice_and_questions_say_how_they_are_answered() -> None:
    grammar = built_in_grammar()
    content = [
        phrase
        for topics in grammar.topics.values()
        for topic in topics
        for aspect in topic.aspects
        for phrase in (*aspect.facts, *aspect.plans, *aspect.troubles)
    ]
    assert len(set(content)) == len(content) >= 1600
    for manner in grammar.phrases.interactions.values():
        for question in (*manner.questions, *manner.learner_questions):
            assert re.match(r"(yn|wh):.*[?.]$", question)


def test_every_type_and_every_sound_has_phrases() -> None:
    phrases = built_in_grammar().phrases
    assert set(phrases.interactions) == set(Interaction)
    assert set(phrases.sounds) == {sound.value for sound in Sound}
    assert {"continuer", "acknowledgement", "positive", "negative"} <= set(phrases.backchannels)


def test_choices_nest_and_rules_are_looked_up() -> None:
    expander = Expander({"drink": ("tea", "tea")}, random.Random(1))
    assert expander.sentence("(a|a) cup of <drink>, {you}.", you="(Ana|Ana)") == "A cup of tea, Ana."


def test_an_unknown_slot_or_rule_and_an_endless_rule_are_errors() -> None:
    expander = Expander({"loop": ("<loop>",)}, random.Random(1))
    with pytest.raises(GrammarError, match="unknown"):
        expander.phrase("{nobody}")
    with pytest.raises(GrammarError, match="unknown"):
        expander.phrase("<nothing>")
    with pytest.raises(GrammarError, match="never ends"):
        expander.phrase("<loop>")


def test_a_sentence_behind_a_comma_begins_small_unless_it_is_a_name() -> None:
    names = frozenset({"Ana"})
    assert joined("Well,", "The tea is hot.", names) == "Well, the tea is hot."
    assert joined("Well,", "Ana knows.", names) == "Well, Ana knows."
    assert joined("Well,", "I know.", names) == "Well, I know."
    assert joined("Right.", "The tea is hot.", names) == "Right. The tea is hot."


def test_first_person_is_a_word_not_a_part_of_one() -> None:
    assert is_first_person("the dog sees me")
    assert not is_first_person("the museum is closed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the grammar's files, to be spoilt."""
    for file in files("resources").joinpath("grammar").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def test_a_grammar_is_read_from_any_folder(folder: Path) -> None:
    assert grammar_from(folder) == built_in_grammar()


def test_a_fault_in_a_file_is_told_with_its_file(folder: Path) -> None:
    names = folder / "names.json"
    names.write_text('{"low": [1], "high": []}')
    with pytest.raises(GrammarError, match=r"names\.json: .*\$\.low\[0\]"):
        grammar_from(folder)
    names.write_bytes(b" " * (LARGEST_FILE_BYTES + 1))
    with pytest.raises(GrammarError, match="larger than 1 MiB"):
        grammar_from(folder)
    names.unlink()
    with pytest.raises(GrammarError, match="cannot be read"):
        grammar_from(folder)


def test_topics_of_another_type_and_missing_phrases_are_refused(folder: Path) -> None:
    phrases = folder / "phrases.json"
    phrases.write_text(phrases.read_text().replace('"Narrative": {', '"Casual": {', 1))
    with pytest.raises(GrammarError, match="no phrases for Narrative"):
        grammar_from(folder)
    shutil.copy(folder / "topics-casual.json", folder / "topics-narrative.json")
    with pytest.raises(GrammarError, match="no topics of the type Narrative"):
        grammar_from(folder)
