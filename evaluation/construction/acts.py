"""Acts: what each speaker does to the floor, first as symbols, then in frames.

These values are the seam between the stages. The script and the orchestrator make a `SymbolicConversation`: acts with
texts, and times relative to one another. Synthesis gives every part of every act a number of frames (`PartFrames`).
The resolution makes a `ResolvedConversation` of both: which samples of which part stand where, and the floor events.

Conventions
-----------
- A floor act (TURN, INTERRUPTION) takes the floor; all other acts leave it where it is.
- ``holder_before`` is who holds the floor the instant before an act begins; it is `NOBODY` in the gap after a turn
  that yielded. ``holder_after`` is who holds it once the outcome of the act is decided. A turn that begins before the
  last one has ended takes the floor when that one ends; an interruption takes it when the holder stops.
- A HOLD is no act: it is the pause between two parts of a floor act, and becomes an event of its own.

MultiPartyTurnBench §3.1, App. C
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from annotation.errors import InvalidValueError
from annotation.events import NOBODY, FloorEvent


class Kind(StrEnum):
    """Kinds of floor event, as in ``resources/schemes/floor-events.json``."""

    TURN = "TURN"
    INTERRUPTION = "INTERRUPTION"
    FAILED_CLAIM = "NON_FLOOR_TAKING_INTERRUPTION"
    BACKCHANNEL = "BACKCHANNEL"
    NON_CONTENT = "NON_CONTENT"
    HOLD = "HOLD"


FLOOR_KINDS = frozenset({Kind.TURN, Kind.INTERRUPTION})
"""Kinds of act whose speaker holds the floor."""

ASIDE_KINDS = frozenset({Kind.FAILED_CLAIM, Kind.BACKCHANNEL, Kind.NON_CONTENT})
"""Kinds of act under another's turn that leave the floor where it is."""


class Interaction(StrEnum):
    """The six interaction types."""

    CASUAL = "Casual"
    TASK_ORIENTED = "Task-Oriented"
    INSTRUCTIONAL = "Instructional"
    COLLABORATIVE = "Collaborative"
    ARGUMENTATIVE = "Argumentative"
    NARRATIVE = "Narrative"


class Cause(StrEnum):
    """Why the floor went from one holder to the next."""

    OPENING = "opening"
    """The first turn takes an empty floor."""
    SELECTED = "selected"
    """The holder chose this speaker, by a question or a name."""
    SELF_SELECTED = "self-selected"
    """The holder had finished and this speaker began."""
    CLAIMED = "claimed"
    """An interruption: the holder gave way."""
    YIELDED = "yielded"
    """The holder finished; nobody holds the floor until the next turn begins."""
    NONE = "none"
    """No transfer."""


class Sound(StrEnum):
    """Sounds without words; a NON_CONTENT act has one, and a spelling of it for voices that can only read."""

    LAUGH = "laugh"
    CHUCKLE = "chuckle"
    COUGH = "cough"
    THROAT = "throat"
    SIGH = "sigh"
    SNIFF = "sniff"


class Relation(StrEnum):
    """What an act's onset is counted from."""

    START = "start"
    """`Timing.ms` after the start of the conversation; no anchor."""
    AFTER_END = "after-end"
    """`Timing.ms` after the anchor's end; negative is overlap."""
    AT_SHARE = "at-share"
    """At `Timing.share` of the anchor's realised length."""
    IN_PAUSE = "in-pause"
    """At `Timing.share` of the anchor's pause number `Timing.pause`: a contested hold."""


