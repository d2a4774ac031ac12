"""Which sound system this computer runs: PipeWire, PulseAudio or ALSA alone. Asked without Qt and without PortAudio.

PortAudio on Linux knows ALSA (and JACK) only; sound servers are reached through their ALSA plug-in. So a server that
runs and no device means that the plug-in is missing, which is the case that puzzles people most.
"""

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PATIENCE_S = 3.0
CONNECT_PATIENCE_S = 1.0
CARDS = Path("/proc/asound/cards")

RESTART = {
    "PipeWire": "systemctl --user restart pipewire pipewire-pulse wireplumber",
    "PulseAudio": "pulseaudio --kill; pulseaudio --start",
}
PLUG_INS = {"PipeWire": "pipewire-alsa", "PulseAudio": "libasound2-plugins"}


@dataclass(frozen=True, slots=True)
class SoundSystem:
    """What plays sound here.

    Parameters
    ----------
    server
        ``PipeWire`` or ``PulseAudio``; empty where ALSA is alone.
    version
        The server's own; empty where it was not told.
    answers
        Whether the server takes connections; its socket outlives one that was killed.
    default
        The server's default output; empty where it was not told.
    cards
        The sound cards that the kernel knows.
    """

    server: str = ""
    version: str = ""
    answers: bool = False
    default: str = ""
    cards: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The sound system in a word or two; empty where there is none."""
        if self.server:
            return f"{self.server} {self.version}".strip()
        return "ALSA" if self.cards else ""


def find_sound_system(environment: Mapping[str, str] | None = None, cards: Path = CARDS) -> SoundSystem:
    """Return the sound system of a session with these environment variables (this process's when left out)."""
    variables = dict(os.environ) if environment is None else dict(environment)
    known = cards_from_text(_text_of(cards))
    told = _ask_server(variables)
    if told:
        return system_from_info(told, known)
    for server, place in _sockets(variables):
        if place.is_socket():
            return SoundSystem(server, answers=_connects(place), cards=known)
    return SoundSystem(cards=known)


def system_from_info(text: str, cards: tuple[str, ...] = ()) -> SoundSystem:
    """Return the sound system that ``pactl info`` describes in English."""
    fields = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    name = fields.get("Server Name", "")
    on_pipewire = re.search(r"PipeWire\s*([\d.]*)", name)
    default = fields.get("Default Sink", "").strip()
    if on_pipewire:
        return SoundSystem("PipeWire", on_pipewire[1], True, default, cards)
    return SoundSystem("PulseAudio", fields.get("Server Version", "").strip(), True, default, cards)


def cards_from_text(text: str) -> tuple[str, ...]:
    """Return the names of the cards in ``/proc/asound/cards``."""
    return tuple(match[1].strip() for match in re.finditer(r"^\s*\d+ \[.*?\]: .*? - (.+)$", text, re.MULTILINE))


def remedy_without_device(system: SoundSystem) -> str:
    """Return what to do where PortAudio finds no device."""
    if system.server and not system.answers:
        return f"{system.server} does not answer. Restart it: {RESTART[system.server]}"
    if system.server:
        line = f"sudo apt-get install {PLUG_INS[system.server]}"
        return f"{system.server} runs, and programs that use ALSA do not reach it. On Debian: {line}"
    if system.cards:
        return (
            "There is a sound card and it does not open: another program may have it, or you may not be in the group "
            "audio (sudo usermod -aG audio $USER, then log in again)."
        )
    return "Connect a sound device, or start the sound server, then start Floorscope again."


def _ask_server(variables: Mapping[str, str]) -> str:
    program = shutil.which("pactl", path=variables.get("PATH"))
    if program is None:
        return ""
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            [program, "info"],
            env={**variables, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        if done.returncode == 0:
            return done.stdout
    return ""


def _sockets(variables: Mapping[str, str]) -> list[tuple[str, Path]]:
    runtime = Path(variables.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}")
    pulse = variables.get("PULSE_SERVER", "").removeprefix("unix:")
    places = [("PipeWire", runtime / "pipewire-0"), ("PulseAudio", runtime / "pulse" / "native")]
    return places + ([("PulseAudio", Path(pulse))] if pulse.startswith("/") else [])


def _connects(place: Path) -> bool:
    with suppress(OSError), socket.socket(socket.AF_UNIX) as trial:
        trial.settimeout(CONNECT_PATIENCE_S)
        trial.connect(str(place))
        return True
    return False


def _text_of(path: Path) -> str:
    with suppress(OSError):
        return path.read_text(encoding="utf-8", errors="replace")
    return ""
