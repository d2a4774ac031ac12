"""What a construction says of itself: one JSON document, and the same in sentences and tables for a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from evaluation.construction.construction import Construction
from evaluation.construction.run_file import Realised
from evaluation.construction.verification import QUANTILES, EdgeErrors, Verification


def construction_as_json(made: Construction, verifications: Sequence[Verification] = ()) -> dict[str, Any]:
    """Return the document that ``floorscope construct --json`` prints."""
    settings = made.run.settings
    check = made.run.acoustic_check
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
        "acoustic_check": None
        if check is None
        else {
            **_figure(check.all),
            "by_kind": {kind: _figure(realised) for kind, realised in check.by_kind.items()},
            "repaired": check.repaired,
            "published": _figure(check.published),
        },
        "verification": [_verification_as_json(verification) for verification in verifications],
    }


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
    yield from _check_sentences(made)
    for verification in verifications:
        yield from _verification_sentences(verification)


def _check_sentences(made: Construction) -> Iterator[str]:
    check = made.run.acoustic_check
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
