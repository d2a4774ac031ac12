"""Stretches of one file and bytes of our own, one after another, as the file that a decoder reads.

So a decoder is given what was looked through before and nothing else: no tags, no rubbish between frames, and headers
whose claims have been put right.
"""

import io
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from annotation.audio.random_access import RandomAccessFile
from annotation.audio.refusal import AudioRefusedError

Part = bytes | tuple[int, int]
"""Bytes, or the stretch ``[onset, offset)`` of the file."""


class Splice:
    """A file of parts, with what libsndfile’s virtual files need; belongs to one thread.

    A callback of a decoder cannot raise: what goes wrong, an interruption too, ends the file there and is kept in
    `fault`, to be raised once the decoder has returned.
    """

    def __init__(self, file: RandomAccessFile, parts: Sequence[Part]) -> None:
        self._file = file
        self._parts = [part for part in parts if _length(part)]
        self._ends = list(accumulate(_length(part) for part in self._parts))
        self.size = self._ends[-1] if self._ends else 0
        self.position = 0
        self.fault: BaseException | None = None

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a place and return it."""
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self.position, io.SEEK_END: self.size}[whence]
        self.position = max(0, origin + offset)
        return self.position

    def tell(self) -> int:
        """Return the place of the next byte."""
        return self.position

    def read(self, count: int = -1) -> bytes:
        """Return up to `count` bytes, all that are left if it is negative."""
        wanted = self.size - self.position if count < 0 else min(count, self.size - self.position)
        found: list[bytes] = []
        while wanted > 0:
            content = self._within_a_part(wanted)
            found.append(content)
            wanted -= len(content)
            self.position += len(content)
        return found[0] if len(found) == 1 else b"".join(found)

    def readinto(self, buffer: memoryview) -> int:
        """Fill a buffer as far as there are bytes and return how many."""
        if self.fault is not None:
            return 0
        try:
            content = self.read(len(buffer))
            buffer[: len(content)] = content
        except (AudioRefusedError, KeyboardInterrupt, MemoryError) as fault:
            self.fault = fault
            return 0
        return len(content)

    def _within_a_part(self, count: int) -> bytes:
        """Return bytes of the part at the present place, at least one."""
        number = bisect_right(self._ends, self.position)
        part = self._parts[number]
        inside = self.position - (self._ends[number] - _length(part))
        count = min(count, self._ends[number] - self.position)
        if isinstance(part, bytes):
            return part[inside : inside + count]
        return self._file.exactly(part[0] + inside, count)


def _length(part: Part) -> int:
    return len(part) if isinstance(part, bytes) else part[1] - part[0]
