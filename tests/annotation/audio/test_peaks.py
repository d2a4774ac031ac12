import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from annotation.audio.cache import AudioCache
from annotation.audio.peaks import (
    BIN_SAMPLES,
    Pyramid,
    build_pyramid,
    cached_pyramid,
    level_sizes,
    sparse_preview,
)
from annotation.audio.refusal import AudioRefusedError
from annotation.cancellation import CancelledError, CancelToken, no_progress


@pytest.fixture
def cache(tmp_path: Path) -> AudioCache:
    return AudioCache(tmp_path / "cache")


def noise(frames: int, channels: int = 1, seed: int = 1) -> NDArray[np.int16]:
    return np.random.default_rng(seed).integers(-32768, 32768, size=(frames, channels)).astype(np.int16)


def built(path: Path, cache: AudioCache) -> tuple[Pyramid, ...]:
    return build_pyramid(path, cache, CancelToken(), no_progress)


def assert_outline(pyramid: Pyramid, samples: NDArray[np.int16]) -> None:
    """Compare every bin of every level with the extremes of its samples, found the slow way."""
    assert [len(level.smallest) for level in pyramid.levels] == list(level_sizes(len(samples)))
    for level in pyramid.levels:
        for index, (low, high) in enumerate(zip(level.smallest, level.largest, strict=True)):
            inside = samples[index * level.bin_samples : (index + 1) * level.bin_samples]
            assert (low, high) == (inside.min(), inside.max())


def test_each_level_has_a_quarter_of_the_bins_rounded_up() -> None:
    assert level_sizes(1) == (1,)
    assert level_sizes(BIN_SAMPLES * 64) == (64,)
    assert level_sizes(BIN_SAMPLES * 65) == (65, 17)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(frames=st.integers(1, 60_000), seed=st.integers(0, 9))
def test_every_bin_has_the_extremes_of_its_samples(tmp_path: Path, frames: int, seed: int) -> None:
    samples = noise(frames, seed=seed)
    soundfile.write(tmp_path / "a.wav", samples, 16000)
    (pyramid,) = built(tmp_path / "a.wav", AudioCache(tmp_path / "cache"))
    assert_outline(pyramid, samples[:, 0])


@pytest.mark.parametrize("name", ["a.wav", "a.flac"])
def test_each_channel_of_a_file_has_its_own_pyramid_across_chunks(tmp_path: Path, cache: AudioCache, name: str) -> None:
    samples = noise(300_001, channels=3)
    soundfile.write(tmp_path / name, samples, 16000)
    pyramids = built(tmp_path / name, cache)
    assert len(pyramids) == 3
    for index, pyramid in enumerate(pyramids):
        assert_outline(pyramid, samples[:, index])


@pytest.mark.parametrize(("name", "subtype"), [("a.wav", "PCM_24"), ("a.flac", "PCM_24"), ("a.wav", "FLOAT")])
def test_finer_samples_are_rounded_outward(tmp_path: Path, cache: AudioCache, name: str, subtype: str) -> None:
    samples = np.zeros(5000)
    samples[100], samples[200] = 1000.5 / 32768, -1000.5 / 32768
    soundfile.write(tmp_path / name, samples, 16000, subtype=subtype)
    (pyramid,) = built(tmp_path / name, cache)
    assert (pyramid.levels[0].smallest[0], pyramid.levels[0].largest[0]) == (-1001, 1001)
    assert pyramid.over_full_scale == 0


def test_what_lies_beyond_full_scale_is_cut_and_counted(tmp_path: Path, cache: AudioCache) -> None:
    samples = np.zeros(1000, dtype=np.float32)
    samples[[10, 20, 300]] = 1.5, -2.0, 1.0
    soundfile.write(tmp_path / "a.wav", samples, 16000, subtype="FLOAT")
    (pyramid,) = built(tmp_path / "a.wav", cache)
    assert pyramid.over_full_scale == 2
    assert (pyramid.levels[0].smallest[0], pyramid.levels[0].largest[0]) == (-32768, 32767)


def test_samples_that_are_no_number_are_counted_and_hide_nothing(tmp_path: Path, cache: AudioCache) -> None:
    samples = np.full(1000, 0.25, dtype=np.float32)
    samples[[10, 20]] = np.nan, np.inf
    soundfile.write(tmp_path / "a.wav", samples, 16000, subtype="FLOAT")
    for _ in ("computed", "from the cache"):
        (pyramid,) = built(tmp_path / "a.wav", cache)
        assert pyramid.not_finite == 2
        assert (pyramid.levels[0].smallest[0], pyramid.levels[0].largest[0]) == (0, 8192)


