"""A damaged project opens to a prefix of the work, the loss is named, and the original stays byte for byte."""

import hashlib
import random
import re
import shutil
import sqlite3
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlite_utils import Database

from annotation.cancellation import CancelledError, CancelToken
from annotation.document import Revision
from annotation.events import FloorEvent
from annotation.notices import Notice
from annotation.project.backup import KEPT, backups_of, make_backup
from annotation.project.database import connect, log_path, writing
from annotation.project.faults import DamagedProjectError, NewerProjectError, ProjectError
from annotation.project.migrations import APPLICATION_ID, CURRENT_VERSION, migrate
from annotation.project.pages import Budget, records_in
from annotation.project.project import Project, conversation_subject
from annotation.project.readable import SHAPES
from annotation.project.revision_log import documents_in, json_from_events, revisions_of
from annotation.project.salvage import RescueReport, rescue
from annotation.sources import ImportedConversation

STEPS = 260
TRIALS = 20
Document = tuple[str, str]


@dataclass
class Work:
    """A project as a killed process leaves it, and all that was entered into it, by document in order."""

    folder: Path
    name: str = "study.floorscope"
    entered: dict[Document, tuple[Revision, ...]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return sum(map(len, self.entered.values()))


def label(project: Project, steps: int, seed: int) -> None:
    chance = random.Random(seed)
    documents = [project.open_document(conversation_subject("c1"), person) for person in ("ann", "bob")]
    for step in range(steps):
        document = chance.choice(documents).document
        if chance.random() < 0.15:
            document.undo()
        elif chance.random() < 0.2 and len(document):
            with document.edit("Remove") as edit:
                edit.remove(chance.choice(list(document)))
        else:
            with document.edit("Add") as edit:
                comment = "long " * 2_000 if step % 50 == 7 else f"step {step}"
                edit.add(FloorEvent("A", "turn", step, step + 5, comment=comment))
        if step % 4 == 0:
            assert project.flush(30)
    assert project.flush(30)
    for opened in documents:
        project.close_document(opened)


def entered_in(path: Path) -> dict[Document, tuple[Revision, ...]]:
    db = connect(path, read_only=True)
    found = {document: revisions_of(db, *document) for document in documents_in(db)}
    db.close()
    return found


def make_work(folder: Path, imported: ImportedConversation, *, backup: bool, log: bool) -> Work:
    """Make a project of some hundred steps; with `log`, the last of them stand in the write-ahead log alone."""
    live = folder / "live" / Work.name
    live.parent.mkdir()
    project = Project.create(live, backups=False)
    project.add([imported])
    label(project, STEPS // 2, 1)
    if backup:
        assert make_backup(live) is not None
    if not log:
        label(project, STEPS // 2, 2)
        project.close()
        return Work(live.parent, entered=entered_in(live))
    project.close()
    project = Project.open(live, backups=False)
    label(project, STEPS // 2, 2)
    entered = entered_in(live)
    killed = folder / "killed"
    shutil.copytree(live.parent, killed)
    project.close()
    (killed / f"{Work.name}-shm").unlink()
    assert log_path(killed / Work.name).stat().st_size > 100_000
    return Work(killed, entered=entered)


@pytest.fixture(params=["closed", "closed with a backup", "log", "log with a backup"])
def work(request: pytest.FixtureRequest, tmp_path: Path, imported: ImportedConversation) -> Work:
    return make_work(tmp_path, imported, backup="backup" in request.param, log="log" in request.param)


@pytest.fixture
def closed(tmp_path: Path, imported: ImportedConversation) -> Work:
    return make_work(tmp_path, imported, backup=False, log=False)


def hashes(folder: Path) -> dict[str, str]:
    # SQLite's index of the log (-shm) is scratch: it may be made anew by whoever looks.
    files = (file for file in sorted(folder.rglob("*")) if file.is_file() and not file.name.endswith("-shm"))
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def damaged_copies(work: Work, tmp_path: Path, seed: int) -> Iterator[tuple[Path, str]]:
    """Yield folders with one damage each: 20 truncations and 20 flipped bytes over the file and its log."""
    chance = random.Random(seed)
    for trial in range(2 * TRIALS):
        folder = tmp_path / f"trial {trial}"
        shutil.copytree(work.folder, folder)
        live = folder / work.name
        log = log_path(live)
        target = log if trial % 2 and log.exists() and log.stat().st_size else live
        data = bytearray(target.read_bytes())
        at = chance.randrange(len(data))
        if trial < TRIALS:
            target.write_bytes(data[:at])
        else:
            data[at] ^= 1 << chance.randrange(8)
            target.write_bytes(data)
        yield live, f"{'cut' if trial < TRIALS else 'flipped'} at {at} of {target.name}"
        shutil.rmtree(folder)


def opened_or_rescued(path: Path) -> tuple[Path, RescueReport | None, tuple[Notice, ...]]:
    """Return what opens, as a person comes to it: the file itself, or what was rescued of it."""
    before = hashes(path.parent)
    try:
        with Project.open(path, backups=False) as project:
            notices = project.notices
            for document in documents_of(path):
                project.close_document(project.open_document(*document))
            for summary in project.conversations():
                project.sources(summary.id)
        return path, None, notices
    except ProjectError:
        pass
    assert hashes(path.parent) == before
    report = rescue(path)
    after = hashes(path.parent)
    assert report.out is not None
    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) <= {report.out.name}
    return report.out, report, report.notices


def documents_of(path: Path) -> tuple[Document, ...]:
    db = connect(path, read_only=True)
    found = documents_in(db)
    db.close()
    return found


def is_prefix(part: dict[Document, tuple[Revision, ...]], whole: dict[Document, tuple[Revision, ...]]) -> bool:
    return all(whole.get(key, ())[: len(revisions)] == revisions for key, revisions in part.items())


def test_twenty_truncations_and_twenty_flips_each_open_to_a_prefix_with_the_loss_named(
    work: Work, tmp_path: Path
) -> None:
    rescued = 0
    for path, what in damaged_copies(work, tmp_path, seed=5):
        said = ""
        try:
            opened, report, notices = opened_or_rescued(path)
        except ProjectError as fault:
            # Next to nothing is left of the file, and no backup is there: it is said, and the rest stays as it is.
            said = str(fault)
            assert not (path.parent / f"{work.name}-backups").exists()
            assert path.stat().st_size < 30_000
        if "Nothing of this project can be read" in said:
            continue
        found = entered_in(opened)
        count = sum(map(len, found.values()))
        assert is_prefix(found, work.entered), what
        if report is None:
            assert count == work.count or any(n.code in ("log-torn", "project-behind") for n in notices), what
        else:
            rescued += 1
            assert report.revisions == count, what
            assert report.lost == work.count - count or report.open_end, what
            assert report.lost <= work.count - count, what
        with Project.open(opened, backups=False) as project:
            assert project.check().problems == (), what
    assert rescued >= TRIALS // 2


def flip(path: Path, at: int, bits: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= bits
    path.write_bytes(data)


def replaced(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert data.count(old) >= 1
    path.write_bytes(data.replace(old, new, 1))


@pytest.mark.parametrize(
    ("at", "value"),
    [(0, b"XXXX"), (16, b"\x20\x00"), (60, b"\x7f\x00\x00\x03"), (60, b"\x00\x00\x00\x01"), (68, b"abcd")],
    ids=["magic", "page size", "version far ahead", "version behind", "application id"],
)
def test_a_damaged_header_costs_no_step(closed: Work, at: int, value: bytes) -> None:
    path = closed.folder / closed.name
    data = path.read_bytes()
    path.write_bytes(data[:at] + value + data[at + len(value) :])
    before = hashes(closed.folder)
    with pytest.raises(DamagedProjectError):
        Project.open(path)
    assert hashes(closed.folder) == before
    report = rescue(path)
    assert report.out is not None
    assert (report.revisions, report.lost, report.conversations) == (closed.count, 0, 1)
    assert entered_in(report.out) == closed.entered


def test_a_version_just_ahead_is_taken_for_a_newer_program(closed: Work) -> None:
    path = closed.folder / closed.name
    data = path.read_bytes()
    path.write_bytes(data[:60] + struct.pack(">I", CURRENT_VERSION + 1) + data[64:])
    with pytest.raises(NewerProjectError):
        Project.open(path)


def test_a_truly_newer_file_is_not_rescued(closed: Work) -> None:
    path = closed.folder / closed.name
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE verdict (id TEXT)")
    connection.execute(f"PRAGMA user_version = {CURRENT_VERSION + 1}")
    connection.close()
    before = hashes(closed.folder)
    with pytest.raises(NewerProjectError):
        rescue(path)
    assert hashes(closed.folder) == before


def test_a_change_that_stays_valid_json_is_noticed_and_costs_what_stands_on_it(closed: Work) -> None:
    path = closed.folder / closed.name
    replaced(path, b'"comment":"step 30"', b'"comment":"step 80"')
    before = hashes(closed.folder)
    with pytest.raises(DamagedProjectError, match="not what was entered"):
        Project.open(path)
    assert hashes(closed.folder) == before
    report = rescue(path)
    assert report.out is not None
    found = entered_in(report.out)
    assert is_prefix(found, closed.entered)
    assert 0 < report.lost == report.set_aside == closed.count - report.revisions
    db = connect(report.out, read_only=True)
    aside = {row[0] for row in db.execute("SELECT id FROM set_aside")}
    origin, lost = db.execute("SELECT origin, lost FROM rescue").fetchone()
    db.close()
    everything = {revision.id for revisions in closed.entered.values() for revision in revisions}
    assert aside == everything - {revision.id for revisions in found.values() for revision in revisions}
    assert (origin, lost) == (closed.name, report.lost)


def test_a_damaged_digest_costs_nothing_where_the_next_step_proves_the_content(closed: Work) -> None:
    path = closed.folder / closed.name
    db = connect(path, read_only=True)
    (digest,) = db.execute("SELECT digest FROM revision WHERE sequence = 20").fetchone()
    db.close()
    replaced(path, digest.encode(), b"0" * len(digest))
    report = rescue(path)
    assert (report.revisions, report.lost) == (closed.count, 0)


def test_a_backup_gives_what_the_file_lost(tmp_path: Path, imported: ImportedConversation) -> None:
    work = make_work(tmp_path, imported, backup=True, log=False)
    path = work.folder / work.name
    replaced(path, b'"comment":"step 30"', b'"comment":"step 80"')
    report = rescue(path)
    assert report.out is not None
    assert (report.revisions, report.lost) == (work.count, 0)
    assert report.backup_revisions + report.more == work.count
    assert report.more > 0
    assert entered_in(report.out) == work.entered


@pytest.mark.parametrize("content", [b"", b"\0" * 50_000, b"nothing of the kind"])
def test_a_file_of_which_nothing_is_left_comes_back_from_its_backup(
    tmp_path: Path, imported: ImportedConversation, content: bytes
) -> None:
    work = make_work(tmp_path, imported, backup=True, log=False)
    path = work.folder / work.name
    path.write_bytes(content)
    with pytest.raises(DamagedProjectError, match="header"):
        Project.open(path)
    report = rescue(path)
    assert report.revisions == report.backup_revisions > 0
    assert report.conversations == 1
    assert path.read_bytes() == content


def test_a_log_that_vanished_is_named_by_the_backup_that_has_more(
    tmp_path: Path, imported: ImportedConversation
) -> None:
    work = make_work(tmp_path, imported, backup=False, log=True)
    path = work.folder / work.name
    make_backup(path)
    log_path(path).unlink()
    for _ in range(2):
        with Project.open(path) as project:
            assert [notice.code for notice in project.notices] == ["project-behind"]
            label(project, 1, 3)
    report = rescue(path)
    assert report.out is not None
    found = entered_in(report.out)
    assert all(found[document][: len(revisions)] == revisions for document, revisions in work.entered.items())
    assert report.set_aside == 2


def test_a_backup_with_lost_work_is_never_dropped(tmp_path: Path, imported: ImportedConversation) -> None:
    work = make_work(tmp_path, imported, backup=False, log=True)
    path = work.folder / work.name
    ahead = make_backup(path)
    log_path(path).unlink()
    for seed in range(KEPT + 2):
        with Project.open(path, backups=False) as project:
            label(project, 1, seed)
        make_backup(path)
    assert ahead in backups_of(path)
    assert len(backups_of(path)) == KEPT + 1


def test_rescuing_twice_gives_the_same_work_and_another_name(closed: Work) -> None:
    path = closed.folder / closed.name
    path.write_bytes(path.read_bytes()[:90_000])
    first, second = rescue(path), rescue(path)
    assert first.out is not None
    assert second.out is not None
    assert first.out != second.out
    assert re.fullmatch(r"study \(rescued \d{4}-\d\d-\d\d\) 2\.floorscope", second.out.name)
    assert entered_in(first.out) == entered_in(second.out)
    again = rescue(first.out)
    assert again.out is not None
    assert entered_in(again.out) == entered_in(first.out)
    assert again.lost == 0


def test_a_rescued_project_goes_on_and_its_audio_is_found_from_another_folder(closed: Work, tmp_path: Path) -> None:
    path = closed.folder / closed.name
    path.write_bytes(path.read_bytes()[:90_000])
    elsewhere = tmp_path / "elsewhere" / "deep"
    elsewhere.mkdir(parents=True)
    report = rescue(path, elsewhere / "new.floorscope")
    assert report.out is not None
    with Project.open(report.out) as project:
        assert project.conversations()[0].missing == ()
        label(project, 5, 9)
    found = entered_in(report.out)
    assert sum(map(len, found.values())) == report.revisions + 5


def test_a_name_that_is_taken_is_left_alone(closed: Work) -> None:
    path = closed.folder / closed.name
    taken = closed.folder / "taken.floorscope"
    taken.write_text("mine")
    with pytest.raises(ProjectError, match="already"):
        rescue(path, taken)
    assert taken.read_text() == "mine"
    assert not list(closed.folder.glob(".*"))


def test_a_rescue_stops_when_it_is_told_to_and_leaves_nothing(closed: Work) -> None:
    token = CancelToken()
    token.cancel()
    before = hashes(closed.folder)
    with pytest.raises(CancelledError):
        rescue(closed.folder / closed.name, token=token)
    assert hashes(closed.folder) == before


def test_a_backup_of_another_project_of_that_name_is_left_out(tmp_path: Path, imported: ImportedConversation) -> None:
    path = tmp_path / "study.floorscope"
    with Project.create(path, backups=False) as project:
        label(project, 20, 1)
        project.backup()
    path.unlink()
    with Project.create(path, backups=False) as project:
        project.add([imported])
        label(project, 20, 2)
    entered = entered_in(path)
    report = rescue(path)
    assert report.out is not None
    assert report.backup is None
    assert entered_in(report.out) == entered


@pytest.mark.parametrize("version", [1, 2])
def test_a_damaged_file_of_an_older_version_is_rescued(path: Path, event: object, version: int) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    db = Database(connection, execute_plugins=False)
    with writing(db):
        db.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
        migrate(db, to=version)
        db.execute("INSERT INTO meta (name, value) VALUES ('id', 'x'), ('created_at', 'then')")
        for number in range(100):
            added = json_from_events((FloorEvent("A", "turn", number, number + 1),))
            values = [f"r{number}", added]
            db.execute(
                "INSERT INTO revision (id, subject, person, at, label, added, removed) "
                "VALUES (?, 'conversation:c1', 'ann', 'then', 'Add', ?, '[]')",
                values,
            )
            if version == 2 and number == 99:
                values = ["last", json_from_events((FloorEvent("A", "turn", 100, 101),)), '{"speed":0.5}']
                db.execute(
                    "INSERT INTO revision (id, subject, person, at, label, added, removed, circumstances) "
                    "VALUES (?, 'conversation:c1', 'ann', 'then', 'Add', ?, '[]', ?)",
                    values,
                )
    connection.close()
    flip(path, 18, 0xFF)
    with pytest.raises(DamagedProjectError):
        Project.open(path)
    report = rescue(path)
    assert report.out is not None
    assert (report.revisions, report.lost) == (99 + version, 0)
    (revisions,) = entered_in(report.out).values()
    assert [revision.added[0].onset for revision in revisions] == list(range(99 + version))
    assert (revisions[-1].circumstances is None) == (version == 1)


@given(st.binary(max_size=20_000), st.sampled_from([512, 1024, 4096]))
def test_pages_of_noise_cost_little_and_raise_nothing(noise: bytes, size: int) -> None:
    budget = Budget(1 << 20)
    for page in range(0, len(noise), size):
        for kind in (0x0D, 0x0A, 0x02, 0x05):
            data = bytes([kind]) + noise[page + 1 : page + size]
            assert len(list(records_in(data, size, False, lambda number: noise[:size], budget))) <= size // 2


def test_one_long_row_pointed_to_from_every_cell_is_read_within_the_budget() -> None:
    size = 4096
    header = bytes([10]) + b"\0" + b"\x0d" * 5 + b"\0" + b"\xc9\x0d" + b"\x0d"
    payload = (1_000_000).to_bytes(3, "big")
    page = bytearray(size)
    page[0] = 0x0D
    for cell in range(1_000):
        struct.pack_into(">H", page, 8 + 2 * cell, 3_000)
    page[3_000 : 3_000 + len(payload) + len(header)] = payload + header
    reads = []

    def overflow(number: int) -> bytes:
        reads.append(number)
        return bytes(page)

    list(records_in(bytes(page), size, False, overflow, Budget(1 << 20)))
    assert len(reads) <= (1 << 20) // (size - 4) + 1


def test_every_table_has_a_shape_by_which_a_rescue_knows_its_rows() -> None:
    db = Database(memory=True)
    migrate(db)
    tables = set(db.table_names()) - {"sqlite_sequence"}
    columns = {name: [row[1] for row in db.execute(f"PRAGMA table_info({name})")] for name in tables}
    db.close()
    # A lease belongs to a process, which is gone.
    assert tables - {"lease"} == set(SHAPES)
    for name, shape in SHAPES.items():
        assert sorted(column.strip('"') for column in shape.columns) == sorted(columns[name])
        assert len(shape.kinds) == len(shape.columns)
