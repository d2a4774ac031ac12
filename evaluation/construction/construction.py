"""The driver: a corpus in a folder, conversation by conversation, to be interrupted and taken up again.

The folder holds ``construction.json`` (what is made, of what, and what is done), ``conversations/ID`` and, at the end,
``floorscope-corpus.json``. Each conversation appears whole or not at all; taken up again, those that are whole are not
made again, and the result is the same as without the interruption. Conversations are made side by side in threads;
the speaking is done by processes of the engines.
"""

import contextlib
import errno
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec

from annotation.cancellation import CancelToken
from annotation.errors import FloorscopeError
from annotation.formats.manifest import Synthesis
from evaluation.construction.acoustics import AcousticSettings
from evaluation.construction.acts import SymbolicConversation
from evaluation.construction.alignment import Aligner
from evaluation.construction.assembly import (
    CONVERSATIONS,
    ConversationRecord,
    as_json,
    read_record,
    write_conversation,
    write_manifest,
    write_whole,
)
from evaluation.construction.building import Resolver, Tools, built_conversation
from evaluation.construction.clip_store import ClipStore
from evaluation.construction.plan import PlannedConversation
from evaluation.construction.run_file import RUN_NAME, AcousticSummary, EngineEntry, RunFile, RunSettings, VoiceEntry
from evaluation.construction.synthesis import SpeechEngine
from evaluation.construction.synthesiser import Synthesiser
from evaluation.construction.voices import VoicePool, voice_pool, voices_of

Item = TypeVar("Item")
Made = TypeVar("Made")

WORKERS = 2
RATE_HZ = 16_000

Writer = Callable[[PlannedConversation], SymbolicConversation]
"""Script and orchestration: gives a planned conversation its acts."""

Listener = Callable[[int, int, str], None]
"""Told how many conversations are done, of how many, and which was the last."""


class ConstructionError(FloorscopeError):
    """A corpus folder that cannot be used, or a disk that refuses."""

    code = "construction"


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be made.

    Parameters
    ----------
    suite
        Protocol whose scenarios are made; empty for a corpus.
    script
        Name of the writer, for the record.
    mean_s
        Mean length that was asked for, for the record.
    title, description, licence
        For the manifest.
    """

    planned: tuple[PlannedConversation, ...]
    seed: int
    suite: str = ""
    script: str = "grammar"
    mean_s: float | None = None
    acoustics: AcousticSettings = field(default_factory=AcousticSettings)
    rate_hz: int = RATE_HZ
    title: str = "Constructed conversations"
    description: str = ""
    licence: str = ""


@dataclass(frozen=True, slots=True)
class Makers:
    """What it is made with: the stage after synthesis, engines, and where clips are kept."""

    resolve: Resolver
    engines: tuple[SpeechEngine, ...]
    aligner: Aligner | None
    store: ClipStore | None


@dataclass(frozen=True, slots=True)
class Construction:
    """What came out: the run file and the records of all conversations that are whole, in the order of the plan."""

    run: RunFile
    records: tuple[ConversationRecord, ...]
    manifest: Path


def construct(
    folder: Path,
    order: Order,
    write: Writer,
    makers: Makers,
    cancel: CancelToken,
    listener: Listener,
    *,
    workers: int = WORKERS,
) -> Construction:
    """Make what is not there yet of a corpus, and its manifest.

    Raises
    ------
    ConstructionError
        If the folder holds something else, or the disk refuses; what is whole stays, and the same call goes on.
    SynthesisError
        If there are not enough voices.
    CancelledError
        If `cancel` was set; the same call goes on where it stopped.
    """
    pool = pool_for(order, makers)
    run = RunFile(settings=settings_of(order, makers, pool))
    with disk_faults(folder):
        prepare_folder(folder, run, CONVERSATIONS)
        records = {each.id: record for each in order.planned if (record := read_record(folder, each.id)) is not None}
        failed: dict[str, str] = {}
        synthesiser = Synthesiser(makers.engines, makers.store, rate_hz=order.rate_hz, seed=order.seed)
        tools = Tools(makers.resolve, synthesiser, pool, makers.aligner, order.acoustics)
        listener(len(records), len(order.planned), "")
        missing = [each for each in order.planned if each.id not in records]

        def make(each: PlannedConversation, stop: CancelToken) -> ConversationRecord:
            return write_conversation(folder, built_conversation(write(each), tools, stop))

        with contextlib.closing(made_side_by_side(missing, make, cancel, workers)) as results:
            for each, made in results:
                if isinstance(made, FloorscopeError):
                    failed[each.id] = str(made)
                else:
                    records[each.id] = made
                run = _progressed(run, order, records, failed)
                write_whole(folder / RUN_NAME, as_json(run))
                listener(len(records) + len(failed), len(order.planned), each.id)
        whole = tuple(records[each.id] for each in order.planned if each.id in records)
        run = msgspec.structs.replace(
            _progressed(run, order, records, failed), acoustic_check=AcousticSummary.of(whole)
        )
        write_whole(folder / RUN_NAME, as_json(run))
        manifest = write_manifest(
            folder,
            whole,
            name=order.title,
            description=order.description,
            licence=order.licence,
            synthesis=synthesis_of(run),
        )
    return Construction(run, whole, manifest)


def made_side_by_side(
    items: Sequence[Item], make: Callable[[Item, CancelToken], Made], cancel: CancelToken, workers: int
) -> Generator[tuple[Item, Made | FloorscopeError]]:
    """Yield what is made of items as it is done, or why it could not be made.

    After a fault of another kind, after a cancellation, and when it is closed, what is under way is given up.

    Parameters
    ----------
    make
        Called in a thread; polls the token that it gets.

    Raises
    ------
    CancelledError
        If `cancel` was set.
    """
    stop = CancelToken()

    def outcome(item: Item) -> Made | FloorscopeError:
        try:
            return make(item, stop)
        except FloorscopeError as error:
            return error

    waiting = iter(items)
    running: dict[Future[Made | FloorscopeError], Item] = {}
    with ThreadPoolExecutor(workers, thread_name_prefix="construct") as executor:
        try:
            while True:
                while len(running) < workers and (item := next(waiting, None)) is not None:
                    running[executor.submit(outcome, item)] = item
                if not running:
                    return
                # The waiting ends now and then so that a cancellation is heard.
                done, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
                for future in done:
                    yield running.pop(future), future.result()
                cancel.check()
        finally:
            stop.cancel()


@contextlib.contextmanager
def disk_faults(folder: Path) -> Iterator[None]:
    """Turn what the disk refuses into a sentence.

    Raises
    ------
    ConstructionError
        Instead of OSError.
    """
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        fault = ConstructionError(
            "The disk is full." if full else f"The folder cannot be written: {error.strerror or error}.",
            where=str(error.filename or folder),
            remedy=("Free some space" if full else "Mend that")
            + " and give the same command again: the conversations that are whole are kept.",
        )
        fault.exit_code = 1
        raise fault from error


def prepare_folder(folder: Path, run: RunFile, inside: str) -> None:
    """Make the folder, or check that it holds this very construction.

    Raises
    ------
    ConstructionError
        If it holds something else.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / RUN_NAME
    if path.exists():
        try:
            found = msgspec.json.decode(path.read_bytes(), type=RunFile)
        except msgspec.DecodeError as error:
            raise ConstructionError(
                f"This is no run file of this version: {error}.", where=str(path), remedy="Choose another folder."
            ) from error
        if found.settings != run.settings:
            raise ConstructionError(
                f"The folder holds another construction (they differ in {_difference(found.settings, run.settings)}).",
                where=str(path),
                remedy="Choose another folder, or give the command that began it.",
            )
    elif any(folder.iterdir()):
        raise ConstructionError("The folder is not empty.", where=str(folder), remedy="Choose an empty or a new one.")
    else:
        write_whole(path, as_json(run))
    (folder / inside).mkdir(exist_ok=True)


