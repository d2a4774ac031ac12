"""Long work off the main thread: one runner a window, callbacks on the main thread, none after cancel."""

import logging
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from annotation.cancellation import CancelledError, CancelToken

_log = logging.getLogger(__name__)
Result = TypeVar("Result")


@dataclass(eq=False, slots=True)
class Task(Generic[Result]):
    """One piece of work under way; `label` is what the status line says of it, empty for work of a moment."""

    label: str
    token: CancelToken
    future: "Future[Result] | None" = None
    share: float = 0.0


class TaskRunner(QObject):
    """Runs Qt-free functions in threads.

    Work is ``work(token, progress)``; `on_done` and `on_error` are called on the main thread through one queued
    signal, and never once the task was cancelled or the runner closed.
    """

    changed = Signal()
    _call = Signal(object)

    def __init__(self, *, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 2), thread_name_prefix="task")
        # What somebody waits for in front of the picture is not to stand in line behind an hour of work.
        self._quick = ThreadPoolExecutor(max_workers=2, thread_name_prefix="quick")
        self._tasks: list[Task[object]] = []
        self._closed = False
        self._call.connect(lambda call: call(), Qt.ConnectionType.QueuedConnection)

    @property
    def tasks(self) -> tuple[Task[object], ...]:
        """What is under way, oldest first."""
        return tuple(self._tasks)

    def submit(
        self,
        label: str,
        work: Callable[[CancelToken, Callable[[float], None]], Result],
        *,
        on_done: Callable[[Result], None],
        on_error: Callable[[Exception], None],
    ) -> Task[Result]:
        """Start work and return its task; work without a label, over in a moment, does not wait behind the rest."""
        task: Task[Result] = Task(label, CancelToken())

        def report(share: float) -> None:
            if share >= task.share + 0.01:
                task.share = share
                self.post(self.changed.emit)

        task.future = (self._pool if label else self._quick).submit(work, task.token, report)
        self._tasks.append(task)  # type: ignore[arg-type]
        task.future.add_done_callback(lambda future: self.post(lambda: self._finish(task, future, on_done, on_error)))
        self.changed.emit()
        return task

    def post(self, call: Callable[[], None]) -> None:
        """Run a call on the main thread, from any thread; dropped after close."""
        if not self._closed:
            self._call.emit(call)

    def cancel(self, task: Task[Result]) -> None:
        """Tell a task to stop; its callbacks are not called any more."""
        task.token.cancel()

    def close(self) -> None:
        """Cancel everything and wait for it."""
        self._closed = True
        for task in self._tasks:
            task.token.cancel()
        for pool in (self._pool, self._quick):
            pool.shutdown(wait=True, cancel_futures=True)
        self._tasks.clear()

    def _finish(
        self,
        task: Task[Result],
        future: "Future[Result]",
        on_done: Callable[[Result], None],
        on_error: Callable[[Exception], None],
    ) -> None:
        if task in self._tasks:
            self._tasks.remove(task)  # type: ignore[arg-type]
        self.changed.emit()
        if self._closed or task.token.cancelled or future.cancelled():
            return
        error = future.exception()
        if error is None:
            on_done(future.result())
        elif isinstance(error, CancelledError):
            return
        elif isinstance(error, Exception):
            _log.info("task %s failed: %s", task.label, error)
            on_error(error)
