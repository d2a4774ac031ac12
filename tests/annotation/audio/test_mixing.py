import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from annotation.audio.mixing import Mixer, SideFactors, side_factors, spread_pans
from annotation.audio.refusal import AudioRefusedError
from annotation.errors import InvalidValueError
from widgets.transport.transport import ChannelMix as Level


class Numbers:
    """A signal out of an array, silent around it; counts how often it is read."""

    def __init__(self, samples: NDArray[np.float32]) -> None:
        self.samples = samples.astype(np.float32)
        self.reads = 0

    def read(self, first_frame: int, count: int) -> NDArray[np.float32]:
        self.reads += 1
        padded = np.concatenate([self.samples, np.zeros(first_frame + count, dtype=np.float32)])
        return padded[first_frame : first_frame + count]

    def close(self) -> None:
        pass


RAMP = np.linspace(-0.5, 0.5, 100).astype(np.float32)
HALF = np.full(100, 0.5, dtype=np.float32)


@pytest.mark.parametrize(
    ("pan", "left", "right"), [(-1.0, 1.0, 0.0), (0.0, 0.5, 0.5), (1.0, 0.0, 1.0), (-0.8, 0.9, 0.1), (0.5, 0.25, 0.75)]
)
def test_the_pan_law_is_linear(pan: float, left: float, right: float) -> None:
    (factors,) = side_factors([Level(pan=pan)])
    assert [factors.left, factors.right] == pytest.approx([left, right])


@given(st.floats(-1, 1), st.floats(-60, 12))
def test_both_sides_add_up_to_the_gain(pan: float, gain_db: float) -> None:
    (factors,) = side_factors([Level(gain_db=gain_db, pan=pan)])
    assert factors.left + factors.right == pytest.approx(10 ** (gain_db / 20))


def test_a_channel_panned_left_at_no_gain_is_bit_exact_and_the_right_is_silent() -> None:
    mixed = Mixer([Numbers(RAMP)]).render(0, 100, [Level(pan=-1)])
    assert mixed.dtype == np.float32
    assert np.array_equal(mixed[:, 0], RAMP)
    assert not mixed[:, 1].any()


def test_twenty_decibels_are_a_factor_of_ten() -> None:
    mixed = Mixer([Numbers(RAMP / np.float32(100))]).render(0, 100, [Level(gain_db=20, pan=1)])
    assert mixed[:, 1] == pytest.approx(RAMP / 10)


def test_minus_infinity_decibels_are_silence() -> None:
    assert not Mixer([Numbers(RAMP)]).render(0, 100, [Level(gain_db=-math.inf)]).any()


def test_channels_add_in_the_order_of_the_lanes_in_float32() -> None:
    signals = [np.full(1, value, dtype=np.float32) for value in (1.0, 2.0**-24, 2.0**-24)]
    mixed = Mixer([Numbers(signal) for signal in signals]).render(0, 1, [Level(pan=-1)] * 3)
    assert mixed[0, 0] == np.float32(1.0)
    turned = Mixer([Numbers(signal) for signal in signals[::-1]]).render(0, 1, [Level(pan=-1)] * 3)
    assert turned[0, 0] == np.float32(1.0 + 2.0**-23)


def test_a_muted_channel_is_silent_and_not_read() -> None:
    muted, heard = Numbers(HALF), Numbers(RAMP)
    mixed = Mixer([muted, heard]).render(0, 100, [Level(pan=-1, muted=True), Level(pan=-1)])
    assert np.array_equal(mixed[:, 0], RAMP)
    assert muted.reads == 0


def test_solo_leaves_only_the_solo_channels_at_their_own_level() -> None:
    mix = [Level(pan=-1, solo=True), Level(pan=-1), Level(pan=1, solo=True)]
    mixed = Mixer([Numbers(RAMP), Numbers(HALF), Numbers(HALF)]).render(0, 100, mix)
    assert np.array_equal(mixed[:, 0], RAMP)
    assert np.array_equal(mixed[:, 1], HALF)


