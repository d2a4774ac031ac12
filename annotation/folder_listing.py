"""What lies in the folders that a user opens: sound, event files and corpus manifests, in natural order.

A file is told by its first bytes; its name only says which files to look into. Everything else is passed over.
"""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from annotation.audio.aiff import AIFF_MAGIC, AIFF_TYPES
from annotation.audio.flac import FLAC_MAGIC
from annotation.audio.mpeg import ID3_MAGIC
from annotation.audio.ogg import OGG_MAGIC
from annotation.audio.wav import WAV_MAGICS
from annotation.cancellation import CancelToken
from annotation.formats.catalogue import EVENT_SUFFIXES, HEAD_BYTES, event_format_of_head
from annotation.formats.manifest import MANIFEST_NAME, is_manifest
from annotation.notices import Notice

MOST_FILES = 200_000
"""Files looked at in one go; what lies beyond is named in a notice."""

AUDIO_SUFFIXES = frozenset(
    (
        *(".wav", ".wave", ".flac", ".mp3", ".ogg", ".oga", ".opus", ".aif", ".aiff", ".aifc"),
        *(".m4a", ".aac", ".wma", ".mp2", ".w64", ".caf", ".sph", ".au", ".amr", ".weba"),
    )
)
"""What is looked into as sound by its name; some of it will be refused, and says so by name."""


class FileRole(StrEnum):
    """What a file is to an import."""

    AUDIO = "audio"
    EVENTS = "events"
    MANIFEST = "manifest"


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file, and where it lies below what the user named.

    Parameters
    ----------
    root
        The folder that was opened, or the folder of a file that was opened.
    folder
        Path of the file's folder below `root`, with “/”; empty in the root itself.
    named
        Whether the user named this very file.
    """

    path: Path
    role: FileRole
    root: Path
    folder: str
    named: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """Files by role in natural order, and what could not be listed."""

    files: tuple[ListedFile, ...]
    warnings: tuple[Notice, ...] = ()
    refused: tuple[Notice, ...] = ()

    def of_role(self, role: FileRole) -> tuple[ListedFile, ...]:
        """Return the files of one role."""
        return tuple(file for file in self.files if file.role is role)


def natural_order(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that puts “speaker 2” before “speaker 10”, whatever the case."""
    parts = re.split(r"(\d+)", text)
    return (
        *(
            (0, len(part.lstrip("0")), part.lstrip("0")) if part.isdecimal() else (1, 0, part.casefold())
            for part in parts
            if part
        ),
        (-1, 0, text),
    )


def printable(name: str) -> str:
    """Return a file name as text that any file can hold: bytes that are no UTF-8 become question marks."""
    return name.encode("utf-8", errors="replace").decode("utf-8")


def list_files(paths: Sequence[Path], *, cancel: CancelToken | None = None) -> Listing:
    """Return the files that matter in the files and folders named, each once.

    A folder with a manifest is described by it: nothing else in that folder or below is listed. Hidden files are
    passed over. Links to folders are followed, each folder once.
    """
    walk = _Walk(cancel or CancelToken())
    for path in paths:
        kind = _kind_of(path)
        if kind == "folder":
            walk.take_folder(path)
        elif kind == "file":
            walk.take_named_file(path)
        elif kind == "other":
            walk.refused.append(Notice("unreadable", str(path), "This is neither a file nor a folder."))
        else:
            walk.refused.append(Notice("missing", str(path), "There is no such file or folder."))
    order = sorted(walk.files, key=lambda file: (natural_order(file.folder), natural_order(file.path.name)))
    return Listing(tuple(order), tuple(walk.warnings), tuple(walk.refused))


class _Walk:
    def __init__(self, cancel: CancelToken) -> None:
        self.files: list[ListedFile] = []
        self.warnings: list[Notice] = []
        self.refused: list[Notice] = []
        self._cancel = cancel
        self._folders: set[tuple[int, int]] = set()
        self._taken: set[str] = set()
        self._looked_at = 0

    def take_named_file(self, path: Path) -> None:
        role = _role_of(path) or FileRole.AUDIO
        if role is FileRole.AUDIO and path.suffix.lower() in EVENT_SUFFIXES | {".json"}:
            self.refused.append(
                Notice("unknown-format", str(path), "This is neither sound nor an event file that is known here.")
            )
            return
        self._take(ListedFile(path, role, path.parent, "", named=True))

    def take_folder(self, root: Path) -> None:
        waiting = [(root, "")]
        while waiting:
            folder, below = waiting.pop()
            self._cancel.check()
            if not self._enter(folder):
                continue
            manifest = folder / MANIFEST_NAME
            if manifest.is_file():
                self._take(ListedFile(manifest, FileRole.MANIFEST, root, below))
                continue
            for entry in self._entries(folder):
                if _kind_of(folder / entry.name) == "folder":
                    waiting.append((folder / entry.name, f"{below}/{entry.name}".lstrip("/")))
                elif not self._take_entry(folder / entry.name, root, below):
                    return

    def _take_entry(self, path: Path, root: Path, below: str) -> bool:
        """Take a file if it matters; return whether there is room for more."""
        if self._looked_at >= MOST_FILES:
            self.warnings.append(
                Notice("too-many-files", str(path.parent), f"Only the first {MOST_FILES:,} files were looked at.")
            )
            return False
        self._looked_at += 1
        role = _role_of(path)
        if role is not None and role is not FileRole.MANIFEST:
            self._take(ListedFile(path, role, root, below))
        return True

    def _take(self, file: ListedFile) -> None:
        real = os.path.realpath(file.path)
        if real not in self._taken:
            self._taken.add(real)
            self.files.append(file)

    def _enter(self, folder: Path) -> bool:
        """Return whether a folder is entered for the first time, so that links in a circle end."""
        try:
            status = folder.stat()
        except OSError:
            return False
        key = (status.st_dev, status.st_ino)
        if key in self._folders:
            return False
        self._folders.add(key)
        return True

    def _entries(self, folder: Path) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                found = sorted((entry for entry in entries if not entry.name.startswith(".")), key=lambda e: e.name)
        except OSError as error:
            self.refused.append(Notice("unreadable", str(folder), f"The folder cannot be read: {error.strerror}."))
            return
        yield from (entry for entry in found if _kind_of(folder / entry.name) in ("folder", "file"))


def _kind_of(path: Path) -> str:
    """Return ``folder``, ``file``, ``other`` (a pipe), or nothing for what is not there or leads in a circle."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return ""
    return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "other"


def _role_of(path: Path) -> FileRole | None:
    """Return what a file is to an import, by its content where its name raises the question; else None."""
    suffix = path.suffix.lower()
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES if suffix in EVENT_SUFFIXES or suffix == ".json" else 16)
    except OSError:
        return FileRole.AUDIO if suffix in AUDIO_SUFFIXES else None
    if _is_audio(head) or suffix in AUDIO_SUFFIXES:
        return FileRole.AUDIO
    if suffix == ".json":
        return FileRole.MANIFEST if is_manifest(head) else None
    if suffix in EVENT_SUFFIXES and event_format_of_head(head, path) is not None:
        return FileRole.EVENTS
    return None


def _is_audio(head: bytes) -> bool:
    riff = head[:4] in WAV_MAGICS and head[8:12] == b"WAVE"
    aiff = head[:4] == AIFF_MAGIC and head[8:12] in AIFF_TYPES
    return riff or aiff or head[:4] in (FLAC_MAGIC, OGG_MAGIC) or head[:3] == ID3_MAGIC
