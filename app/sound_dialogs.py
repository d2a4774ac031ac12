"""What the window shows about its sound device: the tap wizard, and a fresh list of devices."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from app.project_host import ProjectHost

if TYPE_CHECKING:
    from app.playback.devices import OutputDevice


def list_devices_anew(window: ProjectHost, hand_over: "Callable[[Sequence[OutputDevice]], None]") -> None:
    """Look for sound devices again and hand them over in the window's thread.

    PortAudio looks only while no stream is open: the page's player gives its device back first.
    """
    from app.playback.devices import present_devices, refresh_devices
    from app.playback.output import SoundUnavailableError

    def look() -> None:
        with suppress(SoundUnavailableError):  # Without the library there is no device, which the empty list says.
            refresh_devices()
        devices = present_devices()
        window.tasks.post(lambda: take(devices))

    def take(devices: "Sequence[OutputDevice]") -> None:
        if window.page is not None:
            window.page.bar.set_devices([device.name for device in devices], window.settings.value.device)
        hand_over(devices)

    if window.page is not None:
        window.page.player.release_device(look)
    else:
        look()


def measure_delay(window: ProjectHost, device: str) -> float:
    """Open the tap wizard on a device; return the correction in force afterwards, in milliseconds.

    An empty name is the system's default. What the wizard saves is kept and in force at once.
    """
    from app.tap_wizard import TapWizard

    if window.page is not None:
        window.page.player.release_device(lambda: None)

    def save(name: str, by_ms: float) -> None:
        others = {other: ms for other, ms in window.settings.value.corrections_ms.items() if other != name}
        window.settings.change(corrections_ms=others | ({name: by_ms} if by_ms else {}))
        window.apply_settings(frozenset({"corrections_ms"}))

    wizard = TapWizard(
        device=device,
        corrections_ms=window.settings.value.corrections_ms,
        save=save,
        parent=window.widget,
    )
    wizard.exec()
    wizard.deleteLater()
    return window.settings.value.corrections_ms.get(wizard.device_name, 0.0)
