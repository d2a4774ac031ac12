"""What SQLite itself refuses an annotator's side (PROTOCOLS, blindness)."""

import re
import sqlite3
from pathlib import Path

import pytest

from annotation.project.database import connect
from annotation.project.project import Project
from annotation.study.answers import Draft
from annotation.study.design import StudyError
from annotation.study.entries import insert_entry
from annotation.study.presentation import Answer
from annotation.study.records import Study, StudyRecords
from annotation.study.seat_access import connect_reader, connect_writer
from tests.annotation.study.conftest import KINDS, PEOPLE

DENIED = "not authorized|prohibited"


@pytest.fixture
def seats(study: Study, records: StudyRecords) -> list[str]:
    """Return the ids of the three seats."""
    return [seat.id for seat in records.seats(study.id)]


def tables_of(path: Path) -> dict[str, list[str]]:
    """Return the columns of all tables of a project, `sqlite_schema` among them."""
    db = connect(path, read_only=True)
    try:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")]
        return {
            name: [row[1] for row in db.execute(f"PRAGMA table_info({name})")] for name in (*names, "sqlite_schema")
        }
    finally:
        db.close()


def test_no_column_of_any_table_can_be_read(seats: list[str], path: Path) -> None:
    tables = tables_of(path)
    reader = connect_reader(path, seats[0])
    assert {"study_item", "event", "submission", "presentation", "study"} <= set(tables)
    try:
        for table, columns in tables.items():
            for column in (*columns, "*", "count(*)"):
                with pytest.raises(sqlite3.DatabaseError, match=DENIED):
                    reader.db.execute(f"SELECT {column} FROM main.{table}").fetchall()
    finally:
        reader.db.close()


@pytest.mark.parametrize(
    "statement",
    [
        "PRAGMA data_version",
        "ATTACH ':memory:' AS other",
        "INSERT INTO main.study_seat DEFAULT VALUES",
        "UPDATE main.submission SET answer = ''",
        "DELETE FROM main.presentation",
        "CREATE TEMP VIEW mine AS SELECT * FROM main.study_item",
        "SELECT load_extension('x')",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n) SELECT i FROM n LIMIT 2",
    ],
)
def test_a_reading_seat_does_nothing_but_read_its_views(seats: list[str], path: Path, statement: str) -> None:
    reader = connect_reader(path, seats[0])
    try:
        with pytest.raises(sqlite3.DatabaseError, match=DENIED):
            reader.db.execute(statement).fetchall()
    finally:
        reader.db.close()


def test_all_that_a_seat_can_read_names_nobody_and_no_reference(
    seats: list[str], path: Path, records: StudyRecords
) -> None:
    reader = connect_reader(path, seats[0])
    try:
        rows = {name: reader.db.execute(f"SELECT * FROM {view}").fetchall() for name, view in reader.views.items()}
    finally:
        reader.db.close()
    assert len(rows["presentation"]) == len(records.presentations(seat=seats[0]))
    without_scheme = repr({name: found for name, found in rows.items() if name != "about"})
    unseen = {item.id for item in records.items()} | {item.conversation for item in records.items()}
    unseen |= {p.id for seat in seats[1:] for p in records.presentations(seat=seat)} | {*PEOPLE[1:], *KINDS, "Lead Lea"}
    assert not [word for word in unseen if word in without_scheme]
    assert not [word for word in (*PEOPLE[1:], "Lead Lea", "talk_", "recording_") if word in repr(rows["about"])]
    assert not re.search(r"/\w+/", without_scheme)


def test_a_writing_seat_appends_to_its_own_items_and_reads_nothing(
    seats: list[str], path: Path, records: StudyRecords, project: Project
) -> None:
    own, other = (records.presentations(seat=seat)[0].id for seat in seats[:2])
    writer = connect_writer(path, seats[0])
    try:
        for table in tables_of(path):
            with pytest.raises(sqlite3.DatabaseError, match=DENIED):
                writer.execute(f"SELECT * FROM main.{table}").fetchall()
        insert_entry(writer.conn, Draft(own, "Kind", Answer(kind="TURN")))
        with pytest.raises(Exception, match="not of the seat"):
            insert_entry(writer.conn, Draft(other, "Kind", Answer(kind="TURN")))
        for statement in ("DELETE FROM draft", "UPDATE draft SET label = ''", "INSERT INTO study_seat DEFAULT VALUES"):
            with pytest.raises(sqlite3.DatabaseError, match=DENIED):
                writer.execute(statement)
    finally:
        writer.close()


@pytest.mark.parametrize("seat", ["", "' OR 1 --", "x" * 65, "a b"])
def test_a_seat_that_is_no_id_opens_nothing(study: Study, path: Path, seat: str) -> None:
    for connecting in (connect_reader, connect_writer):
        with pytest.raises(StudyError, match="no such seat"):
            connecting(path, seat)
