"""Whatever bytes stand in a file, opening it ends soon, within bounds of memory, with sound or a reason."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]

ROOT = Path(__file__).parents[3]
ROUNDS = 60
MOST_KIB = 200 * 1024

FORMATS = (
    ("a.wav", "WAV", "PCM_16"),
    ("b.wav", "WAV", "FLOAT"),
    ("c.wav", "WAVEX", "PCM_24"),
    ("d.wav", "RF64", "PCM_16"),
    ("e.wav", "WAV", "ULAW"),
    ("a.aif", "AIFF", "PCM_16"),
    ("b.aif", "AIFF", "FLOAT"),
    ("a.flac", "FLAC", "PCM_16"),
    ("b.flac", "FLAC", "PCM_24"),
    ("a.mp3", "MP3", "MPEG_LAYER_III"),
    ("a.ogg", "OGG", "VORBIS"),
    ("a.opus", "OGG", "OPUS"),
)

# Runs apart, so that a decoder that crashes or takes all memory is seen as such. Pages of an Ogg get their checksum
# again, since otherwise nothing that was changed would reach the decoder.
OPENING = """
import json, random, resource, sys
from pathlib import Path
from annotation.audio.decoding import AudioRefusedError, open_frames
from annotation.audio.ogg import ogg_checksum

def with_checksums(content):
    place = content.find(b"OggS")
    while 0 <= place <= len(content) - 27:
        end = place + 27 + content[place + 26] + sum(content[place + 27 : place + 27 + content[place + 26]])
        content[place + 22 : place + 26] = bytes(4)
        content[place + 22 : place + 26] = ogg_checksum(bytes(content[place:end])).to_bytes(4, "little")
        place = content.find(b"OggS", place + 4)

def damaged(content, chance):
    content = bytearray(content)
    if chance.random() < 0.25:
        return content[: chance.randrange(len(content))]
    reach = chance.choice((64, 400, len(content)))
    for _ in range(chance.choice((1, 2, 8, 30))):
        content[chance.randrange(min(reach, len(content)))] = chance.randrange(256)
    if content[:4] == b"OggS" and chance.random() < 0.5:
        with_checksums(content)
    return content

resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
outcomes = {}
for name in sys.argv[3:]:
    source = Path(name)
    path = Path(sys.argv[1]) / ("damaged" + source.suffix)
    for seed in range(int(sys.argv[2])):
        path.write_bytes(damaged(source.read_bytes(), random.Random(seed)))
        try:
            reader = open_frames(path)
        except AudioRefusedError as refusal:
            assert path.name in str(refusal), refusal
            outcomes[refusal.code] = outcomes.get(refusal.code, 0) + 1
            continue
        try:
            for first in range(0, min(reader.info.frames, 1 << 20), 1 << 16):
                reader.read(first, min(1 << 16, reader.info.frames - first))
            outcomes["read"] = outcomes.get("read", 0) + 1
        except AudioRefusedError as refusal:
            assert path.name in str(refusal), refusal
        finally:
            reader.close()
# Not getrusage: what a process takes over from the one that started it counts there.
status = Path("/proc/self/status").read_text().splitlines()
peak_kib = next(int(line.split()[1]) for line in status if line[:5] == "VmHWM")
print(json.dumps([outcomes, peak_kib]))
"""


def outcomes_of(files: list[Path], folder: Path, rounds: int = ROUNDS) -> dict[str, int]:
    """Return how often opening damaged copies ended in what way."""
    if not Path("/proc/self/status").exists():
        pytest.skip("this system does not tell the peak memory of a process alone")
    command = [sys.executable, "-c", OPENING, str(folder), str(rounds), *map(str, files)]
    done = subprocess.run(command, capture_output=True, check=False, timeout=300, cwd=ROOT)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]
    outcomes, peak_kib = json.loads(done.stdout)
    assert peak_kib < MOST_KIB
    found: dict[str, int] = outcomes
    return found


@pytest.mark.parametrize(("name", "container", "subtype"), FORMATS)
def test_damaged_bytes_are_read_or_refused(tmp_path: Path, name: str, container: str, subtype: str) -> None:
    noise = (np.random.default_rng(6).normal(size=(1500, 2)) * 0.1).astype(np.float32)
    soundfile.write(tmp_path / name, noise, 16_000, format=container, subtype=subtype)
    outcomes = outcomes_of([tmp_path / name], tmp_path)
    assert {"read", "audio-header", "audio-damaged", "audio-truncated"} & set(outcomes)


def test_damaged_copies_of_real_files_are_read_or_refused(real: Path, tmp_path: Path) -> None:
    files = [path for folder in real.glob("awkward_*") for path in folder.iterdir() if path.suffix != ".md"]
    small = sorted(path for path in files if 0 < path.stat().st_size < 20_000)
    assert len(small) > 25
    outcomes = outcomes_of(small, tmp_path, rounds=25)
    assert outcomes["read"] > 100


@pytest.mark.parametrize("stated", [1, 2**31, 2**36 - 1])
def test_a_length_in_a_header_is_never_allocated(tmp_path: Path, stated: int) -> None:
    noise = (np.random.default_rng(6).normal(size=1500) * 0.1).astype(np.float32)
    soundfile.write(tmp_path / "a.flac", noise, 16_000)
    content = bytearray((tmp_path / "a.flac").read_bytes())
    content[21] = content[21] & 0xF0 | stated >> 32
    content[22:26] = (stated & 0xFFFFFFFF).to_bytes(4, "big")
    (tmp_path / "a.flac").write_bytes(content)
    outcomes_of([tmp_path / "a.flac"], tmp_path, rounds=3)
