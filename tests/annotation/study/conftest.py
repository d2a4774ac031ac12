"""A project with conversations that have sound and reference events, and a study in it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]

from annotation.conversation import Channel, Conversation
from annotation.events import FloorEvent
from annotation.project.project import Project
from annotation.sources import EventSource, ImportedConversation, SourceRole
from annotation.study.design import StudyDesign, preset_design
from annotation.study.presentation import Answer
from annotation.study.records import Study, StudyRecords

RATE_HZ = 8_000
SECONDS = 60
KINDS = ("TURN", "INTERRUPTION", "BACKCHANNEL")
PEOPLE = ("Anouk", "Bertil", "Chiara")

Maker = Callable[..., ImportedConversation]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where the tests' project lies."""
    return tmp_path / "study.floorscope"


@pytest.fixture
def conversation(tmp_path: Path) -> Maker:
    """Return a maker of conversations of two speakers with sound and some reference events."""

    def make(name: str, events: int = 10, seed: int = 0) -> ImportedConversation:
        chance = Random(f"{name} {seed}")
        channels = []
        for number, speaker in enumerate(("SpeakerXenia", "SpeakerYves")):
            file = tmp_path / f"recording_{name}_{speaker}.wav"
            noise = np.random.default_rng(number).integers(-3000, 3000, RATE_HZ * SECONDS, dtype=np.int16)
            soundfile.write(file, noise, RATE_HZ, subtype="PCM_16")
            channels.append(Channel(speaker, file, 0, RATE_HZ, RATE_HZ * SECONDS))
        found = []
        for _ in range(events):
            onset = chance.randrange(0, RATE_HZ * (SECONDS - 3))
            offset = onset + chance.randrange(RATE_HZ // 4, 2 * RATE_HZ)
            speaker = chance.choice(("SpeakerXenia", "SpeakerYves"))
            found.append(FloorEvent(speaker, chance.choice(KINDS), onset, offset, "SpeakerYves", "", id=f"e{onset}"))
        return ImportedConversation(
            Conversation(name, RATE_HZ, tuple(channels), attributes={"interaction": "Casual"}),
            (EventSource("gold", SourceRole.REFERENCE, f"{name}.json", tuple(found)),),
        )

    return make


@pytest.fixture
def project(path: Path, conversation: Maker) -> Iterator[Project]:
    """Return an open project of three conversations with 30 reference events."""
    with Project.create(path, backups=False) as opened:
        opened.add([conversation(name) for name in ("talk_one", "talk_two", "talk_three")])
        yield opened


@pytest.fixture
def records(project: Project) -> StudyRecords:
    """Return the studies of the project."""
    return StudyRecords(project)


@pytest.fixture
def design() -> StudyDesign:
    """Return a design for three annotators."""
    return preset_design("floor-events", "Floor study", PEOPLE, seed=7)


@pytest.fixture
def study(records: StudyRecords, design: StudyDesign) -> Study:
    """Return a study of 30 items, of which 8 are repeated."""
    return records.create(design, "Lead Lea")[0]


@pytest.fixture
def answer() -> Callable[..., Answer]:
    """Return a maker of complete answers."""

    def make(kind: str = "TURN", onset: int = 100, offset: int = 2_000, comment: str = "") -> Answer:
        return Answer(kind, "", "v1", "", onset, offset, 3, comment)

    return make
