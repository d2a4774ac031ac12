"""Decoded sound is kept once, found again, made anew when it went, and never invented."""

import os
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]

from annotation.audio.cache import AudioCache, temporary_cache
from annotation.audio.decoding import AudioRefusedError, needs_decoding, open_channel, open_frames, probe_audio
from annotation.audio.peaks import build_pyramid
from annotation.audio.signal import open_checked
from annotation.cancellation import CancelledError, CancelToken, no_progress
from annotation.conversation import Channel

RATE_HZ = 16_000
SECONDS = 20


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    noise = np.random.default_rng(1).normal(size=(SECONDS * RATE_HZ, 2)) * 0.1
    soundfile.write(tmp_path / "talk.mp3", noise.astype(np.float32), RATE_HZ)
    return tmp_path / "talk.mp3"


@pytest.fixture
def cache(tmp_path: Path) -> AudioCache:
    return AudioCache(tmp_path / "cache")


def entries(cache: AudioCache) -> list[Path]:
    return sorted(cache.folder.iterdir()) if cache.folder.is_dir() else []


def unwritable(tmp_path: Path) -> AudioCache:
    """Return a cache where a file stands in the place of its folder."""
    (tmp_path / "taken").write_bytes(b"")
    return AudioCache(tmp_path / "taken")


def test_a_file_is_decoded_once(talk: Path, cache: AudioCache) -> None:
    assert needs_decoding(talk, cache)
    info = probe_audio(talk, cache)
    assert not needs_decoding(talk, cache)
    (entry,) = entries(cache)
    written = entry.stat().st_ino
    assert probe_audio(talk, cache) == info
    build_pyramid(talk, cache, CancelToken(), no_progress)
    assert entry.stat().st_ino == written


def test_decoded_sound_is_float32_at_any_place(talk: Path, cache: AudioCache) -> None:
    reader = open_frames(talk, cache)
    whole = reader.read(0, reader.info.frames)
    assert whole.dtype == np.float32
    assert np.array_equal(reader.read(70_001, 333), whole[70_001:70_334])
    stripes = reader.read_stripes([5, 200_000], 100)
    assert np.array_equal(stripes, np.stack([whole[5:105], whole[200_000:200_100]]))
    reader.close()


def test_what_went_from_the_cache_is_the_same_when_decoded_again(talk: Path, cache: AudioCache) -> None:
    probe_audio(talk, cache)
    (entry,) = entries(cache)
    before = entry.read_bytes()
    entry.unlink()
    assert needs_decoding(talk, cache)
    probe_audio(talk, cache)
    assert entry.read_bytes() == before


def test_a_cut_entry_is_decoded_again(talk: Path, cache: AudioCache) -> None:
    frames = probe_audio(talk, cache).frames
    (entry,) = entries(cache)
    os.truncate(entry, entry.stat().st_size - 4)
    assert needs_decoding(talk, cache)
    assert probe_audio(talk, cache).frames == frames


def test_progress_rises_to_the_end(talk: Path, cache: AudioCache) -> None:
    shares: list[float] = []
    probe_audio(talk, cache, CancelToken(), shares.append)
    assert len(shares) > 5
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_decoding_that_is_cancelled_leaves_nothing(talk: Path, cache: AudioCache) -> None:
    token = CancelToken()

    def stop(share: float) -> None:
        if share > 0.2:
            token.cancel()

    with pytest.raises(CancelledError):
        probe_audio(talk, cache, token, stop)
    assert entries(cache) == []
    assert needs_decoding(talk, cache)


def test_without_a_cache_it_opens_all_the_same(talk: Path, cache: AudioCache) -> None:
    reader, kept = open_frames(talk), open_frames(talk, cache)
    assert np.array_equal(reader.read(1000, 5000), kept.read(1000, 5000))
    assert reader.info == kept.info


def test_a_cache_that_cannot_be_written_is_said_and_costs_one_decoding(talk: Path, tmp_path: Path) -> None:
    cache = unwritable(tmp_path)
    info = probe_audio(talk, cache)
    (notice,) = info.notices
    assert notice.code == "pcm-not-kept"
    assert str(talk) in notice.where
    assert "nothing can be kept in the cache" in notice.message
    assert info.frames == SECONDS * RATE_HZ
    assert not needs_decoding(talk, cache)
    assert probe_audio(talk, cache) == info


def test_temporary_sound_goes_with_its_cache(talk: Path, tmp_path: Path) -> None:
    cache = temporary_cache()
    folder = cache.folder
    reader = open_frames(talk, cache)
    del cache
    assert np.abs(reader.read(0, 1000)).max() > 0
    reader.close()
    del reader
    assert not folder.exists()


def test_where_nothing_can_be_written_the_reason_is_given(
    talk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = unwritable(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    with pytest.raises(
        AudioRefusedError, match=r"talk\.mp3: There is no room .*Temporary files cannot be written"
    ) as it:
        probe_audio(talk, cache)
    assert it.value.code == "audio-no-room"


def test_sound_that_is_longer_than_the_cache_has_room_for_is_refused(talk: Path, tmp_path: Path) -> None:
    cache = AudioCache(tmp_path / "small", limit_bytes=1_000_000)
    with pytest.raises(AudioRefusedError, match="longer than") as refused:
        probe_audio(talk, cache)
    assert refused.value.code == "audio-no-room"
    assert entries(cache) == []


def test_another_file_in_its_place_is_decoded_and_refused_by_the_project(talk: Path, cache: AudioCache) -> None:
    channel = Channel("ana", talk, 0, RATE_HZ, probe_audio(talk, cache).frames)
    open_checked(channel, cache).close()
    soundfile.write(talk, np.zeros(RATE_HZ, dtype=np.float32), RATE_HZ)
    assert needs_decoding(talk, cache)
    with pytest.raises(AudioRefusedError, match="The file has changed") as refused:
        open_checked(channel, cache)
    assert refused.value.code == "audio-changed"


def test_a_channel_of_a_compressed_file_is_read_as_float32(talk: Path, cache: AudioCache) -> None:
    reader, frames = open_channel(talk, 1, cache), open_frames(talk, cache)
    assert np.array_equal(reader.read(-5, 10)[5:], frames.read(0, 5)[:, 1])
    assert reader.key == frames.key
    reader.close()
    frames.close()


def test_the_key_is_that_of_the_file_that_is_open(tmp_path: Path, talk: Path, cache: AudioCache) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, np.zeros(1000, dtype=np.int16), RATE_HZ)
    reader = open_frames(path)
    before = reader.key
    soundfile.write(tmp_path / "b.wav", np.ones(1000, dtype=np.int16), RATE_HZ)
    (tmp_path / "b.wav").replace(path)
    assert reader.key == before
    assert not reader.read(0, 1000).any()
    other = open_frames(path)
    assert other.key != before
    reader.close()
    other.close()
