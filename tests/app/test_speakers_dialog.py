from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotation.conversation import Channel, Conversation, assign_speakers
from app.speakers_dialog import SpeakersDialog, imported_assignments

IMPORTED = Conversation(
    "c",
    8000,
    tuple(Channel(f"channel {index + 1}", Path("/audio/c.wav"), index, 8000, 100) for index in range(3)),
)


@pytest.fixture
def dialog(qtbot: QtBot) -> SpeakersDialog:
    dialog = SpeakersDialog(imported=IMPORTED, assignments=(), labels=2)
    qtbot.addWidget(dialog)
    return dialog


def choose(dialog: SpeakersDialog, row: int, channel: int) -> None:
    dialog._boxes[row].setCurrentIndex(channel)
    dialog._boxes[row].activated.emit(channel)


def test_choosing_a_channel_that_another_has_swaps_the_two(dialog: SpeakersDialog) -> None:
    choose(dialog, 0, 2)
    dialog._on_accept()
    assert [a.source for a in dialog.assignments] == [2, 1, 0]


def test_the_mapping_as_imported_can_be_put_back(dialog: SpeakersDialog) -> None:
    choose(dialog, 0, 2)
    dialog._names[1].setText("Anna")
    dialog._show(imported_assignments(IMPORTED))
    dialog._on_accept()
    assert assign_speakers(IMPORTED, dialog.assignments) == IMPORTED


def test_a_mapping_given_is_the_one_shown(dialog: SpeakersDialog, qtbot: QtBot) -> None:
    choose(dialog, 1, 0)
    dialog._names[2].setText("Cleo")
    dialog._on_accept()
    again = SpeakersDialog(imported=IMPORTED, assignments=dialog.assignments, labels=0)
    qtbot.addWidget(again)
    again._on_accept()
    assert again.assignments == dialog.assignments
    assert assign_speakers(IMPORTED, again.assignments).channel_of("channel 3").display_name == "Cleo"


def test_speakers_of_an_event_log_can_be_renamed(qtbot: QtBot) -> None:
    log = Conversation("log", 1_000_000, tuple(Channel(name, None, 0, 1_000_000, 0) for name in ("a", "b")))
    dialog = SpeakersDialog(imported=log, assignments=(), labels=0)
    qtbot.addWidget(dialog)
    dialog._names[0].setText("Anna")
    dialog._on_accept()
    assert [a.name for a in dialog.assignments] == ["Anna", ""]


def test_two_speakers_of_one_name_are_refused_with_a_sentence(dialog: SpeakersDialog) -> None:
    dialog._names[0].setText("Anna")
    dialog._names[1].setText("Anna")
    dialog._on_accept()
    assert not dialog.result()
    assert "same name" in dialog._fault.text()
