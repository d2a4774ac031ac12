"""The sound outputs of this computer: listed, listed anew, and found by name."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from app.playback.conversion import ConvertingOutput
from app.playback.output import (
    Output,
    PortAudioOutput,
    RateRefusedError,
    SoundUnavailableError,
    portaudio_lock,
    sounddevice_module,
)
from app.playback.ring import Ring

COMMON_RATES_HZ = (48_000, 44_100)


@dataclass(frozen=True, slots=True)
class OutputDevice:
    """One output; `name` is unique, so that it can be kept in the settings (numbers change from start to start)."""

    name: str
    number: int
    latency_s: float
    rate_hz: float
    default: bool


def output_devices() -> tuple[OutputDevice, ...]:
    """Return the outputs with two channels or more, the default first; empty where there is none.

    Raises
    ------
    SoundUnavailableError
        If PortAudio is not installed.
    """
    library: Any = sounddevice_module()
    with portaudio_lock():
        found = [device for device in library.query_devices() if device["max_output_channels"] >= 2]
        hosts = [host["name"] for host in library.query_hostapis()]
        default = _default_number(library)
    seen = Counter(device["name"] for device in found)
    devices = [
        OutputDevice(
            name=device["name"] if seen[device["name"]] == 1 else f"{device['name']} ({hosts[device['hostapi']]})",
            number=int(device["index"]),
            latency_s=float(device["default_low_output_latency"]),
            rate_hz=float(device["default_samplerate"]),
            default=device["index"] == default,
        )
        for device in found
    ]
    return tuple(sorted(devices, key=lambda device: not device.default))


def output_names() -> tuple[str, ...]:
    """Return the names of the outputs, the default first; empty where there is no sound at all."""
    return tuple(device.name for device in present_devices())


def present_devices() -> tuple[OutputDevice, ...]:
    """Return the outputs, the default first; empty where there is no sound at all."""
    try:
        return output_devices()
    except SoundUnavailableError:
        return ()


def device_named(name: str) -> OutputDevice:
    """Return the output of a name, or the default where the name is empty.

    Raises
    ------
    SoundUnavailableError
        If there is none.
    """
    devices = output_devices()
    if not devices:
        raise SoundUnavailableError(
            "There is no sound: this computer has no sound output.",
            remedy="Plug in or switch on a device and list the devices again.",
        )
    if not name:
        return devices[0]
    chosen = next((device for device in devices if device.name == name), None)
    if chosen is None:
        raise SoundUnavailableError(
            f"The sound device “{name}” is not there.",
            remedy=f"Plug it in and list the devices again, or choose another one ({devices[0].name}).",
        )
    return chosen


def refresh_devices() -> None:
    """Let PortAudio look for devices again, which it does by itself only once; not while a stream is open.

    Raises
    ------
    SoundUnavailableError
        If PortAudio is not installed.
    """
    library: Any = sounddevice_module()
    with portaudio_lock():
        if PortAudioOutput.open_count == 0:
            library._terminate()
            library._initialize()


def open_output(name: str, *, ring: Ring, rate_hz: int) -> Output:
    """Return a stream on the output of a name, or on the default where the name is empty.

    A device that does not offer the rate plays at its own, or at a common one, and the frames are converted.

    Raises
    ------
    SoundUnavailableError
        If there is no such output, it is in use, or it offers none of these rates.
    """
    with portaudio_lock():
        device = device_named(name)
        try:
            return _open(device, ring, rate_hz)
        except RateRefusedError as error:
            refusal = error
        for other_hz in dict.fromkeys((round(device.rate_hz), *COMMON_RATES_HZ)):
            try:
                return ConvertingOutput(
                    ring=ring,
                    rate_hz=rate_hz,
                    device_rate_hz=other_hz,
                    open_device=lambda converted, at_hz=other_hz: _open(device, converted, at_hz),  # type: ignore[misc]
                )
            except RateRefusedError:
                continue
        raise refusal


def _open(device: OutputDevice, ring: Ring, rate_hz: int) -> Output:
    return PortAudioOutput(ring=ring, rate_hz=rate_hz, device=device.number, name=device.name)


def _default_number(library: Any) -> int:
    try:
        return int(library.query_devices(kind="output")["index"])
    except (library.PortAudioError, ValueError):
        return -1
