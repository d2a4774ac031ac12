"""A conversation put together by hand: a turn with a pause, a backchannel, an interruption that cuts the turn."""

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from annotation.events import NOBODY, FloorEvent
from evaluation.construction.acts import (
    Act,
    Cause,
    Interaction,
    Kind,
    PlacedAct,
    Relation,
    ResolvedConversation,
    Span,
    Speaker,
    SymbolicConversation,
    Timing,
)

RATE_HZ = 16_000
SECOND = RATE_HZ


@pytest.fixture(scope="session")
def resolved() -> ResolvedConversation:
    """Ana speaks 1–2 s and 3–4 s (cut; her clip is longer), Ben says mm at 1.4–1.8 s and interrupts at 3.6–5 s."""
    acts = (
        Act(
            0, "ana", Kind.TURN, ("One two.", "Three four."), Timing(Relation.START, None, 1000), NOBODY, "ana",
            Cause.OPENING, pauses_ms=(1000,), cut_by=2, yield_ms=400,
        ),
        Act(1, "ben", Kind.BACKCHANNEL, ("Mm.",), Timing(Relation.AT_SHARE, 0, share=0.4), "ana", "ana"),
        Act(
            2, "ben", Kind.INTERRUPTION, ("Wait now.",), Timing(Relation.AFTER_END, 0, ms=-400), "ana", "ben",
            Cause.CLAIMED,
        ),
    )  # fmt: skip
    symbolic = SymbolicConversation(
        "casual-2-01",
        Interaction.CASUAL,
        "tests",
        (Speaker("ana", "Ana"), Speaker("ben", "Ben", "low")),
        acts,
        seed=11,
    )
    placed = (
        PlacedAct(acts[0], (Span(SECOND, 2 * SECOND), Span(3 * SECOND, 4 * SECOND)), cut=True),
        PlacedAct(acts[1], (Span(22_400, 28_800),)),
        PlacedAct(acts[2], (Span(57_600, 80_000),)),
    )
    events = (
        FloorEvent(
            "ana", Kind.TURN, SECOND, 4 * SECOND, NOBODY, "ana", text="One two. Three four.", id="casual-2-01-0"
        ),
        FloorEvent("ben", Kind.BACKCHANNEL, 22_400, 28_800, "ana", "ana", text="Mm.", id="casual-2-01-1"),
        FloorEvent("ana", Kind.HOLD, 2 * SECOND, 3 * SECOND, "ana", "ana", id="casual-2-01-2"),
        FloorEvent("ben", Kind.INTERRUPTION, 57_600, 80_000, "ana", "ben", text="Wait now.", id="casual-2-01-3"),
    )
    return ResolvedConversation(symbolic, RATE_HZ, 6 * SECOND, placed, events, ())


@pytest.fixture(scope="session")
def clips() -> Mapping[tuple[int, int], NDArray[np.int16]]:
    """Tones of 300 Hz for Ana and 200 Hz for Ben; her second part is 0.5 s longer than what is heard of it."""

    def tone(frames: int, hz: float) -> NDArray[np.int16]:
        wave: NDArray[np.int16] = np.rint(2_000 * np.sin(2 * np.pi * hz * np.arange(frames) / RATE_HZ)).astype(np.int16)
        return wave

    return {
        (0, 0): tone(SECOND, 300),
        (0, 1): tone(24_000, 300),
        (1, 0): tone(6_400, 200),
        (2, 0): tone(22_400, 200),
    }
