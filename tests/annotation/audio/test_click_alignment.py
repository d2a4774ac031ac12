"""What is drawn, stored and heard is the same place, to the end of a long recording and across rates."""

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]

from annotation.audio.cache import AudioCache
from annotation.audio.decoding import probe_audio
from annotation.audio.mixing import Mixer
from annotation.audio.peaks import build_pyramid
from annotation.audio.signal import open_signal, prepare_signal
from annotation.audio.waveform import ChannelWaveform, open_waveform
from annotation.cancellation import CancelToken, no_progress
from annotation.conversation import Channel
from annotation.timebase import frame_from_seconds, timeline_frame_of_sample

MINUTES = 30
CLICK = np.int16(30000)


@dataclass(frozen=True)
class Level:
    gain_db: float = 0.0
    pan: float = -1.0
    muted: bool = False
    solo: bool = False


def clicks_written(path: Path, rate_hz: int, samples: list[int], frames: int, start_frame: int = 0) -> Channel:
    """Write a WAV with one loud sample at each place; the silence between takes no room on disk."""
    data_bytes = 2 * frames
    header = struct.pack("<4sI8sIHHIIHH", b"RIFF", 36 + data_bytes, b"WAVEfmt ", 16, 1, 1, rate_hz, 2 * rate_hz, 2, 16)
    with path.open("wb") as file:
        file.write(header + struct.pack("<4sI", b"data", data_bytes))
        for sample in samples:
            file.seek(44 + 2 * sample)
            file.write(CLICK.tobytes())
        file.truncate(44 + data_bytes)
    return Channel(path.stem, path, 0, rate_hz, frames, start_frame)


