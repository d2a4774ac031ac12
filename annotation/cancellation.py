"""How long work is told to stop: a token that it polls."""

from collections.abc import Callable

Progress = Callable[[float], None]
"""Called with the share done, 0 to 1."""


class CancelledError(Exception):
    """The work was told to stop; nothing is wrong."""


class CancelToken:
    """Set once by the one who waits, polled by the one who works (a bool is written and read whole in CPython)."""

    def __init__(self) -> None:
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        """Whether the work is to stop."""
        return self._cancelled

    def cancel(self) -> None:
        """Tell the work to stop."""
        self._cancelled = True

    def check(self) -> None:
        """Raise `CancelledError` if the work is to stop."""
        if self._cancelled:
            raise CancelledError


def share_of(progress: Progress, position: int, count: int) -> Progress:
    """Return the progress of one piece of work, `position` from 0 of `count` alike, reported as that of all."""
    return lambda share: progress((position + share) / count)


def no_progress(share: float) -> None:
    """Take a report of progress and do nothing with it."""
