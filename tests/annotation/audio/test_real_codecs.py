"""Every recording that nobody here made opens right, or is refused with its name and the reason."""

import json
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from annotation.audio.cache import AudioCache
from annotation.audio.decoding import AudioRefusedError, float_samples, needs_decoding, open_frames, probe_audio
from annotation.folder_listing import AUDIO_SUFFIXES

Decoder = Callable[..., NDArray[np.float32]]

REFUSED = {
    "106-invalid-streaminfo.flac": "audio-header",
    "52-too-short-block-size.flac": "audio-damaged",
    "adif.aac": "audio-format",
    "alac.m4a": "audio-format",
    "empty.aac": "audio-format",
    "emptyfile.mp3": "audio-empty",
    "has-tags.m4a": "audio-format",
    "ooming-header.flac": "audio-header",
    "stereo.sph": "audio-format",
    "test-44100Hz-le-1ch-4bytes-early-eof-no-data.wav": "audio-header",
    "test-44100Hz-le-1ch-4bytes-incomplete-chunk.wav": "audio-header",
    "test-8000Hz-le-3ch-5S-24bit-inconsistent.wav": "audio-header",
    "test-8000Hz-le-3ch-5S-36bit.wav": "audio-encoding",
    "test-8000Hz-le-3ch-5S-45bit.wav": "audio-encoding",
    "test-8000Hz-le-3ch-5S-53bit.wav": "audio-encoding",
    "test-8000Hz-le-3ch-5S-64bit.wav": "audio-encoding",
    "variable-block.flac": "audio-truncated",
}
"""What is refused, and why."""

SAID = {
    "silence-44-s-v1.mp3": {"encoder-delay-unknown"},
    "silence-44-s.mp3": {"encoder-delay-unknown"},
    "common_voice_en_651325.mp3": {"encoder-delay-unknown"},
    "too-short.mp3": {"encoder-delay-unknown"},
    "vbri.mp3": {"length-differs-from-header", "audio-cut", "encoder-delay-unknown"},
    "xing.mp3": {"audio-cut", "encoder-delay-unknown"},
    "test-44100Hz-le-1ch-4bytes-early-eof.wav": {"audio-shorter-than-header"},
}
"""What is odd about files that are read."""

FRAMES = {
    "silence-44-s.mp3": 164_736,
    "silence-44-s-mpeg25.mp3": 44_217,
    "lame.mp3": 2_717,
    "xing.mp3": 89_856,
    "vbri.mp3": 18_432,
    "empty.ogg": 162_496,
    "example.opus": 545_026,
    "stereo.opus": 48_260,
    "mono_c0.opus": 24_260,
    "test.opus": 387_072,
    "stereo.wav": 8_000,
    "stereo.mp3": 8_000,
    "dev00.wav": 480_001,
    "test-44100Hz-le-1ch-4bytes-early-eof.wav": 236,
}
"""Lengths that headers and other readers disagree on."""

MORE_BY_FFMPEG = {
    "xing.mp3": 1_152,
    "vbri.mp3": 1_152,
    "too-short.mp3": -1_152,
    "empty.ogg": -128,
    "multipagecomment.ogg": -128,
}
"""Frames by which ffmpeg 5.1 differs: it decodes a last frame that is cut, reads no MP3 of one frame, and drops the end
of a short Vorbis, whose last page says 162,496 (as do libvorbis and oggdec)."""

NOT_READ_BY_FFMPEG = {
    "test-44100Hz-2ch-32bit-float-be.wav",
    "test-44100Hz-be-1ch-4bytes.wav",
    "test-8000Hz-be-3ch-5S-24bit.wav",
}
"""RIFX, which ffmpeg 5.1 does not know or reads in the wrong order of bytes."""


def recordings(real: Path) -> list[Path]:
    files = sorted(path for path in real.rglob("*") if path.suffix.lower() in AUDIO_SUFFIXES)
    assert len(files) > 80
    return files


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> AudioCache:
    return AudioCache(tmp_path_factory.mktemp("cache"))


def test_every_file_is_read_or_refused_with_its_name_and_reason(real: Path, cache: AudioCache) -> None:
    refused: dict[str, AudioRefusedError] = {}
    for path in recordings(real):
        try:
            info = probe_audio(path, cache)
        except AudioRefusedError as refusal:
            refused[path.name] = refusal
            continue
        assert {notice.code for notice in info.notices} == SAID.get(path.name, set()), path
        assert all(path.name in notice.where for notice in info.notices)
        assert info.frames == FRAMES.get(path.name, info.frames), path
        assert info.exact == (info.format != "FLAC")
        assert not needs_decoding(path, cache)
    assert {name: refusal.code for name, refusal in refused.items()} == REFUSED
    assert all(name in str(refusal) and len(refusal.what) > 10 for name, refusal in refused.items())


