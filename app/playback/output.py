"""Sound through PortAudio: the only module that knows sounddevice, and imports it when it is first needed."""

import atexit
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from annotation.errors import FloorscopeError
from app.playback.ring import Ring

_log = logging.getLogger(__name__)

SHORTEST_LATENCY_S = 0.08
"""Asked of the device at least: below 50 ms a busy computer leaves gaps."""

LEAD_IN_LATENCIES = 2.5
"""Silence before the first frame of a stream, in latencies: PortAudio fills one at once, and a sound server drops what
comes in while it settles (measured with PulseAudio: up to 1,600 frames at 48 kHz)."""

PATIENCE_S = 1.0
"""For a sound server that does not answer: PortAudio waits for it without end, the window must not."""

INVALID_RATE = -9997
DEVICE_BUSY = -9985
"""PortAudio's numbers (portaudio.h)."""

_lock = threading.RLock()
# Protects PortAudio's own state: its calls to open, close, list and restart must not overlap. The callback never
# takes it.


class SoundUnavailableError(FloorscopeError):
    """There is no sound: no library, no device, or a device that refuses the rate.

    `lasting` says that waiting does not help.
    """

    code = "no-sound"
    lasting = False


class RateRefusedError(SoundUnavailableError):
    """The device does not offer the rate; it may offer others."""


class LibraryMissingError(SoundUnavailableError):
    """PortAudio is not installed."""

    lasting = True


class Output(Protocol):
    """Whatever takes frames from a ring and knows when they are heard."""

    @property
    def name(self) -> str:
        """What the user knows the device by."""
        ...

    @property
    def latency_s(self) -> float:
        """From taking a frame to hearing it, as the device reports it."""
        ...

    @property
    def lead_in_s(self) -> float:
        """How much silence a fresh stream is given before its first frame."""
        ...

    @property
    def alive(self) -> bool:
        """Whether it still takes frames; only asked while it runs."""
        ...

    @property
    def running(self) -> bool:
        """Whether it was started and not stopped since."""
        ...

    def now_s(self) -> float:
        """Return the time on the clock that the ring's blocks are stamped with."""
        ...

    def start(self) -> None:
        """Begin to take frames."""
        ...

    def stop(self) -> None:
        """Take no more; what was taken and not heard yet is dropped."""
        ...

    def close(self) -> None:
        """Give the device back."""
        ...

    def service(self) -> None:
        """Do what is due; called every few milliseconds while it runs."""
        ...


@contextmanager
def portaudio_lock() -> Iterator[None]:
    """Hold PortAudio for oneself.

    Raises
    ------
    SoundUnavailableError
        If another thread waits in it for a sound server that does not answer.
    """
    if not _lock.acquire(timeout=PATIENCE_S):
        raise SoundUnavailableError(
            "There is no sound: the sound system of this computer does not answer.",
            remedy="Restart the sound server (PipeWire: systemctl --user restart pipewire) or log in again.",
        )
    try:
        yield
    finally:
        _lock.release()


def sounddevice_module() -> ModuleType:
    """Return sounddevice.

    Raises
    ------
    SoundUnavailableError
        If PortAudio is not installed.
    """
    try:
        # Imported here: the import itself opens PortAudio, and raises OSError where the library is missing.
        return import_module("sounddevice")
    except OSError as error:
        raise LibraryMissingError(
            "There is no sound: the library PortAudio is not installed.",
            remedy="Install it (on Debian and Ubuntu: sudo apt install libportaudio2) and start Floorscope again.",
        ) from error


