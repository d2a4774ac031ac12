"""All channels into two: gain, pan, mute and solo, the same numbers every time.

Conventions: the pan law is linear, ``left = gain * (1 - pan) / 2`` and ``right = gain * (1 + pan) / 2``: at −1 the
left side has the channel unchanged and the right side nothing, in the middle both have half, and the two sides
always add up to the channel, so that nothing gets louder or softer by being moved. Two speakers spread over −0.8 to
0.8 have factors 0.9 and 0.1. Where any channel is solo, exactly the solo channels are heard, muted or not, each at
its own level. Channels are multiplied and added in float32 in the order of the lanes; nothing is clamped here, what
passes full scale is counted.

Sound at another speed is cut by the sum of all channels, as they are recorded (`GuidedMix`): the cuts are the same
whoever is muted, and since all channels share them, cutting the mix is the same as mixing the channels once cut.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from annotation.audio.refusal import AudioRefusedError
from annotation.audio.signal import TimelineSignal
from annotation.errors import InvalidValueError

WIDEST_PAN = 0.8
LOUDEST_GAIN_DB = 60.0


class ChannelLevel(Protocol):
    """How one channel is heard; the transport bar’s value has this shape."""

    @property
    def gain_db(self) -> float:
        """Gain in decibels; minus infinity is silence."""
        ...

    @property
    def pan(self) -> float:
        """From −1 (left) to 1 (right)."""
        ...

    @property
    def muted(self) -> bool:
        """Whether it is left out."""
        ...

    @property
    def solo(self) -> bool:
        """Whether only this and other solo channels are heard."""
        ...


@dataclass(frozen=True, slots=True)
class SideFactors:
    """What a channel's samples are multiplied by on each side."""

    left: float
    right: float


def spread_pans(count: int) -> tuple[float, ...]:
    """Return pans for `count` channels, equally spaced over −0.8 to 0.8; one channel sits in the middle."""
    if count == 1:
        return (0.0,)
    return tuple(WIDEST_PAN * (2 * index - (count - 1)) / (count - 1) for index in range(count))


def side_factors(mix: Sequence[ChannelLevel]) -> tuple[SideFactors, ...]:
    """Return the factors of each channel after solo, mute, gain and pan.

    Raises
    ------
    InvalidValueError
        If a gain is no number or above 60 dB, or a pan is outside −1 to 1.
    """
    any_solo = any(level.solo for level in mix)
    return tuple(
        _factors(level) if (level.solo if any_solo else not level.muted) else SideFactors(0.0, 0.0) for level in mix
    )


def _factors(level: ChannelLevel) -> SideFactors:
    if math.isnan(level.gain_db) or level.gain_db > LOUDEST_GAIN_DB:
        raise InvalidValueError(f"A gain of {level.gain_db} dB is not possible.", remedy="Use at most 60 dB.")
    if not -1.0 <= level.pan <= 1.0:
        raise InvalidValueError(f"A pan of {level.pan} is outside −1 to 1.")
    gain = 10.0 ** (level.gain_db / 20.0)
    return SideFactors(gain * (1.0 - level.pan) / 2.0, gain * (1.0 + level.pan) / 2.0)


class GuidedMix(NamedTuple):
    """The stereo mix, ``(count, 2)``, and the plain sum of all channels, ``(count,)``, float32."""

    mixed: NDArray[np.float32]
    guide: NDArray[np.float32]


class Mixer:
    """Signals of one conversation, in the order of the lanes, rendered for two ears; belongs to one thread."""

    def __init__(self, signals: Sequence[TimelineSignal]) -> None:
        self._signals = tuple(signals)
        self.over_full_scale = 0
        """Samples beyond −1 to 1 so far, both sides counted; whoever plays them has to say so."""
        self.not_finite = 0
        """Source samples that were no number (broken float files), heard as silence."""

    def render(self, first_frame: int, count: int, mix: Sequence[ChannelLevel]) -> NDArray[np.float32]:
        """Return frames ``[first_frame, first_frame + count)`` as ``(count, 2)``, left and right, unclamped.

        A channel that is not heard is not read.

        Raises
        ------
        AudioRefusedError
            If a file that is heard shrank, vanished or is damaged there.
        InvalidValueError
            If `mix` has another length than the signals, or a level is not possible.
        """
        return self._mixed(first_frame, count, mix, guide=None)

    def render_guided(self, first_frame: int, count: int, mix: Sequence[ChannelLevel]) -> GuidedMix:
        """Return what `render` returns, with the sum of all channels: those that are not heard are read too.

        A file that is not heard and cannot be read guides nothing.

        Raises
        ------
        AudioRefusedError, InvalidValueError
            As for `render`.
        """
        guide = np.zeros(count, dtype=np.float32)
        return GuidedMix(self._mixed(first_frame, count, mix, guide=guide), guide)

    def _mixed(
        self, first_frame: int, count: int, mix: Sequence[ChannelLevel], *, guide: NDArray[np.float32] | None
    ) -> NDArray[np.float32]:
        if len(mix) != len(self._signals):
            raise InvalidValueError(f"{len(mix)} levels were given for {len(self._signals)} channels.")
        mixed = np.zeros((count, 2), dtype=np.float32)
        for signal, factors in zip(self._signals, side_factors(mix), strict=True):
            heard = factors.left != 0.0 or factors.right != 0.0
            if not heard and guide is None:
                continue
            try:
                samples = self._finite(signal.read(first_frame, count))
            except AudioRefusedError:
                if heard:
                    raise
                continue
            if guide is not None:
                guide += samples
            if heard:
                mixed[:, 0] += samples * np.float32(factors.left)
                mixed[:, 1] += samples * np.float32(factors.right)
        self.over_full_scale += int(np.count_nonzero(np.abs(mixed) > 1.0))
        return mixed

    def close(self) -> None:
        """Close all signals."""
        for signal in self._signals:
            signal.close()

    def _finite(self, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        finite = np.isfinite(samples)
        if finite.all():
            return samples
        self.not_finite += int(np.count_nonzero(~finite))
        return np.where(finite, samples, np.float32(0))