def drawn_at(waveform: ChannelWaveform, onset: int, offset: int) -> int:
    """Return the frame at which the loudest column begins, zooming in until a column is one frame."""
    while True:
        width = max(1, (offset - onset) // 1900)
        edges = np.arange(onset, offset + width, width, dtype=np.int64)
        _, largest = waveform.columns(edges)
        loudest = int(np.nanargmax(largest))
        if width == 1:
            return int(edges[loudest])
        # A bin on an edge may show one column early or late.
        onset, offset = int(edges[max(0, loudest - 1)]), int(edges[loudest]) + 2 * width


@pytest.mark.parametrize("minute", range(1, MINUTES))
def test_a_click_each_minute_is_drawn_stored_and_heard_at_one_place(
    half_hour: Channel, half_hour_cache: AudioCache, minute: int
) -> None:
    stored = frame_from_seconds(60 * minute, 8000)
    waveform = open_waveform(half_hour, 8000, half_hour_cache, CancelToken())
    mixer = Mixer([open_signal(half_hour, 8000, half_hour_cache)])
    assert not waveform.provisional
    around = 8000 * 29
    assert drawn_at(waveform, stored - around, stored + around) == stored
    heard = mixer.render(stored - 4000, 8000, [Level()])[:, 0]
    assert stored - 4000 + int(np.argmax(heard)) == stored
    if half_hour.speaker == "half_hour":
        assert heard[4000] == np.float32(CLICK) / np.float32(32768)
    waveform.close()
    mixer.close()


def test_at_full_view_each_click_shows_in_the_column_of_its_frame_and_only_next_to_it(
    half_hour: Channel, half_hour_cache: AudioCache
) -> None:
    edges = np.linspace(0, half_hour.frames, 1901).astype(np.int64)
    waveform = open_waveform(half_hour, 8000, half_hour_cache, CancelToken())
    _, largest = waveform.columns(edges)
    waveform.close()
    expected = {int(np.searchsorted(edges, 8000 * 60 * minute, side="right")) - 1 for minute in range(1, MINUTES)}
    # A lossy codec takes some of a click’s height and spreads it about, but not far.
    shown = set(np.flatnonzero(largest > 0.7).tolist())
    assert expected <= shown
    assert shown <= {column + step for column in expected for step in (-1, 0, 1)}


def compressed_clicks_written(path: Path) -> Channel:
    """Write half an hour of two channels at 8 kHz with a click each minute, a second at a time."""
    second = np.zeros((8000, 2), dtype=np.float32)
    click = second.copy()
    click[0] = 0.95
    with soundfile.SoundFile(path, "w", 8000, 2) as file:
        for number in range(60 * MINUTES):
            file.write(click if number and number % 60 == 0 else second)
    return Channel(f"{path.stem}_{path.suffix[1:]}", path, 1, 8000, 8000 * 60 * MINUTES)


@pytest.fixture(scope="module", params=["wav", "mp3", "ogg"])
def half_hour(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Channel:
    path = tmp_path_factory.mktemp("clicks") / f"half_hour.{request.param}"
    if request.param != "wav":
        return compressed_clicks_written(path)
    return clicks_written(path, 8000, [8000 * 60 * minute for minute in range(1, MINUTES)], 8000 * 60 * MINUTES)


@pytest.fixture(scope="module")
def half_hour_cache(half_hour: Channel) -> AudioCache:
    assert half_hour.path is not None
    cache = AudioCache(half_hour.path.parent / "cache")
    assert probe_audio(half_hour.path, cache).frames == half_hour.frames
    build_pyramid(half_hour.path, cache, CancelToken(), no_progress)
    return cache


RATES_HZ = (8000, 16000, 44100, 48000, 16000)
STARTS = (0, 480, 4800, 7, 48000)
"""Where the five channels start on their timeline of 48 kHz."""
SECONDS = 400


@pytest.fixture(scope="module")
def mixed_rates(tmp_path_factory: pytest.TempPathFactory) -> tuple[tuple[Channel, ...], list[int]]:
    """Return five channels at mixed rates, and the timeline frames at which all of them click."""
    folder = tmp_path_factory.mktemp("mixed_rates")
    meant = [48_000 * second for second in range(2, SECONDS - 2, 36)]
    channels = []
    for number, (rate_hz, start) in enumerate(zip(RATES_HZ, STARTS, strict=True)):
        samples = [round((frame - start) * rate_hz / 48_000) for frame in meant]
        channels.append(clicks_written(folder / f"{number}.wav", rate_hz, samples, SECONDS * rate_hz, start))
    return tuple(channels), meant


def place_of_click(channel: Channel, frame: int) -> int:
    """Return the timeline frame of the sample that clicks nearest to `frame`, by the rule of the timebase."""
    sample = round((frame - channel.start_frame) * channel.rate_hz / 48_000)
    return timeline_frame_of_sample(
        sample, channel_rate_hz=channel.rate_hz, timeline_rate_hz=48_000, start_frame=channel.start_frame
    )


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("prepared", [False, True])
def test_channels_at_mixed_rates_click_together_to_within_a_sample(
    mixed_rates: tuple[tuple[Channel, ...], list[int]], tmp_path: Path, number: int, prepared: bool
) -> None:
    channels, meant = mixed_rates
    channel = channels[number]
    cache = AudioCache(tmp_path / "cache")
    if prepared:
        assert prepare_signal(channel, 48_000, cache, CancelToken(), no_progress)
    mixer = Mixer([open_signal(channel, 48_000, cache)])
    sample_frames = -(-48_000 // channel.rate_hz)
    for frame in meant:
        heard = np.abs(mixer.render(frame - 2000, 4000, [Level()])[:, 0])
        place = frame - 2000 + int(np.argmax(heard))
        assert abs(place - frame) <= sample_frames
        if prepared:
            assert place == place_of_click(channel, frame)
    mixer.close()


@pytest.mark.parametrize("number", range(5))
def test_channels_at_mixed_rates_are_drawn_where_they_click(
    mixed_rates: tuple[tuple[Channel, ...], list[int]], tmp_path: Path, number: int
) -> None:
    channels, meant = mixed_rates
    channel = channels[number]
    cache = AudioCache(tmp_path / "cache")
    assert channel.path is not None
    build_pyramid(channel.path, cache, CancelToken(), no_progress)
    waveform = open_waveform(channel, 48_000, cache, CancelToken())
    for frame in meant:
        drawn = drawn_at(waveform, frame - 48_000 * 17, frame + 48_000 * 17)
        assert abs(drawn - place_of_click(channel, frame)) <= 1
    waveform.close()
