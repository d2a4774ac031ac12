"""Row 2: the outline of five channels of an hour at every zoom.

The peer is what one would write first: blocks of whole seconds through soundfile as float32, smallest and largest of
every 256 samples by numpy, and coarser levels from finer ones in the same way. Both sides make the same levels. Ours
runs as in the window, two files at a time; its time for the processor is measured too, since two threads hide it.

audiowaveform 1.10.3, in C++, is not run here: built once from source on the machine that PERFORMANCE was written on,
it took 1.24 s at 16 kHz and 3.75 s at 48 kHz for the same five hours.
"""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np
import soundfile  # type: ignore[import-untyped]
from numpy.typing import NDArray

from annotation.audio.cache import AudioCache
from annotation.audio.peaks import BIN_SAMPLES, LEVEL_RATIO, Pyramid, build_pyramid, level_sizes
from annotation.cancellation import CancelToken, no_progress
from benchmarks.comparison import Result, alternated

CHANNELS = 5
SECONDS = 3600
THREADS = 2
ROUNDS = 3
QUOTED_S = {16_000: 1.24, 48_000: 3.75}
"""What audiowaveform took elsewhere: a figure to hold beside ours, not a measurement of today."""


class Levels(NamedTuple):
    """Smallest and largest of every bin of one level."""

    smallest: NDArray[np.float32]
    largest: NDArray[np.float32]


def run() -> Result:
    """Measure 16 kHz."""
    return _measured(16_000)


def run_full() -> tuple[Result, ...]:
    """Measure 16 and 48 kHz."""
    return tuple(_measured(rate_hz) for rate_hz in (16_000, 48_000))


def _measured(rate_hz: int) -> Result:
    with tempfile.TemporaryDirectory(prefix="floorscope-benchmark-") as place:
        folder = Path(place)
        files = _recorded(folder, rate_hz)
        rounds = iter(range(ROUNDS))
        times = alternated(
            lambda: [_peer(path) for path in files],
            lambda: _ours(files, AudioCache(folder / f"cache-{next(rounds)}")),
            rounds=ROUNDS,
        )
        start = process_time()
        pyramids = _ours(files, AudioCache(folder / "last"))
        ours_cpu_s = process_time() - start
        start = process_time()
        expected = [_peer(path) for path in files]
        peer_cpu_s = process_time() - start
    return Result(
        row=2,
        work=f"full pyramid, {CHANNELS} channels × 1 h at {rate_hz // 1000} kHz, {THREADS} threads, kept in the cache",
        peer="soundfile blocks + numpy",
        peer_version=f"{soundfile.__version__} + {np.__version__}",
        peer_s=times.peer,
        ours_s=times.ours,
        goal=5,
        equal=all(_same(ours, peer) for ours, peer in zip(pyramids, expected, strict=True)),
        equality="every bin of every level has the same smallest and largest sample",
        details={
            "ours_cpu_s": ours_cpu_s,
            "peer_cpu_s": peer_cpu_s,
            "cpu_ratio": peer_cpu_s / ours_cpu_s,
            "audiowaveform_quoted_s": QUOTED_S[rate_hz],
            "quoted_ratio": QUOTED_S[rate_hz] / times.ours,
        },
    )


def _recorded(folder: Path, rate_hz: int) -> tuple[Path, ...]:
    """Write one WAV a channel: a minute of noise again and again at changing level."""
    random = np.random.default_rng(2)
    files = []
    for number in range(CHANNELS):
        minute = random.standard_normal(rate_hz * 60) * 4000
        path = folder / f"{number}.wav"
        with soundfile.SoundFile(path, "w", rate_hz, 1, "PCM_16") as file:
            for level in random.uniform(0.2, 1.0, SECONDS // 60):
                file.write(np.clip(minute * level, -32768, 32767).astype(np.int16))
        files.append(path)
    return tuple(files)


def _peer(path: Path) -> list[Levels]:
    smallest, largest = [], []
    for block in soundfile.blocks(path, blocksize=BIN_SAMPLES * 64, dtype="float32"):
        rows = _rows(block, BIN_SAMPLES)
        smallest.append(rows.min(axis=1))
        largest.append(rows.max(axis=1))
    levels = [Levels(np.concatenate(smallest), np.concatenate(largest))]
    for _ in level_sizes(SECONDS * soundfile.info(path).samplerate)[1:]:
        below = levels[-1]
        levels.append(
            Levels(
                _rows(below.smallest, LEVEL_RATIO).min(axis=1),
                _rows(below.largest, LEVEL_RATIO).max(axis=1),
            )
        )
    return levels


def _rows(values: NDArray[np.float32], width: int) -> NDArray[np.float32]:
    return np.pad(values, (0, -len(values) % width), mode="edge").reshape(-1, width)


def _ours(files: tuple[Path, ...], cache: AudioCache) -> list[Pyramid]:
    with ThreadPoolExecutor(THREADS) as pool:
        built = pool.map(lambda path: build_pyramid(path, cache, CancelToken(), no_progress), files)
        return [pyramid for (pyramid,) in built]


def _same(ours: Pyramid, peer: list[Levels]) -> bool:
    scale = np.float32(1 / 32768)
    return len(ours.levels) == len(peer) and all(
        np.array_equal(level.smallest * scale, expected.smallest)
        and np.array_equal(level.largest * scale, expected.largest)
        for level, expected in zip(ours.levels, peer, strict=True)
    )
