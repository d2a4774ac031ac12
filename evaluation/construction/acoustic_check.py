"""Whether planned overlap is heard: simultaneous speech on the rendered channels, event by event.

Conventions: an overlap event is an INTERRUPTION, NON_FLOOR_TAKING_INTERRUPTION, BACKCHANNEL or NON_CONTENT whose parts
lie, for some time at all, under parts of others by the plan. Channels are looked at as they are written, in windows of
10 ms; a window is active where its level is 6 dB above the channel's noise and within 25 dB of the channel's active
level (20 dB with bleed). The event is realised where its own channel and a channel that it overlaps are both active, in
the same windows of the planned overlap, for at least 100 ms, or half the planned overlap where that is under 200 ms.

MultiPartyTurnBench §3.1: 2,369 of 2,436 overlap events, 97.2 %, are acoustically realised as simultaneous speech. The
paper gives no minimum; those above are decisions.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.construction.acoustics import RenderedChannels
from evaluation.construction.acts import ASIDE_KINDS, Kind, PlacedAct, ResolvedConversation, Span
from evaluation.construction.synthesis import FULL_SCALE, active_rms, window_energies

PUBLISHED_REALISED = 2_369
PUBLISHED_EVENTS = 2_436

LEAST_MS = 100
ABOVE_NOISE_DB = 6.0
BELOW_LEVEL_DB = 25.0
BELOW_LEVEL_WITH_BLEED_DB = 20.0

_OVERLAP_KINDS = ASIDE_KINDS | {Kind.INTERRUPTION}
_WINDOWS_A_SECOND = 100


@dataclass(frozen=True, slots=True)
class OverlapCheck:
    """One overlap event: how much simultaneous speech was planned, and how much is heard.

    Parameters
    ----------
    act
        Index of the act.
    under
        The speaker whose speech it overlaps most.
    planned, heard, needed
        Frames of the conversation's timeline.
    """

    act: int
    kind: Kind
    speaker: str
    under: str
    onset: int
    planned: int
    heard: int
    needed: int

    @property
    def realised(self) -> bool:
        """Whether enough of it is heard."""
        return self.heard >= self.needed


def checked_overlaps(
    resolved: ResolvedConversation, rendered: RenderedChannels, *, with_bleed: bool = False
) -> tuple[OverlapCheck, ...]:
    """Return the check of each overlap event, in the order of acts."""
    window = resolved.rate_hz // _WINDOWS_A_SECOND
    activity = {
        speaker: active_windows(rendered, speaker, resolved.rate_hz, with_bleed=with_bleed)
        for speaker in rendered.channels
    }
    checks = []
    for placed in resolved.acts:
        if placed.act.kind not in _OVERLAP_KINDS:
            continue
        shared = planned_overlaps(placed, resolved.acts)
        if shared:
            checks.append(_check(placed, shared, activity, window, resolved.rate_hz))
    return tuple(checks)


def planned_overlaps(placed: PlacedAct, acts: Iterable[PlacedAct]) -> dict[str, list[Span]]:
    """Return where others speak during an act's parts by the plan, by speaker; only those who do."""
    shared: dict[str, list[Span]] = {}
    for other in acts:
        if other.act.speaker == placed.act.speaker:
            continue
        for own in placed.spans:
            for span in other.spans:
                onset, offset = max(own.onset, span.onset), min(own.offset, span.offset)
                if onset < offset:
                    shared.setdefault(other.act.speaker, []).append(Span(onset, offset))
    return shared


def active_windows(
    rendered: RenderedChannels, speaker: str, rate_hz: int, *, with_bleed: bool = False
) -> NDArray[np.bool_]:
    """Return for each whole window of 10 ms of a channel whether there is speech in it."""
    level = active_rms(rendered.speech[speaker], rate_hz)
    below_db = BELOW_LEVEL_WITH_BLEED_DB if with_bleed else BELOW_LEVEL_DB
    least = max(rendered.noise_rms[speaker] * 10 ** (ABOVE_NOISE_DB / 20), level * 10 ** (-below_db / 20))
    samples = rendered.channels[speaker].astype(np.float64) / FULL_SCALE
    active: NDArray[np.bool_] = window_energies(samples, rate_hz // _WINDOWS_A_SECOND) >= least**2
    return active


def _check(
    placed: PlacedAct,
    shared: Mapping[str, list[Span]],
    activity: Mapping[str, NDArray[np.bool_]],
    window: int,
    rate_hz: int,
) -> OverlapCheck:
    best: tuple[int, int, str] = (-1, 0, "")
    for speaker, spans in shared.items():
        both = activity[placed.act.speaker] & activity[speaker]
        heard = sum(_active_frames(both, span, window) for span in spans)
        best = max(best, (heard, sum(span.length for span in spans), speaker))
    heard, planned, under = best
    needed = min(LEAST_MS * rate_hz // 1000, -(-planned // 2))
    return OverlapCheck(
        placed.act.index, placed.act.kind, placed.act.speaker, under, placed.onset, planned, heard, needed
    )


def _active_frames(both: NDArray[np.bool_], span: Span, window: int) -> int:
    """Return the frames of a span that lie in active windows."""
    edges = np.arange(span.onset // window, -(-span.offset // window) + 1) * window
    lengths = np.diff(np.clip(edges, span.onset, span.offset))
    windows = both[edges[0] // window : edges[0] // window + len(lengths)]
    return int(lengths[: len(windows)][windows].sum())
