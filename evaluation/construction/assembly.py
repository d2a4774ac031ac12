"""The last stage: channels and event log of one conversation on disk, and the manifest of all of them.

A conversation is a folder ``conversations/ID`` with one mono FLAC (PCM_16) a speaker and ``record.json``: its entry of
the manifest, and the acoustic check of each overlap event. It is written beside its place and moved there whole.
Event times are the orchestrator's frames as exact decimal seconds. Nothing in a file depends on when, where or how
fast it was made, so the same input gives the same bytes.
"""

import io
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import msgspec
import numpy as np
import soundfile  # type: ignore[import-untyped]
from numpy.typing import NDArray

from annotation.events import FloorEvent
from annotation.formats.manifest import (
    FORMAT_NAME,
    FORMAT_VERSION,
    MANIFEST_NAME,
    Manifest,
    ManifestChannel,
    ManifestConversation,
    ManifestEvent,
    ManifestWord,
    Synthesis,
    manifest_as_json,
)
from evaluation.construction.acoustic_check import OverlapCheck
from evaluation.construction.acoustics import RenderedChannels, Room
from evaluation.construction.acts import Kind, PlacedAct, ResolvedConversation
from evaluation.construction.alignment import TimedWord
from evaluation.construction.synthesis import Voice

CONVERSATIONS = "conversations"
RECORD_NAME = "record.json"

_COMPRESSION = 0.6
_DIGITS_OF_OTHER_RATES = 9


class OverlapRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One overlap event in the record: where it begins, the simultaneous speech planned and heard, in seconds."""

    speaker: str
    kind: str
    under: str
    onset_s: Decimal
    planned_s: Decimal
    heard_s: Decimal
    needed_s: Decimal
    realised: bool


class ConversationRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What one conversation became.

    Parameters
    ----------
    conversation
        Its entry of the manifest; paths are relative to the corpus folder.
    repairs
        What was changed on the way because speech came out too short or too long, or an overlap was not heard.
    left_out
        Asides that no engine could speak.
    """

    conversation: ManifestConversation
    duration_s: Decimal
    overlaps: tuple[OverlapRecord, ...] = ()
    repairs: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AssembledConversation:
    """All that the assembly needs of the stages before it.

    Parameters
    ----------
    words
        Of every (act, part) that was timed, in frames of its clip.
    """

    resolved: ResolvedConversation
    rendered: RenderedChannels
    room: Room
    voices: Mapping[str, Voice]
    words: Mapping[tuple[int, int], Sequence[TimedWord]]
    overlaps: Sequence[OverlapCheck]
    repairs: Sequence[str] = ()
    left_out: Sequence[str] = ()


def exact_seconds(frame: int, rate_hz: int) -> Decimal:
    """Return a frame's time as a short decimal: exact where the rate has no factors but 2 and 5, else to 1 ns."""
    seconds = Decimal(frame) / Decimal(rate_hz)
    if seconds * rate_hz != frame or -int(seconds.as_tuple().exponent) > 2 * _DIGITS_OF_OTHER_RATES:
        seconds = round(seconds, _DIGITS_OF_OTHER_RATES)
    text = f"{seconds:f}"
    return Decimal(text.rstrip("0").rstrip(".") if "." in text else text)


def conversation_record(assembled: AssembledConversation) -> ConversationRecord:
    """Return the record of a conversation; its audio lies in ``conversations/ID/SPEAKER.flac``."""
    resolved = assembled.resolved
    symbolic = resolved.conversation
    words = _words_of_acts(assembled)
    conversation = ManifestConversation(
        id=symbolic.id,
        channels=tuple(
            ManifestChannel(
                speaker=speaker.id, name=speaker.name, path=f"{CONVERSATIONS}/{symbolic.id}/{speaker.id}.flac"
            )
            for speaker in symbolic.speakers
        ),
        events=tuple(_event(event, resolved.rate_hz, words) for event in resolved.events),
        attributes=_attributes(assembled),
    )
    return ConversationRecord(
        conversation,
        exact_seconds(resolved.frames, resolved.rate_hz),
        tuple(_overlap(check, resolved.rate_hz) for check in assembled.overlaps),
        (*(f"act {repair.act}: {repair.text}" for repair in resolved.repairs), *assembled.repairs),
        tuple(assembled.left_out),
    )


def _attributes(assembled: AssembledConversation) -> dict[str, str]:
    symbolic = assembled.resolved.conversation
    channels = assembled.room.channels
    attributes = {
        "interaction": symbolic.interaction.value,
        "speakers": str(len(symbolic.speakers)),
        "split": symbolic.split,
        "topic": symbolic.topic,
        "language": "en",
        "seed": str(symbolic.seed),
        "voices": ", ".join(f"{speaker}: {assembled.voices[speaker].identity}" for speaker in channels),
        "snr_db": ", ".join(f"{speaker}: {drawn.snr_db:.2f}" for speaker, drawn in channels.items()),
        "level_db": ", ".join(f"{speaker}: {drawn.level_db:.2f}" for speaker, drawn in channels.items()),
        "room_gain_db": f"{assembled.room.gain_db:.2f}",
        "headroom_gain_db": f"{assembled.rendered.headroom_gain_db:.2f}",
    }
    bleed = {speaker: drawn.bleed_db for speaker, drawn in channels.items() if drawn.bleed_db is not None}
    if bleed:
        attributes["bleed_db"] = ", ".join(f"{speaker}: {level:.2f}" for speaker, level in bleed.items())
    missed = sum(not check.realised for check in assembled.overlaps)
    if missed:
        attributes["overlaps_not_heard"] = str(missed)
    return attributes


