"""Row 4: the spectrogram of one lane, 1,920 pixel columns, from the file to levels.

The peers do what a view made of them does: read the samples in view, transform them with the usual hop of a quarter of
the window (librosa's default), take dB, and draw the frame nearest to each pixel column. Ours transforms one window a
column. The views are chosen so that every column's window is one of the peers' too, and the levels must be equal.

The wider the view, the more transforms a peer does and ours does not. So the ratio is no constant: two minutes are the
row, and the details say what it is for one minute, and against scipy when it hops a whole column and so does no
more transforms than ours.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import scipy  # type: ignore[import-untyped]
import scipy.signal  # type: ignore[import-untyped]
import soundfile  # type: ignore[import-untyped]
from numpy.typing import NDArray

from annotation.audio.spectrogram import BANDS, LOUDEST_DB, QUIETEST_DB, ChannelSpectrogram, open_spectrogram
from annotation.conversation import Channel
from benchmarks.comparison import Result, Seconds, alternated

COLUMNS = 1920
ROUNDS = 15


@dataclass(frozen=True, slots=True)
class View:
    """How much is in view, at what rate; a column is a whole number of samples, and so is a quarter of it."""

    rate_hz: int
    seconds: int

    @property
    def column(self) -> int:
        """Samples in a column."""
        return self.rate_hz * self.seconds // COLUMNS

    @property
    def window(self) -> int:
        """Samples in a window of 32 ms."""
        return self.rate_hz * 32 // 1000

    @property
    def hop(self) -> int:
        """A peer's hop: a quarter of the window, or a little less, so that a column is a whole number of hops."""
        return next(hop for hop in range(self.window // 4, 0, -1) if self.column % hop == 0)

    @property
    def edges(self) -> NDArray[np.int64]:
        """Samples at the edges of the columns."""
        return np.arange(COLUMNS + 1, dtype=np.int64) * self.column


MINUTE, TWO_MINUTES = View(16000, 60), View(16000, 120)
FULL = (TWO_MINUTES, View(48000, 120), View(16000, 600), View(16000, 3600))


def run() -> Result:
    """Measure two minutes at 16 kHz."""
    return _measured(TWO_MINUTES)


def run_full() -> tuple[Result, ...]:
    """Measure two minutes at 16 and 48 kHz, ten minutes and an hour."""
    return tuple(_measured(view) for view in FULL)


@dataclass(frozen=True, slots=True)
class _Sides:
    """A recording that both sides show a view of."""

    view: View
    channel: Channel
    spectrogram: ChannelSpectrogram

    def ours(self) -> NDArray[np.uint8]:
        """Return our levels; the view begins a second into the file."""
        return self.spectrogram.columns(self.view.edges + self.view.rate_hz).levels

    def times(self, peer: Callable[["_Sides"], object]) -> Seconds:
        """Return how long a peer and ours take."""
        return alternated(lambda: peer(self), self.ours, rounds=ROUNDS if self.view.seconds <= 120 else 3)


def _measured(view: View) -> Result:
    with tempfile.TemporaryDirectory(prefix="floorscope-benchmark-") as place:
        sides = _recorded(Path(place) / "a.wav", view)
        times = sides.times(_scipy_levels)
        difference = int(np.abs(sides.ours() - _scipy_levels(sides)).max())
        details = {"scipy_one_transform_a_column_ratio": _ratio(sides.times(_scipy_levels_of_columns))}
        if find_spec("librosa"):
            # The first call compiles.
            _librosa_levels(sides)
            details["librosa_ratio"] = _ratio(sides.times(_librosa_levels))
        if view == TWO_MINUTES:
            minute = _recorded(Path(place) / "minute.wav", MINUTE)
            details["one_minute_ratio"] = _ratio(minute.times(_scipy_levels))
            minute.spectrogram.close()
        sides.spectrogram.close()
    return Result(
        row=4,
        work=f"spectrogram, {COLUMNS:,} columns of {view.seconds:,} s at {view.rate_hz // 1000} kHz",
        peer=f"scipy.signal.spectrogram with a hop of {view.hop} samples,",
        peer_version=scipy.__version__,
        peer_s=times.peer,
        ours_s=times.ours,
        goal=10,
        equal=difference <= 1,
        equality=f"levels of all columns and bands, in steps of 0.3 dB, differ by at most {difference}",
        details=details,
    )


def _ratio(times: Seconds) -> float:
    return times.peer / times.ours


def _recorded(path: Path, view: View) -> _Sides:
    """Write noise in swells, a second longer at both ends than the view."""
    random = np.random.default_rng(1)
    second = random.standard_normal(view.rate_hz) * 3000
    with soundfile.SoundFile(path, "w", view.rate_hz, 1, "PCM_16") as file:
        for level in random.uniform(0.01, 1, view.seconds + 2):
            file.write(np.clip(second * level, -32768, 32767).astype(np.int16))
    channel = Channel("a", path, 0, view.rate_hz, view.rate_hz * (view.seconds + 2))
    return _Sides(view, channel, open_spectrogram(channel, view.rate_hz))


def _in_view(sides: _Sides) -> NDArray[np.float32]:
    """Return the samples from the first column's window to the last one's."""
    view = sides.view
    first = view.rate_hz + view.column // 2 - view.window // 2
    count = (COLUMNS - 1) * view.column + view.window
    samples: NDArray[np.float32] = soundfile.read(sides.channel.path, count, first, dtype="float32")[0]
    return samples


def _scipy_levels(sides: _Sides) -> NDArray[np.float32]:
    return _scipy_levels_with(sides, sides.view.hop)


def _scipy_levels_of_columns(sides: _Sides) -> NDArray[np.float32]:
    return _scipy_levels_with(sides, sides.view.column)


def _scipy_levels_with(sides: _Sides, hop: int) -> NDArray[np.float32]:
    view = sides.view
    _, _, power = scipy.signal.spectrogram(
        _in_view(sides),
        view.rate_hz,
        window="hann",
        nperseg=view.window,
        noverlap=view.window - hop,
        detrend=False,
        scaling="spectrum",
    )
    # scipy gives mean squares; a sine of full scale, our 0 dB, has one half.
    return _levels(10 * np.log10(2 * power + np.float32(1e-30)), view.column // hop)


def _librosa_levels(sides: _Sides) -> NDArray[np.float32]:
    import librosa  # type: ignore[import-not-found]

    view = sides.view
    spectra = librosa.stft(_in_view(sides), n_fft=view.window, hop_length=view.hop, center=False)
    # A Hann window sums up to half its length, and a sine of full scale has half of that at its frequency.
    power_db = librosa.amplitude_to_db(np.abs(spectra), ref=view.window / 4, amin=1e-12, top_db=None)
    return _levels(power_db, view.column // view.hop)


def _levels(power_db: NDArray[np.float32], hops_a_column: int) -> NDArray[np.float32]:
    """Return the levels ``(columns, bands)`` of every column's own frame: two bins of 31.25 Hz make a band."""
    shown = power_db[: 2 * BANDS, ::hops_a_column].T.reshape(-1, BANDS, 2).max(axis=2)
    levels = np.rint((shown - np.float32(QUIETEST_DB)) * np.float32(255 / (LOUDEST_DB - QUIETEST_DB)))
    return np.asarray(np.clip(levels, 0, 255), dtype=np.float32)
