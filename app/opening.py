"""What a path means: a project, or audio that gets a project of its own. Runs without Qt."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from annotation.audio.cache import AudioCache
from annotation.audio.decoding import READ_FORMATS
from annotation.cancellation import CancelToken, Progress
from annotation.corpus import Corpus, read_corpus
from annotation.errors import FloorscopeError
from annotation.project.project import Project
from annotation.study.pack_tables import PACK_SUFFIX

SUFFIX = ".floorscope"


class NothingToOpenError(FloorscopeError):
    """No conversation came out of what was given."""

    code = "nothing-to-open"


@dataclass(frozen=True, slots=True)
class Opened:
    """A project that was opened or made, and what was said about its material."""

    path: Path
    corpus: Corpus | None
    added: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


def is_project(path: Path) -> bool:
    """Return whether a path is taken for a project file, by its name."""
    return path.suffix == SUFFIX


def is_pack_name(path: Path) -> bool:
    """Return whether a path is taken for a study's pack, by its name."""
    return path.suffix == PACK_SUFFIX


def project_path_for(paths: Sequence[Path], folder: Path) -> Path:
    """Return where labels of audio are kept that was opened without a project: the same audio, the same project."""
    names = sorted(str(path.resolve()) for path in paths)
    digest = sha256("\n".join(names).encode()).hexdigest()[:8]
    stem = paths[0].resolve().stem or "audio"
    return folder / f"{stem}-{digest}{SUFFIX}"


def open_material(
    paths: Sequence[Path], *, folder: Path, cache: AudioCache | None = None, cancel: CancelToken, progress: Progress
) -> Opened:
    """Read audio files or folders into a project of their own (made, or found from the last time) and name it.

    Parameters
    ----------
    cache
        Where the sound of compressed files is kept that is decoded for its length.

    Raises
    ------
    NothingToOpenError
        If nothing in the paths can be opened; the sentence names the first reason.
    """
    corpus = read_corpus(paths, cache=cache, cancel=cancel, progress=progress)
    require_conversations(corpus, paths)
    path = project_path_for(paths, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    with Project.open(path) if path.exists() else Project.create(path) as project:
        report = project.add(corpus.conversations)
    return Opened(path, corpus, report.added, notices_of(corpus))


def require_conversations(corpus: Corpus, paths: Iterable[Path]) -> None:
    """Raise `NothingToOpenError` if a corpus has no conversation."""
    if corpus.conversations:
        return
    where = ", ".join(str(path) for path in paths)
    if corpus.refused:
        first = corpus.refused[0]
        more = f" ({len(corpus.refused) - 1} more refused)" if len(corpus.refused) > 1 else ""
        raise NothingToOpenError(f"{first.message}{more}", where=first.where)
    raise NothingToOpenError(
        "There is no audio here that can be read.", where=where, remedy=f"{READ_FORMATS} are read."
    )


def notices_of(corpus: Corpus) -> tuple[str, ...]:
    """Return warnings and refusals as sentences, refusals first."""
    refused = [f"Refused: {notice.where}: {notice.message}" for notice in corpus.refused]
    return tuple([*refused, *(f"{notice.where}: {notice.message}" for notice in corpus.warnings)])
