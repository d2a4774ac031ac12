from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import scipy.signal  # type: ignore[import-untyped]
import soundfile  # type: ignore[import-untyped]
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from annotation.audio.decoding import FrameReader, open_frames
from annotation.audio.refusal import AudioRefusedError
from annotation.audio.spectrogram import BAND_HZ, BANDS, HIGHEST_HZ, ChannelSpectrogram, open_spectrogram
from annotation.conversation import Channel

RATE_HZ = 16000
NOISE = np.random.default_rng(8).integers(-20000, 20000, size=RATE_HZ * 4).astype(np.int16)


def spectrogram_of(
    path: Path,
    samples: NDArray[np.int16] | NDArray[np.float32] = NOISE,
    *,
    rate_hz: int = RATE_HZ,
    timeline_rate_hz: int = RATE_HZ,
    start_frame: int = 0,
) -> ChannelSpectrogram:
    subtype = "PCM_16" if samples.dtype == np.int16 else "FLOAT"
    if not path.exists():
        soundfile.write(path, samples, rate_hz, subtype=subtype)
    return open_spectrogram(Channel("a", path, 0, rate_hz, len(samples), start_frame), timeline_rate_hz)


def sine(frequency_hz: float, level_db: float, rate_hz: int = RATE_HZ, seconds: int = 2) -> NDArray[np.float32]:
    times = np.arange(rate_hz * seconds) / rate_hz
    return (10 ** (level_db / 20) * np.sin(2 * np.pi * frequency_hz * times)).astype(np.float32)


