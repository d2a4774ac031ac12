import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]

from annotation.cancellation import CancelledError, CancelToken, no_progress
from annotation.conversation import Channel, Conversation
from annotation.events import FloorEvent
from annotation.project.database import connect
from annotation.project.faults import ProjectError
from annotation.project.project import Project, conversation_subject
from annotation.project.relocation import LocateReport, Proof
from annotation.sources import ImportedConversation

RATE_HZ = 8_000


def sound(path: Path, value: int, frames: int = 500) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.full(frames, value, np.int16), RATE_HZ, subtype="PCM_16")
    return path


def conversation(name: str, *files: Path, frames: int = 500) -> ImportedConversation:
    channels = tuple(Channel(f"S{n}", file, 0, RATE_HZ, frames) for n, file in enumerate(files))
    return ImportedConversation(Conversation(name, RATE_HZ, channels))


@pytest.fixture
def corpus(tmp_path: Path, project: Project) -> Path:
    """Return a folder of three sessions whose files share their names, as speaker folders do."""
    root = tmp_path / "old" / "corpus"
    sessions = [
        conversation(f"c{n}", *(sound(root / f"c{n}" / f"{s}.wav", n * 10 + k) for k, s in enumerate("ab")))
        for n in range(3)
    ]
    project.add(sessions)
    return root


def look(project: Project, place: Path) -> LocateReport:
    return project.locate(place, CancelToken())


def all_there(project: Project) -> bool:
    return all(summary.missing == () for summary in project.conversations())


def take(project: Project, report: LocateReport) -> int:
    return project.relocate({match.missing: match.found for match in report.matches})


def test_a_project_whose_audio_is_gone_opens_and_can_be_labelled(project: Project, corpus: Path) -> None:
    shutil.rmtree(corpus)
    assert len(project.conversations()[0].missing) == 2
    with project.open_document(conversation_subject("c0"), "ann").document.edit("Add") as edit:
        edit.add(FloorEvent("S0", "turn", 0, 10))
    assert project.flush(30)


def test_one_folder_finds_all_siblings_by_the_structure(project: Project, corpus: Path, tmp_path: Path) -> None:
    shutil.move(corpus, tmp_path / "new place" / "corpus")
    report = look(project, tmp_path / "new place")
    assert len(report.matches) == 6
    assert (report.different, report.missing, report.unproven) == ((), (), ())
    assert take(project, report) == 6
    assert all_there(project)
    assert project.check().problems == ()


def test_one_file_finds_all_siblings(project: Project, corpus: Path, tmp_path: Path) -> None:
    shutil.move(corpus, tmp_path / "elsewhere" / "renamed")
    report = look(project, tmp_path / "elsewhere" / "renamed" / "c1" / "b.wav")
    assert {match.found.relative_to(tmp_path / "elsewhere") for match in report.matches} == {
        Path("renamed", f"c{n}", f"{s}.wav") for n in range(3) for s in "ab"
    }


def test_files_of_the_same_name_are_told_apart_by_their_content(project: Project, corpus: Path, tmp_path: Path) -> None:
    heap = tmp_path / "heap"
    for number, file in enumerate(sorted(corpus.rglob("*.wav"))):
        (heap / f"{5 - number}").mkdir(parents=True)
        file.rename(heap / f"{5 - number}" / file.name)
    report = look(project, heap)
    assert len(report.matches) == 6
    take(project, report)
    assert project.check().problems == ()


def test_renamed_files_are_found_by_size_and_content(project: Project, tmp_path: Path) -> None:
    old = sound(tmp_path / "a.wav", 1, frames=700)
    project.add([conversation("c", old, frames=700)])
    (tmp_path / "new").mkdir()
    old.rename(tmp_path / "new" / "interview 7.wav")
    report = look(project, tmp_path / "new")
    assert [match.found.name for match in report.matches] == ["interview 7.wav"]


