"""``NAME=FILE[:INDEX][@START_S]`` on the command line."""

from decimal import Decimal
from pathlib import Path

import pytest

from annotation.channel_spec import ChannelSpec, ChannelSpecError, channel_spec_from_text


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("ana=call.wav", ChannelSpec("ana", Path("call.wav"))),
        ("ana=call.wav:1", ChannelSpec("ana", Path("call.wav"), 1)),
        ("ana=call.wav@1.4", ChannelSpec("ana", Path("call.wav"), None, Decimal("1.4"))),
        ("ana=call.wav:0@2", ChannelSpec("ana", Path("call.wav"), 0, Decimal(2))),
        (" Ana B =a=b.wav", ChannelSpec("Ana B", Path("a=b.wav"))),
        ("ana=C:/calls/one.wav:1@0.25", ChannelSpec("ana", Path("C:/calls/one.wav"), 1, Decimal("0.25"))),
        ("ana=me@home/call.wav", ChannelSpec("ana", Path("me@home/call.wav"))),
        ("ana=call 2:30.wav", ChannelSpec("ana", Path("call 2:30.wav"))),
    ],
)
def test_a_channel_is_read_as_written(text: str, spec: ChannelSpec) -> None:
    assert channel_spec_from_text(text) == spec


def test_a_file_whose_name_ends_like_a_start_is_taken_whole_where_it_exists(tmp_path: Path) -> None:
    (tmp_path / "take@2").touch()
    (tmp_path / "take:1").touch()
    assert channel_spec_from_text(f"ana={tmp_path}/take@2").path == tmp_path / "take@2"
    assert channel_spec_from_text(f"ana={tmp_path}/take:1") == ChannelSpec("ana", tmp_path / "take:1")
    assert channel_spec_from_text(f"ana={tmp_path}/take:1@3") == ChannelSpec(
        "ana", tmp_path / "take:1", None, Decimal(3)
    )


@pytest.mark.parametrize("text", ["", "call.wav", "=call.wav", "ana=", "  =x.wav"])
def test_what_names_no_channel_is_refused_with_the_grammar(text: str) -> None:
    with pytest.raises(ChannelSpecError, match=r"NAME=FILE\[:INDEX\]\[@START_S\]"):
        channel_spec_from_text(text)


@pytest.mark.parametrize(
    "text", ["ana=a.wav@-1", "ana=a.wav:-1", "ana=a.wav@1,5", "ana=a.wav@1e3", "ana=a.wav:1@2@3.5.1"]
)
def test_what_looks_like_an_index_or_a_start_and_is_none_is_refused(text: str) -> None:
    with pytest.raises(ChannelSpecError, match="no channel index from 0 and no start"):
        channel_spec_from_text(text)
