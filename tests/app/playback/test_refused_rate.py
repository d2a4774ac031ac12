"""A real device that refuses a rate: JACK runs at one rate, and PortAudio refuses every other there."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SCRIPT = Path(__file__).with_name("play_at_other_rate.py")
CHECKOUT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def jack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Start a JACK server at 48 kHz without hardware; return the surroundings in which it is the only sound system."""
    if shutil.which("jackd") is None:
        pytest.skip("jackd is not installed (Debian: jackd2)")
    folder = tmp_path_factory.mktemp("jack")
    settings = folder / "asound.conf"
    settings.write_text("</usr/share/alsa/alsa.conf>\n", encoding="utf-8")
    surroundings = os.environ | {
        "XDG_RUNTIME_DIR": str(folder),
        "JACK_DEFAULT_SERVER": f"floorscope-{os.getpid()}",
        "JACK_NO_AUDIO_RESERVATION": "1",
        "JACK_NO_START_SERVER": "1",
        "ALSA_CONFIG_PATH": str(settings),
        "PYTHONPATH": str(CHECKOUT),
        "QT_QPA_PLATFORM": "offscreen",
    }
    command = f"jackd --no-realtime --no-mlock -n {surroundings['JACK_DEFAULT_SERVER']} -d dummy -r 48000 -p 1024"
    server = subprocess.Popen(command.split(), env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with suppress(subprocess.TimeoutExpired):
        server.wait(2.0)
        pytest.skip("jackd does not start here")
    yield surroundings
    server.terminate()
    server.wait()


def play(surroundings: dict[str, str], rate_hz: int) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(rate_hz)],
        env=surroundings,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout, done.stderr
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if said["device"] in ("", "no sound"):
        pytest.skip(f"PortAudio reaches no JACK device here: {said['faults']}")
    assert said["faults"] == []
    return said


@pytest.mark.parametrize("rate_hz", [44_100, 16_000])
def test_a_rate_that_the_device_refuses_is_played_to_the_end_with_a_cursor_that_keeps_time(
    jack: dict[str, str], rate_hz: int
) -> None:
    said = play(jack, rate_hz)
    assert said["end"] == rate_hz * 3 // 2
    assert said["latency"] > 0.1 * rate_hz
    times, frames = np.array(said["seen"]).T
    assert (np.diff(frames) >= 0).all()
    moving = (frames > 0.2 * rate_hz) & (frames < 1.4 * rate_hz)
    drift_s = times[moving] - frames[moving] / rate_hz
    assert float(np.subtract(*np.percentile(drift_s, [90, 10]))) < 0.02


def test_the_rate_of_the_device_is_not_converted(jack: dict[str, str]) -> None:
    assert play(jack, 48_000)["latency"] < 0.1 * 48_000
