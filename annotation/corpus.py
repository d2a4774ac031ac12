"""What opens: the conversations in files and folders, with the events that came along.

Layouts: a folder with a manifest; mono files that names group into conversations (`annotation.grouping`); files of
two or more channels, each a conversation of ``channel 1``, ``channel 2``, …; a mono file alone; event files without
sound. Members may differ in rate and length: the timeline rate is the highest, all start at 0. What is odd is a
warning; what cannot be used is refused and costs itself. Nothing is guessed in silence.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, count
from pathlib import Path
from typing import Any

from annotation.audio.cache import AudioCache
from annotation.audio.decoding import AudioInfo, AudioRefusedError, probe_audio
from annotation.cancellation import CancelToken, Progress, no_progress, share_of
from annotation.channel_spec import ChannelSpec
from annotation.conversation import Channel, Conversation
from annotation.draft import Draft, imported_from_draft
from annotation.errors import FloorscopeError, InvalidValueError
from annotation.folder_listing import FileRole, ListedFile, Listing, list_files, natural_order, printable
from annotation.formats.manifest import ManifestError, read_manifest
from annotation.grouping import Group, MonoFile, group_mono_files
from annotation.label_sidecars import Joined, Sidecars, Target, join_label_files, read_label_files
from annotation.notices import Notice
from annotation.sources import ImportedConversation
from annotation.timebase import LONGEST_SECONDS, frame_from_seconds, seconds_from_frame

LAYOUTS = ("auto", "manifest", "folder-of-speakers", "multichannel")
"""What a user can say. ``folder-of-speakers`` joins the mono files of a folder that no name tells apart,
``multichannel`` joins no files, ``manifest`` reads manifests only."""


class CorpusError(FloorscopeError):
    """Files or folders that cannot be opened as asked."""

    code = "corpus"


@dataclass(frozen=True, slots=True)
class Corpus:
    """Conversations in natural order, and what was said on the way.

    Parameters
    ----------
    layout
        What was found: ``manifest``, ``folder-of-speakers``, ``multichannel``, ``single-speaker``, ``event-log``,
        ``by-hand``, ``mixed`` when there are several, or ``nothing``.
    """

    layout: str
    conversations: tuple[ImportedConversation, ...]
    warnings: tuple[Notice, ...] = ()
    refused: tuple[Notice, ...] = ()


def read_corpus(
    paths: Sequence[Path],
    layout: str = "auto",
    *,
    cache: AudioCache | None = None,
    cancel: CancelToken | None = None,
    progress: Progress = no_progress,
) -> Corpus:
    """Return the conversations in files and folders.

    Parameters
    ----------
    cache
        Where the sound of compressed files is kept that has to be decoded for its length; without one it is decoded
        and let go.

    Raises
    ------
    CorpusError
        If there is no such layout. Inputs that do not open are in `Corpus.refused`.
    CancelledError
        If `cancel` was set.
    """
    if layout not in LAYOUTS:
        raise CorpusError(f"There is no layout “{layout}”.", remedy=f"Use one of {', '.join(LAYOUTS)}.")
    cancel = cancel or CancelToken()
    return _Reading(list_files(paths, cancel=cancel), layout, cache, cancel, progress).corpus()


def corpus_from_channels(
    specs: Sequence[ChannelSpec],
    conversation_id: str,
    *,
    cache: AudioCache | None = None,
    cancel: CancelToken | None = None,
    progress: Progress = no_progress,
) -> Corpus:
    """Return one conversation put together by hand, one channel a speaker, with what is odd about its files.

    Parameters
    ----------
    cache
        As for `read_corpus`.

    Raises
    ------
    AudioRefusedError
        If a file cannot be read.
    CancelledError
        If `cancel` was set.
    CorpusError
        If a channel is not there, or a file has several and none was chosen.
    InvalidValueError
        If two channels have one speaker.
    """
    if not specs:
        raise CorpusError("A conversation has at least one channel.", where=conversation_id)
    probed: dict[Path, AudioInfo] = {}
    for position, spec in enumerate(specs):
        if spec.path not in probed:
            probed[spec.path] = probe_audio(spec.path, cache, cancel, share_of(progress, position, len(specs)))
    infos = [probed[spec.path] for spec in specs]
    rate_hz = max(info.rate_hz for info in infos)
    channels = []
    for spec, info in zip(specs, infos, strict=True):
        if spec.index is None and info.channels > 1:
            raise CorpusError(
                f"The file has {info.channels} channels.",
                where=str(spec.path),
                remedy=f"Say which one {spec.speaker} has, as in {spec.speaker}=FILE:0.",
            )
        index = spec.index or 0
        if index >= info.channels:
            raise CorpusError(
                f"The file has {info.channels} channels, so none with the index {index}.",
                where=str(spec.path),
                remedy="Channels of a file are counted from 0.",
            )
        if not 0 <= spec.start_s <= LONGEST_SECONDS:
            raise CorpusError("A channel starts at or after 0 s and within thirty days.", where=str(spec.path))
        start = frame_from_seconds(spec.start_s, rate_hz)
        channels.append(Channel(spec.speaker, info.path, index, info.rate_hz, info.frames, start))
    conversation = Conversation(conversation_id, rate_hz, tuple(channels))
    warnings = [notice for info in _distinct(infos) for notice in info.notices]
    return Corpus("by-hand", (ImportedConversation(conversation),), tuple(warnings))


def conversation_from_channels(
    specs: Sequence[ChannelSpec], conversation_id: str, *, cache: AudioCache | None = None
) -> ImportedConversation:
    """Return the conversation of `corpus_from_channels`; raises as that does."""
    return corpus_from_channels(specs, conversation_id, cache=cache).conversations[0]


def corpus_as_json(corpus: Corpus) -> dict[str, Any]:
    """Return a corpus as ``floorscope corpus info --json`` prints it; times in seconds, no NaN."""
    return {
        "layout": corpus.layout,
        "conversations": [_conversation_as_json(imported) for imported in corpus.conversations],
        "warnings": [
            {"code": notice.code, "where": printable(notice.where), "message": printable(notice.message)}
            for notice in corpus.warnings
        ],
        "refused": [
            {"where": printable(notice.where), "code": notice.code, "message": printable(notice.message)}
            for notice in corpus.refused
        ],
    }


def _conversation_as_json(imported: ImportedConversation) -> dict[str, Any]:
    conversation = imported.conversation
    kinds = Counter(event.kind for source in imported.sources for event in source.events)
    return {
        "id": conversation.id,
        "rate_hz": conversation.rate_hz,
        "frames": conversation.frames,
        "duration_s": seconds_from_frame(conversation.frames, conversation.rate_hz),
        "channels": [
            {
                "speaker": channel.speaker,
                "name": channel.display_name,
                "path": None if channel.path is None else printable(str(channel.path)),
                "channel": channel.index,
                "rate_hz": channel.rate_hz,
                "frames": channel.frames,
                "start_frame": channel.start_frame,
            }
            for channel in conversation.channels
        ],
        "events": sum(kinds.values()),
        "events_by_kind": dict(sorted(kinds.items())),
        "sources": [
            {"name": source.name, "role": str(source.role), "events": len(source.events)} for source in imported.sources
        ],
        "attributes": dict(conversation.attributes),
    }


class _Reading:
    """One pass over a listing: sound first, then the events that belong to it."""

    def __init__(
        self, listing: Listing, layout: str, cache: AudioCache | None, cancel: CancelToken, progress: Progress
    ) -> None:
        self._listing = listing
        self._layout = layout
        self._cache = cache
        self._cancel = cancel
        self._progress = progress
        self._warnings = list(listing.warnings)
        self._refused = list(listing.refused)
        self._conversations: list[ImportedConversation] = []
        self._layouts: set[str] = set()
        self._ids: set[str] = set()

    def corpus(self) -> Corpus:
        self._read_manifests()
        if self._layout != "manifest":
            self._read_loose_files()
        elif not self._conversations and not self._refused:
            self._refused.append(Notice("no-manifest", "", "No floorscope-corpus.json was found here."))
        if not self._conversations and not self._refused:
            self._refused.append(Notice("nothing-found", "", "Neither sound nor events were found here."))
        layout = next(iter(self._layouts)) if len(self._layouts) == 1 else "mixed" if self._layouts else "nothing"
        return Corpus(layout, tuple(self._conversations), tuple(self._warnings), tuple(self._refused))

    def _read_manifests(self) -> None:
        for file in self._listing.of_role(FileRole.MANIFEST):
            self._cancel.check()
            try:
                read = read_manifest(file.path, cache=self._cache, cancel=self._cancel, progress=self._progress)
            except ManifestError as error:
                self._refuse(error, file.path)
                continue
            self._warnings.extend(read.warnings)
            self._refused.extend(read.refused)
            for imported in read.conversations:
                if imported.conversation.id in self._ids:
                    self._refused.append(
                        Notice("id-twice", str(file.path), f"The id “{imported.conversation.id}” is taken already.")
                    )
                    continue
                self._ids.add(imported.conversation.id)
                self._layouts.add("manifest")
                self._conversations.append(imported)

    def _read_loose_files(self) -> None:
        audio = self._probe()
        sidecars = Sidecars()
        stems = frozenset(name for files in audio.values() for file, _ in files for name in _names_beside(file.path))
        labels = read_label_files(self._listing.of_role(FileRole.EVENTS), sidecars, stems)
        recordings = frozenset(
            recording
            for label in labels
            for recording, events in label.recordings.items()
            if recording and len({event.speaker for event in events}) > 1
        )
        drafts = [draft for files in audio.values() for draft in self._drafts_of_folder(files, recordings)]
        nearby, anywhere = _names_of(drafts)
        join_label_files(labels, sidecars, nearby=nearby, anywhere=anywhere)
        self._warnings.extend(sidecars.warnings)
        self._refused.extend(sidecars.refused)
        first = len(self._conversations)
        for key, draft in enumerate(drafts):
            self._take_draft(draft, sidecars.by_conversation.get(key, []))
        for (root, folder, recording), joined in sidecars.logs.items():
            self._take_draft(Draft("event-log", root, folder, recording, ()), joined)
        self._conversations[first:] = sorted(
            self._conversations[first:], key=lambda imported: natural_order(imported.conversation.id)
        )

    def _probe(self) -> dict[tuple[Path, str], list[tuple[ListedFile, AudioInfo]]]:
        """Return the sound files that open, by folder; the others are refused."""
        files = self._listing.of_role(FileRole.AUDIO)
        found: dict[tuple[Path, str], list[tuple[ListedFile, AudioInfo]]] = defaultdict(list)
        for position, file in enumerate(files):
            self._cancel.check()
            self._progress(position / len(files))
            try:
                share = share_of(self._progress, position, len(files))
                info = probe_audio(file.path, self._cache, self._cancel, share)
            except AudioRefusedError as error:
                self._refuse(error, file.path)
                continue
            self._warnings.extend(info.notices)
            found[file.root, file.folder].append((file, info))
        return found

    def _drafts_of_folder(
        self, files: list[tuple[ListedFile, AudioInfo]], recordings: frozenset[str]
    ) -> Iterable[Draft]:
        root, folder = files[0][0].root, files[0][0].folder
        infos = {file.path.name: info for file, info in files if info.channels == 1}
        for group in self._groups(files, infos, recordings):
            members = tuple((printable(member.speaker), infos[member.file.name], 0) for member in group.members)
            layout = "folder-of-speakers" if len(members) > 1 else "single-speaker"
            names = (group.stem, *(member.file.stem for member in group.members))
            yield Draft(layout, root, folder, group.stem, members, names)
        for file, info in files:
            if info.channels > 1:
                members = tuple((f"channel {index + 1}", info, index) for index in range(info.channels))
                yield Draft("multichannel", root, folder, file.path.stem, members, (file.path.stem,))

    def _groups(
        self, files: list[tuple[ListedFile, AudioInfo]], infos: dict[str, AudioInfo], recordings: frozenset[str]
    ) -> tuple[Group, ...]:
        monos = [MonoFile(name, Fraction(info.frames, info.rate_hz)) for name, info in infos.items()]
        if self._layout == "multichannel":
            return tuple(group for mono in monos for group in group_mono_files([mono]).groups)
        first = files[0][0]
        grouping = group_mono_files(
            monos, recordings=recordings, opened=not first.folder, together=self._layout == "folder-of-speakers"
        )
        place = first.path.parent
        self._warnings.extend(
            Notice(notice.code, str(place / notice.where), notice.message) for notice in grouping.notices
        )
        return grouping.groups

    def _take_draft(self, draft: Draft, joined: list[Joined]) -> None:
        try:
            imported, notices = imported_from_draft(draft, self._free_id(draft), joined)
        except InvalidValueError as error:
            self._refuse(error, draft.root / draft.folder / draft.stem)
            return
        self._ids.add(imported.conversation.id)
        self._layouts.add(draft.layout)
        self._warnings.extend(notices)
        self._conversations.append(imported)

    def _free_id(self, draft: Draft) -> str:
        """Return an id made of the folder’s path and the stem that no conversation has yet."""
        root = draft.root.resolve().name or "corpus"
        plain = "/".join(part for part in (draft.folder, draft.stem) if part) or root
        files = [draft.members[0][1].path.name] if draft.members else []
        with_ending = ["/".join(part for part in (draft.folder, name) if part) for name in files]
        counted = (f"{plain} ({number})" for number in count(2))
        candidates = map(printable, chain((plain, *with_ending, f"{root}/{plain}"), counted))
        return next(name for name in candidates if name not in self._ids)

    def _refuse(self, error: FloorscopeError, path: Path) -> None:
        self._refused.append(Notice(error.code, error.where or str(path), f"{error.what} {error.remedy}".strip()))


def _names_beside(path: Path) -> tuple[str, ...]:
    """Return what a label file beside a sound may be called: its stem, and every shorter one that a name can hold."""
    stem = path.stem
    cuts = [position for position, letter in enumerate(stem) if letter in "._- "]
    return (stem, *(stem[:cut] for cut in cuts if cut))


def _names_of(
    drafts: list[Draft],
) -> tuple[dict[tuple[Path, str, str], Target], dict[str, tuple[Target, ...]]]:
    """Return the conversations by folder and name, and by name alone; a name of a whole conversation goes first."""
    nearby: dict[tuple[Path, str, str], Target] = {}
    anywhere: dict[str, dict[int, Target]] = defaultdict(dict)
    for key, draft in enumerate(drafts):
        speakers = ["", *(member[0] for member in draft.members)]
        for name, speaker in zip(draft.names, speakers, strict=False):
            if name:
                alone = speaker if len(draft.members) > 1 else ""
                nearby.setdefault((draft.root, draft.folder, name), Target(key, alone))
                anywhere[name].setdefault(key, Target(key, alone))
    return nearby, {name: tuple(targets.values()) for name, targets in anywhere.items()}


def _distinct(infos: Iterable[AudioInfo]) -> list[AudioInfo]:
    return list({info.path: info for info in infos}.values())
