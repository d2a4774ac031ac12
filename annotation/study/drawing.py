"""From a design and the project's conversations to items, seats and presentations; pure but for the random ids.

Conventions: ids are drawn by `secrets` and say nothing. Everything else follows from the study's seed: which items are
repeated, each annotator's order, each clip. Positions count from 1 within a seat; the calibration comes first.

Decisions: a grid gives one item for each stretch and speaker, and a last stretch shorter than half of one is left out;
an item of an extension is drawn with its own repeats, and nothing that exists is drawn again; an annotator who replaces
another gets an order and clips of their own over all items.

References: MultiPartyTurnBench App. A.1.
"""

from dataclasses import dataclass

from annotation.notices import Notice
from annotation.sources import ImportedConversation
from annotation.study.clip import Clip
from annotation.study.design import StudyDesign
from annotation.study.presentation import Answer, Voice

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
class Material:
    """Items that could be drawn, and what was left out with the reason."""

    items: tuple[StudyItem, ...]
    notices: tuple[Notice, ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a draw adds to a study."""

    items: tuple[StudyItem, ...]
    seats: tuple[Seat, ...]
    presentations: tuple[DrawnPresentation, ...]
    notices: tuple[Notice, ...] = ()


def material_of(design: StudyDesign, conversations: tuple[ImportedConversation, ...], batch: int = 0) -> Material:
    """Return the items that a design takes from conversations, with the calibration's in batch 0.

    Raises
    ------
    StudyError
        If there is no item, or the calibration has none.
    """
    raise NotImplementedError


def draw(design: StudyDesign, conversations: tuple[ImportedConversation, ...], at: str) -> Drawing:
    """Return the first draw of a study.

    Raises
    ------
    StudyError
        If there is no item, or a clip of a length of its own cannot be drawn.
    """
    raise NotImplementedError
