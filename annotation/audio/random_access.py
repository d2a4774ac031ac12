"""Bytes of a file at any place, safe against a file that shrinks or a drive that is pulled out.

Reads go through the descriptor, not a memory map: touching a mapped page that the file no longer has ends the whole
process with SIGBUS, while a read says so. In blocks of some hundred kilobytes it costs one copy within the cache.
"""

import os
import stat
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from annotation.audio.refusal import AudioRefusedError, refusal_of_fault


def _read_at(descriptor: int, offset: int, count: int) -> bytes:
    """Return up to `count` bytes from `offset`; where the system can, the descriptor’s own place stays as it is."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, count, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, count)


class RandomAccessFile:
    """A file opened for reading at offsets; belongs to one thread, and closes itself with its last reference.

    Raises
    ------
    AudioRefusedError
        If the path is missing, unreadable or no regular file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
        except OSError as fault:
            raise refusal_of_fault(path, fault) from fault
        self._closing = weakref.finalize(self, os.close, self._descriptor)
        status = os.fstat(self._descriptor)
        if not stat.S_ISREG(status.st_mode):
            self.close()
            raise AudioRefusedError("This is no ordinary file.", code="audio-unreadable", where=path)
        self.size = status.st_size
        """Bytes in the file when it was opened."""
        self.modified_ns = status.st_mtime_ns

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; closing again does nothing."""
        self._closing()

    def source(self) -> int | Path:
        """Return what a decoder library opens to read this very file; one decoder a file, closed before it.

        It is our descriptor where reading here leaves the descriptor’s own place alone, so that a file put at the path
        meanwhile is not read in its stead; elsewhere it is the path.
        """
        return self._descriptor if os.name == "posix" else self.path

    def expect_random_reads(self) -> None:
        """Tell the system not to read ahead, which makes few small reads of a big cold file fast."""
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(self._descriptor, 0, 0, os.POSIX_FADV_RANDOM)

    def fill_rows(self, offsets: Iterable[int], rows: Iterable[memoryview]) -> None:
        """Fill each row with the bytes from its offset, without a copy in between where the system can.

        Raises
        ------
        AudioRefusedError
            If the file ends before a row is full.
        """
        direct = getattr(os, "preadv", None)
        for offset, row in zip(offsets, rows, strict=True):
            try:
                full = direct is not None and direct(self._descriptor, [row], offset) == len(row)
            except OSError as fault:
                raise refusal_of_fault(self.path, fault) from fault
            if not full:
                row[:] = self.exactly(offset, len(row))

    def available(self, offset: int, count: int) -> bytes:
        """Return up to `count` bytes from `offset`, fewer where the file ends.

        Raises
        ------
        AudioRefusedError
            If the system cannot read the file.
        """
        parts: list[bytes] = []
        try:
            while count > 0 and (part := _read_at(self._descriptor, offset, count)):
                parts.append(part)
                offset += len(part)
                count -= len(part)
        except OSError as fault:
            raise refusal_of_fault(self.path, fault) from fault
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def exactly(self, offset: int, count: int) -> bytes:
        """Return `count` bytes from `offset`.

        Raises
        ------
        AudioRefusedError
            If the file ends before: it shrank since it was opened.
        """
        content = self.available(offset, count)
        if len(content) < count:
            raise AudioRefusedError(
                f"The file became shorter while it was open: {count:,} bytes were expected at {offset:,}, "
                f"{len(content):,} are there.",
                code="audio-changed",
                where=self.path,
                remedy="Restore the file, or import it again.",
            )
        return content
