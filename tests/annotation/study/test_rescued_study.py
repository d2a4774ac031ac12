from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.project.faults import ProjectError
from annotation.project.project import Project
from annotation.project.removal import remove_person
from annotation.project.salvage import rescue
from annotation.study.presentation import Answer, Listening
from annotation.study.records import Study, StudyRecords
from annotation.study.seats import find_seat
from annotation.study.store import AnnotatorStore


def submitted(path: Path, annotator: str, answer: Answer, count: int) -> None:
    store = AnnotatorStore(path, find_seat(path, annotator))
    for _ in range(count):
        presentation = store.next_presentation()
        assert presentation is not None
        store.history(presentation.id).give("Answer", answer)
        store.submit(presentation.id, answer, Listening())
    store.close()


def test_a_rescue_brings_a_study_with_its_answers_along(
    project: Project, study: Study, path: Path, answer: Callable[..., Answer]
) -> None:
    submitted(path, "Anouk", answer(), 4)
    before = StudyRecords(project).label_table()
    drawn = StudyRecords(project).presentations()
    project.close()
    data = bytearray(path.read_bytes())
    data[40:44] = b"\xff\xff\xff\xff"
    path.write_bytes(data)
    report = rescue(path)
    assert report.out is not None
    with Project.open(report.out, backups=False) as rescued:
        records = StudyRecords(rescued)
        assert [found.id for found in records.studies()] == [study.id]
        assert records.presentations() == drawn
        assert records.label_table() == before


def test_a_removal_refuses_somebody_whose_answers_are_in_a_study(
    project: Project, study: Study, path: Path, answer: Callable[..., Answer]
) -> None:
    submitted(path, "Anouk", answer(), 1)
    with pytest.raises(ProjectError, match="annotator of a study"):
        remove_person(path, "Anouk")
    assert len(StudyRecords(project).current()) == 1
