"""From a design and the project's conversations to items, seats and presentations; pure but for the random ids.

Conventions: ids are drawn by `secrets` and say nothing. Everything else follows from the study's seed: which items are
repeated, each annotator's order, each clip. Positions count from 1 within a seat; the calibration comes first.

Decisions: an extension has repeats of its own, and nothing that exists is drawn again; an annotator who replaces
another gets an order and clips of their own over all items. No two clips of a seat have one length, extensions
included. Speakers are answered by neutral ids (``v1``, ``v2``, in the order of the lanes), so that no name of a file or
a speaker reaches an annotator unless the design shows names.

References: MultiPartyTurnBench App. A.1.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from annotation.conversation import Conversation
from annotation.notices import Notice
from annotation.study.clip import Clip, draw_clip
from annotation.study.design import NEUTRAL, StudyDesign
from annotation.study.presentation import Answer, Voice
from annotation.study.queue import QueueItem, draw_queue, repeated_items

CALIBRATION, FIRST, REPEAT = 0, 1, 2
"""The numbers of a presentation: outside the figures, an item met for the first time, or for the second."""


@dataclass(frozen=True, slots=True)
class StudyItem:
    """What is labelled, with the reference's answers where there are any; never shown to an annotator.

    Parameters
    ----------
    batch
        0 for the first draw, n for the n-th extension.
    position
        In the order of the material, from 1 within the batch.
    kind
        The reference's (the generator's); None without one.
    speakers, interaction
        For strata and breakdowns.
    origin
        The source it came from (``reference gold``, ``grid 10``).
    calibration
        Whether it belongs to the calibration round and so to no figure.
    """

    id: str
    batch: int
    position: int
    conversation: str
    speaker: str
    onset: int
    offset: int
    kind: str | None = None
    holder_before: str | None = None
    holder_after: str | None = None
    speakers: int = 0
    interaction: str = ""
    origin: str = ""
    calibration: bool = False


@dataclass(frozen=True, slots=True)
class Seat:
    """One annotator's place in a study.

    Parameters
    ----------
    replaces
        The id of the seat whose annotator left, or None.
    keeps
        Whether what that annotator submitted still counts in the figures.
    """

    id: str
    position: int
    annotator: str
    at: str
    replaces: str | None = None
    keeps: bool = False


@dataclass(frozen=True, slots=True)
class DrawnPresentation:
    """One item as it is put to one seat, with what only the lead's side may know.

    Parameters
    ----------
    number
        `CALIBRATION`, `FIRST` or `REPEAT`.
    clip
        In frames of the conversation.
    voices
        What the annotator reads and answers by, in the order of the lanes.
    speakers
        The ids of the conversation's speakers, in the same order.
    reference
        The answer to a calibration item, in clip frames and voices; None otherwise.
    """

    id: str
    seat: str
    batch: int
    position: int
    item: str
    number: int
    rate_hz: int
    clip: Clip
    cue_voice: str
    voices: tuple[Voice, ...]
    speakers: tuple[str, ...]
    reference: Answer | None = None


@dataclass(frozen=True, slots=True)
class SeatSoFar:
    """What a seat holds before more is drawn for it.

    Parameters
    ----------
    positions
        The last position in use, 0 for a new seat.
    lengths
        Clip lengths in use.
    conversation
        That of the last presentation; empty for a new seat.
    """

    seat: Seat
    positions: int = 0
    lengths: frozenset[int] = frozenset()
    conversation: str = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a draw adds to a study."""

    items: tuple[StudyItem, ...]
    seats: tuple[Seat, ...]
    presentations: tuple[DrawnPresentation, ...]
    notices: tuple[Notice, ...] = ()


def draw_study(
    design: StudyDesign, items: Sequence[StudyItem], conversations: Mapping[str, Conversation], at: str
) -> Drawing:
    """Return the first draw of a study over its items, the calibration's among them.

    Parameters
    ----------
    items
        As `annotation.study.material.material_of` gives them.
    conversations
        By id, with the speakers' mapping applied.
    at
        The time that the seats carry.

    Raises
    ------
    InvalidValueError
        If a clip of a length of its own cannot be drawn.
    """
    repeated = choose_repeats(design, items)
    seats = tuple(new_seat(name, place, at) for place, name in enumerate(design.annotators, start=1))
    presentations = [
        presentation
        for seat in seats
        for presentation in draw_seat(design, SeatSoFar(seat), items, repeated, conversations)
    ]
    return Drawing(tuple(items), seats, tuple(presentations))


def draw_extension(
    design: StudyDesign,
    items: Sequence[StudyItem],
    conversations: Mapping[str, Conversation],
    seats: Sequence[SeatSoFar],
) -> Drawing:
    """Return what new items of one batch add to the seats of a study; faults as `draw_study`."""
    repeated = choose_repeats(design, items)
    presentations = [
        presentation for so_far in seats for presentation in draw_seat(design, so_far, items, repeated, conversations)
    ]
    return Drawing(tuple(items), (), tuple(presentations))


