"""RTTM as it is met: missing tails, tabs, spaces in names, several recordings, lines that are wrong."""

from decimal import Decimal
from pathlib import Path

import pytest

from annotation.formats.event_format import ParsedEvents
from annotation.formats.rttm import Rttm


def read(folder: Path, text: str, encoding: str = "utf-8") -> ParsedEvents:
    path = folder / "talk.rttm"
    path.write_bytes(text.encode(encoding))
    return Rttm().read(path)


def spans(parsed: ParsedEvents, recording: str) -> list[tuple[str, Decimal, Decimal]]:
    return [(event.speaker, event.onset_s, event.offset_s) for event in parsed.recordings[recording]]


def codes(parsed: ParsedEvents) -> list[tuple[str, str]]:
    return [(notice.code, notice.where.rpartition(":")[2]) for notice in parsed.notices]


@pytest.mark.parametrize(
    "line",
    [
        "SPEAKER talk 1 6.690 0.430 <NA> <NA> ana <NA> <NA>",
        "SPEAKER talk 1 6.690 0.430 <NA> <NA> ana <NA>",
        "SPEAKER talk 1 6.690 0.430 <NA> <NA> ana",
        "SPEAKER\ttalk\t1\t6.690\t0.430\t<NA>\t<NA>\tana\t<NA>\t<NA>",
        "SPEAKER   talk  1   6.690 0.430 <NA>   <NA> ana 0.98 <NA>",
        "SPEAKER talk 1 6.69 .43 <NA> <NA> ana <NA> <NA>",
        "  SPEAKER talk 1 6.69 4.3e-1 ortho sub ana <NA> <NA>",
    ],
)
def test_a_segment_is_read_from_any_number_of_columns(tmp_path: Path, line: str) -> None:
    parsed = read(tmp_path, line)
    assert spans(parsed, "talk") == [("ana", Decimal("6.69"), Decimal("7.12"))]
    assert [event.kind for event in parsed.recordings["talk"]] == ["SPEECH"]
    assert parsed.notices == ()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encoding_and_line_ends_do_not_matter(tmp_path: Path, encoding: str, end: str) -> None:
    lines = ["SPEAKER séance 1 0 1 <NA> <NA> Zoë <NA> <NA>", "SPEAKER séance 1 1 1 <NA> <NA> Bö <NA> <NA>"]
    parsed = read(tmp_path, end.join(lines), encoding)
    assert [event.speaker for event in parsed.recordings["séance"]] == ["Zoë", "Bö"]
    assert parsed.notices == ()


def test_text_that_is_not_unicode_is_read_with_a_notice(tmp_path: Path) -> None:
    parsed = read(tmp_path, "SPEAKER talk 1 0 1 <NA> <NA> Zoë <NA> <NA>", "cp1252")
    assert parsed.recordings["talk"][0].speaker == "Zoë"
    assert [notice.code for notice in parsed.notices] == ["encoding"]


def test_recordings_of_one_file_are_kept_apart(tmp_path: Path) -> None:
    parsed = read(
        tmp_path, "SPEAKER b 1 0 1 <NA> <NA> ana\nSPEAKER a 1 2 1 <NA> <NA> ben\nSPEAKER b 1 5 1 <NA> <NA> ben"
    )
    assert {recording: len(events) for recording, events in parsed.recordings.items()} == {"b": 2, "a": 1}


def test_comments_and_speaker_information_are_passed_over(tmp_path: Path) -> None:
    parsed = read(
        tmp_path, ";; made by hand\nSPKR-INFO talk 1 <NA> <NA> <NA> unknown ana <NA>\nSPEAKER talk 1 0 1 <NA> <NA> ana"
    )
    assert len(parsed.recordings["talk"]) == 1
    assert parsed.notices == ()


def test_other_line_types_are_counted(tmp_path: Path) -> None:
    parsed = read(tmp_path, "LEXEME talk 1 0 1 hi lex ana 1\nLEXEME talk 1 1 1 ho lex ana 1\n")
    assert parsed.recordings == {}
    assert "2 lines of the type “LEXEME”" in parsed.notices[0].message


def test_a_segment_of_no_duration_is_kept_as_a_point(tmp_path: Path) -> None:
    parsed = read(tmp_path, "SPEAKER talk 1 3.5 0.000 <NA> <NA> ana <NA> <NA>")
    assert spans(parsed, "talk") == [("ana", Decimal("3.5"), Decimal("3.5"))]
    assert codes(parsed) == [("zero-duration", "1")]


