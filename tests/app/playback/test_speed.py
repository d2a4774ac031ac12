"""Other speeds through the engine: the length, the seams, the position, and changes while playing."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from annotation.audio.mixing import GuidedMix
from annotation.audio.stretch import HOP_S, SEARCH_S
from app.playback.engine import VISIT_S, Engine, Report
from app.playback.output import Output
from app.playback.ring import Ring
from tests.app.playback.late_output import Channels, Clock, LateOutput
from widgets.transport.transport import ChannelMix

RATE_HZ = 8_000
FRAMES = 20 * RATE_HZ
SPEEDS = (0.5, 0.75, 1.5, 2.0)
LEAD = round(0.02 * RATE_HZ)
REACH = round((SEARCH_S + HOP_S) * RATE_HZ)
"""How far what is heard may lie from what the speed says."""


def murmur(channels: int = 1) -> NDArray[np.float32]:
    noise = np.random.default_rng(4).integers(1, 100, (channels, FRAMES)) / 4096
    sound: NDArray[np.float32] = noise.astype(np.float32)
    return sound


class Guided(Channels):
    """Guides by the sum of all channels, as the mixer does."""

    def render_guided(self, first: int, count: int, mix: tuple[ChannelMix, ...]) -> GuidedMix:
        everyone = tuple(ChannelMix() for _ in mix)
        return GuidedMix(self.render(first, count, mix), self.render(first, count, everyone)[:, 0])


class Bench:
    """An engine without a thread, stepped by hand."""

    def __init__(self, sound: NDArray[np.float32] | None, *, rate_hz: int = RATE_HZ) -> None:
        self.clock = Clock()
        self.rate_hz = rate_hz
        self.reports: list[Report] = []
        self.outputs: list[LateOutput] = []
        self.mix = (ChannelMix(),) * (0 if sound is None else len(sound))
        self.engine = Engine(
            rate_hz=rate_hz,
            frames=FRAMES,
            renderer=None if sound is None else Guided(sound),
            mix=self.mix,
            open_output=self._open,
            open_silent=self._open,
            report=self.reports.append,
            clock=self.clock,
        )

    def _open(self, ring: Ring) -> Output:
        self.outputs.append(LateOutput(ring=ring, rate_hz=self.rate_hz, clock=self.clock))
        return self.outputs[-1]

    @property
    def position(self) -> int:
        return self.engine.heard().frame

    @property
    def heard(self) -> NDArray[np.float32]:
        return np.concatenate([output.taken[:, 0] for output in self.outputs])

    def run(self, seconds: float, each: Callable[[], None] = lambda: None) -> None:
        end_s = self.clock.now_s + seconds
        while self.clock.now_s < end_s - 1e-9:
            self.engine.step()
            each()
            self.clock.now_s = min(self.clock.now_s + VISIT_S, end_s)
        self.engine.step()

    def sounding(self) -> int:
        """Return how many frames were not silent: the murmur has no silent frame of its own."""
        return int(np.count_nonzero(self.heard))


@pytest.fixture
def bench() -> Bench:
    return Bench(murmur())


@pytest.mark.parametrize("speed", SPEEDS)
def test_a_passage_lasts_as_long_as_the_speed_says_and_ends_at_its_offset(bench: Bench, speed: float) -> None:
    bench.engine.set_speed(speed)
    bench.engine.play(4_001, 20_000)
    bench.run(15_999 / RATE_HZ / speed + 0.2)
    assert bench.sounding() == round(15_999 / speed)
    assert bench.heard[np.flatnonzero(bench.heard)[-1]] == murmur()[0, 19_999]
    assert bench.position == 20_000
    assert not bench.engine.playing
    assert [report.finished for report in bench.reports].count(True) == 1


@pytest.mark.parametrize("speed", SPEEDS)
def test_the_cursor_runs_at_the_speed_and_never_goes_back(bench: Bench, speed: float) -> None:
    seen: list[tuple[float, int]] = []
    bench.engine.set_speed(speed)
    bench.engine.play(1_000, None)
    start_s = bench.clock.now_s
    bench.run(3.0, each=lambda: seen.append((bench.clock.now_s - start_s, bench.position)))
    positions = [position for _, position in seen]
    assert positions == sorted(positions)
    assert all(abs(position - 1_000 - time_s * speed * RATE_HZ) <= REACH for time_s, position in seen)


@pytest.mark.parametrize("speed", SPEEDS)
def test_a_loop_lasts_as_long_as_the_speed_says_and_has_no_gap(bench: Bench, speed: float) -> None:
    positions: list[int] = []
    bench.engine.set_speed(speed)
    bench.engine.set_looping(True)
    bench.engine.play(8_000, 12_000)
    bench.run(10 * 4_000 / RATE_HZ / speed, each=lambda: positions.append(bench.position))
    assert bench.sounding() == len(bench.heard)
    assert all(8_000 <= position < 12_000 for position in positions)
    seams = np.count_nonzero(np.diff(positions) < 0)
    assert seams in (9, 10)
    past = (bench.position - 8_000) % 4_000
    assert min(past, 4_000 - past) <= REACH


def test_a_loop_shorter_than_a_grain_is_played(bench: Bench) -> None:
    bench.engine.set_speed(0.5)
    bench.engine.set_looping(True)
    bench.engine.play(8_000, 8_050)
    bench.run(1.0)
    assert bench.sounding() == len(bench.heard) > 0.9 * RATE_HZ
    assert 8_000 <= bench.position < 8_050


@pytest.mark.parametrize("speed", [0.5, 2.0])
def test_a_pause_rests_within_a_grain_of_what_is_heard_and_resuming_jumps_nowhere(bench: Bench, speed: float) -> None:
    bench.engine.set_speed(speed)
    bench.engine.play(1_000, None)
    for _ in range(5):
        bench.run(0.31)
        before = bench.position
        bench.engine.pause()
        bench.run(0.05)
        rest = bench.position
        assert 0 <= rest - before <= LEAD * speed + REACH
        bench.engine.play(None, None)
        bench.run(0.0)
        assert bench.position == rest
    assert abs(bench.position - 1_000 - 5 * 0.31 * speed * RATE_HZ) <= 5 * (LEAD * speed + REACH)


def test_seeks_at_half_speed_land_exactly(bench: Bench) -> None:
    bench.engine.set_speed(0.5)
    bench.engine.play(0, None)
    bench.run(0.05)
    for target in np.random.default_rng(2).integers(1, FRAMES - RATE_HZ, 200).tolist():
        before = len(bench.heard)
        bench.engine.seek(target)
        bench.engine.step()
        assert bench.position == target
        bench.run(0.016)
        # The first hop is the source itself.
        count = min(len(bench.heard) - before, round(HOP_S * RATE_HZ))
        assert np.array_equal(bench.heard[before : before + count], murmur()[0, target : target + count])


def test_the_speed_changes_while_playing_within_two_hops_and_loses_no_place(bench: Bench) -> None:
    bench.engine.play(1_000, None)
    bench.run(0.5)
    for speed in (0.5, 2.0, 1.0, 0.75):
        before = bench.position
        bench.engine.set_speed(speed)
        bench.run(0.1)
        assert 0 < bench.position - before < 0.1 * RATE_HZ * 2 + REACH
        middle = bench.position
        bench.run(1.0)
        assert bench.position - middle == pytest.approx(speed * RATE_HZ, abs=2 * REACH)
    assert bench.sounding() == len(bench.heard)


def test_back_at_speed_one_the_sound_is_bit_by_bit_that_of_the_file(bench: Bench) -> None:
    bench.engine.set_speed(0.5)
    bench.engine.play(1_000, None)
    bench.run(0.5)
    bench.engine.set_speed(1.0)
    bench.run(0.3)
    before = len(bench.heard)
    bench.run(0.5)
    heard = bench.heard[before:]
    first = bench.position + LEAD - len(heard)
    assert any(np.array_equal(heard, murmur()[0, first + shift :][: len(heard)]) for shift in (-1, 0, 1))


def test_muting_a_channel_while_playing_leaves_the_others_where_they_were() -> None:
    sound = murmur(2)
    sound[1] = 0
    sound[1, ::800] = 0.5
    both, one = Bench(sound), Bench(sound)
    for bench in (both, one):
        bench.engine.set_speed(0.5)
        bench.engine.play(0, None)
        bench.run(0.4)
    one.engine.set_mix((ChannelMix(), ChannelMix(muted=True)))
    for bench in (both, one):
        bench.run(0.6)
    changed = int(np.flatnonzero(both.heard != one.heard)[0])
    assert 0.4 * RATE_HZ < changed < 0.6 * RATE_HZ
    assert both.position == one.position
    assert one.heard[round(0.6 * RATE_HZ) :].max() < 0.2


def test_the_cuts_are_the_same_whoever_is_muted_from_the_start() -> None:
    sound = murmur(2)
    sound[1] *= np.float32(1 / 64)
    both, one = Bench(sound), Bench(sound)
    both.engine.set_mix((ChannelMix(), ChannelMix()))
    one.engine.set_mix((ChannelMix(muted=True), ChannelMix()))
    positions: list[list[int]] = [[], []]
    for number, bench in enumerate((both, one)):
        bench.engine.set_speed(1.5)
        bench.engine.play(0, None)
        bench.run(2.0, each=lambda bench=bench, seen=positions[number]: seen.append(bench.position))  # type: ignore[misc]
    assert positions[0] == positions[1]


def test_many_changes_of_the_mix_do_not_move_the_cursor_off_its_pace(bench: Bench) -> None:
    bench.engine.set_speed(0.5)
    bench.engine.play(0, None)
    for number in range(100):
        bench.engine.set_mix((ChannelMix(gain_db=number / 10),))
        bench.run(0.02)
    assert bench.position == pytest.approx(RATE_HZ, abs=0.05 * RATE_HZ)
    assert bench.sounding() == len(bench.heard)


def test_a_conversation_without_sound_runs_at_any_speed() -> None:
    bench = Bench(None)
    bench.engine.set_speed(2.0)
    bench.engine.play(0, 8_000)
    bench.run(0.25)
    assert bench.position == 4_000
    bench.run(0.5)
    assert bench.position == 8_000
    assert not bench.engine.playing


def test_an_order_of_another_speed_before_the_first_sound_is_kept(bench: Bench) -> None:
    bench.engine.set_speed(0.5)
    bench.engine.step()
    bench.engine.play(0, None)
    bench.run(1.0)
    assert bench.position == pytest.approx(RATE_HZ / 2, abs=REACH)


def test_a_thousand_seeks_over_eight_channels_land_on_the_same_frame_in_all() -> None:
    frames = np.arange(FRAMES)
    # Multiples of 2⁻¹⁵ below 2⁻³, so that the sum is exact; each channel counts in steps of its own.
    sound = np.stack([(frames * step % 4096 + 1) / 2**15 for step in (1, 3, 5, 7, 11, 13, 17, 19)]).astype(np.float32)
    bench = Bench(sound)
    bench.engine.play(0, None)
    bench.run(0.05)
    together = sound.sum(axis=0)
    for target in np.random.default_rng(8).integers(1, FRAMES - RATE_HZ, 1000).tolist():
        before = bench.outputs[0].frames_taken
        bench.engine.seek(target)
        bench.run(0.008)
        heard = bench.outputs[0].taken_from(before)
        assert len(heard) > 30
        assert np.array_equal(heard[:, 0], together[target : target + len(heard)])
        assert target <= bench.position <= target + len(heard)
