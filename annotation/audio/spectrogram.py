"""How strong each frequency of one channel is, per pixel column of a timeline: one FFT a column, at any zoom.

Conventions: a column ``[e, f)`` of timeline frames shows the 32 ms (an even number of samples at the channel's own
rate) centred on the sample that its middle frame reads, under a periodic Hann window. So a column depends on its own
edges alone, whatever else is shown: scrolling never shimmers. Where it reaches over an end of the channel, its middle
is that of the part inside; there is silence around the channel.

Power is the mean power at a frequency relative to a sine of full scale, in dB: such a sine reads 0 dB. There are 128
bands of 62.5 Hz from 0 to 8,000 Hz in every channel, so that lanes compare; a band shows its strongest bin, and bands
above half the channel's rate stay empty. A level is 0 at −90 dB and below, 255 at −10 dB and above, even in between.
A column wholly outside the channel has level 0 and is marked as such. What is no number counts as silence, and
|x| > 32768 as that.
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation.audio.cache import AudioCache
from annotation.audio.decoding import FrameReader, open_frames
from annotation.audio.signal import open_checked, path_of
from annotation.conversation import Channel

BANDS = 128
BAND_HZ = 62.5
HIGHEST_HZ = BANDS * BAND_HZ
WINDOW_MS = 32
QUIETEST_DB, LOUDEST_DB = -90.0, -10.0

_SAMPLES_AT_ONCE = 1 << 17
"""Windows are transformed in groups of about this many samples, which stay within the processor's cache."""
_LARGEST_SAMPLE = np.float32(1 << 15)
_WORTH_SKIPPING = 4
"""Windows that lie further apart than this many times their length, on average, are read one by one."""


@dataclass(frozen=True, slots=True, eq=False)
class SpectrogramColumns:
    """Levels uint8 ``(n, 128)``, lowest frequency first, and whether each column meets the channel, ``(n,)``."""

    levels: NDArray[np.uint8]
    inside: NDArray[np.bool_]


class _Analysis(NamedTuple):
    """What the windows of one sample rate have in common.

    Parameters
    ----------
    window, window_of_int16
        ``(even number of samples,)``, for float samples and for 16-bit ones as they are in the file.
    fft_samples
        The window's length or a little more, for speed.
    bins
        How many bins there are below 8 kHz and below half the rate.
    bands
        How many bands have bins.
    bins_of_bands
        The first bin of every band, the second, and so on; a band that has fewer repeats its last.
    scale
        What turns squared magnitude into power; half of it at 0 Hz, where there is no mirrored bin with the other half.
    """

    window: NDArray[np.float32]
    window_of_int16: NDArray[np.float32]
    fft_samples: int
    bins: int
    bands: int
    bins_of_bands: tuple[slice | NDArray[np.intp], ...]
    scale: float


