"""Row 16: half speed with the pitch kept, five channels jointly, beside signalsmith-stretch.

Both are given the same half minute of five voices at once. Equal is: as many frames come out, channels that were the
same stay the same to the last bit (as long as ours has it), and a tone keeps its pitch on both sides.
"""

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.audio.stretch import stretched
from benchmarks.comparison import Result, alternated

CHANNELS = 5
SPEED = 0.5
DURATION_S = 30
TONE_HZ = 440.0
PITCH_TOLERANCE = 0.01

Sound = NDArray[np.float32]


def run() -> Result:
    """Return how long both take at 48 kHz."""
    return _case(48_000, goal=10.0)


def run_full() -> tuple[Result, ...]:
    """Return how long both take at 48 kHz, and at the rates of speech corpora and telephones.

    The goal is that of the table at 48 kHz. At lower rates the peer has less to do, while ours makes as many cuts a
    second at any rate: there it must not be slower.
    """
    return run(), _case(16_000, goal=1.0), _case(8_000, goal=1.0)


def _case(rate_hz: int, *, goal: float) -> Result:
    channels = voices(CHANNELS, DURATION_S * rate_hz, rate_hz)
    # Each side has its samples as it keeps them: the peer channel by channel, ours frame by frame.
    frames = np.ascontiguousarray(channels.T)
    theirs = peer(CHANNELS, rate_hz)
    times = alternated(lambda: theirs(channels), lambda: stretched(frames, rate_hz=rate_hz, speed=SPEED), rounds=5)
    problems = _differences(theirs, rate_hz)
    return Result(
        row=16,
        work=f"{DURATION_S} s of {CHANNELS} channels at {rate_hz} Hz, {SPEED} times as fast",
        peer="signalsmith-stretch (python-stretch)",
        peer_version=version("python-stretch"),
        peer_s=times.peer,
        ours_s=times.ours,
        goal=goal,
        equal=not problems,
        equality="; ".join(problems)
        or "both give twice the frames, keep a tone within 1 %, and ours keeps channels together to the last bit",
        details={
            "peer_times_real_time": DURATION_S / SPEED / times.peer,
            "ours_times_real_time": DURATION_S / SPEED / times.ours,
        },
    )


def peer(channels: int, rate_hz: int) -> Callable[[Sound], Sound]:
    """Return signalsmith-stretch at its default quality, set up for one speed."""
    # Imported here: it belongs to the extra "bench" and not to the application.
    from python_stretch import Signalsmith  # type: ignore[import-not-found, import-untyped, unused-ignore]

    engine: Any = Signalsmith.Stretch()
    engine.preset(channels, float(rate_hz))
    engine.setTimeFactor(SPEED)

    def stretch(sound: Sound) -> Sound:
        engine.reset()
        out: Sound = engine.process(sound)
        return out

    return stretch


def voices(count: int, frames: int, rate_hz: int) -> Sound:
    """Return channels with a breathing hum and its overtones each, above a murmur: ``(count, frames)``."""
    generator = np.random.default_rng(16)
    seconds = np.arange(frames) / rate_hz
    sound = 0.003 * generator.standard_normal((count, frames))
    for number in range(count):
        pitch_hz = 95.0 + 31.0 * number + 6.0 * np.sin(2 * np.pi * 0.7 * seconds + number)
        phase = 2 * np.pi * np.cumsum(pitch_hz) / rate_hz
        voice = sum((np.sin(overtone * phase) / overtone for overtone in range(1, 9)), np.zeros(frames))
        sound[number] += 0.1 * voice * (np.sin(2 * np.pi * 0.4 * seconds + 1.3 * number) > 0)
    out: Sound = sound.astype(np.float32)
    return out


def _differences(theirs: Callable[[Sound], Sound], rate_hz: int) -> list[str]:
    """Return what one side does otherwise than it should, in words."""
    frames = 4 * rate_hz
    tone = np.sin(2 * np.pi * TONE_HZ * np.arange(frames) / rate_hz)
    same = np.tile(tone.astype(np.float32), (CHANNELS, 1))
    ours, other = stretched(same.T, rate_hz=rate_hz, speed=SPEED).T, theirs(same)
    problems = []
    if not ours.shape == other.shape == (CHANNELS, round(frames / SPEED)):
        problems.append(f"shapes {ours.shape} and {other.shape}")
    for name, sound in (("ours", ours), ("the peer", other)):
        heard_hz = _pitch_hz(sound[0], rate_hz)
        if abs(heard_hz / TONE_HZ - 1) > PITCH_TOLERANCE:
            problems.append(f"{name} turns {TONE_HZ} Hz into {heard_hz:.2f} Hz")
    if np.any(ours != ours[0]):
        problems.append("ours tears channels apart")
    return problems


def _pitch_hz(sound: Sound, rate_hz: int) -> float:
    spectrum = np.abs(np.fft.rfft(sound * np.hanning(len(sound))))
    return float(np.argmax(spectrum) * rate_hz / len(sound))
