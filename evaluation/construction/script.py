"""Scripts: what is said, before anything is decided about the floor.

A `ScriptWriter` turns a `ScriptRequest` into a `Script`: one `Line` for each brief, in order. A line holds more wording
than will be heard, so that the orchestrator can choose: how it begins when it interrupts, what its speaker would have
gone on to say, what the others mutter meanwhile. The built-in writer is `evaluation.construction.grammar_writer`; any
other (a language model) fulfils the same interface, and `check_script` says whether it did.

MultiPartyTurnBench §3.1, App. C.2
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.optimize import nnls  # type: ignore[import-untyped]

from annotation.errors import FloorscopeError, InvalidValueError
from evaluation.construction.acts import Interaction, Speaker

LONGEST_TEXT = 2_000
"""Characters of one text of a script."""


class ScriptError(FloorscopeError):
    """A script that does not answer its request."""

    code = "script"
    exit_code = 1


@dataclass(frozen=True, slots=True)
class SpeechPace:
    """How long a text takes to say: a plan, until synthesis gives the true length.

    Left out, the figures are those that fit 112 clips of two natural voices (hibari-tts heart, piper joe) best; each
    voice alone is 3 to 4 % off in the sum, flite's are up to 12 % slower.

    Parameters
    ----------
    onset_s
        Seconds that any utterance takes on top.
    syllable_s, comma_s, sentence_s
        Seconds a syllable, a comma inside, and the end of a sentence inside.
    """

    onset_s: float = 0.05
    syllable_s: float = 0.19
    comma_s: float = 0.21
    sentence_s: float = 0.45

    def seconds(self, text: str) -> float:
        """Return how long a text takes to say."""
        count, commas, sentences = _measures(text)
        return self.onset_s + count * self.syllable_s + commas * self.comma_s + sentences * self.sentence_s


def _measures(text: str) -> tuple[int, int, int]:
    """Return how many syllables a text has, how many commas, and how many sentences end inside it."""
    inner = text.strip().rstrip(".,?!:—").strip()
    return syllables(inner), len(re.findall(r"[,:;]", inner)), len(re.findall(r"[.?!]+\s", inner))


def fitted_pace(spoken: Iterable[tuple[str, float]]) -> SpeechPace:
    """Return the pace of a voice from texts and the seconds that it took to say them: least squares, none negative.

    Raises
    ------
    InvalidValueError
        If there are fewer than eight texts, or a length is not positive.
    """
    pairs = list(spoken)
    if len(pairs) < 8 or any(seconds <= 0 for _, seconds in pairs):
        raise InvalidValueError("A pace needs at least eight texts, each with a length over 0 s.")
    terms = np.array([(1, *_measures(text)) for text, _ in pairs], dtype=float)
    solution, _ = nnls(terms, np.array([seconds for _, seconds in pairs]))
    return SpeechPace(*(round(float(value), 4) for value in solution))


def syllables(text: str) -> int:
    """Return about how many syllables an English text has: groups of vowels, without most silent e."""
    return sum(_syllables_of(word) for word in re.findall(r"[a-z0-9']+", text.lower()))


def _syllables_of(word: str) -> int:
    if word.isdigit():
        return 2 * len(word)
    groups = len(re.findall(r"[aeiouy]+", word))
    if word.endswith("e") and not word.endswith(("le", "ee", "ye")) and groups > 1:
        groups -= 1
    if word.endswith("ed") and groups > 1 and word[-3:-2] not in "td":
        groups -= 1
    return max(groups, 1)


@dataclass(frozen=True, slots=True)
class LineBrief:
    """Who speaks next, and for about how many seconds."""

    speaker: str
    seconds: float


@dataclass(frozen=True, slots=True)
class ScriptRequest:
    """What a writer is asked for.

    Parameters
    ----------
    speakers
        In Instructional talk the first one teaches; in Narrative the first one tells the story.
    briefs
        One a line; no two neighbours have the same speaker.
    ordinal
        Which conversation of this type it is, counted from 0, so that a writer can go through its topics.
    """

    id: str
    interaction: Interaction
    speakers: tuple[Speaker, ...]
    briefs: tuple[LineBrief, ...]
    seed: int
    ordinal: int = 0
    pace: SpeechPace = SpeechPace()


@dataclass(frozen=True, slots=True)
class Line:
    """One contribution in all its wordings.

    Parameters
    ----------
    reaction
        A short sentence towards the last line, said before the sentences of a plain turn; may be empty.
    sentences
        The contribution itself, sentence by sentence.
    interrupting, resuming
        The first sentence in the wording of somebody who interrupts, and of somebody who was interrupted and takes the
        floor again; empty where the plain wording serves.
    tail
        What the speaker would have gone on to say, as a clause that follows a comma; heard in part when cut off.
    hesitations
        What may stand before a pause of the speaker.
    backchannels, claims
        What others may say meanwhile: listener's signals, and claims to the floor that come to nothing.
    question, addressee
        Whether the line ends in a question to be answered by the next speaker, and whom it names.
    answers
        Whether the line answers the question before it.
    """

    speaker: str
    sentences: tuple[str, ...]
    reaction: str = ""
    interrupting: str = ""
    resuming: str = ""
    tail: str = ""
    hesitations: tuple[str, ...] = ()
    backchannels: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    question: bool = False
    addressee: str = ""
    answers: bool = False


@dataclass(frozen=True, slots=True)
class Script:
    """The lines of a conversation on a topic."""

    id: str
    interaction: Interaction
    topic: str
    speakers: tuple[Speaker, ...]
    lines: tuple[Line, ...]


class ScriptWriter(Protocol):
    """Writes scripts; the same request gives the same script where the writer is deterministic."""

    name: str

    def write(self, request: ScriptRequest) -> Script:
        """Return one line for each brief.

        Raises
        ------
        ScriptError
            If the writer cannot fulfil the request.
        """


def check_script(script: Script, request: ScriptRequest) -> None:
    """Refuse a script that does not answer its request.

    Raises
    ------
    ScriptError
        With the line that is wrong.
    """
    if len(script.lines) != len(request.briefs):
        raise ScriptError(
            f"The script has {len(script.lines)} lines, {len(request.briefs)} were asked for.", where=request.id
        )
    for position, (line, brief) in enumerate(zip(script.lines, request.briefs, strict=True)):
        where = f"{request.id}, line {position}"
        if line.speaker != brief.speaker:
            raise ScriptError(f"The speaker is {line.speaker}, asked for was {brief.speaker}.", where=where)
        if not line.sentences or not all(sentence.strip() for sentence in line.sentences):
            raise ScriptError("The line says nothing, or has an empty sentence.", where=where)
        if any(len(text) > LONGEST_TEXT for text in (*line.sentences, line.tail, *line.backchannels, *line.claims)):
            raise ScriptError(f"A text is longer than {LONGEST_TEXT} characters.", where=where)


def spoken(text: str) -> str:
    """Return a text as a voice should read it: a broken-off end is no dash."""
    return text.replace("—", "").strip()
