import errno
import os
from pathlib import Path

import numpy as np
import pytest

from annotation.audio.cache import HEADER_BYTES, AudioCache
from annotation.errors import InvalidValueError

NUMBERS = np.arange(-500, 500, dtype=np.int16)


def keep(cache: AudioCache, key: str, count: int = 1000, what: str = "peaks-0") -> bool:
    with cache.writing(key, what, "<i2") as sink:
        sink.append(NUMBERS[:count])
        sink.facts = (7, 8)
    return sink.kept


@pytest.fixture
def cache(tmp_path: Path) -> AudioCache:
    return AudioCache(tmp_path / "cache")


def test_what_was_kept_comes_back_with_its_facts(cache: AudioCache) -> None:
    assert keep(cache, "aa")
    entry = cache.load("aa", "peaks-0")
    assert entry is not None
    assert np.array_equal(entry.numbers, NUMBERS)
    assert entry.facts == (7, 8, 0, 0)


def test_float_numbers_are_read_piece_by_piece_bit_for_bit(cache: AudioCache) -> None:
    numbers = np.random.default_rng(1).standard_normal(5000).astype(np.float32)
    with cache.writing("aa", "sound-0", "<f4") as sink:
        sink.append(numbers[:3000])
        sink.append(numbers[3000:])
    samples = cache.open_samples("aa", "sound-0")
    assert samples is not None
    assert samples.count == 5000
    assert np.array_equal(samples.read(2990, 20), numbers[2990:3010])
    samples.close()


def test_an_absent_entry_is_none(cache: AudioCache) -> None:
    assert cache.load("aa", "peaks-0") is None


@pytest.mark.parametrize("place", [0, 9, 20, HEADER_BYTES - 1, HEADER_BYTES + 5])
def test_a_damaged_byte_makes_the_entry_absent(cache: AudioCache, place: int) -> None:
    keep(cache, "aa")
    path = cache.path_of("aa", "peaks-0")
    content = bytearray(path.read_bytes())
    content[place] ^= 0xFF
    path.write_bytes(content)
    assert cache.load("aa", "peaks-0") is None


@pytest.mark.parametrize("length", [0, 10, HEADER_BYTES, HEADER_BYTES + 999])
def test_a_cut_entry_is_absent_and_can_be_kept_again(cache: AudioCache, length: int) -> None:
    keep(cache, "aa")
    path = cache.path_of("aa", "peaks-0")
    path.write_bytes(path.read_bytes()[:length])
    assert cache.open_samples("aa", "peaks-0") is None
    assert keep(cache, "aa")
    assert cache.load("aa", "peaks-0") is not None


def test_an_exception_while_writing_leaves_nothing(cache: AudioCache) -> None:
    def failing() -> None:
        with cache.writing("aa", "peaks-0", "<i2") as sink:
            sink.append(NUMBERS)
            raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        failing()
    assert list(cache.folder.iterdir()) == []


def test_the_least_recently_used_entries_go(tmp_path: Path) -> None:
    entry_bytes = HEADER_BYTES + 2000
    cache = AudioCache(tmp_path / "cache", limit_bytes=2 * entry_bytes)
    for age, key in ((3, "aa"), (2, "bb")):
        keep(cache, key)
        os.utime(cache.path_of(key, "peaks-0"), (10**9 - age, 10**9 - age))
    cache.load("aa", "peaks-0")
    keep(cache, "cc")
    assert {path.name for path in cache.folder.iterdir()} == {"aa.peaks-0", "cc.peaks-0"}


def test_files_abandoned_by_a_killed_process_go_and_those_being_written_stay(cache: AudioCache) -> None:
    keep(cache, "aa")
    old, new = cache.folder / "bb.peaks-0.1.part", cache.folder / "bb.peaks-0.2.part"
    old.write_bytes(b"x")
    new.write_bytes(b"x")
    os.utime(old, (10**9, 10**9))
    keep(cache, "cc")
    assert not old.exists()
    assert new.exists()


def test_a_folder_that_cannot_be_made_means_nothing_is_kept_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    cache = AudioCache(tmp_path / "file" / "cache")
    assert not keep(cache, "aa")
    assert "nothing can be kept" in cache.fault
    assert cache.load("aa", "peaks-0") is None


def test_a_full_disk_means_nothing_is_kept_and_says_why(cache: AudioCache, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert not keep(cache, "aa")
    assert os.strerror(errno.ENOSPC) in cache.fault
    assert list(cache.folder.iterdir()) == []


def test_the_fault_is_gone_once_an_entry_is_kept_again(cache: AudioCache) -> None:
    cache.fault = "an earlier fault"
    keep(cache, "aa")
    assert cache.fault == ""


@pytest.mark.parametrize("name", ["", "../aa", "a/b", "A", "a.b"])
def test_names_that_could_leave_the_folder_are_refused(cache: AudioCache, name: str) -> None:
    with pytest.raises(InvalidValueError):
        cache.path_of(name, "peaks-0")
