import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.audio.random_access import RandomAccessFile
from annotation.audio.refusal import AudioRefusedError
from annotation.audio.splice import Part, Splice

CONTENT = bytes(range(256)) * 2


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> RandomAccessFile:
    path = tmp_path_factory.mktemp("splice") / "a"
    path.write_bytes(CONTENT)
    return RandomAccessFile(path)


stretches = st.tuples(st.integers(0, 512), st.integers(0, 512)).map(lambda ends: (min(ends), max(ends)))


@given(
    parts=st.lists(st.one_of(st.binary(max_size=20), stretches), max_size=5),
    places=st.lists(st.tuples(st.integers(0, 700), st.integers(0, 300)), max_size=5),
)
def test_it_reads_like_its_parts_put_together(
    file: RandomAccessFile, parts: list[Part], places: list[tuple[int, int]]
) -> None:
    whole = io.BytesIO(b"".join(part if isinstance(part, bytes) else CONTENT[part[0] : part[1]] for part in parts))
    splice = Splice(file, parts)
    assert splice.size == len(whole.getvalue())
    for place, count in places:
        assert splice.seek(place) == whole.seek(place)
        assert splice.read(count) == whole.read(count)
        assert splice.tell() == whole.tell()
    assert splice.seek(0, io.SEEK_END) == splice.size
    assert splice.seek(-1, io.SEEK_CUR) == max(0, splice.size - 1)


def test_a_fault_ends_the_file_and_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(CONTENT)
    with RandomAccessFile(path) as file:
        splice = Splice(file, [(0, 512)])
        path.write_bytes(b"short")
        buffer = bytearray(100)
        assert splice.readinto(memoryview(buffer)) == 0
        assert isinstance(splice.fault, AudioRefusedError)
        assert splice.readinto(memoryview(buffer)) == 0
