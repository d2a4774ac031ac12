"""One conversation on disk: audio, events to the frame, words, and that it is whole or absent."""

import dataclasses
import json
from collections.abc import Mapping
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from annotation.corpus import read_corpus
from annotation.formats.manifest import Synthesis
from annotation.timebase import frame_from_seconds
from evaluation.construction.acoustic_check import checked_overlaps
from evaluation.construction.acoustics import AcousticSettings, drawn_room, rendered_channels
from evaluation.construction.acts import ResolvedConversation
from evaluation.construction.alignment import TimedWord
from evaluation.construction.assembly import (
    AssembledConversation,
    exact_seconds,
    read_record,
    write_conversation,
    write_manifest,
)
from evaluation.construction.synthesis import Voice

Clips = Mapping[tuple[int, int], NDArray[np.int16]]


@pytest.fixture
def assembled(resolved: ResolvedConversation, clips: Clips) -> AssembledConversation:
    room = drawn_room(AcousticSettings(), ("ana", "ben"), 5)
    rendered = rendered_channels(resolved, clips, room)
    voices = {"ana": Voice("flite", "slt"), "ben": Voice("flite", "rms", 0.9)}
    words = {
        (0, 0): (TimedWord("One", 0, 8_000), TimedWord("two.", 8_000, 16_000)),
        (0, 1): (TimedWord("Three", 160, 9_600), TimedWord("four.", 9_600, 20_000)),
        (2, 0): (TimedWord("Wait", 0, 8_000), TimedWord("now.", 8_000, 22_400)),
    }
    return AssembledConversation(resolved, rendered, room, voices, words, checked_overlaps(resolved, rendered))


@given(frame=st.integers(0, 10**9), rate_hz=st.sampled_from([8_000, 16_000, 22_050, 24_000, 44_100, 48_000]))
def test_seconds_come_back_as_the_same_frame(frame: int, rate_hz: int) -> None:
    assert frame_from_seconds(exact_seconds(frame, rate_hz), rate_hz) == frame


def test_seconds_are_short() -> None:
    assert [str(exact_seconds(frame, 16_000)) for frame in (0, 16_000, 22_400, 1)] == ["0", "1", "1.4", "0.0000625"]


def test_a_conversation_is_read_back_with_its_events_to_the_frame(
    tmp_path: Path, assembled: AssembledConversation
) -> None:
    record = write_conversation(tmp_path, assembled)
    write_manifest(tmp_path, [record], name="T", description="", licence="", synthesis=Synthesis("flite"))
    corpus = read_corpus([tmp_path])
    assert not corpus.warnings
    assert not corpus.refused
    (found,) = corpus.conversations
    assert found.conversation.rate_hz == 16_000
    assert found.conversation.frames == assembled.resolved.frames
    keys = [(e.speaker, e.kind, e.onset, e.offset, e.holder_before, e.holder_after) for e in found.sources[0].events]
    planned = [
        (e.speaker, e.kind, e.onset, e.offset, e.holder_before, e.holder_after) for e in assembled.resolved.events
    ]
    assert sorted(keys) == sorted(planned)
    assert found.conversation.attributes["interaction"] == "Casual"
    assert "ana: flite/slt×1.000" in found.conversation.attributes["voices"]


def test_audio_is_written_bit_for_bit(tmp_path: Path, assembled: AssembledConversation) -> None:
    write_conversation(tmp_path, assembled)
    for speaker, channel in assembled.rendered.channels.items():
        path = tmp_path / "conversations" / "casual-2-01" / f"{speaker}.flac"
        samples, rate_hz = soundfile.read(path, dtype="int16")
        assert rate_hz == 16_000
        assert np.array_equal(samples, channel)
        assert soundfile.info(path).subtype == "PCM_16"


def test_the_manifest_obeys_its_schema_and_is_the_same_bytes_each_time(
    tmp_path: Path, assembled: AssembledConversation
) -> None:
    contents = []
    for name in ("a", "b"):
        record = write_conversation(tmp_path / name, assembled)
        path = write_manifest(
            tmp_path / name, [record], name="T", description="", licence="", synthesis=Synthesis("flite")
        )
        contents.append(
            {
                str(file.relative_to(tmp_path / name)): file.read_bytes()
                for file in sorted((tmp_path / name).rglob("*"))
                if file.is_file()
            }
        )
        schema = json.loads(files("resources").joinpath("schemas", "corpus.schema.json").read_bytes())
        jsonschema.validate(json.loads(path.read_bytes()), schema)
    assert contents[0] == contents[1]
    assert len(contents[0]) == 4


def test_words_are_those_that_are_heard_in_seconds_of_the_conversation(
    tmp_path: Path, assembled: AssembledConversation
) -> None:
    record = write_conversation(tmp_path, assembled)
    turn = next(event for event in record.conversation.events or () if event.kind == "TURN")
    assert [word.text for word in turn.words] == ["One", "two.", "Three", "four."]
    assert (turn.words[2].onset_s, turn.words[3].offset_s) == (Decimal("3.01"), Decimal(4))


def test_a_word_after_the_cut_is_not_there(tmp_path: Path, assembled: AssembledConversation) -> None:
    late = {**assembled.words, (0, 1): (TimedWord("Three", 0, 9_600), TimedWord("four.", 16_000, 24_000))}
    record = write_conversation(tmp_path, dataclasses.replace(assembled, words=late))
    turn = next(event for event in record.conversation.events or () if event.kind == "TURN")
    assert [word.text for word in turn.words] == ["One", "two.", "Three"]


def test_a_conversation_that_cannot_be_written_leaves_nothing(tmp_path: Path, assembled: AssembledConversation) -> None:
    (tmp_path / "conversations" / "casual-2-01" / "in-the-way").mkdir(parents=True)
    with pytest.raises(OSError, match="casual-2-01"):
        write_conversation(tmp_path, assembled)
    assert [path.name for path in (tmp_path / "conversations").iterdir()] == ["casual-2-01"]
    assert read_record(tmp_path, "casual-2-01") is None
