"""Which items a design takes from the project's conversations; pure but for the random ids.

Decisions: a reference or label source gives one item for each of its events; a grid gives one for each stretch and
speaker, and a last stretch shorter than half of one is left out. Left out with a notice, never in silence:
conversations without sound, events of nobody's lane, events that reach beyond the recording. Calibration items are
shared out over the kinds in turn, and have a kind of the scheme.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random

from annotation.conversation import Conversation
from annotation.events import FloorEvent
from annotation.notices import Notice
from annotation.sources import ImportedConversation, SourceRole
from annotation.study.design import GRID, REFERENCE, Calibration, ItemOrigin, StudyDesign, StudyError, item_origin
from annotation.study.drawing import StudyItem, new_item_id
from annotation.timebase import frame_from_seconds

_INTERACTION = ("interaction", "interaction_type", "type")


@dataclass(frozen=True, slots=True)
class Material:
    """Items that can be drawn, the calibration's last, and what was left out with the reason."""

    items: tuple[StudyItem, ...]
    notices: tuple[Notice, ...]

    @property
    def asked(self) -> tuple[StudyItem, ...]:
        """The items of the study itself."""
        return tuple(item for item in self.items if not item.calibration)


def material_of(
    design: StudyDesign,
    conversations: Iterable[ImportedConversation],
    *,
    batch: int = 0,
    known: Iterable[StudyItem] = (),
) -> Material:
    """Return the items that a design takes from conversations; batch 0 has the calibration's too.

    Parameters
    ----------
    known
        Items of earlier batches, which are not given again.

    Raises
    ------
    StudyError
        If a conversation that the design names is not there, or there is no item, or none for the calibration.
    """
    given = {imported.conversation.id: imported for imported in conversations}
    calibration = design.calibration
    practice = calibration.conversations if calibration else ()
    wanted = design.conversations or tuple(id for id in given if id not in practice)
    for name in (*wanted, *practice):
        if name not in given:
            raise StudyError("The project has no such conversation.", where=name)
    notices: list[Notice] = []
    items = _unknown(_items_of([given[name] for name in wanted], design.origin, notices), known)
    if not items:
        raise StudyError(
            "There is no new item to draw." if batch else "There is no item to draw.",
            where=design.items,
            remedy="Import the events or labels first, or choose where the items come from.",
        )
    notices += _foreign_kinds(design, items)
    if calibration and not batch:
        items += _calibration_items(design, calibration, [given[name] for name in practice], notices)
    numbered = (replace(item, batch=batch, position=place) for place, item in enumerate(items, start=1))
    return Material(tuple(numbered), tuple(notices))


def _items_of(imported: list[ImportedConversation], origin: ItemOrigin, notices: list[Notice]) -> list[StudyItem]:
    items: list[StudyItem] = []
    for one in imported:
        conversation = one.conversation
        if all(channel.path is None for channel in conversation.channels):
            notices.append(Notice("no-sound", conversation.id, "Left out: the conversation has no sound to listen to."))
        elif origin.kind == GRID:
            items += _grid_items(conversation, origin)
        else:
            items += _event_items(one, origin, notices)
    return items


def _grid_items(conversation: Conversation, origin: ItemOrigin) -> Iterator[StudyItem]:
    length = frame_from_seconds(origin.seconds, conversation.rate_hz)
    for onset in range(0, conversation.frames, length):
        offset = min(onset + length, conversation.frames)
        if 2 * (offset - onset) < length:
            return
        for channel in conversation.channels:
            yield _item(conversation, channel.speaker, onset, offset, f"grid {float(origin.seconds):g}")


def _event_items(one: ImportedConversation, origin: ItemOrigin, notices: list[Notice]) -> Iterator[StudyItem]:
    conversation = one.conversation
    speakers = {channel.speaker for channel in conversation.channels}
    for source in one.sources:
        is_reference = origin.kind == REFERENCE and source.role is SourceRole.REFERENCE
        if not (is_reference or source.name == origin.source):
            continue
        outside: Counter[str] = Counter()
        for event in source.events:
            if event.speaker not in speakers:
                outside["are on nobody’s lane"] += 1
            elif event.offset > conversation.frames:
                outside["reach beyond the recording"] += 1
            else:
                yield _event_item(conversation, event, f"{origin.kind} {source.name}")
        for reason, count in outside.items():
            message = f"{count} events of “{source.name}” were left out: they {reason}."
            notices.append(Notice("events-left-out", conversation.id, message))


def _event_item(conversation: Conversation, event: FloorEvent, origin: str) -> StudyItem:
    item = _item(conversation, event.speaker, event.onset, event.offset, origin)
    return replace(item, kind=event.kind or None, holder_before=event.holder_before, holder_after=event.holder_after)


def _item(conversation: Conversation, speaker: str, onset: int, offset: int, origin: str) -> StudyItem:
    attributes = conversation.attributes
    return StudyItem(
        id=new_item_id(),
        batch=0,
        position=1,
        conversation=conversation.id,
        speaker=speaker,
        onset=onset,
        offset=offset,
        speakers=len(conversation.channels),
        interaction=next((attributes[name] for name in _INTERACTION if name in attributes), ""),
        origin=origin,
    )


def _unknown(items: list[StudyItem], known: Iterable[StudyItem]) -> list[StudyItem]:
    """Return the items without as many of each as are known already."""
    there = Counter(_content(item) for item in known if not item.calibration)
    fresh = []
    for item in items:
        if there[_content(item)]:
            there[_content(item)] -= 1
        else:
            fresh.append(item)
    return fresh


def _content(item: StudyItem) -> tuple[str, str, int, int, str | None, str]:
    return (item.conversation, item.speaker, item.onset, item.offset, item.kind, item.origin)


def _foreign_kinds(design: StudyDesign, items: list[StudyItem]) -> list[Notice]:
    kinds = sorted({item.kind for item in items if item.kind and design.scheme.kind_of(item.kind) is None})
    if not kinds:
        return []
    names = ", ".join(f"“{kind}”" for kind in kinds[:8])
    message = f"The events have kinds that the scheme does not know: {names}. No annotator can agree with these."
    return [Notice("kinds-not-in-scheme", design.scheme.name, message)]


def _calibration_items(
    design: StudyDesign, calibration: Calibration, imported: list[ImportedConversation], notices: list[Notice]
) -> list[StudyItem]:
    by_kind: dict[str, list[StudyItem]] = defaultdict(list)
    for item in _items_of(imported, item_origin(calibration.items), notices):
        if item.kind and design.scheme.kind_of(item.kind):
            by_kind[item.kind].append(replace(item, calibration=True))
    chance = Random(f"{design.seed} calibration")
    for kind in sorted(by_kind):
        chance.shuffle(by_kind[kind])
    turns = max(map(len, by_kind.values()), default=0)
    chosen = [by_kind[kind][turn] for turn in range(turns) for kind in sorted(by_kind) if turn < len(by_kind[kind])]
    if not chosen:
        raise StudyError(
            "The calibration has no item with a kind of the scheme.",
            where=", ".join(calibration.conversations),
            remedy="Import reference events for its conversations, or leave the calibration out.",
        )
    return chosen[: calibration.count] if calibration.count else chosen