def test_every_sample_is_what_a_second_decoder_gives(real: Path, cache: AudioCache, ffmpeg_decoded: Decoder) -> None:
    compared = 0
    for path in recordings(real):
        if path.name in REFUSED or path.name in NOT_READ_BY_FFMPEG:
            continue
        reader = open_frames(path, cache)
        info = reader.info
        ours = float_samples(reader.read(0, info.frames))
        reader.close()
        # Its own Opus decoder is another one; with libopus it gives 16-bit samples.
        options = ("-c:a", "libopus") if info.subtype == "OPUS" else ()
        theirs = ffmpeg_decoded(path, info.channels, *options)
        assert len(theirs) - len(ours) == MORE_BY_FFMPEG.get(path.name, 0), path
        shared = min(len(ours), len(theirs))
        if info.subtype == "MPEG_LAYER_III":
            assert np.allclose(ours[:shared], theirs[:shared], rtol=0, atol=1e-5), path
        elif info.subtype == "OPUS":
            assert np.allclose(ours[:shared], theirs[:shared], rtol=0, atol=2**-15), path
        elif info.subtype == "VORBIS":
            assert np.allclose(ours[:shared], theirs[:shared], rtol=0, atol=1e-6), path
        else:
            assert np.array_equal(ours[:shared], theirs[:shared]), path
        compared += 1
    assert compared > 70


def big_endian_samples(path: Path) -> NDArray[np.float32]:
    """Return what a RIFX file holds, by a reading of its bytes that shares nothing with ours."""
    content = path.read_bytes()
    at = content.index(b"fmt ")
    tag, channels, _, _, block, bits = struct.unpack(">HHIIHH", content[at + 8 : at + 24])
    start = content.index(b"data", at) + 8
    data = content[start : start + int.from_bytes(content[start - 4 : start], "big")]
    width = block // channels
    words = [data[place : place + width] for place in range(0, len(data), width)]
    if bits == 32 and tag == 3:
        values = [struct.unpack(">f", word)[0] for word in words]
    else:
        values = [int.from_bytes(word, "big", signed=True) / 2 ** (8 * width - 1) for word in words]
    return np.array(values, dtype=np.float32).reshape(-1, channels)


@pytest.mark.parametrize("name", sorted(NOT_READ_BY_FFMPEG))
def test_big_endian_files_are_what_their_bytes_say(real: Path, name: str) -> None:
    path = real / "awkward_wav_scipy" / name
    reader = open_frames(path)
    assert np.array_equal(float_samples(reader.read(0, reader.info.frames)), big_endian_samples(path))
    reader.close()


def test_bits_that_fill_no_byte_are_read_at_their_level(real: Path) -> None:
    for name, bits in (("4ch-9S-12bit", 12), ("5ch-9S-5bit", 5)):
        reader = open_frames(real / "awkward_wav_scipy" / f"test-8000Hz-le-{name}.wav")
        samples = float_samples(reader.read(0, reader.info.frames))
        reader.close()
        # The samples stand in the upper bits: their steps are those of `bits`, and they reach full scale.
        assert np.array_equal(samples * 2 ** (bits - 1), np.round(samples * 2 ** (bits - 1)))
        assert samples.min() == -1.0


READING = """
import json, sys
from pathlib import Path
from annotation.audio.cache import AudioCache
from annotation.corpus import read_corpus
corpus = read_corpus([Path(sys.argv[1])], "multichannel", cache=AudioCache(Path(sys.argv[2])))
# Not getrusage: what a process takes over from the one that started it counts there.
peak = next(int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if line[:5] == "VmHWM")
print(json.dumps([len(corpus.conversations), len(corpus.refused), peak]))
"""


def test_reading_all_of_it_takes_less_than_512_mib(real: Path, tmp_path: Path) -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("this system does not tell the peak memory of a process alone")
    command = [sys.executable, "-c", READING, str(real), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, check=True, timeout=300, cwd=Path(__file__).parents[3])
    conversations, refused, peak_kib = json.loads(done.stdout)
    assert conversations > 80
    assert refused >= len(REFUSED)
    assert peak_kib < 512 * 1024
