"""What another program makes of a sound file: ffmpeg, where it is installed."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray


def run_ffmpeg(*arguments: str) -> bytes:
    """Return what ffmpeg writes to its output; nothing where it gives up."""
    executable = shutil.which("ffmpeg")
    if executable is None:
        pytest.skip("ffmpeg is not installed, so there is no second decoder")
    command = [executable, "-v", "quiet", "-nostdin", "-y", *arguments]
    return subprocess.run(command, capture_output=True, check=False, timeout=120).stdout


@pytest.fixture(scope="session")
def ffmpeg_decoded() -> Callable[..., NDArray[np.float32]]:
    """Return a function of a path, its channels and options for the input, giving float32 ``(n, channels)``."""

    def decoded(path: Path, channels: int, *options: str) -> NDArray[np.float32]:
        raw = run_ffmpeg(*options, "-i", str(path), "-map", "0:a:0", "-f", "f32le", "-c:a", "pcm_f32le", "-")
        samples = np.frombuffer(raw[: len(raw) // 4 * 4], dtype="<f4")
        return samples[: len(samples) // channels * channels].reshape(-1, channels)

    return decoded


@pytest.fixture(scope="session")
def ffmpeg_written() -> Callable[..., Path]:
    """Return a function of a source, a target and options for the output, giving the target."""

    def written(source: Path, target: Path, *options: str) -> Path:
        run_ffmpeg("-i", str(source), *options, str(target))
        assert target.is_file()
        return target

    return written
