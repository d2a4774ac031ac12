"""Row 5: where there is speech on five channels, on one thread.

The peer runs the same model file in onnxruntime as it is meant to be streamed, chunk after chunk, from samples that are
read whole. Ours goes from the files to spans with nothing in the cache. The speech is that of the demo conversation,
again and again at changing level, with noise below it. Everything runs in a process of its own whose matrix products
keep to one thread, which has to be said before numpy is loaded.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from time import process_time

import numpy as np
import soundfile  # type: ignore[import-untyped]
from numpy.typing import NDArray

from annotation.audio.cache import AudioCache
from annotation.audio.silero import CHUNK_SAMPLES, SAMPLE_RATE_HZ, SileroStream
from annotation.audio.speech_activity import SpeechActivity, speech_activities
from annotation.cancellation import CancelToken, no_progress
from annotation.conversation import Channel
from benchmarks.comparison import Result, alternated

CHANNELS = 5
MINUTES, ROUNDS = 5, 3
FULL_MINUTES, FULL_ROUNDS = 60, 1
CHECKOUT = Path(__file__).parents[1]
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Seconds of both sides, also of the processor; the largest difference; how many decisions at 0.5 differ."""

    peer_s: float
    ours_s: float
    peer_cpu_s: float
    ours_cpu_s: float
    difference: float
    flips: int
    decisions: int
    spans: int


def run() -> Result:
    """Measure five channels of five minutes, and one of them alone."""
    return _measured(MINUTES, ROUNDS)


def run_full() -> tuple[Result, ...]:
    """Measure those, and five channels of an hour."""
    return run(), _measured(FULL_MINUTES, FULL_ROUNDS)


def _measured(minutes: int, rounds: int) -> Result:
    import onnxruntime  # type: ignore[import-untyped]

    command = [sys.executable, "-m", "benchmarks.speech_activity", str(minutes), str(rounds)]
    environment = {**os.environ, **ONE_THREAD}
    done = subprocess.run(command, cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    together, alone = (_Comparison(**figures) for figures in json.loads(done.stdout))
    return Result(
        row=5,
        work=f"speech activity of {CHANNELS} channels × {minutes} min, one thread",
        peer="silero-vad 6.2.3’s model file streamed in onnxruntime",
        peer_version=onnxruntime.__version__,
        peer_s=together.peer_s,
        ours_s=together.ours_s,
        goal=7,
        equal=max(together.flips, alone.flips) == 0 and max(together.difference, alone.difference) < 1e-4,
        equality=f"{together.flips} of {together.decisions:,} decisions differ, probabilities by at most "
        f"{together.difference:.2g}",
        details={
            "real_time_factor": together.ours_s / (CHANNELS * minutes * 60),
            "spans": together.spans,
            "processor_time_ratio": together.peer_cpu_s / together.ours_cpu_s,
            "one_channel_alone_ratio": alone.peer_s / alone.ours_s,
        },
    )


def _recorded(folder: Path, minutes: int) -> tuple[Channel, ...]:
    """Write one file a channel, minute by minute."""
    random = np.random.default_rng(5)
    names = sorted(entry.name for entry in (files("resources") / "demo").iterdir() if entry.name.endswith(".flac"))
    speech = [soundfile.read(str(files("resources") / "demo" / name), dtype="float32")[0] for name in names]
    channels = []
    for number in range(CHANNELS):
        path = folder / f"{number}.wav"
        with soundfile.SoundFile(path, "w", SAMPLE_RATE_HZ, 1, "PCM_16") as file:
            for _ in range(minutes):
                said = np.roll(speech[number % len(speech)], int(random.integers(1 << 20)))[: 60 * SAMPLE_RATE_HZ]
                noise = random.standard_normal(len(said), dtype=np.float32)
                file.write(np.clip(said * random.uniform(0.1, 1.5) + noise * random.uniform(0, 0.01), -1, 1))
        channels.append(Channel(f"speaker {number}", path, 0, SAMPLE_RATE_HZ, minutes * 60 * SAMPLE_RATE_HZ))
    return tuple(channels)


def _peer(channels: Sequence[Channel]) -> list[NDArray[np.float32]]:
    probabilities = []
    stream = SileroStream()
    for channel in channels:
        samples = soundfile.read(channel.path, dtype="float32")[0]
        chunks = samples[: len(samples) // CHUNK_SAMPLES * CHUNK_SAMPLES].reshape(-1, CHUNK_SAMPLES)
        stream.reset()
        probabilities.append(np.array([stream.probability(chunk) for chunk in chunks], dtype=np.float32))
    return probabilities


def _ours(channels: Sequence[Channel]) -> list[SpeechActivity]:
    with tempfile.TemporaryDirectory(prefix="floorscope-benchmark-") as place:
        outcomes = speech_activities(channels, SAMPLE_RATE_HZ, AudioCache(Path(place)), CancelToken(), no_progress)
    return [outcome for outcome in outcomes if isinstance(outcome, SpeechActivity)]


def _compared(channels: Sequence[Channel], rounds: int) -> _Comparison:
    times = alternated(lambda: _peer(channels), lambda: _ours(channels), rounds=rounds)
    started = process_time()
    found = _ours(channels)
    between = process_time()
    reference = np.concatenate(_peer(channels))
    ended = process_time()
    ours = np.concatenate([activity.probabilities for activity in found])
    return _Comparison(
        peer_s=times.peer,
        ours_s=times.ours,
        peer_cpu_s=ended - between,
        ours_cpu_s=between - started,
        difference=float(np.abs(ours - reference).max()),
        flips=int(np.count_nonzero((ours >= 0.5) != (reference >= 0.5))),
        decisions=len(reference),
        spans=sum(len(activity.onsets) for activity in found),
    )


def _print_comparisons(minutes: int, rounds: int) -> None:
    """Print all channels together and the first alone, as JSON, from the process with one thread."""
    with tempfile.TemporaryDirectory(prefix="floorscope-benchmark-") as place:
        channels = _recorded(Path(place), minutes)
        comparisons = (_compared(channels, rounds), _compared(channels[:1], rounds))
    fields = _Comparison.__slots__
    print(json.dumps([{name: getattr(each, name) for name in fields} for each in comparisons]))


if __name__ == "__main__":
    _print_comparisons(*map(int, sys.argv[1:]))