class _Scratch:
    """Arrays for one group of windows, made once: fresh ones cost more than the arithmetic."""

    def __init__(self, analysis: _Analysis) -> None:
        self.rows = max(1, _SAMPLES_AT_ONCE // len(analysis.window))
        self.windows = np.empty((self.rows, len(analysis.window)), dtype=np.float32)
        self.power = np.empty((self.rows, analysis.bins), dtype=np.float32)
        self.other_power = np.empty_like(self.power)
        self.levels = np.empty((self.rows, analysis.bands), dtype=np.float32)


class ChannelSpectrogram:
    """The spectrogram of one channel on a timeline; belongs to one thread.

    Parameters
    ----------
    channel
        Where on the timeline its samples lie.
    timeline_rate_hz
        Frames a second of the timeline.
    reader
        Of the channel's file.
    """

    def __init__(self, channel: Channel, timeline_rate_hz: int, reader: FrameReader) -> None:
        self._channel = channel
        self._timeline_rate_hz = timeline_rate_hz
        self._reader = reader
        self._analysis = _analysis_of(channel.rate_hz)
        self._scratch = _Scratch(self._analysis)
        # What the reader gave last; a file's samples are all of one type.
        self._holds_int16 = True

    @property
    def bin_hz(self) -> float:
        """How far apart the bins of `power` are."""
        return self._channel.rate_hz / self._analysis.fft_samples

    def columns(self, edges: NDArray[np.int64]) -> SpectrogramColumns:
        """Return the levels of columns.

        Parameters
        ----------
        edges
            ``(n + 1,)`` timeline frames that do not go back; column i is ``[edges[i], edges[i + 1])``, at least one
            frame.

        Raises
        ------
        AudioRefusedError
            If the file shrank, vanished or is damaged there.
        """
        begin, end = self._channel.start_frame, self._channel.end_frame(self._timeline_rate_hz)
        onsets = np.maximum(edges[:-1], begin)
        offsets = np.minimum(np.maximum(edges[1:], edges[:-1] + 1), end)
        inside = onsets < offsets
        middles = (onsets[inside] + offsets[inside]) // 2
        samples = (middles - begin) * self._channel.rate_hz // self._timeline_rate_hz
        found = np.zeros((len(samples), BANDS), dtype=np.uint8)
        for group in self._groups(len(samples)):
            found[group, : self._analysis.bands] = self._levels(self._squares(samples[group]))
        if inside.all():
            return SpectrogramColumns(found, inside)
        levels = np.zeros((len(inside), BANDS), dtype=np.uint8)
        levels[inside] = found
        return SpectrogramColumns(levels, inside)

    def power(self, samples: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the power of every bin below 8 kHz around samples of the channel, ``(n, bins)``; 1 is a full sine.

        Bin k is at k times `bin_hz`; `samples` do not go back.

        Raises
        ------
        AudioRefusedError
            As for `columns`.
        """
        power = np.empty((len(samples), self._analysis.bins), dtype=np.float32)
        for group in self._groups(len(samples)):
            power[group] = self._squares(samples[group]) * np.float32(self._analysis.scale)
        return power

    def close(self) -> None:
        """Close the file."""
        self._reader.close()

    def _groups(self, count: int) -> list[slice]:
        rows = self._scratch.rows
        return [slice(first, min(first + rows, count)) for first in range(0, count, rows)]

    def _squares(self, samples: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return squared magnitudes around samples, those of 0 Hz halved, in the scratch array."""
        from scipy.fft import rfft  # type: ignore[import-untyped]

        windows = self._scratch.windows[: len(samples)]
        self._fill_windows(samples - windows.shape[1] // 2, windows)
        spectra = rfft(windows, self._analysis.fft_samples, axis=1)[:, : self._analysis.bins]
        power, other = self._scratch.power[: len(samples)], self._scratch.other_power[: len(samples)]
        np.square(spectra.real, out=power)
        np.square(spectra.imag, out=other)
        np.add(power, other, out=power)
        power[:, 0] *= np.float32(0.5)
        return power

    def _levels(self, squares: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the levels of the bands that the rate has, in the scratch array: each band's strongest bin, in dB."""
        levels = self._scratch.levels[: len(squares)]
        first, *others = self._analysis.bins_of_bands
        levels[:] = squares[:, first]
        for other in others:
            np.maximum(levels, squares[:, other], out=levels)
        np.maximum(levels, np.float32(1e-30), out=levels)
        np.log(levels, out=levels)
        steps_a_db = 255 / (LOUDEST_DB - QUIETEST_DB)
        levels *= np.float32(steps_a_db * 10 / np.log(10))
        levels += np.float32(steps_a_db * (10 * np.log10(self._analysis.scale) - QUIETEST_DB))
        np.rint(levels, out=levels)
        return np.clip(levels, 0, 255, out=levels)

    def _fill_windows(self, firsts: NDArray[np.int64], windows: NDArray[np.float32]) -> None:
        """Write the samples from each of `firsts`, with silence around the channel, times the window."""
        count = windows.shape[1]
        low, high = int(firsts[0]), int(firsts[-1]) + count
        if high - low <= _WORTH_SKIPPING * windows.size:
            block = self._samples(low, high)
            windows[:] = np.lib.stride_tricks.sliding_window_view(block, count)[firsts - low]
        else:
            self._fill_far_apart(firsts, windows)
        if self._holds_int16:
            windows *= self._analysis.window_of_int16
        else:
            np.nan_to_num(windows, copy=False, nan=0, posinf=0, neginf=0)
            np.clip(windows, -_LARGEST_SAMPLE, _LARGEST_SAMPLE, out=windows)
            windows *= self._analysis.window

    def _fill_far_apart(self, firsts: NDArray[np.int64], windows: NDArray[np.float32]) -> None:
        count = windows.shape[1]
        whole = (firsts >= 0) & (firsts + count <= self._channel.frames)
        if whole.any():
            stripes = self._reader.read_stripes(firsts[whole].tolist(), count)[:, :, self._channel.index]
            self._holds_int16 = stripes.dtype == np.int16
            windows[whole] = stripes
        for place in np.flatnonzero(~whole):
            windows[place] = self._samples(int(firsts[place]), int(firsts[place]) + count)

    def _samples(self, low: int, high: int) -> NDArray[np.int16] | NDArray[np.float32]:
        """Return samples of the channel as they are in the file, with silence around it."""
        onset, offset = max(low, 0), min(high, self._channel.frames)
        if onset >= offset:
            return np.zeros(high - low, dtype=np.int16)
        found = self._reader.read(onset, offset - onset)[:, self._channel.index]
        self._holds_int16 = found.dtype == np.int16
        if offset - onset == high - low:
            return found
        samples = np.zeros(high - low, dtype=found.dtype)
        samples[onset - low : offset - low] = found
        return samples


def open_spectrogram(channel: Channel, timeline_rate_hz: int, cache: AudioCache | None = None) -> ChannelSpectrogram:
    """Return the spectrogram of a channel.

    Parameters
    ----------
    cache
        Where compressed sound lies decoded; what is not there is decoded now, as for `open_checked`.

    Raises
    ------
    AudioRefusedError
        If the file is missing, is no longer what the conversation says of it, or cannot be read.
    """
    open_checked(channel, cache).close()
    return ChannelSpectrogram(channel, timeline_rate_hz, open_frames(path_of(channel), cache))


@cache
def _analysis_of(rate_hz: int) -> _Analysis:
    from scipy.fft import next_fast_len

    length = max(2, 2 * round(rate_hz * WINDOW_MS / 2000))
    fft_samples = next_fast_len(length, real=True)
    window = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length)).astype(np.float32)
    # Bin k lies in band floor(k * rate / fft_samples / 62.5 Hz), in integers; the one at half the rate in none.
    band_of_bin = 2 * np.arange((fft_samples + 1) // 2, dtype=np.int64) * rate_hz // (fft_samples * 125)
    band_of_bin = band_of_bin[band_of_bin < BANDS]
    first = np.searchsorted(band_of_bin, np.arange(band_of_bin[-1] + 1), side="left")
    last = np.append(first[1:], len(band_of_bin)) - 1
    scale = 4 / float(window.sum(dtype=np.float64)) ** 2
    return _Analysis(
        window=window,
        window_of_int16=window * np.float32(1 / 32768),
        fft_samples=fft_samples,
        bins=len(band_of_bin),
        bands=len(first),
        bins_of_bands=tuple(
            _selection(np.minimum(first + step, last)) for step in range(int((last - first).max()) + 1)
        ),
        scale=scale,
    )


def _selection(places: NDArray[np.intp]) -> slice | NDArray[np.intp]:
    """Return what picks the same columns, as a slice where they are evenly apart, which is faster."""
    steps = np.unique(np.diff(places))
    return slice(int(places[0]), int(places[-1]) + 1, int(steps[0])) if len(steps) == 1 and steps[0] > 0 else places
