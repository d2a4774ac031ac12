"""The tables of studies, as statements: those of the lead, and those that an annotator's side writes.

The latter stand in a pack in the same words, so that one store and one writer serve both. All of them only grow: rows
are never updated, deleted or replaced, and one that is there already is skipped by its id.

A rescue knows rows by their shape (`annotation.project.readable`). So the shapes of these tables and of their indexes
are all different from each other and from those of other tables; ids are unique by trigger, and indexed with a time.
"""

STUDY_TABLES = (
    "study",
    "study_item",
    "study_seat",
    "presentation",
    "draft",
    "submission",
    "seat_break",
    "reopening",
)
"""All of them, each after those that it refers to."""

ENTRY_TABLES = ("draft", "submission", "seat_break")
"""What an annotator's side writes."""

GUARDS = tuple(f"{table}_{ending}" for table in ENTRY_TABLES for ending in ("kept_once", "never_replaced"))
"""Triggers that look into a table before a row enters it; so does `draft_undoes_its_own`."""


def append_only(table: str) -> tuple[str, str]:
    """Return the triggers that keep rows from being changed or deleted."""
    return (
        f"CREATE TRIGGER {table}_never_updated BEFORE UPDATE ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END",
        f"CREATE TRIGGER {table}_never_deleted BEFORE DELETE ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END",
    )


def _logged(table: str) -> tuple[str, ...]:
    """Return the triggers of a table with a place and an id: REPLACE would delete a row without asking."""
    return (
        *append_only(table),
        f"CREATE TRIGGER {table}_kept_once BEFORE INSERT ON {table} "
        f"WHEN EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id) BEGIN SELECT RAISE(IGNORE); END",
        f"CREATE TRIGGER {table}_never_replaced BEFORE INSERT ON {table} "
        f"WHEN EXISTS (SELECT 1 FROM {table} WHERE sequence = NEW.sequence) "
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END",
    )


def _drawn(table: str) -> tuple[str, ...]:
    return (
        *append_only(table),
        f"CREATE TRIGGER {table}_never_replaced BEFORE INSERT ON {table} "
        f"WHEN EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id) "
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END",
    )


def entry_statements(presentations: str) -> tuple[str, ...]:
    """Return what makes the tables that an annotator's side writes; `presentations` is the table they refer to."""
    return (
        f"""CREATE TABLE draft (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL CHECK (id <> ''),
            presentation TEXT NOT NULL REFERENCES {presentations} (id),
            at TEXT NOT NULL,
            label TEXT NOT NULL,
            undoes TEXT,
            answer TEXT NOT NULL CHECK (json_valid(answer)),
            circumstances TEXT CHECK (circumstances IS NULL OR json_valid(circumstances)),
            UNIQUE (id, at)
        ) STRICT""",
        "CREATE INDEX draft_of_presentation ON draft (presentation, at)",
        *_logged("draft"),
        """CREATE TRIGGER draft_undoes_its_own BEFORE INSERT ON draft
            WHEN NEW.undoes IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM draft WHERE id = NEW.undoes AND presentation = NEW.presentation)
            BEGIN SELECT RAISE(ABORT, 'undo never crosses presentations'); END""",
        f"""CREATE TABLE submission (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL CHECK (id <> ''),
            presentation TEXT NOT NULL REFERENCES {presentations} (id),
            at TEXT NOT NULL,
            draft TEXT,
            answer TEXT NOT NULL CHECK (json_valid(answer)),
            listening TEXT NOT NULL CHECK (json_valid(listening)),
            scheme_version INTEGER NOT NULL,
            UNIQUE (id, at)
        ) STRICT""",
        "CREATE INDEX submission_of_presentation ON submission (presentation, at)",
        *_logged("submission"),
        """CREATE TABLE seat_break (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL CHECK (id <> ''),
            seat TEXT NOT NULL,
            at TEXT NOT NULL,
            begins INTEGER NOT NULL CHECK (begins IN (0, 1)),
            UNIQUE (id, at)
        ) STRICT""",
        *_logged("seat_break"),
    )


