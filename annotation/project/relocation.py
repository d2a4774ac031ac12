"""Audio that is not where the project expects it: found again by one look, proven to be the same, and pointed to.

One file or folder is pointed out; all missing files are looked for from there: first where they must lie if the whole
tree was moved, then by name, then by size. Only a file that is proven to be the one that was imported is taken. Where
it was before stays in the table `relocation`.
"""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sqlite_utils import Database

from annotation.audio.cache import AudioCache
from annotation.audio.decoding import AudioRefusedError, probe_audio
from annotation.audio.fingerprint import fingerprint_of, sha256_of
from annotation.cancellation import CancelToken, Progress, no_progress
from annotation.notices import Notice
from annotation.project.check import ChannelIdentity, text_from_fingerprint
from annotation.project.database import now
from annotation.project.faults import ProjectError
from annotation.project.material import absolute_path, stored_path

MOST_FILES = 200_000
"""Files looked at in one folder; whoever points to a whole disk is told to point more closely."""


class Proof(StrEnum):
    """How a file was proven to be the one that was imported."""

    CONTENT = "content"
    """Its whole content has the hash that the project knows."""
    EDGES = "edges"
    """Size, both 64 KiB ends and the number of frames are those of the file; no full hash was known."""
    SHAPE = "shape"
    """Only rate, channels and frames agree, since the project knows nothing else of the file."""


@dataclass(frozen=True, slots=True)
class Match:
    """A missing file, and where it lies now."""

    missing: Path
    found: Path
    proof: Proof


@dataclass(frozen=True, slots=True)
class LocateReport:
    """What one look found; plain values, so that it can be printed as JSON.

    Parameters
    ----------
    matches
        Files that are the ones imported; nothing has been pointed to yet.
    unproven
        Files of which only the shape agrees; a person decides.
    different
        Files of the right name that are not the same, each with the reason.
    missing
        What was not found.
    repointed
        How many channels were pointed to what was found.
    """

    matches: tuple[Match, ...]
    unproven: tuple[Match, ...]
    different: tuple[Notice, ...]
    missing: tuple[Path, ...]
    repointed: int = 0


def missing_media(identities: Iterable[ChannelIdentity]) -> dict[Path, tuple[ChannelIdentity, ...]]:
    """Return the audio files that are not there, each with the channels that it carries."""
    missing: dict[Path, list[ChannelIdentity]] = defaultdict(list)
    there: dict[Path, bool] = {}
    for identity in identities:
        if not there.setdefault(identity.path, _is_file(identity.path)):
            missing[identity.path].append(identity)
    return {path: tuple(channels) for path, channels in missing.items()}


def locate_media(
    missing: Mapping[Path, tuple[ChannelIdentity, ...]],
    pointed: Path,
    token: CancelToken,
    progress: Progress = no_progress,
    cache: AudioCache | None = None,
) -> LocateReport:
    """Return where missing files are found, from one file or folder that a person points to; nothing is changed.

    Raises
    ------
    ProjectError
        If there is no such place, or too many files are in it.
    CancelledError
        If `token` was set.
    """
    if not pointed.exists():
        raise ProjectError("There is no such file or folder.", where=str(pointed))
    folder = pointed if pointed.is_dir() else pointed.parent
    places = _Places(folder, token)
    roots = _moved_roots(missing, pointed)
    matches: list[Match] = []
    unproven: list[Match] = []
    different: list[Notice] = []
    lost: list[Path] = []
    for number, (path, channels) in enumerate(missing.items()):
        token.check()
        progress(number / len(missing))
        reasons: list[Notice] = []
        match = None
        for candidate in places.candidates(path, channels, roots, pointed):
            proof = _proof(candidate, channels, token, cache)
            if isinstance(proof, Proof):
                match = Match(path, candidate, proof)
                break
            if _name(candidate) == _name(path):
                reasons.append(Notice("audio-different", str(candidate), f"Not the same as {path.name}: {proof}"))
        if match is None:
            lost.append(path)
            different += reasons
        else:
            (unproven if match.proof is Proof.SHAPE else matches).append(match)
            roots = [*roots, *_moved_roots([path], match.found)]
    progress(1.0)
    return LocateReport(tuple(matches), tuple(unproven), tuple(different), tuple(lost))


def repoint(db: Database, folder: Path, moves: Mapping[Path, Path]) -> int:
    """Point channels from files to others inside the caller's transaction, and return how many there were.

    Raises
    ------
    AudioRefusedError
        If a new file cannot be read.
    """
    rows = db.execute("SELECT conversation, position, path FROM channel WHERE path IS NOT NULL").fetchall()
    fingerprints = {path: text_from_fingerprint(fingerprint_of(path)) for path in set(moves.values())}
    changed = 0
    for conversation, position, stored in rows:
        target = moves.get(absolute_path(stored, folder))
        after = None if target is None else stored_path(target, folder)
        if target is None or after is None or after == stored:
            continue
        db.execute(
            "UPDATE channel SET path = ?, fingerprint = ? WHERE conversation = ? AND position = ?",
            [after, fingerprints[target], conversation, position],
        )
        db.execute(
            'INSERT INTO relocation (conversation, position, at, "before", "after") VALUES (?, ?, ?, ?, ?)',
            [conversation, position, now(), stored, after],
        )
        changed += 1
    return changed


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _parts(path: Path) -> list[str]:
    """Return the parts of a path, of a Windows path on another system too: one with a drive and backslashes."""
    return [part for part in re.split(r"[\\/]", str(path)) if part]


