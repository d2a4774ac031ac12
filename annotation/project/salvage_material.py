"""Conversations, channels, mappings and sources of a damaged project that can be relied on."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from annotation.conversation import Channel, Conversation, SpeakerAssignment, assign_speakers
from annotation.errors import FloorscopeError
from annotation.events import FloorEvent
from annotation.notices import Notice
from annotation.project.material import absolute_path, stored_path
from annotation.project.readable import ReadableRows
from annotation.sources import SourceRole

Row = tuple[Any, ...]


@dataclass(slots=True)
class SalvagedMaterial:
    """Rows by table, each of which makes what it is a row of, and what is missing or was left out."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)


def salvage_material(sources: Sequence[ReadableRows], *, old_folder: Path, new_folder: Path) -> SalvagedMaterial:
    """Return what several files hold of a project's material, those that are believed first coming first.

    Parameters
    ----------
    old_folder, new_folder
        What kept audio paths start from, and what they are to start from.
    """
    made = SalvagedMaterial()
    channels: dict[str, list[Row]] = defaultdict(list)
    for row in _merged(sources, "channel"):
        channels[row[0]].append(row)
    conversations: dict[str, Conversation] = {}
    made.rows = {name: [] for name in ("meta", "conversation", "channel", "mapping", "source", "event", "relocation")}
    made.rows["meta"] = [row for row in _merged(sources, "meta") if row[0] in ("id", "created_at")]
    positions: set[int] = set()
    for row in sorted(_merged(sources, "conversation"), key=lambda row: (row[1], row[0])):
        mine = sorted(channels.pop(row[0], ()), key=lambda channel: channel[1])
        conversation = _conversation(row, mine, made.notices)
        if conversation is None or row[1] in positions:
            continue
        positions.add(row[1])
        conversations[row[0]] = conversation
        made.rows["conversation"].append(row)
        made.rows["channel"] += [_moved(channel, old_folder, new_folder) for channel in mine]
    for owner in channels:
        made.notices.append(
            Notice("conversation-lost", owner, "The conversation is lost; only channels of it are left.")
        )
    _add_mappings(sources, conversations, made)
    _add_sources(sources, conversations, made)
    made.rows["relocation"] = [row for row in _merged(sources, "relocation") if row[1] in conversations]
    return made


def _merged(sources: Iterable[ReadableRows], name: str) -> list[Row]:
    merged: dict[Row, Row] = {}
    for source in sources:
        for key, row in source.rows[name].items():
            merged.setdefault(key, row)
    return [merged[key] for key in sorted(merged, key=repr)] if name == "meta" else [merged[k] for k in sorted(merged)]


def _made(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except (FloorscopeError, msgspec.MsgspecError, ValueError):
        return None


def _conversation(row: Row, channels: list[Row], notices: list[Notice]) -> Conversation | None:
    name, _, rate_hz, event_frames, attributes, _ = row

    def make() -> Conversation:
        lanes = tuple(
            Channel(speaker, None if path is None else Path(path), index, rate, frames, start, shown)
            for _, _, speaker, shown, path, index, rate, frames, start, *_ in channels
        )
        return Conversation(
            name, rate_hz, lanes, msgspec.json.decode(attributes, type=dict[str, str]), max(0, event_frames)
        )

    made: Conversation | None = _made(make)
    if made is None or event_frames < 0:
        notices.append(Notice("conversation-lost", str(name), "The conversation cannot be read any more."))
        return None
    if [channel[1] for channel in channels] != list(range(len(channels))):
        notices.append(Notice("channel-lost", str(name), "A channel of the conversation cannot be read any more."))
    return made


def _moved(channel: Row, old_folder: Path, new_folder: Path) -> Row:
    if channel[4] is None or old_folder == new_folder:
        return channel
    path = stored_path(absolute_path(channel[4], old_folder), new_folder)
    return (*channel[:4], path, *channel[5:])


def _add_mappings(
    sources: Sequence[ReadableRows], conversations: Mapping[str, Conversation], made: SalvagedMaterial
) -> None:
    for row in _merged(sources, "mapping"):
        owner, text = row[1], row[4]

        def apply(owner: str = owner, text: str = text) -> Conversation:
            return assign_speakers(conversations[owner], msgspec.json.decode(text, type=tuple[SpeakerAssignment, ...]))

        if owner in conversations and _made(apply) is not None:
            made.rows["mapping"].append(row)
        else:
            made.notices.append(Notice("mapping-lost", str(owner), "A state of the speakers’ channels is lost."))


def _add_sources(
    sources: Sequence[ReadableRows], conversations: Mapping[str, Conversation], made: SalvagedMaterial
) -> None:
    events: dict[int, list[Row]] = defaultdict(list)
    for row in _merged(sources, "event"):
        if _made(partial(_event, row)) is not None:
            events[row[0]].append(row)
    names: set[Row] = set()
    for row in _merged(sources, "source"):
        number, owner, name, role, _, kinds, _ = row
        counts = _made(partial(msgspec.json.decode, kinds, type=dict[str, int]))
        usable = owner in conversations and counts is not None and _made(partial(SourceRole, role)) is not None
        if not usable or (owner, name, role) in names:
            made.notices.append(Notice("source-lost", f"{owner} {name}", "The source cannot be read any more."))
            continue
        names.add((owner, name, role))
        mine = events.pop(number, [])
        made.rows["source"].append(row)
        made.rows["event"] += mine
        lost = sum(counts.values()) - len(mine)
        if lost > 0:
            made.notices.append(Notice("events-lost", f"{owner} {name}", f"{lost} events of the source are lost."))
    for number, rows in events.items():
        made.notices.append(Notice("events-lost", f"source {number}", f"{len(rows)} events have lost their source."))


def _event(row: Row) -> FloorEvent:
    _, _, name, *values = row
    return replace(FloorEvent(*values), id=name)
