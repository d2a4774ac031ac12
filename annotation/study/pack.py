"""Writing a pack: one annotator's presentations with their sound, for another machine, and nothing that could unblind.

Conventions: rows are written in the order of their random ids, and entries are numbered anew, so that neither the order
in the file nor a number tells of items, passes or other people. Sound is one mono FLAC a voice, in clip frames at the
clip's rate, without tags and without a seek table; no two clips of a seat have one length, so no two are equal. A pack
is written to a new file in which nothing ever stood, flushed, and moved to its place whole; a file that is there is
never replaced, since it may hold somebody's answers.

Decision: sound that 16 bits hold exactly is kept in 16 bits, all other in 24. What lies above full scale, or is no
number, cannot stand in FLAC: it is counted and said.
"""

import io
import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import msgspec
import numpy as np
import soundfile  # type: ignore[import-untyped]
from numpy.typing import NDArray

from annotation.audio.cache import AudioCache
from annotation.audio.passage import read_passage
from annotation.audio.refusal import AudioRefusedError
from annotation.cancellation import CancelToken, Progress, no_progress
from annotation.conversation import Conversation
from annotation.notices import Notice
from annotation.project.database import sync_folder
from annotation.project.faults import ProjectWriteError, faults_of
from annotation.project.project import Project
from annotation.study.clip import NARROWEST_MARGIN_S, WIDEST_JITTER_S, WIDEST_MARGIN_S
from annotation.study.clips import ClipLibrary, ClipSound
from annotation.study.design import StudyDesign, StudyError, about_design
from annotation.study.drawing import CALIBRATION, DrawnPresentation, Seat, StudyItem
from annotation.study.entries import BREAK_COLUMNS, DRAFT_COLUMNS, SUBMISSION_COLUMNS
from annotation.study.pack_reader import PackError
from annotation.study.pack_tables import PACK_APPLICATION_ID, PACK_STATEMENTS, PACK_SUFFIX, PACK_VERSION
from annotation.study.records import StudyRecords

_MEASURED = 4
_SPARE_BYTES = 2 << 20
_ROW_BYTES = 1_000
"""What a presentation takes beside its sound, about."""
_MISSING = "The sound of this speaker is missing from the pack."
_HIGHEST_RATE_HZ = 655_350
"""The highest that libsndfile writes into a FLAC."""


@dataclass(frozen=True, slots=True)
class PackEstimate:
    """How large a pack will be, about: some of its clips were encoded, and the others reckoned from them.

    Parameters
    ----------
    seconds
        Length of all clips.
    """

    presentations: int
    seconds: float
    bytes: int


@dataclass(frozen=True, slots=True)
class PackReport:
    """What was written.

    Parameters
    ----------
    notices
        Sound that is missing, and samples that FLAC cannot hold.
    """

    path: Path
    presentations: int
    bytes: int
    notices: tuple[Notice, ...] = ()


def seat_of(project: Project, annotator: str, study: str = "") -> Seat:
    """Return an annotator's seat by the name.

    Raises
    ------
    StudyError
        If the study has no such annotator, or another one has taken the seat over.
    """
    seats = StudyRecords(project).seats(study)
    found = next((seat for seat in seats if seat.annotator == annotator), None)
    names = ", ".join(seat.annotator for seat in seats)
    if found is None:
        raise StudyError("The study has no such annotator.", where=annotator, remedy=f"There are {names}.")
    successor = next((seat for seat in seats if seat.replaces == found.id), None)
    if successor is not None:
        raise StudyError(
            f"{annotator} was replaced by {successor.annotator}, who has the seat now.", where=str(project.path)
        )
    return found