def test_a_second_build_comes_from_the_cache(tmp_path: Path, cache: AudioCache) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, noise(100_000), 16000)
    first = built(path, cache)
    shares: list[float] = []
    (again,) = build_pyramid(path, cache, CancelToken(), shares.append)
    assert shares == [1.0]
    assert_outline(again, noise(100_000)[:, 0])
    assert again.frames == first[0].frames


def test_a_changed_file_is_not_drawn_from_the_cache(tmp_path: Path, cache: AudioCache) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, noise(30_000), 16000)
    built(path, cache)
    soundfile.write(path, noise(30_000, seed=2), 16000)
    os.utime(path, ns=(1, 1))
    assert cached_pyramid(path, cache) is None
    assert_outline(built(path, cache)[0], noise(30_000, seed=2)[:, 0])


@pytest.mark.parametrize("length", [0, 63, 64, 200])
def test_a_cut_entry_is_built_again(tmp_path: Path, cache: AudioCache, length: int) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, noise(50_000), 16000)
    built(path, cache)
    (entry,) = cache.folder.iterdir()
    os.truncate(entry, length)
    assert_outline(built(path, cache)[0], noise(50_000)[:, 0])
    assert cached_pyramid(path, cache) is not None


def test_without_a_cache_folder_a_pyramid_is_still_built(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    soundfile.write(tmp_path / "a.wav", noise(50_000), 16000)
    assert_outline(built(tmp_path / "a.wav", AudioCache(tmp_path / "file" / "cache"))[0], noise(50_000)[:, 0])


def test_several_threads_build_several_files(tmp_path: Path, cache: AudioCache) -> None:
    paths = [tmp_path / f"{seed}.wav" for seed in range(4)]
    for seed, path in enumerate(paths):
        soundfile.write(path, noise(70_000, seed=seed), 16000)
    with ThreadPoolExecutor(4) as pool:
        pyramids = list(pool.map(lambda path: built(path, cache)[0], paths))
    for seed, pyramid in enumerate(pyramids):
        assert_outline(pyramid, noise(70_000, seed=seed)[:, 0])


def test_a_cancelled_build_keeps_nothing(tmp_path: Path, cache: AudioCache) -> None:
    soundfile.write(tmp_path / "a.wav", noise(1000), 16000)
    token = CancelToken()
    token.cancel()
    with pytest.raises(CancelledError):
        build_pyramid(tmp_path / "a.wav", cache, token, no_progress)
    assert cached_pyramid(tmp_path / "a.wav", cache) is None


def test_a_missing_file_is_refused(tmp_path: Path, cache: AudioCache) -> None:
    with pytest.raises(AudioRefusedError, match="no such file"):
        built(tmp_path / "gone.wav", cache)


@pytest.mark.parametrize(("name", "most"), [("a.wav", 2048), ("a.flac", 160)])
def test_a_preview_covers_the_file_with_few_stripes_and_says_so(tmp_path: Path, name: str, most: int) -> None:
    samples = np.repeat(np.arange(-200, 200, dtype=np.int16), 5000)
    soundfile.write(tmp_path / name, samples, 16000)
    (preview,) = sparse_preview(tmp_path / name, AudioCache(tmp_path / "cache"), CancelToken())
    (level,) = preview.levels
    assert preview.provisional
    assert most / 2 < len(level.smallest) <= most
    assert len(level.smallest) == -(-len(samples) // level.bin_samples)
    for index in range(len(level.smallest)):
        inside = samples[index * level.bin_samples : (index + 1) * level.bin_samples]
        assert inside.min() <= level.smallest[index] <= level.largest[index] <= inside.max()


def test_a_preview_of_a_short_file_is_complete(tmp_path: Path) -> None:
    samples = noise(5000, channels=2)
    soundfile.write(tmp_path / "a.wav", samples, 16000)
    for index, preview in enumerate(sparse_preview(tmp_path / "a.wav", AudioCache(tmp_path / "cache"), CancelToken())):
        assert preview.levels[0].smallest.min() == samples[:, index].min()
        assert preview.levels[0].largest.max() == samples[:, index].max()