class PortAudioOutput:
    """A stereo float32 stream on one device.

    Parameters
    ----------
    device
        PortAudio's number of the device.

    Raises
    ------
    RateRefusedError
        If the device does not offer the rate.
    SoundUnavailableError
        If it does not open for another reason.
    """

    open_count = 0
    """Streams that are open in this process, changed under the lock of PortAudio."""

    def __init__(self, *, ring: Ring, rate_hz: int, device: int, name: str) -> None:
        self.name = name
        self._ring = ring
        self._library: Any = sounddevice_module()
        self._running = False
        # Protects the stream's pointer: asking a closed stream for its time would read freed memory.
        self._stream_lock = threading.Lock()
        try:
            with portaudio_lock():
                usual_s = float(self._library.query_devices(device)["default_low_output_latency"])
                self._stream: Any = self._library.OutputStream(
                    samplerate=rate_hz,
                    channels=2,
                    dtype="float32",
                    device=device,
                    latency=max(usual_s, SHORTEST_LATENCY_S),
                    callback=self._on_block,
                )
                PortAudioOutput.open_count += 1
        except (self._library.PortAudioError, ValueError) as error:
            raise _refusal(name, rate_hz, error) from error
        self.latency_s = float(self._stream.latency)
        self.lead_in_s = LEAD_IN_LATENCIES * self.latency_s

    @property
    def alive(self) -> bool:
        """Whether the stream is active; a sound server that dies raises nothing."""
        try:
            return bool(self._stream.active)
        except self._library.PortAudioError:
            return False

    @property
    def running(self) -> bool:
        """Whether it was started and not stopped since."""
        return self._running

    def now_s(self) -> float:
        """Return the stream's time; 0 once it is closed."""
        with self._stream_lock:
            return float(self._stream.time) if self._stream is not None else 0.0

    def start(self) -> None:
        """Start the stream.

        Raises
        ------
        SoundUnavailableError
            If the device is gone.
        """
        try:
            with portaudio_lock():
                self._stream.start()
        except self._library.PortAudioError as error:
            raise SoundUnavailableError(
                f"The sound device “{self.name}” does not start ({error}).",
                remedy="Plug it in again or choose another one.",
            ) from error
        self._running = True

    def stop(self) -> None:
        """Stop the stream and drop what it holds."""
        self._running = False
        stream = self._stream
        self._within_patience(lambda: stream.abort(ignore_errors=True))

    def close(self) -> None:
        """Stop and close the stream."""
        self._running = False
        with self._stream_lock:
            stream, self._stream = self._stream, None

        def give_back() -> None:
            # Not under the lock, since it may wait without end; it touches this stream only.
            stream.abort(ignore_errors=True)
            with _lock:
                stream.close(ignore_errors=True)
                PortAudioOutput.open_count -= 1

        if stream is not None:
            self._within_patience(give_back)

    def service(self) -> None:
        """PortAudio's own thread does all there is to do."""

    def _within_patience(self, call: Callable[[], None]) -> None:
        """Call PortAudio in a thread of its own, which stays behind where the call never returns.

        WORKAROUND PortAudio 19.6 with PipeWire's ALSA plug-in: its thread goes round and round once the server is
        killed, and PortAudio waits for that thread. It would wait again at the end of the program, so it is not ended.
        """
        thread = threading.Thread(target=call, name="giving back the sound device", daemon=True)
        thread.start()
        thread.join(PATIENCE_S)
        if thread.is_alive():
            _log.warning("The sound device “%s” does not let go; it is left behind.", self.name)
            atexit.unregister(self._library._exit_handler)

    def _on_block(self, out: NDArray[np.float32], frames: int, time: Any, status: Any) -> None:
        # Some back ends give no time of their own for the block: then it sounds one latency from now.
        self._ring.pull(out, time.outputBufferDacTime or time.currentTime + self.latency_s)


def _refusal(name: str, rate_hz: int, error: Exception) -> SoundUnavailableError:
    """Return what to say of PortAudio's refusal to open a device."""
    number = error.args[1] if len(error.args) > 1 else 0
    if number == INVALID_RATE:
        return RateRefusedError(
            f"The sound device “{name}” does not offer {rate_hz} Hz.", remedy="Choose another device."
        )
    if number == DEVICE_BUSY:
        return SoundUnavailableError(
            f"The sound device “{name}” is in use by another program.",
            remedy="Close that program or choose another device.",
        )
    return SoundUnavailableError(
        f"The sound device “{name}” does not open ({error.args[0] if error.args else error}).",
        remedy="Choose another device.",
    )
