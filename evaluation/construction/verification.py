"""An independent check: speech activity measured on the channels of a corpus, against its event log.

It shares no code with the stages that made the corpus: it reads the manifest as any corpus is read, and listens to the
files. Speech is found by Silero (its published thresholds, spans from 60 ms on), or, as a second opinion, by energy.

Conventions
-----------
- Speech by the log is the union of a speaker's events without their HOLDs. An edge of it can be measured where at least
  0.3 s of silence by the log lie on its other side: two acts with less between them melt into one.
- An onset is found where a measured span begins within 0.5 s of it, the nearest one counts, each once; likewise an
  offset. The error is measured minus logged, so that a positive error is late.
- A measured span is stray where it lies wholly outside of speech by the log, widened by 0.1 s.
- Energy: 10 ms windows; speech is where the level, the median of five windows, is 9 dB above the 10th percentile of the
  channel; spans closer than 0.15 s are one, and spans under 60 ms none.

What the log calls an onset is the first 5 ms within 34 dB of a clip's peak. A detector that waits for a voiced sound
hears a soft consonant later, so a few tens of milliseconds late at onsets are no fault of the log.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
import soundfile  # type: ignore[import-untyped]
from numpy.typing import NDArray
from scipy.ndimage import median_filter  # type: ignore[import-untyped]

from annotation.audio.cache import AudioCache
from annotation.audio.refusal import AudioRefusedError
from annotation.audio.speech_activity import SpeechActivity, speech_activities
from annotation.audio.speech_spans import SpeechRule
from annotation.cancellation import CancelToken, Progress, no_progress
from annotation.conversation import Channel
from annotation.errors import FloorscopeError
from annotation.events import FloorEvent
from annotation.sources import ImportedConversation, SourceRole
from annotation.timebase import frames_from_tolerance

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
CLEAR_S = "0.3"
WITHIN_S = "0.5"
WIDENED_S = "0.1"

_HOLD = "HOLD"
_SILERO_RULE = SpeechRule(least_speech_ms=60)

Spans = NDArray[np.int64]
"""Shape ``(n, 2)``: half-open, in order and apart, in timeline frames."""

Detector = Callable[[Sequence[Channel], int], Sequence[Spans]]
"""Gives measured speech for each channel, at a timeline rate in Hz."""


class VerificationError(FloorscopeError):
    """A corpus that cannot be listened to."""

    code = "verification"
    exit_code = 1


class EdgeErrors(msgspec.Struct, frozen=True):
    """How far measured edges lie from logged ones.

    Parameters
    ----------
    n
        Edges of the log that can be measured.
    found
        Those with a measured edge within 0.5 s.
    quantiles_ms
        Of measured minus logged over those found, at 5, 25, 50, 75 and 95 %; empty without any.
    within_100_ms
        Share of `n`.
    """

    n: int
    found: int
    quantiles_ms: tuple[float, ...]
    within_100_ms: float | None


class Verification(msgspec.Struct, frozen=True):
    """What listening to a corpus gave.

    Parameters
    ----------
    by_kind
        Onsets by the kind of the event that they begin.
    not_clear
        Edges of the log with less than 0.3 s of silence beyond them, which no detector can tell.
    speech_s, heard_s
        Seconds of speech by the log, and how many of them are in measured spans.
    stray_spans
        Measured spans that lie wholly outside of speech by the log.
    """

    detector: str
    conversations: int
    channels: int
    onsets: EdgeErrors
    offsets: EdgeErrors
    by_kind: dict[str, EdgeErrors]
    not_clear: int
    speech_s: float
    heard_s: float
    stray_spans: int
    measured_spans: int


@dataclass(slots=True)
class _Tally:
    onsets: list[int | None]
    offsets: list[int | None]
    kinds: list[str]
    not_clear: int = 0
    speech_s: float = 0.0
    heard_s: float = 0.0
    stray: int = 0
    measured: int = 0
    channels: int = 0
    conversations: int = 0


def verified(
    conversations: Iterable[ImportedConversation],
    detector: Detector,
    name: str,
    cancel: CancelToken,
    progress: Progress = no_progress,
) -> Verification:
    """Return how well measured speech and the event log of a corpus agree.

    Parameters
    ----------
    detector
        Such as `silero_detector` or `energy_spans_of`.
    name
        Of the detector, for the record.

    Raises
    ------
    VerificationError
        If a conversation has no reference events.
    CancelledError
        If `cancel` was set.
    """
    conversations = list(conversations)
    tally = _Tally([], [], [])
    for position, imported in enumerate(conversations):
        cancel.check()
        events = next((source.events for source in imported.sources if source.role is SourceRole.REFERENCE), None)
        if events is None:
            raise VerificationError("There are no reference events.", where=imported.conversation.id)
        _tally_conversation(tally, imported, events, detector)
        progress((position + 1) / len(conversations))
    return Verification(
        detector=name,
        conversations=tally.conversations,
        channels=tally.channels,
        onsets=_errors(tally.onsets),
        offsets=_errors(tally.offsets),
        by_kind={
            kind: _errors([error for error, own in zip(tally.onsets, tally.kinds, strict=True) if own == kind])
            for kind in sorted(set(tally.kinds))
        },
        not_clear=tally.not_clear,
        speech_s=round(tally.speech_s, 3),
        heard_s=round(tally.heard_s, 3),
        stray_spans=tally.stray,
        measured_spans=tally.measured,
    )


def _tally_conversation(
    tally: _Tally, imported: ImportedConversation, events: Sequence[FloorEvent], detector: Detector
) -> None:
    conversation = imported.conversation
    rate_hz = conversation.rate_hz
    tally.conversations += 1
    for channel, measured in zip(conversation.channels, detector(conversation.channels, rate_hz), strict=True):
        own = [event for event in events if event.speaker == channel.speaker]
        logged = logged_speech(own)
        kinds = {event.onset: event.kind for event in own if event.kind != _HOLD}
        _tally_channel(tally, logged, measured, kinds, conversation.frames, rate_hz)


def _tally_channel(
    tally: _Tally, logged: Spans, measured: Spans, kinds: dict[int, str], frames: int, rate_hz: int
) -> None:
    tally.channels += 1
    tally.measured += len(measured)
    tally.speech_s += int((logged[:, 1] - logged[:, 0]).sum()) / rate_hz
    tally.heard_s += overlapping_frames(logged, measured) / rate_hz
    widened = logged + np.array([-1, 1]) * frames_from_tolerance(WIDENED_S, rate_hz)
    tally.stray += sum(not ((widened[:, 0] < offset) & (onset < widened[:, 1])).any() for onset, offset in measured)
    clear = frames_from_tolerance(CLEAR_S, rate_hz)
    within = frames_from_tolerance(WITHIN_S, rate_hz)
    gaps = np.concatenate(([clear], logged[1:, 0] - logged[:-1, 1], [clear]))
    onsets, offsets = logged[gaps[:-1] >= clear, 0], logged[gaps[1:] >= clear, 1]
    tally.not_clear += 2 * len(logged) - len(onsets) - len(offsets)
    tally.onsets += [_ms(error, rate_hz) for error in nearest_errors(onsets, measured[:, 0], within)]
    tally.offsets += [_ms(error, rate_hz) for error in nearest_errors(offsets, measured[:, 1], within)]
    tally.kinds += [kinds.get(int(onset), "after a hold") for onset in onsets]


def logged_speech(events: Iterable[FloorEvent]) -> Spans:
    """Return one speaker's speech by the log: the union of the events without the holds."""
    events = list(events)
    edges: list[tuple[int, int]] = []
    holds = merged([(event.onset, event.offset) for event in events if event.kind == _HOLD])
    for onset, offset in merged([(event.onset, event.offset) for event in events if event.kind != _HOLD]):
        for first, last in holds:
            if onset <= first and last <= offset:
                edges.append((int(onset), int(first)))
                onset = last
        edges.append((int(onset), int(offset)))
    return merged([(onset, offset) for onset, offset in edges if onset < offset])


