"""What the lead chooses for a study: items, annotators, repeats, context, guidelines, calibration.

A design is a frozen value, kept as JSON and never edited: what changes later (an extension, a replaced annotator) is a
row of its own. The whole scheme is in it, so that a study means the same on every machine and after every update.

Decisions: 2 to 26 annotators, three as published; the repeat fraction is exact and kept as text (``1/4``); a study
takes all conversations of the project but those of its calibration, unless it names its own.

References: MultiPartyTurnBench App. A.1 (``floor-events``); MP-Bench App. B (``response``); Duplex-MPE App. A3.4
(``validity``); ECHO §2.1 to §2.3 (``echo-role``).
"""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TypeVar

import msgspec

from annotation.errors import FloorscopeError, InvalidValueError
from annotation.scheme import Scheme, preset_scheme

FEWEST_ANNOTATORS, MOST_ANNOTATORS = 2, 26
LONGEST_CONTEXT_S = 120.0
LONGEST_GUIDELINES = 200_000
LARGEST_DESIGN_BYTES = 4 << 20
LARGEST_SEED = 2**63 - 1
SHOWN, NEUTRAL = "shown", "neutral"
"""Whether annotators read the speakers' names, or “Speaker 1”, “Speaker 2” in the order of the lanes."""

REFERENCE, GRID, LABELS, TRIALS = "reference", "grid", "labels", "trials"
_VERSION = 1
_Value = TypeVar("_Value", bound=msgspec.Struct)
_DIGITS = re.compile(r"\d{1,6}(\.\d{1,6})?")


class StudyError(FloorscopeError):
    """A study that cannot be made or used as asked."""

    code = "study"


@dataclass(frozen=True, slots=True)
class ItemOrigin:
    """Where items come from: `kind` is ``reference``, ``grid`` or ``labels``.

    Parameters
    ----------
    source
        The name of a label source, for ``labels``.
    seconds
        The length of a stretch, for ``grid``; exact.
    """

    kind: str
    source: str = ""
    seconds: Fraction = Fraction(0)


def item_origin(text: str) -> ItemOrigin:
    """Return what ``reference``, ``grid:SECONDS`` or ``labels:SOURCE`` means.

    Raises
    ------
    StudyError
        If it is none of these, or ``trials:RUN``, which this version cannot take items from.
    """
    kind, _, rest = text.partition(":")
    if kind == REFERENCE and not rest:
        return ItemOrigin(REFERENCE)
    if kind == LABELS and rest:
        return ItemOrigin(LABELS, source=rest)
    if kind == GRID and _DIGITS.fullmatch(rest) and Fraction(1, 2) <= Fraction(rest) <= 600:
        return ItemOrigin(GRID, seconds=Fraction(rest))
    if kind == TRIALS:
        raise StudyError(
            "Items from the trials of a run are not possible yet.",
            where=text,
            remedy="Take the items from reference events, a grid or imported labels.",
        )
    raise StudyError(
        "This does not say where the items come from.",
        where=text,
        remedy="Write reference, grid:SECONDS (0.5 to 600) or labels:SOURCE.",
    )


def exact_fraction(text: str, *, what: str) -> Fraction:
    """Return a share from 0 to 1 written as ``0.25`` or ``1/4``, exactly.

    Raises
    ------
    InvalidValueError
        If it is no such number.
    """
    try:
        value = Fraction(text) if len(text) <= 32 and "e" not in text.lower() else None
    except (ValueError, ZeroDivisionError):
        value = None
    if value is None or not 0 <= value <= 1:
        raise InvalidValueError(f"{what} is a number from 0 to 1, such as 0.25 or 1/4, not “{text}”.")
    return value


