from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotation.conversation import Channel, Conversation
from annotation.formats.rttm import Rttm
from app.import_dialog import ImportDialog, likely_speaker

CONVERSATION = Conversation("talk", 8000, tuple(Channel(name, None, 0, 8000, 80_000) for name in ("Anna", "Ben")))
LINES = """SPEAKER talk 1 0.5 1.0 <NA> <NA> anna <NA> <NA>
SPEAKER talk 1 2.0 1.0 <NA> <NA> stranger <NA> <NA>
SPEAKER other 1 2.0 1.0 <NA> <NA> stranger <NA> <NA>
"""


@pytest.fixture
def dialog(tmp_path: Path, qtbot: QtBot) -> ImportDialog:
    path = tmp_path / "talk.rttm"
    path.write_text(LINES, encoding="utf-8")
    dialog = ImportDialog(parsed=Rttm().read(path), conversation=CONVERSATION)
    qtbot.addWidget(dialog)
    return dialog


def test_equal_names_are_filled_in_and_others_left_out(dialog: ImportDialog) -> None:
    assert [(event.speaker, float(event.onset_s)) for event in dialog.events] == [("Anna", 0.5)]


def test_a_stranger_goes_to_the_lane_that_is_chosen(dialog: ImportDialog) -> None:
    box = dialog._boxes["stranger"]
    box.setCurrentIndex(box.findData("Ben"))
    assert {event.speaker for event in dialog.events} == {"Anna", "Ben"}
    assert dialog._ok.text() == "Add 2 events"


def test_nothing_can_be_added_while_nobody_is_assigned(dialog: ImportDialog) -> None:
    dialog._boxes["anna"].setCurrentIndex(0)
    assert not dialog._ok.isEnabled()


def test_names_are_compared_without_case_and_never_in_part() -> None:
    assert likely_speaker("BEN", CONVERSATION) == "Ben"
    assert likely_speaker("Be", CONVERSATION) == ""
