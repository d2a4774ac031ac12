"""The corpus manifest: exact times, holders, confinement to its folder, and faults that cost one conversation."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]

from annotation.formats.manifest import (
    MANIFEST_NAME,
    Manifest,
    ManifestError,
    ReadManifest,
    is_manifest,
    manifest_as_json,
    read_manifest,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpus = tmp_path / "corpus"
    (corpus / "audio").mkdir(parents=True)
    soundfile.write(corpus / "audio" / "ana.wav", np.zeros(48_000), 48_000, subtype="PCM_16")
    soundfile.write(corpus / "both.wav", np.zeros((32_000, 2)), 16_000, subtype="PCM_16")
    soundfile.write(tmp_path / "outside.wav", np.zeros(16_000), 16_000, subtype="PCM_16")
    return corpus


def talk(**fields: object) -> dict[str, Any]:
    conversation: dict[str, Any] = {
        "id": "talk",
        "channels": [
            {"speaker": "ana", "name": "Ana", "path": "audio/ana.wav"},
            {"speaker": "ben", "path": "both.wav", "index": 1, "start_s": 0.5},
        ],
        "events": [
            {"speaker": "ana", "kind": "TURN", "onset_s": 0.1, "offset_s": "0.7", "holder_before": "", "text": "hi"},
            {"speaker": "ben", "kind": "TURN", "onset_s": 1, "offset_s": 2.5, "holder_after": "ben"},
        ],
        "attributes": {"split": "dev"},
    }
    conversation.update(fields)
    return conversation


def read(folder: Path, *conversations: object, **fields: object) -> ReadManifest:
    document = {"format": "floorscope-corpus", "version": 1, "conversations": conversations, **fields}
    (folder / MANIFEST_NAME).write_text(json.dumps(document))
    return read_manifest(folder / MANIFEST_NAME)


def test_channels_lie_on_a_timeline_of_the_highest_rate(folder: Path) -> None:
    (imported,) = read(folder, talk()).conversations
    conversation = imported.conversation
    assert conversation.rate_hz == 48_000
    assert [
        (c.speaker, c.display_name, c.index, c.rate_hz, c.frames, c.start_frame) for c in conversation.channels
    ] == [
        ("ana", "Ana", 0, 48_000, 48_000, 0),
        ("ben", "ben", 1, 16_000, 32_000, 24_000),
    ]
    assert conversation.frames == 120_000
    assert dict(conversation.attributes) == {"split": "dev"}


def test_events_are_a_reference_in_exact_frames(folder: Path) -> None:
    (imported,) = read(folder, talk()).conversations
    (source,) = imported.sources
    first, second = source.events
    assert (source.name, str(source.role)) == ("reference", "reference")
    assert (first.onset, first.offset, first.text) == (4_800, 33_600, "hi")
    assert (first.holder_before, first.holder_after) == ("", None)
    assert (second.holder_before, second.holder_after) == (None, "ben")


def test_a_conversation_without_events_has_no_source(folder: Path) -> None:
    assert read(folder, talk(events=None)).conversations[0].sources == ()
    assert read(folder, talk(events=[])).conversations[0].sources[0].events == ()


def test_lanes_without_sound_are_an_event_log(folder: Path) -> None:
    given = talk(channels=[{"speaker": "ana"}, {"speaker": "ben"}], duration_s=9.25)
    (imported,) = read(folder, given).conversations
    assert (imported.conversation.rate_hz, imported.conversation.frames) == (1_000_000, 9_250_000)


def test_a_synthesised_corpus_says_so_in_every_conversation(folder: Path) -> None:
    (imported,) = read(folder, talk(), synthesised={"engine": "flite"}).conversations
    assert imported.conversation.attributes["synthesised"] == "flite"


@pytest.mark.parametrize(
    "path",
    [
        "../outside.wav",
        "audio/../../outside.wav",
        "/etc/passwd",
        "C:/a.wav",
        "C:a.wav",
        "audio\\ana.wav",
        "",
        "link.wav",
    ],
)
def test_audio_outside_the_folder_is_refused(folder: Path, path: str) -> None:
    (folder / "link.wav").symlink_to(folder.parent / "outside.wav")
    result = read(folder, talk(channels=[{"speaker": "ana", "path": path}], events=None))
    assert result.conversations == ()
    assert result.refused[0].code == "manifest"
    assert "$.conversations[0].channels[0].path" in result.refused[0].where


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"id": 5}, "$.conversations[1].id"),
        ({"colour": "red"}, "$.conversations[1]"),
        ({"channels": []}, "$.conversations[1].channels"),
        ({"channels": [{"speaker": "ana", "path": "both.wav", "index": 2}]}, "$.conversations[1].channels[0].index"),
        ({"channels": [{"speaker": "ana", "path": "both.wav", "start_s": -1}]}, "$.conversations[1].channels[0]"),
        ({"channels": [{"speaker": "a", "start_s": 1, "start_frame": 5}]}, "$.conversations[1].channels[0]"),
        ({"channels": [{"speaker": "a"}, {"speaker": "a"}]}, "$.conversations[1]"),
        ({"events": [{"speaker": "ana", "kind": "TURN", "onset_s": [], "offset_s": 1}]}, "events[0].onset_s"),
        ({"id": "talk"}, "$.conversations[1].id"),
        ({"rate_hz": 0}, "$.conversations[1]"),
    ],
)
def test_a_bad_conversation_costs_itself_and_names_its_place(
    folder: Path, fields: dict[str, object], place: str
) -> None:
    result = read(folder, talk(), talk(**{"id": "bad", **fields}), talk(id="third"))
    assert [imported.conversation.id for imported in result.conversations] == ["talk", "third"]
    (refused,) = result.refused
    assert place in f"{refused.where} {refused.message}"


def test_missing_or_broken_audio_costs_its_conversation(folder: Path) -> None:
    (folder / "broken.wav").write_bytes(b"RIFF")
    result = read(
        folder,
        talk(id="a", channels=[{"speaker": "ana", "path": "none.wav"}]),
        talk(id="b", channels=[{"speaker": "ana", "path": "broken.wav"}]),
        talk(),
    )
    assert [imported.conversation.id for imported in result.conversations] == ["talk"]
    assert [notice.code for notice in result.refused] == ["audio-missing", "audio-header"]


@pytest.mark.parametrize(
    "event",
    [
        {"speaker": "eve", "kind": "TURN", "onset_s": 0, "offset_s": 1},
        {"speaker": "ana", "kind": "", "onset_s": 0, "offset_s": 1},
        {"speaker": "ana", "kind": "TURN", "onset_s": 2, "offset_s": 1},
        {"speaker": "ana", "kind": "TURN", "onset_s": -1, "offset_s": 1},
        {"speaker": "ana", "kind": "TURN", "onset_s": "NaN", "offset_s": 1},
        {"speaker": "ana", "kind": "TURN", "onset_s": 0, "offset_s": 1, "holder_before": "eve"},
        {"speaker": "ana", "kind": "TURN", "onset_s": 0, "offset_s": "1e400"},
    ],
)
def test_a_bad_event_costs_itself_and_names_its_place(folder: Path, event: dict[str, object]) -> None:
    good = {"speaker": "ana", "kind": "TURN", "onset_s": 0, "offset_s": 1}
    result = read(folder, talk(events=[good, event, good]))
    assert len(result.conversations[0].sources[0].events) == 2
    assert any("$.conversations[0].events[1]" in notice.where for notice in result.warnings)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a corpus manifest"),
        (b"[]", "not a corpus manifest"),
        (b"{", "not a corpus manifest"),
        (b'{"format": "other", "version": 1, "conversations": []}', "is “other”"),
        (b'{"format": "floorscope-corpus", "version": 2, "future": 1}', "version 2"),
        (b'{"format": "floorscope-corpus", "version": 1}', "conversations"),
        (b'{"format": "floorscope-corpus", "version": 1, "conversations": ' + b"[" * 100_000, "not a corpus manifest"),
        (b'\xff{"format": "floorscope-corpus"}', "not a corpus manifest"),
    ],
)
def test_a_document_that_is_no_manifest_is_refused_whole(folder: Path, data: bytes, message: str) -> None:
    (folder / MANIFEST_NAME).write_bytes(data)
    with pytest.raises(ManifestError, match=message):
        read_manifest(folder / MANIFEST_NAME)


def test_a_manifest_is_told_by_its_content() -> None:
    assert is_manifest(b'\xef\xbb\xbf {"format": "floorscope-corpus"')
    assert not is_manifest(b'{"format": "other"}')
    assert not is_manifest(b"floorscope-corpus")


def test_the_document_as_documented_follows_the_schema(folder: Path) -> None:
    schema = json.loads(files("resources").joinpath("schemas", "corpus.schema.json").read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate({"format": "floorscope-corpus", "version": 1, "conversations": [talk()]}, schema)
    both = talk(channels=[{"speaker": "a", "start_s": 1, "start_frame": 5}])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"format": "floorscope-corpus", "version": 1, "conversations": [both]}, schema)


def test_what_is_written_is_read_back_with_its_decimals(folder: Path) -> None:
    read(folder, talk())
    before = read_manifest(folder / MANIFEST_NAME)
    manifest = msgspec.json.decode((folder / MANIFEST_NAME).read_bytes(), type=Manifest)
    (folder / MANIFEST_NAME).write_bytes(manifest_as_json(manifest))
    assert read_manifest(folder / MANIFEST_NAME) == before
    assert b'"onset_s": 0.1,' in manifest_as_json(manifest)
