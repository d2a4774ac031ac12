"""A device that is lost, looked for and found again: the engine stepped by hand, no device and no time."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from app.playback.engine import STALL_S, Engine, Report
from app.playback.output import LibraryMissingError, Output, SoundUnavailableError
from app.playback.recovery import FIRST_PAUSE_S, GROWTH, LONGEST_PAUSE_S, watch_from
from app.playback.ring import Ring
from app.playback.silent import LEAD_S, SilentOutput
from widgets.transport.transport import ChannelMix

RATE_HZ = 1000
FRAMES = 60_000


class Counting:
    """Renders the number of each frame."""

    def render(self, first: int, count: int, mix: tuple[ChannelMix, ...]) -> NDArray[np.float32]:
        numbers = np.arange(first, first + count, dtype=np.float32)
        return np.stack([numbers, numbers], axis=1)


class Device(SilentOutput):
    """A clock with the manners of a device: it can die, stall and refuse to start."""

    latency_s = LEAD_S

    def __init__(self, bench: "Bench", ring: Ring, name: str) -> None:
        super().__init__(ring=ring, rate_hz=RATE_HZ, clock=lambda: bench.now_s)
        self.name = name
        self.heard: list[int] = []
        self._bench = bench
        pull = ring.pull

        def keep(out: NDArray[np.float32], dac_time_s: float) -> None:
            pull(out, dac_time_s)
            self.heard.extend(int(left) for left in out[:, 0])

        ring.pull = keep  # type: ignore[method-assign]

    @property
    def alive(self) -> bool:
        return self._bench.present

    def start(self) -> None:
        if not self._bench.starting:
            raise SoundUnavailableError("The sound device “Headset” does not start.")
        super().start()

    def service(self) -> None:
        if not self._bench.stalled:
            super().service()


class Bench:
    """An engine, and the one device of its computer."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.present = True
        self.starting = True
        self.stalled = False
        self.lasting = False
        self.looks: list[str] = []
        self.reports: list[Report] = []
        self.devices: list[Device] = []
        self.silences: list[SilentOutput] = []
        self.engine = Engine(
            rate_hz=RATE_HZ,
            frames=FRAMES,
            renderer=Counting(),
            mix=(ChannelMix(),),
            open_output=self.open,
            open_silent=self._silence,
            report=self.reports.append,
            clock=lambda: self.now_s,
            reopen_output=self._reopen,
        )

    def open(self, ring: Ring) -> Output:
        if not self.present:
            error = LibraryMissingError if self.lasting else SoundUnavailableError
            raise error("There is no sound: this computer has no sound output.")
        self.devices.append(Device(self, ring, "Headset"))
        return self.devices[-1]

    def _reopen(self, ring: Ring, name: str) -> Output:
        self.looks.append(name)
        return self.open(ring)

    def _silence(self, ring: Ring) -> Output:
        self.silences.append(SilentOutput(ring=ring, rate_hz=RATE_HZ, clock=lambda: self.now_s))
        return self.silences[-1]

    @property
    def position(self) -> int:
        return self.engine.heard().frame

    @property
    def lost(self) -> list[str]:
        return [report.fault for report in self.reports if report.lost]

    @property
    def back(self) -> list[str]:
        return [report.back for report in self.reports if report.back]

    def run(self, seconds: float) -> None:
        end_s = self.now_s + seconds
        while self.now_s < end_s - 1e-9:
            self.engine.step()
            self.now_s += 0.005
        self.engine.step()

    def lose_while_playing(self) -> int:
        self.engine.play(1000, None)
        self.run(0.5)
        self.present = False
        self.run(0.02)
        return self.position


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_lost_device_pauses_says_so_and_keeps_the_frame_that_was_heard(bench: Bench) -> None:
    kept = bench.lose_while_playing()
    assert abs(kept - 1500) <= LEAD_S * RATE_HZ
    assert not bench.engine.playing
    assert bench.engine.interrupted
    assert bench.lost == ["The sound device “Headset” was lost. The position is kept."]


def test_playing_goes_on_by_itself_from_the_frame_kept(bench: Bench) -> None:
    kept = bench.lose_while_playing()
    bench.run(4.0)
    assert bench.position == kept
    bench.present = True
    bench.run(LONGEST_PAUSE_S + 0.5)
    assert bench.engine.playing
    assert not bench.engine.interrupted
    assert bench.devices[1].heard[0] == kept
    assert bench.position > kept
    assert bench.back == ["Sound is back on “Headset”; playing goes on."]


def test_a_stalled_device_is_lost_and_no_frame_after_its_last_sign_of_life_is_skipped(bench: Bench) -> None:
    bench.engine.play(1000, None)
    bench.run(0.5)
    bench.stalled = True
    bench.run(STALL_S + 0.1)
    kept = bench.position
    assert kept <= max(bench.devices[0].heard)
    assert kept >= 1500 - 2 * LEAD_S * RATE_HZ
    bench.stalled = False
    bench.run(FIRST_PAUSE_S + 0.5)
    assert bench.devices[1].heard[0] == kept


@pytest.mark.parametrize(
    "decide",
    [
        lambda engine: engine.pause(),
        lambda engine: engine.seek(20_000),
    ],
    ids=["pause", "seek"],
)
def test_after_a_decision_of_the_user_the_device_is_only_said_to_be_back(
    bench: Bench, decide: Callable[[Engine], None]
) -> None:
    bench.lose_while_playing()
    decide(bench.engine)
    bench.run(0.1)
    rest = bench.position
    bench.present = True
    bench.run(LONGEST_PAUSE_S + 1)
    assert not bench.engine.playing
    assert bench.position == rest
    assert bench.back == ["Sound is back on “Headset”."]


