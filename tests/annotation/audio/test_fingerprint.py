import hashlib
import os
from pathlib import Path

import pytest

from annotation.audio.fingerprint import EDGE_BYTES, fingerprint_of, sha256_of
from annotation.audio.refusal import AudioRefusedError
from annotation.cancellation import CancelledError, CancelToken, no_progress


def written(path: Path, content: bytes, *, modified_ns: int = 10**18) -> Path:
    path.write_bytes(content)
    os.utime(path, ns=(modified_ns, modified_ns))
    return path


def test_the_key_is_usable_as_a_file_name(tmp_path: Path) -> None:
    key = fingerprint_of(written(tmp_path / "a.wav", b"sound")).key
    assert len(key) == 32
    assert set(key) <= set("0123456789abcdef")


def test_the_same_file_keeps_its_fingerprint(tmp_path: Path) -> None:
    path = written(tmp_path / "a.wav", os.urandom(3 * EDGE_BYTES))
    assert fingerprint_of(path) == fingerprint_of(path)


@pytest.mark.parametrize("place", [0, EDGE_BYTES - 1, -EDGE_BYTES, -1])
def test_a_changed_byte_at_either_edge_changes_the_key_even_at_the_same_time_and_size(
    tmp_path: Path, place: int
) -> None:
    content = bytearray(4 * EDGE_BYTES)
    before = fingerprint_of(written(tmp_path / "a.wav", bytes(content))).key
    content[place] ^= 1
    assert fingerprint_of(written(tmp_path / "a.wav", bytes(content))).key != before


def test_a_change_in_the_middle_shows_by_its_time(tmp_path: Path) -> None:
    content = bytearray(4 * EDGE_BYTES)
    before = fingerprint_of(written(tmp_path / "a.wav", bytes(content))).key
    content[2 * EDGE_BYTES] ^= 1
    assert fingerprint_of(written(tmp_path / "a.wav", bytes(content), modified_ns=10**18 + 1)).key != before


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(AudioRefusedError, match=r"gone\.wav: There is no such file") as refused:
        fingerprint_of(tmp_path / "gone.wav")
    assert refused.value.code == "audio-missing"


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AudioRefusedError, match=r"no ordinary file|cannot be read"):
        fingerprint_of(tmp_path)


def test_the_full_hash_is_that_of_the_content_and_progress_ends_at_one(tmp_path: Path) -> None:
    content = os.urandom((1 << 21) + 17)
    shares: list[float] = []
    path = written(tmp_path / "a.wav", content)
    assert sha256_of(path, CancelToken(), shares.append) == hashlib.sha256(content).hexdigest()
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_the_full_hash_stops_when_told_to(tmp_path: Path) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(CancelledError):
        sha256_of(written(tmp_path / "a.wav", b"x"), token, no_progress)
