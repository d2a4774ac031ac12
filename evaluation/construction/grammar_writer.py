"""The built-in script writer: conversations from the grammar, offline, the same for the same request.

A conversation goes through the aspects of one topic. Every line takes its content from the aspect that is being talked
about, a question is put to whoever speaks next and names them, the answer stays with the aspect, and content that was
used is used again only when nothing else is left.
"""

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.construction.acts import Interaction
from evaluation.construction.grammar import (
    Aspect,
    Expander,
    Grammar,
    Manner,
    Topic,
    built_in_grammar,
    is_first_person,
    joined,
)
from evaluation.construction.script import Line, Script, ScriptRequest
from evaluation.construction.seeds import stream

CONTENTS = ("facts", "troubles", "plans")
MOST_SENTENCES = 9
"""Of one line."""

BACKCHANNELS_A_LINE = 5
CLAIMS_A_LINE = 2
HESITATIONS_A_LINE = 2

FILLER_CHANCE = 0.14
FILLER_PLACES = frozenset({"and", "but", "so", "because", "that", "is", "then", "maybe"})
"""Words after which people hesitate."""

FALSE_START_CHANCE = 0.025
REACTION_CHANCE = 0.45
TRANSITION_CHANCE = 0.7
REMARK_END_CHANCE = 0.5
LARGEST_CARRY_S = 6.0

_LINKS = re.compile(r"\(?(But|And|Yes|Only|On|Also|Look|So|Mind|Then|Well|What if|Why not|By|As)\b")
"""Beginnings that link a sentence to one before it."""


class GrammarWriter:
    """Writes scripts from phrases and topics.

    Parameters
    ----------
    grammar
        The built-in one when left out.
    """

    name = "grammar"

    def __init__(self, grammar: Grammar | None = None) -> None:
        self._grammar = grammar or built_in_grammar()

    def write(self, request: ScriptRequest) -> Script:
        """Return one line for each brief."""
        topics = self._grammar.topics[request.interaction]
        topic = topics[request.ordinal % len(topics)]
        draft = _Draft(self._grammar, request, topic)
        lines = tuple(draft.line(position) for position in range(len(request.briefs)))
        return Script(request.id, request.interaction, topic.title, request.speakers, lines)


class _Content:
    """What a topic offers, aspect by aspect, and what of it was used."""

    def __init__(self, topic: Topic, numbers: random.Random, *, in_order: bool) -> None:
        self._numbers = numbers
        self._in_order = in_order
        order = list(topic.aspects)
        if not in_order:
            numbers.shuffle(order)
        self._aspects = order
        self._current = 0
        self._left: list[dict[str, list[str]]] = [{} for _ in order]
        for position in range(len(order)):
            self._refill(position)

    def _refill(self, position: int) -> None:
        for kind in CONTENTS:
            phrases = list(getattr(self._aspects[position], kind))
            if not self._in_order:
                self._numbers.shuffle(phrases)
            self._left[position][kind] = phrases

    @property
    def aspect(self) -> Aspect:
        """The aspect that is being talked about."""
        return self._aspects[self._current]

    @property
    def remaining(self) -> int:
        """How many phrases the current aspect still has."""
        return sum(len(phrases) for phrases in self._left[self._current].values())

    @property
    def place(self) -> int:
        """Number of the current aspect, from 0."""
        return self._current

    def advance(self) -> None:
        """Go on to the next aspect; after the last one to the first again, with its phrases fresh."""
        self._current = (self._current + 1) % len(self._aspects)
        if not self.remaining:
            self._refill(self._current)

    def take(self, kind: str) -> tuple[str, str]:
        """Return a kind and a phrase of it: the kind wanted where there is one left, else another."""
        if not self.remaining:
            self.advance()
        left = self._left[self._current]
        if not left[kind]:
            kind = max(CONTENTS, key=lambda each: len(left[each]))
        return kind, left[kind].pop(0)

    def has(self, kind: str) -> bool:
        """Return whether the current aspect has an unused phrase of a kind."""
        return bool(self._left[self._current][kind])

    def peek(self, kind: str) -> str:
        """Return a phrase of a kind without using it up."""
        return self._left[self._current][kind][0] if self._left[self._current][kind] else self._any(kind)

    def _any(self, kind: str) -> str:
        return str(self._numbers.choice(getattr(self.aspect, kind)))


