import hashlib
import sqlite3
import struct
from pathlib import Path

import pytest
from sqlite_utils import Database

from annotation.document import Revision
from annotation.project.database import connect, connect_closed_file, create_file, writing
from annotation.project.digest import FIRST, digest_of
from annotation.project.faults import NewerProjectError, NotAProjectError, ProjectError
from annotation.project.migrations import APPLICATION_ID, CURRENT_VERSION, MIGRATIONS, migrate
from annotation.project.project import Project
from annotation.project.revision_log import first_broken, insert_revisions, revisions_of


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def with_version(path: Path, version: int) -> None:
    data = bytearray(path.read_bytes())
    data[60:64] = struct.pack(">I", version)
    path.write_bytes(data)


def test_migrations_are_numbered_from_one_without_a_gap() -> None:
    assert [migration.number for migration in MIGRATIONS] == list(range(1, CURRENT_VERSION + 1))


def test_step_one_makes_the_tables_of_version_one() -> None:
    db = Database(memory=True)
    migrate(db, to=1)
    tables = {"meta", "conversation", "channel", "mapping", "source", "event", "revision", "lease"}
    assert set(db.table_names()) - {"sqlite_sequence"} == tables
    assert db.execute("PRAGMA user_version").fetchone() == (1,)
    db.close()


def file_of_version_one(path: Path) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    db = Database(connection)
    with writing(db):
        db.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
        migrate(db, to=1)
        db.execute("INSERT INTO meta (name, value) VALUES ('id', 'x')")
        db.execute(
            "INSERT INTO revision (id, subject, person, at, label, added, removed) "
            "VALUES ('r1', 'conversation:a', 'Ana', 'then', 'Mark', '[]', '[]')"
        )
    connection.close()


def test_step_two_keeps_what_was_entered_and_says_nothing_of_how(path: Path) -> None:
    file_of_version_one(path)
    Project.open(path, backups=False).close()
    db = connect(path)
    (revision,) = revisions_of(db, "conversation:a", "Ana")
    db.close()
    assert (revision.label, revision.circumstances) == ("Mark", None)
    assert struct.unpack_from(">I", path.read_bytes()[:100], 60) == (CURRENT_VERSION,)


def test_an_older_file_that_may_only_be_read_is_read_as_it_is(path: Path) -> None:
    file_of_version_one(path)
    before = contents(path.parent)
    for db in (connect(path, read_only=True), connect_closed_file(path)):
        assert [(revision.id, revision.circumstances) for revision in revisions_of(db, "conversation:a", "Ana")] == [
            ("r1", None)
        ]
        db.close()
    assert contents(path.parent) == before


def test_a_new_file_says_what_it_is_in_its_header(path: Path) -> None:
    create_file(path)
    header = path.read_bytes()[:100]
    assert struct.unpack_from(">I", header, 68) == (APPLICATION_ID,)
    assert struct.unpack_from(">I", header, 60) == (CURRENT_VERSION,)
    assert list(contents(path.parent)) == [path.name]


def test_a_file_is_never_made_over_another(path: Path) -> None:
    path.write_text("mine")
    with pytest.raises(ProjectError, match="already"):
        Project.create(path)
    assert path.read_text() == "mine"


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(ProjectError):
        Project.create(tmp_path / "nowhere" / "a.floorscope")


@pytest.mark.parametrize("read_only", [False, True])
def test_a_newer_version_is_refused_and_left_byte_for_byte(path: Path, read_only: bool) -> None:
    create_file(path)
    with_version(path, CURRENT_VERSION + 1)
    before = contents(path.parent)
    with pytest.raises(NewerProjectError, match=f"file version {CURRENT_VERSION + 1}"):
        Project.open(path, read_only=read_only)
    assert contents(path.parent) == before


def test_a_newer_version_that_only_the_log_knows_is_refused_and_the_file_left(tmp_path: Path, path: Path) -> None:
    create_file(path)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA user_version = {CURRENT_VERSION + 1}")
    other = tmp_path / "crashed"
    other.mkdir()
    for name in (path.name, path.name + "-wal"):
        (other / name).write_bytes((tmp_path / name).read_bytes())
    connection.close()
    before = contents(other)
    assert struct.unpack_from(">I", before[path.name], 60) == (CURRENT_VERSION,)
    with pytest.raises(NewerProjectError):
        Project.open(other / path.name)
    after = contents(other)
    assert {name: after[name] for name in before} == before


@pytest.mark.parametrize("data", [b"", b"RIFF", b"x" * 4096])
def test_what_is_no_database_is_refused_and_left(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    with pytest.raises(NotAProjectError, match="not a SQLite database"):
        Project.open(path)
    assert contents(path.parent) == {path.name: data}


def test_a_database_of_another_program_is_refused_and_left(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE revision (id)")
    connection.close()
    before = contents(path.parent)
    with pytest.raises(NotAProjectError, match="another program"):
        Project.open(path)
    assert contents(path.parent) == before


def test_a_missing_project_is_said_and_not_made(path: Path) -> None:
    with pytest.raises(ProjectError, match="no such project"):
        Project.open(path)
    assert not path.exists()


def test_a_project_without_its_tables_is_damaged_not_a_crash(path: Path) -> None:
    create_file(path)
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE meta")
    connection.close()
    with pytest.raises(ProjectError, match="does not hold what a project holds"):
        Project.open(path)


def test_every_connection_is_durable_and_checks_keys(path: Path) -> None:
    create_file(path)
    db = connect(path)
    values = {
        name: db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous", "foreign_keys")
    }
    db.close()
    assert values == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


def test_a_transaction_that_fails_leaves_nothing(path: Path) -> None:
    create_file(path)
    db = connect(path)

    def fail() -> None:
        with writing(db):
            db.execute("INSERT INTO meta VALUES ('a', 'b')")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert db.execute("SELECT count(*) FROM meta WHERE name = 'a'").fetchone() == (0,)
    db.close()


def test_step_three_gives_every_revision_its_digest_and_protects_the_log_as_before(path: Path) -> None:
    file_of_version_one(path)
    Project.open(path, backups=False).close()
    db = connect(path)
    values = ("r1", "conversation:a", "Ana", "then", "Mark", None, "[]", "[]", None)
    assert db.execute("SELECT digest FROM revision").fetchall() == [(digest_of(FIRST, values),)]
    assert first_broken(db) is None
    for statement in ("UPDATE revision SET digest = 'x'", "DELETE FROM revision"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            db.execute(statement)
    db.close()


def test_a_digest_is_what_the_documentation_says() -> None:
    text = "3:abc" + "2:r1" + "1:s" + "3:Ana" + "1:t" + "4:M\u00e4r" + "-" + "2:[]" + "2:[]" + "-"
    expected = hashlib.sha256(text.encode()).hexdigest()[:32]
    assert digest_of("abc", ("r1", "s", "Ana", "t", "M\u00e4r", None, "[]", "[]", None)) == expected


def test_digests_of_one_document_do_not_depend_on_another(path: Path) -> None:
    create_file(path)
    db = connect(path)
    with writing(db):
        insert_revisions(db.conn, [Revision("s", person, "Mark", (), ()) for person in ("ann", "bob", "ann")])
    digests = [row[0] for row in db.execute("SELECT digest FROM revision WHERE person = 'ann' ORDER BY sequence")]
    db.close()
    assert len(set(digests)) == 2
