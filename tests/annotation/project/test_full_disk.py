"""A disk without room at every kind of write: it is said, nothing half-made stays, and with room again it goes on."""

import contextlib
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlite_utils import Database

from annotation.cancellation import CancelToken, no_progress
from annotation.conversation import SpeakerAssignment
from annotation.document import Revision
from annotation.errors import FloorscopeError
from annotation.events import FloorEvent
from annotation.project.backup import backups_of, make_backup
from annotation.project.database import connect, writing
from annotation.project.faults import ProjectError
from annotation.project.migrations import APPLICATION_ID, migrate, version_in_header
from annotation.project.project import Project, conversation_subject
from annotation.project.removal import remove_person
from annotation.project.revision_log import documents_in, revisions_of
from annotation.project.salvage import rescue
from annotation.sources import EventSource, ImportedConversation, SourceRole

CHECKOUT = Path(__file__).resolve().parents[3]
SUBJECT = conversation_subject("c1")
ROOMS = [0, 8 << 10, 40 << 10]
"""Bytes left on the disk when the write is tried."""


class Disk:
    """A small disk that can be filled up to so many bytes, and be emptied again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ballast = folder / "ballast"

    def fill(self, room: int = 0) -> None:
        free = shutil.disk_usage(self.folder).free
        with self.ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            file.write(b"x" * max(0, free - room))

    def empty(self) -> None:
        self.ballast.unlink()

    def files(self) -> set[str]:
        # SQLite's log and its index belong to the open file and come and go with it.
        names = {str(file.relative_to(self.folder)) for file in self.folder.rglob("*") if file.is_file()}
        return {name for name in names if not name.endswith(("-wal", "-shm"))} - {"ballast"}


@pytest.fixture
def disk(tiny_disk: Path) -> Disk:
    return Disk(tiny_disk)


@pytest.fixture
def many(imported: ImportedConversation) -> ImportedConversation:
    """Return a conversation whose events need more room than is left."""
    events = tuple(FloorEvent("A", "turn", n, n + 1, text="word " * 40) for n in range(800))
    return ImportedConversation(imported.conversation, (EventSource("gold", SourceRole.REFERENCE, "x", events),))


def tried(write: Callable[[], object]) -> FloorscopeError | None:
    """Return the error that a write ends with; any other exception fails the test."""
    try:
        write()
    except FloorscopeError as fault:
        return fault
    return None


def says_why(fault: FloorscopeError | None) -> bool:
    texts = ("disk is full", "did not read or write", "No space left", "cannot be opened")
    return fault is not None and any(text in str(fault) for text in texts)


def entered(project: Project, steps: int, person: str = "ann") -> None:
    opened = project.open_document(SUBJECT, person)
    for step in range(steps):
        with opened.document.edit("Add") as edit:
            edit.add(FloorEvent("A", "turn", step, step + 1))
    project.close_document(opened)


@pytest.mark.parametrize("room", ROOMS)
def test_making_a_project(disk: Disk, room: int) -> None:
    path = disk.folder / "study.floorscope"
    disk.fill(room)
    assert says_why(tried(lambda: Project.create(path)))
    assert disk.files() == set()
    disk.empty()
    Project.create(path).close()


@pytest.mark.parametrize("room", ROOMS)
def test_adding_material(disk: Disk, room: int, many: ImportedConversation) -> None:
    path = disk.folder / "study.floorscope"
    with Project.create(path, backups=False) as project:
        entered(project, 3)
        before = disk.files()
        disk.fill(room)
        assert says_why(tried(lambda: project.add([many])))
        assert project.conversations() == ()
        assert disk.files() == before
        disk.empty()
        assert project.add([many]).added == ("c1",)
        assert len(project.sources("c1")[0].events) == 800
    with Project.open(path, backups=False) as again:
        assert again.check().problems == ()


def test_dealing_speakers_and_keeping_what_is_known_of_audio(disk: Disk, imported: ImportedConversation) -> None:
    with Project.create(disk.folder / "study.floorscope", backups=False) as project:
        project.add([imported])
        assignments = tuple(SpeakerAssignment(s, s * 20_000, 1 - n) for n, s in enumerate("AB"))
        disk.fill()
        assert says_why(tried(lambda: project.assign("c1", assignments, "ann")))
        assert project.mapping_history("c1") == ()
        assert says_why(tried(lambda: project.set_sha256("c1", 0, "f" * 9_000)))
        assert says_why(tried(lambda: project.hash_audio(CancelToken(), no_progress)))
        assert project.identities()[0].sha256 is None
        disk.empty()
        project.assign("c1", assignments, "ann")
        assert project.hash_audio(CancelToken(), no_progress) == 2
        assert len(project.mapping_history("c1")) == 1


def test_opening_a_document_takes_no_lease_half(disk: Disk) -> None:
    with Project.create(disk.folder / "study.floorscope", backups=False) as project:
        disk.fill()
        assert says_why(tried(lambda: project.open_document(SUBJECT, "ann")))
        disk.empty()
        assert project.open_document(SUBJECT, "ann").lease is not None


@pytest.mark.parametrize("room", ROOMS)
def test_steps_are_held_in_order_and_kept_once_there_is_room(disk: Disk, room: int) -> None:
    path = disk.folder / "study.floorscope"
    kept: list[Revision] = []
    with Project.create(path, backups=False) as project:
        project.set_listeners(kept.extend, lambda fault, held: None)
        document = project.open_document(SUBJECT, "ann").document
        disk.fill(room)
        count = 0
        while not document.frozen:
            with document.edit("Add") as edit:
                edit.add(FloorEvent("A", "turn", count, count + 1, comment="word " * 2_000))
            count += 1
            project.flush(30)
        assert any(text in document.frozen for text in ("disk is full", "did not read or write"))
        reported = tuple(kept)
        held = project.held
        assert len(reported) + len(held) == count
        assert tried(project.retry) is None or True
        project.flush(30)
        assert project.held == held
        copied = [revision.id for revision in stored(path)]
        assert [revision.id for revision in reported] == copied[: len(reported)]
        disk.empty()
        project.retry()
        assert project.flush(30)
        assert not document.frozen
    assert [revision.added[0].onset for revision in stored(path)] == list(range(count))


def stored(path: Path) -> list[Revision]:
    db = connect(path, read_only=True)
    found = [revision for document in documents_in(db) for revision in revisions_of(db, *document)]
    db.close()
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_closing_with_steps_that_found_no_room_says_so_and_loses_none_that_was_kept(disk: Disk, room: int) -> None:
    path = disk.folder / "study.floorscope"
    kept: list[Revision] = []
    project = Project.create(path)
    project.set_listeners(kept.extend, lambda fault, held: None)
    document = project.open_document(SUBJECT, "ann").document
    disk.fill(room)
    while not document.frozen:
        with document.edit("Add") as edit:
            edit.add(FloorEvent("A", "turn", 0, 1, comment="word " * 2_000))
        project.flush(30)
    fault = tried(project.close)
    assert "could not be kept" in str(fault)
    assert tried(lambda: Project.open(path).close()) is None or True
    disk.empty()
    with Project.open(path) as again:
        assert set(kept) <= set(stored(path))
        assert again.open_document(SUBJECT, "ann").lease is not None


@pytest.mark.parametrize("room", ROOMS)
def test_making_a_backup(disk: Disk, room: int) -> None:
    path = disk.folder / "study.floorscope"
    with Project.create(path) as project:
        first = backups_of(path)
        entered(project, 30)
        before = disk.files()
        disk.fill(room)
        assert says_why(tried(project.backup))
        assert disk.files() == before
        assert backups_of(path) == first
        disk.empty()
        assert project.backup() in backups_of(path)


@pytest.mark.parametrize("room", ROOMS)
def test_bringing_an_older_file_up_to_date(disk: Disk, room: int) -> None:
    path = disk.folder / "old.floorscope"
    connection = sqlite3.connect(path, isolation_level=None)
    db = Database(connection, execute_plugins=False)
    with writing(db):
        db.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
        migrate(db, to=1)
        db.execute("INSERT INTO meta (name, value) VALUES ('id', 'x')")
        for number in range(300):
            db.execute(
                "INSERT INTO revision (id, subject, person, at, label, added, removed) "
                "VALUES (?, 'conversation:c1', 'ann', 'then', 'Nothing', '[]', '[]')",
                [f"r{number}"],
            )
    connection.close()
    disk.fill(room)
    assert says_why(tried(lambda: Project.open(path, backups=False)))
    disk.empty()
    with Project.open(path, backups=False) as project:
        assert len(stored(path)) == 300
        assert project.check().problems == ()
    assert version_in_header(path) > 1


@pytest.mark.parametrize("room", ROOMS)
def test_rescuing(disk: Disk, room: int) -> None:
    path = disk.folder / "study.floorscope"
    with Project.create(path, backups=False) as project:
        entered(project, 100)
    data = bytearray(path.read_bytes())
    data[0] = 0
    path.write_bytes(data)
    before = disk.files()
    disk.fill(room)
    assert says_why(tried(lambda: rescue(path)))
    assert disk.files() == before
    assert path.read_bytes() == data
    disk.empty()
    assert rescue(path).revisions == 100


def test_pointing_to_moved_audio(disk: Disk, imported: ImportedConversation, tmp_path: Path) -> None:
    with Project.create(disk.folder / "study.floorscope", backups=False) as project:
        project.add([imported])
        (tmp_path / "audio").rename(tmp_path / "moved")
        report = project.locate(tmp_path / "moved", CancelToken())
        moves = {match.missing: match.found for match in report.matches}
        before = project.identities()
        disk.fill()
        assert says_why(tried(lambda: project.relocate(moves)))
        assert project.identities() == before
        disk.empty()
        assert project.relocate(moves) == 2


def test_collecting_when_the_room_goes_while_it_copies(disk: Disk, imported: ImportedConversation) -> None:
    with Project.create(disk.folder / "study.floorscope", backups=False) as project:
        project.add([imported])
        before = project.identities()

        def take_the_room(share: float) -> None:
            if not disk.ballast.exists():
                disk.fill()

        assert says_why(tried(lambda: project.collect(CancelToken(), take_the_room)))
        assert project.identities() == before
        assert not list(disk.folder.rglob(".draft-*"))
        disk.empty()
        assert project.collect(CancelToken()).repointed == 2
        assert project.check().problems == ()


@pytest.mark.parametrize("room", ROOMS)
def test_removing_a_person(disk: Disk, room: int) -> None:
    path = disk.folder / "study.floorscope"
    with Project.create(path) as project:
        entered(project, 40, "Annegret")
        entered(project, 40, "bob")
    before = disk.files()
    disk.fill(room)
    assert tried(lambda: remove_person(path, "Annegret")) is not None
    assert disk.files() == before
    disk.empty()
    # What was interrupted is finished by asking again.
    remove_person(path, "Annegret")
    everything = b"".join((disk.folder / name).read_bytes() for name in disk.files())
    assert b"Annegret" not in everything
    with Project.open(path, backups=False) as project:
        assert project.people() == ("bob",)
        assert len(stored(path)) == 40
        assert project.check().problems == ()


def test_a_disk_that_turns_read_only_is_said_and_everything_goes_on_when_it_is_writable(
    disk: Disk, imported: ImportedConversation
) -> None:
    path = disk.folder / "study.floorscope"
    with Project.create(path, backups=False) as project:
        project.add([imported])
        document = project.open_document(SUBJECT, "ann").document
        # A busy disk cannot be mounted anew while files on it are open for writing; let go of them first.
        project._writer.release(30)  # type: ignore[union-attr]
        project._disconnect()
        remount(disk.folder, "ro")
        for number in range(2):
            with document.edit("Add") as edit:
                edit.add(FloorEvent("A", "turn", number, number + 1))
            project.flush(30)
            if document.frozen:
                break
        assert document.frozen
        held = project.held
        assert len(held) == number + 1
        assert isinstance(tried(project.retry), ProjectError)
        assert isinstance(tried(lambda: make_backup(path)), ProjectError)
        assert isinstance(tried(lambda: rescue(path, disk.folder / "new.floorscope")), ProjectError)
        assert project.held == held
        remount(disk.folder, "rw")
        project.retry()
        assert project.flush(30)
    assert stored(path) == list(held)


def remount(folder: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", str(folder)], check=True)


LIMITED = """
import resource, signal, sys
from pathlib import Path
from annotation.events import FloorEvent
from annotation.project.project import Project

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path = Path(sys.argv[1])
kept = []
with Project.create(path, backups=False) as project:
    project.set_listeners(kept.extend, lambda fault, held: None)
    document = project.open_document("conversation:c1", "ann").document
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, hard))
    count = 0
    while not document.frozen:
        with document.edit("Add") as edit:
            edit.add(FloorEvent("A", "turn", count, count + 1, comment="word " * 2_000))
        count += 1
        project.flush(30)
    assert len(kept) + len(project.held) == count, (len(kept), len(project.held), count)
    assert count > 3
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    project.retry()
    assert project.flush(30)
    assert not document.frozen
print(count)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of file sizes here")
def test_a_limit_of_file_sizes_is_met_like_a_full_disk(path: Path) -> None:
    command = [sys.executable, "-c", LIMITED, str(path)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert [revision.added[0].onset for revision in stored(path)] == list(range(int(done.stdout)))
