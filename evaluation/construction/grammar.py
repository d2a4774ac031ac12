"""The built-in grammar: phrases as data, and their expansion.

``resources/grammar`` holds topics (five aspects each, with facts, plans and troubles), the sentences they are put into
and names. In a phrase ``(a|b)`` is a choice, ``<rule>`` stands for one of a rule's phrases and ``{slot}`` for what the
writer binds to it. A sentence that begins with ``~`` reports something and does not suit content in the first person;
a question begins with ``yn:`` or ``wh:``, for how it is answered.
"""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TypeVar

import msgspec

from annotation.errors import FloorscopeError
from evaluation.construction.acts import Interaction

LARGEST_FILE_BYTES = 1 << 20
MOST_EXPANSIONS = 200
"""Choices and rules in one sentence; a rule that names itself ends here."""

_CHOICE = re.compile(r"\(([^()]*)\)")
_RULE = re.compile(r"<([a-z_]+)>")
_SLOT = re.compile(r"\{([a-z_]+)\}")
_FIRST_PERSON = re.compile(r"\b(I|me|my|mine|we|us|our)\b")


class GrammarError(FloorscopeError):
    """A file of the grammar that cannot be used."""

    code = "grammar"


class Aspect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One side of a topic: a noun phrase, and clauses about it."""

    thing: str
    facts: tuple[str, ...]
    plans: tuple[str, ...]
    troubles: tuple[str, ...]


class Topic(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a conversation is about; `title` is a noun phrase that follows “about”."""

    id: str
    title: str
    aspects: tuple[Aspect, ...]


class _TopicFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    interaction: Interaction
    topics: tuple[Topic, ...]


class Sentences(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sentences for each kind of content."""

    facts: tuple[str, ...]
    troubles: tuple[str, ...]
    plans: tuple[str, ...]


class Manner(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How people talk in one interaction type.

    `body` weighs what sentences are about, `moves` what lines do. The first speaker of Instructional and Narrative talk
    has a role of their own; the others then ask `learner_questions` and make `learner_remarks`. Absent `facts`,
    `troubles` and `plans` are those of all types.
    """

    openings: tuple[str, ...]
    remarks: tuple[str, ...]
    questions: tuple[str, ...]
    closings: tuple[str, ...]
    body: dict[str, int]
    moves: dict[str, int]
    learner_questions: tuple[str, ...] = ()
    learner_remarks: tuple[str, ...] = ()
    learner_answers: tuple[str, ...] = ()
    learner_closings: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()
    plans: tuple[str, ...] = ()


class AgentPhrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What people say to a voice agent."""

    names: tuple[str, ...]
    handovers: tuple[str, ...]
    long_questions: tuple[str, ...]
    interruptions: tuple[str, ...]


class Phrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that does not depend on the topic."""

    rules: dict[str, tuple[str, ...]]
    sentences: Sentences
    interactions: dict[Interaction, Manner]
    introductions: tuple[str, ...]
    remark_ends: tuple[str, ...]
    openers: dict[str, tuple[str, ...]]
    tails: tuple[str, ...]
    narrative_tails: tuple[str, ...]
    failed_claims: tuple[str, ...]
    hold_ends: tuple[str, ...]
    fillers: tuple[str, ...]
    backchannels: dict[str, tuple[str, ...]]
    sounds: dict[str, tuple[str, ...]]
    agent: AgentPhrases


class Names(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """First names for lower and higher voices."""

    low: tuple[str, ...]
    high: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grammar:
    """Phrases, names, and the topics of each interaction type."""

    phrases: Phrases
    names: Names
    topics: Mapping[Interaction, tuple[Topic, ...]]


_File = TypeVar("_File", _TopicFile, Phrases, Names)


@cache
def built_in_grammar() -> Grammar:
    """Return the grammar that ships with Floorscope."""
    return grammar_from(files("resources").joinpath("grammar"))


def grammar_from(folder: Traversable) -> Grammar:
    """Return the grammar of a folder: ``phrases.json``, ``names.json`` and a file of topics for each type.

    Raises
    ------
    GrammarError
        With the file and the JSON path of the first fault.
    """
    topics = {}
    for interaction in Interaction:
        name = f"topics-{interaction.lower()}.json"
        file = _read(folder.joinpath(name), _TopicFile)
        if file.interaction is not interaction or not file.topics:
            raise GrammarError(f"The file holds no topics of the type {interaction}.", where=name)
        topics[interaction] = file.topics
    phrases = _read(folder.joinpath("phrases.json"), Phrases)
    missing = set(Interaction) - set(phrases.interactions)
    if missing:
        raise GrammarError(f"There are no phrases for {', '.join(sorted(missing))}.", where="phrases.json")
    return Grammar(phrases, _read(folder.joinpath("names.json"), Names), topics)


def _read(file: Traversable, kind: type[_File]) -> _File:
    try:
        with file.open("rb") as stream:
            data = stream.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        raise GrammarError(f"The file cannot be read: {error.strerror}.", where=file.name) from error
    if len(data) > LARGEST_FILE_BYTES:
        raise GrammarError("The file is larger than 1 MiB.", where=file.name)
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise GrammarError(f"This is no file of the grammar: {error}.", where=file.name) from error


def is_first_person(phrase: str) -> bool:
    """Return whether a phrase speaks of the speaker, so that nobody else can be its source."""
    return _FIRST_PERSON.search(phrase) is not None


class Expander:
    """Turns templates into sentences, with one stream of random numbers.

    Parameters
    ----------
    rules
        Phrases by name, for ``<name>``.
    """

    def __init__(self, rules: Mapping[str, tuple[str, ...]], numbers: random.Random) -> None:
        self._rules = rules
        self._numbers = numbers

    def phrase(self, template: str, **slots: str) -> str:
        """Return the template with every choice made and every slot filled.

        Raises
        ------
        GrammarError
            If a slot or a rule is unknown, or a rule never ends.
        """
        text = template
        for _ in range(MOST_EXPANSIONS):
            match = _SLOT.search(text) or _RULE.search(text) or _CHOICE.search(text)
            if match is None:
                return text
            text = text[: match.start()] + self._filling(match, slots, template) + text[match.end() :]
        raise GrammarError("The phrase never ends.", where=template)

    def sentence(self, template: str, **slots: str) -> str:
        """Return the phrase with a capital letter at its beginning."""
        return capitalised(self.phrase(template, **slots))

    def _filling(self, match: re.Match[str], slots: Mapping[str, str], template: str) -> str:
        inner = match.group(1)
        if match.re is _CHOICE:
            return str(self._numbers.choice(inner.split("|")))
        known = slots if match.re is _SLOT else self._rules
        if inner not in known:
            raise GrammarError(f"“{match.group()}” is unknown here.", where=template)
        filling = known[inner]
        return filling if isinstance(filling, str) else str(self._numbers.choice(filling))


def capitalised(text: str) -> str:
    """Return a text with its first letter as a capital."""
    return text[:1].upper() + text[1:]


def joined(opener: str, sentence: str, names: frozenset[str]) -> str:
    """Return a sentence behind an opener that ends in a comma or a word: its first letter becomes small.

    Parameters
    ----------
    names
        Words that keep their capital.
    """
    if not opener or opener[-1] in ".?!":
        return f"{opener} {sentence}".strip()
    first = re.match(r"[\w']+", sentence)
    keeps = first is None or first.group() in names or first.group() in {"I", "I'm", "Mrs", "French", "Dutch"}
    return f"{opener} {sentence if keeps else sentence[:1].lower() + sentence[1:]}"
