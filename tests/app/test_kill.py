import getpass
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]

from annotation.cancellation import CancelToken, no_progress
from annotation.conversation import Channel, Conversation
from annotation.project.check import check_project
from annotation.project.project import Project
from annotation.sources import ImportedConversation

CHECKOUT = Path(__file__).parents[2]
KILLS = int(os.environ.get("FLOORSCOPE_KILLS", "20"))
"""How many sessions are killed; a release check sets 300."""
RATE = 8000
NAMES = ("first", "second")


class Killed(NamedTuple):
    project: Path
    shown: set[str]
    lost: set[str]
    problems: list[str]


def make_project(folder: Path) -> Path:
    noise = np.random.default_rng(1).normal(0, 0.1, RATE).astype(np.float32)
    conversations = []
    for name in NAMES:
        channels = []
        for speaker in ("anna", "ben", "cleo"):
            path = folder / f"{name}_{speaker}.wav"
            soundfile.write(path, noise, RATE, subtype="PCM_16")
            channels.append(Channel(speaker, path, 0, RATE, RATE))
        conversations.append(ImportedConversation(Conversation(name, RATE, tuple(channels))))
    path = folder / "killed.floorscope"
    with Project.create(path) as made:
        made.add(conversations)
    return path


def run_and_kill(project: Path, seed: int) -> set[str]:
    """Start a session, kill it at a random moment of its work, and return the ids that it had shown as kept."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(CHECKOUT)}
    script = [sys.executable, str(CHECKOUT / "tests" / "app" / "scripted_session.py"), str(project), str(seed)]
    with subprocess.Popen(script, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        os.set_blocking(process.stdout.fileno(), False)
        deadline = time.monotonic() + random.Random(seed).uniform(0.02, 0.6)
        text = b""
        while (left := deadline - time.monotonic()) > 0:
            try:
                process.wait(min(left, 0.02))
                break
            except subprocess.TimeoutExpired:
                text += process.stdout.read() or b""
        process.send_signal(signal.SIGKILL)
        process.wait()
        text += process.stdout.read() or b""
        assert process.returncode == -signal.SIGKILL, "the session ended by itself"
    whole_lines = text[: text.rfind(b"\n") + 1]
    return set(whole_lines.decode().split())


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    project = make_project(tmp_path_factory.mktemp("killed"))
    shown: set[str] = set()
    lost: set[str] = set()
    problems: list[str] = []
    for seed in range(KILLS):
        shown |= run_and_kill(project, seed)
        with closing(sqlite3.connect(project)) as database:
            lost |= shown - {row[0] for row in database.execute("SELECT id FROM revision")}
        report = check_project(project, CancelToken(), no_progress)
        problems.extend(notice.message for notice in report.problems)
    return Killed(project, shown, lost, problems)


def test_the_sessions_did_work_before_they_were_killed(killed: Killed) -> None:
    assert len(killed.shown) > 5 * KILLS


def test_nothing_shown_as_kept_is_lost(killed: Killed) -> None:
    assert killed.lost == set()


def test_the_file_passes_its_check_after_every_kill(killed: Killed) -> None:
    assert killed.problems == []


def test_undo_and_redo_stay_inside_their_conversation(killed: Killed) -> None:
    with Project.open(killed.project) as project:
        first, second = (project.open_document(f"conversation:{n}", getpass.getuser()).document for n in NAMES)
        before, other = list(first), list(second)
        steps = 0
        while first.undo() is not None:
            steps += 1
        assert list(second) == other
        for _ in range(steps):
            first.redo()
        assert list(first) == before
        assert steps > 0
