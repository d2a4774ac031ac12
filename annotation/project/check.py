"""What `floorscope project check` looks at: the file, its log of revisions, its audio and its backups."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
from sqlite_utils import Database

from annotation.audio.cache import AudioCache
from annotation.audio.decoding import AudioInfo, AudioRefusedError, probe_audio
from annotation.audio.fingerprint import Fingerprint, fingerprint_of, sha256_of
from annotation.cancellation import CancelToken, Progress, no_progress
from annotation.document import Document
from annotation.errors import FloorscopeError
from annotation.notices import Notice
from annotation.project.backup import ahead_notices, backups_of, fault_of_backup, home_of
from annotation.project.database import connect
from annotation.project.faults import DamagedProjectError, ProjectError, faults_of
from annotation.project.material import absolute_path
from annotation.project.revision_log import documents_in, revisions_of
from annotation.project.soundness import require_sound


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check found; plain values, so that it can be printed as JSON.

    Parameters
    ----------
    ok
        Whether there is no problem; warnings do not count.
    problems, warnings
        What is wrong, and what is only worth knowing.
    """

    ok: bool
    conversations: int
    audio_files: int
    documents: int
    revisions: int
    backups: int
    problems: tuple[Notice, ...]
    warnings: tuple[Notice, ...]


@dataclass(frozen=True, slots=True)
class ChannelIdentity:
    """One channel's file, and what the project knows of it."""

    conversation: str
    position: int
    path: Path
    index: int
    rate_hz: int
    frames: int
    fingerprint: Fingerprint | None
    sha256: str | None


def text_from_fingerprint(fingerprint: Fingerprint) -> str:
    """Return a fingerprint as a row holds it, so that each of its three parts can be compared."""
    return msgspec.json.encode(fingerprint).decode()


def _fingerprint_from_text(text: str | None) -> Fingerprint | None:
    """Return a fingerprint as a row holds it; a damaged one counts as unknown, and the full hash decides."""
    if text is None:
        return None
    try:
        return msgspec.json.decode(text, type=Fingerprint)
    except msgspec.MsgspecError:
        return None


def identities_in(db: Database, folder: Path) -> tuple[ChannelIdentity, ...]:
    """Return what the project knows of every channel's audio, in the project's order."""
    rows = db.execute(
        "SELECT conversation, channel.position, path, file_index, channel.rate_hz, frames, fingerprint, sha256 "
        "FROM channel JOIN conversation ON conversation.id = channel.conversation "
        "WHERE path IS NOT NULL ORDER BY conversation.position, channel.position"
    )
    return tuple(
        ChannelIdentity(
            conversation,
            position,
            absolute_path(path, folder),
            index,
            rate_hz,
            frames,
            _fingerprint_from_text(text),
            sha256,
        )
        for conversation, position, path, index, rate_hz, frames, text, sha256 in rows
    )


def check_project(path: Path, token: CancelToken, progress: Progress, cache: AudioCache | None = None) -> CheckReport:
    """Return what is wrong with a project; reads only, on a connection of its own.

    Parameters
    ----------
    cache
        Where compressed sound lies decoded; what is not there is decoded for the check.

    Raises
    ------
    ProjectError
        If the file cannot be opened at all.
    CancelledError
        If `token` was set.
    """
    warnings: list[Notice] = []
    problems: list[Notice] = []
    try:
        warnings += require_sound(path)
    except DamagedProjectError as fault:
        problems.append(_damage(path, fault))
    log, channels, conversations = _contents(path, token, problems, warnings)
    problems += log.problems
    files = list(dict.fromkeys(channel.path for channel in channels))
    for number, file in enumerate(files):
        token.check()
        of_file = [channel for channel in channels if channel.path == file]
        for notice in _audio_notices(file, of_file, token, cache):
            (warnings if notice.code == "audio-touched" else problems).append(notice)
        progress((number + 1) / (len(files) + 1))
    backups = backups_of(path)
    warnings += _backup_warnings(path, backups)
    progress(1.0)
    return CheckReport(
        ok=not problems,
        conversations=conversations,
        audio_files=len(files),
        documents=log.documents,
        revisions=log.revisions,
        backups=len(backups),
        problems=tuple(problems),
        warnings=tuple(warnings),
    )


def _damage(path: Path, fault: ProjectError) -> Notice:
    return Notice("file-damaged", str(path), f"{fault.what} {fault.remedy}")


