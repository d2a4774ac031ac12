"""What a sound server records is what the renderer made: played through PortAudio into a private null sink."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest
from numpy.typing import NDArray

RATE_HZ = 48_000
NUMBERED_FRAMES = 400_000
SCENARIOS = Path(__file__).with_name("played_scenarios.py")
CHECKOUT = Path(__file__).parents[3]

Stereo = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SoundServer:
    """A private server with one null sink, and the surroundings in which it is the only one."""

    process: subprocess.Popen[bytes]
    surroundings: dict[str, str]
    folder: Path
    socket: Path

    def play(self, signals: Path, numbers: Path, *scenarios: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, str(SCENARIOS), str(signals), str(numbers), *scenarios],
            env=self.surroundings,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def record(self, signals: Path, numbers: Path, *scenarios: str) -> tuple[dict[str, Any], Stereo]:
        """Return what scenarios said and what the sink was given meanwhile, ``(n, 2)``."""
        path = self.folder / "recording.f32"
        with path.open("wb") as file:
            recorder = self.recorder(path, file)
            try:
                out, errors = self.play(signals, numbers, *scenarios).communicate(timeout=60)
            finally:
                recorder.terminate()
                recorder.wait()
        assert out, errors
        return json.loads(out.splitlines()[-1]), recorded(path)

    def recorder(self, path: Path, file: BinaryIO) -> subprocess.Popen[bytes]:
        """Record what the sink is given from now on, until it is ended."""
        # The latency asked for is what makes the null sink take small blocks: otherwise it sleeps for 2 s at a time.
        command = f"parec -d nullsink.monitor --latency-msec=10 --rate={RATE_HZ} --channels=2 --format=float32le --raw"
        recorder = subprocess.Popen(
            command.split(),
            env=self.surroundings | {"PULSE_SERVER": f"unix:{self.socket}"},
            stdout=file,
            stderr=subprocess.DEVNULL,
        )
        while path.stat().st_size == 0:
            assert ended(recorder, 0.02) is None, "the recorder ended"
        return recorder


@dataclass(frozen=True, slots=True)
class Heard:
    """What one scenario said, and its stretch of the recording, ``(n, 2)``."""

    said: dict[str, Any]
    recording: Stereo

    @property
    def sounding(self) -> Stereo:
        """The frames that are not silent: the signals have no silent frame of their own."""
        return self.recording[np.any(self.recording != 0, axis=1)]


def recorded(path: Path) -> Stereo:
    """Return a recording, ``(n, 2)``, the part of a frame at its end left out."""
    data = path.read_bytes()
    return np.frombuffer(data[: len(data) // 8 * 8], np.float32).reshape(-1, 2)


def ended(process: subprocess.Popen[Any], timeout_s: float) -> int | None:
    with suppress(subprocess.TimeoutExpired):
        return process.wait(timeout_s)
    return None


def start_server(folder: Path, socket: str = "native") -> SoundServer:
    for command in ("pulseaudio", "pactl", "parec"):
        if shutil.which(command) is None:
            pytest.skip(f"{command} is not installed (Debian: pulseaudio pulseaudio-utils libasound2-plugins)")
    folder.chmod(0o700)
    settings = folder / "asound.conf"
    settings.write_text("</usr/share/alsa/alsa.conf>\npcm.!default { type pulse }\nctl.!default { type pulse }\n")
    home = str(folder)
    surroundings = os.environ | {
        "XDG_RUNTIME_DIR": home,
        "PULSE_RUNTIME_PATH": home,
        "PULSE_STATE_PATH": home,
        "PULSE_SERVER": f"unix:{home}/native",
        "PULSE_COOKIE": f"{home}/cookie",
        "PULSE_SINK": "nullsink",
        "ALSA_CONFIG_PATH": str(settings),
        "PYTHONPATH": str(CHECKOUT),
        "QT_QPA_PLATFORM": "offscreen",
    }
    sink = f"module-null-sink sink_name=nullsink rate={RATE_HZ} channels=2 format=float32le"
    process = subprocess.Popen(
        [
            *("pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--disable-shm=yes", "--use-pid-file=no"),
            f"--load=module-native-protocol-unix socket={home}/{socket} auth-anonymous=1",
            f"--load={sink}",
        ],
        env=surroundings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    asking = surroundings | {"PULSE_SERVER": f"unix:{home}/{socket}"}
    while subprocess.run(["pactl", "info"], env=asking, capture_output=True, check=False).returncode != 0:
        if ended(process, 0.05) is not None:
            pytest.skip("pulseaudio does not start here")
    return SoundServer(process, surroundings, folder, folder / socket)


@pytest.fixture(scope="module")
def clicks() -> NDArray[np.float32]:
    """Return five channels of clicks over a murmur, ``(5, n)``.

    All levels are multiples of 2⁻¹², so that sums are exact in float32 in any order, and no frame is silent.
    """
    generator = np.random.default_rng(5)
    frames = 57_600
    signals = generator.integers(1, 64, (5, frames)) / 4096
    for channel in range(5):
        signals[channel, generator.integers(0, frames, 35)] = 0.25 + channel / 64
    signals[:, -960:] += 64 / 4096
    return signals.astype(np.float32)


@pytest.fixture(scope="module")
def clicks_file(clicks: NDArray[np.float32], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("signals") / "clicks.npy"
    np.save(path, clicks)
    return path


@pytest.fixture(scope="module")
def numbers_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a first channel in which each frame's level is its number, from 1, in units of 2⁻²²."""
    path = tmp_path_factory.mktemp("signals") / "numbers.npy"
    counted = np.zeros((5, NUMBERED_FRAMES), np.float32)
    counted[0] = np.arange(1, NUMBERED_FRAMES + 1) / 2**22
    np.save(path, counted)
    return path