def merged(spans: Iterable[tuple[int, int]]) -> Spans:
    """Return the union of spans, those that touch as one."""
    result: list[list[int]] = []
    for onset, offset in sorted(spans):
        if result and onset <= result[-1][1]:
            result[-1][1] = max(result[-1][1], offset)
        else:
            result.append([onset, offset])
    return np.array(result, dtype=np.int64).reshape(-1, 2)


def overlapping_frames(some: Spans, others: Spans) -> int:
    """Return how many frames lie in spans of both."""
    first, last = np.maximum.outer(some[:, 0], others[:, 0]), np.minimum.outer(some[:, 1], others[:, 1])
    return int(np.maximum(last - first, 0).sum())


def nearest_errors(logged: NDArray[np.int64], measured: NDArray[np.int64], within: int) -> list[int | None]:
    """Return for each logged edge the nearest measured minus it, None where none lies within; each counts once."""
    pairs = sorted(
        (abs(int(found) - int(edge)), place, other)
        for place, edge in enumerate(logged)
        for other, found in enumerate(measured)
        if abs(int(found) - int(edge)) <= within
    )
    errors: list[int | None] = [None] * len(logged)
    used: set[int] = set()
    for _, place, other in pairs:
        if errors[place] is None and other not in used:
            errors[place] = int(measured[other]) - int(logged[place])
            used.add(other)
    return errors


