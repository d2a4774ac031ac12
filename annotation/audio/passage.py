"""A passage of a channel, read whole into memory at the timeline's rate, and heard and drawn from there.

Conventions: as `annotation.audio.signal`. A channel at another rate is resampled over the passage and a margin longer
than the filter, from a sample that lies on a timeline frame, so that the passage is what the whole channel resampled
would be there.
"""

import math

import numpy as np
from numpy.typing import NDArray

from annotation.audio.cache import AudioCache
from annotation.audio.peaks import pyramid_of
from annotation.audio.readers import SampleReader
from annotation.audio.signal import is_prepared, open_checked, open_signal, resampled_blocks
from annotation.audio.waveform import ChannelWaveform
from annotation.conversation import Channel

_MARGIN_SAMPLES = 1024


class PassageSignal:
    """Sound in memory by frame, silent outside; any thread may read it.

    It is a `annotation.audio.signal.TimelineSignal` and a `annotation.audio.readers.SampleReader`.

    Parameters
    ----------
    samples
        ``(n,)`` float32; kept as it is and made read-only.
    """

    key = ""

    def __init__(self, samples: NDArray[np.float32], rate_hz: int) -> None:
        samples.flags.writeable = False
        self._samples = samples
        self.rate_hz = rate_hz

    @property
    def frames(self) -> int:
        """Number of frames."""
        return len(self._samples)

    def read(self, first: int, count: int) -> NDArray[np.float32]:
        """Return frames ``[first, first + count)`` as ``(count,)``, zeros outside."""
        heard = np.zeros(max(0, count), dtype=np.float32)
        onset, offset = max(first, 0), min(first + count, len(self._samples))
        if onset < offset:
            heard[onset - first : offset - first] = self._samples[onset:offset]
        return heard

    def close(self) -> None:
        """Do nothing: there is no file."""

    def waveform(self) -> ChannelWaveform:
        """Return its outline."""
        channel = Channel("-", None, 0, self.rate_hz, self.frames)
        return ChannelWaveform(channel, self.rate_hz, pyramid_of(self._samples), self)


def read_passage(
    channel: Channel, timeline_rate_hz: int, first_frame: int, count: int, cache: AudioCache
) -> NDArray[np.float32]:
    """Return frames ``[first_frame, first_frame + count)`` of a timeline as a channel fills them, ``(count,)``.

    Raises
    ------
    AudioRefusedError
        If the file is missing, is no longer what the conversation says of it, or cannot be read.
    """
    if is_prepared(channel, timeline_rate_hz, cache):
        signal = open_signal(channel, timeline_rate_hz, cache)
        try:
            return signal.read(first_frame, count).astype(np.float32, copy=True)
        finally:
            signal.close()
    reader = open_checked(channel, cache)
    try:
        return _resampled(reader, channel, timeline_rate_hz, first_frame - channel.start_frame, count)
    finally:
        reader.close()


def _resampled(reader: SampleReader, channel: Channel, rate_hz: int, first: int, count: int) -> NDArray[np.float32]:
    """Return frames from `first`, counted from where the channel begins."""
    step = channel.rate_hz // math.gcd(channel.rate_hz, rate_hz)
    begin = (first * channel.rate_hz // rate_hz - _MARGIN_SAMPLES) // step * step
    end = -(-(first + count) * channel.rate_hz // rate_hz) + _MARGIN_SAMPLES
    window = _Window(reader, begin, end - begin, channel.frames)
    part = Channel(channel.speaker, None, 0, channel.rate_hz, window.frames)
    whole = np.concatenate(list(resampled_blocks(window, part, rate_hz)))
    skipped = first - begin * rate_hz // channel.rate_hz
    passage = whole[skipped : skipped + count].astype(np.float32, copy=True)
    # The filter rings past both ends of the channel; a channel is silent where it is not.
    passage[: max(0, -first)] = 0
    passage[max(0, -(-channel.frames * rate_hz // channel.rate_hz) - first) :] = 0
    return passage


class _Window:
    """A stretch of a channel as if it were a channel, with what lies around it still there to be read."""

    def __init__(self, reader: SampleReader, begin: int, frames: int, channel_frames: int) -> None:
        self._reader = reader
        self._begin = begin
        self._channel_frames = channel_frames
        self.frames = frames
        self.rate_hz = reader.rate_hz
        self.key = reader.key

    def read(self, first: int, count: int) -> NDArray[np.float32]:
        """Return samples of the channel, zeros behind what was imported."""
        first += self._begin
        samples = self._reader.read(first, count)
        excess = first + count - self._channel_frames
        if excess > 0:
            samples = samples.copy()
            samples[max(0, count - excess) :] = 0
        return samples

    def close(self) -> None:
        """Do nothing: the reader belongs to somebody else."""
