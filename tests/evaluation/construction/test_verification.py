"""The independent check of a corpus: what it measures, on a corpus with and without a fault in its log."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from annotation.cancellation import CancelToken
from annotation.conversation import Channel, Conversation
from annotation.corpus import read_corpus
from annotation.events import FloorEvent
from annotation.formats.manifest import Synthesis
from annotation.sources import ImportedConversation
from evaluation.construction.acoustics import AcousticSettings, drawn_room, rendered_channels
from evaluation.construction.acts import ResolvedConversation
from evaluation.construction.assembly import AssembledConversation, write_conversation, write_manifest
from evaluation.construction.synthesis import Voice
from evaluation.construction.verification import (
    VerificationError,
    energy_spans,
    energy_spans_of,
    logged_speech,
    nearest_errors,
    verified,
)

Clips = Mapping[tuple[int, int], NDArray[np.int16]]


@pytest.fixture
def corpus(tmp_path: Path, resolved: ResolvedConversation, clips: Clips) -> tuple[ImportedConversation, ...]:
    room = drawn_room(AcousticSettings(), ("ana", "ben"), 5)
    voices = {"ana": Voice("flite", "slt"), "ben": Voice("flite", "rms", 0.9)}
    assembled = AssembledConversation(resolved, rendered_channels(resolved, clips, room), room, voices, {}, ())
    record = write_conversation(tmp_path, assembled)
    write_manifest(tmp_path, [record], name="T", description="", licence="", synthesis=Synthesis("tones"))
    return read_corpus([tmp_path]).conversations


def test_a_true_log_agrees_with_what_is_heard(corpus: tuple[ImportedConversation, ...]) -> None:
    found = verified(corpus, energy_spans_of, "energy", CancelToken())
    assert (found.onsets.n, found.onsets.found) == (4, 4)
    assert (found.offsets.n, found.offsets.found) == (4, 4)
    assert max(abs(error) for error in (*found.onsets.quantiles_ms, *found.offsets.quantiles_ms)) <= 20
    assert found.onsets.within_100_ms == 1.0
    assert found.stray_spans == 0
    assert found.not_clear == 0
    assert found.heard_s == pytest.approx(found.speech_s, rel=0.03)
    assert set(found.by_kind) == {"TURN", "BACKCHANNEL", "INTERRUPTION", "after a hold"}


def test_a_log_that_is_late_is_found_out(corpus: tuple[ImportedConversation, ...]) -> None:
    (imported,) = corpus
    late = tuple(
        dataclasses.replace(event, onset=event.onset + 3_200, offset=event.offset + 3_200)
        for event in imported.sources[0].events
    )
    shifted = dataclasses.replace(imported, sources=(dataclasses.replace(imported.sources[0], events=late),))
    found = verified([shifted], energy_spans_of, "energy", CancelToken())
    assert found.onsets.quantiles_ms[2] == pytest.approx(-200, abs=20)
    assert found.onsets.within_100_ms == 0


def test_speech_that_the_log_does_not_know_is_counted(corpus: tuple[ImportedConversation, ...]) -> None:
    (imported,) = corpus
    fewer = tuple(event for event in imported.sources[0].events if event.kind != "BACKCHANNEL")
    shortened = dataclasses.replace(imported, sources=(dataclasses.replace(imported.sources[0], events=fewer),))
    assert verified([shortened], energy_spans_of, "energy", CancelToken()).stray_spans == 1


def test_without_a_log_there_is_nothing_to_verify() -> None:
    bare = ImportedConversation(Conversation("c", 16_000, (Channel("ana", None, 0, 16_000, 0, 0),)))
    with pytest.raises(VerificationError, match="no reference events"):
        verified([bare], energy_spans_of, "energy", CancelToken())


def test_speech_by_the_log_is_what_lies_between_holds() -> None:
    events = [
        FloorEvent("ana", "TURN", 0, 100),
        FloorEvent("ana", "HOLD", 40, 60),
        FloorEvent("ana", "NON_CONTENT", 90, 130),
        FloorEvent("ana", "TURN", 200, 210),
    ]
    assert logged_speech(events).tolist() == [[0, 40], [60, 130], [200, 210]]
    assert logged_speech([]).shape == (0, 2)


def test_each_measured_edge_counts_for_one_logged_edge_the_nearest_first() -> None:
    assert nearest_errors(np.array([100, 150]), np.array([149, 400]), 60) == [None, -1]
    assert nearest_errors(np.array([100, 150]), np.array([95, 149]), 60) == [-5, -1]
    assert nearest_errors(np.array([], dtype=np.int64), np.array([1]), 60) == []


def test_energy_finds_a_tone_in_noise_and_nothing_in_noise_alone() -> None:
    noise = np.random.default_rng(1).standard_normal(32_000) * 0.01
    tone = noise.copy()
    tone[8_000:16_000] += 0.2 * np.sin(np.arange(8_000) / 5)
    (span,) = energy_spans(tone, 16_000)
    assert span == pytest.approx([8_000, 16_000], abs=320)
    assert energy_spans(noise, 16_000).shape == (0, 2)
