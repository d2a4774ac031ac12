"""Row 1: from five files of an hour to a picture of them.

The peer reads each file whole with soundfile, plots each with pyqtgraph reduced to peaks and clipped to the view, set
before the samples are (set after, or not at all, it takes several times as long), and grabs the window. A tuned peer
is measured too: with both ranges fixed and no check for NaN, pyqtgraph looks at the samples far less often.
Ours opens the channels, takes a sparse preview and grabs the timeline that shows it. Both run in one process with
their libraries imported and the files in the page cache. Opening again from the cache of pyramids is measured too.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyqtgraph
import soundfile  # type: ignore[import-untyped]
from numpy.typing import NDArray
from PySide6.QtWidgets import QApplication

from annotation.audio.cache import AudioCache
from annotation.audio.peaks import build_pyramid
from annotation.audio.waveform import ChannelWaveform, open_waveform
from annotation.cancellation import CancelToken, no_progress
from annotation.conversation import Channel
from benchmarks.comparison import Result, alternated, seconds_of
from widgets.theme import theme_named
from widgets.timeline.values import Lane, TimelineContent
from widgets.timeline.view import TimelineView

CHANNELS = 5
SECONDS = 3600
WIDTH, HEIGHT = 1920, 1080
ROUNDS = 3
_ALIGNED_COLUMN = 1 << 15
"""Samples in a column whose edges are edges of bins, so that its extremes must be equal and not only close."""


@dataclass(frozen=True, slots=True)
class Case:
    """A kind of file: its ending, its rate, and the least ratio that is good enough."""

    ending: str
    rate_hz: int
    goal: float


CASES = (Case("wav", 16000, 100), Case("wav", 48000, 100), Case("flac", 16000, 50), Case("flac", 48000, 50))


def run() -> Result:
    """Measure WAV at 16 kHz."""
    return _measured(CASES[0])


def run_full() -> tuple[Result, ...]:
    """Measure WAV and FLAC at 16 and 48 kHz."""
    return tuple(_measured(case) for case in CASES)


def _measured(case: Case) -> Result:
    _application()
    with tempfile.TemporaryDirectory(prefix="floorscope-benchmark-") as place:
        folder = Path(place)
        channels = _recorded(folder, case)
        ours = _painter(channels, case.rate_hz, folder / "preview-cache")
        times = alternated(lambda: _peer(channels), ours, rounds=ROUNDS)
        tuned_peer_s = seconds_of(lambda: _peer(channels, tuned=True))
        cache = AudioCache(folder / "cache")
        pyramids_s = seconds_of(lambda: _build(channels, cache))
        reopened_s = seconds_of(_painter(channels, case.rate_hz, cache.folder))
        equal = all(_extremes_are_equal(channel, case.rate_hz, cache) for channel in channels)
    return Result(
        row=1,
        work=f"open to first paint, {CHANNELS} channels × 1 h, {case.ending.upper()} at {case.rate_hz // 1000} kHz",
        peer="soundfile + pyqtgraph",
        peer_version=f"{soundfile.__version__} + {pyqtgraph.__version__}",
        peer_s=times.peer,
        ours_s=times.ours,
        goal=case.goal,
        equal=equal,
        equality="the columns that replace the preview have the extremes of every sample, and the preview is in them",
        details={
            "tuned_peer_s": tuned_peer_s,
            "tuned_peer_ratio": tuned_peer_s / times.ours,
            "reopened_from_cache_s": reopened_s,
            "pyramids_one_thread_s": pyramids_s,
        },
    )


def _application() -> QApplication:
    existing = QApplication.instance()
    return existing if isinstance(existing, QApplication) else QApplication([])


def _recorded(folder: Path, case: Case) -> tuple[Channel, ...]:
    """Write one file a channel: a minute of noise in swells, again and again at changing level."""
    random = np.random.default_rng(1)
    frames = case.rate_hz * 60
    swell = np.abs(np.sin(np.arange(frames) * (2 * np.pi * 3 / frames)))
    channels = []
    for number in range(CHANNELS):
        minute = random.standard_normal(frames) * swell * 4000
        path = folder / f"{number}.{case.ending}"
        with soundfile.SoundFile(path, "w", case.rate_hz, 1, "PCM_16") as file:
            for level in random.uniform(0.2, 1.0, SECONDS // 60):
                file.write(np.clip(minute * level, -32768, 32767).astype(np.int16))
        channels.append(Channel(f"speaker {number}", path, 0, case.rate_hz, case.rate_hz * SECONDS))
    return tuple(channels)


def _peer(channels: tuple[Channel, ...], *, tuned: bool = False) -> None:
    window = pyqtgraph.GraphicsLayoutWidget()
    window.resize(WIDTH, HEIGHT)
    for number, channel in enumerate(channels):
        samples, rate_hz = soundfile.read(channel.path, dtype="float32")
        plot = window.addPlot(row=number, col=0)
        if tuned:
            plot.setXRange(0, SECONDS, padding=0)
            plot.setYRange(-1, 1)
        # Set after the curve is on its plot: in the constructor pyqtgraph 0.14 raises.
        curve = plot.plot()
        curve.setDownsampling(auto=True, method="peak")
        curve.setClipToView(True)
        curve.setData(np.arange(len(samples)) / rate_hz, samples, skipFiniteCheck=tuned)
    window.grab()
    window.close()


def _painter(channels: tuple[Channel, ...], rate_hz: int, cache_folder: Path) -> Callable[[], None]:
    """Return our side: open, outline and paint all channels."""

    def ours() -> None:
        cache = AudioCache(cache_folder)
        waveforms = [open_waveform(channel, rate_hz, cache, CancelToken()) for channel in channels]
        _paint(waveforms, channels, rate_hz)
        for waveform in waveforms:
            waveform.close()

    return ours


def _paint(waveforms: list[ChannelWaveform], channels: tuple[Channel, ...], rate_hz: int) -> None:
    view = TimelineView(theme=theme_named("light"))
    view.resize(WIDTH, HEIGHT)
    lanes = tuple(
        Lane(channel.speaker, channel.speaker, "", "#336699", waveform, offset=channel.frames)
        for channel, waveform in zip(channels, waveforms, strict=True)
    )
    view.set_content(TimelineContent(rate_hz, rate_hz * SECONDS, lanes))
    view.zoom_to_all()
    view.grab()
    view.close()


def _build(channels: tuple[Channel, ...], cache: AudioCache) -> None:
    for channel in channels:
        if channel.path is not None:
            build_pyramid(channel.path, cache, CancelToken(), no_progress)


def _extremes_are_equal(channel: Channel, rate_hz: int, cache: AudioCache) -> bool:
    """Compare complete columns with numpy over the whole file, and the preview with both."""
    samples: NDArray[np.int16] = soundfile.read(channel.path, dtype="int16")[0]
    columns = len(samples) // _ALIGNED_COLUMN
    rows = samples[: columns * _ALIGNED_COLUMN].reshape(columns, _ALIGNED_COLUMN) / np.float32(32768)
    edges = np.arange(columns + 1, dtype=np.int64) * _ALIGNED_COLUMN
    complete = open_waveform(channel, rate_hz, cache, CancelToken())
    nothing_kept = AudioCache(cache.folder / "empty")
    preview = open_waveform(channel, rate_hz, nothing_kept, CancelToken())
    smallest, largest = complete.columns(edges)
    low, high = preview.columns(edges)
    complete.close()
    preview.close()
    return bool(
        not complete.provisional
        and preview.provisional
        and np.array_equal(smallest, rows.min(axis=1))
        and np.array_equal(largest, rows.max(axis=1))
        and np.all(low >= smallest.min())
        and np.all(high <= largest.max())
    )