def test_a_pause_in_the_same_moment_as_the_loss_stays_a_pause(bench: Bench) -> None:
    bench.engine.play(1000, None)
    bench.run(0.5)
    bench.engine.playing = False
    bench.present = False
    bench.run(0.02)
    assert not bench.engine.interrupted


def test_a_seek_in_the_same_moment_as_the_loss_does_not_leave_it_playing_nothing(bench: Bench) -> None:
    bench.engine.play(1000, None)
    bench.run(0.5)
    bench.engine._take_ticket(9000)
    ticket = bench.engine._ticket
    bench.present = False
    bench.run(0.02)
    bench.engine._order(lambda: bench.engine._carry_out_seek(ticket, 9000))
    bench.run(0.1)
    assert not bench.engine.playing
    assert bench.position == 9000


def test_playing_by_hand_without_the_device_runs_in_silence_until_it_returns(bench: Bench) -> None:
    bench.lose_while_playing()
    bench.engine.play(5000, None)
    bench.run(1.0)
    assert bench.position == 6000
    assert "everything but sound works" in bench.lost[-1]
    bench.present = True
    bench.run(LONGEST_PAUSE_S + 0.1)
    first = bench.devices[-1].heard[0]
    assert 6000 < first < 12_000
    assert not bench.silences[-1].running
    assert bench.engine.playing


def test_the_loop_goes_on_where_it_was_interrupted(bench: Bench) -> None:
    bench.engine.set_looping(True)
    bench.engine.play(1000, 1600)
    bench.run(1.0)
    bench.present = False
    bench.run(0.02)
    kept = bench.position
    bench.present = True
    bench.run(3.0)
    assert bench.devices[1].heard[0] == kept
    assert set(bench.devices[1].heard) == set(range(1000, 1600))


def test_trying_now_finds_the_device_before_its_turn_and_says_when_it_does_not(bench: Bench) -> None:
    bench.lose_while_playing()
    bench.run(9.0)
    bench.engine.look_for_device()
    bench.run(0.01)
    assert [report.note for report in bench.reports if report.note] == ["Looked for “Headset”: it is not there yet."]
    bench.present = True
    bench.engine.look_for_device()
    bench.run(0.01)
    assert bench.engine.playing


def test_another_device_chosen_while_interrupted_plays_on(bench: Bench) -> None:
    kept = bench.lose_while_playing()
    other: list[Device] = []

    def open_other(ring: Ring) -> Output:
        bench.present = True
        other.append(Device(bench, ring, "Speakers"))
        return other[0]

    bench.engine.set_output(open_other)
    bench.run(0.2)
    assert bench.engine.playing
    assert other[0].heard[0] == kept
    assert bench.back == ["The sound goes to another device from now on."]


def test_listing_the_devices_anew_while_interrupted_keeps_waiting_for_the_lost_one(bench: Bench) -> None:
    kept = bench.lose_while_playing()
    listed: list[int] = []
    bench.engine.set_output(bench.open, lambda: listed.append(len(bench.looks)))
    bench.run(0.1)
    assert listed == [0]
    assert bench.looks == ["Headset"]
    assert bench.engine.interrupted
    bench.present = True
    bench.run(LONGEST_PAUSE_S)
    assert bench.devices[1].heard[0] == kept


def test_a_device_that_does_not_start_is_waited_for(bench: Bench) -> None:
    bench.starting = False
    bench.engine.play(1000, None)
    bench.run(0.1)
    assert bench.lost == ["The sound device “Headset” does not start. The position is kept."]
    assert bench.position == 1000
    bench.starting = True
    bench.run(FIRST_PAUSE_S + 0.2)
    assert bench.devices[-1].heard[0] == 1000
    assert bench.engine.playing


def test_a_device_that_opens_and_takes_no_frames_is_not_said_to_be_back_and_looked_for_ever_more_rarely(
    bench: Bench,
) -> None:
    kept = bench.lose_while_playing()
    bench.present, bench.stalled = True, True
    bench.run(60.0)
    assert bench.back == []
    assert 5 < len(bench.looks) < 12
    bench.stalled = False
    bench.run(LONGEST_PAUSE_S + STALL_S)
    assert bench.back == ["Sound is back on “Headset”; playing goes on."]
    assert bench.devices[-1].heard[0] == kept


def test_without_the_library_nothing_is_waited_for(bench: Bench) -> None:
    bench.present, bench.lasting = False, True
    bench.engine.play(0, None)
    bench.run(8.0)
    assert bench.looks == []
    assert bench.position == 8000


def test_the_looks_grow_rarer_up_to_a_limit() -> None:
    watch = watch_from("Headset", 0.0)
    pauses = []
    for _ in range(12):
        now_s = watch.due_s
        watch = watch.later(now_s)
        pauses.append(watch.due_s - now_s)
    assert pauses[0] == pytest.approx(FIRST_PAUSE_S)
    assert pauses[1] == pytest.approx(FIRST_PAUSE_S * GROWTH)
    assert pauses[-1] == pytest.approx(LONGEST_PAUSE_S)


def test_a_worker_that_waits_sleeps_until_the_next_look(bench: Bench) -> None:
    bench.lose_while_playing()
    pause_s = bench.engine.step()
    assert pause_s is not None
    assert pause_s > FIRST_PAUSE_S / 2
