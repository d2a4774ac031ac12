"""Row 3: one frame of the timeline while it scrolls.

The peer is what one writes with pyqtgraph: five linked plots, each one curve of all samples with clipping to the view
and peak downsampling switched on, and a `LinearRegionItem` with a `TextItem` an event. Ours draws the same from the
pyramid. Both are moved by half a hundredth of the view and repainted in a window of 1920 × 1080, in turns. Ours keeps
of a scrolled picture what stays; the time of a frame that keeps nothing (a zoom) is given beside it.
"""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
import pyqtgraph
import soundfile  # type: ignore[import-untyped]
from numpy.typing import NDArray
from PySide6.QtWidgets import QApplication

from annotation.audio.cache import AudioCache
from annotation.audio.peaks import PeakLevel, Pyramid, build_pyramid
from annotation.audio.waveform import ChannelWaveform, open_waveform
from annotation.cancellation import CancelToken, no_progress
from annotation.conversation import Channel
from benchmarks.comparison import Result, alternated, seconds_of
from widgets.theme import theme_named
from widgets.timeline.stacking import StackedRow
from widgets.timeline.values import EventRow, Lane, Span, TimelineContent
from widgets.timeline.view import TimelineView

RATE_HZ = 16_000
WIDTH, HEIGHT = 1920, 1080
GOAL = 30
HOUR = 3_600
ROUNDS = 15
WORDS = ("Turn", "Backchannel", "Interruption", "Hold")
COLOURS = ("#1b6ac9", "#12803c", "#c2272d", "#00758a")
SMOOTH_FPS = 30


@dataclass(frozen=True, slots=True)
class Zoom:
    """How much of the recording is visible."""

    name: str
    seconds: int


ZOOMS = (Zoom("1 h", HOUR), Zoom("10 min", 600), Zoom("1 min", 60), Zoom("10 s", 10))


@dataclass(frozen=True, slots=True)
class Recording:
    """Five channels of an hour, as files and as the timeline shows them."""

    channels: tuple[Channel, ...]
    content: TimelineContent


def run() -> Result:
    """Measure the view of the whole hour."""
    return _measured((ZOOMS[0],))[0]


def run_full() -> tuple[Result, ...]:
    """Measure four zooms against the peer, and a long wide recording against 30 frames a second."""
    return (*_measured(ZOOMS), *(_long_and_wide(zoom) for zoom in (Zoom("3 h", 3 * HOUR), *ZOOMS[1:])))


def _measured(zooms: tuple[Zoom, ...]) -> list[Result]:
    _application()
    with _recording(channels=5, events=100) as recording:
        peer = _Peer(recording)
        ours = _shown(recording.content)
        results = [_at(zoom, recording, peer, ours) for zoom in zooms]
        peer.window.close()
        ours.close()
    return results


def _at(zoom: Zoom, recording: Recording, peer: "_Peer", ours: TimelineView) -> Result:
    middle = HOUR // 2
    onset_s = min(middle, HOUR - zoom.seconds)
    peer.show(onset_s, zoom.seconds)
    ours.zoom_to(onset_s * RATE_HZ, (onset_s + zoom.seconds) * RATE_HZ)
    step = _forth_and_back()
    drawn = ours.frame.backdrop.renders
    times = alternated(lambda: peer.draw(next(step)), _drawer(ours), rounds=ROUNDS)
    redrawn = ours.frame.backdrop.renders - drawn == ROUNDS
    zoomed_s = _median_of_zoomed_frames(ours)
    return Result(
        row=3,
        work=f"one frame at {zoom.name}, 5 channels × 1 h, 500 events",
        peer="pyqtgraph, a curve a channel, a LinearRegionItem and a TextItem an event",
        peer_version=pyqtgraph.__version__,
        peer_s=times.peer,
        ours_s=times.ours,
        goal=GOAL,
        equal=redrawn and peer.shows_same(ours) and _outlines_are_true(recording, ours),
        equality="every round drew anew, both show the same events, our columns have the extremes of all samples",
        details={"frame_that_keeps_nothing_ms": zoomed_s * 1_000},
    )


