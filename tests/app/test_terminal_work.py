import os
import signal

import pytest

from annotation.cancellation import CancelledError
from app.terminal_work import terminal_work


def test_the_first_interruption_only_sets_the_token() -> None:
    before = signal.getsignal(signal.SIGINT)
    with terminal_work("Reading") as (token, progress):
        progress(0.5)
        assert not token.cancelled
        os.kill(os.getpid(), signal.SIGINT)
        assert token.cancelled
        with pytest.raises(CancelledError):
            token.check()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) == before


def test_nothing_shows_where_there_is_no_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    with terminal_work("Reading") as (_, progress):
        progress(1.0)
    assert capfd.readouterr() == ("", "")
