"""Other speeds keep the pitch, the length and the channels together, and say what is heard when."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from annotation.audio.stretch import HOP_S, SEARCH_S, Material, Stretched, Stretcher, stretched
from annotation.errors import InvalidValueError

SPEEDS = (0.5, 0.75, 1.5, 2.0)
RATE_HZ = 16_000

Sound = NDArray[np.float32]


class Reels:
    """Channels, guided by their sum; remembers what was asked for."""

    def __init__(self, channels: Sound) -> None:
        self.channels = channels
        self.guide = channels.sum(axis=0)
        self.asked: list[tuple[int, int]] = []

    def __call__(self, first: int, count: int) -> Material:
        self.asked.append((first, count))
        return Material(self.channels[:, first : first + count].T, self.guide[first : first + count])


def laid_out(channels: Sound, speed: float, *, block: int = 960, rate_hz: int = RATE_HZ) -> Stretched:
    """Return the whole of channels ``(n, frames)``, taken block by block; its samples are ``(n, count)`` too."""
    stretcher = Stretcher(Reels(channels), rate_hz=rate_hz, speed=speed, length=channels.shape[1])
    blocks = []
    while (taken := stretcher.take(block)).samples.size:
        blocks.append(taken)
    return Stretched(
        np.concatenate([taken.samples for taken in blocks]).T, np.concatenate([taken.places for taken in blocks])
    )


def at_once(channels: Sound, speed: float, rate_hz: int = RATE_HZ) -> Sound:
    """Return channels ``(n, frames)`` at another speed, as ``(n, count)``."""
    return stretched(channels.T, rate_hz=rate_hz, speed=speed).T


def murmur(channels: int, frames: int, seed: int = 3) -> Sound:
    noise: Sound = (0.01 * np.random.default_rng(seed).standard_normal((channels, frames))).astype(np.float32)
    return noise


def clicks(count: int = 30, rate_hz: int = RATE_HZ) -> NDArray[np.int64]:
    """Return the frames of clicks about 0.4 s apart, and never at the same place of a hop."""
    spread = np.random.default_rng(8).uniform(0.1, 0.3, count)
    frames: NDArray[np.int64] = ((np.arange(count) * 0.4 + spread) * rate_hz).astype(np.int64)
    return frames


@pytest.mark.parametrize("speed", SPEEDS)
@pytest.mark.parametrize("rate_hz", [8_000, 11_025, 44_100, 192_000])
def test_a_tone_keeps_its_pitch_at_any_rate(rate_hz: int, speed: float) -> None:
    tone = np.sin(2 * np.pi * 1000 * np.arange(2 * rate_hz) / rate_hz).astype(np.float32)[None]
    out = at_once(tone, speed, rate_hz)[0]
    spectrum = np.abs(np.fft.rfft(out * np.hanning(len(out))))
    assert np.argmax(spectrum) * rate_hz / len(out) == pytest.approx(1000, rel=0.002)
    assert np.abs(out[rate_hz // 10 : -rate_hz // 10]).max() == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("speed", SPEEDS)
def test_channels_that_are_alike_stay_alike_to_the_last_bit(speed: float) -> None:
    one = murmur(1, 5 * RATE_HZ)[0]
    channels = np.stack([one, one / 2, one, -one, one])
    out = at_once(channels, speed)
    assert np.array_equal(out, np.stack([out[0], out[0] / 2, out[0], -out[0], out[0]]))


@pytest.mark.parametrize("speed", SPEEDS)
def test_clicks_of_five_channels_lie_on_the_same_frames(speed: float) -> None:
    channels = np.zeros((5, 12 * RATE_HZ), np.float32)
    channels[:, clicks()] = 0.5
    channels *= np.arange(1, 6, dtype=np.float32)[:, None]
    out = at_once(channels, speed)
    sounding = [tuple(np.flatnonzero(channel)) for channel in out]
    assert len(sounding[0]) >= len(clicks())
    assert set(sounding) == {sounding[0]}


@pytest.mark.parametrize("speed", [0.5, 0.6, 0.75, 0.9, 1.1, 1.25])
def test_a_click_is_heard_where_its_place_says(speed: float) -> None:
    channels = murmur(3, 12 * RATE_HZ, seed=1)
    channels[:, clicks()] += 0.6
    out = laid_out(channels, speed)
    errors = []
    for click in clicks():
        near = np.flatnonzero(np.abs(out.places - click) < 0.05 * RATE_HZ)
        loudest = near[np.argmax(np.abs(out.samples[0, near]))]
        assert abs(out.samples[0, loudest]) > 0.2
        errors.append(abs(int(out.places[loudest]) - click) / RATE_HZ)
    assert np.mean(errors) < 0.003
    assert np.median(errors) < 0.0005


@pytest.mark.parametrize("speed", SPEEDS)
def test_what_is_heard_is_never_far_from_what_the_speed_says(speed: float) -> None:
    out = laid_out(murmur(2, 6 * RATE_HZ), speed)
    ahead = out.places - np.arange(len(out.places)) * speed
    # Half a hop of fading is heard with its middle.
    assert np.abs(ahead).max() <= (SEARCH_S + HOP_S / 2) * RATE_HZ + 2


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 4000), st.floats(0.5, 2.0), st.integers(1, 700), st.sampled_from([1000, 8000, 16_000, 48_000]))
def test_the_whole_is_heard_in_the_length_that_the_speed_says(
    frames: int, speed: float, block: int, rate_hz: int
) -> None:
    channels = murmur(2, frames, seed=frames)
    out = laid_out(channels, speed, block=block, rate_hz=rate_hz)
    assert out.samples.shape == (2, max(round(frames / speed), 1))
    assert np.all(np.diff(out.places) >= 0)
    assert 0 <= out.places[0] <= 1 or len(out.places) == 1
    assert out.places[-1] == frames - 1 or len(out.places) < 40
    assert out.samples[:, -1] == pytest.approx(channels[:, -1], abs=1e-3) or len(out.places) < 40
    assert np.array_equal(out.samples, at_once(channels, speed, rate_hz))


@pytest.mark.parametrize("speed", SPEEDS)
def test_a_constant_stays_constant_bit_by_bit(speed: float) -> None:
    out = at_once(np.full((2, 9000), 0.3, np.float32), speed)
    assert np.all(out == np.float32(0.3))


def test_at_speed_one_nothing_is_changed() -> None:
    channels = murmur(3, 9001)
    assert np.array_equal(at_once(channels, 1.0), channels)


@pytest.mark.parametrize("speed", SPEEDS)
def test_silence_runs_at_the_pace_of_the_speed(speed: float) -> None:
    out = laid_out(np.zeros((1, RATE_HZ), np.float32), speed)
    assert np.abs(out.places - np.arange(len(out.places)) * speed).max() <= HOP_S * RATE_HZ * abs(speed - 1) * 1.1


@pytest.mark.parametrize("speed", SPEEDS)
def test_the_source_is_read_once_in_order_and_only_a_little_ahead(speed: float) -> None:
    reels = Reels(murmur(1, 30 * RATE_HZ))
    stretcher = Stretcher(reels, rate_hz=RATE_HZ, speed=speed)
    heard = int(stretcher.take(RATE_HZ).places[-1])
    ends = [first + count for first, count in reels.asked]
    assert [first for first, _ in reels.asked] == [0, *ends[:-1]]
    assert heard < ends[-1] < heard + 0.15 * RATE_HZ


@pytest.mark.parametrize("speed", [0.49, 2.01, float("nan")])
def test_a_speed_out_of_range_is_refused(speed: float) -> None:
    with pytest.raises(InvalidValueError, match=r"0\.5 to 2"):
        at_once(murmur(1, 100), speed)


def test_a_sound_without_frames_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="0 frames"):
        at_once(np.zeros((2, 0), np.float32), 0.5)


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 9000),
    st.floats(0.5, 2.0),
    st.lists(st.integers(1, 900), min_size=1, max_size=12),
    st.integers(0, 30),
    st.sampled_from([1000, 8000, 48_000]),
)
def test_going_on_again_gives_the_same_cuts_with_other_channels(
    frames: int, speed: float, blocks: list[int], back: int, rate_hz: int
) -> None:
    channels = murmur(2, frames, seed=frames)
    whole = laid_out(channels, speed, rate_hz=rate_hz)
    stretcher = Stretcher(Reels(channels), rate_hz=rate_hz, speed=speed, length=frames)
    given = sum(len(stretcher.take(block).samples) for block in blocks)
    at = given if back == 0 else max(given // stretcher.hop - back, 0) * stretcher.hop
    louder = Reels(channels)
    louder.channels = channels * np.float32(2)
    rest = stretcher.again(louder, at).take(len(whole.places))
    assert np.array_equal(rest.places, whole.places[at:])
    if at < len(whole.places):
        assert np.array_equal(rest.samples.T, whole.samples[:, at:] * np.float32(2))


def test_going_on_where_no_cut_was_is_refused() -> None:
    stretcher = Stretcher(Reels(murmur(1, 9000)), rate_hz=RATE_HZ, speed=0.5, length=9000)
    stretcher.take(1000)
    with pytest.raises(InvalidValueError, match="after 1001 frames"):
        stretcher.again(Reels(murmur(1, 9000)), 1001)