@dataclass(frozen=True, slots=True)
class Timing:
    """When an act begins, relative to an earlier act.

    Parameters
    ----------
    anchor
        Index of an earlier act; None at the start only.
    ms
        Whole milliseconds, for `Relation.START` and `Relation.AFTER_END`.
    share
        0 to 1, for the other two.
    pause
        Which pause of the anchor, counted from 0.
    """

    relation: Relation
    anchor: int | None = None
    ms: int = 0
    share: float = 0.0
    pause: int = 0

    def __post_init__(self) -> None:
        if (self.anchor is None) != (self.relation is Relation.START):
            raise InvalidValueError("Every act but those at the start is timed from another act.")
        if not 0 <= self.share <= 1 or self.pause < 0:
            raise InvalidValueError(f"A share of {self.share} or pause number {self.pause} is none.")


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who speaks; `id` names the channel, `name` is what the others say, `register` which voice fits the name.

    Parameters
    ----------
    register
        ``"low"`` or ``"high"``: a wish that synthesis may leave unfulfilled.
    """

    id: str
    name: str
    register: str = "high"


@dataclass(frozen=True, slots=True)
class Act:
    """One contribution, before it has frames.

    Parameters
    ----------
    index
        Position in `SymbolicConversation.acts`.
    parts
        What is said, in pieces; each is synthesised by itself. Of a turn that is cut off it is the whole text that
        the speaker would have said.
    pauses_ms
        Silences between the parts, one fewer than parts; each is a HOLD.
    cut_by
        Index of the interruption that ends this act early; None for an act that is said to its end.
    yield_ms
        How long the holder talks on after the onset of `cut_by`; None when `cut_by` is None.
    cause
        Why this act got the floor; `Cause.NONE` for asides.
    question
        Whether the act ends in a question.
    addressee
        The speaker that a question or a name is directed to, or empty.
    sound
        What a NON_CONTENT act sounds like; `parts` then hold its spelling.
    """

    index: int
    speaker: str
    kind: Kind
    parts: tuple[str, ...]
    timing: Timing
    holder_before: str
    holder_after: str
    cause: Cause = Cause.NONE
    pauses_ms: tuple[int, ...] = ()
    cut_by: int | None = None
    yield_ms: int | None = None
    question: bool = False
    addressee: str = ""
    sound: Sound | None = None

    def __post_init__(self) -> None:
        if self.kind is Kind.HOLD:
            raise InvalidValueError("A hold is a pause of an act, not an act.", where=f"act {self.index}")
        if not self.parts or not all(part.strip() for part in self.parts):
            raise InvalidValueError("An act has at least one part, and every part has a text.", where=self._where)
        if len(self.pauses_ms) != len(self.parts) - 1 or any(pause <= 0 for pause in self.pauses_ms):
            raise InvalidValueError("Between two parts lies one pause of some length.", where=self._where)
        if (self.cut_by is None) != (self.yield_ms is None) or (self.cut_by is not None and not self.takes_floor):
            raise InvalidValueError("An act that is cut off held the floor, and says for how long.", where=self._where)
        if (self.sound is not None) != (self.kind is Kind.NON_CONTENT):
            raise InvalidValueError("Non-content, and nothing else, has a sound.", where=self._where)
        if self.takes_floor == (self.cause is Cause.NONE):
            raise InvalidValueError("A floor act, and nothing else, has a cause.", where=self._where)

    @property
    def takes_floor(self) -> bool:
        """Whether the speaker holds the floor with this act."""
        return self.kind in FLOOR_KINDS

    @property
    def text(self) -> str:
        """All parts as one text."""
        return " ".join(self.parts)

    @property
    def _where(self) -> str:
        return f"act {self.index}, {self.kind} of {self.speaker}"


@dataclass(frozen=True, slots=True)
class SymbolicConversation:
    """A conversation as acts, in the order in which each can be placed: anchors come before what they anchor.

    Parameters
    ----------
    seed
        The seed of the conversation, from which later stages derive their own streams.
    split
        ``"dev"`` or ``"test"``.
    lead_ms, tail_ms
        Silence before the first act and after the last.
    """

    id: str
    interaction: Interaction
    topic: str
    speakers: tuple[Speaker, ...]
    acts: tuple[Act, ...]
    seed: int
    split: str = "test"
    lead_ms: int = 800
    tail_ms: int = 1200

    def __post_init__(self) -> None:
        ids = {speaker.id for speaker in self.speakers}
        if len(ids) != len(self.speakers) or NOBODY in ids:
            raise InvalidValueError("Two speakers have one id, or one has none.", where=self.id)
        for position, act in enumerate(self.acts):
            where = f"{self.id}, act {position}"
            if act.index != position:
                raise InvalidValueError(f"The act says that it is number {act.index}.", where=where)
            if act.timing.anchor is not None and not 0 <= act.timing.anchor < position:
                raise InvalidValueError("An act is timed from an earlier one.", where=where)
            if not {act.speaker, act.holder_before, act.holder_after} <= ids | {NOBODY}:
                raise InvalidValueError("An act names a speaker who is not there.", where=where)


PartFrames = Mapping[tuple[int, int], int]
"""Frames of speech for every (act, part), without silence around it, at the rate given along."""


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open ``[onset, offset)`` in frames."""

    onset: int
    offset: int

    @property
    def length(self) -> int:
        """Frames from onset to offset."""
        return self.offset - self.onset


@dataclass(frozen=True, slots=True)
class PlacedAct:
    """An act on the timeline.

    Parameters
    ----------
    spans
        Where each part lies: samples ``[0, span.length)`` of part ``k`` begin at ``spans[k].onset``. A part that was
        cut is shorter than its speech; parts that were never reached are absent, so there may be fewer than parts.
    cut
        Whether the last span ends before its speech does.
    """

    act: Act
    spans: tuple[Span, ...]
    cut: bool = False

    @property
    def onset(self) -> int:
        """First frame of speech."""
        return self.spans[0].onset

    @property
    def offset(self) -> int:
        """Frame after the last of speech."""
        return self.spans[-1].offset


@dataclass(frozen=True, slots=True)
class Transfer:
    """At `frame` the floor goes from one holder to another (or `NOBODY`), for a cause, by an act."""

    frame: int
    before: str
    after: str
    cause: Cause
    act: int


@dataclass(frozen=True, slots=True)
class Repair:
    """What the resolution had to change because the speech came out too short or too long: act, and a sentence."""

    act: int
    text: str


@dataclass(frozen=True, slots=True)
class ResolvedConversation:
    """A conversation in frames.

    Parameters
    ----------
    frames
        Length of the conversation, lead and tail included.
    acts
        Placed acts in the order of the symbolic ones; an aside that found no room is absent and stands in `repairs`.
    events
        Floor events by onset, HOLDs included; their ids are the conversation's id and a number.
    transfers
        Every change of holder, by frame; before the first nobody holds the floor.
    """

    conversation: SymbolicConversation
    rate_hz: int
    frames: int
    acts: tuple[PlacedAct, ...]
    events: tuple[FloorEvent, ...]
    transfers: tuple[Transfer, ...]
    repairs: tuple[Repair, ...] = ()