STUDY_STATEMENTS = (
    # `about` is what annotators may know of the design, so that the design itself is never read on their side.
    """CREATE TABLE study (
        id TEXT PRIMARY KEY CHECK (id <> ''),
        name TEXT NOT NULL,
        person TEXT NOT NULL,
        at TEXT NOT NULL,
        design TEXT NOT NULL CHECK (json_valid(design)),
        about TEXT NOT NULL CHECK (json_valid(about)),
        seed INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    *_drawn("study"),
    """CREATE TABLE study_item (
        id TEXT PRIMARY KEY CHECK (id <> ''),
        study TEXT NOT NULL REFERENCES study (id),
        batch INTEGER NOT NULL CHECK (batch >= 0),
        position INTEGER NOT NULL CHECK (position > 0),
        conversation TEXT NOT NULL REFERENCES conversation (id),
        speaker TEXT NOT NULL,
        onset INTEGER NOT NULL CHECK (onset >= 0),
        "offset" INTEGER NOT NULL CHECK ("offset" >= onset),
        kind TEXT,
        holder_before TEXT,
        holder_after TEXT,
        speakers INTEGER NOT NULL,
        interaction TEXT NOT NULL,
        origin TEXT NOT NULL,
        calibration INTEGER NOT NULL CHECK (calibration IN (0, 1)),
        UNIQUE (study, batch, position)
    ) STRICT, WITHOUT ROWID""",
    *_drawn("study_item"),
    """CREATE TABLE study_seat (
        id TEXT PRIMARY KEY CHECK (id <> ''),
        study TEXT NOT NULL REFERENCES study (id),
        position INTEGER NOT NULL CHECK (position > 0),
        annotator TEXT NOT NULL,
        at TEXT NOT NULL,
        replaces TEXT REFERENCES study_seat (id),
        keeps INTEGER NOT NULL CHECK (keeps IN (0, 1)),
        UNIQUE (study, annotator),
        UNIQUE (replaces, study)
    ) STRICT, WITHOUT ROWID""",
    *_drawn("study_seat"),
    # The cue is in frames of the clip; where the clip begins stands in a column that no annotator's side reads.
    """CREATE TABLE presentation (
        id TEXT PRIMARY KEY CHECK (id <> ''),
        study TEXT NOT NULL REFERENCES study (id),
        seat TEXT NOT NULL REFERENCES study_seat (id),
        batch INTEGER NOT NULL CHECK (batch >= 0),
        position INTEGER NOT NULL CHECK (position > 0),
        item TEXT NOT NULL REFERENCES study_item (id),
        number INTEGER NOT NULL CHECK (number IN (0, 1, 2)),
        rate_hz INTEGER NOT NULL CHECK (rate_hz > 0),
        clip_onset INTEGER NOT NULL CHECK (clip_onset >= 0),
        frames INTEGER NOT NULL CHECK (frames > 0),
        cue_voice TEXT NOT NULL,
        cue_onset INTEGER NOT NULL CHECK (cue_onset >= 0),
        cue_offset INTEGER NOT NULL CHECK (cue_offset >= cue_onset AND cue_offset <= frames),
        voices TEXT NOT NULL CHECK (json_valid(voices)),
        speakers TEXT NOT NULL CHECK (json_valid(speakers)),
        reference TEXT CHECK (reference IS NULL OR json_valid(reference)),
        UNIQUE (seat, position),
        UNIQUE (seat, item, number)
    ) STRICT, WITHOUT ROWID""",
    *_drawn("presentation"),
    *entry_statements("presentation"),
    # `drafts`: how many steps the presentation had then; its answer begins anew behind them.
    """CREATE TABLE reopening (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL CHECK (id <> ''),
        submission TEXT NOT NULL,
        person TEXT NOT NULL,
        at TEXT NOT NULL,
        note TEXT NOT NULL,
        drafts INTEGER NOT NULL CHECK (drafts >= 0),
        UNIQUE (id, at)
    ) STRICT""",
    "CREATE INDEX reopening_of_submission ON reopening (submission, at)",
    *_logged("reopening"),
    """CREATE TRIGGER reopening_of_a_submission BEFORE INSERT ON reopening
        WHEN NOT EXISTS (SELECT 1 FROM submission WHERE id = NEW.submission)
        BEGIN SELECT RAISE(ABORT, 'there is no such submission'); END""",
)
"""What brings a file to hold studies."""

STUDY_VIEWS = (
    "CREATE TEMP VIEW study AS SELECT '' AS id, '' AS name, '' AS person, '' AS at, '' AS design, '' AS about, "
    "0 AS seed WHERE 0",
    "CREATE TEMP VIEW study_item AS SELECT '' AS id, '' AS study, 0 AS batch, 0 AS position, '' AS conversation, "
    "'' AS speaker, 0 AS onset, 0 AS \"offset\", NULL AS kind, NULL AS holder_before, NULL AS holder_after, "
    "0 AS speakers, '' AS interaction, '' AS origin, 0 AS calibration WHERE 0",
    "CREATE TEMP VIEW study_seat AS SELECT '' AS id, '' AS study, 0 AS position, '' AS annotator, '' AS at, "
    "NULL AS replaces, 0 AS keeps WHERE 0",
    "CREATE TEMP VIEW presentation AS SELECT '' AS id, '' AS study, '' AS seat, 0 AS batch, 0 AS position, "
    "'' AS item, 0 AS number, 1 AS rate_hz, 0 AS clip_onset, 1 AS frames, '' AS cue_voice, 0 AS cue_onset, "
    "0 AS cue_offset, '' AS voices, '' AS speakers, NULL AS reference WHERE 0",
    "CREATE TEMP VIEW draft AS SELECT 0 AS sequence, '' AS id, '' AS presentation, '' AS at, '' AS label, "
    "NULL AS undoes, '' AS answer, NULL AS circumstances WHERE 0",
    "CREATE TEMP VIEW submission AS SELECT 0 AS sequence, '' AS id, '' AS presentation, '' AS at, NULL AS draft, "
    "'' AS answer, '' AS listening, 0 AS scheme_version WHERE 0",
    "CREATE TEMP VIEW seat_break AS SELECT 0 AS sequence, '' AS id, '' AS seat, '' AS at, 0 AS begins WHERE 0",
    "CREATE TEMP VIEW reopening AS SELECT 0 AS sequence, '' AS id, '' AS submission, '' AS person, '' AS at, "
    "'' AS note, 0 AS drafts WHERE 0",
)
"""Empty tables of studies, for a file of an older version that may only be read."""
