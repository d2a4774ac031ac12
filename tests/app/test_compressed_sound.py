"""Compressed sound in the window: decoded when material is opened, decoded again when it went from the cache."""

from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]
from pytestqt.qtbot import QtBot

from annotation.project.project import Project
from app.main_window import MainWindow

RATE_HZ = 16_000
TONE = (0.5 * np.sin(np.arange(3 * RATE_HZ) * 0.1)).astype(np.float32)


@pytest.fixture
def project(tmp_path: Path, window: MainWindow, qtbot: QtBot) -> Path:
    """Return a project over an MP3 that was opened in the window."""
    soundfile.write(tmp_path / "talk.mp3", TONE, RATE_HZ)
    window.open_paths([tmp_path / "talk.mp3"])
    settle(window, qtbot)
    assert window.project is not None
    return window.project.path


def settle(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.page is not None and not window.tasks.tasks, timeout=30_000)


def drawn(window: MainWindow) -> bool:
    """Return whether the page shows the sound of its only speaker."""
    assert window.page is not None
    content = window.page.view.timeline.content
    assert content is not None
    waveform = content.lanes[0].waveform
    if waveform is None:
        return False
    _, largest = waveform.columns(np.array([0, RATE_HZ], dtype=np.int64))
    return bool(largest[0] > 0.4)


def heard(window: MainWindow) -> bool:
    """Return whether the page’s sound is there."""
    assert window.page is not None
    mixer = window.page._mixers[-1]
    return bool(np.abs(mixer._signals[0].read(0, RATE_HZ)).max() > 0.4)


def test_an_mp3_is_decoded_drawn_and_heard(window: MainWindow, project: Path) -> None:
    assert drawn(window)
    assert heard(window)


def test_sound_that_went_from_the_cache_is_decoded_in_the_background(
    window: MainWindow, project: Path, qtbot: QtBot
) -> None:
    window.close_project()
    for entry in window.audio_cache.folder.iterdir():
        entry.unlink()
    window.open_project(project)
    assert [task.label for task in window.tasks.tasks if "Decoding" in task.label] == ["Decoding talk.mp3"]
    assert not drawn(window)
    settle(window, qtbot)
    assert drawn(window)
    assert heard(window)


def test_another_file_in_the_place_of_a_compressed_one_is_refused(
    window: MainWindow, project: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    window.close_project()
    soundfile.write(tmp_path / "talk.mp3", TONE[:RATE_HZ], RATE_HZ)
    window.open_project(project)
    settle(window, qtbot)
    qtbot.waitUntil(lambda: any("The file has changed" in text for text in window.messages.texts))
    assert not drawn(window)


def test_a_project_over_an_mp3_holds_the_frames_that_were_decoded(project: Path) -> None:
    with Project.open(project, read_only=True) as opened:
        (row,) = opened.conversations()
        assert opened.conversation(row.id).channels[0].frames == len(TONE)
