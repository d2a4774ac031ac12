"""Three annotators label a study in windows of their own, each from a pack; what comes back merges in any order."""

import shutil
from itertools import permutations
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotation.agreement.layout import Sums
from annotation.agreement.tally import tally
from annotation.audio.cache import AudioCache
from annotation.corpus import read_corpus
from annotation.project.project import Project
from annotation.study.answers import Submission
from annotation.study.design import StudyDesign
from annotation.study.merge import merge_pack
from annotation.study.pack import write_pack
from annotation.study.records import StudyRecords
from app.main_window import MainWindow
from app.settings import SettingsFile
from tests.app.annotate.hand import begun, item_of, press, settle

ANNOTATORS = ("Wilhelmina", "Zebedee", "Quentin")
KINDS = (Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_4)
CTRL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


def label_all(pack: Path, annotator: str, qtbot: QtBot) -> int:
    """Label every item of a pack by keys alone; return how many there were."""
    window = MainWindow(settings=SettingsFile())
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    dice = Random(annotator)
    page = begun(window, pack, qtbot, annotator)
    count = 0
    while page.item is not None:
        shown = item_of(page).presentation.id
        press(window, Qt.Key.Key_I)
        press(window, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
        press(window, Qt.Key.Key_BracketLeft)
        for _ in range(dice.randint(2, 9)):
            press(window, Qt.Key.Key_Right)
        press(window, Qt.Key.Key_BracketRight)
        press(window, dice.choice(KINDS))
        press(window, Qt.Key.Key_1, CTRL)
        press(window, dice.choice((Qt.Key.Key_0, Qt.Key.Key_2)), ALT)
        press(window, Qt.Key.Key_Return, CTRL)
        settle(window, qtbot)
        count += 1
        assert page.item is None or page.item.presentation.id != shown
    window.close()
    window.deleteLater()
    QApplication.processEvents()
    return count


class Figures(NamedTuple):
    """All that the lead's side reads of who said what."""

    current: dict[str, Submission]
    history: dict[str, Submission]
    labels: list[str]
    sums: Sums
    submitted: list[tuple[str, int]]


def figures(project: Path) -> Figures:
    """Read them from a project."""
    with Project.open(project, backups=False) as opened:
        records = StudyRecords(opened)
        return Figures(
            {one.submission.id: one.submission for one in records.current()},
            {one.id: one for one in records.history()},
            sorted(map(repr, records.label_table().labels)),
            tally(records.label_table()).sums(),
            [(seat.seat.annotator, seat.submitted) for seat in records.status().seats],
        )


def packs_of(project: Path, folder: Path) -> tuple[Path, ...]:
    """Write a pack for every seat of a project's study."""
    with Project.open(project, backups=False) as opened:
        packs = []
        for number, seat in enumerate(StudyRecords(opened).seats()):
            packs.append(folder / f"seat{number}.floorpack")
            write_pack(opened, seat, packs[-1], AudioCache(folder / "cache", 1 << 30))
    return tuple(packs)


def merged_in_every_order(project: Path, packs: tuple[Path, ...]) -> list[Figures]:
    """Merge packs twice into copies of a project, one for each order; return what each then holds."""
    found = []
    for number, order in enumerate(permutations(packs)):
        merged = project.with_name(f"merged{number}.floorscope")
        shutil.copyfile(project, merged)
        with Project.open(merged, backups=False) as opened:
            for pack in (*order, *order):
                assert merge_pack(opened, pack).refused_count == 0
        found.append(figures(merged))
    return found


def presentations_each(project: Path) -> int:
    """Return how many presentations every seat has."""
    with Project.open(project, backups=False) as opened:
        records = StudyRecords(opened)
        [each] = {len(records.presentations(seat=seat.id)) for seat in records.seats()}
    return each


@pytest.fixture
def recording(real: Path, tmp_path: Path, design: StudyDesign) -> Path:
    """Return a project of a meeting that others recorded, with a study over the events of its RTTM."""
    folder = tmp_path / "meeting"
    folder.mkdir()
    shutil.copy(real / "pyannote_sample" / "tests_data" / "tst00.wav", folder)
    shutil.copy(real / "pyannote_sample" / "tests_data" / "debug.test.rttm", folder)
    [meeting] = [one for one in read_corpus([folder]).conversations if one.conversation.id == "tst00"]
    path = tmp_path / "meeting.floorscope"
    with Project.create(path, backups=False) as project:
        project.add([meeting])
        StudyRecords(project).create(design, "Lead")
    return path


@pytest.mark.parametrize("material", ["path", "recording"])
def test_three_packs_labelled_by_keys_merge_in_every_order_and_twice(
    material: str, request: pytest.FixtureRequest, tmp_path: Path, qtbot: QtBot
) -> None:
    project: Path = request.getfixturevalue(material)
    total = presentations_each(project)
    packs = packs_of(project, tmp_path)
    for pack, annotator in zip(packs, ANNOTATORS, strict=True):
        assert label_all(pack, annotator, qtbot) == total
    found = merged_in_every_order(project, packs)
    assert len(found[0].current) == len(found[0].history) == 3 * total
    assert found[0].submitted == [(name, total) for name in ANNOTATORS]
    assert len(found[0].labels) > 2 * total
    assert all(one == found[0] for one in found)