def test_another_file_of_that_name_is_refused_with_the_reason(project: Project, tmp_path: Path) -> None:
    files = [sound(tmp_path / "old" / f"{name}.wav", 1) for name in ("short", "changed")]
    project.add([conversation("c", *files)])
    shutil.rmtree(tmp_path / "old")
    sound(tmp_path / "new" / "short.wav", 1, frames=400)
    sound(tmp_path / "new" / "changed.wav", 2)
    report = look(project, tmp_path / "new")
    assert report.matches == ()
    assert [Path(notice.where).name for notice in report.different] == ["short.wav", "changed.wav"]
    assert "bytes, not" in report.different[0].message
    assert "content is another" in report.different[1].message
    assert set(report.missing) == set(files)


def test_a_change_that_only_the_whole_hash_sees_is_refused(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "long.wav"
    samples = np.zeros(200_000, np.int16)
    soundfile.write(file, samples, RATE_HZ, subtype="PCM_16")
    project.add([conversation("c", file, frames=200_000)])
    project.hash_audio(CancelToken(), no_progress)
    file.unlink()
    samples[100_000] = 1
    (tmp_path / "new").mkdir()
    soundfile.write(tmp_path / "new" / "long.wav", samples, RATE_HZ, subtype="PCM_16")
    assert look(project, tmp_path / "new").matches == ()


def test_a_copy_with_another_time_is_the_same_file(project: Project, corpus: Path, tmp_path: Path) -> None:
    project.hash_audio(CancelToken(), no_progress)
    shutil.copytree(corpus, tmp_path / "new")
    for file in (tmp_path / "new").rglob("*.wav"):
        os.utime(file, (1, 1))
    shutil.rmtree(corpus)
    report = look(project, tmp_path / "new")
    assert {match.proof for match in report.matches} == {Proof.CONTENT}
    take(project, report)
    assert project.check().warnings[:-1] == ()


def test_a_file_of_which_only_the_shape_is_known_is_left_to_a_person(project: Project, tmp_path: Path) -> None:
    never_there = tmp_path / "old" / "a.wav"
    project.add([conversation("c", never_there)])
    sound(tmp_path / "new" / "a.wav", 1)
    report = look(project, tmp_path / "new")
    assert report.matches == ()
    assert [match.proof for match in report.unproven] == [Proof.SHAPE]
    assert project.relocate({match.missing: match.found for match in report.unproven}) == 1
    assert all_there(project)


def test_windows_paths_are_found_by_their_tail(project: Project, tmp_path: Path) -> None:
    project.add([conversation("c", Path(r"C:\data\session 1\a.wav"), Path(r"C:\data\session 2\a.wav"))])
    for number in (1, 2):
        sound(tmp_path / "new" / f"session {number}" / "a.wav", number)
    report = look(project, tmp_path / "new")
    assert sorted(match.found.parent.name for match in report.unproven) == ["session 1", "session 2"]
    assert all(match.missing.name.split("\\")[-2] == match.found.parent.name for match in report.unproven)


def test_the_paths_before_stay_in_a_table_that_refuses_change(project: Project, corpus: Path, tmp_path: Path) -> None:
    shutil.move(corpus, tmp_path / "new")
    take(project, look(project, tmp_path / "new"))
    db = connect(project.path)
    rows = db.execute('SELECT conversation, position, "before", "after" FROM relocation ORDER BY number').fetchall()
    assert rows[0] == ("c0", 0, "old/corpus/c0/a.wav", "new/c0/a.wav")
    with pytest.raises(Exception, match="append-only"):
        db.execute("DELETE FROM relocation")
    db.close()


def test_a_relocation_is_in_the_next_backup(project: Project, corpus: Path, tmp_path: Path) -> None:
    project.backup()
    shutil.move(corpus, tmp_path / "new")
    take(project, look(project, tmp_path / "new"))
    assert project.backup() is not None


def test_what_is_not_found_stays_and_a_place_that_is_not_there_is_said(
    project: Project, corpus: Path, tmp_path: Path
) -> None:
    (corpus / "c0" / "a.wav").unlink()
    (tmp_path / "empty").mkdir()
    assert look(project, tmp_path / "empty").missing == (corpus / "c0" / "a.wav",)
    with pytest.raises(ProjectError, match="no such file or folder"):
        look(project, tmp_path / "nowhere")
    token = CancelToken()
    token.cancel()
    with pytest.raises(CancelledError):
        project.locate(tmp_path / "empty", token)
