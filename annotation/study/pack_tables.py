"""What a pack is: its number, its version, and its tables as statements.

A pack holds one seat: what the seat's views show in a project (`seat_about`, `seat_presentation`, `seat_note`), the
sound of each presentation, and the same tables that an annotator's side writes in a project. Nothing else is in it:
no item, no conversation, no other seat, no seed, no path. A merge compares the whole schema with these statements,
word for word, before it reads a row.
"""

import sqlite3
from dataclasses import dataclass

from annotation.project.study_tables import ENTRY_TABLES, entry_statements

PACK_SUFFIX = ".floorpack"
PACK_APPLICATION_ID = 0x466C7250
"""``FlrP`` in ASCII."""
PACK_VERSION = 1

_SEAT_STATEMENTS = (
    # One row. `about` is `annotation.study.design.About` as JSON; `study` and `seat` are random ids.
    """CREATE TABLE seat_about (
        study TEXT NOT NULL,
        seat TEXT NOT NULL,
        annotator TEXT NOT NULL,
        about TEXT NOT NULL CHECK (json_valid(about))
    ) STRICT""",
    # `position` is the annotator's own order; `reference` stands with calibration items only. Rows lie by their random
    # ids, so that the order in the file says nothing.
    """CREATE TABLE seat_presentation (
        id TEXT PRIMARY KEY CHECK (id <> ''),
        position INTEGER NOT NULL UNIQUE,
        rate_hz INTEGER NOT NULL CHECK (rate_hz > 0),
        frames INTEGER NOT NULL CHECK (frames > 0),
        cue_voice TEXT NOT NULL,
        cue_onset INTEGER NOT NULL CHECK (cue_onset >= 0),
        cue_offset INTEGER NOT NULL CHECK (cue_offset >= cue_onset AND cue_offset <= frames),
        voices TEXT NOT NULL CHECK (json_valid(voices)),
        calibration INTEGER NOT NULL CHECK (calibration IN (0, 1)),
        reference TEXT CHECK (reference IS NULL OR json_valid(reference))
    ) STRICT, WITHOUT ROWID""",
    # Why the lead sent a submission back, and how many steps the presentation had then.
    """CREATE TABLE seat_note (
        submission TEXT PRIMARY KEY,
        presentation TEXT NOT NULL REFERENCES seat_presentation (id),
        at TEXT NOT NULL,
        note TEXT NOT NULL,
        drafts INTEGER NOT NULL CHECK (drafts >= 0)
    ) STRICT, WITHOUT ROWID""",
    # One mono FLAC a voice, in clip frames at the clip's rate; a voice without sound says why in `missing`.
    """CREATE TABLE sound (
        presentation TEXT NOT NULL REFERENCES seat_presentation (id),
        voice TEXT NOT NULL,
        flac BLOB,
        missing TEXT NOT NULL,
        PRIMARY KEY (presentation, voice)
    ) STRICT""",
)

PACK_STATEMENTS = (*_SEAT_STATEMENTS, *entry_statements("seat_presentation"))
"""What makes an empty pack."""

__all__ = ("ENTRY_TABLES", "PACK_APPLICATION_ID", "PACK_STATEMENTS", "PACK_SUFFIX", "PACK_VERSION", "pack_schema")


@dataclass(frozen=True, slots=True)
class SchemaEntry:
    """One row of a file's schema."""

    type: str
    name: str
    table: str
    sql: str


def pack_schema() -> frozenset[SchemaEntry]:
    """Return the schema that every pack has, in SQLite's own words."""
    conn = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for statement in PACK_STATEMENTS:
            conn.execute(statement)
        rows = conn.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master").fetchall()
    finally:
        conn.close()
    return frozenset(SchemaEntry(*row) for row in rows)
