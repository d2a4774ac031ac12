"""What an annotator is shown and what an annotator answers: all that the annotator's side of the program may know.

Conventions: times are frames of the clip, from 0 where the clip begins. Where the clip lies in its conversation, which
conversation and item it is, and whether it is met for the first time stand nowhere here (PROTOCOLS, blindness). Ids are
drawn at random.

References: MultiPartyTurnBench App. A.1.
"""

from dataclasses import dataclass

from annotation.errors import InvalidValueError
from annotation.events import NOBODY
from annotation.scheme import Scheme

HIGHEST_CONFIDENCE = 5
LONGEST_COMMENT = 4_000


@dataclass(frozen=True, slots=True)
class Voice:
    """One speaker of a clip: the id that answers use, and what to call them."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Cue:
    """Whom a presentation asks about, and where: ``[onset, offset)`` covers the event with room on each side."""

    speaker: str
    onset: int
    offset: int


@dataclass(frozen=True, slots=True)
class Presentation:
    """One item as it is put to one annotator, once.

    Parameters
    ----------
    position
        Place in the annotator's own order, from 1.
    rate_hz, frames
        Of the clip.
    speakers
        In the order of the lanes.
    """

    id: str
    position: int
    rate_hz: int
    frames: int
    speakers: tuple[Voice, ...]
    cue: Cue

    def __post_init__(self) -> None:
        if not 0 <= self.cue.onset <= self.cue.offset <= self.frames:
            raise InvalidValueError("The cue lies outside the clip.", where=self.id)
        if self.cue.speaker not in {voice.id for voice in self.speakers}:
            raise InvalidValueError("The cue is on nobody's lane.", where=self.id)


@dataclass(frozen=True, slots=True)
class Answer:
    """What an annotator says of a presentation; what is not said yet is empty or None.

    Parameters
    ----------
    kind
        The id of a kind of the scheme.
    cannot_tell
        Why no kind can be given; such an answer counts as missing, with this reason.
    holder_before, holder_after
        A speaker's id, `NOBODY`, or None for no answer.
    onset, offset
        Clip frames; each may be missing.
    confidence
        1 (guess) to 5 (certain), 0 for none given.
    """

    kind: str = ""
    cannot_tell: str = ""
    holder_before: str | None = None
    holder_after: str | None = None
    onset: int | None = None
    offset: int | None = None
    confidence: int = 0
    comment: str = ""

    def __post_init__(self) -> None:
        if self.kind and self.cannot_tell:
            raise InvalidValueError("An answer has a kind or says why it has none, not both.")
        if not 0 <= self.confidence <= HIGHEST_CONFIDENCE:
            raise InvalidValueError(f"A confidence of {self.confidence} is outside 0 to {HIGHEST_CONFIDENCE}.")
        for text in (self.comment, self.cannot_tell):
            if len(text) > LONGEST_COMMENT:
                raise InvalidValueError(f"A comment has at most {LONGEST_COMMENT:,} characters.")
        edges = [edge for edge in (self.onset, self.offset) if edge is not None]
        if any(edge < 0 for edge in edges) or (len(edges) == 2 and edges[0] > edges[1]):
            raise InvalidValueError("The onset lies after the offset, or before the clip begins.")


@dataclass(frozen=True, slots=True)
class Listening:
    """How an annotator listened before submitting.

    Parameters
    ----------
    plays
        How many times sound was started.
    listened_s
        Seconds for which sound ran.
    spent_s
        Seconds from showing to submitting, without breaks.
    slowest, fastest
        Speeds used; 1 where nothing was played.
    device, reported_latency_s, correction_s
        As in `annotation.circumstances.Circumstances`, at the submission.
    """

    plays: int = 0
    listened_s: float = 0.0
    spent_s: float = 0.0
    slowest: float = 1.0
    fastest: float = 1.0
    device: str = ""
    reported_latency_s: float = 0.0
    correction_s: float = 0.0


def missing_from(answer: Answer, scheme: Scheme) -> tuple[str, ...]:
    """Return what still has to be answered before submitting, a phrase each; none for a complete answer.

    Whoever cannot tell the kind owes nothing else.
    """
    if answer.cannot_tell:
        return ()
    missing = [] if answer.kind else ["the kind"]
    if scheme.asks_holders:
        missing += ["who holds the floor before"] if answer.holder_before is None else []
        missing += ["who holds the floor after"] if answer.holder_after is None else []
    if scheme.asks_boundaries:
        missing += ["the onset"] if answer.onset is None else []
        missing += ["the offset"] if answer.offset is None else []
    return tuple(missing)


def faults_of_answer(answer: Answer, presentation: Presentation, scheme: Scheme) -> tuple[str, ...]:
    """Return what in an answer cannot be, a sentence each: also how a merge checks what comes from elsewhere."""
    faults = []
    if answer.kind and scheme.kind_of(answer.kind) is None:
        faults.append(f"The scheme has no kind “{answer.kind}”.")
    known = {NOBODY, *(voice.id for voice in presentation.speakers)}
    for holder in (answer.holder_before, answer.holder_after):
        if holder is not None and holder not in known:
            faults.append(f"There is no speaker “{holder}” in the clip.")
    for edge in (answer.onset, answer.offset):
        if edge is not None and edge > presentation.frames:
            faults.append(f"Frame {edge} lies after the end of the clip ({presentation.frames} frames).")
    return tuple(faults)
