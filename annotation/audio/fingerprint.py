"""Which file this is: a fingerprint that costs a millisecond, and the full hash for when it has to be certain.

The fingerprint names entries of the cache. Size, modification time and both edges of the content are in it, so that a
file that was cut, exchanged or saved anew gets a new one. A change in the middle under the old size and an old time set
by hand goes unseen here; the full hash, which a project check compares, sees it.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from annotation.audio.random_access import RandomAccessFile
from annotation.cancellation import CancelToken, Progress

EDGE_BYTES = 64 * 1024
"""How much of each end of the file is hashed."""

_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Size in bytes, modification time in nanoseconds, and the hash of the first and last 64 KiB."""

    size: int
    modified_ns: int
    edges_sha256: str

    @property
    def key(self) -> str:
        """Thirty-two hexadecimal digits made of all three, usable as a file name."""
        text = f"{self.size}:{self.modified_ns}:{self.edges_sha256}"
        return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]


def fingerprint_of(path: Path) -> Fingerprint:
    """Return the fingerprint of a file as it is now.

    Raises
    ------
    AudioRefusedError
        If the file is missing or unreadable.
    """
    with RandomAccessFile(path) as file:
        return fingerprint_of_file(file)


def fingerprint_of_file(file: RandomAccessFile) -> Fingerprint:
    """Return the fingerprint of a file that is open: of the very file that is read, whatever stands at its path now.

    Raises
    ------
    AudioRefusedError
        If the file is unreadable.
    """
    edges = hashlib.sha256(file.available(0, EDGE_BYTES))
    edges.update(file.available(max(0, file.size - EDGE_BYTES), EDGE_BYTES))
    return Fingerprint(file.size, file.modified_ns, edges.hexdigest())


def sha256_of(path: Path, token: CancelToken, progress: Progress) -> str:
    """Return the hash of the whole content, as hexadecimal digits.

    Raises
    ------
    AudioRefusedError
        If the file is missing, unreadable or shrinks meanwhile.
    CancelledError
        If `token` was set.
    """
    digest = hashlib.sha256()
    with RandomAccessFile(path) as file:
        for offset in range(0, file.size, _BLOCK_BYTES):
            token.check()
            digest.update(file.exactly(offset, min(_BLOCK_BYTES, file.size - offset)))
            progress(min(1.0, (offset + _BLOCK_BYTES) / file.size))
    return digest.hexdigest()
