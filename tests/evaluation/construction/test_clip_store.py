"""The store of clips."""

from pathlib import Path

import numpy as np

from evaluation.construction.clip_store import ClipStore, clip_key
from evaluation.construction.engines.command import CommandEngine
from evaluation.construction.synthesis import Voice

ENGINE = CommandEngine("say {text} {out} {speed}")


def test_a_clip_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    store = ClipStore(tmp_path)
    clip = np.arange(-100, 100, dtype=np.int16)
    key = clip_key(ENGINE, Voice("command", "default"), "Hello.", seed=1, rate_hz=16_000)
    assert store.load(key) is None
    assert store.keep(key, clip)
    found = ClipStore(tmp_path).load(key)
    assert found is not None
    assert np.array_equal(found, clip)


def test_a_damaged_clip_counts_as_absent(tmp_path: Path) -> None:
    store = ClipStore(tmp_path)
    key = clip_key(ENGINE, Voice("command", "default"), "Hello.", seed=1, rate_hz=16_000)
    store.keep(key, np.arange(100, dtype=np.int16))
    (path,) = (path for path in tmp_path.rglob("*") if path.is_file())
    path.write_bytes(path.read_bytes()[:-2] + b"xx")
    assert store.load(key) is None


def test_everything_that_changes_the_sound_changes_the_key() -> None:
    voice = Voice("command", "default")
    keys = {
        clip_key(ENGINE, voice, "Hello.", seed=1, rate_hz=16_000),
        clip_key(ENGINE, voice, "Hello!", seed=1, rate_hz=16_000),
        clip_key(ENGINE, voice, "Hello.", seed=2, rate_hz=16_000),
        clip_key(ENGINE, voice, "Hello.", seed=1, rate_hz=24_000),
        clip_key(ENGINE, Voice("command", "default", 0.8), "Hello.", seed=1, rate_hz=16_000),
        clip_key(ENGINE, Voice("command", "other"), "Hello.", seed=1, rate_hz=16_000),
        clip_key(CommandEngine("talk {text} {out}"), voice, "Hello.", seed=1, rate_hz=16_000),
    }
    assert len(keys) == 7


def test_the_store_stays_within_its_limit(tmp_path: Path) -> None:
    store = ClipStore(tmp_path, limit_bytes=64 * 1_000)
    for number in range(200):
        key = clip_key(ENGINE, Voice("command", "default"), f"Number {number}.", seed=1, rate_hz=16_000)
        store.keep(key, np.zeros(300, dtype=np.int16))
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) <= 64 * 1_000
