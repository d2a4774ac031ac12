"""``construction.json``: what a corpus is made of, what is done of it, and how the acoustic check came out."""

from collections.abc import Iterable
from typing import Protocol

import msgspec

from evaluation.construction.acoustic_check import PUBLISHED_EVENTS, PUBLISHED_REALISED
from evaluation.construction.assembly import OverlapRecord

RUN_NAME = "construction.json"
RUN_VERSION = 1


class Checked(Protocol):
    """A record with the acoustic check of its overlap events, and what was repaired."""

    @property
    def overlaps(self) -> tuple[OverlapRecord, ...]: ...  # noqa: D102
    @property
    def repairs(self) -> tuple[str, ...]: ...  # noqa: D102


class EngineEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One engine that spoke."""

    name: str
    version: str
    licence: str
    natural: bool
    deterministic: bool
    base_voices: tuple[str, ...]


class VoiceEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One voice: its identity, its split, and what it is made of."""

    identity: str
    split: str
    base: str
    pitch: float


class RunSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that the bytes of the corpus depend on; a run is taken up again only where all of it is the same."""

    seed: int
    suite: str
    script: str
    mean_s: float | None
    rate_hz: int
    conversations: tuple[str, ...]
    dev: tuple[str, ...]
    engines: tuple[EngineEntry, ...]
    aligner: str
    snr_db: tuple[float, float]
    level_db: tuple[float, float]
    room_db: tuple[float, float]
    bleed_db: tuple[float, float] | None
    base_voices: int
    voices: tuple[VoiceEntry, ...]


class Realised(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A share as its counts: overlap events that are heard, of all."""

    value: float | None
    realised: int
    n: int
    reason: str = ""

    @classmethod
    def of(cls, outcomes: Iterable[bool]) -> "Realised":
        """Return the share of those that are true."""
        counted = list(outcomes)
        if not counted:
            return cls(None, 0, 0, "There is no overlap event.")
        return cls(sum(counted) / len(counted), sum(counted), len(counted))


class AcousticSummary(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The acoustic check over all conversations: MultiPartyTurnBench §3.1 has 2,369 of 2,436.

    Parameters
    ----------
    repaired
        How often an overlap that was not heard was moved.
    """

    all: Realised
    by_kind: dict[str, Realised]
    repaired: int
    published: Realised = Realised(PUBLISHED_REALISED / PUBLISHED_EVENTS, PUBLISHED_REALISED, PUBLISHED_EVENTS)

    @classmethod
    def of(cls, records: Iterable[Checked]) -> "AcousticSummary":
        """Return the summary over records."""
        records = list(records)
        overlaps = [overlap for record in records for overlap in record.overlaps]
        return cls(
            Realised.of(overlap.realised for overlap in overlaps),
            {
                kind: Realised.of(overlap.realised for overlap in overlaps if overlap.kind == kind)
                for kind in sorted({overlap.kind for overlap in overlaps})
            },
            sum(text.endswith("it was moved.") for record in records for text in record.repairs),
        )


class RunFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The document.

    Parameters
    ----------
    done
        Conversations that are whole, in the order of the plan.
    failed
        Conversations that could not be made, with the reason; they are tried again when the run is taken up.
    acoustic_check
        When all is done.
    """

    settings: RunSettings
    done: tuple[str, ...] = ()
    failed: dict[str, str] = {}
    acoustic_check: AcousticSummary | None = None
    format: str = "floorscope-construction"
    version: int = RUN_VERSION