def test_a_solo_channel_is_heard_though_muted() -> None:
    assert side_factors([Level(pan=-1, muted=True, solo=True), Level()])[0] == SideFactors(1.0, 0.0)


def test_nothing_is_clamped_and_what_passes_full_scale_is_counted() -> None:
    mixer = Mixer([Numbers(np.array([0.9, 0.1, -0.9], dtype=np.float32))] * 2)
    mixed = mixer.render(0, 3, [Level(pan=-1), Level(pan=-1)])
    assert mixed[:, 0] == pytest.approx([1.8, 0.2, -1.8])
    assert mixer.over_full_scale == 2
    mixer.render(0, 1, [Level(pan=-1), Level(pan=-1)])
    assert mixer.over_full_scale == 3


def test_samples_that_are_no_number_are_silent_and_counted() -> None:
    mixer = Mixer([Numbers(np.array([np.nan, 0.5, np.inf], dtype=np.float32))])
    assert mixer.render(0, 3, [Level(pan=-1)])[:, 0].tolist() == [0.0, 0.5, 0.0]
    assert mixer.not_finite == 2


def test_blocks_of_any_size_give_the_same_sound() -> None:
    mixer = Mixer([Numbers(RAMP), Numbers(HALF)])
    mix = [Level(gain_db=-3, pan=-0.3), Level(gain_db=2, pan=0.7)]
    whole = mixer.render(0, 100, mix)
    parts = np.concatenate([mixer.render(first, 7, mix) for first in range(0, 105, 7)])
    assert np.array_equal(parts[:100], whole)


@pytest.mark.parametrize("level", [Level(gain_db=math.nan), Level(gain_db=61), Level(pan=1.01), Level(pan=math.nan)])
def test_impossible_levels_are_refused(level: Level) -> None:
    with pytest.raises(InvalidValueError):
        side_factors([level])


def test_a_mix_of_another_length_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="2 levels were given for 1 channels"):
        Mixer([Numbers(RAMP)]).render(0, 1, [Level(), Level()])


def test_speakers_are_spread_evenly() -> None:
    assert spread_pans(0) == ()
    assert spread_pans(1) == (0.0,)
    assert spread_pans(2) == (-0.8, 0.8)
    assert spread_pans(5) == pytest.approx((-0.8, -0.4, 0.0, 0.4, 0.8))


class Gone(Numbers):
    """A signal whose file vanished."""

    def read(self, first_frame: int, count: int) -> NDArray[np.float32]:
        raise AudioRefusedError("The file is gone.", code="audio-missing", where="b.wav")


def test_the_guide_is_the_sum_of_all_channels_whoever_is_heard() -> None:
    mixer = Mixer([Numbers(RAMP), Numbers(HALF)])
    loud = mixer.render_guided(10, 50, [Level(), Level()])
    alone = mixer.render_guided(10, 50, [Level(muted=True, gain_db=12), Level(solo=True)])
    assert np.array_equal(loud.guide, (RAMP + HALF)[10:60])
    assert np.array_equal(alone.guide, loud.guide)


def test_the_guided_mix_is_the_mix() -> None:
    mixer = Mixer([Numbers(RAMP), Numbers(HALF)])
    mix = [Level(pan=-0.3, gain_db=3), Level(muted=True)]
    assert np.array_equal(mixer.render_guided(10, 50, mix).mixed, mixer.render(10, 50, mix))


def test_a_file_that_vanished_guides_nothing_and_is_refused_where_it_is_heard() -> None:
    mixer = Mixer([Numbers(RAMP), Gone(HALF)])
    guided = mixer.render_guided(0, 100, [Level(pan=-1), Level(muted=True)])
    assert np.array_equal(guided.guide, RAMP)
    with pytest.raises(AudioRefusedError, match="gone"):
        mixer.render_guided(0, 100, [Level(), Level()])
