"""Events of files on a timeline: one rounding, stable ids, and times past the end."""

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.conversation import Channel, Conversation
from annotation.formats.catalogue import EVENT_FORMATS, event_format_of, event_format_of_head
from annotation.formats.event_format import ParsedEvent, PlacedEvents, decimal_from_text, place_events
from annotation.formats.text_lines import LONGEST_LINE, TextRefusedError, lines_of_file

TALK = Conversation("talk", 16_000, (Channel("ana", Path("ana.wav"), 0, 16_000, 16_000 * 60),))


def place(*spans: tuple[str, str], source: str = "talk") -> PlacedEvents:
    parsed = [
        ParsedEvent("ana", "SPEECH", Decimal(onset), Decimal(offset), str(line))
        for line, (onset, offset) in enumerate(spans, start=1)
    ]
    return place_events(parsed, TALK, source=source, origin=Path("talk.rttm"), unnamed_speaker="ana")


def test_seconds_become_frames_from_the_exact_decimal() -> None:
    (event,) = place(("1.4", "1.40003125")).events
    assert (event.onset, event.offset) == (22_400, 22_400)


def test_reading_twice_gives_the_same_events_and_another_source_others() -> None:
    assert place(("1", "2"), ("1", "2")) == place(("1", "2"), ("1", "2"))
    assert (
        len({event.id for event in (*place(("1", "2"), ("1", "2")).events, *place(("1", "2"), source="b").events)}) == 3
    )


def test_times_within_the_sound_need_no_notice() -> None:
    assert place(("0", "60")).notices == ()


def test_an_overhang_is_kept_and_said_without_suspecting_the_unit() -> None:
    placed = place(("59", "60.5"))
    assert placed.events[0].offset == 968_000
    assert [notice.code for notice in placed.notices] == ["beyond-end"]
    assert "samples" not in placed.notices[0].message


def test_times_in_samples_are_suspected_and_never_rescaled() -> None:
    placed = place(("1.0", "2.0"), ("16000", "32000"))
    assert placed.events[1].onset == 16_000 * 16_000
    assert "samples or milliseconds" in placed.notices[0].message
    assert placed.notices[0].where == "talk.rttm:2"


def test_a_time_beyond_thirty_days_costs_itself() -> None:
    placed = place(("1", "2"), ("9999999", "9999999"))
    assert len(placed.events) == 1
    assert [(notice.code, notice.where) for notice in placed.notices] == [("time-refused", "talk.rttm:2")]


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "", "1_000", "0x1", "1e1000", "\uff11", "1.2.3", "1,2", " 1"])
def test_only_plain_decimal_numbers_are_numbers(text: str) -> None:
    assert decimal_from_text(text) is None


@given(st.decimals(0, 10_000, places=6))
def test_a_number_is_taken_exactly_as_written(number: Decimal) -> None:
    assert decimal_from_text(f"{number:f}") == number


def test_every_format_has_a_name_and_endings_of_its_own() -> None:
    assert len({one.name for one in EVENT_FORMATS}) == len(EVENT_FORMATS)
    suffixes = [suffix for one in EVENT_FORMATS for suffix in one.suffixes]
    assert len(set(suffixes)) == len(suffixes)


def test_the_content_decides_the_format_not_the_ending(tmp_path: Path) -> None:
    path = tmp_path / "labels.txt"
    path.write_text("SPEAKER a 1 0 1 <NA> <NA> ana")
    found = event_format_of(path)
    assert found is not None
    assert found.name == "rttm"
    assert event_format_of_head(b"hello", path) is None
    assert event_format_of(tmp_path / "none.rttm") is None


def test_lines_are_numbered_as_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\r\n\r\nthree\rfour\x0bstill four\n")
    assert [(line.number, line.text) for line in lines_of_file(path).lines] == [
        (1, "one"),
        (3, "three"),
        (4, "four\x0bstill four"),
    ]


def test_a_line_without_end_costs_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x" * (LONGEST_LINE + 1) + "\nshort\n")
    text = lines_of_file(path)
    assert [line.number for line in text.lines] == [2]
    assert [notice.code for notice in text.notices] == ["line-too-long"]


@pytest.mark.parametrize("data", [b"\x00\x01\x02\x03" * 100, b"\xff\xfe\x00", b"ok\x00\x00\x00\x00 \xff\xff"])
def test_what_is_no_text_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.txt").write_bytes(data)
    with pytest.raises(TextRefusedError, match="no text"):
        lines_of_file(tmp_path / "a.txt")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TextRefusedError, match="cannot be read"):
        lines_of_file(tmp_path / "none.txt")