class Calibration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Items from outside the study that every annotator answers first, with the reference answers as feedback.

    Parameters
    ----------
    conversations
        Ids of the conversations they come from; none of these is in the study.
    items
        ``reference`` or ``labels:SOURCE``: where the reference answers stand.
    count
        How many are drawn, spread over the kinds; 0 for all there are.
    pass_mark
        Share of a round that must be answered with the reference kind before the study opens; ``0`` opens it after any
        one round.
    """

    conversations: tuple[str, ...]
    items: str = REFERENCE
    count: int = 10
    pass_mark: str = "4/5"

    def __post_init__(self) -> None:
        if not self.conversations or len(set(self.conversations)) < len(self.conversations):
            raise InvalidValueError("A calibration names the conversations that its items come from, each once.")
        if item_origin(self.items).kind == GRID:
            raise InvalidValueError("Calibration items need reference answers, and a grid has none.")
        if not 0 <= self.count <= 10_000:
            raise InvalidValueError(f"A calibration of {self.count} items is not possible.")
        exact_fraction(self.pass_mark, what="The pass mark")

    @property
    def needed(self) -> Fraction:
        """The pass mark as a number."""
        return Fraction(self.pass_mark)


class StudyDesign(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the lead chose.

    Parameters
    ----------
    scheme
        The whole scheme, not its name.
    annotators
        Names, each once, 2 to 26.
    items
        ``reference``, ``grid:SECONDS`` or ``labels:SOURCE``.
    repeat_fraction
        Share of the items that all annotators meet a second time, exact, as text.
    context_s
        Seconds on each side of the cue.
    guidelines
        Markdown, shown beside each item.
    conversations
        Ids; empty for all of the project but those of the calibration.
    speaker_names
        `SHOWN` or `NEUTRAL`.
    discusses
        Whether the annotators discuss what they disagree on, and the outcome is the final label (Duplex-MPE A3.4).
    mutes_others_after
        Whether the other speakers fall silent where the item ends (ECHO: what follows would give the role away).
    preset
        What the design was made from; for the record.

    Raises
    ------
    InvalidValueError
        If a value is out of its range.
    """

    name: str
    scheme: Scheme
    annotators: tuple[str, ...]
    items: str = REFERENCE
    repeat_fraction: str = "1/4"
    context_s: float = 10.0
    seed: int = 0
    guidelines: str = ""
    calibration: Calibration | None = None
    conversations: tuple[str, ...] = ()
    speaker_names: str = SHOWN
    discusses: bool = False
    mutes_others_after: bool = False
    preset: str = ""
    version: int = _VERSION

    def __post_init__(self) -> None:
        if not self.name.strip() or len(self.name) > 200:
            raise InvalidValueError("A study has a name of 1 to 200 characters.")
        require_annotators(self.annotators)
        item_origin(self.items)
        exact_fraction(self.repeat_fraction, what="The repeat fraction")
        if not (math.isfinite(self.context_s) and 0 <= self.context_s <= LONGEST_CONTEXT_S):
            raise InvalidValueError(f"A context of {self.context_s} s is outside 0 to {LONGEST_CONTEXT_S:g} s.")
        if not 0 <= self.seed <= LARGEST_SEED:
            raise InvalidValueError("A seed is a whole number from 0 to 2⁶³ − 1.")
        if len(self.guidelines) > LONGEST_GUIDELINES:
            raise InvalidValueError(f"Guidelines have at most {LONGEST_GUIDELINES:,} characters.")
        if self.speaker_names not in (SHOWN, NEUTRAL):
            raise InvalidValueError(f"Speakers’ names are {SHOWN} or {NEUTRAL}, not “{self.speaker_names}”.")
        if self.version != _VERSION:
            raise InvalidValueError(f"This design has version {self.version}; known here is {_VERSION}.")
        both = set(self.conversations) & set(self.calibration.conversations if self.calibration else ())
        if both:
            raise InvalidValueError(f"“{min(both)}” is in the study and in its calibration.")

    @property
    def repeats(self) -> Fraction:
        """The repeat fraction as a number."""
        return Fraction(self.repeat_fraction)

    @property
    def origin(self) -> ItemOrigin:
        """Where the items come from."""
        return item_origin(self.items)


def require_annotators(names: tuple[str, ...]) -> None:
    """Refuse names that are too few, too many, empty, equal, or too long.

    Raises
    ------
    InvalidValueError
        With the first fault.
    """
    if not FEWEST_ANNOTATORS <= len(names) <= MOST_ANNOTATORS:
        raise InvalidValueError(
            f"A study has {FEWEST_ANNOTATORS} to {MOST_ANNOTATORS} annotators, this one {len(names)}."
        )
    for name in names:
        if not name or name != name.strip() or len(name) > 100 or not name.isprintable():
            raise InvalidValueError(f"“{name}” is no name of an annotator.")
    if len({name.casefold() for name in names}) < len(names):
        raise InvalidValueError("Two annotators have the same name.")