@pytest.mark.parametrize("times", ["-0.5 1.0", "99.92 -9.2"])
def test_a_negative_time_is_refused_with_its_line_and_costs_itself_only(tmp_path: Path, times: str) -> None:
    good = "SPEAKER talk 1 0 1 <NA> <NA> ana <NA> <NA>"
    parsed = read(tmp_path, f"{good}\nSPEAKER talk 1 {times} <NA> <NA> ana <NA> <NA>\n{good}\n")
    assert len(parsed.recordings["talk"]) == 2
    assert codes(parsed) == [("negative-time", "2")]


@pytest.mark.parametrize("times", ["one two", "nan 1", "0 inf", "0x10 1", "1,5 2", "1e999999999 1"])
def test_a_line_whose_times_are_no_numbers_is_refused_with_its_number(tmp_path: Path, times: str) -> None:
    parsed = read(tmp_path, f"\nSPEAKER talk 1 {times} <NA> <NA> ana <NA> <NA>\n")
    assert parsed.recordings == {}
    assert codes(parsed) == [("bad-line", "2")]


@pytest.mark.parametrize(
    ("line", "recording", "speaker"),
    [
        ("SPEAKER my long talk 1 0.5 1.0 <NA> <NA> ana <NA> <NA>", "my long talk", "ana"),
        ("SPEAKER talk 2 1 0.5 1.0 <NA> <NA> ana <NA>", "talk 2", "ana"),
        ("SPEAKER talk 1 0.5 1.0 <NA> <NA> Ana de la Vega <NA> <NA>", "talk", "Ana de la Vega"),
        ("SPEAKER talk 1 0.5 1.0 <NA> <NA> Ana de la Vega 0.75 <NA>", "talk", "Ana de la Vega"),
        ("SPEAKER\tmy talk\t1\t0.5\t1.0\t<NA>\t<NA>\tana m\t<NA>\t<NA>", "my talk", "ana m"),
    ],
)
def test_spaces_in_names_are_kept_and_said(tmp_path: Path, line: str, recording: str, speaker: str) -> None:
    parsed = read(tmp_path, line)
    assert spans(parsed, recording) == [(speaker, Decimal("0.5"), Decimal("1.5"))]
    assert codes(parsed) == [("space-in-id", "1")]


def test_a_segment_without_a_name_leaves_the_speaker_open(tmp_path: Path) -> None:
    assert read(tmp_path, "SPEAKER talk 1 0 1 <NA> <NA> <NA> <NA> <NA>").recordings["talk"][0].speaker == ""


def test_notices_of_a_bad_file_are_bounded(tmp_path: Path) -> None:
    parsed = read(tmp_path, "SPEAKER nothing\n" * 5_000)
    assert len(parsed.notices) == 101
    assert "4,900 more" in parsed.notices[-1].message


@pytest.mark.parametrize("head", [b"SPEAKER a 1 0 1", b";; c\n\nSPKR-INFO a 1", "SPEAKER a 1 0 1".encode("utf-16")])
def test_rttm_is_told_by_its_content(head: bytes) -> None:
    assert Rttm().sniff(head, Path("labels.txt"))


@pytest.mark.parametrize("head", [b"", b"0.5\t1.0\tTURN", b"SPEAKERS: ana, ben", b"{}", b"\x00\x01\x02\x03"])
def test_other_content_is_not_taken_for_rttm(head: bytes) -> None:
    assert not Rttm().sniff(head, Path("talk.rttm"))


AMI = {
    "ES2011a": (215, 4, 114.0, 298.5),
    "ES2002a": (236, 4, 80.7, 302.2),
    "EN2001a": (944, 5, 379.2, 611.4),
    "IS1009a": (195, 4, 82.1, 200.8),
    "EN2002a": (746, 4, 519.6, 247.5),
    "ES2014c": (489, 4, 205.7, 426.6),
}
"""Segments, speakers, seconds with two or more speakers, seconds without any up to the last offset."""


@pytest.mark.parametrize("meeting", AMI)
def test_meetings_have_the_floor_structure_measured_elsewhere(real: Path, meeting: str) -> None:
    path = real / "ami_diarization_setup" / "only_words" / "rttms" / f"{meeting}.rttm"
    parsed = Rttm().read(path)
    assert parsed.notices == ()
    assert list(parsed.recordings) == [meeting]
    events = parsed.recordings[meeting]
    steps = sorted(
        step for event in events for step in ((round(event.onset_s * 1000), 1), (round(event.offset_s * 1000), -1))
    )
    overlap = silence = speaking = last = 0
    for time, change in steps:
        overlap += (time - last) * (speaking >= 2)
        silence += (time - last) * (speaking == 0)
        last, speaking = time, speaking + change
    segments, speakers, overlap_s, silence_s = AMI[meeting]
    assert (len(events), len({event.speaker for event in events})) == (segments, speakers)
    assert (round(overlap / 1000, 1), round(silence / 1000, 1)) == (overlap_s, silence_s)
