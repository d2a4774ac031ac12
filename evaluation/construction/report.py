"""What a construction says of itself: one JSON document, and the same in sentences and tables for a terminal."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from annotation.events import FloorEvent
from annotation.timebase import frame_from_seconds
from evaluation.construction.assembly import ConversationRecord
from evaluation.construction.construction import Construction
from evaluation.construction.measurement import DynamicsRow, EventLog, measure
from evaluation.construction.run_file import Realised, RunFile
from evaluation.construction.suite import MadeSuite
from evaluation.construction.verification import QUANTILES, EdgeErrors, Verification

PUBLISHED_DYNAMICS: Mapping[str, Mapping[str, float]] = {
    "Collaborative": {"interruptions_per_minute": 1.33},
    "Narrative": {"turn_s": 9.22},
    "Casual": {"events_per_minute": 19.4, "turn_s": 4.81},
}
"""MultiPartyTurnBench App. D.1."""


def construction_as_json(made: Construction, verifications: Sequence[Verification] = ()) -> dict[str, Any]:
    """Return the document that ``floorscope construct --json`` prints."""
    settings = made.run.settings
    return {
        "manifest": str(made.manifest),
        "conversations": len(settings.conversations),
        "done": len(made.run.done),
        "failed": [{"id": name, "reason": reason} for name, reason in made.run.failed.items()],
        "duration_s": float(sum((record.duration_s for record in made.records), Decimal(0))),
        "engines": [msgspec.to_builtins(engine) for engine in settings.engines],
        "aligner": settings.aligner,
        "base_voices": settings.base_voices,
        "voices": {split: sum(voice.split == split for voice in settings.voices) for split in ("dev", "test")},
        "repairs": sum(len(record.repairs) for record in made.records),
        "left_out": [text for record in made.records for text in record.left_out],
        "acoustic_check": _check_as_json(made.run),
        "dynamics": {row.interaction: _row_as_json(row) for row in dynamics_of(made)},
        "verification": [_verification_as_json(verification) for verification in verifications],
    }


def suite_as_json(made: MadeSuite) -> dict[str, Any]:
    """Return the document that ``floorscope construct --suite … --json`` prints."""
    settings = made.run.settings
    return {
        "suite": str(made.document),
        "protocol": settings.suite,
        "scenarios": len(settings.conversations),
        "done": len(made.run.done),
        "failed": [{"id": name, "reason": reason} for name, reason in made.run.failed.items()],
        "conditions": dict(Counter(record.scenario.condition for record in made.records)),
        "engines": [msgspec.to_builtins(engine) for engine in settings.engines],
        "base_voices": settings.base_voices,
        "acoustic_check": _check_as_json(made.run),
    }


def suite_sentences(made: MadeSuite) -> Iterator[str]:
    """Yield what ``floorscope construct --suite …`` prints for people."""
    settings = made.run.settings
    yield f"{made.document}: {len(made.run.done)} of {len(settings.conversations)} scenarios."
    counts = Counter(record.scenario.condition for record in made.records)
    yield "Conditions: " + ", ".join(f"{count} {condition}" for condition, count in counts.items()) + "."
    for name, reason in made.run.failed.items():
        yield f"Not made: {name}: {reason}"
    yield from _check_sentences(made.run)


def _check_as_json(run: RunFile) -> dict[str, Any] | None:
    check = run.acoustic_check
    if check is None:
        return None
    return {
        **_figure(check.all),
        "by_kind": {kind: _figure(realised) for kind, realised in check.by_kind.items()},
        "repaired": check.repaired,
        "published": _figure(check.published),
    }


def event_logs(records: Iterable[ConversationRecord], rate_hz: int) -> Iterator[EventLog]:
    """Yield the event log of each conversation in frames, as `measure` takes it."""
    for record in records:
        events = tuple(
            FloorEvent(
                event.speaker,
                event.kind,
                frame_from_seconds(event.onset_s, rate_hz),
                frame_from_seconds(event.offset_s, rate_hz),
                event.holder_before,
                event.holder_after,
            )
            for event in record.conversation.events or ()
        )
        frames = frame_from_seconds(record.duration_s, rate_hz)
        yield EventLog(record.conversation.attributes["interaction"], rate_hz, frames, events)


def dynamics_of(made: Construction) -> tuple[DynamicsRow, ...]:
    """Return the measured dynamics of what is whole, a row for each interaction type and one over all."""
    rate_hz = made.run.settings.rate_hz
    return measure(event_logs(made.records, rate_hz)) if made.records else ()


def _row_as_json(row: DynamicsRow) -> dict[str, Any]:
    return {
        "conversations": row.conversations,
        "minutes": row.minutes,
        "counts": dict(row.counts),
        "events_per_minute": row.events_per_minute,
        "interruptions_per_minute": row.interruptions_per_minute,
        "turn_s": row.turn_s,
        "hold_s": row.hold_s,
        "cut_off": row.cut_off,
        "early": row.early,
        "overlap_events": row.overlap_events,
        "overlap_share": row.overlap_share,
        "gap_quantiles_s": list(row.gap_quantiles_s),
    }


def _dynamics_sentences(rows: Iterable[DynamicsRow]) -> Iterator[str]:
    yield ""
    yield "Dynamics, measured on the event logs (published where there is a figure)"
    yield f"  {'':16}{'number':>7}{'minutes':>9}{'events/min':>18}{'interr./min':>18}{'turn, s':>18}{'overlap':>9}"
    for row in rows:
        published = PUBLISHED_DYNAMICS.get(row.interaction, {})
        cells = (
            _with_published(row.events_per_minute, published.get("events_per_minute"), 1),
            _with_published(row.interruptions_per_minute, published.get("interruptions_per_minute"), 2),
            _with_published(row.turn_s, published.get("turn_s"), 2),
        )
        overlap = "–" if row.overlap_share is None else f"{100 * row.overlap_share:.1f} %"
        yield f"  {row.interaction:16}{row.conversations:7}{row.minutes:9.1f}{''.join(cells)}{overlap:>9}"


def _with_published(value: float | None, published: float | None, digits: int) -> str:
    text = "–" if value is None else f"{value:.{digits}f}"
    return f"{text if published is None else f'{text} ({published:.{digits}f})':>18}"


def _figure(realised: Realised) -> dict[str, Any]:
    figure: dict[str, Any] = {"value": realised.value, "n": realised.n, "realised": realised.realised}
    return figure | ({"reason": realised.reason} if realised.reason else {})


def _verification_as_json(verification: Verification) -> dict[str, Any]:
    document: dict[str, Any] = msgspec.to_builtins(verification)
    document["quantiles"] = list(QUANTILES)
    return document


def construction_sentences(made: Construction, verifications: Sequence[Verification] = ()) -> Iterator[str]:
    """Yield what ``floorscope construct`` prints for people."""
    settings = made.run.settings
    minutes = sum((record.duration_s for record in made.records), Decimal(0)) / 60
    counts = f"{len(made.run.done)} of {len(settings.conversations)} conversations"
    yield f"{made.manifest}: {counts}, {minutes:.1f} minutes."
    engines = " and ".join(f"{engine.name} {engine.version}" for engine in settings.engines)
    parts = {split: sum(voice.split == split for voice in settings.voices) for split in ("dev", "test")}
    yield (
        f"Voices: {engines}; {settings.base_voices} base voices, {parts['dev']} voices for dev and {parts['test']} "
        "others for test by shifts of pitch."
    )
    if not all(engine.natural for engine in settings.engines):
        yield "These voices are plainly synthetic: turn detectors that listen to prosody are at chance on them."
    for name, reason in made.run.failed.items():
        yield f"Not made: {name}: {reason}"
    for record in made.records:
        yield from (f"Left out of {record.conversation.id}: {text}" for text in record.left_out)
    yield from _dynamics_sentences(dynamics_of(made))
    yield from _check_sentences(made.run)
    for verification in verifications:
        yield from _verification_sentences(verification)


def _check_sentences(run: RunFile) -> Iterator[str]:
    check = run.acoustic_check
    if check is None:
        return
    yield ""
    yield "Acoustic check: overlap events that are heard as simultaneous speech"
    rows: Mapping[str, Realised] = {**check.by_kind, "all": check.all, "published": check.published}
    for name, realised in rows.items():
        share = "–" if realised.value is None else f"{100 * realised.value:.1f} %"
        yield f"  {name:30} {realised.realised:6,} of {realised.n:6,}  {share:>8}"
    yield f"  {check.repaired} times an overlap was moved because it was not heard at first."


def _verification_sentences(verification: Verification) -> Iterator[str]:
    yield ""
    yield (
        f"Measured speech ({verification.detector}) against the event log, {verification.channels} channels: "
        f"measured minus logged, ms"
    )
    heads = "".join(f"{f'{100 * quantile:g} %':>8}" for quantile in QUANTILES)
    yield f"  {'':30} {'edges':>7} {'found':>8}{heads}{'±100 ms':>9}"
    rows = {"onsets": verification.onsets, "offsets": verification.offsets}
    rows |= {f"onsets of {kind}": errors for kind, errors in verification.by_kind.items()}
    for name, errors in rows.items():
        yield _edge_row(name, errors)
    heard = 100 * verification.heard_s / verification.speech_s if verification.speech_s else 0
    yield (
        f"  {heard:.1f} % of logged speech lies in measured speech; {verification.stray_spans} of "
        f"{verification.measured_spans} measured spans lie where the log has none."
    )


def _edge_row(name: str, errors: EdgeErrors) -> str:
    found = f"{100 * errors.found / errors.n:.1f} %" if errors.n else "–"
    values = "".join(f"{value:8.0f}" for value in errors.quantiles_ms)
    near = "–" if errors.within_100_ms is None else f"{100 * errors.within_100_ms:.1f} %"
    return f"  {name[:42]:30} {errors.n:7,} {found:>8}{values}{near:>9}"
