import os
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]

from annotation.audio.fingerprint import fingerprint_of, sha256_of
from annotation.cancellation import CancelledError, CancelToken, no_progress
from annotation.events import FloorEvent
from annotation.project.check import check_project
from annotation.project.faults import DamagedProjectError
from annotation.project.location import file_system_of, location_notices, synchronised_by
from annotation.project.project import Project
from annotation.sources import ImportedConversation


def audio(imported: ImportedConversation) -> Path:
    path = imported.conversation.channels[0].path
    assert path is not None
    return path


@pytest.fixture
def known(project: Project, imported: ImportedConversation) -> Path:
    """Return the first channel's file, whose fingerprint and hash the project knows."""
    project.add([imported])
    file = audio(imported)
    project.set_fingerprint("c1", 0, fingerprint_of(file))
    project.set_sha256("c1", 0, sha256_of(file, CancelToken(), no_progress))
    return file


def codes(project: Project) -> tuple[list[str], list[str]]:
    report = project.check()
    return [n.code for n in report.problems], [n.code for n in report.warnings if n.code != "backup-none"]


def test_audio_as_it_was_is_no_problem(project: Project, known: Path) -> None:
    assert codes(project) == ([], [])
    assert project.identities()[0].path == known


def test_a_missing_file_is_named_once(project: Project, known: Path) -> None:
    known.unlink()
    report = project.check()
    assert [(notice.code, notice.where) for notice in report.problems] == [("audio-missing", str(known))]


def test_a_file_of_the_same_length_with_other_sound_is_found(project: Project, known: Path) -> None:
    soundfile.write(known, np.full(800, 7, dtype=np.int16), 8_000, subtype="PCM_16")
    assert codes(project) == (["audio-changed"], [])


def test_a_change_that_only_the_whole_hash_sees_is_found(project: Project, imported: ImportedConversation) -> None:
    file = audio(imported)
    samples = np.zeros(200_000, dtype=np.int16)
    soundfile.write(file, samples, 8_000, subtype="PCM_16")
    channels = (imported.conversation.channels[0],)
    conversation = type(imported.conversation)("long", 8_000, (type(channels[0])("A", file, 0, 8_000, 200_000),))
    project.add([ImportedConversation(conversation)])
    project.set_fingerprint("long", 0, fingerprint_of(file))
    project.set_sha256("long", 0, sha256_of(file, CancelToken(), no_progress))
    assert codes(project) == ([], [])
    samples[100_000] = 1
    soundfile.write(file, samples, 8_000, subtype="PCM_16")
    assert codes(project)[0] == ["audio-changed"]


def test_a_copied_file_is_a_warning_only(project: Project, known: Path) -> None:
    os.utime(known, ns=(0, 0))
    assert codes(project) == ([], ["audio-touched"])


def test_a_file_of_another_shape_is_told_apart(project: Project, known: Path) -> None:
    soundfile.write(known, np.zeros(900, dtype=np.int16), 16_000, subtype="PCM_16")
    assert codes(project)[0] == ["audio-rate", "audio-frames", "audio-changed"]


def test_a_damaged_backup_is_named(project: Project, known: Path) -> None:
    made = project.backup()
    assert made is not None
    made.write_bytes(made.read_bytes()[:5000])
    report = project.check()
    assert report.ok
    assert [(notice.code, notice.where) for notice in report.warnings] == [("backup-damaged", str(made))]


def test_a_check_stops_when_it_is_told_to(project: Project, known: Path) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(CancelledError):
        project.check(token)


def test_a_check_reports_progress_to_its_end(project: Project, known: Path) -> None:
    shares: list[float] = []
    project.check(progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_damaged_page_is_a_problem(path: Path, project: Project, known: Path) -> None:
    project.close()
    data = bytearray(path.read_bytes())
    # The header of the last page's b-tree: its number of cells.
    data[-4096 + 3 : -4096 + 5] = b"\xff\xff"
    path.write_bytes(data)
    with pytest.raises(DamagedProjectError, match="Rescue it"):
        Project.open(path, read_only=True)
    report = check_project(path, CancelToken(), no_progress)
    assert "file-damaged" in [notice.code for notice in report.problems]


def test_a_synchronised_folder_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "OneDrive - University" / "studies"
    folder.mkdir(parents=True)
    assert synchronised_by(folder) == "OneDrive - University"
    assert [notice.code for notice in location_notices(folder / "a.floorscope")] == ["project-synchronised"]
    with Project.create(folder / "a.floorscope", backups=False) as project:
        assert [notice.code for notice in project.notices] == ["project-synchronised"]


def test_a_folder_with_a_mark_of_a_synchronising_program_is_said(tmp_path: Path) -> None:
    (tmp_path / ".stfolder").mkdir()
    assert synchronised_by(tmp_path / "inner") == ".stfolder"


def test_a_plain_folder_is_not_said(tmp_path: Path) -> None:
    assert synchronised_by(tmp_path) == ""
    assert file_system_of(tmp_path) not in ("nfs", "cifs")


def test_a_damaged_header_and_a_changed_step_are_problems_that_name_the_rescue(
    path: Path, project: Project, known: Path
) -> None:
    with project.open_document("conversation:c1", "ann").document.edit("Add") as edit:
        edit.add(FloorEvent("A", "turn", 0, 1, comment="as it was"))
    project.close()
    sound = path.read_bytes()
    for damaged in (b"XX" + sound[2:], sound.replace(b"as it was", b"as it is.")):
        path.write_bytes(damaged)
        report = check_project(path, CancelToken(), no_progress)
        assert not report.ok
        assert report.problems[0].code == "file-damaged"
        assert "project rescue" in report.problems[0].message
