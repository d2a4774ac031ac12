"""A project: conversations, their sources, and everything that people enter, in one file that is always saved.

There is no Save: a document that was opened here queues each gesture to the writer, which makes it durable. Methods may
be called from any one thread at a time; `add`, `check` and `backup` work on connections of their own, so that a task
may run them while the window reads, and `hash_audio` takes the lock only for the moment of each write.

It is a little longer than a module should be, since it is the one door to the file; what each call does stands in the
modules beside it.
"""

import contextlib
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from sqlite_utils import Database

from annotation.audio.cache import AudioCache
from annotation.audio.fingerprint import Fingerprint, fingerprint_of, sha256_of
from annotation.audio.refusal import AudioRefusedError
from annotation.cancellation import CancelToken, Progress, no_progress
from annotation.conversation import Conversation, SpeakerAssignment, assign_speakers
from annotation.document import Document, Revision
from annotation.errors import FloorscopeError, InvalidValueError
from annotation.notices import Notice
from annotation.project.backup import ahead_notices, home_of, make_backup
from annotation.project.check import ChannelIdentity, CheckReport, check_project, identities_in, text_from_fingerprint
from annotation.project.collect import CollectReport, collect_files
from annotation.project.database import connect, create_file, project_id_in, writing
from annotation.project.faults import (
    DamagedProjectError,
    LeaseLostError,
    ProjectError,
    ProjectWriteError,
    StepRefusedError,
    faults_of,
)
from annotation.project.lease import Lease, LeaseAnswer, release_lease, take_lease
from annotation.project.location import location_notices
from annotation.project.material import (
    AddReport,
    ConversationSummary,
    MappingEntry,
    add_material,
    append_mapping,
    imported_conversation,
    mapped,
    mapping_history,
    sources_of,
    summaries_in,
)
from annotation.project.relocation import LocateReport, locate_media, missing_media, repoint
from annotation.project.revision_log import label_counts, revisions_of
from annotation.project.soundness import require_sound
from annotation.project.watch import NO_NEWS, News, Watch
from annotation.project.writer import OnFailed, OnKept, RevisionWriter
from annotation.sources import EventSource, ImportedConversation

_SUBJECT_OF_CONVERSATION = "conversation:"
_FLUSH_SECONDS = 15.0


def conversation_subject(conversation_id: str) -> str:
    """Return the subject of labelling a conversation freely."""
    return _SUBJECT_OF_CONVERSATION + conversation_id


@dataclass(frozen=True, slots=True, eq=False)
class OpenDocument:
    """A document as it was opened: with the lease to write it, or frozen for the reason given."""

    document: Document
    lease: Lease | None
    read_only_reason: str = ""


def _ignore_kept(revisions: tuple[Revision, ...]) -> None:
    """Take note of nothing, until somebody listens."""


def _ignore_failed(fault: FloorscopeError, revisions: tuple[Revision, ...]) -> None:
    """Take note of nothing, until somebody listens."""


