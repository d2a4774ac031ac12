"""Compressed files in a corpus: decoded once while it is read, with progress, and stopped when told."""

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]

from annotation.audio.cache import AudioCache
from annotation.audio.decoding import needs_decoding
from annotation.cancellation import CancelledError, CancelToken, no_progress
from annotation.channel_spec import channel_spec_from_text
from annotation.corpus import corpus_from_channels, read_corpus
from annotation.project.check import check_project
from annotation.project.project import Project

RATE_HZ = 16_000


@pytest.fixture
def cache(tmp_path: Path) -> AudioCache:
    return AudioCache(tmp_path / "cache")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two speakers as MP3 and Ogg, and a file that is no sound."""
    folder = tmp_path / "call"
    folder.mkdir()
    noise = (np.random.default_rng(2).normal(size=10 * RATE_HZ) * 0.1).astype(np.float32)
    soundfile.write(folder / "call_agent.mp3", noise, RATE_HZ)
    soundfile.write(folder / "call_caller.ogg", noise[: 7 * RATE_HZ], RATE_HZ)
    (folder / "notes.m4a").write_bytes(b"\0\0\0\x20ftypM4A " + bytes(100))
    return folder


def test_compressed_members_make_one_conversation_and_what_is_not_read_costs_itself(
    folder: Path, cache: AudioCache
) -> None:
    corpus = read_corpus([folder], cache=cache)
    (imported,) = corpus.conversations
    assert [(one.speaker, one.frames) for one in imported.conversation.channels] == [
        ("agent", 10 * RATE_HZ),
        ("caller", 7 * RATE_HZ),
    ]
    (refused,) = corpus.refused
    assert refused.code == "audio-format"
    assert "notes.m4a" in refused.where
    assert "MP4 or M4A" in refused.message
    assert not needs_decoding(folder / "call_agent.mp3", cache)


def test_reading_again_decodes_nothing_and_gives_the_same(folder: Path, cache: AudioCache) -> None:
    first = read_corpus([folder], cache=cache)
    written = {path: path.stat().st_ino for path in cache.folder.iterdir()}
    assert read_corpus([folder], cache=cache) == first
    assert {path: path.stat().st_ino for path in cache.folder.iterdir()} == written
    assert read_corpus([folder]) == first


def test_progress_rises_while_a_file_is_decoded(folder: Path, cache: AudioCache) -> None:
    shares: list[float] = []
    read_corpus([folder], cache=cache, progress=shares.append)
    assert shares == sorted(shares)
    assert len([share for share in shares if 0 < share < 1 / 3]) >= 2


def test_decoding_stops_when_told(folder: Path, cache: AudioCache) -> None:
    cancel = CancelToken()

    def stop(share: float) -> None:
        if share > 0.1:
            cancel.cancel()

    with pytest.raises(CancelledError):
        read_corpus([folder], cache=cache, cancel=cancel, progress=stop)
    assert list(cache.folder.iterdir()) == []


def test_a_manifest_and_channels_by_hand_take_compressed_files(folder: Path, cache: AudioCache) -> None:
    channels = [{"speaker": "ana", "path": "call_agent.mp3"}, {"speaker": "ben", "path": "call_caller.ogg"}]
    manifest = {"format": "floorscope-corpus", "version": 1, "conversations": [{"id": "c", "channels": channels}]}
    (folder / "floorscope-corpus.json").write_text(json.dumps(manifest))
    (listed,) = read_corpus([folder], cache=cache).conversations
    specs = [channel_spec_from_text(f"{one['speaker']}={folder / one['path']}") for one in channels]
    (by_hand,) = corpus_from_channels(specs, "c", cache=cache).conversations
    assert listed.conversation.channels == by_hand.conversation.channels
    assert [channel.frames for channel in listed.conversation.channels] == [10 * RATE_HZ, 7 * RATE_HZ]


def test_a_check_of_a_project_counts_decoded_frames(folder: Path, cache: AudioCache, tmp_path: Path) -> None:
    path = tmp_path / "p.floorscope"
    with Project.create(path) as project:
        project.add(read_corpus([folder], cache=cache).conversations)
    assert check_project(path, CancelToken(), no_progress, cache).ok
    noise = (np.random.default_rng(2).normal(size=9 * RATE_HZ) * 0.1).astype(np.float32)
    soundfile.write(folder / "call_agent.mp3", noise, RATE_HZ)
    codes = [notice.code for notice in check_project(path, CancelToken(), no_progress, cache).problems]
    assert codes == ["audio-frames", "audio-changed"]