def _long_and_wide(zoom: Zoom) -> Result:
    _application()
    content = _content(tuple(_made_up(number, 3 * HOUR) for number in range(8)), 3 * HOUR, events=2_000)
    view = _shown(content)
    onset = min(HOUR, 3 * HOUR - zoom.seconds) * RATE_HZ
    view.zoom_to(onset, onset + zoom.seconds * RATE_HZ)
    drawn = view.frame.backdrop.renders
    times = alternated(lambda: None, _drawer(view), rounds=ROUNDS)
    redrawn = view.frame.backdrop.renders - drawn == ROUNDS
    zoomed_s = _median_of_zoomed_frames(view)
    view.close()
    return Result(
        row=3,
        work=f"one frame at {zoom.name}, 8 channels × 3 h, 2,000 events a lane",
        peer="a frame's time at",
        peer_version=f"{SMOOTH_FPS} frames a second",
        peer_s=1 / SMOOTH_FPS,
        ours_s=times.ours,
        goal=1,
        equal=redrawn,
        equality="every round drew anew",
        details={"frame_that_keeps_nothing_ms": zoomed_s * 1_000},
    )


class _Peer:
    """The window that one writes with pyqtgraph."""

    def __init__(self, recording: Recording) -> None:
        self.window = pyqtgraph.GraphicsLayoutWidget()
        self.window.resize(WIDTH, HEIGHT)
        self.plots: list[pyqtgraph.PlotItem] = []
        self.regions: list[pyqtgraph.LinearRegionItem] = []
        self._range = (0.0, 1.0)
        time = np.arange(HOUR * RATE_HZ) / RATE_HZ
        for number, (channel, lane) in enumerate(zip(recording.channels, recording.content.lanes, strict=True)):
            plot = self.window.addPlot(row=number, col=0)
            curve = plot.plot(time, soundfile.read(channel.path, dtype="float32")[0])
            curve.setClipToView(True)
            curve.setDownsampling(auto=True, method="peak")
            if self.plots:
                plot.setXLink(self.plots[0])
            for span in lane.rows[0].spans:
                region = pyqtgraph.LinearRegionItem((span.onset / RATE_HZ, span.offset / RATE_HZ))
                plot.addItem(region)
                label = pyqtgraph.TextItem(span.label)
                label.setPos(span.onset / RATE_HZ, 0.5)
                plot.addItem(label)
                self.regions.append(region)
            self.plots.append(plot)
        self.window.show()
        _application().processEvents()

    def show(self, onset_s: float, seconds: float) -> None:
        self._range = (onset_s, onset_s + seconds)
        self.plots[0].setXRange(*self._range, padding=0)
        self.window.grab()

    def draw(self, direction: int) -> None:
        onset, offset = self._range
        by = direction * (offset - onset) / 200
        self.plots[0].setXRange(onset + by, offset + by, padding=0)
        self.window.viewport().repaint()

    def shows_same(self, ours: TimelineView) -> bool:
        first, last = ours.visible_range
        seconds = first / RATE_HZ, last / RATE_HZ
        theirs = sum(begin <= seconds[1] and end >= seconds[0] for begin, end in (r.getRegion() for r in self.regions))
        lanes = ours.content.lanes if ours.content else ()
        return bool(theirs == sum(len(StackedRow(lane.rows[0]).touching(first, last)) for lane in lanes))