def _words_of_acts(assembled: AssembledConversation) -> dict[tuple[str, str, int], tuple[ManifestWord, ...]]:
    """Return the words that are heard of each act, by speaker, kind and onset."""
    return {
        (placed.act.speaker, placed.act.kind, placed.onset): _words(placed, assembled)
        for placed in assembled.resolved.acts
    }


def _words(placed: PlacedAct, assembled: AssembledConversation) -> tuple[ManifestWord, ...]:
    if placed.act.kind is Kind.NON_CONTENT:
        return ()
    rate_hz = assembled.resolved.rate_hz
    return tuple(
        ManifestWord(
            word.text,
            exact_seconds(span.onset + word.onset, rate_hz),
            exact_seconds(span.onset + min(word.offset, span.length), rate_hz),
        )
        for part, span in enumerate(placed.spans)
        for word in assembled.words.get((placed.act.index, part), ())
        if word.onset < span.length
    )


def _event(
    event: FloorEvent, rate_hz: int, words: Mapping[tuple[str, str, int], tuple[ManifestWord, ...]]
) -> ManifestEvent:
    return ManifestEvent(
        speaker=event.speaker,
        kind=str(event.kind),
        onset_s=exact_seconds(event.onset, rate_hz),
        offset_s=exact_seconds(event.offset, rate_hz),
        holder_before=event.holder_before,
        holder_after=event.holder_after,
        text=event.text,
        words=words.get((event.speaker, event.kind, event.onset), ()),
    )


def _overlap(check: OverlapCheck, rate_hz: int) -> OverlapRecord:
    return OverlapRecord(
        check.speaker,
        str(check.kind),
        check.under,
        exact_seconds(check.onset, rate_hz),
        exact_seconds(check.planned, rate_hz),
        exact_seconds(check.heard, rate_hz),
        exact_seconds(check.needed, rate_hz),
        check.realised,
    )


def write_conversation(folder: Path, assembled: AssembledConversation) -> ConversationRecord:
    """Write one conversation into a corpus folder, whole or not at all, and return its record.

    Raises
    ------
    OSError
        If the disk refuses; nothing of it is left then.
    """
    record = conversation_record(assembled)
    name = record.conversation.id
    rate_hz = assembled.resolved.rate_hz
    write_folder_whole(
        folder / CONVERSATIONS / name,
        {f"{speaker}.flac": flac_bytes(samples, rate_hz) for speaker, samples in assembled.rendered.channels.items()}
        | {RECORD_NAME: as_json(record)},
    )
    return record


def write_folder_whole(place: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder with files, beside its place, and move it there.

    Raises
    ------
    OSError
        If the disk refuses or something else is there; nothing of the new folder is left then.
    """
    partial = place.with_name(f".{place.name}.part")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        partial.mkdir(parents=True)
        for name, content in files.items():
            write_durably(partial / name, content)
        partial.rename(place)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def flac_bytes(samples: NDArray[np.int16], rate_hz: int) -> bytes:
    """Return samples as a FLAC file; encoded in memory, so that a full disk is the system's own error."""
    content = io.BytesIO()
    soundfile.write(content, samples, rate_hz, format="FLAC", subtype="PCM_16", compression_level=_COMPRESSION)
    return content.getvalue()


def as_json(document: object) -> bytes:
    """Return a document as indented JSON, decimals as numbers."""
    return msgspec.json.format(msgspec.json.Encoder(decimal_format="number").encode(document), indent=1) + b"\n"


def write_durably(path: Path, content: bytes) -> None:
    """Write a file and flush it to the disk."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file by new content, at once and durably.

    Raises
    ------
    OSError
        If the disk refuses; the old content stays then.
    """
    partial = path.with_name(f".{path.name}.part")
    try:
        write_durably(partial, content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def read_record(folder: Path, name: str) -> ConversationRecord | None:
    """Return the record of a conversation that is whole, or None."""
    try:
        return msgspec.json.decode((folder / CONVERSATIONS / name / RECORD_NAME).read_bytes(), type=ConversationRecord)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def write_manifest(
    folder: Path,
    records: Sequence[ConversationRecord],
    *,
    name: str,
    description: str,
    licence: str,
    synthesis: Synthesis,
) -> Path:
    """Write ``floorscope-corpus.json`` over conversations and return its path.

    Raises
    ------
    OSError
        If the disk refuses; an older manifest stays then.
    """
    manifest = Manifest(
        format=FORMAT_NAME,
        version=FORMAT_VERSION,
        name=name,
        description=description,
        licence=licence,
        synthesised=synthesis,
        conversations=tuple(record.conversation for record in records),
    )
    path = folder / MANIFEST_NAME
    write_whole(path, manifest_as_json(manifest))
    return path
