"""The corpus manifest: `floorscope-corpus.json`, conversations with channels and events as one JSON document.

``resources/schemas/corpus.schema.json`` is its schema, ``docs/formats.md`` its description. Audio paths are relative
to the manifest's folder and stay inside it. A conversation that is wrong costs itself: the fault is a `Notice` with
its JSON path, the others are read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import MappingProxyType

import msgspec

from annotation.audio.cache import AudioCache
from annotation.audio.decoding import AudioInfo, AudioRefusedError, probe_audio
from annotation.cancellation import CancelToken, Progress, no_progress, share_of
from annotation.conversation import Channel, Conversation
from annotation.errors import FloorscopeError, InvalidValueError
from annotation.events import NOBODY
from annotation.formats.event_format import NoticeLog, ParsedEvent, place_events
from annotation.notices import Notice
from annotation.sources import EventSource, ImportedConversation, SourceRole
from annotation.timebase import EVENT_LOG_RATE_HZ, LONGEST_SECONDS, frame_from_seconds

MANIFEST_NAME = "floorscope-corpus.json"
FORMAT_NAME = "floorscope-corpus"
FORMAT_VERSION = 1
REFERENCE = "reference"
"""Name of the source that a manifest's events belong to."""

LARGEST_FILE_BYTES = 256 << 20
MOST_CONVERSATIONS = 100_000
MOST_EVENTS = 1_000_000
"""Of one conversation."""


class ManifestError(FloorscopeError):
    """A corpus manifest, or one conversation of it, that cannot be used."""

    code = "manifest"


