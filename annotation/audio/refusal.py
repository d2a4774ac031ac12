"""Why a sound file cannot be read, in a form that a user can act on and a script can sort by."""

from pathlib import Path

from annotation.errors import FloorscopeError


class AudioRefusedError(FloorscopeError):
    """A file whose sound cannot be read without guessing; it costs its item, never the batch.

    Parameters
    ----------
    what, where, remedy
        As in `FloorscopeError`; `where` may be the file's path.
    code
        One of ``audio-missing``, ``audio-unreadable``, ``audio-empty``, ``audio-format``, ``audio-header``,
        ``audio-encoding``, ``audio-rate``, ``audio-channels``, ``audio-truncated``, ``audio-damaged``,
        ``audio-changed``, ``audio-no-room``.
    """

    code = "audio-refused"

    def __init__(self, what: str, *, code: str, where: str | Path = "", remedy: str = "") -> None:
        super().__init__(what, where=str(where), remedy=remedy)
        self.code = code


def refusal_of_fault(path: Path, fault: OSError) -> AudioRefusedError:
    """Return the refusal that says what the operating system found wrong with `path`."""
    if isinstance(fault, FileNotFoundError):
        return AudioRefusedError(
            "There is no such file.",
            code="audio-missing",
            where=path,
            remedy="Put it back, or say where it is now.",
        )
    reason = fault.strerror or type(fault).__name__
    return AudioRefusedError(
        f"The file cannot be read: {reason}.",
        code="audio-unreadable",
        where=path,
        remedy="Check the disk and the file’s permissions.",
    )
