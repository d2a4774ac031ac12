"""A small project, and events to put into it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]

from annotation.conversation import Channel, Conversation
from annotation.events import FloorEvent
from annotation.project.project import Project
from annotation.sources import EventSource, ImportedConversation, SourceRole

RATE_HZ = 8_000
FRAMES = 800


@pytest.fixture
def imported(tmp_path: Path) -> ImportedConversation:
    """Return a conversation of two mono files with one reference source."""
    folder = tmp_path / "audio"
    folder.mkdir()
    channels = []
    for number, speaker in enumerate("AB"):
        path = folder / f"{speaker}.wav"
        soundfile.write(path, np.full(FRAMES, number * 100, dtype=np.int16), RATE_HZ, subtype="PCM_16")
        channels.append(Channel(speaker, path, 0, RATE_HZ, FRAMES))
    events = (
        FloorEvent("A", "turn", 0, 100, holder_before="", holder_after="A", text="so"),
        FloorEvent("B", "turn", 120, 300, holder_after="B"),
        FloorEvent("A", "backchannel", 200, 220),
    )
    return ImportedConversation(
        Conversation("c1", RATE_HZ, tuple(channels), attributes={"split": "dev"}),
        (EventSource("gold", SourceRole.REFERENCE, "c1.json", events),),
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where the tests' project lies."""
    return tmp_path / "study.floorscope"


@pytest.fixture
def project(path: Path) -> Iterator[Project]:
    """Return an empty open project without backups."""
    with Project.create(path, backups=False) as opened:
        yield opened


@pytest.fixture
def event() -> Callable[..., FloorEvent]:
    """Return a maker of turns by A from frame to frame."""

    def make(onset: int = 0, offset: int = 10, **fields: str) -> FloorEvent:
        return FloorEvent("A", "turn", onset, offset, **fields)

    return make