def _ms(error: int | None, rate_hz: int) -> int | None:
    return None if error is None else round(1000 * error / rate_hz)


def _errors(errors: Sequence[int | None]) -> EdgeErrors:
    found = [error for error in errors if error is not None]
    quantiles = tuple(round(float(value), 1) for value in np.quantile(found, QUANTILES)) if found else ()
    near = sum(abs(error) <= 100 for error in found) / len(errors) if errors else None
    return EdgeErrors(len(errors), len(found), quantiles, near)


def silero_detector(cache: AudioCache, cancel: CancelToken) -> Detector:
    """Return Silero as a detector; probabilities are kept in a cache."""

    def detect(channels: Sequence[Channel], rate_hz: int) -> list[Spans]:
        outcomes = speech_activities(channels, rate_hz, cache, cancel, no_progress, _SILERO_RULE)
        return [_spans_of(outcome) for outcome in outcomes]

    return detect


def _spans_of(outcome: SpeechActivity | AudioRefusedError) -> Spans:
    if isinstance(outcome, AudioRefusedError):
        raise outcome
    return np.stack((outcome.onsets, outcome.offsets), axis=1)


def energy_spans_of(channels: Sequence[Channel], rate_hz: int) -> list[Spans]:
    """Return measured speech of each channel by energy; see the module.

    Raises
    ------
    VerificationError
        If a channel has no audio of the timeline's rate.
    """
    found = []
    for channel in channels:
        if channel.path is None or channel.rate_hz != rate_hz or channel.start_frame:
            raise VerificationError("The channel has no audio on the timeline itself.", where=channel.speaker)
        samples = soundfile.read(channel.path, dtype="float64", always_2d=True)[0][:, channel.index]
        found.append(energy_spans(samples, rate_hz))
    return found


def energy_spans(samples: NDArray[np.float64], rate_hz: int) -> Spans:
    """Return where the level of samples is well above their floor."""
    window = rate_hz // 100
    usable = len(samples) // window * window
    power = np.square(samples[:usable].reshape(-1, window)).mean(axis=1)
    level_db = median_filter(10 * np.log10(power + 1e-12), size=5, mode="nearest")
    active = level_db > np.quantile(level_db, 0.1) + 9
    edges = np.flatnonzero(np.diff(np.concatenate(([0], active.astype(np.int8), [0]))))
    spans = merged([(int(onset), int(offset)) for onset, offset in edges.reshape(-1, 2)])
    joined: list[list[int]] = []
    for onset, offset in spans.tolist():
        if joined and onset - joined[-1][1] < 15:
            joined[-1][1] = offset
        else:
            joined.append([onset, offset])
    kept = [(onset * window, offset * window) for onset, offset in joined if offset - onset >= 6]
    return np.array(kept, dtype=np.int64).reshape(-1, 2)
