from pathlib import Path

from annotation.project.project import Project
from annotation.study.presentation import faults_of_answer, missing_from
from annotation.study.records import StudyRecords
from annotation.study.seats import find_seat
from annotation.study.store import AnnotatorStore
from app.demo_study import SIMULATED, STUDY_NAME, make_demo_study, own_seat_name


def test_the_demo_has_a_study_in_progress_and_a_seat_for_the_user(tmp_path: Path) -> None:
    path = make_demo_study(tmp_path)
    with Project.open(path, backups=False) as project:
        status = StudyRecords(project).status()
        current = StudyRecords(project).current()
    assert status.study.name == STUDY_NAME
    ana, ben, own = status.seats
    assert (ana.submitted, own.submitted) == (ana.presentations, 0)
    assert 0 < ben.submitted < ben.presentations
    assert own.seat.annotator == own_seat_name()
    assert {one.annotator for one in current} == {ana.seat.annotator, ben.seat.annotator}
    assert all(one.annotator.endswith(SIMULATED) for one in current)
    assert all(one.submission.answer.comment == "simulated" for one in current)


def test_simulated_answers_are_answers_that_could_be_given(tmp_path: Path) -> None:
    from annotation.study.merge import as_shown

    path = make_demo_study(tmp_path)
    with Project.open(path, backups=False) as project:
        records = StudyRecords(project)
        scheme = records.study().design.scheme
        for one in records.current():
            assert missing_from(one.submission.answer, scheme) == ()
            assert faults_of_answer(one.submission.answer, as_shown(one.presentation), scheme) == ()
        items = {item.id: item for item in records.items()}
        ana = [one for one in records.current() if one.annotator.startswith("Ana")]
        agreeing = sum(one.submission.answer.kind == items[one.presentation.item].kind for one in ana)
    assert 0.7 * len(ana) < agreeing < len(ana)


def test_making_the_demo_again_changes_nothing(tmp_path: Path) -> None:
    path = make_demo_study(tmp_path)
    with Project.open(path, backups=False) as project:
        before = StudyRecords(project).history()
    make_demo_study(tmp_path)
    with Project.open(path, backups=False) as project:
        assert StudyRecords(project).history() == before
        assert len(StudyRecords(project).studies()) == 1


def test_the_users_seat_of_the_demo_can_be_opened(tmp_path: Path) -> None:
    path = make_demo_study(tmp_path)
    store = AnnotatorStore(path, find_seat(path, own_seat_name()))
    try:
        assert store.next_presentation() is not None
        assert "simulated" in store.about().guidelines
    finally:
        store.close()
