"""What is derived from sound files and can be made again: peaks, decoded and resampled sound, in the user's cache.

An entry is raw little-endian numbers behind a header of 64 bytes with its own checksum, so that a file can be read
at any place and nothing in it is ever executed. It is written beside its place, flushed and moved there whole. An
entry that is missing, cut, damaged or from another version counts as absent; a disk that is full or read-only only
means that nothing is kept. The least recently used entries go when the limit is passed.
"""

import logging
import os
import re
import shutil
import struct
import tempfile
import time
import uuid
import weakref
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from annotation.audio.random_access import RandomAccessFile
from annotation.audio.refusal import AudioRefusedError
from annotation.errors import InvalidValueError

USUAL_LIMIT_BYTES = 20 * 10**9
HEADER_BYTES = 64
FACTS = 4
"""How many whole numbers about the content stand in the header."""

_MAGIC = b"FLOORAUD"
_VERSION = 1
_HEADER = struct.Struct("<8sHxx4sQI4q")
_NAME = re.compile(r"[0-9a-z-]{1,64}")
_ABANDONED_AFTER_S = 24 * 60 * 60

NumberType = Literal["<i2", "<f4"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CachedNumbers:
    """The whole content of an entry: read-only numbers ``(n,)`` and the facts that were stored with them."""

    numbers: NDArray[np.int16] | NDArray[np.float32]
    facts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Header:
    number_type: NumberType
    count: int
    checksum: int
    facts: tuple[int, ...]

    @property
    def width(self) -> int:
        return np.dtype(self.number_type).itemsize

    def packed(self) -> bytes:
        facts = (*self.facts, *([0] * (FACTS - len(self.facts))))
        content = _HEADER.pack(_MAGIC, _VERSION, self.number_type.encode("ascii"), self.count, self.checksum, *facts)
        return content + zlib.crc32(content).to_bytes(4, "little")


def _header_of(file: RandomAccessFile) -> _Header | None:
    """Return the header of an entry, or None if it is damaged or the file has another length than it says."""
    content = file.available(0, HEADER_BYTES)
    if len(content) < HEADER_BYTES or zlib.crc32(content[:-4]) != int.from_bytes(content[-4:], "little"):
        return None
    magic, version, number_type, count, checksum, *facts = _HEADER.unpack(content[:-4])
    known: dict[bytes, NumberType] = {b"<i2\0": "<i2", b"<f4\0": "<f4"}
    if magic != _MAGIC or version != _VERSION or number_type not in known:
        return None
    header = _Header(known[number_type], count, checksum, tuple(facts))
    return header if file.size == HEADER_BYTES + count * header.width else None


class CachedSamples:
    """An entry read piece by piece; belongs to one thread. Its length was checked, its content is not summed."""

    def __init__(self, file: RandomAccessFile, header: _Header) -> None:
        self._file = file
        self._header = header
        self.count = header.count
        self.facts = header.facts
        self.checksum = header.checksum

    def read(self, first: int, count: int) -> NDArray[np.int16] | NDArray[np.float32]:
        """Return the numbers ``[first, first + count)``, all of which exist.

        Raises
        ------
        AudioRefusedError
            If the entry shrank or its disk fails.
        """
        width = self._header.width
        content = self._file.exactly(HEADER_BYTES + first * width, count * width)
        return np.frombuffer(content, dtype=self._header.number_type)

    def close(self) -> None:
        """Close the entry."""
        self._file.close()


class CacheSink:
    """Takes the numbers of one entry in order; says afterwards whether they were kept."""

    def __init__(self, file: BinaryIO | None, number_type: NumberType) -> None:
        self._file = file
        self._number_type: NumberType = number_type
        self._count = 0
        self._checksum = 0
        self.fault: OSError | None = None
        self.facts: tuple[int, ...] = ()
        self.kept = False

    @property
    def open(self) -> bool:
        """Whether what is appended still goes to disk."""
        return self._file is not None and self.fault is None

    def append(self, numbers: NDArray[np.int16] | NDArray[np.float32]) -> None:
        """Write numbers after those before; does nothing once the disk has failed."""
        if self._file is None or self.fault is not None:
            return
        content = np.ascontiguousarray(numbers, dtype=self._number_type).tobytes()
        try:
            self._file.write(content)
        except OSError as fault:
            self.fault = fault
            return
        self._count += len(numbers)
        self._checksum = zlib.crc32(content, self._checksum)

    def seal(self) -> None:
        """Write the header and flush all to disk."""
        if self._file is None or self.fault is not None:
            return
        try:
            self._file.seek(0)
            self._file.write(_Header(self._number_type, self._count, self._checksum, self.facts).packed())
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as fault:
            self.fault = fault


class AudioCache:
    """Entries by fingerprint and by what they are, in one folder of limited size; may be used from many threads.

    Parameters
    ----------
    folder
        Made when the first entry is written.
    limit_bytes
        How much may lie in it.
    """

    def __init__(self, folder: Path, limit_bytes: int = USUAL_LIMIT_BYTES) -> None:
        self.folder = folder
        self.limit_bytes = limit_bytes
        self.fault: str = ""
        """Why the last entry could not be kept, for the status line; empty when all is well."""
        self._spare: AudioCache | None = None

    def spare(self) -> "AudioCache":
        """Return a cache for what must be had while the program runs and cannot be kept here; it goes with this one.

        Raises
        ------
        OSError
            If the system has no place for temporary files.
        """
        # Two threads at once may make two; the one that is not kept is empty and goes at once.
        if self._spare is None:
            self._spare = temporary_cache(self.limit_bytes)
        return self._spare

    @property
    def has_spare(self) -> bool:
        """Whether something lies in the spare cache."""
        return self._spare is not None

    def used_bytes(self) -> int:
        """Return how much lies in the folder."""
        return sum(size for _, size, _ in self._entries())

    def shrink(self, limit_bytes: int) -> int:
        """Remove what was used longest ago until at most so much is left, and return how many bytes that freed.

        What somebody is reading at the moment stays readable to them where the system allows it, and is made again
        otherwise.
        """
        entries = self._entries()
        excess = sum(size for _, size, _ in entries) - limit_bytes
        freed = 0
        for _, size, path in sorted(entries):
            if freed >= excess:
                break
            with suppress(OSError):
                path.unlink()
                freed += size
        return freed

    def _entries(self) -> list[tuple[int, int, Path]]:
        """Return when each entry was used last, its size and its place; without those that are being written."""
        entries: list[tuple[int, int, Path]] = []
        try:
            paths = list(self.folder.iterdir())
        except OSError:
            return entries
        for path in paths:
            with suppress(OSError):
                status = path.stat()
                if path.suffix != ".part":
                    entries.append((status.st_mtime_ns, status.st_size, path))
        return entries

    def path_of(self, key: str, what: str) -> Path:
        """Return where an entry lies or would lie.

        Raises
        ------
        InvalidValueError
            If a name has other characters than digits, small letters and hyphens.
        """
        for name in (key, what):
            if not _NAME.fullmatch(name):
                raise InvalidValueError(f"“{name}” cannot name an entry of the cache.", where=str(self.folder))
        return self.folder / f"{key}.{what}"

    def load(self, key: str, what: str) -> CachedNumbers | None:
        """Return the whole of an entry after checking its sum, or None if it is absent or damaged."""
        samples = self.open_samples(key, what)
        if samples is None:
            return None
        try:
            numbers = samples.read(0, samples.count)
        except AudioRefusedError:
            return None
        finally:
            samples.close()
        if zlib.crc32(numbers.tobytes()) != samples.checksum:
            _log.info("cache entry %s.%s is damaged and will be made again", key, what)
            return None
        return CachedNumbers(numbers, samples.facts)

    def open_samples(self, key: str, what: str) -> CachedSamples | None:
        """Return an entry to be read piece by piece, or None if it is absent or damaged."""
        path = self.path_of(key, what)
        try:
            file = RandomAccessFile(path)
        except AudioRefusedError:
            return None
        try:
            header = _header_of(file)
        except AudioRefusedError:
            header = None
        if header is None:
            file.close()
            return None
        with suppress(OSError):
            os.utime(path)
        return CachedSamples(file, header)

    @contextmanager
    def writing(self, key: str, what: str, number_type: NumberType) -> Iterator[CacheSink]:
        """Give a sink for a new entry, which appears whole at the end, or not at all after an exception.

        A disk that refuses is no error: the sink says `kept` False and the cache says why in `fault`.
        """
        path = self.path_of(key, what)
        partial = self.folder / f"{path.name}.{uuid.uuid4().hex}.part"
        file: BinaryIO | None = None
        fault: OSError | None = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            file = partial.open("wb")
            file.write(bytes(HEADER_BYTES))
        except OSError as refused:
            fault = refused
        sink = CacheSink(file, number_type)
        sink.fault = fault
        try:
            yield sink
            sink.seal()
            self._publish(file, partial, path, sink)
        finally:
            if file is not None:
                with suppress(OSError):
                    file.close()
            with suppress(OSError):
                partial.unlink(missing_ok=True)

    def _publish(self, file: BinaryIO | None, partial: Path, path: Path, sink: CacheSink) -> None:
        """Move a sealed entry to its place, or say why it is not kept."""
        if file is not None and sink.fault is None:
            try:
                file.close()
                partial.replace(path)
                sink.kept = True
                self._make_room(path)
            except OSError as fault:
                sink.fault = fault
        if sink.fault is None:
            self.fault = ""
            return
        self.fault = (
            f"{self.folder}: nothing can be kept in the cache ({sink.fault.strerror or sink.fault}). "
            "Waveforms are computed anew each time; free some space or choose another cache folder."
        )
        _log.warning("%s", self.fault)

    def _make_room(self, newest: Path) -> None:
        """Remove what was abandoned half-written, and what was used longest ago until the limit holds."""
        for path in self.folder.glob("*.part"):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > _ABANDONED_AFTER_S:
                    path.unlink()
        # The entry just written was used last, so it is the last to go: only if it alone is over the limit.
        os.utime(newest)
        newest_bytes = newest.stat().st_size
        self.shrink(max(self.limit_bytes, newest_bytes))


def temporary_cache(limit_bytes: int = USUAL_LIMIT_BYTES) -> AudioCache:
    """Return a cache in a folder of its own among the system's temporary files, removed with the last reference.

    Raises
    ------
    OSError
        If the system has no place for temporary files.
    """
    folder = Path(tempfile.mkdtemp(prefix="floorscope-"))
    cache = AudioCache(folder, limit_bytes)
    weakref.finalize(cache, shutil.rmtree, folder, ignore_errors=True)
    return cache
