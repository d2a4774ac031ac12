"""A key pressed when a click is heard marks the click, on a device that is heard late, at any speed."""

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from annotation.conversation import Channel, Conversation
from annotation.document import Document, Revision
from annotation.scheme import preset_scheme
from app.playback.output import Output
from app.playback.player import Player
from app.playback.ring import Ring
from tests.app.playback.late_output import Channels, Clock, LateOutput
from widgets.labelling.appearance import Appearance
from widgets.labelling.session import LabellingSession
from widgets.marking.kind_keys import KindKeys

RATE_HZ = 16_000
CLICKS = 20
HELD_S = 0.05
STEP_S = 0.05
CLICK_FRAMES = (np.arange(CLICKS) * 0.24 + np.random.default_rng(20).uniform(0.2, 0.3, CLICKS)) * RATE_HZ


class Desk:
    """Player, session and keys of one person, and the ear that hears what the output took."""

    def __init__(self, qtbot: QtBot, *, latency_s: float, unsaid_s: float) -> None:
        self.clock = Clock()
        self.latency_s, self.unsaid_s = latency_s, unsaid_s
        self.outputs: list[LateOutput] = []
        frames = int(CLICK_FRAMES[-1]) + RATE_HZ // 2
        sound = np.random.default_rng(3).uniform(-0.01, 0.01, (2, frames)).astype(np.float32)
        sound[:, CLICK_FRAMES.astype(int)] += 0.4
        self.player = Player(
            rate_hz=RATE_HZ,
            frames=frames,
            renderer=Channels(sound),
            channels=2,
            corrections_ms={LateOutput.name: 1000 * unsaid_s},
            open_sound=self._open,
            clock=self.clock,
        )
        conversation = Conversation(
            "c", RATE_HZ, tuple(Channel(name, None, 0, RATE_HZ, frames) for name in ("anna", "ben"))
        )
        self.revisions: list[Revision] = []
        self.document = Document(subject="conversation:c", person="p", record=self.revisions.append)
        self.session = LabellingSession(
            conversation=conversation,
            document=self.document,
            appearance=Appearance(scheme=preset_scheme(), conversation=conversation, dark=False),
            transport=self.player,
        )
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.window.show()
        self.keys = KindKeys(
            kinds={"1": "TURN"},
            owner=self.window,
            marking=lambda: self.session.mark is not None,
            position=lambda: self.session.position,
        )
        self.keys.pressed.connect(self.session.press_kind)
        self.keys.released.connect(self.session.release_kind)

    def _open(self, ring: Ring) -> Output:
        output = LateOutput(
            ring=ring, rate_hz=RATE_HZ, clock=self.clock, latency_s=self.latency_s, unsaid_s=self.unsaid_s
        )
        self.outputs.append(output)
        return output

    def wait_until_s(self, time_s: float) -> None:
        """Let time pass, no faster than the worker follows."""
        while self.clock.now_s < time_s:
            # Half of what is rendered ahead at a time: the worker is never late.
            self.clock.now_s = min(self.clock.now_s + STEP_S, time_s)
            visits = self.outputs[0].visits
            while self.player.playing and self.outputs[0].visits < visits + 2:
                QTest.qWait(1)

    def press_on_each_click(self, speed: float) -> None:
        """Play all and press a key at the very moment each click is heard."""
        self.player.set_speed(speed)
        self.player.play(0)
        while not self.outputs:
            QTest.qWait(1)
        pressed = 0
        while pressed < CLICKS:
            self.wait_until_s(self.clock.now_s + STEP_S)
            heard_s = self.outputs[0].clicks_s(0.2, 0.1)
            # What was taken is heard 0.2 s later, so that a click is known before it is heard.
            if len(heard_s) > pressed and heard_s[pressed] - self.clock.now_s < STEP_S:
                self.wait_until_s(heard_s[pressed])
                QTest.keyPress(self.window, Qt.Key.Key_1)
                self.wait_until_s(self.clock.now_s + HELD_S)
                QTest.keyRelease(self.window, Qt.Key.Key_1)
                pressed += 1
        self.keys.stop()


@pytest.fixture(params=[(0.2, 0.0), (0.05, 0.15)], ids=["reported", "corrected"])
def desk(qtbot: QtBot, request: pytest.FixtureRequest) -> Iterator[Desk]:
    latency_s, unsaid_s = request.param
    desk = Desk(qtbot, latency_s=latency_s, unsaid_s=unsaid_s)
    yield desk
    desk.player.close()
    desk.session.close()


@pytest.mark.parametrize("speed", [1.0, 0.5])
def test_marks_on_clicks_heard_200_ms_late_lie_on_them_and_keep_what_was_taken_off(desk: Desk, speed: float) -> None:
    desk.press_on_each_click(speed)
    events = [event for revision in desk.revisions for event in revision.added]
    onsets = sorted(event.onset for event in events)
    assert len(onsets) == CLICKS
    errors_ms = 1000 * np.abs(np.array(onsets) - CLICK_FRAMES.astype(int)) / RATE_HZ
    assert errors_ms.mean() < 10
    assert errors_ms.max() < 25
    for event in events:
        assert event.length == pytest.approx(HELD_S * speed * RATE_HZ, abs=0.03 * RATE_HZ)
    for revision in desk.revisions:
        how = revision.circumstances
        assert how is not None
        assert (how.playing, how.speed, how.device) == (True, speed, LateOutput.name)
        assert (how.reported_latency_s, how.correction_s) == pytest.approx((desk.latency_s, desk.unsaid_s), abs=1e-4)
