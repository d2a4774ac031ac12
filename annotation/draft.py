"""A conversation in the making: who has which channel of which file, before its events are placed on it."""

from collections import defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from annotation.audio.decoding import AudioInfo
from annotation.conversation import Channel, Conversation
from annotation.events import FloorEvent
from annotation.folder_listing import printable
from annotation.formats.event_format import place_events
from annotation.label_sidecars import Joined
from annotation.notices import Notice
from annotation.sources import EventSource, ImportedConversation, SourceRole
from annotation.timebase import EVENT_LOG_RATE_HZ, LONGEST_SECONDS, frame_from_seconds


@dataclass(frozen=True, slots=True)
class Draft:
    """A conversation as its files make it.

    Parameters
    ----------
    layout
        The layout it was found in, as in `Corpus.layout`.
    root, folder
        Where it lies, as in `ListedFile`.
    stem
        What it is called within its folder; empty when it is called like the folder.
    members
        Speaker, file and channel within the file, in the order of the lanes.
    names
        What event files may call it: the conversation, then each member’s file.
    """

    layout: str
    root: Path
    folder: str
    stem: str
    members: tuple[tuple[str, AudioInfo, int], ...]
    names: tuple[str, ...] = ()


def imported_from_draft(
    draft: Draft, conversation_id: str, joined: list[Joined]
) -> tuple[ImportedConversation, list[Notice]]:
    """Return a conversation with its sources, and what is odd about them.

    Every channel is a lane at 0 s; a speaker whom only the events know gets a lane without sound. The timeline rate is
    the highest of the channels.

    Raises
    ------
    InvalidValueError
        If two channels carry one speaker.
    """
    notices: list[Notice] = []
    infos = [info for _, info, _ in draft.members]
    rate_hz = max((info.rate_hz for info in infos), default=EVENT_LOG_RATE_HZ)
    channels = [Channel(speaker, info.path, index, info.rate_hz, info.frames) for speaker, info, index in draft.members]
    if draft.layout == "folder-of-speakers":
        notices.extend(_differences(conversation_id, infos))
    named = [_with_speakers(one, channels, notices) for one in joined]
    known = {channel.speaker for channel in channels}
    silent = sorted({event.speaker for one in named for event in one.events} - known)
    if silent and channels:
        names = ", ".join(f"“{name}”" for name in silent)
        message = f"No channel of {conversation_id} carries {names}: lanes without sound were made for their events."
        notices.append(Notice("speaker-without-sound", str(named[0].origin), message))
    channels.extend(Channel(speaker, None, 0, rate_hz, 0) for speaker in silent)
    times = [event.offset_s for one in named for event in one.events if event.offset_s <= LONGEST_SECONDS]
    conversation = Conversation(
        conversation_id,
        rate_hz,
        tuple(channels),
        event_frames=0 if infos else max((frame_from_seconds(time, rate_hz) for time in times), default=0),
    )
    sources = _sources(conversation, named, notices)
    return ImportedConversation(conversation, sources), notices


def _differences(conversation_id: str, infos: list[AudioInfo]) -> list[Notice]:
    notices = []
    rates = sorted({info.rate_hz for info in infos})
    if len(rates) > 1:
        text = ", ".join(f"{rate:,} Hz" for rate in rates)
        notices.append(Notice("rate-differs", conversation_id, f"Channels have {text}; the timeline has the highest."))
    lengths = sorted(Fraction(info.frames, info.rate_hz) for info in infos)
    if lengths[0] != lengths[-1]:
        shortest, longest = float(lengths[0]), float(lengths[-1])
        message = (
            f"Channels last {shortest:.6f} to {longest:.6f} s. All were placed at 0 s: check that they start together."
        )
        notices.append(Notice("length-differs", conversation_id, message))
    return notices


def _with_speakers(joined: Joined, channels: list[Channel], notices: list[Notice]) -> Joined:
    """Return the events with the speakers of this conversation where the file leaves no doubt who is meant."""
    whose = joined.speaker or (channels[0].speaker if len(channels) == 1 else "")
    known = {channel.speaker for channel in channels}
    labels = {event.speaker for event in joined.events}
    if whose and len(labels) == 1 and not labels & known:
        label = next(iter(labels))
        if label:
            message = f"The file calls its only speaker “{label}”; the events were given to “{whose}”."
            notices.append(Notice("speaker-mapped", str(joined.origin), message))
        return _renamed(joined, {label: whose})
    return _renamed(joined, {"": whose or printable(joined.origin.stem)})


def _renamed(joined: Joined, names: dict[str, str]) -> Joined:
    events = tuple(
        replace(event, speaker=names.get(event.speaker, printable(event.speaker))) for event in joined.events
    )
    return Joined(joined.source, joined.origin, events, joined.speaker)


def _sources(conversation: Conversation, joined: list[Joined], notices: list[Notice]) -> tuple[EventSource, ...]:
    """Return one source a name and file; files of single tracks are one source together."""
    events: dict[str, list[Joined]] = defaultdict(list)
    for one in joined:
        name = one.source
        if name != "labels" and name in events:
            name = f"{one.source} ({one.origin.suffix.lstrip('.')}, {len(events) + 1})"
        events[name].append(one)
    sources = []
    for name, parts in events.items():
        placed: list[FloorEvent] = []
        for position, part in enumerate(parts):
            result = place_events(
                part.events,
                conversation,
                source=f"{name} {position}",
                origin=part.origin,
                unnamed_speaker=part.speaker or name,
            )
            notices.extend(result.notices)
            placed.extend(result.events)
        origin = parts[0].origin if len(parts) == 1 else parts[0].origin.parent
        sources.append(EventSource(name, SourceRole.REFERENCE, str(origin), tuple(placed)))
    return tuple(sources)
