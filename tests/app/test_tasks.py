import threading
from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from annotation.cancellation import CancelToken
from app.tasks import TaskRunner


def unexpected(outcome: object) -> None:
    pytest.fail(f"called back with {outcome!r}")


@pytest.fixture
def runner(qtbot: QtBot) -> TaskRunner:
    return TaskRunner()


def test_the_result_comes_on_the_main_thread(runner: TaskRunner, qtbot: QtBot) -> None:
    threads: list[threading.Thread] = []
    runner.submit(
        "work",
        lambda token, progress: threading.current_thread(),
        on_done=lambda worker: threads.extend([worker, threading.current_thread()]),
        on_error=unexpected,
    )
    qtbot.waitUntil(lambda: len(threads) == 2)
    assert threads[0] is not threading.main_thread()
    assert threads[1] is threading.main_thread()
    runner.close()


def test_an_error_goes_to_its_callback(runner: TaskRunner, qtbot: QtBot) -> None:
    errors: list[Exception] = []

    def work(token: CancelToken, progress: Callable[[float], None]) -> None:
        raise ValueError("no")

    runner.submit("work", work, on_done=unexpected, on_error=errors.append)
    qtbot.waitUntil(lambda: bool(errors))
    assert str(errors[0]) == "no"
    runner.close()


def test_a_cancelled_task_calls_nothing_back(runner: TaskRunner, qtbot: QtBot) -> None:
    begun, go = threading.Event(), threading.Event()

    def work(token: CancelToken, progress: Callable[[float], None]) -> None:
        begun.set()
        go.wait(5)
        token.check()

    task = runner.submit("work", work, on_done=unexpected, on_error=unexpected)
    assert begun.wait(5)
    runner.cancel(task)
    go.set()
    qtbot.waitUntil(lambda: not runner.tasks)
    runner.close()


def test_closing_waits_for_what_runs_and_drops_its_result(runner: TaskRunner) -> None:
    ended = threading.Event()

    def work(token: CancelToken, progress: Callable[[float], None]) -> None:
        while not token.cancelled:
            threading.Event().wait(0.01)
        ended.set()

    runner.submit("work", work, on_done=unexpected, on_error=unexpected)
    runner.close()
    assert ended.is_set()


def test_progress_is_kept_with_the_task(runner: TaskRunner, qtbot: QtBot) -> None:
    go = threading.Event()

    def work(token: CancelToken, progress: Callable[[float], None]) -> None:
        progress(0.5)
        go.wait(5)

    task = runner.submit("work", work, on_done=lambda _: None, on_error=unexpected)
    qtbot.waitUntil(lambda: task.share == 0.5)
    go.set()
    qtbot.waitUntil(lambda: not runner.tasks)
    runner.close()


def test_work_of_a_moment_does_not_wait_behind_long_work(runner: TaskRunner, qtbot: QtBot) -> None:
    go_on = threading.Event()
    done: list[str] = []

    def long(token: CancelToken, progress: Callable[[float], None]) -> str:
        go_on.wait(30)
        return "long"

    for _ in range(20):
        runner.submit("long", long, on_done=done.append, on_error=unexpected)
    runner.submit("", lambda token, progress: "short", on_done=done.append, on_error=unexpected)
    qtbot.waitUntil(lambda: done == ["short"])
    go_on.set()
    qtbot.waitUntil(lambda: len(done) == 21)
    runner.close()
