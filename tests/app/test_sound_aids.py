import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from annotation.audio.cache import AudioCache
from annotation.audio.spectrogram import SpectrogramColumns
from annotation.audio.spectrogram_tiles import TilePlace, compute_tile
from annotation.conversation import Channel
from app.demo import make_demo
from app.main_window import MainWindow
from app.settings import SettingsFile
from app.task_status import TaskStatus
from app.workspaces.label import LabelPage
from tests.widgets.timeline.hand import Hand


@pytest.fixture
def window(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    window = MainWindow(settings=SettingsFile())
    window.resize(1_200, 800)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    window.open_project(make_demo(tmp_path))
    settle(window, qtbot)
    yield window
    window.close()
    window.deleteLater()


def settle(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until the picture is drawn and nothing runs for it."""

    def still() -> bool:
        page = window.page
        return not window.tasks.tasks and (page is None or not page.view.timeline._asking.isActive())

    window.repaint()
    for _ in range(3):
        QApplication.processEvents()
        qtbot.waitUntil(still, timeout=60_000)


def page_of(window: MainWindow) -> LabelPage:
    assert window.page is not None
    return window.page


def do(window: MainWindow, action_id: str, qtbot: QtBot) -> None:
    window.actions_by_id[action_id].trigger()
    settle(window, qtbot)


def drawn_lanes(window: MainWindow) -> list[str]:
    content = page_of(window).view.timeline.content
    assert content is not None
    return [lane.id for lane in content.lanes if lane.spectrogram is not None]


def test_spectrograms_are_computed_when_shown_and_each_tile_once(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: Counter[tuple[str, TilePlace]] = Counter()

    def counted(channel: Channel, rate_hz: int, place: TilePlace, cache: AudioCache) -> SpectrogramColumns:
        computed[channel.speaker, place] += 1
        return compute_tile(channel, rate_hz, place, cache)

    monkeypatch.setattr("app.workspaces.lane_spectrogram.compute_tile", counted)
    assert not computed
    do(window, "view.spectrogram", qtbot)
    timeline = page_of(window).view.timeline
    for _ in range(3):
        timeline.zoom_in()
        settle(window, qtbot)
        timeline.pan(0.3)
        settle(window, qtbot)
    timeline.zoom_to_all()
    settle(window, qtbot)
    assert drawn_lanes(window) == [channel.speaker for channel in page_of(window).conversation.channels]
    assert len(computed) > len(drawn_lanes(window))
    assert set(computed.values()) == {1}


def test_a_channel_that_becomes_readable_shows_what_the_others_show(window: MainWindow, qtbot: QtBot) -> None:
    page = page_of(window)
    first, *others = page.conversation.channels
    del page.aids._channels[first.speaker]
    do(window, "view.spectrogram", qtbot)
    do(window, "view.speech", qtbot)
    assert drawn_lanes(window) == [channel.speaker for channel in others]
    page.aids.add_channels([first])
    settle(window, qtbot)
    everyone = {channel.speaker for channel in page.conversation.channels}
    assert set(drawn_lanes(window)) == set(page.session.speech) == everyone
    assert all(speech.name for speech in page.session.speech.values())


def test_one_lane_can_be_shown_alone(window: MainWindow, qtbot: QtBot) -> None:
    do(window, "lane.spectrogram", qtbot)
    assert drawn_lanes(window) == [page_of(window).session.speaker]
    assert not window.actions_by_id["view.spectrogram"].isChecked()
    do(window, "lane.spectrogram", qtbot)
    assert drawn_lanes(window) == []


def test_speech_is_shown_with_snapping_and_both_go_together(window: MainWindow, qtbot: QtBot) -> None:
    do(window, "view.speech", qtbot)
    page = page_of(window)
    assert set(page.session.speech) == {channel.speaker for channel in page.conversation.channels}
    assert all(speech.name == "speech silero-6.2.3" for speech in page.session.speech.values())
    assert window.actions_by_id["edit.snap"].isChecked()
    do(window, "view.speech", qtbot)
    assert page.session.speech == {}
    assert not window.actions_by_id["edit.snap"].isChecked()


def test_switching_snapping_on_shows_the_speech_that_it_needs(window: MainWindow, qtbot: QtBot) -> None:
    do(window, "edit.snap", qtbot)
    assert window.actions_by_id["view.speech"].isChecked()
    assert page_of(window).session.speech


def test_stopping_the_search_in_the_status_line_hides_the_strips(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_by_id["view.speech"].trigger()
    assert page_of(window).session.speech
    status = window.findChild(TaskStatus)
    assert status is not None
    button = status.findChild(QToolButton)
    assert button is not None
    button.click()
    settle(window, qtbot)
    assert page_of(window).session.speech == {}
    assert not window.actions_by_id["view.speech"].isChecked()


def test_a_dragged_edge_is_kept_with_what_it_was_drawn_to(window: MainWindow, qtbot: QtBot) -> None:
    do(window, "view.speech", qtbot)
    page = page_of(window)
    session, timeline = page.session, page.view.timeline
    speaker, speech = next((name, found) for name, found in session.speech.items() if len(found.offsets))
    target, rate_hz = int(speech.offsets[0]), page.conversation.rate_hz
    session.select_speaker(speaker)
    session.select_range(int(speech.onsets[0]), target + rate_hz // 20)
    session.press_kind("TURN")
    session.select_range(0, 0)
    event = session.selected
    assert event is not None
    timeline.zoom_to(event.onset, event.offset + rate_hz // 2)
    settle(window, qtbot)
    lane = [channel.speaker for channel in page.conversation.channels].index(speaker)
    hand = Hand(timeline)
    start = hand.place(event.offset, lane=lane)
    hand.press(start)
    hand.move(start + QPoint(20, 0))
    end = QPoint(hand.place(target, lane=lane).x() + 2, start.y())
    hand.move(end)
    hand.release(end)
    assert session.selected is not None
    assert session.selected.offset == target
    assert (session.document.undo_label or "").endswith("snapped to speech")
    assert page.project.flush(10.0)
    with closing(sqlite3.connect(page.project.path)) as file:
        [(kept,)] = file.execute("SELECT circumstances FROM revision ORDER BY sequence DESC LIMIT 1")
    assert json.loads(kept)["snapped_to"] == "speech silero-6.2.3"


def test_what_was_shown_is_shown_again_when_the_page_is_opened_anew(window: MainWindow, qtbot: QtBot) -> None:
    do(window, "view.spectrogram", qtbot)
    do(window, "view.speech", qtbot)
    do(window, "edit.snap", qtbot)
    window.open_conversation(page_of(window).conversation.id)
    settle(window, qtbot)
    assert drawn_lanes(window)
    assert page_of(window).session.speech
    assert not window.actions_by_id["edit.snap"].isChecked()


def test_without_sound_it_is_said_and_nothing_is_shown(window: MainWindow, qtbot: QtBot) -> None:
    page = page_of(window)
    for channel in page.conversation.channels:
        assert channel.path is not None
        channel.path.unlink(missing_ok=True)
    window.open_conversation(page.conversation.id)
    settle(window, qtbot)
    for action in ("view.spectrogram", "view.speech", "edit.snap"):
        do(window, action, qtbot)
        assert not window.actions_by_id[action].isChecked()
    assert drawn_lanes(window) == []
    assert "No speaker of this conversation has sound" in window.statusBar().currentMessage()
