"""Opening a pack to answer in it: an SQLite file of one seat, as `annotation.study.pack_tables` lays it down.

A pack comes from elsewhere: its tables are compared word for word with those of a pack before anything is read. Every
commit is brought into the file itself at once, so that the one file that is sent back has all of it.
"""

import sqlite3
import struct
from pathlib import Path

from sqlite_utils import Database

from annotation.project.database import open_file, with_durability
from annotation.project.faults import ProjectError, faults_of
from annotation.study.design import StudyError
from annotation.study.pack_tables import PACK_APPLICATION_ID, PACK_VERSION, SchemaEntry, pack_schema

_MAGIC = b"SQLite format 3\x00"


def is_pack(path: Path) -> bool:
    """Return whether a file says in its header that it is a pack.

    Raises
    ------
    ProjectError
        If it cannot be read.
    """
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise ProjectError(f"The file cannot be read: {error.strerror}.", where=str(path)) from error
    if len(header) < 100 or not header.startswith(_MAGIC):
        return False
    application: int = struct.unpack_from(">I", header, 68)[0]
    return application == PACK_APPLICATION_ID


def connect_pack(path: Path, *, read_only: bool = False) -> Database:
    """Return a connection to a pack, in autocommit mode, usable from any one thread at a time.

    Raises
    ------
    StudyError
        If the file is no pack of this version, or holds what no pack holds.
    ProjectError
        If it cannot be opened.
    """
    if not is_pack(path):
        raise StudyError("This is no pack.", where=str(path))
    with faults_of(path):
        conn = open_file(path, "mode=ro" if read_only else "mode=rw")
        try:
            if read_only:
                # WORKAROUND SQLite up to 3.40: it takes json_valid for unsafe, so that the tables' own checks could not
                # run where something is written. The schema is compared word for word either way.
                conn.execute("PRAGMA trusted_schema = OFF")
            _require_pack(conn, path)
            db = with_durability(conn)
            if not read_only:
                conn.execute("PRAGMA journal_mode = WAL")
                conn.execute("PRAGMA wal_autocheckpoint = 1")
        except BaseException:
            conn.close()
            raise
    return db


def _require_pack(conn: sqlite3.Connection, path: Path) -> None:
    version = conn.execute("PRAGMA user_version").fetchone()[0]
    if version != PACK_VERSION:
        raise StudyError(
            f"The pack has version {version}; known here is {PACK_VERSION}.",
            where=str(path),
            remedy="Update Floorscope, or ask for the pack again.",
        )
    rows = conn.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master").fetchall()
    if frozenset(SchemaEntry(*row) for row in rows) != pack_schema():
        raise StudyError(
            "The file does not hold just what a pack holds, so it is not opened.",
            where=str(path),
            remedy="Ask for the pack again.",
        )