def _contents(
    path: Path, token: CancelToken, problems: list[Notice], warnings: list[Notice]
) -> "tuple[_LogFindings, tuple[ChannelIdentity, ...], int]":
    """Return what SQLite can read of a file; what it cannot is a finding of its own."""
    log = _LogFindings()
    channels: tuple[ChannelIdentity, ...] = ()
    try:
        db = connect(path, read_only=True)
    except ProjectError:
        if not problems:
            raise
        return log, channels, 0
    try:
        with faults_of(path):
            log = _log_findings(db, path, token)
            channels = identities_in(db, home_of(path))
            conversations = db.execute("SELECT count(*) FROM conversation").fetchone()[0]
            warnings += ahead_notices(path, db)
    except DamagedProjectError as fault:
        # Too damaged for SQLite to go on reading: the finding is the report.
        problems.append(_damage(path, fault))
        return log, (), 0
    finally:
        db.close()
    return log, channels, conversations


@dataclass(frozen=True, slots=True)
class _LogFindings:
    documents: int = 0
    revisions: int = 0
    problems: tuple[Notice, ...] = ()


def _log_findings(db: Database, path: Path, token: CancelToken) -> _LogFindings:
    problems = list(file_problems(db, path))
    token.check()
    documents = documents_in(db)
    problems += replay_problems(db, documents, token)
    revisions = db.execute("SELECT count(*) FROM revision").fetchone()[0]
    return _LogFindings(len(documents), revisions, tuple(problems))


def file_problems(db: Database, path: Path) -> Iterator[Notice]:
    """Yield what SQLite itself finds wrong with a file."""
    for (answer,) in db.execute("PRAGMA integrity_check"):
        if answer != "ok":
            yield Notice("file-damaged", str(path), f"SQLite finds the file damaged: {answer}.")
    for table, row, parent, _ in db.execute("PRAGMA foreign_key_check"):
        yield Notice("row-orphaned", f"{table} {row}", f"The row refers to a {parent} that is not there.")


def replay_problems(db: Database, documents: tuple[tuple[str, str], ...], token: CancelToken) -> list[Notice]:
    """Return the documents whose revisions are not what was entered, or do not follow from each other."""
    problems = []
    for subject, person in documents:
        token.check()
        try:
            Document(subject=subject, person=person, revisions=revisions_of(db, subject, person))
        except FloorscopeError as fault:
            problems.append(Notice("revisions-inconsistent", f"{subject} of {person}", str(fault)))
    return problems


def _audio_notices(
    file: Path, channels: list[ChannelIdentity], token: CancelToken, cache: AudioCache | None
) -> Iterator[Notice]:
    where = str(file)
    try:
        info = probe_audio(file, cache, token)
        now = fingerprint_of(file)
        for channel in channels:
            yield from _shape_notices(channel, info)
        known = next((channel.fingerprint for channel in channels if channel.fingerprint), None)
        digest = next((channel.sha256 for channel in channels if channel.sha256), None)
        if _content_differs(known, now) or (digest and sha256_of(file, token, no_progress) != digest):
            yield Notice("audio-changed", where, "The file is not the one that was imported: its content changed.")
        elif known and known.modified_ns != now.modified_ns:
            yield Notice("audio-touched", where, "The file was written or copied since it was imported.")
    except AudioRefusedError as fault:
        yield Notice(fault.code, where, f"{fault.what} {fault.remedy}".strip())


def _content_differs(known: Fingerprint | None, now: Fingerprint) -> bool:
    return known is not None and (known.size, known.edges_sha256) != (now.size, now.edges_sha256)


def _shape_notices(channel: ChannelIdentity, info: AudioInfo) -> Iterator[Notice]:
    where = f"{channel.path} ({channel.conversation})"
    if channel.index >= info.channels:
        yield Notice("audio-channels", where, f"Channel {channel.index + 1} of {info.channels} does not exist.")
    if channel.rate_hz != info.rate_hz:
        yield Notice("audio-rate", where, f"The rate was {channel.rate_hz} Hz and is {info.rate_hz} Hz.")
    if info.exact and channel.frames != info.frames:
        yield Notice("audio-frames", where, f"The file had {channel.frames} frames and has {info.frames}.")


def _backup_warnings(path: Path, backups: tuple[Path, ...]) -> list[Notice]:
    if not backups:
        return [Notice("backup-none", str(path), "There is no backup yet; one is made when the project is closed.")]
    faults = ((backup, fault_of_backup(backup)) for backup in backups)
    return [Notice("backup-damaged", str(backup), fault) for backup, fault in faults if fault]
