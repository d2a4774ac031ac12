"""A project over the demo conversation with a study of three annotators, and a window."""

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from annotation.project.project import Project
from annotation.sources import ImportedConversation
from annotation.study.design import Calibration, StudyDesign, preset_design
from annotation.study.records import StudyRecords
from app.demo import make_demo

ANNOTATORS = ("Wilhelmina", "Zebedee", "Quentin")


@pytest.fixture
def design() -> StudyDesign:
    """Return a design for three annotators."""
    made = preset_design("floor-events", "Street study", ANNOTATORS, seed=5)
    return msgspec.structs.replace(made, guidelines="# Read me\n\nListen twice.")


@pytest.fixture
def path(tmp_path: Path, design: StudyDesign) -> Path:
    """Return a project with that study."""
    made = make_demo(tmp_path)
    with Project.open(made, backups=False) as project:
        StudyRecords(project).create(design, "Lead")
    return made


@pytest.fixture
def calibrated(tmp_path: Path, design: StudyDesign) -> Path:
    """Return a project whose study opens after a calibration of two items of another conversation."""
    made = make_demo(tmp_path / "other")
    with Project.open(made, backups=False) as project:
        [summary] = project.conversations()
        practice = replace(summary.conversation, id="practice")
        project.add([ImportedConversation(practice, tuple(project.sources(summary.conversation.id)))])
        first = Calibration(("practice",), count=2, pass_mark="1")
        StudyRecords(project).create(msgspec.structs.replace(design, calibration=first), "Lead")
    return made