@dataclass(slots=True)
class _Body:
    """Sentences of a line as they come, and the kind of content of each."""

    sentences: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)

    def add(self, sentence: str, kind: str) -> None:
        self.sentences.append(sentence)
        self.kinds.append(kind)


class _Draft:
    """One conversation while it is written, line by line."""

    def __init__(self, grammar: Grammar, request: ScriptRequest, topic: Topic) -> None:
        self._phrases = grammar.phrases
        self._manner: Manner = grammar.phrases.interactions[request.interaction]
        self._request = request
        self._topic = topic
        self._numbers = stream(request.seed, "script")
        self._expander = Expander(grammar.phrases.rules, self._numbers)
        self._has_lead = request.interaction in (Interaction.INSTRUCTIONAL, Interaction.NARRATIVE)
        self._content = _Content(topic, self._numbers, in_order=request.interaction is Interaction.NARRATIVE)
        self._names = {speaker.id: speaker.name for speaker in request.speakers}
        self._keep = frozenset(self._names.values())
        self._used: Counter[str] = Counter()
        self._introduced: set[str] = set()
        self._asked: str = ""
        self._last_kind = ""
        self._carry_s = 0.0

    def line(self, position: int) -> Line:
        """Return the next line."""
        brief = self._request.briefs[position]
        follower = self._neighbour(position + 1)
        answers = self._asked
        target_s = brief.seconds + self._carry_s
        body = _Body()
        reaction = self._beginning(body, position, brief.speaker)
        asks = self._is_question(position, brief.speaker)
        question = self._question(brief.speaker, follower) if asks else ""
        self._fill(body, brief.speaker, target_s - self._seconds(reaction) - self._seconds(question), need=not asks)
        if position == len(self._request.briefs) - 1:
            closings = self._manner.closings if self._leads(brief.speaker) else self._manner.learner_closings
            body.add(self._pick(closings, you=self._neighbour(position - 1)), "closing")
        if question:
            body.add(question.partition(":")[2], "question")
        if answers:
            self._answer(body, answers)
        sentences = tuple(self._disfluent(sentence) for sentence in body.sentences)
        self._carry_s = target_s - self._seconds(" ".join((reaction, *sentences)))
        # What a line was too long or too short is made up for by the next ones.
        self._carry_s = max(-LARGEST_CARRY_S, min(LARGEST_CARRY_S, self._carry_s))
        self._asked = question.partition(":")[0]
        self._last_kind = next((kind for kind in reversed(body.kinds) if kind in CONTENTS), "")
        first = sentences[0]
        previous = self._neighbour(position - 1)
        return Line(
            brief.speaker,
            sentences,
            reaction=reaction,
            interrupting="" if answers or position == 0 else self._with_opener("interruption", first, previous),
            resuming=self._with_opener("resumption", first, previous),
            tail=self._tail(brief.speaker),
            hesitations=tuple(self._some(self._phrases.hold_ends, HESITATIONS_A_LINE)),
            backchannels=self._backchannels(body.kinds),
            claims=tuple(self._pick((claim,)) for claim in self._some(self._phrases.failed_claims, CLAIMS_A_LINE)),
            question=bool(question),
            addressee=self._request.briefs[position + 1].speaker if question else "",
            answers=bool(answers),
        )

    def _neighbour(self, position: int) -> str:
        """Return the name of the speaker of a line; beyond the ends that of somebody else than who speaks there."""
        briefs = self._request.briefs
        if 0 <= position < len(briefs):
            return self._names[briefs[position].speaker]
        edge = briefs[0 if position < 0 else -1].speaker
        return next(name for speaker, name in self._names.items() if speaker != edge)

    def _leads(self, speaker: str) -> bool:
        return not self._has_lead or speaker == self._request.speakers[0].id

    def _beginning(self, body: _Body, position: int, speaker: str) -> str:
        """Return the reaction to the last line, or begin the line by opening the talk or going on to a new aspect."""
        if position == 0:
            self._open(body)
            return ""
        if self._asked:
            return ""
        due = position * len(self._topic.aspects) / len(self._request.briefs)
        moves_on = self._leads(speaker) and (due >= self._content.place + 1 or self._content.remaining < 2)
        if moves_on:
            self._content.advance()
            if self._numbers.random() < TRANSITION_CHANCE:
                body.add(self._pick(self._own(self._phrases.openers, "transition")), "transition")
                return ""
        if self._numbers.random() >= REACTION_CHANCE or not self._last_kind:
            return ""
        group = f"after_{self._last_kind}"
        if self._request.interaction is Interaction.ARGUMENTATIVE and self._numbers.random() < 0.7:
            group = "disagree"
        return self._pick(self._own(self._phrases.openers, group), you=self._neighbour(position - 1))

    def _open(self, body: _Body) -> None:
        body.add(self._pick(self._manner.openings, you=self._neighbour(1)), "opening")

    def _is_question(self, position: int, speaker: str) -> bool:
        if position >= len(self._request.briefs) - 2:
            return False
        chance = self._manner.moves["ask"] / sum(self._manner.moves.values())
        if self._has_lead:
            to_lead = self._leads(self._request.briefs[position + 1].speaker)
            chance = 0.5 * chance if self._leads(speaker) else 0.6 * to_lead
        if self._asked:
            chance *= 0.5
        return self._numbers.random() < chance

    def _question(self, speaker: str, follower: str) -> str:
        """Return a question with its mark, such as ``yn:Shall we …?``."""
        questions = self._manner.questions if self._leads(speaker) else self._manner.learner_questions
        mark, _, template = self._choice(questions).partition(":")
        # What a question says is used up, so that the answer does not repeat it.
        slots = {}
        for kind in CONTENTS:
            if f"{{{kind.removesuffix('s')}}}" in template and self._content.has(kind):
                slots[kind.removesuffix("s")] = self._content.take(kind)[1]
        return f"{mark}:{self._pick((template,), you=follower, **slots)}"

    def _fill(self, body: _Body, speaker: str, seconds: float, *, need: bool) -> None:
        """Add sentences until the next one would lead further away from the length wanted."""
        while len(body.sentences) < MOST_SENTENCES:
            left_s = seconds - self._seconds(" ".join(body.sentences))
            must = need and not (set(body.kinds) & {*CONTENTS, "remarks"})
            if not must and left_s < 1.0:
                return
            opens = body.kinds == ["opening"]
            sentence, kind = self._content_sentence(
                speaker, answers=bool(self._asked) and not body.sentences, remarks=not opens
            )
            if not must and self._seconds(sentence) - left_s > left_s:
                return
            body.add(sentence, kind)

    def _content_sentence(self, speaker: str, *, answers: bool, remarks: bool) -> tuple[str, str]:
        """Return a sentence and its kind.

        Parameters
        ----------
        answers
            Whether it answers a question, so that it does not begin by linking itself to something else.
        remarks
            Whether it may be a remark.
        """
        weights = self._body_weights(speaker)
        if not remarks and len(weights) > 1:
            weights["remarks"] = 0
        kind = self._numbers.choices(tuple(weights), tuple(weights.values()))[0]
        if kind == "remarks":
            return self._remark(self._choice(self._remarks(speaker, answers=answers)), speaker), kind
        kind, phrase = self._content.take(kind)
        if not self._has_lead and self._content.aspect.thing not in self._introduced:
            return self._introduction(kind, phrase), kind
        templates: Sequence[str] = getattr(self._manner, kind) or getattr(self._phrases.sentences, kind)
        fitting = [
            template
            for template in templates
            if not (template.startswith("~") and is_first_person(phrase)) and not (answers and _LINKS.match(template))
        ]
        return self._pick(fitting, **{kind.removesuffix("s"): phrase}), kind

    def _introduction(self, kind: str, phrase: str) -> str:
        """Return a sentence that says what it is about, so that “it” and “they” in its content are understood."""
        template = self._choice(self._phrases.introductions)
        return self._pick((f"{template} {'we could ' if kind == 'plans' else ''}{phrase}.",))

    def _remarks(self, speaker: str, *, answers: bool) -> tuple[str, ...]:
        if self._leads(speaker):
            return self._manner.remarks
        return self._manner.learner_answers if answers else self._manner.learner_remarks

    def _remark(self, template: str, speaker: str) -> str:
        """Return a remark, now and then with something behind it, so that it is not the same each time."""
        if template[-1] == "." and self._numbers.random() < REMARK_END_CHANCE:
            template = f"{template[:-1]}, {self._choice(self._phrases.remark_ends)}."
        others = [each for each in self._names if each != speaker]
        lead = self._request.speakers[0].id
        whom = self._numbers.choice(others) if self._leads(speaker) else lead
        return self._pick((template,), you=self._names[whom])

    def _body_weights(self, speaker: str) -> dict[str, float]:
        """Return how likely each kind of content is; in an argument one side has the facts, the other the troubles."""
        if not self._leads(speaker):
            return (
                {"remarks": 4.0, "troubles": 1.0}
                if self._request.interaction is Interaction.INSTRUCTIONAL
                else {"remarks": 1.0}
            )
        weights: dict[str, float] = dict(self._manner.body)
        if self._request.interaction is Interaction.ARGUMENTATIVE:
            position = next(i for i, each in enumerate(self._request.speakers) if each.id == speaker)
            weights["troubles" if position % 2 == 0 else "facts"] *= 0.15
        return weights

    def _answer(self, body: _Body, mark: str) -> None:
        opener = self._pick(self._own(self._phrases.openers, f"answer_{mark}"))
        body.sentences[0] = joined(opener, body.sentences[0], self._keep)

    def _with_opener(self, group: str, sentence: str, you: str) -> str:
        return joined(self._pick(self._phrases.openers[group], you=you), sentence, self._keep)

    def _tail(self, speaker: str) -> str:
        narrates = self._request.interaction is Interaction.NARRATIVE
        if narrates and not self._leads(speaker):
            return "and I was just about to ask you what happened with the others"
        template = self._choice(self._phrases.narrative_tails if narrates else self._phrases.tails)
        phrases = {kind.removesuffix("s"): self._content.peek(kind) for kind in CONTENTS}
        return self._expander.phrase(template, **phrases)

    def _backchannels(self, kinds: Sequence[str]) -> tuple[str, ...]:
        """Return listener's signals: most show attention, some assent, some react to what is being told."""
        feeling = "negative" if "troubles" in kinds else "positive"
        groups = self._numbers.choices(("continuer", "acknowledgement", feeling), (5, 3, 3), k=BACKCHANNELS_A_LINE)
        return tuple(self._choice(self._own(self._phrases.backchannels, group)) for group in groups)

    def _own(self, groups: Mapping[str, tuple[str, ...]], name: str) -> tuple[str, ...]:
        """Return the phrases of a group, those of this interaction type where it has its own."""
        return groups.get(f"{name}_{self._request.interaction.lower()}", groups[name])

    def _disfluent(self, sentence: str) -> str:
        """Return a sentence as it comes out: now and then with a filler or a false start."""
        words = sentence.split(" ")
        if (
            len(words) >= 5
            and self._numbers.random() < FALSE_START_CHANCE
            and " ".join(words[:2]).replace(" ", "").isalpha()
        ):
            start = " ".join(words[:2])
            return f"{start}, {joined('', sentence, self._keep) if words[0] == 'I' else _small(sentence, self._keep)}"
        places = [place for place in range(1, len(words) - 2) if words[place - 1].lower() in FILLER_PLACES]
        if places and self._numbers.random() < FILLER_CHANCE:
            place = self._numbers.choice(places)
            words[place - 1] += ","
            words.insert(place, f"{self._numbers.choice(self._phrases.fillers)},")
        return " ".join(words)

    def _pick(self, templates: Sequence[str], **slots: str) -> str:
        """Return a sentence from one of the templates."""
        template = self._choice(templates)
        if "{thing}" in template:
            self._introduced.add(self._content.aspect.thing)
        known = {
            "thing": self._expander.phrase(self._content.aspect.thing),
            "title": self._topic.title,
            **{kind.removesuffix("s"): self._content.peek(kind) for kind in CONTENTS},
            **slots,
        }
        return self._expander.sentence(template.removeprefix("~"), **known)

    def _choice(self, templates: Sequence[str]) -> str:
        """Return one of the templates that this conversation has used least."""
        fewest = min(self._used[template] for template in templates)
        template = self._numbers.choice([each for each in templates if self._used[each] == fewest])
        self._used[template] += 1
        return template

    def _some(self, templates: Sequence[str], count: int) -> list[str]:
        return self._numbers.sample(templates, min(count, len(templates)))

    def _seconds(self, text: str) -> float:
        return self._request.pace.seconds(text.partition(":")[2] if text[:3] in ("yn:", "wh:") else text) if text else 0


def _small(sentence: str, names: frozenset[str]) -> str:
    return joined(",", sentence, names)[2:]
