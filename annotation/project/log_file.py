"""The write-ahead log beside a project, read without SQLite: what it holds, and whether SQLite would lose any of it.

SQLite reads a log up to the first frame whose checksum is wrong and forgets the rest without a word, also where whole
transactions stand behind one flipped byte. So the log is looked at before SQLite sees it (file format: “WAL-mode File
Format” in SQLite's documentation). A tail without the end of a transaction is what a power cut leaves and is no damage.
"""

import struct
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from annotation.project.faults import ProjectError

HEADER_BYTES = 32
FRAME_HEADER_BYTES = 24
_MAGIC = (0x377F0682, 0x377F0683)
_SIZES = frozenset(1 << power for power in range(9, 17))


@dataclass(frozen=True, slots=True)
class LogFrame:
    """One page image in a log: the page's number, where its bytes begin, and whether SQLite would read it."""

    page: int
    offset: int
    committed: bool


@dataclass(frozen=True, slots=True)
class LogSurvey:
    """What a log holds.

    Parameters
    ----------
    frames
        Every whole page image, in order, whatever its checksum.
    damage
        Why SQLite would forget finished transactions, in a sentence; empty if it would not.
    torn
        Whether the log ends inside a transaction.
    """

    page_size: int
    frames: tuple[LogFrame, ...] = ()
    damage: str = ""
    torn: bool = False


@dataclass(frozen=True, slots=True)
class _Header:
    frame: LogFrame
    closes: bool
    salts: bytes
    checksum: tuple[int, int]
    head: bytes


def survey_log(log: Path, *, page_size: int = 4096) -> LogSurvey:
    """Return what a log holds; an absent or empty one holds nothing.

    Parameters
    ----------
    page_size
        What to take if the log's own header does not say.

    Raises
    ------
    ProjectError
        If the log is there and cannot be read.
    """
    try:
        data = log.read_bytes()
    except FileNotFoundError:
        return LogSurvey(page_size)
    except OSError as error:
        raise ProjectError(f"The project's log cannot be read: {error.strerror}.", where=str(log)) from error
    if len(data) <= HEADER_BYTES:
        return LogSurvey(page_size, torn=len(data) > 0)
    magic, _, said, _ = struct.unpack_from(">4I", data)
    order = ">" if magic & 1 else "<"
    size = said if said in _SIZES else page_size
    sums = struct.unpack_from(">2I", data, 24)
    sound = magic in _MAGIC and said in _SIZES and _checksum(data[:24], (0, 0), order) == sums
    headers = _headers(data, size)
    if not sound:
        frames = tuple(header.frame for header in headers)
        return LogSurvey(size, frames, "Its first bytes are damaged, so SQLite would read nothing of it.", torn=True)
    return _surveyed(data, size, headers, sums, order)


def _headers(data: bytes, size: int) -> list[_Header]:
    result = []
    for at in range(HEADER_BYTES, len(data) - FRAME_HEADER_BYTES - size + 1, FRAME_HEADER_BYTES + size):
        page, after, *_, first, second = struct.unpack_from(">6I", data, at)
        frame = LogFrame(page, at + FRAME_HEADER_BYTES, committed=False)
        result.append(_Header(frame, after > 0, data[at + 8 : at + 16], (first, second), data[at : at + 8]))
    return result


def _surveyed(data: bytes, size: int, headers: list[_Header], sums: tuple[int, int], order: str) -> LogSurvey:
    salts = data[16:24]
    committed = 0
    for number, header in enumerate(headers, start=1):
        sums = _checksum(header.head + data[header.frame.offset : header.frame.offset + size], sums, order)
        if header.salts != salts or header.checksum != sums or header.frame.page == 0:
            break
        committed = number if header.closes else committed
    behind = [header for header in headers[committed:] if header.salts == salts]
    rest = data[HEADER_BYTES + len(headers) * (FRAME_HEADER_BYTES + size) :]
    torn = bool(behind) or (0 < len(rest) < 16) or rest[8:16] == salts
    damage = ""
    # A frame in the middle may have lost its salt; what counts is that a transaction's end stands behind.
    if any(header.closes for header in headers[committed:] if header.salts == salts):
        damage = f"It is damaged after {committed} of {len(headers)} pages, and SQLite would read nothing behind that."
    frames = tuple(
        LogFrame(header.frame.page, header.frame.offset, number < committed) for number, header in enumerate(headers)
    )
    return LogSurvey(size, frames, damage, torn)


def _checksum(data: bytes, seed: tuple[int, int], order: str) -> tuple[int, int]:
    """Return SQLite's checksum: for each pair of words x, y: a += x + b; b += y + a; all modulo 2³².

    The recurrence is linear, so the sum over a whole page is one product with the powers of its matrix.
    """
    words = np.frombuffer(data, dtype=f"{order}u4").astype(np.uint32)
    pairs = len(words) // 2
    powers = _powers(pairs)
    x, y = words[0::2], words[1::2]
    weights = powers[pairs - 1 :: -1][:pairs] if pairs else powers[:0]
    # One step adds (x, x + y) to the state.
    first = weights[:, 0] * x + weights[:, 1] * (x + y)
    second = weights[:, 2] * x + weights[:, 3] * (x + y)
    whole = [int(number) for number in powers[pairs]]
    a = whole[0] * seed[0] + whole[1] * seed[1] + int(first.sum(dtype=np.uint32))
    b = whole[2] * seed[0] + whole[3] * seed[1] + int(second.sum(dtype=np.uint32))
    return a & 0xFFFFFFFF, b & 0xFFFFFFFF


@cache
def _powers(count: int) -> NDArray[np.uint32]:
    """Return the powers 0 to `count` of ((1, 1), (1, 2)) modulo 2³², one a row."""
    rows = np.zeros((count + 1, 4), np.uint32)
    a, b, c, d = 1, 0, 0, 1
    for number in range(count + 1):
        rows[number] = (a, b, c, d)
        a, b, c, d = (a + c) & 0xFFFFFFFF, (b + d) & 0xFFFFFFFF, (a + 2 * c) & 0xFFFFFFFF, (b + 2 * d) & 0xFFFFFFFF
    rows.setflags(write=False)
    return rows
