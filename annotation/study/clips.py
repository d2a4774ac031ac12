"""The sound of a presentation, in clip frames: read whole, so that nothing beyond the clip can be heard.

It uses a narrow connection of its own, which may read where the audio lies and nothing that anybody entered, no kind
and no onset of an item. Nothing of it reaches the widgets but signals and outlines. In a pack the sound is in the file.
"""

import io
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import soundfile  # type: ignore[import-untyped]
from numpy.typing import NDArray
from sqlite_utils import Database

from annotation.audio.cache import AudioCache
from annotation.audio.passage import PassageSignal, read_passage
from annotation.audio.refusal import AudioRefusedError
from annotation.audio.signal import TimelineSignal
from annotation.audio.waveform import ChannelWaveform
from annotation.cancellation import CancelToken
from annotation.project.backup import home_of
from annotation.project.database import connect
from annotation.project.faults import faults_of
from annotation.project.json_column import value_from_json
from annotation.project.material import imported_conversation, mapped
from annotation.study.design import About, StudyError
from annotation.study.pack_file import connect_pack, is_pack
from annotation.study.presentation import Voice

_READ = {
    "presentation": frozenset(
        ["id", "study", "seat", "item", "rate_hz", "clip_onset", "frames", "cue_voice", "voices", "speakers"]
    ),
    "study_item": frozenset({"id", "conversation", "offset"}),
    "study": frozenset({"id", "about"}),
    "conversation": frozenset(["id", "position", "rate_hz", "event_frames", "attributes"]),
    "channel": frozenset(
        ["conversation", "position", "speaker", "name", "path", "file_index", "rate_hz", "frames", "start_frame"],
    ),
    "mapping": frozenset(["sequence", "conversation", "person", "at", "assignments"]),
    "seat_presentation": frozenset({"id", "rate_hz", "frames", "voices"}),
    "sound": frozenset({"presentation", "voice", "flac", "missing"}),
}


@dataclass(frozen=True, slots=True, eq=False)
class ClipVoice:
    """One voice's sound; where there is none, `missing` says why in a sentence and the signal is silent."""

    id: str
    signal: TimelineSignal
    waveform: ChannelWaveform | None
    missing: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class ClipSound:
    """The sound of a presentation, voices in the order of its lanes; in memory, so any thread may read it."""

    presentation: str
    rate_hz: int
    frames: int
    voices: tuple[ClipVoice, ...]


class ClipLibrary:
    """Opens the sound of one seat's presentations; any thread may use it.

    Parameters
    ----------
    path
        A project or a pack.
    cache
        Where compressed sound lies decoded.

    Raises
    ------
    ProjectError
        If the file cannot be opened.
    """

    def __init__(self, path: Path, seat: str, cache: AudioCache) -> None:
        # Protects the connection: a task reads the next clip while the window asks for this one.
        self._lock = threading.Lock()
        self._source: _Source = _PackSource(path) if is_pack(path) else _ProjectSource(path, seat, cache)

    def sound(self, presentation: str, token: CancelToken | None = None) -> ClipSound:
        """Return the sound of a presentation, read anew each time: one met before takes as long as one that was not.

        Raises
        ------
        StudyError
            If the seat has no such presentation.
        CancelledError
            If `token` was set.
        """
        with self._lock:
            return self._source.read(presentation, token or CancelToken())

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._source.close()


class _Source(Protocol):
    def read(self, presentation: str, token: CancelToken) -> ClipSound: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Row:
    """What is known of a clip of a project."""

    rate_hz: int
    onset: int
    frames: int
    cue_voice: str
    voices: tuple[Voice, ...]
    speakers: tuple[str, ...]
    conversation: str
    muted_from: int | None
    """Clip frame from which all but the cue's voice are silent."""


