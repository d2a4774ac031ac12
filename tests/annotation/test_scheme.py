"""Schemes: the presets, their schema, and files that are no scheme."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from annotation.scheme import SchemeError, preset_scheme, scheme_from_file, scheme_from_json


def preset_as_json() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(files("resources").joinpath("schemes", "floor-events.json").read_bytes())
    return data


def changed(**fields: object) -> bytes:
    data = preset_as_json()
    data["kinds"][1].update(fields)
    return json.dumps(data).encode()


def test_the_preset_has_the_kinds_of_floor_events_in_their_order() -> None:
    assert [kind.id for kind in preset_scheme().kinds] == [
        "TURN",
        "INTERRUPTION",
        "NON_FLOOR_TAKING_INTERRUPTION",
        "BACKCHANNEL",
        "NON_CONTENT",
        "HOLD",
    ]


def test_the_preset_follows_the_schema_that_is_documented() -> None:
    schema = json.loads(files("resources").joinpath("schemas", "scheme.schema.json").read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(preset_as_json(), schema)


def test_a_kind_is_found_by_its_id_and_an_unknown_one_is_none() -> None:
    assert preset_scheme().kind_of("HOLD") == preset_scheme().kinds[5]
    assert preset_scheme().kind_of("SPEECH") is None


@pytest.mark.parametrize("field", ["id", "name", "key", "letter"])
def test_two_kinds_with_one_mark_are_refused(field: str) -> None:
    twice = preset_as_json()["kinds"][0][field]
    with pytest.raises(SchemeError, match=f"Two kinds have the {field}"):
        scheme_from_json(changed(**{field: twice}), where="test")


@pytest.mark.parametrize("colour", ["red", "#12345", "#1234567", "url(x)"])
def test_what_is_no_colour_is_refused(colour: str) -> None:
    with pytest.raises(SchemeError, match="not a colour"):
        scheme_from_json(changed(light=colour), where="test")


@pytest.mark.parametrize("key", ["ab", " ", "\t"])
def test_a_key_that_cannot_be_typed_alone_is_refused(key: str) -> None:
    with pytest.raises(SchemeError, match="one printed character"):
        scheme_from_json(changed(key=key), where="test")


def test_a_fault_in_the_document_names_its_json_path() -> None:
    with pytest.raises(SchemeError, match=r"kinds\[1\]|\$\.kinds"):
        scheme_from_json(changed(key=5), where="test")


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff\xfe", b"{", b"null"])
def test_what_is_no_scheme_is_refused_with_a_sentence(data: bytes) -> None:
    with pytest.raises(SchemeError, match="This is not a scheme"):
        scheme_from_json(data, where="test")


def test_a_scheme_file_that_is_missing_or_huge_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SchemeError, match="cannot be read"):
        scheme_from_file(tmp_path / "none.json")
    (tmp_path / "huge.json").write_bytes(b" " * ((1 << 20) + 1))
    with pytest.raises(SchemeError, match="larger than 1 MiB"):
        scheme_from_file(tmp_path / "huge.json")
