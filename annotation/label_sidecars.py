"""Event files beside sound: which conversation each recording in them belongs to.

A recording is looked for by name among the conversations and files of the event file’s own folder, then in the whole
corpus; a file with one recording may also bear the name of the sound it lies beside. What finds no sound becomes an
event log of its own. An event file joins every speaker it knows; nobody’s events are dropped.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from annotation.folder_listing import ListedFile, printable
from annotation.formats.catalogue import event_format_of
from annotation.formats.event_format import ParsedEvent
from annotation.formats.text_lines import TextRefusedError
from annotation.notices import Notice


@dataclass(frozen=True, slots=True)
class LabelFile:
    """An event file as it was read."""

    file: ListedFile
    format_name: str
    recordings: Mapping[str, tuple[ParsedEvent, ...]]

    @property
    def place(self) -> tuple[Path, str]:
        """The folder it lies in, as `ListedFile` tells folders."""
        return self.file.root, self.file.folder

    @property
    def stems(self) -> tuple[str, ...]:
        """What the sound beside it may be called: the file’s stem, and that without its last dotted part."""
        stem = self.file.path.stem
        shorter = PurePosixPath(stem).stem
        return (stem,) if shorter == stem else (stem, shorter)


@dataclass(frozen=True, slots=True)
class Target:
    """A conversation that events can belong to; `speaker` where the name stands for one member’s file."""

    key: int
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Joined:
    """The events of one recording of one file, on their way to a conversation."""

    source: str
    origin: Path
    events: tuple[ParsedEvent, ...]
    speaker: str = ""
    """Whose file it is; empty where it is about the whole conversation."""


@dataclass(slots=True)
class Sidecars:
    """Events by conversation, event logs by folder and recording, and what was said."""

    by_conversation: dict[int, list[Joined]] = field(default_factory=lambda: defaultdict(list))
    logs: dict[tuple[Path, str, str], list[Joined]] = field(default_factory=lambda: defaultdict(list))
    warnings: list[Notice] = field(default_factory=list)
    refused: list[Notice] = field(default_factory=list)


def read_label_files(files: Iterable[ListedFile], sidecars: Sidecars, audio_stems: frozenset[str]) -> list[LabelFile]:
    """Return the event files that matter; notices go to `sidecars`.

    A text file of labels that the user did not name matters only beside sound that bears its name.
    """
    read = []
    for file in files:
        chosen = event_format_of(file.path)
        if chosen is None:
            continue
        bare = LabelFile(file, chosen.name, {})
        if not file.named and chosen.name == "audacity" and not audio_stems.intersection(bare.stems):
            continue
        try:
            parsed = chosen.read(file.path)
        except TextRefusedError as error:
            sidecars.refused.append(Notice(error.code, str(file.path), f"{error.what} {error.remedy}".strip()))
            continue
        sidecars.warnings.extend(parsed.notices)
        if not parsed.recordings:
            sidecars.warnings.append(Notice("no-events", str(file.path), "No event could be read from this file."))
        read.append(LabelFile(file, chosen.name, parsed.recordings))
    return read


def join_label_files(
    labels: Iterable[LabelFile],
    sidecars: Sidecars,
    *,
    nearby: Mapping[tuple[Path, str, str], Target],
    anywhere: Mapping[str, tuple[Target, ...]],
) -> None:
    """Deal the recordings of event files to conversations and event logs.

    Parameters
    ----------
    nearby
        Conversations by root, folder and name (of the conversation, or of a member’s file without its ending).
    anywhere
        The same by name alone, over the whole corpus.
    """
    for label in labels:
        soundless = []
        for recording, events in label.recordings.items():
            joined = Joined(_source_name(label), label.file.path, events)
            target = _target_of(label, recording, sidecars, nearby, anywhere)
            if target is not None:
                placed = Joined(joined.source, joined.origin, events, target.speaker)
                sidecars.by_conversation[target.key].append(placed)
            else:
                name = printable(recording or label.stems[-1])
                sidecars.logs[*label.place, name].append(joined)
                soundless.append(name)
        if soundless:
            names = ", ".join(f"“{name}”" for name in soundless[:10]) + (", …" if len(soundless) > 10 else "")
            message = f"No sound is called {names}: the events stand as a log without sound."
            _say(sidecars, label, "events-without-audio", message)


def _source_name(label: LabelFile) -> str:
    """Return the name of the source: labels of several tracks are one source, other files each their own."""
    return "labels" if label.format_name == "audacity" else printable(label.file.path.stem)


def _target_of(
    label: LabelFile,
    recording: str,
    sidecars: Sidecars,
    nearby: Mapping[tuple[Path, str, str], Target],
    anywhere: Mapping[str, tuple[Target, ...]],
) -> Target | None:
    for name in (recording,) if recording else label.stems:
        target = nearby.get((*label.place, name))
        if target is not None:
            return target
    found = anywhere.get(recording, ()) if recording else ()
    if len(found) == 1:
        return found[0]
    if len(found) > 1:
        _say(
            sidecars,
            label,
            "ambiguous-recording",
            f"{len(found)} sounds are called “{recording}”: its events stand alone.",
        )
        return None
    if recording and len(label.recordings) == 1:
        target = nearby.get((*label.place, label.stems[0]))
        if target is not None:
            _say(
                sidecars,
                label,
                "recording-name",
                f"The file speaks of “{recording}” and was joined by its own name to the sound beside it.",
            )
            return target
    return None


def _say(sidecars: Sidecars, label: LabelFile, code: str, message: str) -> None:
    sidecars.warnings.append(Notice(code, str(label.file.path), message))