@pytest.mark.parametrize("rate_hz", [8000, 16000, 24000, 44100, 48000])
def test_power_is_that_of_scipy(tmp_path: Path, rate_hz: int) -> None:
    spectrogram = spectrogram_of(tmp_path / "a.wav", rate_hz=rate_hz)
    length = 2 * round(rate_hz * 0.016)
    fft_samples = round(rate_hz / spectrogram.bin_hz)
    frequencies, _, expected = scipy.signal.spectrogram(
        NOISE.astype(np.float64) / 32768,
        rate_hz,
        window="hann",
        nperseg=length,
        noverlap=length // 2,
        nfft=fft_samples,
        detrend=False,
        scaling="spectrum",
    )
    middles = np.arange(expected.shape[1], dtype=np.int64) * (length // 2) + length // 2
    found = spectrogram.power(middles)
    spectrogram.close()
    # scipy gives mean squares; a sine of full scale has one half.
    expected = 2 * expected[: found.shape[1]].T
    assert frequencies[1] == pytest.approx(spectrogram.bin_hz)
    assert np.allclose(found, expected, rtol=1e-4, atol=1e-4 * expected.mean())


@pytest.mark.parametrize("rate_hz", [8000, 16000, 48000])
@pytest.mark.parametrize("level_db", [-20.0, -40.0])
def test_a_sine_stands_in_its_band_at_its_level(tmp_path: Path, rate_hz: int, level_db: float) -> None:
    frequency_hz = 1000.0
    spectrogram = spectrogram_of(tmp_path / "a.wav", sine(frequency_hz, level_db, rate_hz), rate_hz=rate_hz)
    levels = spectrogram.columns(np.array([RATE_HZ, RATE_HZ + 16])).levels[0]
    spectrogram.close()
    assert int(levels.argmax()) == int(frequency_hz // BAND_HZ)
    assert int(levels.max()) == round((level_db + 90) / 80 * 255)


def test_full_scale_is_the_highest_level_and_silence_the_lowest(tmp_path: Path) -> None:
    loud_then_silent = np.concatenate((sine(500, 0), np.zeros(RATE_HZ * 2, dtype=np.float32)))
    spectrogram = spectrogram_of(tmp_path / "a.wav", loud_then_silent)
    levels = spectrogram.columns(np.array([RATE_HZ, RATE_HZ + 1, RATE_HZ * 3, RATE_HZ * 3 + 1])).levels
    spectrogram.close()
    assert int(levels[0].max()) == 255
    assert not levels[2].any()


def test_bands_above_half_the_rate_are_empty(tmp_path: Path) -> None:
    spectrogram = spectrogram_of(tmp_path / "a.wav", rate_hz=8000, timeline_rate_hz=8000)
    levels = spectrogram.columns(np.arange(0, 8000, 100)).levels
    spectrogram.close()
    assert levels.shape == (79, BANDS)
    assert levels[:, :64].all()
    assert not levels[:, 64:].any()
    assert HIGHEST_HZ == 8000


def test_a_click_shows_in_the_columns_within_half_a_window_of_it(tmp_path: Path) -> None:
    click = np.zeros(RATE_HZ, dtype=np.int16)
    click[8000] = 30000
    spectrogram = spectrogram_of(tmp_path / "a.wav", click, start_frame=160)
    edges = np.arange(0, RATE_HZ, 10)
    shown = np.flatnonzero(spectrogram.columns(edges).levels.any(axis=1)) * 10 + 5 - 160
    spectrogram.close()
    assert 8000 - 256 < shown.min() <= 8000 - 200
    assert 8000 + 200 <= shown.max() < 8000 + 256


def test_columns_outside_the_channel_are_marked_and_empty(tmp_path: Path) -> None:
    spectrogram = spectrogram_of(tmp_path / "a.wav", start_frame=1000)
    end = 1000 + len(NOISE)
    columns = spectrogram.columns(np.array([-500, 0, 1000, 1001, end - 1, end, end + 5000]))
    spectrogram.close()
    assert columns.inside.tolist() == [False, False, True, True, True, False]
    assert columns.levels.any(axis=1).tolist() == columns.inside.tolist()


def test_a_column_that_reaches_over_the_end_shows_the_part_inside(tmp_path: Path) -> None:
    spectrogram = spectrogram_of(tmp_path / "a.wav", NOISE[:2000])
    wide = spectrogram.columns(np.array([-100_000, 100_000]))
    part = spectrogram.columns(np.array([0, 2000]))
    spectrogram.close()
    assert wide.inside.tolist() == [True]
    assert np.array_equal(wide.levels, part.levels)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    width=st.sampled_from([1, 3, 64, 500, 2048, 9000]),
    first=st.integers(-3000, 70000),
    start_frame=st.integers(0, 900),
    rates=st.sampled_from([(16000, 16000), (8000, 48000), (48000, 16000), (44100, 48000)]),
    ending=st.sampled_from(["wav", "flac"]),
)
def test_a_column_is_the_same_alone_and_among_others(
    tmp_path: Path, width: int, first: int, start_frame: int, rates: tuple[int, int], ending: str
) -> None:
    rate_hz, timeline_rate_hz = rates
    path = tmp_path / f"{rate_hz}.{ending}"
    spectrogram = spectrogram_of(
        path, NOISE[:20000], rate_hz=rate_hz, timeline_rate_hz=timeline_rate_hz, start_frame=start_frame
    )
    edges = first + np.arange(12, dtype=np.int64) * width
    together = spectrogram.columns(edges)
    for place in (0, 4, 10):
        alone = spectrogram.columns(edges[place : place + 2])
        # The transform takes several windows at once by other instructions than a single one.
        assert np.abs(alone.levels[0].astype(int) - together.levels[place]).max() <= 1
        assert alone.inside[0] == together.inside[place]
    spectrogram.close()


class CountingReader:
    """A file's reader that counts the frames it gives."""

    def __init__(self, reader: FrameReader) -> None:
        self._reader = reader
        self.info = reader.info
        self.key = reader.key
        self.given = 0

    def read(self, first: int, count: int) -> NDArray[np.int16] | NDArray[np.float32]:
        self.given += count
        return self._reader.read(first, count)

    def read_stripes(self, firsts: Sequence[int], count: int) -> NDArray[np.int16] | NDArray[np.float32]:
        self.given += len(firsts) * count
        return self._reader.read_stripes(firsts, count)

    def close(self) -> None:
        self._reader.close()


@pytest.mark.parametrize(
    ("columns", "seconds", "most"),
    [(256, 120, 256 * 512), (256, 0.016, 256 + 512), (1920, 10, 10 * RATE_HZ + 16 * 512)],
)
def test_no_more_is_read_than_the_columns_show(tmp_path: Path, columns: int, seconds: float, most: int) -> None:
    soundfile.write(tmp_path / "a.wav", np.tile(NOISE, 31), RATE_HZ, subtype="PCM_16")
    reader = CountingReader(open_frames(tmp_path / "a.wav"))
    channel = Channel("a", tmp_path / "a.wav", 0, RATE_HZ, 31 * len(NOISE))
    spectrogram = ChannelSpectrogram(channel, RATE_HZ, reader)
    edges = RATE_HZ + np.arange(columns + 1, dtype=np.int64) * round(seconds * RATE_HZ) // columns
    spectrogram.columns(edges)
    spectrogram.close()
    assert reader.given <= most


def test_samples_that_are_no_numbers_count_as_silence(tmp_path: Path) -> None:
    samples = np.zeros(RATE_HZ, dtype=np.float32)
    samples[5000:5010] = [np.nan, np.inf] * 5
    spectrogram = spectrogram_of(tmp_path / "a.wav", samples)
    levels = spectrogram.columns(np.arange(4000, 6000, 100)).levels
    spectrogram.close()
    assert not levels.any()


def test_samples_far_over_full_scale_do_not_overflow(tmp_path: Path) -> None:
    spectrogram = spectrogram_of(tmp_path / "a.wav", np.full(RATE_HZ, 1e30, dtype=np.float32))
    levels = spectrogram.columns(np.array([8000, 8100])).levels
    assert np.isfinite(spectrogram.power(np.array([8000]))).all()
    spectrogram.close()
    assert int(levels[0, 0]) == 255


def test_the_second_channel_of_a_file_is_its_own(tmp_path: Path) -> None:
    stereo = np.stack((np.zeros_like(NOISE), NOISE), axis=1)
    soundfile.write(tmp_path / "a.wav", stereo, RATE_HZ, subtype="PCM_16")
    for index, is_loud in ((0, False), (1, True)):
        channel = Channel("a", tmp_path / "a.wav", index, RATE_HZ, len(NOISE))
        spectrogram = open_spectrogram(channel, RATE_HZ)
        for edges in (np.arange(0, 5000, 100), np.linspace(0, len(NOISE), 12).astype(np.int64)):
            assert bool(spectrogram.columns(edges).levels.any()) is is_loud
        spectrogram.close()


def test_samples_appended_after_the_import_are_not_shown(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", NOISE, RATE_HZ, subtype="PCM_16")
    spectrogram = open_spectrogram(Channel("a", tmp_path / "a.wav", 0, RATE_HZ, 3000), RATE_HZ)
    shown = spectrogram.columns(np.array([2990, 3000, 4000]))
    spectrogram.close()
    other = spectrogram_of(tmp_path / "b.wav", NOISE[:3000])
    expected = other.columns(np.array([2990, 3000, 4000]))
    other.close()
    assert np.array_equal(shown.levels, expected.levels)
    assert shown.inside.tolist() == [True, False]


def test_around_the_channel_there_is_no_power(tmp_path: Path) -> None:
    spectrogram = spectrogram_of(tmp_path / "a.wav", NOISE[:2000])
    power = spectrogram.power(np.array([-5000, -300, 1000, 2300, 90000]))
    spectrogram.close()
    assert power.any(axis=1).tolist() == [False, False, True, False, False]


def test_no_columns_are_no_work(tmp_path: Path) -> None:
    spectrogram = spectrogram_of(tmp_path / "a.wav")
    assert spectrogram.columns(np.array([5])).levels.shape == (0, BANDS)
    assert spectrogram.columns(np.array([-9, -5])).inside.tolist() == [False]
    spectrogram.close()


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AudioRefusedError, match="no such file"):
        open_spectrogram(Channel("a", tmp_path / "a.wav", 0, RATE_HZ, 100), RATE_HZ)
