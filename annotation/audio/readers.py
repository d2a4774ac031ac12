"""What a sound file holds, and what reads it: the values and interfaces that all formats share."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import soundfile  # type: ignore[import-untyped]
from numpy.typing import NDArray

from annotation.audio.refusal import AudioRefusedError
from annotation.notices import Notice

LOWEST_RATE_HZ = 1_000
HIGHEST_RATE_HZ = 768_000
MOST_CHANNELS = 64

SIXTEEN_BIT_SUBTYPES = ("PCM_16", "PCM_U8", "PCM_S8", "ULAW", "ALAW")
"""What 16-bit integers hold exactly."""


@dataclass(frozen=True, slots=True)
class AudioInfo:
    """What a sound file holds.

    Parameters
    ----------
    format, subtype
        ``WAV``, ``AIFF``, ``FLAC``, ``OGG`` or ``MP3``, and the encoding in libsndfile's words (``PCM_16``, ``FLOAT``,
        ``VORBIS``, …).
    exact
        Whether `frames` is certain. A FLAC says its length in its header: it is provisional until the file has been
        decoded once, although its last sample was found where the header puts it.
    notices
        What is odd about the file and does not stop it from being read.
    """

    path: Path
    rate_hz: int
    channels: int
    frames: int
    format: str
    subtype: str
    exact: bool
    notices: tuple[Notice, ...] = ()


class FrameReader(Protocol):
    """All channels of a file by frame; belongs to one thread."""

    @property
    def info(self) -> AudioInfo:
        """What the file holds."""
        ...

    @property
    def key(self) -> str:
        """The key of the fingerprint of the very file that is read, as `AudioCache` takes it."""
        ...

    def read(self, first: int, count: int) -> NDArray[np.int16] | NDArray[np.float32]:
        """Return frames ``[first, first + count)``, all inside the file, as ``(count, channels)``.

        They are int16 where that holds the samples exactly, else float32.

        Raises
        ------
        AudioRefusedError
            If the file shrank, vanished or is damaged there.
        """
        ...

    def read_stripes(self, firsts: Sequence[int], count: int) -> NDArray[np.int16] | NDArray[np.float32]:
        """Return `count` frames from each of `firsts`, at least one and far apart.

        Their shape is ``(len(firsts), count, channels)``, their type that of `read`.

        Raises
        ------
        AudioRefusedError
            As for `read`.
        """
        ...

    def close(self) -> None:
        """Close the file."""
        ...


class SampleReader(Protocol):
    """One channel by sample; belongs to one thread."""

    @property
    def rate_hz(self) -> int:
        """Samples a second."""
        ...

    @property
    def frames(self) -> int:
        """Number of samples."""
        ...

    @property
    def key(self) -> str:
        """The key of the fingerprint of the very file that is read, as `AudioCache` takes it."""
        ...

    def read(self, first: int, count: int) -> NDArray[np.float32]:
        """Return samples ``[first, first + count)`` as ``(count,)``, zeros outside ``[0, frames)``.

        Raises
        ------
        AudioRefusedError
            If the file shrank, vanished or is damaged there.
        """
        ...

    def close(self) -> None:
        """Close the file; a reader closes itself with its last reference too."""
        ...


class SteadyFile(soundfile.SoundFile):  # type: ignore[misc]
    """A sound file that is read on from where the last read ended.

    WORKAROUND soundfile 0.13 to 0.14: after each read from a file that can seek it seeks to where it is. A seek makes a
    lossy decoder start anew a few frames earlier, and what it gives then is not what it gives when it goes on.
    """

    def seekable(self) -> bool:
        """Return False, so that nothing seeks by itself; `seek` works all the same."""
        return False


def float_samples(samples: NDArray[np.int16] | NDArray[np.float32]) -> NDArray[np.float32]:
    """Return samples as float32: a 16-bit sample s is ``s / 32768``."""
    if samples.dtype == np.int16:
        return np.multiply(samples, np.float32(1 / 32768), dtype=np.float32)
    return np.asarray(samples, dtype=np.float32)


def require_plausible(path: Path, rate_hz: int, channels: int) -> None:
    """Refuse a file whose header asks for a rate or a number of channels that no recording has.

    Raises
    ------
    AudioRefusedError
        If the rate is beyond 1,000 to 768,000 Hz, or there are more than 64 channels or none.
    """
    if not LOWEST_RATE_HZ <= rate_hz <= HIGHEST_RATE_HZ:
        raise AudioRefusedError(
            f"A rate of {rate_hz:,} Hz is outside {LOWEST_RATE_HZ:,} to {HIGHEST_RATE_HZ:,} Hz.",
            code="audio-rate",
            where=path,
            remedy="The header is probably damaged.",
        )
    if not 1 <= channels <= MOST_CHANNELS:
        raise AudioRefusedError(
            f"{channels:,} channels are more than the {MOST_CHANNELS} that are read."
            if channels
            else "The header says 0 channels.",
            code="audio-channels",
            where=path,
            remedy="The header is probably damaged; otherwise split the file.",
        )


def decoder_refusal(path: Path, fault: Exception) -> AudioRefusedError:
    """Return the refusal of a file that libsndfile cannot decode."""
    words = getattr(fault, "error_string", "") or str(fault) or type(fault).__name__
    return AudioRefusedError(
        f"The decoder gives up: {words.rstrip('.')}.",
        code="audio-damaged",
        where=path,
        remedy="Copy or convert it again.",
    )