def _name(path: Path) -> str:
    return _parts(path)[-1].casefold()


def _moved_roots(missing: Iterable[Path], pointed: Path) -> list[tuple[list[str], Path]]:
    """Return which tree became which, if a file was pointed to: the parts in which old and new path differ."""
    roots = []
    if not pointed.is_dir():
        new = pointed.absolute()
        for path in missing:
            old = _parts(path)
            if _name(path) == _name(new):
                common = 1
                while common < min(len(old), len(new.parts) - 1) and old[-common - 1] == new.parts[-common - 1]:
                    common += 1
                roots.append((old[:-common], Path(*new.parts[:-common])))
    return roots


class _Places:
    """The files under a folder, by name and by size; listed when first needed."""

    def __init__(self, folder: Path, token: CancelToken) -> None:
        self._folder = folder
        self._token = token
        self._by_name: dict[str, list[Path]] | None = None
        self._sizes: dict[int, list[Path]] | None = None

    def candidates(
        self,
        path: Path,
        channels: Sequence[ChannelIdentity],
        roots: Sequence[tuple[list[str], Path]],
        pointed: Path,
    ) -> Iterator[Path]:
        """Yield where a missing file may be, the likeliest place first, each once."""
        seen: set[Path] = set()
        for candidate in self._guesses(path, channels, roots, pointed):
            whole = candidate.absolute()
            if whole not in seen and _is_file(whole):
                seen.add(whole)
                yield whole

    def _guesses(
        self,
        path: Path,
        channels: Sequence[ChannelIdentity],
        roots: Sequence[tuple[list[str], Path]],
        pointed: Path,
    ) -> Iterator[Path]:
        parts = _parts(path)
        if not pointed.is_dir() and (_name(path) == _name(pointed)):
            yield pointed
        for old, new in roots:
            if parts[: len(old)] == old:
                yield new.joinpath(*parts[len(old) :])
        # The folder may stand for any part of the old tree: try the longest tail first.
        for start in range(len(parts)):
            yield self._folder.joinpath(*parts[start:])
        yield from sorted(self._named(_name(path)), key=lambda found: -_common_tail(parts, found))
        sizes = {channel.fingerprint.size for channel in channels if channel.fingerprint}
        for size in sizes:
            yield from self._sized(size)

    def _named(self, name: str) -> list[Path]:
        if self._by_name is None:
            self._by_name = defaultdict(list)
            for number, file in enumerate(self._files()):
                if number >= MOST_FILES:
                    raise ProjectError(
                        f"There are more than {MOST_FILES:,} files in this folder.",
                        where=str(self._folder),
                        remedy="Point to the folder that holds the audio.",
                    )
                self._by_name[file.name.casefold()].append(file)
        return self._by_name.get(name, [])

    def _sized(self, size: int) -> list[Path]:
        if self._sizes is None:
            self._named("")
            self._sizes = defaultdict(list)
            for files in (self._by_name or {}).values():
                for file in files:
                    if _is_file(file):
                        self._sizes[file.stat().st_size].append(file)
        return self._sizes.get(size, [])

    def _files(self) -> Iterator[Path]:
        for folder, folders, names in os.walk(self._folder):
            self._token.check()
            folders.sort()
            yield from (Path(folder, name) for name in sorted(names))


def _common_tail(parts: list[str], found: Path) -> int:
    common = 0
    for old, new in zip(reversed(parts), reversed(found.parts), strict=False):
        if old.casefold() != new.casefold():
            break
        common += 1
    return common


def _proof(
    candidate: Path, channels: Sequence[ChannelIdentity], token: CancelToken, cache: AudioCache | None
) -> Proof | str:
    """Return how a file is proven to be the one that was imported, or why it is not."""
    try:
        fingerprint = fingerprint_of(candidate)
        known = next((channel.fingerprint for channel in channels if channel.fingerprint), None)
        digest = next((channel.sha256 for channel in channels if channel.sha256), None)
        if known is not None and known.size != fingerprint.size:
            return f"it has {fingerprint.size:,} bytes, not {known.size:,}."
        if known is not None and known.edges_sha256 != fingerprint.edges_sha256:
            return "its content is another."
        if digest is not None:
            return Proof.CONTENT if sha256_of(candidate, token, no_progress) == digest else "its content is another."
        info = probe_audio(candidate, cache, token)
    except AudioRefusedError as fault:
        return fault.what
    for channel in channels:
        if (channel.rate_hz, channel.frames) != (info.rate_hz, info.frames) or channel.index >= info.channels:
            return (
                f"it has {info.frames:,} frames at {info.rate_hz:,} Hz, not {channel.frames:,} at {channel.rate_hz:,}."
            )
    return Proof.EDGES if known is not None else Proof.SHAPE
