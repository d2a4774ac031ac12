"""Repairs: an overlap that falls into a silence is moved, a clip that is missing takes its aside along."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from annotation.cancellation import CancelToken
from annotation.events import NOBODY
from evaluation.construction.acoustic_check import OverlapCheck
from evaluation.construction.acoustics import AcousticSettings
from evaluation.construction.acts import (
    Act,
    Cause,
    Interaction,
    Kind,
    Relation,
    Speaker,
    SymbolicConversation,
    Timing,
)
from evaluation.construction.building import Tools, built_conversation, retimed, without_acts
from evaluation.construction.resolution import resolve
from evaluation.construction.synthesis import Speech, SynthesisError
from evaluation.construction.synthesiser import Synthesiser
from evaluation.construction.voices import voice_pool, voices_of


class BreathingEngine:
    """Says everything as a tone; a text with a dash has a silence of 0.4 s in its middle."""

    name = "breathing"
    version = "1"
    licence = "none"
    natural = False
    deterministic = True
    stretches = False

    def __init__(self, *, dumb: str = "nothing") -> None:
        self._dumb = dumb
        self.asked: list[str] = []

    def voices(self) -> Sequence[str]:
        return ("one", "two", "three")

    def speak(self, text: str, voice: str, *, seed: int, stretch: float = 1.0) -> Speech:
        self.asked.append(text)
        if self._dumb in text:
            raise SynthesisError("That cannot be said.")
        samples = 0.3 * np.sin(np.arange(800 * len(text)) / 9)
        if "–" in text:
            middle = len(samples) // 2
            samples[middle - 3_200 : middle + 3_200] = 0
        return Speech(samples, 16_000)

    def close(self) -> None:
        return None


def conversation(share: float) -> SymbolicConversation:
    acts = (
        Act(
            0, "ana", Kind.TURN, ("And so we came there – and it had rained all day long, all day.",),
            Timing(Relation.START, ms=800), NOBODY, "ana", Cause.OPENING,
        ),
        Act(1, "ben", Kind.BACKCHANNEL, ("Mm hm.",), Timing(Relation.AT_SHARE, 0, share=share), "ana", "ana"),
        Act(
            2, "ben", Kind.TURN, ("We took a taxi home then, the two of us.",), Timing(Relation.AFTER_END, 0, ms=200),
            NOBODY, "ben", Cause.SELF_SELECTED,
        ),
    )  # fmt: skip
    speakers = (Speaker("ana", "Ana"), Speaker("ben", "Ben", "low"))
    return SymbolicConversation("c", Interaction.CASUAL, "rain", speakers, acts, seed=4)


def tools_with(engine: BreathingEngine) -> Tools:
    pool = voice_pool(voices_of([engine]), dev_speakers=0, test_speakers=2, seed=1)
    synthesiser = Synthesiser([engine], None, rate_hz=16_000, seed=0)
    return Tools(resolve, synthesiser, pool, None, AcousticSettings())


def test_an_aside_in_a_silence_of_its_host_is_moved_to_where_it_is_heard() -> None:
    built = built_conversation(conversation(0.47), tools_with(BreathingEngine()), CancelToken())
    assert [check.realised for check in built.overlaps] == [True]
    assert len(built.repairs) == 1
    assert "BACKCHANNEL of ben" in built.repairs[0]


def test_an_aside_that_is_heard_stays_where_it_is() -> None:
    built = built_conversation(conversation(0.2), tools_with(BreathingEngine()), CancelToken())
    assert built.repairs == []
    placed = built.resolved.acts[1]
    host = built.resolved.acts[0]
    assert placed.onset == pytest.approx(host.onset + 0.2 * (host.offset - host.onset), abs=32)


def test_an_aside_that_cannot_be_said_is_left_out_and_asked_for_twice() -> None:
    engine = BreathingEngine(dumb="Mm hm")
    built = built_conversation(conversation(0.2), tools_with(engine), CancelToken())
    assert engine.asked.count("Mm hm.") == 2
    assert [placed.act.kind for placed in built.resolved.acts] == [Kind.TURN, Kind.TURN]
    assert len(built.left_out) == 1
    assert "“Mm hm.”: That cannot be said." in built.left_out[0]


def test_a_turn_that_cannot_be_said_is_an_error_of_its_conversation() -> None:
    with pytest.raises(SynthesisError, match="cannot be said"):
        built_conversation(conversation(0.2), tools_with(BreathingEngine(dumb="taxi")), CancelToken())


def test_acts_left_out_take_no_reference_along() -> None:
    symbolic = conversation(0.2)
    moved = replace(symbolic.acts[2], timing=Timing(Relation.AFTER_END, 0, ms=5))
    shorter = without_acts(replace(symbolic, acts=(*symbolic.acts[:2], moved)), {0: 0, 2: 1})
    assert [act.index for act in shorter.acts] == [0, 1]
    assert shorter.acts[1].timing.anchor == 0


def test_shares_are_counted_from_the_original_and_the_last_try_lets_the_holder_talk_longer() -> None:
    symbolic = conversation(0.5)
    cut = replace(symbolic.acts[0], cut_by=2, yield_ms=300)
    claim = replace(
        symbolic.acts[2], kind=Kind.INTERRUPTION, timing=Timing(Relation.AT_SHARE, 0, share=0.6), cause=Cause.CLAIMED
    )
    original = replace(symbolic, acts=(cut, symbolic.acts[1], claim))
    missed = [OverlapCheck(2, Kind.INTERRUPTION, "ben", "ana", 0, 4_800, 0, 1_600)]
    current = original
    shares = []
    for attempt in range(3):
        current = retimed(original, current, missed, attempt)
        shares.append(round(current.acts[2].timing.share, 2))
    assert shares == [0.67, 0.53, 0.75]
    assert current.acts[0].yield_ms == 450
