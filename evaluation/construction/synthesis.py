"""Speech by text: what an engine is, and how its sound becomes a clip.

An engine is a program outside of this one, called with a time limit; it speaks a text in one of its base voices. More
speakers come from pitch: the engine is asked to speak slower or faster by a factor, and resampling by the same factor
puts the tempo back and shifts pitch and formants. A `Clip` is what is left after resampling to the rate of the
corpus, trimming the silence around the speech and setting the level, as 16-bit samples, so that a clip read from the
store is bit for bit the one that was made.

Decisions: speech begins and ends at the first and last 5 ms in which the peak is within 34 dB of the clip's peak, with
one window more on either side, faded over 5 ms. The level is an active level: the root mean square over the 20 ms
windows that are within 30 dB of the loudest, set to −26 dB of full scale. Where an engine is silent for more than
0.45 s between two sentences (40 dB under the peak), what is longer is taken out: a longer pause inside a turn would be
a hold that the event log does not know.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import soxr  # type: ignore[import-untyped]
from numpy.typing import NDArray

from annotation.errors import FloorscopeError

Samples = NDArray[np.float64]
"""Shape ``(frames,)``, full scale ±1."""

FULL_SCALE = 32768
SPEECH_LEVEL_DB = -26.0
"""Active level of a clip, in dB of full scale."""

CLIP_PEAK = 0.98
"""A clip whose crest would pass this is set lower than `SPEECH_LEVEL_DB` instead of being clamped."""

LONGEST_CLIP_S = 120
LONGEST_TEXT = 2_000
"""Characters of one clip."""

LONGEST_PAUSE_MS = 450

_TRIM_DB = -34.0
_SILENT_DB = -40.0
_ACTIVE_DB = -30.0
_SPACES = re.compile(r"\s+")


class SynthesisError(FloorscopeError):
    """A speech engine that is missing, fails, or answers with something that is no speech."""

    code = "synthesis"
    exit_code = 1


@dataclass(frozen=True, slots=True)
class Speech:
    """What an engine answered: mono samples at its own rate."""

    samples: Samples
    rate_hz: int


@dataclass(frozen=True, slots=True, order=True)
class Voice:
    """A voice of the corpus: a base voice of an engine and the factor on its pitch. It is who speaks.

    Parameters
    ----------
    engine
        Name of the engine.
    base
        What the engine calls the voice.
    pitch
        1 is the voice as it is, 0.8 is lower, 1.25 higher.
    """

    engine: str
    base: str
    pitch: float = 1.0

    @property
    def base_identity(self) -> str:
        """Whose voice it is before the pitch is shifted."""
        return f"{self.engine}/{self.base}"

    @property
    def identity(self) -> str:
        """The name that tells two voices of a corpus apart."""
        return f"{self.base_identity}×{self.pitch:.3f}"


class SpeechEngine(Protocol):
    """A program that speaks.

    Attributes
    ----------
    name, version
        Part of what a clip is stored under.
    licence
        Of the engine and its voices, in a few words, with how it is called where that matters.
    natural
        Whether it sounds like a person; turn detectors are at chance on voices that do not.
    deterministic
        Whether the same call gives the same samples.
    stretches
        Whether it can speak slower and faster, which pitch shifts need.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def version(self) -> str: ...  # noqa: D102
    @property
    def licence(self) -> str: ...  # noqa: D102
    @property
    def natural(self) -> bool: ...  # noqa: D102
    @property
    def deterministic(self) -> bool: ...  # noqa: D102
    @property
    def stretches(self) -> bool: ...  # noqa: D102

    def voices(self) -> Sequence[str]:
        """Return the base voices that can be used now, without a download."""

    def speak(self, text: str, voice: str, *, seed: int, stretch: float = 1.0) -> Speech:
        """Return a text spoken by a base voice, `stretch` times as long as it would speak by itself.

        May be called from several threads.

        Raises
        ------
        SynthesisError
            If the engine fails, takes too long or gives too much.
        """

    def close(self) -> None:
        """End the processes that are kept for the next call."""


