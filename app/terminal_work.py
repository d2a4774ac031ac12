"""Long work on the command line: a bar where stderr is a terminal, and Ctrl+C that lets the work stop cleanly."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from annotation.cancellation import CancelToken, Progress


@contextmanager
def terminal_work(what: str) -> Iterator[tuple[CancelToken, Progress]]:
    """Give a token that Ctrl+C sets, and a progress that shows on stderr and leaves nothing behind.

    A second Ctrl+C ends the program as it always does. Within a decoder’s callback an exception would be lost and the
    sound end there, so the first one only sets the token.
    """
    token = CancelToken()

    def stop(number: int, frame: Any) -> None:
        token.cancel()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    # Only the main thread hears of signals; a test may call from another.
    in_charge = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, stop) if in_charge else None
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    try:
        with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
            task = bar.add_task(what, total=1.0)
            yield token, lambda share: bar.update(task, completed=share)
    finally:
        if in_charge:
            signal.signal(signal.SIGINT, before)
