"""From speech probabilities to spans of speech, by the rule of the Silero package and with its published defaults.

Conventions: one probability a chunk of 512 samples at 16 kHz; spans are half-open in samples at 16 kHz, in integers
throughout. The defaults: speech begins with a chunk at 0.5 or more and ends with the first chunk below 0.35 unless
0.5 returns within 100 ms; spans of 250 ms or less are dropped; each is padded by 30 ms at both ends, and where two
would meet they share the silence between them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.audio.silero import CHUNK_SAMPLES, SAMPLE_RATE_HZ
from annotation.errors import InvalidValueError

_SAMPLES_A_MS = SAMPLE_RATE_HZ // 1000


@dataclass(frozen=True, slots=True)
class SpeechRule:
    """Where speech begins and ends in a stream of probabilities; the defaults are those of silero-vad 6.2.3.

    Parameters
    ----------
    threshold
        Speech begins at a probability of this or more.
    negative_threshold
        It ends below this.
    least_speech_ms
        Spans must be longer than this, before padding.
    least_silence_ms
        Silence of this or more ends a span.
    pad_ms
        How much is added before and after each.
    """

    threshold: float = 0.5
    negative_threshold: float = 0.35
    least_speech_ms: int = 250
    least_silence_ms: int = 100
    pad_ms: int = 30

    def __post_init__(self) -> None:
        if not 0 < self.negative_threshold <= self.threshold <= 1:
            raise InvalidValueError("The thresholds lie between 0 and 1, the one that ends speech not above the other.")
        if min(self.least_speech_ms, self.least_silence_ms, self.pad_ms) < 0:
            raise InvalidValueError("The durations of a rule for speech are not negative.")


@dataclass(frozen=True, slots=True, eq=False)
class SampleSpans:
    """Spans ``[onsets[i], offsets[i])`` in samples at 16 kHz, in order and apart; int64 ``(n,)``, read-only."""

    onsets: NDArray[np.int64]
    offsets: NDArray[np.int64]


def speech_spans(probabilities: NDArray[np.float32], samples: int, rule: SpeechRule | None = None) -> SampleSpans:
    """Return where there is speech.

    Parameters
    ----------
    probabilities
        One a chunk, ``(n,)``.
    samples
        How many samples at 16 kHz the channel has, at most ``n * 512``.
    rule
        The published defaults when left out.
    """
    rule = rule or SpeechRule()
    spans = _unpadded(probabilities, samples, rule)
    pad = rule.pad_ms * _SAMPLES_A_MS
    onsets = np.array([onset for onset, _ in spans], dtype=np.int64)
    offsets = np.array([offset for _, offset in spans], dtype=np.int64)
    silences = onsets[1:] - offsets[:-1]
    pads = np.where(silences < 2 * pad, silences // 2, pad)
    onsets[1:] -= pads
    offsets[:-1] += pads
    onsets[:1] = np.maximum(onsets[:1] - pad, 0)
    offsets[-1:] += pad
    offsets = np.minimum(offsets, samples)
    onsets.setflags(write=False)
    offsets.setflags(write=False)
    return SampleSpans(onsets, offsets)


def _unpadded(probabilities: NDArray[np.float32], samples: int, rule: SpeechRule) -> list[tuple[int, int]]:
    least_speech, least_silence = rule.least_speech_ms * _SAMPLES_A_MS, rule.least_silence_ms * _SAMPLES_A_MS
    spans: list[tuple[int, int]] = []
    onset = silence = -1
    for chunk, probability in enumerate(probabilities.tolist()):
        if probability >= rule.threshold:
            silence = -1
            if onset < 0:
                onset = chunk * CHUNK_SAMPLES
        elif onset >= 0 and probability < rule.negative_threshold:
            here = chunk * CHUNK_SAMPLES
            silence = here if silence < 0 else silence
            if here - silence >= least_silence:
                spans.append((onset, silence))
                onset = silence = -1
    if onset >= 0:
        spans.append((onset, samples))
    return [(onset, offset) for onset, offset in spans if offset - onset > least_speech]
