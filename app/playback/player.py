"""The player of one conversation, as the window sees it."""

import time
from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Qt, Signal

from annotation.circumstances import FASTEST, SLOWEST, Circumstances
from annotation.errors import InvalidValueError
from app.playback.course import Renderer
from app.playback.devices import device_named, open_output, refresh_devices
from app.playback.engine import Engine, Heard, OpenOutput, Report
from app.playback.output import Output, SoundUnavailableError
from app.playback.recovery import NO_SOUND_MEANWHILE
from app.playback.ring import Ring
from app.playback.silent import SilentOutput
from widgets.transport.transport import ChannelMix

HIGHEST_AUDIBLE_RATE_HZ = 384_000
"""Timelines above it are event logs: no device plays them, and none has to."""


class Player(QObject):
    """Plays one conversation; a `widgets.transport.transport.Transport`.

    Parameters
    ----------
    rate_hz, frames
        Of the timeline.
    renderer
        Mixes the channels; None for a conversation without sound.
    channels
        How many there are; with none, a silent clock drives the cursor and no device is opened.
    device
        Name of the output as `devices.output_names` gives it; empty for the system's default.
    corrections_ms
        How much later than each device says its sound is heard (Bluetooth), in milliseconds by its name; negative if
        earlier. Devices that are not named have none.
    open_sound
        Opens an output for a ring instead of the device named (tests, other outputs).

    Attributes
    ----------
    trouble
        Why there is no sound, in the words of `fault`; empty if a device was found.

    Signals
    -------
    state_changed()
        Playing began or ended, or the position jumped.
    fault(str)
        One sentence for the message bar: what went wrong with the sound and what to do.
    finished()
        The end of the passage was heard.
    sound_lost(str)
        The device is gone or was not there; it is waited for, and `interrupted` says whether playing goes on with it.
    sound_back(str)
        The waiting ended, in a sentence.
    noted(str)
        What an order to look for the device found.
    """

    state_changed = Signal()
    fault = Signal(str)
    finished = Signal()
    sound_lost = Signal(str)
    sound_back = Signal(str)
    noted = Signal(str)
    _reported = Signal(object)

    def __init__(
        self,
        *,
        rate_hz: int,
        frames: int,
        renderer: Renderer | None,
        channels: int,
        device: str = "",
        corrections_ms: Mapping[str, float] | None = None,
        open_sound: OpenOutput | None = None,
        clock: Callable[[], float] = time.perf_counter,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._rate_hz = rate_hz
        self._frames = frames
        self._clock = clock
        self._looping = False
        self._speed = 1.0
        self._floor = Heard(0, -1, 0)
        self._closed = False
        self._audible = channels > 0 and renderer is not None and rate_hz <= HIGHEST_AUDIBLE_RATE_HZ
        self._device = device
        self.trouble = self._find_trouble() if self._audible and open_sound is None else ""
        self._told = self.trouble
        self._reported.connect(self._on_report, Qt.ConnectionType.QueuedConnection)
        self._engine = Engine(
            rate_hz=rate_hz,
            frames=frames,
            renderer=renderer,
            mix=(ChannelMix(),) * channels,
            open_output=open_sound or self._opener(),
            open_silent=self._open_silent,
            report=self._reported.emit,
            clock=clock,
            reopen_output=None if open_sound is not None else self._reopen,
        )
        self.set_corrections(corrections_ms or {})
        self._engine.start_thread()

    @property
    def playing(self) -> bool:
        """Whether it plays."""
        return self._engine.playing

    @property
    def interrupted(self) -> bool:
        """Whether a lost device stopped it and it goes on by itself with it: until play, pause, seek or close."""
        return self._engine.interrupted

    @property
    def position(self) -> int:
        """The timeline frame that is heard now; between two jumps it never goes back but at the seam of a loop."""
        heard = self._engine.heard()
        if heard.ticket == self._floor.ticket and 0 <= heard.slot < self._floor.slot:
            return self._floor.frame
        self._floor = heard
        return heard.frame

    @property
    def looping(self) -> bool:
        """Whether the passage starts again at its end."""
        return self._looping

    @property
    def latency_frames(self) -> int:
        """From handing a frame to the device to hearing it, as the device reports it; 0 before the first sound."""
        return self._engine.latency_frames

    @property
    def correction_frames(self) -> int:
        """How much later than the device says its sound is heard."""
        return self._engine.correction_frames

    def set_corrections(self, corrections_ms: Mapping[str, float]) -> None:
        """Take other corrections by device, in milliseconds; in force at once, while it plays too."""
        self._engine.corrections = {name: round(by_ms * self._rate_hz / 1000) for name, by_ms in corrections_ms.items()}
        self._floor = self._floor._replace(slot=-1)

    @property
    def output_name(self) -> str:
        """The device in use; empty before the first sound."""
        return self._engine.output_name

    @property
    def speed(self) -> float:
        """How fast it plays, with the pitch kept; 1 is as recorded."""
        return self._speed

    def circumstances(self) -> Circumstances:
        """Return how sound is heard now."""
        return Circumstances(
            playing=self.playing,
            speed=self.speed,
            device=self.output_name,
            reported_latency_s=self.latency_frames / self._rate_hz,
            correction_s=self.correction_frames / self._rate_hz,
        )

    def set_speed(self, speed: float) -> None:
        """Play faster or slower from now on, 0.5 to 2; heard after about 40 ms and the latency of the device.

        Raises
        ------
        InvalidValueError
            If it is outside 0.5 to 2.
        """
        if not SLOWEST <= speed <= FASTEST:
            raise InvalidValueError(f"A speed of {speed} is outside {SLOWEST} to {FASTEST:g}.")
        if speed != self._speed:
            self._speed = speed
            self._engine.set_speed(speed)
            self.state_changed.emit()

    def play(self, onset: int | None = None, offset: int | None = None) -> None:
        """Play ``[onset, offset)``; from the position, or to the end, where a bound is None.

        Bounds outside the timeline are taken to its edges. Without bounds, at the end it starts from 0, and inside
        the stretch that is being looped it stays in the loop.
        """
        if not self._closed:
            self._engine.play(None if onset is None else self._inside(onset), offset)

    def pause(self) -> None:
        """Stop; the position rests at the first frame that the device was not given, so resuming loses none."""
        if not self._closed:
            self._engine.pause()

    def seek(self, frame: int) -> None:
        """Move the position; goes on playing if it was. Outside the passage it plays to the end of the timeline."""
        if not self._closed:
            self._engine.seek(self._inside(frame))

    def set_looping(self, looping: bool) -> None:
        """Turn the loop on or off, while playing too."""
        if looping != self._looping:
            self._looping = looping
            self._engine.set_looping(looping)
            self.state_changed.emit()

    def set_mix(self, mix: tuple[ChannelMix, ...]) -> None:
        """Set how each channel is heard; heard after about 30 ms and the latency of the device."""
        self._engine.set_mix(mix)

    def set_renderer(self, renderer: Renderer) -> None:
        """Take the sound from another renderer, while playing too."""
        self._engine.set_renderer(renderer)

    def choose_device(self, name: str) -> None:
        """Pause and use another output from the next sound on; empty means the system's default."""
        if self._audible and not self._closed:
            self._device = name
            self._engine.set_output(self._opener())

    def look_for_device(self) -> None:
        """Look at once for a device that was lost, instead of at the next second."""
        if not self._closed:
            self._engine.look_for_device()

    def release_device(self, then: Callable[[], None]) -> None:
        """Pause and give the device back; `then` is called in the worker, where devices may be listed anew."""
        if not self._closed:
            self._engine.set_output(self._opener(), then)

    def close(self) -> None:
        """Stop the sound and end the worker; nothing plays afterwards. Call it before the player is deleted."""
        if not self._closed:
            self._closed = True
            self._engine.close()

    def _inside(self, frame: int) -> int:
        return min(max(frame, 0), self._frames)

    def _find_trouble(self) -> str:
        try:
            device_named(self._device)
        except SoundUnavailableError as error:
            return f"{error}{NO_SOUND_MEANWHILE}"
        return ""

    def _opener(self) -> OpenOutput:
        name = self._device
        opened = False

        def open_sound(ring: Ring) -> Output:
            nonlocal opened
            if not self._audible:
                return self._open_silent(ring)
            if opened:
                # It was lost or did not start: what PortAudio knows of devices may be out of date.
                refresh_devices()
            opened = True
            return self._open_named(name, ring) if name else open_output("", ring=ring, rate_hz=self._rate_hz)

        return open_sound

    def _open_named(self, name: str, ring: Ring) -> Output:
        try:
            return open_output(name, ring=ring, rate_hz=self._rate_hz)
        except SoundUnavailableError as error:
            output = open_output("", ring=ring, rate_hz=self._rate_hz)
            self._reported.emit(Report(fault=f"{error} Until then it plays on “{output.name}”."))
            return output

    def _reopen(self, ring: Ring, name: str) -> Output:
        """Open the device that was lost and no other: while a sound server starts, the default may be another one."""
        refresh_devices()
        return open_output(name or self._device, ring=ring, rate_hz=self._rate_hz)

    def _open_silent(self, ring: Ring) -> Output:
        return SilentOutput(ring=ring, rate_hz=self._rate_hz, clock=self._clock)

    def _on_report(self, report: Report) -> None:
        if report.fault == self._told:
            self._told = ""
        elif report.fault:
            (self.sound_lost if report.lost else self.fault).emit(report.fault)
        if report.back:
            self.sound_back.emit(report.back)
        if report.note:
            self.noted.emit(report.note)
        self.state_changed.emit()
        if report.finished:
            self.finished.emit()