def spoken_text(text: str) -> str:
    """Return a text as one line that an engine may get.

    Raises
    ------
    SynthesisError
        If it is empty, too long or holds a control character.
    """
    line = _SPACES.sub(" ", text).strip()
    if not line or len(line) > LONGEST_TEXT or not line.isprintable():
        raise SynthesisError(
            f"“{line[:40]}” cannot be spoken: a text has 1 to {LONGEST_TEXT:,} printable characters.",
            remedy="Change the script.",
        )
    return line


def clip_from_speech(speech: Speech, *, pitch: float, rate_hz: int) -> NDArray[np.int16]:
    """Return speech as a clip: pitch shifted, at the rate of the corpus, trimmed, at the common level.

    Parameters
    ----------
    speech
        Spoken `pitch` times as long as usual, so that the tempo comes out right.

    Raises
    ------
    SynthesisError
        If there is no sound in it, a sample is no number, or it is longer than two minutes.
    """
    if len(speech.samples) > LONGEST_CLIP_S * speech.rate_hz:
        raise SynthesisError(f"The engine spoke for more than {LONGEST_CLIP_S} s.", remedy="Shorten the text.")
    if not np.isfinite(speech.samples).all():
        raise SynthesisError("The engine gave samples that are no numbers.")
    samples = np.asarray(soxr.resample(speech.samples, speech.rate_hz * pitch, rate_hz), dtype=np.float64)
    trimmed = _with_short_pauses(_trimmed(samples, rate_hz), rate_hz)
    gain = min(10 ** (SPEECH_LEVEL_DB / 20) / active_rms(trimmed, rate_hz), CLIP_PEAK / float(np.abs(trimmed).max()))
    quantised: NDArray[np.int16] = np.rint(trimmed * gain * FULL_SCALE).astype(np.int16)
    quantised.setflags(write=False)
    return quantised


def active_rms(samples: Samples, rate_hz: int) -> float:
    """Return the root mean square over the 20 ms windows within 30 dB of the loudest; 0 for silence."""
    energies = window_energies(samples, rate_hz // 50)
    if not len(energies) or energies.max() == 0:
        return 0.0
    active = energies >= energies.max() * 10 ** (_ACTIVE_DB / 10)
    return float(np.sqrt(energies[active].mean()))


def window_energies(samples: Samples, window: int) -> Samples:
    """Return the mean square of each whole window; of all samples where there is less than one window."""
    if len(samples) < window:
        return np.array([np.mean(np.square(samples))]) if len(samples) else np.zeros(0)
    usable = len(samples) // window * window
    return np.asarray(np.mean(np.square(samples[:usable].reshape(-1, window)), axis=1), dtype=np.float64)


def _window_peaks(samples: Samples, window: int) -> Samples:
    usable = len(samples) // window * window
    return np.asarray(np.abs(samples[:usable]).reshape(-1, window).max(axis=1), dtype=np.float64)


def _with_short_pauses(samples: Samples, rate_hz: int) -> Samples:
    """Return samples without the middle of what is silent for too long; their length is one of whole windows."""
    window = rate_hz // 200
    peaks = _window_peaks(samples, window)
    silent = np.concatenate(([0], (peaks < peaks.max() * 10 ** (_SILENT_DB / 20)).astype(np.int8), [0]))
    kept = np.ones(len(samples), dtype=np.bool_)
    half = LONGEST_PAUSE_MS // 10
    for first, last in np.flatnonzero(np.diff(silent)).reshape(-1, 2):
        kept[(first + half) * window : max(first + half, last - half) * window] = False
    return samples[kept]


def _trimmed(samples: Samples, rate_hz: int) -> Samples:
    window = rate_hz // 200
    peaks = _window_peaks(samples, window)
    if not len(peaks) or peaks.max() < 1e-4:
        raise SynthesisError("The engine gave silence.", remedy="Listen to what it says, or choose another voice.")
    loud = np.flatnonzero(peaks > peaks.max() * 10 ** (_TRIM_DB / 20))
    first = max(0, int(loud[0]) - 1)
    last = min(len(peaks), int(loud[-1]) + 2)
    speech = samples[first * window : last * window].copy()
    ramp = (np.arange(window) + 0.5) / window
    speech[:window] *= ramp
    speech[-window:] *= ramp[::-1]
    return speech
