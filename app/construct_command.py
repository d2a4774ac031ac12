"""``floorscope construct``: conversations with exact labels, made on this machine, with progress on stderr."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from annotation.cancellation import CancelToken, Progress
    from evaluation.construction.acts import Interaction
    from evaluation.construction.alignment import Aligner
    from evaluation.construction.clip_store import ClipStore
    from evaluation.construction.synthesis import SpeechEngine
    from evaluation.construction.verification import Verification

INTERRUPTED = 130
CLIPS_FOLDER = "clips"
DEFAULT_CONVERSATIONS = 24
DEFAULT_SCENARIOS = 120

Decibels = tuple[float, float]


class DecibelRange(click.ParamType[Decibels]):
    """``LOW:HIGH`` in dB, or one number for both."""

    name = "low:high"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decibels:
        """Return both ends."""
        try:
            ends = [float(end) for end in str(value).split(":")]
        except ValueError:
            ends = []
        if len(ends) not in (1, 2) or ends[0] > ends[-1]:
            self.fail(f"“{value}” is not a range such as 20:38.", param, ctx)
        return ends[0], ends[-1]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a construction prints: one document, or sentences for people, and the exit code."""

    document: dict[str, Any]
    sentences: Sequence[str]
    exit_code: int


@dataclass(frozen=True, slots=True)
class Wishes:
    """The options of the command."""

    out: Path
    conversations: int | None
    seed: int
    script: str
    synthesis: str
    voices: tuple[str, ...]
    types: str
    speakers: str
    duration_s: float | None
    split: str
    snr_db: Decibels
    bleed_db: Decibels | None
    words: bool
    clips: Path | None
    workers: int
    verify: bool
    title: str
    description: str
    licence: str


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="A folder to make.")
@click.option(
    "--conversations", type=click.IntRange(1, 100_000), help="How many; 24 when left out, of a suite 120 scenarios."
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True)
@click.option("--script", default="grammar", show_default=True, help="Who writes the words: grammar.")
@click.option(
    "--synthesis",
    default="auto",
    show_default=True,
    help="Who speaks: auto, hibari, piper, flite, espeak, several joined by +, command:LINE or clips:DIR.",
)
@click.option("--voice", "voices", multiple=True, help="A name for the {voice} of a command; may be repeated.")
@click.option("--types", default="", help="Interaction types, parted by commas; all when left out.")
@click.option("--speakers", default="2,3,4,5", show_default=True, help="Speaker counts, parted by commas.")
@click.option("--duration", "duration_s", type=click.FloatRange(15, 3600), help="Mean length, in seconds.")
@click.option("--split", type=click.Choice(["both", "dev", "test"]), default="both", show_default=True)
@click.option("--snr", "snr_db", type=DecibelRange(), default="20:38", show_default=True, help="Speech over noise, dB.")
@click.option("--bleed", "bleed_db", type=DecibelRange(), help="How loud others are on a channel, such as -40:-30 dB.")
@click.option("--words/--no-words", default=True, help="Time words where pocketsphinx is installed (the default).")
@click.option("--clips", type=click.Path(path_type=Path, file_okay=False), help="Where clips are kept between calls.")
@click.option(
    "--workers", type=click.IntRange(1, 64), default=2, show_default=True, help="How many are made at a time."
)
@click.option("--name", "title", default="Constructed conversations", show_default=True, help="For the manifest.")
@click.option("--description", default="", help="For the manifest.")
@click.option("--licence", default="", help="For the manifest; what the voices allow is yours to know.")
@click.option("--verify", is_flag=True, help="Measure speech on the channels and compare it with the event log.")
@click.option("--suite", type=click.Choice(["floor-control"]), help="Make the scenarios of a protocol instead.")
@click.option("--json", "as_document", is_flag=True, help="Print one JSON document.")
def construct(suite: str | None, as_document: bool, **options: Any) -> None:
    """Construct conversations whose labels are exact: channels and event log of each.

    Given again with the same options, it goes on where it was interrupted.
    """
    from annotation.cancellation import CancelledError
    from app.terminal_work import terminal_work

    wishes = Wishes(**options)
    make = _suite if suite else _corpus
    try:
        with terminal_work("Constructing") as (cancel, progress):
            answer = make(wishes, cancel, progress)
    except CancelledError:
        click.echo(f"Interrupted: the same command goes on with what is missing in {wishes.out}.", err=True)
        sys.exit(INTERRUPTED)
    if as_document:
        from app.command_output import print_json

        print_json(answer.document)
    else:
        for sentence in answer.sentences:
            click.echo(sentence)
    sys.exit(answer.exit_code)


