"""Conversations, their channels, their speakers' mapping and their sources as rows of the project file.

Paths are kept relative to the project's folder, with forward slashes, so that a project moves together with its audio
between machines; audio on another drive keeps its whole path.
"""

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

import msgspec
from sqlite_utils import Database

from annotation.conversation import Channel, Conversation, SpeakerAssignment, assign_speakers
from annotation.errors import InvalidValueError
from annotation.events import FloorEvent
from annotation.notices import Notice
from annotation.project.database import now
from annotation.project.faults import DamagedProjectError, ProjectError
from annotation.project.json_column import value_from_json
from annotation.sources import EventSource, ImportedConversation, SourceRole

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class AddReport:
    """What `Project.add` did: ids added, ids that were there already just so, and items refused with the reason.

    `sources_added` counts sources that came new to conversations that were there already.
    """

    added: tuple[str, ...]
    already_there: tuple[str, ...]
    refused: tuple[Notice, ...]
    sources_added: int = 0


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """What a list of many conversations shows of one.

    Parameters
    ----------
    conversation
        With the speakers' mapping applied and absolute paths.
    reference_kinds
        Events of its reference sources, counted by kind.
    labels
        Events that each person's document holds now.
    missing
        Audio files that are not where the project expects them.
    """

    conversation: Conversation
    reference_kinds: Mapping[str, int]
    labels: Mapping[str, int]
    missing: tuple[Path, ...]

    @property
    def id(self) -> str:
        """The conversation's id."""
        return self.conversation.id

    @property
    def duration(self) -> Fraction:
        """Length in seconds, exactly."""
        return self.conversation.duration

    @property
    def speakers(self) -> tuple[str, ...]:
        """The speakers' names as shown, in the order of the lanes."""
        return tuple(channel.display_name for channel in self.conversation.channels)


@dataclass(frozen=True, slots=True)
class MappingEntry:
    """One state of a conversation's mapping of speakers to channels, by whom and when."""

    person: str
    at: str
    assignments: tuple[SpeakerAssignment, ...]


def stored_path(path: Path, folder: Path) -> str:
    """Return an audio path as the project keeps it."""
    # The file itself may be a link into a store of its own, and is taken by its name.
    whole = path.absolute().parent.resolve() / path.name
    try:
        return Path(os.path.relpath(whole, folder)).as_posix()
    except ValueError:
        return whole.as_posix()


def absolute_path(stored: str, folder: Path) -> Path:
    """Return where a kept audio path leads."""
    return Path(os.path.normpath(folder / stored))


def conversations_in(db: Database, folder: Path, conversation_id: str | None = None) -> dict[str, Conversation]:
    """Return conversations as imported, by id in the project's order; all of them, or the one asked for."""
    where = "" if conversation_id is None else "WHERE conversation = ?"
    arguments = [] if conversation_id is None else [conversation_id]
    channels: dict[str, list[Channel]] = {}
    for owner, speaker, name, path, index, rate_hz, frames, start in db.execute(
        "SELECT conversation, speaker, name, path, file_index, rate_hz, frames, start_frame FROM channel "
        f"{where} ORDER BY conversation, position",
        arguments,
    ):
        place = None if path is None else absolute_path(path, folder)
        channels.setdefault(owner, []).append(Channel(speaker, place, index, rate_hz, frames, start, name))
    rows = db.execute(
        "SELECT id, rate_hz, attributes, event_frames FROM conversation "
        f"{where.replace('conversation', 'id')} ORDER BY position",
        arguments,
    )
    return {
        found: Conversation(
            id=found,
            rate_hz=rate_hz,
            channels=tuple(channels.get(found, ())),
            attributes=MappingProxyType(value_from_json(attributes, dict[str, str], found)),
            event_frames=event_frames,
        )
        for found, rate_hz, attributes, event_frames in rows
    }


def imported_conversation(db: Database, folder: Path, conversation_id: str) -> Conversation:
    """Return one conversation as imported.

    Raises
    ------
    ProjectError
        If the project has no conversation of this id.
    """
    found = conversations_in(db, folder, conversation_id).get(conversation_id)
    if found is None:
        raise ProjectError("The project has no such conversation.", where=conversation_id)
    return found


