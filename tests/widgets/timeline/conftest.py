"""A small recording: two speakers, ten seconds at 1 kHz, with events that overlap."""

import numpy as np
import pytest
from numpy.typing import NDArray

from widgets.timeline.values import EventRow, Lane, Span, TimelineContent


class SampledWaveform:
    """The outline of samples held in memory, at the timeline's own rate; counts how often it is asked."""

    def __init__(self, samples: NDArray[np.float32]) -> None:
        self.samples = samples
        self.provisional = False
        self.calls = 0

    def columns(self, edges: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        self.calls += 1
        low = np.full(len(edges) - 1, np.nan, dtype=np.float32)
        high = low.copy()
        for place, (first, last) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)):
            part = self.samples[max(first, 0) : max(last, first + 1)] if first >= 0 else self.samples[:0]
            if len(part):
                low[place], high[place] = part.min(), part.max()
        return low, high


@pytest.fixture
def content() -> TimelineContent:
    rng = np.random.default_rng(7)
    own = (
        Span("one", 1_000, 2_000, "hello", "T", "#1b6ac9", editable=True, tip="Turn, Anna"),
        Span("two", 1_500, 2_500, "mhm", "B", "#12803c", editable=True),
        Span("three", 6_000, 7_000, "well", "T", "#1b6ac9", editable=True),
    )
    reference = (Span("gold", 4_000, 5_000, "Turn", "T", "#1b6ac9"),)
    lanes = tuple(
        Lane(
            id=name,
            title=name.title(),
            subtitle="1 kHz",
            colour="#2a6fbb",
            waveform=SampledWaveform(rng.uniform(-0.5, 0.5, 10_000).astype(np.float32)),
            rows=rows,
            onset=0,
            offset=10_000,
        )
        for name, rows in (
            ("anna", (EventRow("own", "My labels", own, editable=True), EventRow("gold", "Reference", reference))),
            ("boris", (EventRow("own", "My labels", (), editable=True),)),
        )
    )
    return TimelineContent(1_000, 10_000, lanes)
