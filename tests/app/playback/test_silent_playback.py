"""The player on a silent clock: no device, the same ring, the same position."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from annotation.errors import FloorscopeError
from app.playback.engine import Engine, Report
from app.playback.output import Output, SoundUnavailableError
from app.playback.ring import Ring
from app.playback.silent import LEAD_S, SilentOutput
from widgets.transport.transport import ChannelMix

RATE_HZ = 1000
FRAMES = 10_000


class Counting:
    """Renders the number of each frame, so that what is heard says where it came from; gain is heard as a sign."""

    def __init__(self, *, broken_from: int = FRAMES) -> None:
        self.broken_from = broken_from

    def render(self, first: int, count: int, mix: tuple[ChannelMix, ...]) -> NDArray[np.float32]:
        if first + count > self.broken_from:
            raise FloorscopeError("The file is gone.", where="speaker-a.wav", remedy="Connect the disk again.")
        numbers = np.arange(first, first + count, dtype=np.float32)
        return np.stack([numbers, -numbers if mix[0].muted else numbers], axis=1)


class Clock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


class Listening(SilentOutput):
    """A silent clock that keeps what it took."""

    def __init__(self, *, ring: Ring, clock: Clock) -> None:
        super().__init__(ring=ring, rate_hz=RATE_HZ, clock=clock)
        self.heard: list[float] = []
        pull = ring.pull

        def keep(out: NDArray[np.float32], dac_time_s: float) -> None:
            pull(out, dac_time_s)
            self.heard.extend(float(right) for right in out[:, 1])

        ring.pull = keep  # type: ignore[method-assign]


class Bench:
    """An engine without a thread, stepped by hand."""

    def __init__(self, *, renderer: Counting | None = None, frames: int = FRAMES) -> None:
        self.clock = Clock()
        self.reports: list[Report] = []
        self.outputs: list[Listening] = []
        self.engine = Engine(
            rate_hz=RATE_HZ,
            frames=frames,
            renderer=renderer or Counting(),
            mix=(ChannelMix(),),
            open_output=self._open,
            open_silent=self._open,
            report=self.reports.append,
            clock=self.clock,
        )

    def _open(self, ring: Ring) -> Output:
        self.outputs.append(Listening(ring=ring, clock=self.clock))
        return self.outputs[-1]

    @property
    def position(self) -> int:
        return self.engine.heard().frame

    @property
    def heard(self) -> list[int]:
        return [int(number) for output in self.outputs for number in output.heard]

    def run(self, seconds: float, *, visit_s: float = 0.005, each: Callable[[], None] = lambda: None) -> None:
        end_s = self.clock.now_s + seconds
        while self.clock.now_s < end_s - 1e-9:
            self.engine.step()
            each()
            self.clock.now_s += visit_s
        self.engine.step()


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_the_cursor_follows_the_clock(bench: Bench) -> None:
    bench.engine.play(500, None)
    bench.run(1.0)
    assert bench.position == 1500


def test_the_position_never_goes_back(bench: Bench) -> None:
    seen: list[int] = []
    bench.engine.play(0, None)
    bench.run(1.0, visit_s=0.0013, each=lambda: seen.append(bench.position))
    assert seen == sorted(seen)
    assert seen[-1] > 900


def test_playing_stops_exactly_at_the_offset(bench: Bench) -> None:
    bench.engine.play(500, 823)
    bench.run(1.0)
    assert bench.position == 823
    assert not bench.engine.playing
    assert [number for number in bench.heard if number] == list(range(500, 823))
    assert [report.finished for report in bench.reports].count(True) == 1


def test_silence_follows_the_last_frame_before_the_output_stops(bench: Bench) -> None:
    bench.engine.play(500, 600)
    bench.run(4.0)
    assert not bench.outputs[0].running
    tail = bench.heard[bench.heard.index(599) + 1 :]
    assert len(tail) >= 250
    assert not any(tail)


def test_the_seam_of_a_loop_is_exact(bench: Bench) -> None:
    bench.engine.set_looping(True)
    bench.engine.play(700, 777)
    bench.run(0.5)
    numbers = bench.heard
    assert numbers == [700 + i % 77 for i in range(len(numbers))]
    assert 700 <= bench.position < 777
    assert bench.position == 700 + 500 % 77


def test_a_loop_switched_off_ends_at_its_offset(bench: Bench) -> None:
    bench.engine.set_looping(True)
    bench.engine.play(1000, 1400)
    bench.run(0.5)
    bench.engine.set_looping(False)
    bench.run(1.0)
    assert bench.position == 1400
    assert [number for number in bench.heard if number] == 2 * list(range(1000, 1400))


def test_a_loop_switched_on_while_playing_begins_again(bench: Bench) -> None:
    bench.engine.play(1000, 1400)
    bench.run(0.35)
    bench.engine.set_looping(True)
    bench.run(0.3)
    assert bench.heard[:500] == [*range(1000, 1400), *range(1000, 1100)]
    assert bench.engine.playing


def test_pausing_and_resuming_loses_no_frame(bench: Bench) -> None:
    bench.engine.play(1000, None)
    for _ in range(5):
        bench.run(0.083)
        bench.engine.pause()
        bench.run(0.05)
        bench.engine.play(None, None)
    bench.run(0.1)
    numbers = [number for number in bench.heard if number]
    assert numbers == list(range(1000, 1000 + len(numbers)))
    assert len(numbers) > 500


def test_a_paused_position_rests(bench: Bench) -> None:
    bench.engine.play(1000, None)
    bench.run(0.2)
    bench.engine.pause()
    bench.run(0.01)
    rest = bench.position
    bench.run(2.0)
    assert bench.position == rest
    assert abs(rest - 1200) <= LEAD_S * RATE_HZ + 10


def test_an_order_changes_the_position_before_the_worker_carries_it_out(bench: Bench) -> None:
    bench.engine.seek(4321)
    assert bench.position == 4321
    bench.engine.play(None, None)
    assert bench.engine.playing
    assert bench.position == 4321


def test_a_thousand_seeks_land_exactly(bench: Bench) -> None:
    generator = np.random.default_rng(7)
    bench.engine.play(0, None)
    bench.run(0.05)
    for target in generator.integers(1, FRAMES - 200, 1000):
        before = len(bench.heard)
        bench.engine.seek(int(target))
        bench.run(0.015)
        assert bench.heard[before:] == list(range(target, target + len(bench.heard) - before))
        assert target <= bench.position <= target + 16


def test_a_seek_while_paused_plays_nothing(bench: Bench) -> None:
    bench.engine.seek(3000)
    bench.run(0.1)
    assert not bench.heard
    assert bench.position == 3000


def test_a_seek_out_of_the_passage_plays_to_the_end_of_the_timeline(bench: Bench) -> None:
    bench.engine.play(100, 400)
    bench.run(0.05)
    bench.engine.seek(9900)
    bench.run(0.5)
    assert bench.position == FRAMES


def test_a_changed_mix_is_heard_soon_and_loses_no_frame(bench: Bench) -> None:
    bench.engine.play(1000, None)
    bench.run(0.2)
    bench.engine.set_mix((ChannelMix(muted=True),))
    before = len(bench.heard)
    bench.run(0.3)
    assert min(bench.heard[before + 40 : before + 200]) < 0
    changed = bench.heard[before + 40 :]
    assert changed == [-number for number in range(-changed[0], -changed[0] + len(changed))]
    assert -changed[0] == 1000 + before + 40


def test_a_renderer_that_fails_pauses_and_says_so() -> None:
    bench = Bench(renderer=Counting(broken_from=1500))
    bench.engine.play(1000, None)
    bench.run(1.0)
    assert not bench.engine.playing
    assert any("speaker-a.wav" in report.fault and "Connect the disk" in report.fault for report in bench.reports)
    assert 1380 <= bench.position <= 1500


def test_an_output_that_dies_pauses_and_keeps_the_position(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.engine.play(1000, None)
    bench.run(0.3)
    monkeypatch.setattr(Listening, "alive", property(lambda _: False))
    bench.run(0.1)
    assert not bench.engine.playing
    assert abs(bench.position - 1300) <= LEAD_S * RATE_HZ
    assert any("was lost" in report.fault for report in bench.reports)


def test_after_a_lost_device_playing_goes_on_with_a_new_one(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.engine.play(1000, None)
    bench.run(0.3)
    with monkeypatch.context() as patch:
        patch.setattr(Listening, "alive", property(lambda _: False))
        bench.run(0.02)
    rest = bench.position
    bench.engine.play(None, None)
    bench.run(0.2)
    assert len(bench.outputs) == 2
    assert int(bench.outputs[1].heard[0]) == rest


def test_without_a_device_the_silent_clock_takes_over_and_says_why() -> None:
    bench = Bench()

    def refuse(ring: Ring) -> Output:
        raise SoundUnavailableError("There is no sound output.", remedy="Plug one in.")

    bench.engine.set_output(refuse)
    bench.engine.play(0, None)
    bench.run(0.5)
    assert bench.position == 500
    assert "Plug one in." in next(report.fault for report in bench.reports if report.fault)


def test_a_correction_moves_the_cursor_by_exactly_that(bench: Bench) -> None:
    bench.engine.play(1000, None)
    bench.run(0.5)
    plain = bench.position
    bench.engine.corrections = {SilentOutput.name: 150}
    assert bench.position == plain - 150


def test_a_passage_without_frames_ends_at_once(bench: Bench) -> None:
    bench.engine.play(300, 300)
    bench.run(0.05)
    assert bench.position == 300
    assert not bench.engine.playing


def test_playing_from_the_end_starts_at_the_beginning(bench: Bench) -> None:
    bench.engine.seek(FRAMES)
    bench.engine.play(None, None)
    bench.run(0.1)
    assert bench.position == 100


def test_resuming_inside_a_loop_stays_in_it(bench: Bench) -> None:
    bench.engine.set_looping(True)
    bench.engine.play(1000, 1200)
    bench.run(0.1)
    bench.engine.pause()
    bench.engine.play(None, None)
    bench.run(0.5)
    assert 1000 <= bench.position < 1200
