import os
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from annotation.cancellation import CancelledError, CancelToken, no_progress
from annotation.conversation import Channel, Conversation
from annotation.project.collect import collected_folder, safe_name
from annotation.project.faults import ProjectWriteError
from annotation.project.project import Project
from annotation.sources import ImportedConversation

RATE_HZ = 8_000


@pytest.fixture
def originals(project: Project, tmp_path: Path) -> list[Path]:
    """Return four files, of which two share their name, and one carries two conversations."""
    paths = [tmp_path / place for place in ("x/a.wav", "y/A.wav", "y/b: c.wav", "z/d.wav")]
    for number, path in enumerate(paths):
        path.parent.mkdir(exist_ok=True)
        soundfile.write(path, np.full(300, number, np.int16), RATE_HZ, subtype="PCM_16")
    for number, used in enumerate((paths, paths[3:])):
        channels = tuple(Channel(f"S{n}", path, 0, RATE_HZ, 300) for n, path in enumerate(used))
        project.add([ImportedConversation(Conversation(f"c{number}", RATE_HZ, channels))])
    return paths


def test_all_audio_lies_beside_the_project_and_the_originals_are_untouched(
    project: Project, originals: list[Path]
) -> None:
    before = [(path.read_bytes(), path.stat().st_mtime_ns) for path in originals]
    shares: list[float] = []
    report = project.collect(CancelToken(), shares.append)
    assert (report.copied, report.already_there, report.repointed, report.missing) == (4, 0, 5, ())
    assert [(path.read_bytes(), path.stat().st_mtime_ns) for path in originals] == before
    folder = collected_folder(project.path)
    assert sorted(file.name for file in folder.iterdir()) == ["A (2).wav", "a.wav", "b_ c.wav", "d.wav"]
    assert {identity.path.parent for identity in project.identities()} == {folder}
    for path in originals:
        path.unlink()
    check = project.check()
    assert check.problems == ()
    assert [notice.code for notice in check.warnings] == ["backup-none"]
    assert shares == sorted(shares)


def test_collecting_twice_copies_nothing_more(project: Project, originals: list[Path]) -> None:
    project.collect(CancelToken())
    report = project.collect(CancelToken())
    assert (report.copied, report.already_there, report.repointed) == (0, 4, 0)


def test_a_collection_that_is_stopped_changes_nothing_and_the_next_goes_on(
    project: Project, originals: list[Path]
) -> None:
    before = project.identities()
    token = CancelToken()

    def stop_after_the_second(share: float) -> None:
        if share > 0.5:
            token.cancel()

    with pytest.raises(CancelledError):
        project.collect(token, stop_after_the_second)
    assert project.identities() == before
    folder = collected_folder(project.path)
    assert not list(folder.glob(".draft-*"))
    there = len(list(folder.iterdir()))
    assert 0 < there < 4
    report = project.collect(CancelToken())
    assert (report.copied, report.already_there) == (4 - there, there)


def test_a_file_of_somebody_in_the_folder_is_left_alone(project: Project, originals: list[Path]) -> None:
    folder = collected_folder(project.path)
    folder.mkdir()
    (folder / "d.wav").write_text("mine")
    project.collect(CancelToken())
    assert (folder / "d.wav").read_text() == "mine"
    assert (folder / "d (2).wav").read_bytes() == originals[3].read_bytes()


def test_missing_and_changed_files_are_named_and_their_channels_stay(project: Project, originals: list[Path]) -> None:
    project.hash_audio(CancelToken(), no_progress)
    originals[0].unlink()
    soundfile.write(originals[3], np.full(300, 77, np.int16), RATE_HZ, subtype="PCM_16")
    report = project.collect(CancelToken())
    assert {notice.code for notice in report.missing} == {"audio-missing", "audio-changed"}
    assert report.repointed == 2
    assert {identity.path for identity in project.identities()} >= {originals[0], originals[3]}


def test_a_disk_without_room_is_said_before_anything_is_copied(tiny_disk: Path, tmp_path: Path) -> None:
    file = tmp_path / "long.wav"
    soundfile.write(file, np.zeros(1_200_000, np.int16), RATE_HZ, subtype="PCM_16")
    with Project.create(tiny_disk / "study.floorscope", backups=False) as project:
        channels = (Channel("A", file, 0, RATE_HZ, 1_200_000),)
        project.add([ImportedConversation(Conversation("c", RATE_HZ, channels))])
        with pytest.raises(ProjectWriteError, match="the disk has"):
            project.collect(CancelToken())
        assert not collected_folder(project.path).exists()
        assert project.identities()[0].path == file


def test_a_folder_that_cannot_be_made_changes_nothing(project: Project, originals: list[Path]) -> None:
    collected_folder(project.path).write_text("in the way")
    with pytest.raises(ProjectWriteError, match="cannot be copied"):
        project.collect(CancelToken())
    assert {identity.path for identity in project.identities()} == set(originals)


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("a.wav", "a.wav"),
        ("b: c?.wav", "b_ c_.wav"),
        ("C:\\data\\a.wav", "a.wav"),
        ("con.wav", "audio_con.wav"),
        ("...", "audio"),
        ("ä" * 200 + ".wav", "ä" * 58 + ".wav"),
    ],
)
def test_names_are_made_safe_for_every_system(name: str, safe: str) -> None:
    assert safe_name(name) == safe


@given(st.text(min_size=1).filter(lambda text: "\x00" not in text and not any("\ud800" <= c <= "\udfff" for c in text)))
def test_a_safe_name_is_one_part_and_stays_safe(name: str) -> None:
    safe = safe_name(name)
    assert safe
    assert safe == safe_name(safe)
    assert os.sep not in safe
    assert len(safe.encode()) <= 120