class Project:
    """An open project file; made by `create` or `open`.

    Attributes
    ----------
    notices
        What is to be said about the file without stopping: a synchronised folder, a backup that failed.
    """

    def __init__(self, path: Path, *, read_only: bool, backups: bool) -> None:
        self.path = path.absolute()
        self.folder = home_of(self.path)
        self.read_only = read_only
        self.notices: tuple[Notice, ...] = location_notices(self.path)
        self._backups = backups and not read_only
        # Protects the connection's transactions: another thread's read must not fall into one that is open.
        self._lock = threading.RLock()
        self.notices += require_sound(self.path)
        self._db: Database | None = connect(self.path, read_only=read_only)
        self._opened: tuple[OpenDocument, ...] = ()
        self._freezing = ""
        self._away = False
        self._on_kept: OnKept = _ignore_kept
        self._on_failed: OnFailed = _ignore_failed
        try:
            with self._reading() as db:
                self.id = project_id_in(db)
                self._watch = Watch(db)
                self.notices += ahead_notices(self.path, db)
        except BaseException:
            self._disconnect()
            raise
        self._writer = None if read_only else RevisionWriter(self.path, self._kept, self._failed)
        self._backup_if_due()

    @classmethod
    def create(cls, path: Path, *, backups: bool = True) -> "Project":
        """Make an empty project and return it, open.

        Raises
        ------
        ProjectError
            If there is a file already, or the folder cannot be written.
        """
        create_file(path)
        return cls(path, read_only=False, backups=backups)

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False, backups: bool = True) -> "Project":
        """Open a project.

        Parameters
        ----------
        backups
            Whether a verified backup is made now and on closing, if anything changed since the last.

        Raises
        ------
        NotAProjectError, NewerProjectError, ProjectError
            The file is then left byte for byte.
        """
        return cls(path, read_only=read_only, backups=backups)

    def __enter__(self) -> "Project":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Keep what is pending, give the leases back, make a backup, and close the file; closing twice does nothing.

        Raises
        ------
        ProjectWriteError
            If something entered could not be kept; ask `held` before closing, and try `retry`.
        """
        if self._db is None and self._writer is None:
            return
        held: tuple[Revision, ...] = ()
        try:
            if self._writer is not None:
                held = self._writer.close()
                self._writer = None
                self._release_all()
                self._backup_if_due()
        finally:
            self._opened = ()
            self._disconnect()
        if held:
            raise ProjectWriteError(
                f"{len(held)} steps could not be kept, the first of them “{held[0].label}”.", where=str(self.path)
            )

    def _release_all(self) -> None:
        for opened in self._opened:
            try:
                with self._changing() as db:
                    if opened.lease is not None:
                        release_lease(db, opened.lease)
            except ProjectError as fault:
                # A full disk, say. The lease ends with this process at the latest, and what was entered matters more.
                self.notices += (Notice("lease-not-released", str(self.path), str(fault)),)

    # Conversations

    def add(self, imported: Iterable[ImportedConversation]) -> AddReport:
        """Add conversations with their sources in one transaction; what is there already just so stays as it is.

        Raises
        ------
        ProjectError
            If the file cannot be written; then nothing was added.
        """
        self._require_writable()
        db = connect(self.path)
        try:
            with faults_of(self.path), writing(db):
                report = add_material(db, self.folder, imported)
        finally:
            db.close()
        self._record_fingerprints()
        return report

    def _record_fingerprints(self) -> None:
        """Keep which file each channel has, where it is not known yet; a missing file stays unknown."""
        known = {}
        for identity in self.identities():
            if identity.fingerprint is None:
                with contextlib.suppress(AudioRefusedError):
                    known[identity.conversation, identity.position] = fingerprint_of(identity.path)
        if known:
            with self._changing() as db:
                db.conn.executemany(
                    "UPDATE channel SET fingerprint = ? WHERE conversation = ? AND position = ?",
                    [(text_from_fingerprint(fingerprint), *place) for place, fingerprint in known.items()],
                )

    def hash_audio(self, token: CancelToken, progress: Progress) -> int:
        """Keep the full hash of every channel's file that has none yet, and return how many files were read.

        Meant for a task: it reads all audio once. A missing file is passed over.

        Raises
        ------
        CancelledError
            If `token` was set; hashes kept by then stay.
        """
        waiting: dict[Path, list[ChannelIdentity]] = {}
        for identity in self.identities():
            if identity.sha256 is None:
                waiting.setdefault(identity.path, []).append(identity)
        for done, (path, identities) in enumerate(waiting.items()):
            progress(done / len(waiting))
            try:
                digest = sha256_of(path, token, no_progress)
            except AudioRefusedError:
                continue
            for identity in identities:
                self.set_sha256(identity.conversation, identity.position, digest)
        return len(waiting)

    def conversations(self) -> tuple[ConversationSummary, ...]:
        """Return a summary of every conversation in the order they were added, without reading any event."""
        with self._reading() as db:
            labels = {
                subject.removeprefix(_SUBJECT_OF_CONVERSATION): counts
                for subject, counts in label_counts(db).items()
                if subject.startswith(_SUBJECT_OF_CONVERSATION)
            }
            return summaries_in(db, self.folder, labels)

    def conversation(self, conversation_id: str) -> Conversation:
        """Return a conversation with the speakers' mapping applied and absolute paths.

        Raises
        ------
        ProjectError
            If the project has no conversation of this id.
        """
        with self._reading() as db:
            return mapped(db, imported_conversation(db, self.folder, conversation_id))

    def imported(self, conversation_id: str) -> Conversation:
        """Return a conversation as it was imported; faults as `conversation`."""
        with self._reading() as db:
            return imported_conversation(db, self.folder, conversation_id)

    def sources(self, conversation_id: str) -> tuple[EventSource, ...]:
        """Return a conversation's sources with their events; none for an id that is not there."""
        with self._reading() as db:
            return sources_of(db, conversation_id)

    def assign(self, conversation_id: str, assignments: tuple[SpeakerAssignment, ...], person: str) -> None:
        """Deal a conversation's channels to its speakers anew; earlier states stay in the history.

        Raises
        ------
        InvalidValueError
            If the assignments do not name every speaker and every channel exactly once.
        ProjectError
            If there is no such conversation, or the file cannot be written.
        """
        with self._changing() as db, writing(db):
            assign_speakers(imported_conversation(db, self.folder, conversation_id), assignments)
            append_mapping(db, conversation_id, assignments, person)

    def mapping_history(self, conversation_id: str) -> tuple[MappingEntry, ...]:
        """Return all states of a conversation's mapping, oldest first; none while it is as imported."""
        with self._reading() as db:
            return mapping_history(db, conversation_id)

    def identities(self) -> tuple[ChannelIdentity, ...]:
        """Return what is known of every channel's audio file."""
        with self._reading() as db:
            return identities_in(db, self.folder)

    def set_fingerprint(self, conversation_id: str, position: int, fingerprint: Fingerprint) -> None:
        """Keep the fingerprint of a channel's file; `position` is the channel's in the conversation as imported."""
        self._set_channel(conversation_id, position, "fingerprint", text_from_fingerprint(fingerprint))

    def set_sha256(self, conversation_id: str, position: int, sha256: str) -> None:
        """Keep the full hash of a channel's file, as hexadecimal digits."""
        self._set_channel(conversation_id, position, "sha256", sha256)

    def _set_channel(self, conversation_id: str, position: int, column: str, value: str) -> None:
        with self._changing() as db:
            changed = db.execute(
                f"UPDATE channel SET {column} = ? WHERE conversation = ? AND position = ?",
                [value, conversation_id, position],
            ).rowcount
        if changed != 1:
            raise ProjectError(f"There is no channel {position}.", where=conversation_id)

    def people(self) -> tuple[str, ...]:
        """Return everybody who has entered anything, by name."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT person FROM revision UNION SELECT person FROM set_aside UNION SELECT person FROM mapping "
                "ORDER BY person"
            )
            return tuple(person for (person,) in rows if person)

    # Where the audio is

    def locate(
        self, pointed: Path, token: CancelToken, progress: Progress = no_progress, cache: AudioCache | None = None
    ) -> LocateReport:
        """Look for missing audio from one file or folder, and return what was found; nothing is changed.

        Raises
        ------
        ProjectError
            If there is no such place, or it holds too many files.
        CancelledError
            If `token` was set.
        """
        return locate_media(missing_media(self.identities()), pointed, token, progress, cache)

    def relocate(self, moves: Mapping[Path, Path]) -> int:
        """Point channels to other files in one transaction, and return how many; the paths before stay in a table.

        Raises
        ------
        ProjectError
            If the file cannot be written; then nothing was changed.
        AudioRefusedError
            If one of the files cannot be read.
        """
        self._require_writable()
        db = connect(self.path)
        try:
            with faults_of(self.path), writing(db):
                return repoint(db, self.folder, moves)
        finally:
            db.close()

    def collect(self, token: CancelToken, progress: Progress = no_progress) -> CollectReport:
        """Copy all audio into a folder beside the project, verified, and point every channel there at once.

        Raises
        ------
        ProjectError
            If a file cannot be copied or there is no room; the project then stays as it is.
        CancelledError
            If `token` was set; the project then stays as it is.
        """
        self._require_writable()
        collected = collect_files(self.path, self.identities(), token, progress)
        return replace(collected.report, repointed=self.relocate(collected.moves))

    # Documents

    def open_document(self, subject: str, person: str, *, take_over: bool = False) -> OpenDocument:
        """Return a document as the log has it; it writes if nobody else holds it, else it is frozen with the reason.

        Parameters
        ----------
        take_over
            Take it from a process on another computer, whose life cannot be seen from here.

        Raises
        ------
        DamagedProjectError
            If its revisions do not follow from each other.
        """
        if self._writer is None:
            answer = LeaseAnswer(None, "The project is open read-only.")
        else:
            with self._changing() as db:
                answer = take_lease(db, subject, person, take_over=take_over)
        try:
            document = self._replayed(subject, person, answer.lease)
        except FloorscopeError:
            if answer.lease is not None:
                with self._changing() as db:
                    release_lease(db, answer.lease)
            raise
        opened = OpenDocument(document, answer.lease, answer.reason)
        if answer.lease is None:
            document.freeze(answer.reason)
        else:
            self._opened = (*self._opened, opened)
            if self._writer is not None and self._writer.failure is not None:
                document.freeze(self._freezing)
        return opened

    def close_document(self, opened: OpenDocument) -> None:
        """Wait until a document's gestures are kept, and give its lease back.

        Raises
        ------
        ProjectWriteError
            If a gesture could not be kept; the document then stays open.
        """
        if opened.lease is None or opened not in self._opened:
            return
        document = opened.document
        if self._writer is not None and not self._writer.flush(_FLUSH_SECONDS):
            raise self._writer.failure or ProjectWriteError("Its last steps are not kept yet.", where=document.subject)
        document.freeze("The document is closed.")
        self._opened = tuple(other for other in self._opened if other is not opened)
        with self._changing() as db:
            release_lease(db, opened.lease)

    def _replayed(self, subject: str, person: str, lease: Lease | None) -> Document:
        def record(revision: Revision) -> None:
            if self._writer is not None:
                self._watch.expect(revision)
                self._writer.submit(revision, lease)

        with self._reading() as db:
            revisions = revisions_of(db, subject, person)
        try:
            return Document(subject=subject, person=person, revisions=revisions, record=record)
        except InvalidValueError as fault:
            raise DamagedProjectError(
                f"The revisions do not follow from each other: {fault.what}",
                where=f"{self.path}, {fault.where}",
                remedy="Run a check of the project; its backups are beside it.",
            ) from fault

    # Keeping

    def set_listeners(self, on_kept: OnKept, on_failed: OnFailed) -> None:
        """Say who hears of revisions kept and of faults; both are called on the writer's thread."""
        self._on_kept = on_kept
        self._on_failed = on_failed

    @property
    def held(self) -> tuple[Revision, ...]:
        """What was entered and could not be kept so far."""
        return () if self._writer is None else self._writer.held

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until all that was entered is kept; False if something is held or the seconds are over."""
        return self._writer is None or self._writer.flush(timeout)

    def retry(self) -> None:
        """Open the file afresh and try again to keep what is held; the listeners hear of the outcome.

        Raises
        ------
        ProjectError
            If the file cannot be opened; what is held stays held.
        """
        if self._writer is None:
            return
        # All connections of this process close before one opens: they share SQLite's index of the log, and closing the
        # last one brings into the file what a log holds that lost its name.
        self._writer.release(_FLUSH_SECONDS)
        self._disconnect()
        with self._lock:
            self._db = self._reconnected()
            self._watch.forget_connection()
        self._writer.retry()

    def _reconnected(self) -> Database:
        """Return a connection to the file; while it is away, polls say that nothing changed."""
        self._away = True
        db = connect(self.path)
        self._away = False
        return db

    def _kept(self, revisions: tuple[Revision, ...]) -> None:
        if self._freezing and self._writer is not None and self._writer.failure is None:
            for opened in self._opened:
                if opened.document.frozen == self._freezing:
                    opened.document.thaw()
            self._freezing = ""
        self._on_kept(revisions)

    def _failed(self, fault: FloorscopeError, revisions: tuple[Revision, ...]) -> None:
        reason = str(fault)
        if isinstance(fault, LeaseLostError | StepRefusedError):
            for opened in self._opened:
                if any(_is_of(opened.document, revision) for revision in revisions):
                    opened.document.freeze(reason)
        else:
            # Nothing can be kept now, whatever document it is entered in.
            for opened in self._opened:
                if opened.document.frozen in ("", self._freezing):
                    opened.document.freeze(reason)
            self._freezing = reason
        self._on_failed(fault, revisions)

    # Others' work

    def poll(self) -> News:
        """Return what others did since the last call; microseconds when nobody did anything.

        Meant for a timer: if another thread is using the project at this moment, the answer is that nothing changed.
        """
        if self._away or not self._lock.acquire(blocking=False):
            return NO_NEWS
        try:
            with self._reading() as db:
                return self._watch.poll(db)
        finally:
            self._lock.release()

    # Care

    def backup(self) -> Path | None:
        """Make a verified backup if anything changed since the last, and return it.

        Raises
        ------
        ProjectError
            If it cannot be written or verified; older backups then stay.
        """
        self.flush(_FLUSH_SECONDS)
        return make_backup(self.path)

    def check(self, token: CancelToken | None = None, progress: Progress = no_progress) -> CheckReport:
        """Return what is wrong with the file, its revisions, its audio and its backups; reads only.

        Raises
        ------
        CancelledError
            If `token` was set.
        """
        self.flush(_FLUSH_SECONDS)
        return check_project(self.path, token or CancelToken(), progress)

    def _backup_if_due(self) -> None:
        if not self._backups:
            return
        try:
            make_backup(self.path)
        except ProjectError as fault:
            self.notices += (Notice("backup-failed", fault.where or str(self.path), f"{fault.what} {fault.remedy}"),)

    # For the domain's own records (studies) in the same file

    @contextmanager
    def reading(self) -> Iterator[Database]:
        """Hold the project's connection for reading; other threads wait meanwhile.

        Raises
        ------
        ProjectError
            If the project is closed, or the file cannot be read.
        """
        with self._reading() as db:
            yield db

    @contextmanager
    def changing(self) -> Iterator[Database]:
        """Hold the project's connection in a transaction that writes; it is kept when the block ends without a fault.

        Raises
        ------
        ProjectError
            If the project is closed or read-only, or the file cannot be written.
        """
        with self._changing() as db, writing(db):
            yield db

    # Inside

    def _require_writable(self) -> None:
        if self.read_only:
            raise ProjectError("The project is open read-only.", where=str(self.path))

    @contextmanager
    def _reading(self) -> Iterator[Database]:
        with self._lock, faults_of(self.path):
            if self._db is None:
                raise ProjectError("The project is closed.", where=str(self.path), remedy="Open it again.")
            yield self._db

    @contextmanager
    def _changing(self) -> Iterator[Database]:
        self._require_writable()
        with self._reading() as db:
            yield db

    def _disconnect(self) -> None:
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None


def _is_of(document: Document, revision: Revision) -> bool:
    return (document.subject, document.person) == (revision.subject, revision.person)
