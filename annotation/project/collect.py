"""Collecting audio: every file that the project refers to is copied into one folder beside it, verified, and used.

The originals are only read. Each copy gets its name after its hash was compared with the original's; the channels are
pointed to the copies in one transaction at the end. An interrupted collection changes nothing in the project, and the
next one goes on with the copies that are there.
"""

import hashlib
import os
import re
import shutil
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from annotation.audio.fingerprint import sha256_of
from annotation.audio.refusal import AudioRefusedError
from annotation.cancellation import CancelToken, Progress, no_progress
from annotation.notices import Notice
from annotation.project.check import ChannelIdentity
from annotation.project.database import sync_folder
from annotation.project.faults import ProjectError, ProjectWriteError

_BLOCK_BYTES = 1 << 20
_SPARE_BYTES = 256 << 10
_LONGEST_NAME = 120
_RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))})


@dataclass(frozen=True, slots=True)
class CollectReport:
    """What a collection did; plain values, so that it can be printed as JSON.

    Parameters
    ----------
    copied, already_there
        Files copied now, and files that lay in the folder already.
    repointed
        How many channels were pointed to copies.
    missing
        Files that could not be read; their channels stay as they are.
    """

    folder: Path
    copied: int
    already_there: int
    bytes_copied: int
    repointed: int
    missing: tuple[Notice, ...]


@dataclass(frozen=True, slots=True)
class Collected:
    """Copies that lie ready, by original, before the project uses them."""

    moves: Mapping[Path, Path]
    hashes: Mapping[Path, str]
    report: CollectReport


def collected_folder(project: Path) -> Path:
    """Return the folder beside a project that its audio is collected in."""
    return project.with_name(f"{project.stem}-audio")


def collect_files(
    project: Path, identities: Iterable[ChannelIdentity], token: CancelToken, progress: Progress = no_progress
) -> Collected:
    """Copy every file that is not in the folder yet, and return where each lies; the project is not touched.

    Raises
    ------
    ProjectError
        If there is no room for all of them, or one cannot be written.
    CancelledError
        If `token` was set; whole copies stay for the next time.
    """
    folder = collected_folder(project)
    identities = tuple(identities)
    files = list(dict.fromkeys(identity.path for identity in identities))
    known = {identity.path: identity.sha256 for identity in identities if identity.sha256}
    inside = [file for file in files if file.parent == folder]
    outside = [file for file in files if file.parent != folder]
    sizes, missing = _sizes(outside)
    taken = {file.name.casefold() for file in inside}
    moves: dict[Path, Path] = {}
    hashes: dict[Path, str] = {}
    _require_room(project.parent, sum(sizes.values()) - _there(folder, outside))
    copied = done = 0
    total = max(1, sum(sizes.values()))
    try:
        folder.mkdir(exist_ok=True)
        for abandoned in folder.glob(".draft-*"):
            abandoned.unlink(missing_ok=True)
        for file, size in sizes.items():
            step = _Step(token, _share_of(progress, done / total, size / total))
            target, fresh, digest = _copy(file, folder, taken, step)
            taken.add(target.name.casefold())
            copied += fresh
            done += size
            if known.get(file, digest) == digest:
                moves[file], hashes[file] = target, digest
            else:
                message = "The file is not the one that was imported, so its channels stay with it."
                missing.append(Notice("audio-changed", str(file), message))
        sync_folder(folder)
    except OSError as error:
        raise ProjectWriteError(
            f"The audio cannot be copied: {error.strerror}.",
            where=str(folder),
            remedy="Free some space or check the folder, and collect again; the project was not changed.",
        ) from error
    except AudioRefusedError as error:
        raise ProjectError(f"{error.what} The project was not changed.", where=error.where) from error
    report = CollectReport(folder, copied, len(inside) + len(moves) - copied, done, 0, tuple(missing))
    return Collected(moves, hashes, report)


@dataclass(frozen=True, slots=True)
class _Step:
    token: CancelToken
    progress: Progress


def _share_of(progress: Progress, start: float, length: float) -> Progress:
    return lambda share: progress(min(1.0, start + share * length))


def _sizes(files: Iterable[Path]) -> tuple[dict[Path, int], list[Notice]]:
    sizes: dict[Path, int] = {}
    missing = []
    for file in files:
        try:
            sizes[file] = file.stat().st_size
        except OSError as error:
            missing.append(Notice("audio-missing", str(file), f"The file cannot be copied: {error.strerror}."))
    return sizes, missing


def _there(folder: Path, files: Iterable[Path]) -> int:
    """Return how many bytes an earlier collection has copied already, as far as names and sizes tell."""
    total = 0
    for file in files:
        copy = folder / safe_name(file.name)
        if copy.is_file() and file.is_file() and copy.stat().st_size == file.stat().st_size:
            total += copy.stat().st_size
    return total


def _require_room(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if needed > 0 and needed + _SPARE_BYTES > free:
        raise ProjectWriteError(
            f"The audio needs {needed / 1e6:,.1f} MB and the disk has {free / 1e6:,.1f} MB left.",
            where=str(folder),
            remedy="Free some space, and collect again; nothing was copied or changed.",
        )


def safe_name(name: str) -> str:
    """Return a file name that every system takes, as like the one given as can be."""
    text = unicodedata.normalize("NFC", re.split(r"[\\/]", name)[-1])
    text = re.sub(r'[<>:"|?*\x00-\x1f]', "_", text).rstrip(" .").lstrip()
    stem, dot, suffix = text.rpartition(".")
    if not dot:
        stem, suffix = text, ""
    if not stem or stem.casefold() in _RESERVED:
        stem = f"audio_{stem}".rstrip("_")
    ending = f".{suffix}" if suffix else ""
    while len((stem + ending).encode()) > _LONGEST_NAME:
        # A suffix as long as that is none.
        stem, ending = (stem[:-1], ending) if len(stem) > 1 else (stem + ending, "")
    return (stem + ending).rstrip(" .")


def _copy(source: Path, folder: Path, taken: set[str], step: _Step) -> tuple[Path, bool, str]:
    """Copy a file under a free name, and return the copy, whether it is new, and the hash of both."""
    name = safe_name(source.name)
    stem, suffix = Path(name).stem, Path(name).suffix
    number = 1
    digest = ""
    while True:
        target = folder / (name if number == 1 else f"{stem} ({number}){suffix}")
        if target.name.casefold() not in taken:
            if not target.exists():
                break
            # Left by an earlier collection, or by somebody: it is used only if it is this very file.
            digest = digest or sha256_of(source, step.token, no_progress)
            if target.is_file() and sha256_of(target, step.token, no_progress) == digest:
                return target, False, digest
        number += 1
    return target, True, _copy_verified(source, target, step)


def _copy_verified(source: Path, target: Path, step: _Step) -> str:
    draft = target.with_name(f".draft-{uuid4().hex}")
    digest = hashlib.sha256()
    try:
        with source.open("rb") as reader, draft.open("xb") as writer:
            size = max(1, os.fstat(reader.fileno()).st_size)
            while block := reader.read(_BLOCK_BYTES):
                step.token.check()
                digest.update(block)
                writer.write(block)
                step.progress(min(1.0, writer.tell() / size))
            writer.flush()
            os.fsync(writer.fileno())
        shutil.copystat(source, draft)
        if sha256_of(draft, step.token, no_progress) != digest.hexdigest():
            raise ProjectWriteError("The copy is not what was copied.", where=str(source), remedy="Check the disk.")
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
    return digest.hexdigest()