def _corpus(wishes: Wishes, cancel: "CancelToken", progress: "Progress") -> Answer:
    from annotation.cancellation import share_of
    from evaluation.construction.acoustics import AcousticSettings
    from evaluation.construction.construction import Makers, Order, construct
    from evaluation.construction.plan import planned_conversations
    from evaluation.construction.report import construction_as_json, construction_sentences
    from evaluation.construction.resolution import resolve
    from evaluation.construction.stages import script_writer_for, symbolic_writer

    planned = planned_conversations(
        wishes.conversations or DEFAULT_CONVERSATIONS,
        wishes.seed,
        interactions=interactions_from_text(wishes.types),
        speakers=speaker_counts_from_text(wishes.speakers),
        split=wishes.split,
    )
    writer = script_writer_for(wishes.script)
    order = Order(
        planned,
        wishes.seed,
        script=wishes.script,
        mean_s=wishes.duration_s,
        acoustics=AcousticSettings(snr_db=wishes.snr_db, bleed_db=wishes.bleed_db),
        title=wishes.title,
        description=wishes.description,
        licence=wishes.licence,
    )
    engines, aligner, store = _tools(wishes)
    made_share = 0.8 if wishes.verify else 1.0
    try:
        made = construct(
            wishes.out,
            order,
            symbolic_writer(planned, wishes.seed, writer, mean_s=wishes.duration_s),
            Makers(resolve, engines, aligner, store),
            cancel,
            lambda done, of, _: progress(made_share * done / of),
            workers=wishes.workers,
        )
    finally:
        _close(engines, aligner)
    verifications = _verified(made.manifest, cancel, share_of(progress, 4, 5)) if wishes.verify else ()
    return Answer(
        construction_as_json(made, verifications),
        tuple(construction_sentences(made, verifications)),
        1 if made.run.failed else 0,
    )


def _suite(wishes: Wishes, cancel: "CancelToken", progress: "Progress") -> Answer:
    from evaluation.construction.acoustics import AcousticSettings
    from evaluation.construction.construction import Makers
    from evaluation.construction.report import suite_as_json, suite_sentences
    from evaluation.construction.resolution import resolve
    from evaluation.construction.scenarios import Condition, scenario_suite
    from evaluation.construction.stages import script_writer_for
    from evaluation.construction.suite import construct_suite

    count, rest = divmod(wishes.conversations or DEFAULT_SCENARIOS, len(Condition))
    if rest or not count:
        raise click.UsageError(f"A suite has as many scenarios of each of {len(Condition)} conditions: 120, say.")
    engines, aligner, store = _tools(wishes)
    try:
        made = construct_suite(
            wishes.out,
            scenario_suite(wishes.seed, script_writer_for(wishes.script), count=count),
            Makers(resolve, engines, aligner, store),
            seed=wishes.seed,
            script=wishes.script,
            acoustics=AcousticSettings(snr_db=wishes.snr_db, bleed_db=wishes.bleed_db),
            cancel=cancel,
            listener=lambda done, of, _: progress(done / of),
            workers=wishes.workers,
        )
    finally:
        _close(engines, aligner)
    return Answer(suite_as_json(made), tuple(suite_sentences(made)), 1 if made.run.failed else 0)


def _tools(wishes: Wishes) -> "tuple[tuple[SpeechEngine, ...], Aligner | None, ClipStore]":
    from app.settings import cache_folder
    from evaluation.construction.alignment import installed_aligner
    from evaluation.construction.clip_store import ClipStore
    from evaluation.construction.engines.catalogue import engines_for

    engines = engines_for(wishes.synthesis, voices=wishes.voices)
    aligner = installed_aligner() if wishes.words else None
    return engines, aligner, ClipStore(wishes.clips or cache_folder() / CLIPS_FOLDER)


def _close(engines: "Sequence[SpeechEngine]", aligner: "Aligner | None") -> None:
    for engine in engines:
        engine.close()
    if aligner is not None:
        aligner.close()


def _verified(manifest: Path, cancel: "CancelToken", progress: "Progress") -> "tuple[Verification, ...]":
    from annotation.cancellation import share_of
    from annotation.corpus import read_corpus
    from app.user_cache import user_cache
    from evaluation.construction.verification import energy_spans_of, silero_detector, verified

    conversations = read_corpus([manifest]).conversations
    silero = silero_detector(user_cache(), cancel)
    return (
        verified(conversations, silero, "silero", cancel, share_of(progress, 0, 2)),
        verified(conversations, energy_spans_of, "energy", cancel, share_of(progress, 1, 2)),
    )


def interactions_from_text(text: str) -> "tuple[Interaction, ...]":
    """Return the interaction types that a list names; all of them for an empty one.

    Raises
    ------
    click.UsageError
        If a name is none.
    """
    from evaluation.construction.acts import Interaction

    known = {interaction.value.casefold(): interaction for interaction in Interaction}
    found = []
    for name in filter(None, (part.strip().casefold() for part in text.split(","))):
        if name not in known:
            raise click.UsageError(f"“{name}” is no interaction type. There are {', '.join(Interaction)}.")
        found.append(known[name])
    return tuple(dict.fromkeys(found)) or tuple(Interaction)


def speaker_counts_from_text(text: str) -> tuple[int, ...]:
    """Return the speaker counts of a list.

    Raises
    ------
    click.UsageError
        If one is not 2 to 5.
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part in {"2", "3", "4", "5"} for part in parts):
        raise click.UsageError(f"“{text}” is not a list of speaker counts such as 2,3 (each 2 to 5).")
    return tuple(dict.fromkeys(int(part) for part in parts))