@dataclass(frozen=True, slots=True)
class Preset:
    """What a kind of study starts from.

    Parameters
    ----------
    annotators
        How many are usual.
    """

    scheme: str
    title: str
    annotators: int
    repeat_fraction: str
    speaker_names: str = SHOWN
    discusses: bool = False
    mutes_others_after: bool = False


PRESETS: MappingProxyType[str, Preset] = MappingProxyType(
    {
        "floor-events": Preset("floor-events", "Floor events (MultiPartyTurnBench)", 3, "1/4"),
        "response": Preset("response", "Response judgement (MP-Bench)", 3, "0"),
        "validity": Preset(
            "validity", "Data validity, two reviewers and discussion (Duplex-MPE)", 2, "0", discusses=True
        ),
        "echo-role": Preset("echo-role", "Role of an insertion (ECHO)", 3, "1/4", mutes_others_after=True),
    }
)


def preset_design(preset: str, name: str, annotators: tuple[str, ...], *, seed: int = 0) -> StudyDesign:
    """Return a design from a preset; `msgspec.structs.replace` makes the lead's changes.

    Raises
    ------
    StudyError
        If there is no such preset.
    InvalidValueError
        As `StudyDesign`.
    """
    chosen = PRESETS.get(preset)
    if chosen is None:
        raise StudyError("There is no such preset.", where=preset, remedy=f"Choose one of {', '.join(PRESETS)}.")
    return StudyDesign(
        name=name,
        scheme=preset_scheme(chosen.scheme),
        annotators=annotators,
        repeat_fraction=chosen.repeat_fraction,
        seed=seed,
        speaker_names=chosen.speaker_names,
        discusses=chosen.discusses,
        mutes_others_after=chosen.mutes_others_after,
        preset=preset,
    )


def json_from_design(design: StudyDesign) -> str:
    """Return a design as JSON text.

    Raises
    ------
    InvalidValueError
        If a text is no Unicode text, or the whole is larger than `LARGEST_DESIGN_BYTES`.
    """
    return _json(design)


def design_from_json(text: str | bytes, *, where: str) -> StudyDesign:
    """Return the design that a JSON text describes.

    Raises
    ------
    StudyError
        With the JSON path of the first fault.
    """
    return _from_json(text, StudyDesign, where)


def calibration_from_json(text: str | bytes, *, where: str) -> Calibration:
    """Return the calibration that a JSON text (the file of ``--calibration``) describes; faults as `design_from_json`.

    ``{"conversations": ["practice_1"], "items": "reference", "count": 10, "pass_mark": "0.8"}``
    """
    return _from_json(text, Calibration, where)


class About(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What of a design an annotator may know; kept apart from it, so that the rest is never read on their side."""

    name: str
    scheme: Scheme
    guidelines: str
    context_s: float
    pass_mark: str
    mutes_others_after: bool = False


def about_design(design: StudyDesign) -> str:
    """Return what an annotator may know of a design, as JSON text; faults as `json_from_design`."""
    mark = design.calibration.pass_mark if design.calibration else ""
    return _json(
        About(design.name, design.scheme, design.guidelines, design.context_s, mark, design.mutes_others_after)
    )


def _json(value: msgspec.Struct) -> str:
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError as error:
        raise InvalidValueError("The text holds half a character.", remedy="Type it again or leave it out.") from error
    if len(data) > LARGEST_DESIGN_BYTES:
        raise InvalidValueError("The design is larger than 4 MiB.", remedy="Shorten the guidelines.")
    return data.decode()


def _from_json(text: str | bytes, kind: type[_Value], where: str) -> _Value:
    if len(text) > LARGEST_DESIGN_BYTES:
        raise StudyError("The design is larger than 4 MiB.", where=where)
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StudyError(f"This cannot be read: {str(error).rstrip('.')}.", where=where) from error
