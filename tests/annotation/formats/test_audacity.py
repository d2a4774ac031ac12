"""Audacity labels: columns, decimal commas, frequency rows, points, and whose they are."""

from decimal import Decimal
from pathlib import Path

import pytest

from annotation.formats.audacity import AudacityLabels
from annotation.formats.event_format import ParsedEvents


def read(folder: Path, text: str, *, name: str = "call.agent.txt", speaker: str = "") -> ParsedEvents:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return AudacityLabels().read(path, speaker=speaker)


def codes(parsed: ParsedEvents) -> list[tuple[str, str]]:
    return [(notice.code, notice.where.rpartition(":")[2]) for notice in parsed.notices]


def test_a_label_that_names_a_kind_is_that_kind(tmp_path: Path) -> None:
    (event,) = read(tmp_path, "0.500000\t1.250000\tBACKCHANNEL\n").recordings[""]
    assert (event.speaker, event.kind, event.text) == ("agent", "BACKCHANNEL", "")
    assert (event.onset_s, event.offset_s) == (Decimal("0.5"), Decimal("1.25"))


def test_a_label_with_other_words_keeps_them(tmp_path: Path) -> None:
    (event,) = read(tmp_path, "0.5\t1.25\tmm hm,\tright\n").recordings[""]
    assert (event.kind, event.text) == ("LABEL", "mm hm,\tright")


@pytest.mark.parametrize("line", ["1.0\t2.0", "1.0\t2.0\t", "1.0\t2.0\t   "])
def test_a_label_may_have_no_text(tmp_path: Path, line: str) -> None:
    (event,) = read(tmp_path, line).recordings[""]
    assert (event.kind, event.text) == ("LABEL", "")


def test_a_point_stays_a_point(tmp_path: Path) -> None:
    (event,) = read(tmp_path, "3.25\t3.25\tHOLD").recordings[""]
    assert event.onset_s == event.offset_s == Decimal("3.25")


def test_frequency_rows_are_passed_over_and_their_label_kept(tmp_path: Path) -> None:
    parsed = read(tmp_path, "1.0\t2.0\tTURN\n\\\t100.0\t4000.0\n3.0\t4.0\tTURN\n")
    assert len(parsed.recordings[""]) == 2
    assert parsed.notices == ()


def test_decimal_commas_are_read_and_said(tmp_path: Path) -> None:
    parsed = read(tmp_path, "0,500\t1,234\tTURN\n2,000\t3,000\tTURN\n")
    assert [event.offset_s for event in parsed.recordings[""]] == [Decimal("1.234"), Decimal("3.000")]
    assert codes(parsed) == [("decimal-comma", "1")]
    assert "2 lines" in parsed.notices[0].message


@pytest.mark.parametrize("number", ["1,234.5", "1.234,5", "1,234,567", "1.234.567"])
def test_a_number_that_could_mean_several_things_is_refused_with_its_line(tmp_path: Path, number: str) -> None:
    parsed = read(tmp_path, f"0.5\t1.0\tTURN\n0.5\t{number}\tTURN\n")
    assert len(parsed.recordings[""]) == 1
    assert codes(parsed) == [("ambiguous-number", "2")]


def test_spaces_for_tabs_are_read_and_said(tmp_path: Path) -> None:
    parsed = read(tmp_path, "0.5  1.0  some words\n")
    assert parsed.recordings[""][0].text == "some words"
    assert codes(parsed) == [("spaces-for-tabs", "1")]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("-1\t2\tTURN", "negative-time"),
        ("3\t2\tTURN", "negative-time"),
        ("begin\tend\tTURN", "bad-line"),
        ("1.0", "bad-line"),
    ],
)
def test_a_bad_line_costs_itself_only(tmp_path: Path, line: str, code: str) -> None:
    parsed = read(tmp_path, f"0\t1\tTURN\n{line}\n5\t6\tTURN\n")
    assert len(parsed.recordings[""]) == 2
    assert codes(parsed) == [(code, "2")]


def test_the_speaker_asked_for_goes_before_the_file_name(tmp_path: Path) -> None:
    assert read(tmp_path, "0\t1\tTURN", speaker="caller").recordings[""][0].speaker == "caller"


def test_labels_that_nobody_owns_are_said(tmp_path: Path) -> None:
    parsed = read(tmp_path, "0\t1\tTURN", name="call.txt")
    assert parsed.recordings[""][0].speaker == ""
    assert [notice.code for notice in parsed.notices] == ["speaker-unknown"]


@pytest.mark.parametrize(
    "head", [b"0.5\t1.0\tTURN", b"0,5\t1,0", b"\\\t10\t20\n0.5\t1.0\n", "0.5\t1\tö".encode("utf-16")]
)
def test_labels_are_told_by_their_content(head: bytes) -> None:
    assert AudacityLabels().sniff(head, Path("x.txt"))


@pytest.mark.parametrize("head", [b"", b"Read me first", b"SPEAKER a 1 0 1", b"{}", b"name,0.5,1.0"])
def test_other_text_is_not_taken_for_labels(head: bytes) -> None:
    assert not AudacityLabels().sniff(head, Path("x.txt"))