def estimate_pack(
    project: Project, seat: Seat, cache: AudioCache, token: CancelToken | None = None, study: str = ""
) -> PackEstimate:
    """Return how large a seat's pack will be, from a few clips that are encoded to see.

    Raises
    ------
    CancelledError
        If `token` was set.
    """
    drawn = _presentations(project, seat, study)
    step = max(1, len(drawn) // _MEASURED)
    frames = content = 0
    with closing(ClipLibrary(project.path, seat.id, cache)) as library:
        for presentation in drawn[::step][:_MEASURED]:
            sound = library.sound(presentation.id, token)
            frames += sound.frames
            content += sum(len(clip.flac or b"") for clip in _encoded_voices(sound))
    total = sum(one.clip.frames for one in drawn)
    seconds = sum(one.clip.frames / one.rate_hz for one in drawn)
    return PackEstimate(len(drawn), seconds, round(content * total / max(1, frames)) + _ROW_BYTES * len(drawn))


def planned_bytes(
    design: StudyDesign,
    items: Sequence[StudyItem],
    conversations: Mapping[str, Conversation],
    presentations: int,
    cache: AudioCache,
) -> int:
    """Return about how large a pack of a design that is not drawn yet would be, from a few passages encoded to see.

    Parameters
    ----------
    items
        What the design would take.
    presentations
        For one annotator.
    """
    around_s = 2 * design.context_s + NARROWEST_MARGIN_S + WIDEST_MARGIN_S + WIDEST_JITTER_S

    def frames_of(item: StudyItem) -> int:
        conversation = conversations[item.conversation]
        wanted = item.offset - item.onset + round(around_s * conversation.rate_hz)
        return min(wanted, conversation.frames)

    frames = content = 0
    step = max(1, len(items) // _MEASURED)
    for item in items[::step][:_MEASURED]:
        conversation = conversations[item.conversation]
        length = frames_of(item)
        first = max(0, min(item.onset - length // 2, conversation.frames - length))
        for channel in conversation.channels:
            with suppress(AudioRefusedError):
                samples = read_passage(channel, conversation.rate_hz, first, length, cache)
                content += len(flac_of(samples, conversation.rate_hz)[0])
                frames += length
    total = sum(frames_of(item) * len(conversations[item.conversation].channels) for item in items)
    share = presentations / max(1, len(items))
    return round((content * total / max(1, frames) + _ROW_BYTES * len(items)) * share)


def write_pack(
    project: Project,
    seat: Seat,
    out: Path,
    cache: AudioCache,
    token: CancelToken | None = None,
    progress: Progress = no_progress,
    study: str = "",
) -> PackReport:
    """Write a seat's pack; the file appears whole or not at all.

    Raises
    ------
    PackError
        If the name does not end in ``.floorpack``, or there is a file of this name.
    ProjectWriteError
        If there is no room for it, or it cannot be written.
    CancelledError
        If `token` was set; nothing is left behind.
    """
    token = token or CancelToken()
    if out.suffix != PACK_SUFFIX:
        raise PackError(f"The name of a pack ends in {PACK_SUFFIX}.", where=str(out))
    if out.exists():
        raise PackError(
            "There is a file with this name already, and it may hold answers.",
            where=str(out),
            remedy="Choose another name.",
        )
    estimate = estimate_pack(project, seat, cache, token, study)
    _require_room(out.parent, estimate.bytes)
    draft = out.with_name(f".{out.name}.{uuid4().hex}.draft")
    notices: list[Notice] = []
    try:
        with faults_of(out), closing(sqlite3.connect(draft, isolation_level=None)) as conn:
            _make(conn, project, seat, study)
            drawn = _presentations(project, seat, study)
            with closing(ClipLibrary(project.path, seat.id, cache)) as library:
                for done, presentation in enumerate(drawn):
                    token.check()
                    progress(done / max(1, len(drawn)))
                    notices += _write_sound(conn, library.sound(presentation.id, token), presentation)
            conn.execute("COMMIT")
        size = _publish(draft, out)
    except OSError as error:
        raise ProjectWriteError(f"The pack cannot be written: {error.strerror}.", where=str(out)) from error
    finally:
        for ending in ("", "-journal"):
            with suppress(OSError):
                draft.with_name(draft.name + ending).unlink(missing_ok=True)
    progress(1.0)
    return PackReport(out, len(drawn), size, tuple(notices))


def _presentations(project: Project, seat: Seat, study: str) -> tuple[DrawnPresentation, ...]:
    """Return a seat's presentations by their random ids: the order in which all of a pack is written."""
    drawn = StudyRecords(project).presentations(study, seat.id)
    return tuple(sorted(drawn, key=lambda one: one.id))


def _require_room(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if needed + _SPARE_BYTES > free:
        raise ProjectWriteError(
            f"The pack needs about {needed / 1e6:,.1f} MB and the disk has {free / 1e6:,.1f} MB left.",
            where=str(folder),
            remedy="Free some space, or choose another disk; nothing was written.",
        )


def _make(conn: sqlite3.Connection, project: Project, seat: Seat, study: str) -> None:
    """Make the tables and fill all but the sound, inside a transaction that stays open."""
    for pragma in ("secure_delete = ON", f"application_id = {PACK_APPLICATION_ID}", f"user_version = {PACK_VERSION}"):
        conn.execute(f"PRAGMA {pragma}")
    conn.execute("BEGIN")
    for statement in PACK_STATEMENTS:
        conn.execute(statement)
    known = StudyRecords(project).study(study)
    about = (known.id, seat.id, seat.annotator, about_design(known.design))
    conn.execute("INSERT INTO seat_about VALUES (?, ?, ?, ?)", about)
    drawn = _presentations(project, seat, study)
    conn.executemany("INSERT INTO seat_presentation VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", map(_row_of, drawn))
    for table, columns, rows in _entries(project, seat):
        marks = ", ".join("?" * (columns.count(",") + 1))
        conn.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)


def _row_of(drawn: DrawnPresentation) -> tuple[object, ...]:
    clip = drawn.clip
    return (
        drawn.id,
        drawn.position,
        drawn.rate_hz,
        clip.frames,
        drawn.cue_voice,
        clip.cue_onset - clip.onset,
        clip.cue_offset - clip.onset,
        msgspec.json.encode(drawn.voices).decode(),
        int(drawn.number == CALIBRATION),
        None if drawn.reference is None else msgspec.json.encode(drawn.reference).decode(),
    )


def _entries(project: Project, seat: Seat) -> Iterator[tuple[str, str, Sequence[tuple[object, ...]]]]:
    """Yield what the seat has entered so far, and why something was sent back, as rows of a pack's tables."""
    mine = "presentation IN (SELECT id FROM presentation WHERE seat = ?)"
    queries = (
        ("draft", DRAFT_COLUMNS, f"SELECT {DRAFT_COLUMNS} FROM draft WHERE {mine} ORDER BY sequence"),
        (
            "submission",
            SUBMISSION_COLUMNS,
            f"SELECT {SUBMISSION_COLUMNS} FROM submission WHERE {mine} ORDER BY sequence",
        ),
        ("seat_break", BREAK_COLUMNS, f"SELECT {BREAK_COLUMNS} FROM seat_break WHERE seat = ? ORDER BY sequence"),
        (
            "seat_note",
            "submission, presentation, at, note, drafts",
            "SELECT s.id, s.presentation, r.at, r.note, r.drafts FROM reopening AS r JOIN submission AS s "
            f"ON s.id = r.submission WHERE s.{mine} GROUP BY s.id ORDER BY s.id",
        ),
    )
    with project.reading() as db:
        for table, columns, query in queries:
            yield table, columns, db.execute(query, [seat.id]).fetchall()


def _write_sound(conn: sqlite3.Connection, sound: ClipSound, drawn: DrawnPresentation) -> list[Notice]:
    notices = []
    for clip in _encoded_voices(sound):
        # The reason itself names a file of the lead's machine.
        missing = _MISSING if clip.missing else ""
        conn.execute("INSERT INTO sound VALUES (?, ?, ?, ?)", (drawn.id, clip.voice, clip.flac, missing))
        where = f"presentation {drawn.position}, {clip.voice}"
        if clip.missing:
            notices.append(Notice("voice-missing", where, clip.missing))
        if clip.limited:
            message = (
                f"{clip.limited:,} samples lie above full scale or are no number, and were set to what FLAC holds."
            )
            notices.append(Notice("samples-limited", where, message))
    return notices


@dataclass(frozen=True, slots=True)
class _EncodedVoice:
    voice: str
    flac: bytes | None
    missing: str
    limited: int


def _encoded_voices(sound: ClipSound) -> Iterator[_EncodedVoice]:
    for voice in sound.voices:
        if voice.missing:
            yield _EncodedVoice(voice.id, None, voice.missing, 0)
        else:
            content, limited = flac_of(voice.signal.read(0, sound.frames), sound.rate_hz)
            yield _EncodedVoice(voice.id, content, "", limited)


def flac_of(samples: NDArray[np.float32], rate_hz: int) -> tuple[bytes, int]:
    """Return mono samples as FLAC, in 16 bits where these hold them exactly and in 24 otherwise.

    Returns
    -------
    tuple
        The file, and how many samples had to be limited to full scale or were no number.

    Raises
    ------
    PackError
        If the rate is higher than FLAC has.
    """
    if rate_hz > _HIGHEST_RATE_HZ:
        raise PackError(f"FLAC has no rate of {rate_hz:,} Hz.", remedy="Work in the project itself.")
    wide = samples.astype(np.float64) * 32_768
    if np.array_equal(wide, np.rint(wide)) and np.all((wide >= -32_768) & (wide <= 32_767)):
        return _flac(wide.astype(np.int16), rate_hz, "PCM_16"), 0
    wide = np.rint(wide * 256)
    finite = np.nan_to_num(wide, nan=0.0)
    whole = np.clip(finite, -(1 << 23), (1 << 23) - 1)
    # One unit above full scale is how +1.0 itself is written, and no change that anybody could hear.
    limited = int(np.count_nonzero((whole != wide) & (np.abs(whole - finite) != 1)))
    return _flac(whole.astype(np.int32) << 8, rate_hz, "PCM_24"), limited


def _flac(samples: NDArray[np.int16] | NDArray[np.int32], rate_hz: int, subtype: str) -> bytes:
    target = io.BytesIO()
    soundfile.write(target, samples, rate_hz, format="FLAC", subtype=subtype)
    return target.getvalue()


def _publish(draft: Path, out: Path) -> int:
    with draft.open("rb+") as file:
        os.fsync(file.fileno())
        size = file.seek(0, 2)
    try:
        # A link, unlike a rename, never takes the place of a file made meanwhile.
        os.link(draft, out)
    except FileExistsError as error:
        raise PackError("There is a file with this name already.", where=str(out)) from error
    except OSError:
        draft.rename(out)
    sync_folder(out.parent)
    return size