def frames_heard(sounding: Stereo) -> NDArray[np.int64]:
    """Return the frame numbers that a recording of the numbers holds, in the order heard."""
    return np.rint(sounding[:, 0].astype(np.float64) * 2**22).astype(np.int64) - 1


@pytest.fixture(scope="module")
def played(clicks_file: Path, numbers_file: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Heard]:
    """Play all scenarios in one process and part the recording at the markers between them."""
    names = ("mix", "loop", "solo", "pauses", "seeks")
    server = start_server(tmp_path_factory.mktemp("pulse"))
    try:
        said, recording = server.record(clicks_file, numbers_file, *names)
    finally:
        server.process.terminate()
        server.process.wait()
    return parted(said, recording, names)


def parted(said: dict[str, Any], recording: Stereo, names: tuple[str, ...]) -> dict[str, Heard]:
    """Part a recording at the markers that end its scenarios."""
    marked = np.flatnonzero(recording[:, 0] < 0)
    starts = marked[np.diff(marked, prepend=-RATE_HZ) > 1]
    ends = marked[np.diff(marked, append=len(recording) + RATE_HZ) > 1] + 1
    assert len(starts) == len(names)
    stretches = zip([0, *ends[:-1]], starts, strict=True)
    return {
        name: Heard(said[name], recording[first:last]) for name, (first, last) in zip(names, stretches, strict=True)
    }


def folded(signals: NDArray[np.float32]) -> Stereo:
    """Return the mix of five channels, computed at once and in double precision."""
    weights = np.array([[4, 3, 2, 1, 0], [0, 1, 2, 3, 4]]) / 4
    mixed: Stereo = (weights @ signals.astype(np.float64)).T.astype(np.float32)
    return mixed


def test_a_mix_of_five_channels_is_played_bit_by_bit(played: dict[str, Heard], clicks: NDArray[np.float32]) -> None:
    assert np.array_equal(played["mix"].sounding, folded(clicks))
    assert played["mix"].said["faults"] == []


def test_the_last_20_ms_are_heard_and_the_position_rests_at_the_end(
    played: dict[str, Heard], clicks: NDArray[np.float32]
) -> None:
    assert np.array_equal(played["mix"].sounding[-960:], folded(clicks)[-960:])
    assert played["mix"].said["position"] == clicks.shape[1]


def test_the_seam_of_a_loop_is_played_exactly(played: dict[str, Heard], clicks: NDArray[np.float32]) -> None:
    once = folded(clicks)[4_800:14_401]
    heard = played["loop"].sounding
    passes = len(heard) // len(once)
    assert passes >= 4
    assert np.array_equal(heard, np.tile(once, (passes, 1)))
    assert played["loop"].said["position"] == 14_401


