import socket
from pathlib import Path

import pytest

from app.sound_system import (
    SoundSystem,
    cards_from_text,
    find_sound_system,
    remedy_without_device,
    system_from_info,
)

PIPEWIRE = """\
Server String: /run/user/1000/pulse/native
Server Name: PulseAudio (on PipeWire 1.0.5)
Server Version: 15.0.0
Default Sink: alsa_output.pci-0000_00_1f.3.analog-stereo
"""
PULSEAUDIO = """\
Server String: unix:/run/user/1000/pulse/native
Server Name: pulseaudio
Server Version: 16.1
Default Sink: nullsink
"""
CARDS = """\
 0 [PCH            ]: HDA-Intel - HDA Intel PCH
                      HDA Intel PCH at 0xa1330000 irq 145
 1 [Headset        ]: USB-Audio - Jabra EVOLVE LINK
                      GN Netcom A/S Jabra EVOLVE LINK at usb-0000:00:14.0-3, full speed
"""


def session(folder: Path) -> dict[str, str]:
    """Return the surroundings of a session without pactl."""
    return {"XDG_RUNTIME_DIR": str(folder), "PATH": str(folder)}


def listening(place: Path) -> socket.socket:
    place.parent.mkdir(exist_ok=True)
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(place))
    server.listen()
    return server


def test_pipewire_is_told_from_pulseaudio_by_what_the_server_says() -> None:
    assert system_from_info(PIPEWIRE).name == "PipeWire 1.0.5"
    assert system_from_info(PIPEWIRE).default == "alsa_output.pci-0000_00_1f.3.analog-stereo"
    assert system_from_info(PULSEAUDIO).name == "PulseAudio 16.1"


def test_pactl_is_asked_where_it_is_there(tmp_path: Path) -> None:
    pactl = tmp_path / "pactl"
    pactl.write_text(f"#!/bin/sh\n/bin/cat <<'END'\n{PIPEWIRE}END\n", encoding="utf-8")
    pactl.chmod(0o755)
    assert find_sound_system(session(tmp_path)).name == "PipeWire 1.0.5"


def test_a_pactl_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pactl = tmp_path / "pactl"
    pactl.write_text("#!/bin/sh\nexec /bin/sleep 60\n", encoding="utf-8")
    pactl.chmod(0o755)
    monkeypatch.setattr("app.sound_system.PATIENCE_S", 0.2)
    assert find_sound_system(session(tmp_path), tmp_path / "no cards").name == ""


def test_without_pactl_the_sockets_tell(tmp_path: Path) -> None:
    with listening(tmp_path / "pulse" / "native"):
        assert find_sound_system(session(tmp_path)).server == "PulseAudio"
        with listening(tmp_path / "pipewire-0"):
            found = find_sound_system(session(tmp_path))
            assert (found.server, found.answers) == ("PipeWire", True)


def test_a_socket_whose_server_was_killed_does_not_answer(tmp_path: Path) -> None:
    listening(tmp_path / "pipewire-0").close()
    found = find_sound_system(session(tmp_path))
    assert (found.server, found.answers) == ("PipeWire", False)
    assert "systemctl --user restart pipewire" in remedy_without_device(found)


def test_a_server_of_one_s_own_is_found_by_its_variable(tmp_path: Path) -> None:
    with listening(tmp_path / "mine"):
        surroundings = session(tmp_path) | {"PULSE_SERVER": f"unix:{tmp_path}/mine"}
        assert find_sound_system(surroundings).server == "PulseAudio"


def test_cards_without_a_server_are_alsa(tmp_path: Path) -> None:
    cards = tmp_path / "cards"
    cards.write_text(CARDS, encoding="utf-8")
    found = find_sound_system(session(tmp_path), cards)
    assert (found.name, found.cards) == ("ALSA", ("HDA Intel PCH", "Jabra EVOLVE LINK"))
    assert cards_from_text("--- no soundcards ---\n") == ()


@pytest.mark.parametrize(
    ("system", "word"),
    [
        (SoundSystem("PipeWire", "1.0.5", True), "pipewire-alsa"),
        (SoundSystem("PulseAudio", "16.1", True), "libasound2-plugins"),
        (SoundSystem("PulseAudio"), "pulseaudio --start"),
        (SoundSystem(cards=("HDA Intel PCH",)), "group audio"),
        (SoundSystem(), "Connect a sound device"),
    ],
)
def test_each_reason_for_silence_has_its_remedy(system: SoundSystem, word: str) -> None:
    assert word in remedy_without_device(system)
