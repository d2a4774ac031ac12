"""Playing at a rate that the device offers where it does not offer the timeline's.

The frames are resampled between two rings: the worker takes them from the engine's ring as a device would, converts
them, and fills a second ring at the device's rate, from which the callback copies. Each block taken is stamped with
the time at which its first frame will sound, reckoned from the device's own stamps, so that the position is as exact
as without conversion: soxr aligns its output with its input, and what it holds back only means taking frames earlier.
"""

from collections.abc import Callable

import numpy as np
import soxr  # type: ignore[import-untyped]

from app.playback.output import Output
from app.playback.ring import Ring

BUFFER_S = 0.1
"""Converted ahead of the device: as much as the engine renders ahead without conversion. A device that asks for more
at once gets as much again on top."""

LONGEST_TAKE_S = 0.04
"""Taken in one visit: less than the engine renders ahead, or a fresh start would take silence for sound."""

CHUNK_S = 0.01


class ConvertingOutput:
    """An output for frames at one rate on a device that runs at another.

    Parameters
    ----------
    ring
        The engine's, at `rate_hz`.
    open_device
        Opens the device at `device_rate_hz` for a ring of converted frames.
    """

    lead_in_s = 0.0

    def __init__(self, *, ring: Ring, rate_hz: int, device_rate_hz: int, open_device: Callable[[Ring], Output]) -> None:
        self._ring = ring
        self._rate_hz = rate_hz
        self._device_rate_hz = device_rate_hz
        self._converted = Ring(device_rate_hz)
        self._device = open_device(self._converted)
        self._chunk = np.empty((round(CHUNK_S * rate_hz), 2), np.float32)
        self._first_slot = 0
        self._taken = 0
        self._stream = self._fresh_stream()
        # What soxr holds back is heard later than it is taken, as what waits in the buffer is.
        self.latency_s = self._device.latency_s + BUFFER_S + self._held_back_s()

    @property
    def name(self) -> str:
        """What the user knows the device by."""
        return self._device.name

    @property
    def alive(self) -> bool:
        """Whether the device still takes frames."""
        return self._device.alive

    @property
    def running(self) -> bool:
        """Whether it was started and not stopped since."""
        return self._device.running

    def now_s(self) -> float:
        """Return the time on the device's clock."""
        return self._device.now_s()

    def start(self) -> None:
        """Start the device with silence, during which the first frames are converted.

        Raises
        ------
        SoundUnavailableError
            If the device is gone.
        """
        self._converted.hold()
        self._converted.clear()
        self._stream = self._fresh_stream()
        self._taken = 0
        lead = round((self._device.lead_in_s + BUFFER_S) * self._device_rate_hz)
        self._converted.write(np.zeros((lead, 2), np.float32))
        self._first_slot = self._converted.written
        self._silence_from = self._first_slot - lead
        self._converted.publish()
        self._device.start()

    def stop(self) -> None:
        """Stop the device."""
        self._device.stop()

    def close(self) -> None:
        """Close the device."""
        self._device.close()

    def service(self) -> None:
        """Take and convert what is due."""
        self._device.service()
        if self._converted.read == self._silence_from:
            return  # Until the device took its first block, nobody knows when anything sounds.
        longest = self._taken + LONGEST_TAKE_S * self._rate_hz
        wanted = max(BUFFER_S * self._device_rate_hz, 2 * self._converted.longest_pull)
        while self._converted.ahead < wanted and self._taken < longest:
            slot = self._first_slot + round(self._taken * self._device_rate_hz / self._rate_hz)
            self._ring.pull(self._chunk, self._converted.time_of(slot, self._device_rate_hz))
            self._taken += len(self._chunk)
            self._converted.write(self._stream.resample_chunk(self._chunk))
        self._converted.publish()

    def _fresh_stream(self) -> soxr.ResampleStream:
        return soxr.ResampleStream(self._rate_hz, self._device_rate_hz, 2, dtype="float32", quality="HQ")

    def _held_back_s(self) -> float:
        trial, given, taken = self._fresh_stream(), 0, 0
        silence = np.zeros_like(self._chunk)
        for _ in range(round(1 / CHUNK_S)):
            taken += len(silence)
            given += len(trial.resample_chunk(silence))
        return max(taken / self._rate_hz - given / self._device_rate_hz, 0.0)
