"""The suite on disk: what the agent hears, the cue, the event, the document."""

import json
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from annotation.cancellation import CancelledError, CancelToken
from evaluation.construction.acoustics import AcousticSettings
from evaluation.construction.construction import Listener, Makers
from evaluation.construction.report import suite_as_json, suite_sentences
from evaluation.construction.resolution import resolve
from evaluation.construction.scenarios import scenario_suite
from evaluation.construction.stages import script_writer_for
from evaluation.construction.suite import MadeSuite, construct_suite, mixed_stream
from tests.evaluation.construction.tone_corpus import ToneEngine


def make_suite(
    folder: Path, cancel: CancelToken | None = None, listener: Listener = lambda done, of, name: None
) -> MadeSuite:
    return construct_suite(
        folder,
        scenario_suite(5, script_writer_for("grammar"), count=1),
        Makers(resolve, (ToneEngine(),), None, None),
        seed=5,
        script="grammar",
        acoustics=AcousticSettings(),
        cancel=cancel or CancelToken(),
        listener=listener,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("suite")
    make_suite(place)
    return place


@pytest.fixture(scope="module")
def scenarios(folder: Path) -> dict[str, dict[str, Any]]:
    document = json.loads((folder / "floorscope-suite.json").read_bytes())
    return {scenario["condition"]: scenario for scenario in document["scenarios"]}


def test_each_condition_has_its_decision_and_only_stop_has_an_event(scenarios: dict[str, dict[str, Any]]) -> None:
    found = {name: (each["decision"], each["should_act"], "event" in each) for name, each in scenarios.items()}
    assert found == {
        "eot": ("start", True, False),
        "hold": ("start", False, False),
        "interruption": ("stop", True, True),
        "backchannel": ("stop", False, True),
    }


def test_the_document_obeys_its_schema(folder: Path) -> None:
    schemas = files("resources").joinpath("schemas")
    suite, corpus = (json.loads(schemas.joinpath(f"{name}.schema.json").read_bytes()) for name in ("suite", "corpus"))
    registry: Registry[Any] = Registry().with_resource("corpus.schema.json", Resource.from_contents(corpus))
    document = json.loads((folder / "floorscope-suite.json").read_bytes())
    assert list(Draft202012Validator(suite, registry=registry).iter_errors(document)) == []


def test_the_stream_is_all_channels_with_the_room_after_the_speech(
    folder: Path, scenarios: dict[str, dict[str, Any]]
) -> None:
    for scenario in scenarios.values():
        stream, rate_hz = soundfile.read(folder / scenario["stream"])
        channels = [soundfile.read(folder / channel["path"])[0] for channel in scenario["channels"]]
        assert stream == pytest.approx(np.sum(channels, axis=0), abs=1e-4)
        assert len(stream) / rate_hz == pytest.approx(scenario["duration_s"])
        tail = stream[round(scenario["lead_in_s"] * rate_hz) :]
        assert len(tail) / rate_hz == pytest.approx(15, abs=0.01)
        assert 0 < np.abs(tail).max() < 0.5 * np.abs(stream).max()


def test_the_cue_is_the_hold_or_the_end_of_the_speech(scenarios: dict[str, dict[str, Any]]) -> None:
    for name in ("eot", "interruption", "backchannel"):
        cue = scenarios[name]["cue"]
        assert cue["onset_s"] == cue["offset_s"] == scenarios[name]["lead_in_s"]
    hold = scenarios["hold"]
    (logged,) = [event for event in hold["events"] if event["kind"] == "HOLD"]
    assert (hold["cue"]["onset_s"], hold["cue"]["offset_s"]) == (logged["onset_s"], logged["offset_s"])
    assert hold["cue"]["offset_s"] - hold["cue"]["onset_s"] >= 1
    assert hold["cue"]["offset_s"] < hold["lead_in_s"]


def test_the_event_is_speech_alone_of_somebody_who_is_there(folder: Path, scenarios: dict[str, dict[str, Any]]) -> None:
    for name, kind in (("interruption", "INTERRUPTION"), ("backchannel", "BACKCHANNEL")):
        event = scenarios[name]["event"]
        samples, rate_hz = soundfile.read(folder / event["path"])
        assert event["kind"] == kind
        assert event["after_onset_s"] == 1
        assert len(samples) / rate_hz == pytest.approx(event["duration_s"])
        assert event["speaker"] in {channel["speaker"] for channel in scenarios[name]["channels"]}
        assert np.abs(samples).max() > 0.02


def test_an_interrupted_suite_goes_on_to_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    cancel = CancelToken()
    with pytest.raises(CancelledError):
        make_suite(tmp_path, cancel, lambda done, of, name: cancel.cancel())
    make_suite(tmp_path)
    names = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert all((folder / name).read_bytes() == (tmp_path / name).read_bytes() for name in names)


def test_the_report_counts_conditions(folder: Path) -> None:
    made = make_suite(folder)
    document = suite_as_json(made)
    assert document["conditions"] == dict(Counter(["eot", "hold", "interruption", "backchannel"]))
    assert document["done"] == 4
    assert "4 of 4 scenarios" in next(suite_sentences(made))


def test_a_loud_mix_is_lowered_with_its_event() -> None:
    loud = {name: np.full(100, 25_000, dtype=np.int16) for name in ("ana", "ben")}
    stream, event = mixed_stream(loud, np.full(50, 0.5))
    assert event is not None
    assert stream.max() == round(32_768 * 10 ** (-1 / 20))
    assert event[0] / stream[0] == pytest.approx(0.5 * 32_768 / 50_000, rel=1e-3)