def mapping_history(db: Database, conversation_id: str) -> tuple[MappingEntry, ...]:
    """Return all states of a conversation's mapping, oldest first; none while it is as imported."""
    rows = db.execute(
        "SELECT person, at, assignments FROM mapping WHERE conversation = ? ORDER BY sequence", [conversation_id]
    )
    return tuple(
        MappingEntry(person, at, value_from_json(text, tuple[SpeakerAssignment, ...], conversation_id))
        for person, at, text in rows
    )


def append_mapping(db: Database, conversation_id: str, assignments: tuple[SpeakerAssignment, ...], person: str) -> None:
    """Append a state of the mapping, inside the caller's transaction."""
    db.execute(
        "INSERT INTO mapping (conversation, person, at, assignments) VALUES (?, ?, ?, ?)",
        [conversation_id, person, now(), msgspec.json.encode(assignments).decode()],
    )


def mapped(db: Database, imported: Conversation) -> Conversation:
    """Return a conversation with the newest state of its mapping applied."""
    history = mapping_history(db, imported.id)
    return assign_speakers(imported, history[-1].assignments) if history else imported


def sources_of(db: Database, conversation_id: str) -> tuple[EventSource, ...]:
    """Return a conversation's sources with their events, in the order they were added."""
    rows = db.execute(
        "SELECT number, name, role, origin FROM source WHERE conversation = ? ORDER BY number", [conversation_id]
    ).fetchall()
    return tuple(
        EventSource(name, _role_from(role, conversation_id), origin, _events_of(db, number))
        for number, name, role, origin in rows
    )


def _role_from(text: str, where: str) -> SourceRole:
    try:
        return SourceRole(text)
    except ValueError as error:
        raise DamagedProjectError(f"A source has the unknown role “{text}”.", where=where) from error


def _events_of(db: Database, number: int) -> tuple[FloorEvent, ...]:
    rows = db.execute(
        'SELECT speaker, kind, onset, "offset", holder_before, holder_after, comment, text, id '
        "FROM event WHERE source = ? ORDER BY position",
        [number],
    )
    return tuple(FloorEvent(*row) for row in rows)


def summaries_in(
    db: Database, folder: Path, labels: Mapping[str, Mapping[str, int]]
) -> tuple[ConversationSummary, ...]:
    """Return a summary of every conversation; `labels` counts by conversation and person."""
    newest = db.execute(
        "SELECT conversation, assignments FROM mapping "
        "WHERE sequence IN (SELECT max(sequence) FROM mapping GROUP BY conversation)"
    )
    mappings = {owner: value_from_json(text, tuple[SpeakerAssignment, ...], owner) for owner, text in newest}
    kinds: dict[str, Counter[str]] = {}
    for owner, counts in db.execute(
        "SELECT conversation, kinds FROM source WHERE role = ?", [SourceRole.REFERENCE.value]
    ):
        kinds.setdefault(owner, Counter()).update(value_from_json(counts, dict[str, int], owner))
    result = []
    for found, imported in conversations_in(db, folder).items():
        conversation = assign_speakers(imported, mappings[found]) if found in mappings else imported
        files = {channel.path for channel in conversation.channels if channel.path is not None}
        result.append(
            ConversationSummary(
                conversation=conversation,
                reference_kinds=MappingProxyType(dict(kinds.get(found, {}))),
                labels=MappingProxyType(dict(labels.get(found, {}))),
                missing=tuple(sorted(path for path in files if not _is_there(path))),
            )
        )
    return tuple(result)


def add_material(db: Database, folder: Path, imported: Iterable[ImportedConversation]) -> AddReport:
    """Add conversations inside the caller's transaction; one that clashes is refused and costs only itself."""
    added: list[str] = []
    already_there: list[str] = []
    refused: list[Notice] = []
    sources_added = 0
    stored = conversations_in(db, folder)
    for item in imported:
        found = item.conversation.id
        try:
            _require_writable(item)
            if found in stored:
                sources_added += _add_to_stored(db, folder, stored[found], item)
                already_there.append(found)
            else:
                _insert_conversation(db, folder, item.conversation)
                for source in item.sources:
                    _insert_source(db, found, source)
                stored[found] = _portable(item.conversation, folder)
                added.append(found)
        except InvalidValueError as fault:
            refused.append(Notice("conversation-refused", found, str(fault)))
    return AddReport(tuple(added), tuple(already_there), tuple(refused), sources_added)