def _difference(found: RunSettings, wanted: RunSettings) -> str:
    return ", ".join(
        name.replace("_", " ") for name in found.__struct_fields__ if getattr(found, name) != getattr(wanted, name)
    )


def pool_for(order: Order, makers: Makers) -> VoicePool:
    """Return the voices of an order's splits.

    Raises
    ------
    SynthesisError
        If there are not enough.
    """
    most = {
        split: max((each.speakers for each in order.planned if each.split == split), default=0)
        for split in ("dev", "test")
    }
    return voice_pool(voices_of(makers.engines), dev_speakers=most["dev"], test_speakers=most["test"], seed=order.seed)


def settings_of(order: Order, makers: Makers, pool: VoicePool) -> RunSettings:
    """Return all that the bytes depend on."""
    return RunSettings(
        seed=order.seed,
        suite=order.suite,
        script=order.script,
        mean_s=order.mean_s,
        rate_hz=order.rate_hz,
        conversations=tuple(each.id for each in order.planned),
        dev=tuple(each.id for each in order.planned if each.split == "dev"),
        engines=tuple(
            EngineEntry(
                engine.name,
                engine.version,
                engine.licence,
                engine.natural,
                engine.deterministic,
                tuple(engine.voices()),
            )
            for engine in makers.engines
        ),
        aligner=makers.aligner.name if makers.aligner else "",
        snr_db=order.acoustics.snr_db,
        level_db=order.acoustics.level_db,
        room_db=order.acoustics.room_db,
        bleed_db=order.acoustics.bleed_db,
        base_voices=len(pool.base_voices),
        voices=tuple(
            VoiceEntry(voice.identity, split, voice.base_identity, voice.pitch)
            for split in ("dev", "test")
            for voice in pool.of(split)
        ),
    )


def _progressed(run: RunFile, order: Order, records: dict[str, ConversationRecord], failed: dict[str, str]) -> RunFile:
    return msgspec.structs.replace(
        run,
        done=tuple(each.id for each in order.planned if each.id in records),
        failed={each.id: failed[each.id] for each in order.planned if each.id in failed},
    )


def synthesis_of(run: RunFile) -> Synthesis:
    """Return what a manifest says of the voices."""
    settings = run.settings
    shared = {voice.base for voice in settings.voices if voice.split == "dev"} & {
        voice.base for voice in settings.voices if voice.split == "test"
    }
    note = (
        f"No person speaks here. {len(settings.voices)} voices are made of {settings.base_voices} base voices by "
        f"shifts of pitch; dev and test share no voice, and {len(shared)} base voices. Events are the orchestrator’s, "
        "not measured."
    )
    return Synthesis(
        " + ".join(f"{engine.name} {engine.version}" for engine in settings.engines),
        {voice.identity: f"{voice.split}, {voice.base}, pitch × {voice.pitch}" for voice in settings.voices},
        note,
    )
