"""The floor-control suite on disk: 120 START and STOP scenarios as sound, with ``floorscope-suite.json``.

A scenario is a folder ``scenarios/ID``: ``stream.flac`` is what the agent hears (the lead-in, all channels added up,
and 15 s of the room after it), one FLAC a speaker of the same length for the timeline, and for STOP ``event.flac``,
the speech of the event alone, to be added to the stream 1 s after the agent's onset. ``docs/construction.md`` describes
the document, ``resources/schemas/suite.schema.json`` is its schema. Made, interrupted and taken up again like a corpus.

MultiPartyTurnBench §4, §5, App. E.3, G
"""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from annotation.cancellation import CancelToken
from annotation.errors import FloorscopeError
from annotation.formats.manifest import ManifestChannel, ManifestEvent, Synthesis
from evaluation.construction.acoustics import HEADROOM_DB, AcousticSettings
from evaluation.construction.assembly import (
    RECORD_NAME,
    AssembledConversation,
    OverlapRecord,
    as_json,
    conversation_record,
    exact_seconds,
    flac_bytes,
    write_folder_whole,
    write_whole,
)
from evaluation.construction.building import Tools, built_conversation
from evaluation.construction.construction import (
    RATE_HZ,
    WORKERS,
    Listener,
    Makers,
    Order,
    disk_faults,
    made_side_by_side,
    pool_for,
    prepare_folder,
    settings_of,
    synthesis_of,
)
from evaluation.construction.plan import PlannedConversation
from evaluation.construction.run_file import RUN_NAME, AcousticSummary, RunFile
from evaluation.construction.scenarios import ROLES, Scenario, cue_span
from evaluation.construction.synthesis import FULL_SCALE
from evaluation.construction.synthesiser import Synthesiser

SUITE_NAME = "floorscope-suite.json"
SUITE_FORMAT = "floorscope-suite"
SUITE_VERSION = 1
SCENARIOS = "scenarios"
PROTOCOL = "floor-control"

TAIL_MS = 15_000
"""Of the room after the lead-in: an onset within 5 s, the event 1 s later, and its windows lie inside it."""


class SuiteCue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the agent decides: the hold, or the end of the last turn as both; in seconds of the stream."""

    onset_s: Decimal
    offset_s: Decimal


class SuiteEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is said under the agent's speech: added to the stream `after_onset_s` after the agent's onset."""

    speaker: str
    kind: str
    text: str
    path: str
    after_onset_s: Decimal
    duration_s: Decimal


class ScenarioEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One scenario.

    Parameters
    ----------
    agent
        What people call the agent.
    stream
        What the agent hears; its speech ends at `lead_in_s`, the rest is the room.
    channels, events
        As in a corpus.
    """

    id: str
    condition: str
    decision: str
    should_act: bool
    agent: str
    stream: str
    lead_in_s: Decimal
    duration_s: Decimal
    cue: SuiteCue
    channels: tuple[ManifestChannel, ...]
    events: tuple[ManifestEvent, ...]
    attributes: dict[str, str]
    event: SuiteEvent | None = None


class ScenarioRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What one scenario became, with the acoustic check of its lead-in."""

    scenario: ScenarioEntry
    overlaps: tuple[OverlapRecord, ...] = ()
    repairs: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


class SuiteDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole document."""

    protocol: str
    seed: int
    rate_hz: int
    synthesised: Synthesis
    scenarios: tuple[ScenarioEntry, ...]
    format: str = SUITE_FORMAT
    version: int = SUITE_VERSION


@dataclass(frozen=True, slots=True)
class MadeSuite:
    """What came out: the run file, all scenarios that are whole, and where the document is."""

    run: RunFile
    records: tuple[ScenarioRecord, ...]
    document: Path


def construct_suite(
    folder: Path,
    scenarios: Sequence[Scenario],
    makers: Makers,
    *,
    seed: int,
    script: str,
    acoustics: AcousticSettings,
    cancel: CancelToken,
    listener: Listener,
    rate_hz: int = RATE_HZ,
    workers: int = WORKERS,
) -> MadeSuite:
    """Make what is not there yet of a suite, and its document.

    Raises
    ------
    ConstructionError
        If the folder holds something else, or the disk refuses; what is whole stays, and the same call goes on.
    SynthesisError
        If there are not enough voices.
    CancelledError
        If `cancel` was set; the same call goes on where it stopped.
    """
    planned = tuple(_planned(scenario) for scenario in scenarios)
    order = Order(planned, seed, suite=PROTOCOL, script=script, acoustics=acoustics, rate_hz=rate_hz)
    pool = pool_for(order, makers)
    run = RunFile(settings=settings_of(order, makers, pool))
    with disk_faults(folder):
        prepare_folder(folder, run, SCENARIOS)
        records = {each.id: found for each in scenarios if (found := read_scenario(folder, each.id)) is not None}
        failed: dict[str, str] = {}
        synthesiser = Synthesiser(makers.engines, makers.store, rate_hz=rate_hz, seed=seed)
        tools = Tools(makers.resolve, synthesiser, pool, makers.aligner, acoustics)
        missing = [each for each in scenarios if each.id not in records]

        def make(scenario: Scenario, stop: CancelToken) -> ScenarioRecord:
            return write_scenario(folder, scenario, tools, stop)

        with contextlib.closing(made_side_by_side(missing, make, cancel, workers)) as results:
            for scenario, made in results:
                if isinstance(made, FloorscopeError):
                    failed[scenario.id] = str(made)
                else:
                    records[scenario.id] = made
                listener(len(records) + len(failed), len(scenarios), scenario.id)
        whole = tuple(records[each.id] for each in scenarios if each.id in records)
        run = msgspec.structs.replace(
            run,
            done=tuple(each.scenario.id for each in whole),
            failed=failed,
            acoustic_check=AcousticSummary.of(whole),
        )
        write_whole(folder / RUN_NAME, as_json(run))
        entries = tuple(record.scenario for record in whole)
        document = SuiteDocument(PROTOCOL, seed, rate_hz, synthesis_of(run), entries)
        write_whole(folder / SUITE_NAME, as_json(document))
    return MadeSuite(run, whole, folder / SUITE_NAME)


def _planned(scenario: Scenario) -> PlannedConversation:
    lead_in = scenario.lead_in
    return PlannedConversation(scenario.id, lead_in.interaction, len(lead_in.speakers), lead_in.split, lead_in.seed)


def write_scenario(folder: Path, scenario: Scenario, tools: Tools, cancel: CancelToken) -> ScenarioRecord:
    """Make one scenario and write it, whole or not at all.

    Raises
    ------
    SynthesisError
        If it cannot be spoken.
    OSError
        If the disk refuses; nothing of it is left then.
    """
    lead_in = replace(scenario.lead_in, id=scenario.id, tail_ms=TAIL_MS)
    assembled = built_conversation(lead_in, tools, cancel)
    event = _event_speech(scenario, assembled, tools)
    stream, event_samples = mixed_stream(assembled.rendered.channels, event)
    record = _record(scenario, assembled, event_samples)
    rate_hz = assembled.resolved.rate_hz
    sounds = {f"{name}.flac": samples for name, samples in assembled.rendered.channels.items()}
    sounds["stream.flac"] = stream
    if event_samples is not None:
        sounds["event.flac"] = event_samples
    write_folder_whole(
        folder / SCENARIOS / scenario.id,
        {name: flac_bytes(samples, rate_hz) for name, samples in sounds.items()} | {RECORD_NAME: as_json(record)},
    )
    return record


def _event_speech(scenario: Scenario, assembled: AssembledConversation, tools: Tools) -> NDArray[np.float64] | None:
    """Return the speech of the event at its speaker's level in this room, full scale ±1."""
    if scenario.event is None:
        return None
    speaker = scenario.event.speaker
    clip = tools.synthesiser.clip(assembled.voices[speaker], scenario.event.text)
    gain_db = assembled.room.gain_db + assembled.room.channels[speaker].level_db + assembled.rendered.headroom_gain_db
    return clip.astype(np.float64) / FULL_SCALE * float(10 ** (gain_db / 20))


def mixed_stream(
    channels: Mapping[str, NDArray[np.int16]], event: NDArray[np.float64] | None
) -> tuple[NDArray[np.int16], NDArray[np.int16] | None]:
    """Return all channels added up, and the event at the same gain; both are lowered alike to keep the headroom."""
    total = np.sum([samples.astype(np.float64) for samples in channels.values()], axis=0) / FULL_SCALE
    peak = max(float(np.abs(total).max(initial=0.0)), 0.0 if event is None else float(np.abs(event).max()))
    limit = float(10 ** (-HEADROOM_DB / 20))
    gain = limit / peak if peak > limit else 1.0
    return _quantised(total * gain), None if event is None else _quantised(event * gain)


def _quantised(samples: NDArray[np.float64]) -> NDArray[np.int16]:
    quantised: NDArray[np.int16] = np.rint(samples * FULL_SCALE).astype(np.int16)
    return quantised


def _record(scenario: Scenario, assembled: AssembledConversation, event: NDArray[np.int16] | None) -> ScenarioRecord:
    resolved = assembled.resolved
    rate_hz = resolved.rate_hz
    home = f"{SCENARIOS}/{scenario.id}"
    record = conversation_record(assembled)
    # An aside that was left out moves the acts after it: the cue is the last act that holds the floor.
    last = max(placed.act.index for placed in resolved.acts if placed.act.takes_floor)
    cue = cue_span(replace(scenario, lead_in=resolved.conversation, cue=last), resolved)
    channels = tuple(
        msgspec.structs.replace(channel, path=f"{home}/{channel.speaker}.flac")
        for channel in record.conversation.channels
    )
    role = ROLES[scenario.condition]
    entry = ScenarioEntry(
        id=scenario.id,
        condition=scenario.condition.value,
        decision=role.decision.value,
        should_act=role.should_act,
        agent=scenario.agent,
        stream=f"{home}/stream.flac",
        lead_in_s=exact_seconds(max(placed.offset for placed in resolved.acts), rate_hz),
        duration_s=record.duration_s,
        cue=SuiteCue(exact_seconds(cue.onset, rate_hz), exact_seconds(cue.offset, rate_hz)),
        channels=channels,
        events=record.conversation.events or (),
        attributes=record.conversation.attributes,
        event=None if event is None else _suite_event(scenario, len(event), rate_hz),
    )
    return ScenarioRecord(entry, record.overlaps, record.repairs, record.left_out)


def _suite_event(scenario: Scenario, frames: int, rate_hz: int) -> SuiteEvent:
    assert scenario.event is not None
    return SuiteEvent(
        speaker=scenario.event.speaker,
        kind=scenario.event.kind.value,
        text=scenario.event.text,
        path=f"{SCENARIOS}/{scenario.id}/event.flac",
        after_onset_s=Decimal(scenario.event.after_ms) / 1000,
        duration_s=exact_seconds(frames, rate_hz),
    )


def read_scenario(folder: Path, name: str) -> ScenarioRecord | None:
    """Return the record of a scenario that is whole, or None."""
    try:
        return msgspec.json.decode((folder / SCENARIOS / name / RECORD_NAME).read_bytes(), type=ScenarioRecord)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
