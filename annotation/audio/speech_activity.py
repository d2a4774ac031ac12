"""Where somebody speaks on a channel: Silero's probabilities and the spans made of them, on the conversation's clock.

Conventions: a channel is resampled to 16 kHz (its sample k at ``k / 16000`` s after its start); chunk i is the samples
``[512 i, 512 (i + 1))``. Sample s lies at timeline frame ``start + round_half_even(s * T / 16000)``. What is no number
counts as silence, and |x| > 32768 as that, since one such sample would silence the model to the end of the channel.

Channels are computed side by side, in blocks: memory does not grow with their length. Probabilities are kept in the
cache by the file's fingerprint and the model's sha256; spans are made anew from them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.audio.cache import AudioCache
from annotation.audio.fingerprint import fingerprint_of
from annotation.audio.model_file import ModelFile, load_model
from annotation.audio.refusal import AudioRefusedError
from annotation.audio.signal import open_checked, path_of, resampled_blocks
from annotation.audio.silero import CHUNK_SAMPLES, SAMPLE_RATE_HZ, SileroBatch
from annotation.audio.speech_spans import SpeechRule, speech_spans
from annotation.cancellation import CancelToken, Progress
from annotation.conversation import Channel

_CHUNKS_AT_ONCE = 256
"""Of all channels together: their spectra then stay within the processor's cache."""
_LARGEST_SAMPLE = np.float32(1 << 15)


@dataclass(frozen=True, slots=True, eq=False)
class SpeechActivity:
    """What the model found on one channel; arrays are read-only.

    Parameters
    ----------
    model
        Its id, for records (``silero-6.2.3``).
    probabilities
        Of speech, float32 ``(n,)``, one for each 512 samples at 16 kHz.
    onsets, offsets
        Spans of speech ``[onsets[i], offsets[i])`` in timeline frames, int64, in order and apart.
    start_frame, timeline_rate_hz
        The channel's start, and frames a second of the timeline.
    """

    model: str
    probabilities: NDArray[np.float32]
    onsets: NDArray[np.int64]
    offsets: NDArray[np.int64]
    start_frame: int
    timeline_rate_hz: int

    def chunk_edges(self) -> NDArray[np.int64]:
        """Return the timeline frames where chunks meet, ``(n + 1,)``: probability i is of ``[edges[i], edges[i + 1])``.

        The last may lie beyond the channel's end, since the last chunk is filled up with silence.
        """
        samples = np.arange(len(self.probabilities) + 1, dtype=np.int64) * CHUNK_SAMPLES
        return self.start_frame + _rescaled(samples, self.timeline_rate_hz)


Outcome = SpeechActivity | AudioRefusedError


def speech_activity(
    channel: Channel, timeline_rate_hz: int, cache: AudioCache, token: CancelToken, progress: Progress
) -> SpeechActivity:
    """Return the speech activity of one channel, from the cache where it is there.

    Raises
    ------
    AudioRefusedError
        If the file is missing, is no longer what the conversation says of it, or cannot be read.
    ModelRefusedError
        If the model file is missing or damaged.
    CancelledError
        If `token` was set; nothing is kept then.
    """
    outcome = speech_activities((channel,), timeline_rate_hz, cache, token, progress)[0]
    if isinstance(outcome, AudioRefusedError):
        raise outcome
    return outcome


def cached_speech_activity(
    channel: Channel, timeline_rate_hz: int, cache: AudioCache, rule: SpeechRule | None = None
) -> SpeechActivity | None:
    """Return the speech activity of a channel if it was computed before, else None.

    Raises
    ------
    AudioRefusedError
        If the file is missing or unreadable.
    ModelRefusedError
        If the model file is missing or damaged.
    """
    return _cached(channel, timeline_rate_hz, cache, load_model("silero"), rule)


def _cached(
    channel: Channel, timeline_rate_hz: int, cache: AudioCache, model: ModelFile, rule: SpeechRule | None
) -> SpeechActivity | None:
    known = cache.load(fingerprint_of(path_of(channel)).key, _entry_name(channel, model))
    if known is None or known.numbers.dtype != np.float32 or len(known.numbers) != _chunks_of(channel):
        return None
    return _activity(channel, timeline_rate_hz, model, known.numbers.astype(np.float32, copy=False), rule)


def speech_activities(
    channels: Sequence[Channel],
    timeline_rate_hz: int,
    cache: AudioCache,
    token: CancelToken,
    progress: Progress,
    rule: SpeechRule | None = None,
) -> tuple[Outcome, ...]:
    """Return the speech activity of each channel, or why its sound was refused; they are computed side by side.

    Parameters
    ----------
    rule
        How spans are made of probabilities; the published defaults when left out.

    Raises
    ------
    ModelRefusedError
        If the model file is missing or damaged.
    CancelledError
        If `token` was set; channels that were done by then are kept in the cache.
    """
    model = load_model("silero")
    outcomes: dict[int, Outcome] = {}
    works: list[_Work] = []
    for place, channel in enumerate(channels):
        try:
            known = _cached(channel, timeline_rate_hz, cache, model, rule)
            if known is None:
                works.append(_Work(place, channel, cache))
            else:
                outcomes[place] = known
        except AudioRefusedError as refusal:
            outcomes[place] = refusal
    try:
        for work in _finished(works, token, progress):
            if work.refusal is None:
                with cache.writing(work.key, _entry_name(work.channel, model), "<f4") as sink:
                    sink.append(work.probabilities)
                outcomes[work.place] = _activity(work.channel, timeline_rate_hz, model, work.probabilities, rule)
            else:
                outcomes[work.place] = work.refusal
    finally:
        for work in works:
            work.close()
    progress(1.0)
    return tuple(outcomes[place] for place in range(len(channels)))


