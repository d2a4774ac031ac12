"""Rows of a damaged database, read from its pages without SQLite, which refuses a file as a whole.

Every page that looks like a leaf is read for itself, whatever the pages above it say, so that a lost root, header or
tail costs only the rows that stood there. What comes back is untrusted: cells point where they like, so each reading
stays inside its page, chains of overflow pages end with the bytes they owe, and all decoding together has a budget
(file format: “B-tree Pages”, “Record Format” in SQLite's documentation).
"""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from annotation.project.revision_log import LARGEST_REVISION_BYTES

Value = None | int | float | str | bytes
PageReader = Callable[[int], bytes]
"""Returns the bytes of a page by its number, from 1; short or empty where the file has ended."""

LARGEST_ROW_BYTES = 2 * LARGEST_REVISION_BYTES + (1 << 20)
_MOST_COLUMNS = 32
_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR = 0x0D, 0x0A, 0x02
_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


@dataclass(frozen=True, slots=True)
class Record:
    """One row as it stands in a page; `rowid` is None in an index, and in a table without row ids."""

    rowid: int | None
    values: tuple[Value, ...]


class Budget:
    """How many bytes may still be decoded; a hostile file can point to one long row from every cell."""

    def __init__(self, size: int) -> None:
        self.left = size

    def take(self, size: int) -> bool:
        """Return whether there was enough, and use it up."""
        self.left -= size
        return self.left >= 0


class _UnreadableError(Exception):
    """A cell that leads nowhere; it costs itself."""


def records_in(page: bytes, size: int, first: bool, overflow: PageReader, budget: Budget) -> Iterator[Record]:
    """Yield what can be read in a page; nothing for one of another type.

    Parameters
    ----------
    page
        The page's bytes; a short one counts as filled up with zeros.
    first
        Whether it is page 1, which begins with the file's header.
    overflow
        Where rows go on that are larger than the page.
    """
    page = page.ljust(size, b"\0")
    start = 100 if first else 0
    kind = page[start]
    if kind == 0x05 or not any(page):
        return
    # A page whose type byte is damaged is tried as what holds the work.
    indexed = kind in (_INDEX_LEAF, _INDEX_INTERIOR)
    at = start + (12 if kind == _INDEX_INTERIOR else 8)
    # The count of cells may be damaged too. Tables with row ids only grow, so that whatever a pointer leads to was
    # entered: pointers are followed as long as they lead into the page. In the others old states may lie about.
    end = at + 2 * struct.unpack_from(">H", page, start + 3)[0] if indexed else size
    while at + 2 <= min(end, size):
        pointer = struct.unpack_from(">H", page, at)[0]
        at += 2
        if not at <= pointer < size - 3:
            break
        try:
            yield _record(page, pointer + (4 if kind == _INDEX_INTERIOR else 0), size, indexed, overflow, budget)
        except (_UnreadableError, IndexError, struct.error, UnicodeDecodeError):
            continue


def _record(page: bytes, at: int, size: int, indexed: bool, overflow: PageReader, budget: Budget) -> Record:
    length, at = _varint(page, at)
    rowid = None
    if not indexed:
        rowid, at = _varint(page, at)
        if not 0 < rowid < 1 << 62:
            raise _UnreadableError
    if not 1 <= length <= LARGEST_ROW_BYTES:
        raise _UnreadableError
    local = _local_bytes(length, size, indexed)
    payload = page[at : at + local]
    if len(payload) < local:
        raise _UnreadableError
    kinds, begin = _column_kinds(payload)
    if begin + sum(_bytes_of(kind) for kind in kinds) != length or not budget.take(length):
        raise _UnreadableError
    if local < length:
        payload += _overflowing(length - local, struct.unpack_from(">I", page, at + local)[0], size, overflow)
    return Record(rowid, tuple(_values(payload, kinds, begin)))


def _local_bytes(length: int, size: int, indexed: bool) -> int:
    """Return how much of a row stands in the page itself."""
    most = (size - 12) * 64 // 255 - 23 if indexed else size - 35
    if length <= most:
        return length
    least = (size - 12) * 32 // 255 - 23
    local = least + (length - least) % (size - 4)
    return local if local <= most else least


def _overflowing(owed: int, number: int, size: int, overflow: PageReader) -> bytes:
    parts = []
    while owed > 0:
        page = overflow(number) if number else b""
        part = page[4 : 4 + min(owed, size - 4)]
        if len(part) < min(owed, size - 4):
            raise _UnreadableError
        parts.append(part)
        owed -= len(part)
        number = struct.unpack_from(">I", page)[0]
    return b"".join(parts)


def _column_kinds(payload: bytes) -> tuple[list[int], int]:
    begin, at = _varint(payload, 0)
    kinds: list[int] = []
    while at < begin:
        kind, at = _varint(payload, at)
        kinds.append(kind)
        if len(kinds) > _MOST_COLUMNS or kind in (10, 11):
            raise _UnreadableError
    if at != begin or not kinds:
        raise _UnreadableError
    return kinds, begin


def _bytes_of(kind: int) -> int:
    if kind >= 12:
        return (kind - 12) // 2
    return 8 if kind == 7 else _INTEGER_BYTES.get(kind, 0)


def _values(payload: bytes, kinds: list[int], at: int) -> Iterator[Value]:
    for kind in kinds:
        data = payload[at : at + _bytes_of(kind)]
        at += len(data)
        if kind >= 12:
            yield data.decode() if kind % 2 else data
        elif kind == 7:
            yield float(struct.unpack(">d", data)[0])
        elif kind in (8, 9):
            yield kind - 8
        else:
            yield int.from_bytes(data, "big", signed=True) if kind else None


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for number in range(8):
        byte = data[at + number]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + number + 1
    return value << 8 | data[at + 8], at + 9