def new_seat(annotator: str, position: int, at: str, *, replaces: str | None = None, keeps: bool = False) -> Seat:
    """Return a seat with an id drawn at random."""
    return Seat(secrets.token_hex(16), position, annotator, at, replaces, keeps)


def new_item_id() -> str:
    """Return an id drawn at random."""
    return secrets.token_hex(16)


def choose_repeats(design: StudyDesign, items: Sequence[StudyItem]) -> frozenset[str]:
    """Return the ids of the items that all annotators meet twice; none of the calibration."""
    asked = [item for item in items if not item.calibration]
    by_place = {_place(item): item.id for item in asked}
    chosen = repeated_items([_queue_item(item) for item in asked], design.repeats, design.seed)
    return frozenset(by_place[place] for place in chosen)


def draw_seat(
    design: StudyDesign,
    so_far: SeatSoFar,
    items: Sequence[StudyItem],
    repeated: frozenset[str],
    conversations: Mapping[str, Conversation],
) -> tuple[DrawnPresentation, ...]:
    """Return one seat's presentations of items, in order behind what it holds: first those of the calibration.

    Parameters
    ----------
    repeated
        Ids of the items to meet twice.

    Raises
    ------
    InvalidValueError
        If a clip of a length of its own cannot be drawn.
    """
    annotator = so_far.seat.annotator
    by_place = {_place(item): item for item in items}
    asked = [item for item in items if not item.calibration]
    calibration = [item for item in items if item.calibration]
    Random(f"{design.seed} calibration {annotator}").shuffle(calibration)
    again = frozenset(_place(item) for item in asked if item.id in repeated)
    batch = max((item.batch for item in items), default=0)
    order = draw_queue(
        [_queue_item(item) for item in asked],
        again,
        annotator=f"{annotator} {batch}",
        seed=design.seed,
        after=calibration[-1].conversation if calibration else so_far.conversation,
    )
    meetings = [(item, CALIBRATION) for item in calibration]
    meetings += [(by_place[place.item], place.number) for place in order]
    chance = Random(f"{design.seed} clips {annotator} {batch}")
    lengths = set(so_far.lengths)
    drawn = []
    for position, (item, number) in enumerate(meetings, start=so_far.positions + 1):
        conversation = conversations[item.conversation]
        clip = draw_clip(
            item.onset,
            item.offset,
            frames=conversation.frames,
            rate_hz=conversation.rate_hz,
            context_s=design.context_s,
            chance=chance,
            lengths_taken=lengths,
        )
        lengths.add(clip.frames)
        drawn.append(_presentation(design, so_far.seat, position, item, number, conversation, clip))
    return tuple(drawn)


def _presentation(
    design: StudyDesign,
    seat: Seat,
    position: int,
    item: StudyItem,
    number: int,
    conversation: Conversation,
    clip: Clip,
) -> DrawnPresentation:
    speakers = tuple(channel.speaker for channel in conversation.channels)
    voices = tuple(
        Voice(f"v{place}", f"Speaker {place}" if design.speaker_names == NEUTRAL else channel.display_name)
        for place, channel in enumerate(conversation.channels, start=1)
    )
    ids = {speaker: voice.id for speaker, voice in zip(speakers, voices, strict=True)}
    presentation = DrawnPresentation(
        id=secrets.token_hex(16),
        seat=seat.id,
        batch=item.batch,
        position=position,
        item=item.id,
        number=number,
        rate_hz=conversation.rate_hz,
        clip=clip,
        cue_voice=ids[item.speaker],
        voices=voices,
        speakers=speakers,
    )
    if number != CALIBRATION:
        return presentation
    return replace(presentation, reference=_reference(design, item, clip, ids))


def _reference(design: StudyDesign, item: StudyItem, clip: Clip, ids: Mapping[str, str]) -> Answer:
    """Return the answer to a calibration item, in what the scheme asks."""
    edges = design.scheme.asks_boundaries
    holders = design.scheme.asks_holders
    return Answer(
        kind=item.kind or "",
        holder_before=_voice_of(item.holder_before, ids) if holders else None,
        holder_after=_voice_of(item.holder_after, ids) if holders else None,
        onset=item.onset - clip.onset if edges else None,
        offset=item.offset - clip.onset if edges else None,
    )


def _voice_of(speaker: str | None, ids: Mapping[str, str]) -> str | None:
    return speaker if not speaker else ids.get(speaker)


def _place(item: StudyItem) -> str:
    # What follows from the seed must not depend on ids, which are drawn at random.
    return f"{item.batch:06d}.{item.position:06d}"


def _queue_item(item: StudyItem) -> QueueItem:
    return QueueItem(_place(item), item.conversation, (item.kind or "", item.speakers))