class _Work:
    """One channel on its way through the model.

    Raises
    ------
    AudioRefusedError
        If its file cannot be read.
    """

    def __init__(self, place: int, channel: Channel, cache: AudioCache) -> None:
        self.place = place
        self.channel = channel
        self.probabilities = np.zeros(_chunks_of(channel), dtype=np.float32)
        self.done = 0
        self.refusal: AudioRefusedError | None = None
        self._reader = open_checked(channel, cache)
        self.key = self._reader.key
        self._blocks = resampled_blocks(self._reader, channel, SAMPLE_RATE_HZ)
        self._rest = np.zeros(0, dtype=np.float32)

    @property
    def finished(self) -> bool:
        """Whether there is nothing more to read."""
        return self.refusal is not None or self.done == len(self.probabilities)

    def take(self, chunks: int) -> NDArray[np.float32]:
        """Return the samples of the next chunks, filled up with silence at the end, or after a refusal."""
        wanted, parts, found = chunks * CHUNK_SAMPLES, [self._rest], len(self._rest)
        try:
            while found < wanted and (block := next(self._blocks, None)) is not None:
                parts.append(block)
                found += len(block)
        except AudioRefusedError as refusal:
            self.refusal = refusal
        samples = np.concatenate(parts) if len(parts) > 1 else self._rest
        self._rest = samples[wanted:]
        taken = np.zeros(wanted, dtype=np.float32)
        taken[: len(samples)] = samples[:wanted]
        # Not a number is neither above nor below.
        if not (taken.min() >= -_LARGEST_SAMPLE and taken.max() <= _LARGEST_SAMPLE):
            np.nan_to_num(taken, copy=False, nan=0, posinf=0, neginf=0)
            np.clip(taken, -_LARGEST_SAMPLE, _LARGEST_SAMPLE, out=taken)
        return taken

    def give(self, probabilities: NDArray[np.float32]) -> None:
        """Keep the probabilities of chunks that were taken, without those beyond the end."""
        kept = min(len(probabilities), len(self.probabilities) - self.done)
        self.probabilities[self.done : self.done + kept] = probabilities[:kept]
        self.done += kept

    def close(self) -> None:
        """Close the file."""
        self._reader.close()


def _finished(works: list[_Work], token: CancelToken, progress: Progress) -> Iterator[_Work]:
    """Compute all and yield each when it is done or was refused."""
    total = sum(len(work.probabilities) for work in works)
    model = SileroBatch(len(works))
    active = list(works)
    while active:
        going = np.array([not work.finished for work in active], dtype=np.bool_)
        yield from (work for work in active if work.finished)
        model.keep(going)
        active = [work for work in active if not work.finished]
        if active:
            token.check()
            chunks = max(1, _CHUNKS_AT_ONCE // len(active))
            found = model.probabilities(np.stack([work.take(chunks) for work in active]))
            for work, probabilities in zip(active, found, strict=True):
                work.give(probabilities)
            progress(sum(work.done for work in works) / total)


def _activity(
    channel: Channel,
    timeline_rate_hz: int,
    model: ModelFile,
    probabilities: NDArray[np.float32],
    rule: SpeechRule | None,
) -> SpeechActivity:
    probabilities.setflags(write=False)
    spans = speech_spans(probabilities, _samples_of(channel), rule)
    end = channel.end_frame(timeline_rate_hz)
    onsets = channel.start_frame + _rescaled(spans.onsets, timeline_rate_hz)
    offsets = np.minimum(channel.start_frame + _rescaled(spans.offsets, timeline_rate_hz), end)
    # A timeline of a few frames a second rounds a short span to nothing.
    lasting = onsets < offsets
    onsets, offsets = onsets[lasting], offsets[lasting]
    onsets.setflags(write=False)
    offsets.setflags(write=False)
    return SpeechActivity(model.id, probabilities, onsets, offsets, channel.start_frame, timeline_rate_hz)


def _samples_of(channel: Channel) -> int:
    return -(-channel.frames * SAMPLE_RATE_HZ // channel.rate_hz)


def _chunks_of(channel: Channel) -> int:
    return -(-_samples_of(channel) // CHUNK_SAMPLES)


def _entry_name(channel: Channel, model: ModelFile) -> str:
    return f"speech-{channel.index}-{channel.frames}-{model.sha256[:16]}"


def _rescaled(samples: NDArray[np.int64], timeline_rate_hz: int) -> NDArray[np.int64]:
    """Return timeline frames of samples at 16 kHz counted from the channel's start, ties to even, in integers."""
    doubled = 2 * samples * timeline_rate_hz + SAMPLE_RATE_HZ
    frames = doubled // (2 * SAMPLE_RATE_HZ)
    ties_to_odd = (doubled % (2 * SAMPLE_RATE_HZ) == 0) & (frames % 2 == 1)
    rounded: NDArray[np.int64] = frames - ties_to_odd
    return rounded