def _require_writable(item: ImportedConversation) -> None:
    """Refuse before the first row is written, so that a refused item leaves nothing behind."""
    keys = [(source.name, source.role) for source in item.sources]
    if len(set(keys)) < len(keys):
        raise InvalidValueError("Two of its sources have the same name.", where=item.conversation.id)
    try:
        msgspec.json.encode((dict(item.conversation.attributes), item.sources))
        for channel in item.conversation.channels:
            f"{channel.speaker}{channel.name}{channel.path or ''}".encode()
    except UnicodeEncodeError as error:
        raise InvalidValueError(
            "A name or text of it is no Unicode text.",
            where=item.conversation.id.encode(errors="replace").decode(),
            remedy="Rename the file or re-encode its text as UTF-8.",
        ) from error


def _add_to_stored(db: Database, folder: Path, stored: Conversation, item: ImportedConversation) -> int:
    if _portable(item.conversation, folder) != stored:
        raise InvalidValueError(
            f"The project has another conversation “{stored.id}” already.",
            where=stored.id,
            remedy="Give one of them another id.",
        )
    there = {(source.name, source.role): source for source in sources_of(db, stored.id)}
    fresh = []
    for source in item.sources:
        known = there.get((source.name, source.role))
        if known is None:
            fresh.append(source)
        elif _without_ids(known.events) != _without_ids(source.events):
            raise InvalidValueError(
                f"Its source “{source.name}” is there already with other events.",
                where=stored.id,
                remedy="Sources are never edited in place: import it under another name.",
            )
    for source in fresh:
        _insert_source(db, stored.id, source)
    return len(fresh)


def _is_there(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _without_ids(events: tuple[FloorEvent, ...]) -> list[FloorEvent]:
    # An importer makes up a new id for each event each time that it reads a file.
    return [replace(event, id="-") for event in events]


def _portable(conversation: Conversation, folder: Path) -> Conversation:
    """Return a conversation as it comes back from the file."""
    channels = tuple(
        replace(channel, path=absolute_path(stored_path(channel.path, folder), folder)) if channel.path else channel
        for channel in conversation.channels
    )
    return replace(conversation, channels=channels, attributes=dict(conversation.attributes))


def _insert_conversation(db: Database, folder: Path, conversation: Conversation) -> None:
    db.execute(
        "INSERT INTO conversation (id, position, rate_hz, event_frames, attributes, added_at) "
        "VALUES (?, (SELECT coalesce(max(position) + 1, 0) FROM conversation), ?, ?, ?, ?)",
        [
            conversation.id,
            conversation.rate_hz,
            conversation.event_frames,
            msgspec.json.encode(dict(conversation.attributes)).decode(),
            now(),
        ],
    )
    db.conn.executemany(
        "INSERT INTO channel (conversation, position, speaker, name, path, file_index, rate_hz, frames, start_frame) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                conversation.id,
                position,
                channel.speaker,
                channel.name,
                None if channel.path is None else stored_path(channel.path, folder),
                channel.index,
                channel.rate_hz,
                channel.frames,
                channel.start_frame,
            )
            for position, channel in enumerate(conversation.channels)
        ),
    )


def _insert_source(db: Database, conversation_id: str, source: EventSource) -> None:
    kinds = Counter(event.kind for event in source.events)
    number = db.execute(
        "INSERT INTO source (conversation, name, role, origin, kinds, added_at) VALUES (?, ?, ?, ?, ?, ?)",
        [
            conversation_id,
            source.name,
            source.role.value,
            source.origin,
            msgspec.json.encode(kinds).decode(),
            now(),
        ],
    ).lastrowid
    db.conn.executemany(
        'INSERT INTO event (source, position, id, speaker, kind, onset, "offset", holder_before, holder_after, '
        "comment, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                number,
                position,
                event.id,
                event.speaker,
                event.kind,
                event.onset,
                event.offset,
                event.holder_before,
                event.holder_after,
                event.comment,
                event.text,
            )
            for position, event in enumerate(source.events)
        ),
    )
