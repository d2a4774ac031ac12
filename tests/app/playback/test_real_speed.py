"""What a sound server records at other speeds: together, in pitch, as long as the speed says."""

import numpy as np
import pytest

from annotation.audio.stretch import HOP_S, SEARCH_S
from tests.app.playback.test_real_sound import RATE_HZ, Heard, parted, start_server

SPEEDS = (0.5, 0.75, 1.5, 2.0)
FRAMES = round(1.7 * RATE_HZ)
BLOCK = RATE_HZ // 100
CLICKS = (np.arange(10) * 7_900 + np.random.default_rng(6).integers(2_000, 5_000, 10)).astype(np.int64)
LEVELS = np.array([0.10, 0.14, 0.18, 0.22, 0.26])
TONE_HZ = 1000.0


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[float, Heard]:
    """Play five channels with clicks on the same frames, one with a tone as well, at each speed; all is above 0."""
    folder = tmp_path_factory.mktemp("pulse")
    signals = np.full((5, FRAMES), 0.02)
    signals[2] += 0.015 * np.sin(2 * np.pi * TONE_HZ * np.arange(FRAMES) / RATE_HZ)
    signals[:, CLICKS] += LEVELS[:, None]
    path = folder / "clicks.npy"
    np.save(path, signals.astype(np.float32))
    names = tuple(f"at_{speed}" for speed in SPEEDS)
    server = start_server(folder)
    try:
        said, recording = server.record(path, path, *names)
    finally:
        server.process.terminate()
        server.process.wait()
    heard = parted(said, recording, names)
    return {speed: heard[name] for speed, name in zip(SPEEDS, names, strict=True)}


@pytest.mark.parametrize("speed", SPEEDS)
def test_the_whole_lasts_as_long_as_the_speed_says_within_a_block(played: dict[float, Heard], speed: float) -> None:
    assert abs(len(played[speed].sounding) - FRAMES / speed) <= BLOCK
    assert played[speed].said["position"] == FRAMES
    assert played[speed].said["faults"] == []


@pytest.mark.parametrize("speed", SPEEDS)
def test_five_channels_click_on_the_same_frames(played: dict[float, Heard], speed: float) -> None:
    sound = played[speed].sounding
    left, right = np.arange(4, -1, -1) / 4 @ LEVELS, np.arange(5) / 4 @ LEVELS
    clicks = np.flatnonzero(np.abs(np.diff(sound[:, 0], prepend=sound[0, 0])) > 0.2 * left)
    assert len(clicks) >= 2 * len(CLICKS) * 0.5
    # The share of each channel in a click is that of the file: one that were late would be missing from it.
    steps = np.diff(sound.astype(np.float64), axis=0)[clicks - 1]
    assert steps[:, 1] / steps[:, 0] == pytest.approx(np.full(len(clicks), right / left), rel=0.03)


@pytest.mark.parametrize("speed", SPEEDS)
def test_a_tone_keeps_its_pitch(played: dict[float, Heard], speed: float) -> None:
    sound = played[speed].sounding[:, 0].astype(np.float64)
    spectrum = np.abs(np.fft.rfft((np.minimum(sound, np.median(sound) * 1.5) - sound.mean()) * np.hanning(len(sound))))
    hertz = np.fft.rfftfreq(len(sound), 1 / RATE_HZ)
    assert hertz[np.argmax(np.where(hertz > 200, spectrum, 0))] == pytest.approx(TONE_HZ, rel=0.01)


@pytest.mark.parametrize("speed", [0.5, 0.75])
def test_every_click_is_heard_near_where_the_speed_puts_it(played: dict[float, Heard], speed: float) -> None:
    sound = played[speed].sounding[:, 0]
    for click in CLICKS:
        near = sound[round((click / speed) - 0.06 * RATE_HZ) : round((click / speed) + 0.06 * RATE_HZ)]
        late = (np.argmax(near) - 0.06 * RATE_HZ) * speed
        assert near.max() > 0.5 * np.arange(4, -1, -1) / 4 @ LEVELS
        assert abs(late) <= (SEARCH_S + HOP_S) * RATE_HZ
