from pathlib import Path

import numpy as np
from pytestqt.qtbot import QtBot

from annotation.audio.cache import AudioCache
from app.settings import SettingsFile
from app.storage_page import StoragePage, gigabytes
from app.user_cache import user_cache


def filled(folder: Path) -> AudioCache:
    cache = AudioCache(folder)
    for number in range(3):
        with cache.writing(f"{number}", "peaks-0", "<i2") as sink:
            sink.append(np.zeros(500_000, dtype=np.int16))
    return cache


def test_emptying_removes_every_entry_and_says_how_much(qtbot: QtBot, tmp_path: Path) -> None:
    cache = filled(tmp_path)
    said: list[str] = []
    page = StoragePage(cache=cache, cache_gb=20, emptied=said.append)
    qtbot.addWidget(page)
    page.empty_button.click()
    assert cache.used_bytes() == 0
    assert said[0].startswith("3.0 MB were freed")
    assert not page.empty_button.isEnabled()


def test_a_cache_shrinks_to_a_limit_by_what_was_used_longest_ago(tmp_path: Path) -> None:
    cache = filled(tmp_path)
    assert cache.load("0", "peaks-0") is not None
    one = cache.used_bytes() // 3
    assert cache.shrink(2 * one) == one
    assert [cache.load(f"{number}", "peaks-0") is not None for number in range(3)] == [True, False, True]


def test_the_cache_is_as_large_as_the_settings_say() -> None:
    SettingsFile().change(cache_gb=1.5)
    assert user_cache().limit_bytes == 1_500_000_000


def test_sizes_are_written_for_reading() -> None:
    assert [gigabytes(count) for count in (0, 99_000_000, 2_340_000_000)] == ["0.0 MB", "99.0 MB", "2.3 GB"]
