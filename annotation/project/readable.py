"""All rows of a project file that can still be read, page by page, by what they look like.

No list of tables is asked for, since the page that holds it may be the damaged one: each table of a project has rows of
a shape of its own. The newest page images come first, so that of two states of a row the first one met is the newer.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from sqlite_utils import Database

from annotation.cancellation import CancelToken, Progress
from annotation.project.database import log_path
from annotation.project.faults import ProjectError
from annotation.project.log_file import LogFrame, LogSurvey, survey_log
from annotation.project.pages import Budget, Record, Value, records_in

_DEFAULT_PAGE_BYTES = 4096
_SIZES = frozenset(1 << power for power in range(9, 17))


@dataclass(frozen=True, slots=True)
class TableShape:
    """What rows of a table look like.

    Parameters
    ----------
    columns
        In the order they are stored; the first of a table with row ids is the row id itself.
    kinds
        One letter a column: ``t`` text, ``i`` integer, upper case where it may be null, ``n`` the row id.
    key
        How many columns from the first make the key.
    newer
        How many columns at the end an older version may lack.
    """

    columns: tuple[str, ...]
    kinds: str
    key: int = 1
    newer: int = 0

    def takes(self, record: Record) -> bool:
        """Return whether a record looks like a row of this table."""
        values = record.values
        if (record.rowid is not None) != (self.kinds[0] == "n"):
            return False
        if not len(self.kinds) - self.newer <= len(values) <= len(self.kinds):
            return False
        return all(_is_of(value, kind) for value, kind in zip(values, self.kinds, strict=False))

    def row(self, record: Record) -> tuple[Any, ...]:
        """Return the values of a record with its row id and nulls for what it lacks."""
        missing = (None,) * (len(self.kinds) - len(record.values))
        first = record.values[:1] if record.rowid is None else (record.rowid,)
        return (*first, *record.values[1:], *missing)


def _is_of(value: Value, kind: str) -> bool:
    if value is None:
        return kind in "nTI"
    return isinstance(value, str) if kind in "tT" else isinstance(value, int) and kind in "iI"


def _columns(text: str) -> tuple[str, ...]:
    return tuple(text.split())


SHAPES: Mapping[str, TableShape] = {
    "meta": TableShape(_columns("name value"), "tt"),
    "conversation": TableShape(_columns("id position rate_hz event_frames attributes added_at"), "tiiitt"),
    "channel": TableShape(
        _columns(
            "conversation position speaker name path file_index rate_hz frames start_frame fingerprint sha256",
        ),
        "tittTiiiiTT",
        key=2,
    ),
    "mapping": TableShape(_columns("sequence conversation person at assignments"), "ntttt"),
    "source": TableShape(_columns("number conversation name role origin kinds added_at"), "ntttttt"),
    "event": TableShape(
        _columns('source position id speaker kind onset "offset" holder_before holder_after comment text'),
        "iitttiiTTtt",
        key=2,
    ),
    "revision": TableShape(
        _columns("sequence id subject person at label undoes added removed circumstances digest"),
        "ntttttTttTT",
        newer=2,
    ),
    "rescue": TableShape(_columns("number at origin backup revisions lost"), "nttTii"),
    "removal": TableShape(_columns("number at revisions mappings sequences"), "ntiit"),
    "relocation": TableShape(_columns('number conversation position at "before" "after"'), "ntittt"),
    "set_aside": TableShape(
        _columns("id sequence subject person at label undoes added removed circumstances"), "tittttTttT", key=2
    ),
    "study": TableShape(_columns("id name person at design about seed"), "tttttti"),
    "study_item": TableShape(
        _columns(
            'id study batch position conversation speaker onset "offset" kind holder_before holder_after speakers '
            "interaction origin calibration"
        ),
        "ttiittiiTTTitti",
    ),
    "study_seat": TableShape(_columns("id study position annotator at replaces keeps"), "ttittTi"),
    "presentation": TableShape(
        _columns(
            "id study seat batch position item number rate_hz clip_onset frames cue_voice cue_onset cue_offset voices "
            "speakers reference"
        ),
        "tttiitiiiitiittT",
    ),
    "draft": TableShape(_columns("sequence id presentation at label undoes answer circumstances"), "nttttTtT"),
    "submission": TableShape(_columns("sequence id presentation at draft answer listening scheme_version"), "ntttTtti"),
    "seat_break": TableShape(_columns("sequence id seat at begins"), "nttti"),
    "reopening": TableShape(_columns("sequence id submission person at note drafts"), "nttttti"),
}
"""The tables whose rows are rescued; a lease belongs to a process and is not."""

_COUNTERS = TableShape(("name", "seq"), "ti")
_SCHEMA = TableShape(("type", "name", "tbl_name", "rootpage", "sql"), "tttit")


@dataclass(slots=True)
class ReadableRows:
    """Rows by table, the newest state of each key first; revisions in every state that was met.

    Parameters
    ----------
    counted, indexed
        The greatest place in the log of revisions by SQLite's own counter, and by the index of ids; 0 if unknown.
    schema
        The statements that the tables were made by.
    """

    rows: dict[str, dict[tuple[Any, ...], tuple[Any, ...]]] = field(
        default_factory=lambda: {name: {} for name in SHAPES}
    )
    counted: int = 0
    indexed: int = 0
    schema: set[str] = field(default_factory=set)
    damages: list[str] = field(default_factory=list)

    @property
    def highest(self) -> int:
        """The greatest place in the log of revisions; one flipped bit in a counter does not make it huge."""
        known = sorted(place for place in (self.counted, self.indexed) if place)
        if not known:
            return max((row[0] for row in self.rows["revision"].values()), default=0)
        return known[-1] if known[-1] <= 2 * known[0] else known[0]

    def take(self, name: str, row: tuple[Any, ...]) -> None:
        """Keep a row unless a newer state of it is there."""
        key = row if name == "revision" else row[: SHAPES[name].key]
        self.rows[name].setdefault(key, row)


def rows_by_query(db: Database) -> ReadableRows:
    """Return all rows of a sound file."""
    found = ReadableRows()
    for name, shape in SHAPES.items():
        for row in db.execute(f"SELECT {', '.join(shape.columns)} FROM {name}"):
            found.take(name, tuple(row))
    found.indexed = max((row[0] for row in found.rows["revision"].values()), default=0)
    counter = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'revision'").fetchone()
    found.counted = counter[0] if counter else 0
    return found


def rows_by_page(path: Path, token: CancelToken, progress: Progress) -> ReadableRows:
    """Return all rows of a file and its log that can be read, whatever is damaged; nothing is written.

    Raises
    ------
    ProjectError
        If the file or its log cannot be read from the disk at all.
    CancelledError
        If `token` was set.
    """
    try:
        with path.open("rb") as file:
            said = struct.unpack(">H", file.read(100)[16:18].ljust(2, b"\0"))[0]
            size = 65536 if said == 1 else said
            sizes = dict.fromkeys((*([size] if size in _SIZES else []), _DEFAULT_PAGE_BYTES))
            attempts = [_scan(path, file, size, token, progress) for size in sizes]
    except OSError as error:
        raise ProjectError(f"The project cannot be read: {error.strerror}.", where=str(path)) from error
    return max(attempts, key=lambda found: sum(len(rows) for rows in found.rows.values()))


def _scan(path: Path, file: BinaryIO, size: int, token: CancelToken, progress: Progress) -> ReadableRows:
    log = survey_log(log_path(path), page_size=size)
    found = ReadableRows(damages=_damages(path, file, size, log))
    with log_path(path).open("rb") if log.frames else path.open("rb") as log_file:
        images = _Images(file, log_file, size, log)
        budget = Budget(8 * images.bytes + (64 << 20))
        for number, (page, data) in enumerate(images):
            if number % 64 == 0:
                token.check()
                progress(min(1.0, number / max(1, images.count)))
            for record in records_in(data, size, page == 1, images.page, budget):
                _take(found, record)
    return found


def _damages(path: Path, file: BinaryIO, size: int, log: LogSurvey) -> list[str]:
    damages = []
    length = file.seek(0, 2)
    file.seek(0)
    header = file.read(100)
    pages = struct.unpack_from(">I", header, 28)[0] if len(header) == 100 else 0
    written_whole = header[24:28] == header[92:96]
    if length % size or (written_whole and pages * size > length):
        missing = f" instead of {pages * size:,}" if written_whole and pages * size > length else ""
        damages.append(f"{path.name} was cut: it has {length:,} bytes{missing}.")
    if log.damage:
        damages.append(f"{log_path(path).name}: {log.damage}")
    elif log.torn:
        damages.append(f"{log_path(path).name} ends inside a step.")
    return damages


def _take(found: ReadableRows, record: Record) -> None:
    if _COUNTERS.takes(Record(None, record.values)):
        # Either SQLite's counter of a table, or the index from a revision's id to its place.
        name, place = record.values
        assert isinstance(place, int)
        plausible = 0 < place < 1 << 40
        if plausible and record.rowid is None:
            found.indexed = max(found.indexed, place)
        elif plausible and name == "revision":
            found.counted = max(found.counted, place)
        return
    if _SCHEMA.takes(Record(None, record.values)):
        found.schema.add(str(record.values[4]))
        return
    for name, shape in SHAPES.items():
        if shape.takes(record):
            found.take(name, shape.row(record))
            return


class _Images:
    """Every image of every page: what SQLite would read first, then what the log replaced or would not give."""

    def __init__(self, file: BinaryIO, log_file: BinaryIO, size: int, log: LogSurvey) -> None:
        self._file, self._log_file, self._size = file, log_file, size
        self._frames = log.frames
        self._latest = {frame.page: frame for frame in log.frames}
        self._current = {frame.page: frame for frame in log.frames if frame.committed}
        self._length = file.seek(0, 2)
        self.count = -(-self._length // size) + len(log.frames)
        self.bytes = self.count * size

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        pages = range(1, -(-self._length // self._size) + 1)
        for page in pages:
            frame = self._current.get(page)
            yield page, self._of_file(page) if frame is None else self._of_log(frame)
        for page, frame in self._current.items():
            if page not in pages:
                yield page, self._of_log(frame)
        for page in self._current:
            yield page, self._of_file(page)
        current = {frame.offset for frame in self._current.values()}
        for frame in reversed(self._frames):
            if frame.offset not in current:
                yield frame.page, self._of_log(frame)

    def page(self, number: int) -> bytes:
        """Return the newest image of a page; a page that a row runs on into is written once and never changed."""
        frame = self._current.get(number) or self._latest.get(number)
        return self._of_file(number) if frame is None else self._of_log(frame)

    def _of_file(self, page: int) -> bytes:
        if not 0 < page <= -(-self._length // self._size):
            return b""
        self._file.seek((page - 1) * self._size)
        return self._file.read(self._size)

    def _of_log(self, frame: LogFrame) -> bytes:
        self._log_file.seek(frame.offset)
        return self._log_file.read(self._size)
