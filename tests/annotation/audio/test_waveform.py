import os
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from annotation.audio.cache import AudioCache
from annotation.audio.peaks import build_pyramid
from annotation.audio.refusal import AudioRefusedError
from annotation.audio.waveform import ChannelWaveform, open_waveform
from annotation.cancellation import CancelToken, no_progress
from annotation.conversation import Channel
from widgets.timeline.values import Waveform

FRAMES = 400_000
NOISE = np.random.default_rng(8).integers(-32768, 32768, size=FRAMES).astype(np.int16)
EXACT = NOISE.astype(np.float32) / np.float32(32768)
Edges = NDArray[np.int64]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("waveform")
    soundfile.write(folder / "a.wav", NOISE, 16000)
    build_pyramid(folder / "a.wav", AudioCache(folder / "cache"), CancelToken(), no_progress)
    return folder


def opened(
    folder: Path, *, rate_hz: int = 16000, timeline_rate_hz: int = 16000, start_frame: int = 0
) -> ChannelWaveform:
    """Return the waveform of the noise, its rate declared as if it had been recorded so."""
    path = folder / f"{rate_hz}.wav"
    cache = AudioCache(folder / "cache")
    if not path.exists():
        soundfile.write(path, NOISE, rate_hz)
        build_pyramid(path, cache, CancelToken(), no_progress)
    return open_waveform(Channel("a", path, 0, rate_hz, FRAMES, start_frame), timeline_rate_hz, cache, CancelToken())


def brute_force(
    edges: Edges, *, rate_hz: int = 16000, timeline_rate_hz: int = 16000, start_frame: int = 0
) -> list[tuple[int, int]]:
    """Return the samples that each column's frames read, one Python integer at a time."""
    ranges = []
    for edge, following in zip(edges.tolist(), edges[1:].tolist(), strict=False):
        first = (edge - start_frame) * rate_hz // timeline_rate_hz
        last = (max(following - 1, edge) - start_frame) * rate_hz // timeline_rate_hz
        passed_over = (following - start_frame) * rate_hz // timeline_rate_hz
        ranges.append((max(first, 0), min(max(last + 1, passed_over), FRAMES)))
    return ranges


@settings(max_examples=60, deadline=None)
@given(
    width=st.integers(1, 255),
    first=st.integers(-20_000, 420_000),
    count=st.integers(1, 60),
    start_frame=st.integers(0, 9000),
)
def test_columns_are_exact_when_zoomed_in(folder: Path, width: int, first: int, count: int, start_frame: int) -> None:
    edges = first + width * np.arange(count + 1, dtype=np.int64)
    waveform = opened(folder, start_frame=start_frame)
    smallest, largest = waveform.columns(edges)
    waveform.close()
    for index, (onset, offset) in enumerate(brute_force(edges, start_frame=start_frame)):
        if onset < offset:
            assert smallest[index] == EXACT[onset:offset].min()
            assert largest[index] == EXACT[onset:offset].max()
        else:
            assert np.isnan(smallest[index])
            assert np.isnan(largest[index])