class _ProjectSource:
    def __init__(self, path: Path, seat: str, cache: AudioCache) -> None:
        self._path, self._seat, self._cache = path, seat, cache
        self._folder = home_of(path)
        self._db = connect(path, read_only=True)
        self._db.conn.set_authorizer(_allowed)

    def read(self, presentation: str, token: CancelToken) -> ClipSound:
        with faults_of(self._path):
            row = self._row(presentation)
            conversation = mapped(self._db, imported_conversation(self._db, self._folder, row.conversation))
        channels = {channel.speaker: channel for channel in conversation.channels}
        voices = []
        for voice, speaker in zip(row.voices, row.speakers, strict=True):
            token.check()
            try:
                samples = read_passage(channels[speaker], row.rate_hz, row.onset, row.frames, self._cache)
            except AudioRefusedError:
                # The reason names the file, and no name of a file may reach an annotator.
                voices.append(_silent(voice.id, row.rate_hz, row.frames))
                continue
            if row.muted_from is not None and voice.id != row.cue_voice:
                samples[max(0, row.muted_from) :] = 0
            voices.append(_heard(voice.id, samples, row.rate_hz))
        return ClipSound(presentation, row.rate_hz, row.frames, tuple(voices))

    def close(self) -> None:
        self._db.close()

    def _row(self, presentation: str) -> _Row:
        row = self._db.execute(
            "SELECT p.rate_hz, p.clip_onset, p.frames, p.cue_voice, p.voices, p.speakers, i.conversation, "
            'i."offset" - p.clip_onset, s.about FROM presentation p JOIN study_item i ON i.id = p.item '
            "JOIN study s ON s.id = p.study WHERE p.id = ? AND p.seat = ?",
            [presentation, self._seat],
        ).fetchone()
        if row is None:
            raise StudyError("This seat has no such presentation.")
        rate_hz, onset, frames, cue_voice, voices, speakers, conversation, end, about = row
        where = f"presentation {presentation}"
        return _Row(
            rate_hz=rate_hz,
            onset=onset,
            frames=frames,
            cue_voice=cue_voice,
            voices=value_from_json(voices, tuple[Voice, ...], where),
            speakers=value_from_json(speakers, tuple[str, ...], where),
            conversation=conversation,
            muted_from=end if value_from_json(about, About, where).mutes_others_after else None,
        )


class _PackSource:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._db: Database = connect_pack(path, read_only=True)
        self._db.conn.set_authorizer(_allowed)

    def read(self, presentation: str, token: CancelToken) -> ClipSound:
        with faults_of(self._path):
            row = self._db.execute(
                "SELECT rate_hz, frames, voices FROM seat_presentation WHERE id = ?", [presentation]
            ).fetchone()
            if row is None:
                raise StudyError("This seat has no such presentation.")
            sounds = dict(
                self._db.execute("SELECT voice, flac FROM sound WHERE presentation = ?", [presentation]).fetchall()
            )
        rate_hz, frames, text = row
        voices = value_from_json(text, tuple[Voice, ...], f"presentation {presentation}")
        return ClipSound(presentation, rate_hz, frames, tuple(self._voices(voices, sounds, rate_hz, frames, token)))

    def _voices(
        self, voices: tuple[Voice, ...], sounds: dict[str, bytes | None], rate_hz: int, frames: int, token: CancelToken
    ) -> Iterator[ClipVoice]:
        for voice in voices:
            token.check()
            samples = _decoded_flac(sounds.get(voice.id), rate_hz, frames)
            yield _silent(voice.id, rate_hz, frames) if samples is None else _heard(voice.id, samples, rate_hz)

    def close(self) -> None:
        self._db.close()


def _decoded_flac(data: bytes | None, rate_hz: int, frames: int) -> NDArray[np.float32] | None:
    """Return the samples of a clip, or None if they are not there or not what the presentation says."""
    if data is None:
        return None
    try:
        with soundfile.SoundFile(io.BytesIO(data)) as file:
            if (file.format, file.channels, file.samplerate, file.frames) != ("FLAC", 1, rate_hz, frames):
                return None
            samples: NDArray[np.float32] = file.read(frames, dtype="float32")
    except soundfile.SoundFileError:
        return None
    return samples if len(samples) == frames else None


def _heard(voice: str, samples: NDArray[np.float32], rate_hz: int) -> ClipVoice:
    signal = PassageSignal(samples, rate_hz)
    return ClipVoice(voice, signal, signal.waveform())


def _silent(voice: str, rate_hz: int, frames: int) -> ClipVoice:
    reason = "The sound of this speaker is missing. Tell the study’s lead; the others can be heard."
    return ClipVoice(voice, PassageSignal(np.zeros(frames, dtype=np.float32), rate_hz), None, reason)


def _allowed(action: int, first: str | None, second: str | None, database: str | None, through: str | None) -> int:
    if action == sqlite3.SQLITE_SELECT:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_READ and second in _READ.get(first or "", frozenset()):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY
