"""The demo that ships: what it holds, and that its events are in its sound."""

import json
from collections import Counter
from collections.abc import Iterator
from importlib.resources import as_file, files
from itertools import pairwise
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]
from numpy.typing import NDArray

from annotation.corpus import read_corpus
from annotation.events import FloorEvent
from annotation.scheme import preset_scheme
from annotation.sources import ImportedConversation
from evaluation.construction.demo import NAMES, SCRIPT, mixed_channels, placed_acts, write_demo

SILENCE_RMS = 0.0002
SPEECH_RMS = 0.005


def tone(speaker: str, text: str) -> NDArray[np.float64]:
    """Stand for a voice: a tone of the speaker’s own, 50 ms a letter."""
    frames = np.arange(800 * len(text), dtype=np.float64)
    samples: NDArray[np.float64] = 0.25 * np.sin(frames * (0.05 + 0.02 * sorted(NAMES).index(speaker)))
    return samples


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with as_file(files("resources").joinpath("demo")) as path:
        yield path


@pytest.fixture(scope="module")
def demo(folder: Path) -> ImportedConversation:
    corpus = read_corpus([folder])
    assert corpus.warnings == corpus.refused == ()
    (imported,) = corpus.conversations
    return imported


@pytest.fixture(scope="module")
def sound(demo: ImportedConversation) -> dict[str, NDArray[np.float64]]:
    channels = {channel.speaker: channel.path for channel in demo.conversation.channels}
    return {speaker: soundfile.read(path, dtype="float64")[0] for speaker, path in channels.items()}


def rms(samples: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.mean(samples**2)))


def events_of(demo: ImportedConversation, *kinds: str) -> list[FloorEvent]:
    return [event for event in demo.sources[0].events if not kinds or event.kind in kinds]


def test_the_demo_is_one_lively_conversation_of_three(demo: ImportedConversation) -> None:
    assert [channel.speaker for channel in demo.conversation.channels] == ["ana", "ben", "chidi"]
    assert 60 <= demo.conversation.duration <= 90
    kinds = Counter(event.kind for event in events_of(demo))
    assert set(kinds) == {kind.id for kind in preset_scheme().kinds}
    assert kinds["INTERRUPTION"] >= 1
    assert kinds["BACKCHANNEL"] >= 3


def test_the_demo_is_small_and_says_that_it_is_synthesised(folder: Path, demo: ImportedConversation) -> None:
    assert sum(path.stat().st_size for path in folder.iterdir()) < 2_000_000
    assert demo.conversation.attributes["synthesised"] == "hibari-tts"
    assert "No person speaks here" in (folder / "README.md").read_text(encoding="utf-8")


def test_the_manifest_follows_its_schema(folder: Path) -> None:
    schema = json.loads(files("resources").joinpath("schemas", "corpus.schema.json").read_bytes())
    jsonschema.validate(json.loads((folder / "floorscope-corpus.json").read_bytes()), schema)


def test_every_event_is_heard_in_the_channel_of_its_speaker(
    demo: ImportedConversation, sound: dict[str, NDArray[np.float64]]
) -> None:
    for event in events_of(demo):
        level = rms(sound[event.speaker][event.onset : event.offset])
        assert (level < SILENCE_RMS) if event.kind == "HOLD" else (level > SPEECH_RMS), event


def test_an_event_begins_and_ends_with_its_sound(
    demo: ImportedConversation, sound: dict[str, NDArray[np.float64]]
) -> None:
    margin = 800
    for event in events_of(demo, "TURN", "INTERRUPTION", "BACKCHANNEL", "NON_FLOOR_TAKING_INTERRUPTION", "NON_CONTENT"):
        channel = sound[event.speaker]
        assert rms(channel[event.onset - margin : event.onset]) < SILENCE_RMS
        assert rms(channel[event.offset : event.offset + margin]) < SILENCE_RMS
        assert rms(channel[event.onset : event.onset + margin]) > 5 * SILENCE_RMS
        assert rms(channel[event.offset - margin : event.offset]) > 5 * SILENCE_RMS


def test_a_channel_is_silent_but_not_dead_outside_its_events(
    demo: ImportedConversation, sound: dict[str, NDArray[np.float64]]
) -> None:
    for speaker, channel in sound.items():
        outside = np.ones(len(channel), dtype=bool)
        for event in events_of(demo):
            if event.speaker == speaker:
                outside[event.onset : event.offset] = False
        assert 0 < rms(channel[outside]) < SILENCE_RMS


def test_acts_under_another_speakers_floor_are_simultaneous_with_the_holder(
    demo: ImportedConversation, sound: dict[str, NDArray[np.float64]]
) -> None:
    for event in events_of(demo, "INTERRUPTION", "NON_FLOOR_TAKING_INTERRUPTION", "BACKCHANNEL", "NON_CONTENT"):
        assert event.holder_before
        holder = sound[event.holder_before][event.onset : event.offset]
        speaking = np.abs(holder) > 10 * SILENCE_RMS
        assert speaking.sum() > 800, event


def test_the_holder_breaks_off_soon_after_a_winning_interruption(demo: ImportedConversation) -> None:
    for event in events_of(demo, "INTERRUPTION"):
        (turn,) = [
            other
            for other in events_of(demo, "TURN")
            if other.speaker == event.holder_before and other.onset < event.onset < other.offset
        ]
        assert 0 < turn.offset - event.onset <= 8_000
        assert event.holder_after == event.speaker


def test_failed_claims_and_backchannels_leave_the_floor_where_it_is(demo: ImportedConversation) -> None:
    for event in events_of(demo, "NON_FLOOR_TAKING_INTERRUPTION", "BACKCHANNEL", "NON_CONTENT", "HOLD"):
        assert event.holder_after == event.holder_before
        assert (event.holder_before == event.speaker) == (event.kind == "HOLD")


def test_nobody_overlaps_himself_but_with_his_own_hold(demo: ImportedConversation) -> None:
    for speaker in NAMES:
        spans = sorted(
            (event.onset, event.offset)
            for event in events_of(demo)
            if event.speaker == speaker and event.kind != "HOLD"
        )
        assert all(earlier[1] <= later[0] for earlier, later in pairwise(spans))


def test_the_same_seed_gives_the_same_bytes_and_another_seed_another_background(tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        write_demo(tmp_path / name, tone, engine="tone", voices={}, seed=seed)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "same" / path.name).read_bytes()
    assert (tmp_path / "one" / "street_party_ana.flac").read_bytes() != (
        tmp_path / "other" / "street_party_ana.flac"
    ).read_bytes()


def test_speech_lies_at_the_frame_that_its_event_says() -> None:
    acts = placed_acts(SCRIPT, tone)
    channels = mixed_channels(acts, seed=3)
    for act in acts:
        assert act.event.onset_s * 16_000 == act.onset
        assert act.event.offset_s * 16_000 == act.onset + len(act.samples)
        if act.event.kind != "HOLD":
            heard = channels[act.event.speaker][act.onset : act.onset + len(act.samples)]
            np.testing.assert_allclose(heard, act.samples, atol=0.001)