class ManifestChannel(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One speaker's channel; `path` is absent where there are events only, `index` counts from 0."""

    speaker: str
    path: str | None = None
    index: int = 0
    name: str = ""
    start_s: Decimal | None = None
    start_frame: int | None = None


class ManifestWord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One word of an event as it is written, in seconds of the conversation."""

    text: str
    onset_s: Decimal
    offset_s: Decimal


class ManifestEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One event in seconds; a holder is null where none is given and empty where nobody holds the floor.

    `words` are for programs that read the manifest; Floorscope itself does not show them yet.
    """

    speaker: str
    kind: str
    onset_s: Decimal
    offset_s: Decimal
    holder_before: str | None = None
    holder_after: str | None = None
    text: str = ""
    words: tuple[ManifestWord, ...] = ()


class ManifestConversation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One conversation; `rate_hz` and `duration_s` matter to event logs without audio."""

    id: str
    channels: tuple[ManifestChannel, ...]
    events: tuple[ManifestEvent, ...] | None = None
    attributes: dict[str, str] = {}
    rate_hz: int | None = None
    duration_s: Decimal | None = None


class Synthesis(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Says that no person speaks here: by which engine, in which voice a speaker, and what else is to be known."""

    engine: str
    voices: dict[str, str] = {}
    note: str = ""


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The whole document, for writing."""

    format: str
    version: int
    conversations: tuple[ManifestConversation, ...]
    name: str = ""
    description: str = ""
    licence: str = ""
    synthesised: Synthesis | None = None


class _Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The document with its conversations still closed, so that each can fail alone."""

    format: str
    version: int
    conversations: tuple[msgspec.Raw, ...]
    name: str = ""
    description: str = ""
    licence: str = ""
    synthesised: Synthesis | None = None


class _Version(msgspec.Struct, frozen=True):
    format: str = ""
    version: int = 0


@dataclass(frozen=True, slots=True)
class ReadManifest:
    """What a manifest gave: conversations, what is odd, and what was refused."""

    conversations: tuple[ImportedConversation, ...]
    warnings: tuple[Notice, ...] = ()
    refused: tuple[Notice, ...] = ()


def manifest_as_json(manifest: Manifest) -> bytes:
    """Return the document as indented UTF-8 JSON, numbers exactly as their decimals."""
    data = msgspec.json.Encoder(decimal_format="number").encode(manifest)
    return msgspec.json.format(data, indent=1) + b"\n"


def is_manifest(head: bytes) -> bool:
    """Return whether the first bytes of a file are those of a corpus manifest."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and f'"{FORMAT_NAME}"'.encode() in head


def read_manifest(
    path: Path,
    *,
    cache: AudioCache | None = None,
    cancel: CancelToken | None = None,
    progress: Progress = no_progress,
) -> ReadManifest:
    """Return the conversations of a manifest.

    Parameters
    ----------
    cache
        Where the sound of compressed files is kept that has to be decoded for its length.

    Raises
    ------
    ManifestError
        If the document as a whole cannot be used; the text has the JSON path of the fault.
    CancelledError
        If `cancel` was set.
    """
    envelope = _envelope_of(path)
    conversations: list[ImportedConversation] = []
    warnings: list[Notice] = []
    refused: list[Notice] = []
    cancel = cancel or CancelToken()
    audio = _Audio(cache, cancel)
    ids: set[str] = set()
    for position, raw in enumerate(envelope.conversations):
        place = f"$.conversations[{position}]"
        cancel.check()
        audio.progress = share_of(progress, position, len(envelope.conversations))
        try:
            conversation = _decode_conversation(raw, path, place)
            if conversation.id in ids:
                raise ManifestError(f"The id “{conversation.id}” is there twice.", where=f"{path}: {place}.id")
            imported, notices = _Import(path, place, conversation, audio, envelope.synthesised).imported()
        except (ManifestError, AudioRefusedError, InvalidValueError) as error:
            where = error.where if str(path.parent) in error.where else f"{path}: {place}"
            refused.append(Notice(error.code, where, f"{error.what} {error.remedy}".strip()))
            continue
        ids.add(conversation.id)
        conversations.append(imported)
        warnings.extend(notices)
    return ReadManifest(tuple(conversations), tuple(warnings), tuple(refused))


def _envelope_of(path: Path) -> _Envelope:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        raise ManifestError(f"The manifest cannot be read: {error.strerror}.", where=str(path)) from error
    if len(data) > LARGEST_FILE_BYTES:
        raise ManifestError("The manifest is larger than 256 MiB.", where=str(path), remedy="Split the corpus.")
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        version = msgspec.json.decode(data, type=_Version)
        _check_version(version, path)
        envelope = msgspec.json.decode(data, type=_Envelope)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ManifestError(
            f"This is not a corpus manifest: {error}.", where=str(path), remedy="See docs/formats.md."
        ) from error
    if len(envelope.conversations) > MOST_CONVERSATIONS:
        raise ManifestError(f"There are more than {MOST_CONVERSATIONS:,} conversations.", where=str(path))
    return envelope


def _check_version(version: _Version, path: Path) -> None:
    if version.format != FORMAT_NAME:
        raise ManifestError(
            f"This is not a corpus manifest: $.format is “{version.format[:40]}”, not “{FORMAT_NAME}”.", where=str(path)
        )
    if version.version != FORMAT_VERSION:
        raise ManifestError(
            f"The manifest has version {version.version}; this Floorscope reads version {FORMAT_VERSION}.",
            where=f"{path}: $.version",
            remedy="Read it with a newer Floorscope." if version.version > FORMAT_VERSION else "See docs/formats.md.",
        )


def _decode_conversation(raw: msgspec.Raw, path: Path, place: str) -> ManifestConversation:
    try:
        conversation = msgspec.json.decode(raw, type=ManifestConversation)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ManifestError(str(error).replace("`$", f"`{place}") + ".", where=f"{path}: {place}") from error
    if len(conversation.events or ()) > MOST_EVENTS:
        raise ManifestError(f"There are more than {MOST_EVENTS:,} events.", where=f"{path}: {place}.events")
    return conversation


def confined_path(folder: Path, written: str, *, where: str) -> Path:
    """Return the file that a manifest names, which must lie inside the manifest's folder.

    Raises
    ------
    ManifestError
        If the path is absolute, is written with backslashes, or leads out of the folder, by a link too.
    """
    windows = PureWindowsPath(written)
    if not written or "\x00" in written or "\\" in written or windows.drive or PurePosixPath(written).is_absolute():
        raise ManifestError(
            f"“{written}” is no relative path.", where=where, remedy="Write it relative to the manifest, with “/”."
        )
    path = folder / written
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError) as error:
        raise ManifestError(f"“{written}” cannot be followed: {error}.", where=where) from error
    if not inside:
        raise ManifestError(f"“{written}” leads out of the corpus folder.", where=where, remedy="Keep audio inside it.")
    return path


class _Audio:
    """What the sound files of a manifest hold, each looked into once."""

    def __init__(self, cache: AudioCache | None, cancel: CancelToken) -> None:
        self._cache = cache
        self._cancel = cancel
        self._infos: dict[Path, AudioInfo] = {}
        self.progress: Progress = no_progress

    def info_of(self, path: Path) -> tuple[AudioInfo, tuple[Notice, ...]]:
        """Return what a file holds, and what is odd about it if it had not been looked into yet."""
        if path in self._infos:
            return self._infos[path], ()
        info = self._infos[path] = probe_audio(path, self._cache, self._cancel, self.progress)
        return info, info.notices


class _Import:
    """One conversation of a manifest on its way to a timeline."""

    def __init__(
        self,
        path: Path,
        place: str,
        conversation: ManifestConversation,
        audio: _Audio,
        synthesis: Synthesis | None,
    ) -> None:
        self._path = path
        self._place = place
        self._conversation = conversation
        self._audio = audio
        self._synthesis = synthesis
        self._log = NoticeLog(path)
        self._notices: list[Notice] = []

    def imported(self) -> tuple[ImportedConversation, tuple[Notice, ...]]:
        given = self._conversation
        if not given.channels:
            raise ManifestError(
                "A conversation has at least one channel.", where=f"{self._path}: {self._place}.channels"
            )
        infos = [self._info_of(position) for position in range(len(given.channels))]
        highest_hz = max((info.rate_hz for info in infos if info), default=EVENT_LOG_RATE_HZ)
        rate_hz = highest_hz if given.rate_hz is None else given.rate_hz
        if any(infos) and rate_hz < highest_hz:
            raise ManifestError(
                f"A timeline of {rate_hz} Hz is coarser than its audio of {highest_hz} Hz.",
                where=f"{self._path}: {self._place}.rate_hz",
                remedy="Leave rate_hz out: it is the highest rate of the channels.",
            )
        channels = tuple(self._channel(position, info, rate_hz) for position, info in enumerate(infos))
        has_audio = any(infos)
        conversation = Conversation(
            id=given.id,
            rate_hz=rate_hz,
            channels=channels,
            attributes=MappingProxyType(self._attributes()),
            event_frames=0 if has_audio else self._event_frames(rate_hz),
        )
        if given.events is None:
            return ImportedConversation(conversation), (*self._notices, *self._log.notices())
        placed = place_events(
            self._events(given.events, conversation),
            conversation,
            source=REFERENCE,
            origin=self._path,
            unnamed_speaker="",
        )
        source = EventSource(REFERENCE, SourceRole.REFERENCE, str(self._path), placed.events)
        return ImportedConversation(conversation, (source,)), (
            *self._notices,
            *self._log.notices(),
            *placed.notices,
        )

    def _info_of(self, position: int) -> AudioInfo | None:
        channel = self._conversation.channels[position]
        if channel.path is None:
            return None
        where = f"{self._path}: {self._place}.channels[{position}]"
        path = confined_path(self._path.parent, channel.path, where=f"{where}.path")
        info, notices = self._audio.info_of(path)
        self._notices.extend(notices)
        if not 0 <= channel.index < info.channels:
            raise ManifestError(
                f"“{channel.path}” has {info.channels} channels, so none with the index {channel.index}.",
                where=f"{where}.index",
                remedy="Channels of a file are counted from 0.",
            )
        return info

    def _channel(self, position: int, info: AudioInfo | None, rate_hz: int) -> Channel:
        given = self._conversation.channels[position]
        where = f"{self._path}: {self._place}.channels[{position}]"
        if given.start_s is not None and given.start_frame is not None:
            raise ManifestError("A channel starts at start_s or at start_frame, not both.", where=where)
        start = given.start_frame or 0
        if given.start_s is not None:
            start = frame_from_seconds(given.start_s, rate_hz)
        if not 0 <= start <= LONGEST_SECONDS * rate_hz:
            raise ManifestError("A channel starts at or after 0 s and within thirty days.", where=where)
        return Channel(
            speaker=given.speaker,
            path=info.path if info else None,
            index=given.index,
            rate_hz=info.rate_hz if info else rate_hz,
            frames=info.frames if info else 0,
            start_frame=start,
            name=given.name,
        )

    def _attributes(self) -> Mapping[str, str]:
        attributes = dict(self._conversation.attributes)
        if self._synthesis is not None:
            attributes.setdefault("synthesised", self._synthesis.engine)
        return attributes

    def _event_frames(self, rate_hz: int) -> int:
        times = [event.offset_s for event in self._conversation.events or ()]
        if self._conversation.duration_s is not None:
            times.append(self._conversation.duration_s)
        return max(
            (frame_from_seconds(time, rate_hz) for time in times if time.is_finite() and 0 <= time <= LONGEST_SECONDS),
            default=0,
        )

    def _events(self, events: tuple[ManifestEvent, ...], conversation: Conversation) -> list[ParsedEvent]:
        speakers = {channel.speaker for channel in conversation.channels}
        kept = []
        for position, event in enumerate(events):
            place = f" {self._place}.events[{position}]"
            fault = _fault_of(event, speakers)
            if fault:
                self._log.add("event-refused", place, f"{fault} The event was left out.")
                continue
            kept.append(
                ParsedEvent(
                    speaker=event.speaker,
                    kind=event.kind,
                    onset_s=event.onset_s,
                    offset_s=event.offset_s,
                    place=place,
                    text=event.text,
                    holder_before=event.holder_before,
                    holder_after=event.holder_after,
                )
            )
        return kept


def _fault_of(event: ManifestEvent, speakers: set[str]) -> str:
    """Return what is wrong with an event, or an empty text."""
    if event.speaker not in speakers:
        return f"No channel carries the speaker “{event.speaker}”."
    if not event.kind:
        return "The kind is empty."
    for holder in (event.holder_before, event.holder_after):
        if holder not in (None, NOBODY) and holder not in speakers:
            return f"No channel carries the holder “{holder}”."
    if not (event.onset_s.is_finite() and event.offset_s.is_finite()):
        return "A time is no finite number."
    if not 0 <= event.onset_s <= event.offset_s:
        return f"From {event.onset_s} s to {event.offset_s} s is no span."
    return ""