@settings(max_examples=60, deadline=None)
@given(
    edges=st.lists(st.integers(-1000, 1_300_000), min_size=2, max_size=40).map(
        lambda places: np.array(sorted(places), dtype=np.int64)
    ),
    rates=st.sampled_from([(16000, 16000), (16000, 48000), (44100, 48000), (48000, 16000)]),
    start_frame=st.integers(0, 5000),
)
def test_columns_are_those_of_brute_force_within_a_quarter_column(
    folder: Path, edges: Edges, rates: tuple[int, int], start_frame: int
) -> None:
    rate_hz, timeline_rate_hz = rates
    waveform = opened(folder, rate_hz=rate_hz, timeline_rate_hz=timeline_rate_hz, start_frame=start_frame)
    smallest, largest = waveform.columns(edges)
    waveform.close()
    ranges = brute_force(edges, rate_hz=rate_hz, timeline_rate_hz=timeline_rate_hz, start_frame=start_frame)
    for index, (onset, offset) in enumerate(ranges):
        if onset >= offset:
            assert np.isnan(smallest[index])
            continue
        frames = int(edges[index + 1] - edges[index])
        spare = max(256, (frames * rate_hz // timeline_rate_hz + 2) // 4)
        around = EXACT[max(0, onset - spare) : offset + spare]
        assert around.min() <= smallest[index] <= EXACT[onset:offset].min()
        assert around.max() >= largest[index] >= EXACT[onset:offset].max()


@settings(max_examples=60, deadline=None)
@given(
    width=st.integers(1, 9000),
    count=st.integers(1, 30),
    scrolled=st.integers(-20, 20),
    first=st.integers(-5000, 400_000),
    rates=st.sampled_from([(16000, 16000), (44100, 48000)]),
)
def test_scrolling_by_whole_columns_never_changes_a_column(
    folder: Path, width: int, count: int, scrolled: int, first: int, rates: tuple[int, int]
) -> None:
    waveform = opened(folder, rate_hz=rates[0], timeline_rate_hz=rates[1])
    everything = first + width * np.arange(min(scrolled, 0), max(scrolled, 0) + count + 1, dtype=np.int64)
    view = first + width * np.arange(scrolled, scrolled + count + 1, dtype=np.int64)
    place = max(scrolled, 0)
    for whole, part in zip(waveform.columns(everything), waveform.columns(view), strict=True):
        assert np.array_equal(whole[place : place + count], part, equal_nan=True)
    waveform.close()


def test_a_channel_waveform_is_what_the_timeline_draws(folder: Path) -> None:
    channel_waveform = opened(folder)
    drawn: Waveform = channel_waveform
    assert not drawn.provisional
    channel_waveform.close()


def test_a_column_of_no_frame_shows_the_sample_at_its_edge(folder: Path) -> None:
    waveform = opened(folder)
    smallest, largest = waveform.columns(np.array([500, 500, 500, 501], dtype=np.int64))
    waveform.close()
    assert smallest.tolist() == largest.tolist() == [EXACT[500]] * 3


def test_whole_hours_are_drawn_from_few_bins(folder: Path) -> None:
    waveform = opened(folder)
    (folder / "16000.wav").rename(folder / "away.wav")
    try:
        smallest, _ = waveform.columns(np.linspace(0, FRAMES, 101).astype(np.int64))
    finally:
        (folder / "away.wav").rename(folder / "16000.wav")
    waveform.close()
    assert not np.isnan(smallest).any()
    assert waveform.refusal is None


def test_a_file_without_a_pyramid_is_drawn_provisionally_and_then_in_full(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.concatenate([NOISE] * 4), 16000)
    cache = AudioCache(tmp_path / "cache")
    channel = Channel("a", tmp_path / "a.wav", 0, 16000, 4 * FRAMES)
    preview = open_waveform(channel, 16000, cache, CancelToken())
    edges = np.linspace(0, 4 * FRAMES, 51).astype(np.int64)
    assert preview.provisional
    assert not np.isnan(preview.columns(edges)[0]).any()
    (pyramid,) = build_pyramid(tmp_path / "a.wav", cache, CancelToken(), no_progress)
    complete = preview.with_pyramid(pyramid)
    assert not complete.provisional
    for fine, coarse in zip(complete.columns(edges), preview.columns(edges), strict=True):
        assert np.abs(fine).min() >= 0.95
        assert np.abs(coarse).max() <= 1
    complete.close()
    reopened = open_waveform(channel, 16000, cache, CancelToken())
    assert not reopened.provisional
    reopened.close()


def test_a_file_that_shrank_is_drawn_from_its_outline_and_says_so(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", NOISE, 16000)
    cache = AudioCache(tmp_path / "cache")
    build_pyramid(tmp_path / "a.wav", cache, CancelToken(), no_progress)
    waveform = open_waveform(Channel("a", tmp_path / "a.wav", 0, 16000, FRAMES), 16000, cache, CancelToken())
    os.truncate(tmp_path / "a.wav", 100_000)
    smallest, _ = waveform.columns(300_000 + 10 * np.arange(11, dtype=np.int64))
    assert not np.isnan(smallest).any()
    assert isinstance(waveform.refusal, AudioRefusedError)
    waveform.close()