def test_solo_silences_the_other_channels_while_playing(played: dict[str, Heard], clicks: NDArray[np.float32]) -> None:
    alone = clicks.copy()
    alone[[0, 2, 3, 4]] = 0
    full, second = folded(clicks), folded(alone)
    said, heard = played["solo"].said, played["solo"].sounding
    assert len(heard) == len(full)
    changed = int(np.argmax(np.any(heard != full, axis=1)))
    fade = RATE_HZ * 5 // 1000
    assert np.array_equal(heard[changed + fade :], second[changed + fade :])
    assert said["ordered_at"] < changed <= said["ordered_at"] + said["latency"] + RATE_HZ // 4


def test_pausing_and_resuming_plays_every_frame_once(played: dict[str, Heard], clicks: NDArray[np.float32]) -> None:
    assert np.array_equal(played["pauses"].sounding, folded(clicks))


def test_a_pause_rests_where_the_sound_stopped(played: dict[str, Heard]) -> None:
    silent = ~np.any(played["pauses"].recording != 0, axis=1)
    falls_silent = np.flatnonzero(np.diff(silent.astype(np.int8)) == 1)
    stops = {int(frame) for frame in np.cumsum(~silent)[falls_silent]}
    assert len(played["pauses"].said["rests"]) == 3
    assert set(played["pauses"].said["rests"]) <= stops


def test_seeks_while_playing_land_exactly(played: dict[str, Heard]) -> None:
    numbers = frames_heard(played["seeks"].sounding)
    landings = [int(numbers[0]), *(int(frame) for frame in numbers[1:][np.diff(numbers) != 1])]
    assert len(landings) == 30
    assert landings == played["seeks"].said["targets"]


def test_a_sound_server_that_dies_pauses_with_a_sentence_and_keeps_the_position(
    clicks_file: Path, tmp_path: Path
) -> None:
    server = start_server(tmp_path)
    playing = server.play(clicks_file, clicks_file, "lost")
    assert playing.stdout is not None
    try:
        assert playing.stdout.readline() == "playing\n"
    finally:
        server.process.kill()
        server.process.wait()
    out, errors = playing.communicate(timeout=30)
    assert out, errors
    said = json.loads(out.splitlines()[-1])["lost"]
    assert "was lost" in said["faults"][0]
    assert 4_800 <= said["position"] < 57_600


def test_when_the_sound_server_is_started_again_playing_goes_on_and_no_frame_is_lost(
    numbers_file: Path, tmp_path: Path
) -> None:
    before, after = tmp_path / "before.f32", tmp_path / "after.f32"
    with before.open("wb") as first, after.open("wb") as second:
        server = start_server(tmp_path)
        started = [server.process, server.recorder(before, first)]
        playing = server.play(numbers_file, numbers_file, "returns")
        assert playing.stdout is not None
        try:
            assert playing.stdout.readline() == "playing\n"
            server.process.kill()
            server.process.wait()
            assert playing.stdout.readline() == "lost\n"
            # The new server is there for the player only once its sink is recorded.
            again = start_server(tmp_path, "native-again")
            started += [again.process, again.recorder(after, second)]
            server.socket.unlink()
            server.socket.symlink_to(again.socket)
            out, errors = playing.communicate(timeout=40)
        finally:
            for process in started:
                process.kill()
                process.wait()
    assert out, errors
    said = json.loads(out.splitlines()[-1])["returns"]
    heard_before = frames_heard(Heard({}, recorded(before)).sounding)
    heard_after = frames_heard(Heard({}, recorded(after)).sounding)
    # What a busy computer's recorder drops in the midst of a recording is not looked at here.
    assert np.array_equal(heard_after[:2400], np.arange(said["kept"], said["kept"] + 2400))
    assert (np.diff(heard_after) > 0).all()
    assert heard_after[-1] == NUMBERED_FRAMES - 1
    assert (np.diff(heard_before) > 0).all()
    assert said["kept"] - heard_before[-1] <= said["latency_then"]
    assert said["position"] == NUMBERED_FRAMES
    assert "was lost" in said["faults"][0]
    assert [text.endswith("playing goes on.") for text in said["back"]] == [True]


def test_a_chosen_device_that_is_missing_is_said_and_the_default_plays(clicks_file: Path, tmp_path: Path) -> None:
    server = start_server(tmp_path)
    try:
        out, errors = server.play(clicks_file, clicks_file, "missing").communicate(timeout=30)
    finally:
        server.process.terminate()
        server.process.wait()
    assert out, errors
    said = json.loads(out.splitlines()[-1])["missing"]
    assert "“Nowhere” is not there" in said["faults"][0]
    assert said["output"] == said["names"][0]