def _drawer(view: TimelineView) -> Callable[[], None]:
    step = _forth_and_back()
    whole = view.visible_range[0] <= 0
    if whole:
        # The whole recording has nowhere to scroll to: it is zoomed a little instead, which costs the same.
        view.zoom_to(0, view._viewport.frames * 99 // 100)

    def draw() -> None:
        view.pan(next(step) / 200)
        view.repaint()

    return draw


def _median_of_zoomed_frames(view: TimelineView) -> float:
    def draw() -> None:
        view.frame.backdrop.forget()
        view.frame.invalidate(backdrop=True)
        view.repaint()

    return median(seconds_of(draw) for _ in range(ROUNDS))


def _forth_and_back() -> Iterator[int]:
    while True:
        yield 1
        yield -1


def _shown(content: TimelineContent) -> TimelineView:
    view = TimelineView(theme=theme_named("light"))
    view.resize(WIDTH, HEIGHT)
    view.set_content(content)
    view.show()
    _application().processEvents()
    return view


def _application() -> QApplication:
    existing = QApplication.instance()
    return existing if isinstance(existing, QApplication) else QApplication([])


@contextmanager
def _recording(*, channels: int, events: int) -> Iterator[Recording]:
    """Write one file a channel, a minute of swelling noise again and again, and open them with their pyramids."""
    random = np.random.default_rng(3)
    minute = random.standard_normal(RATE_HZ * 60) * np.abs(np.sin(np.linspace(0, 60, RATE_HZ * 60))) * 4_000
    with tempfile.TemporaryDirectory(prefix="floorscope-benchmark-") as place:
        cache = AudioCache(Path(place) / "cache")
        made, waveforms = [], []
        for number in range(channels):
            path = Path(place) / f"{number}.wav"
            with soundfile.SoundFile(path, "w", RATE_HZ, 1, "PCM_16") as file:
                for level in random.uniform(0.2, 1.0, HOUR // 60):
                    file.write((minute * level).astype(np.int16))
            channel = Channel(f"speaker {number}", path, 0, RATE_HZ, RATE_HZ * HOUR)
            build_pyramid(path, cache, CancelToken(), no_progress)
            made.append(channel)
            waveforms.append(open_waveform(channel, RATE_HZ, cache, CancelToken()))
        yield Recording(tuple(made), _content(tuple(waveforms), HOUR, events=events))
        for waveform in waveforms:
            waveform.close()


def _content(waveforms: tuple[ChannelWaveform, ...], seconds: int, *, events: int) -> TimelineContent:
    random = np.random.default_rng(5)
    frames = seconds * RATE_HZ
    lanes = []
    for number, waveform in enumerate(waveforms):
        onsets = np.sort(random.integers(0, frames - 60 * RATE_HZ, events)).tolist()
        lengths = (random.exponential(1.5, events) * RATE_HZ).astype(int) + RATE_HZ // 5
        spans = tuple(
            Span(f"{number}-{n}", onset, onset + length, WORDS[n % 4], WORDS[n % 4][0], COLOURS[n % 4], editable=True)
            for n, (onset, length) in enumerate(zip(onsets, lengths.tolist(), strict=True))
        )
        row = EventRow("own", "My labels", spans, editable=True)
        colour = theme_named("light").speaker_colour(number)
        lanes.append(Lane(str(number), f"Speaker {number}", "16 kHz", colour, waveform, (row,), 0, frames))
    return TimelineContent(RATE_HZ, frames, tuple(lanes))


def _made_up(number: int, seconds: int) -> ChannelWaveform:
    """Return a waveform that has a pyramid and no file: three hours of eight channels need not be written."""
    random = np.random.default_rng(number)
    frames = seconds * RATE_HZ
    largest = (random.random(-(-frames // 256)) ** 4 * 20_000).astype(np.int16)
    levels = [PeakLevel(256, (-largest).astype(np.int16), largest)]
    while len(largest) >= 8:
        largest = np.maximum.reduceat(largest, np.arange(0, len(largest), 4))
        levels.append(PeakLevel(levels[-1].bin_samples * 4, (-largest).astype(np.int16), largest))
    channel = Channel(f"speaker {number}", None, 0, RATE_HZ, frames)
    return ChannelWaveform(channel, RATE_HZ, Pyramid(frames, tuple(levels)))


def _outlines_are_true(recording: Recording, ours: TimelineView) -> bool:
    """Compare columns of the view with the extremes of the samples in them, widened to whole bins of the pyramid."""
    edges = ours._viewport.edges()
    edges = edges[(edges >= 0) & (edges <= HOUR * RATE_HZ)][:200]
    for channel, lane in zip(recording.channels, recording.content.lanes, strict=True):
        assert lane.waveform is not None
        low, high = lane.waveform.columns(edges)
        samples = soundfile.read(channel.path, dtype="float32", start=int(edges[0]), stop=int(edges[-1]))[0]
        least, most = _extremes(samples, edges - edges[0])
        if (low > least).any() or (high < most).any():
            return False
    return True


def _extremes(
    samples: NDArray[np.float32], edges: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    starts = np.minimum(edges[:-1], len(samples) - 1)
    return np.minimum.reduceat(samples, starts), np.maximum.reduceat(samples, starts)
