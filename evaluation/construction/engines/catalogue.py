"""Engines by the word that the command line takes: ``auto``, a name, ``command:LINE`` or ``clips:DIR``."""

from collections.abc import Callable, Sequence
from pathlib import Path

from evaluation.construction.engines.command import CommandEngine
from evaluation.construction.engines.espeak import EspeakEngine
from evaluation.construction.engines.flite import FliteEngine
from evaluation.construction.engines.hibari import HibariEngine
from evaluation.construction.engines.piper import PiperEngine
from evaluation.construction.engines.recorded import RecordedEngine
from evaluation.construction.synthesis import SpeechEngine, SynthesisError

ENGINES: dict[str, Callable[[], SpeechEngine]] = {
    "hibari": HibariEngine,
    "piper": PiperEngine,
    "flite": FliteEngine,
    "espeak": EspeakEngine,
}
"""Engines of this machine, natural ones first."""


def engines_for(specification: str, *, voices: Sequence[str] = ()) -> tuple[SpeechEngine, ...]:
    """Return the engines that a word of the command line names.

    Parameters
    ----------
    specification
        ``auto`` (all natural engines installed, else flite, else espeak), one name or several joined by ``+``,
        ``command:LINE`` or ``clips:DIR``.
    voices
        Names for the ``{voice}`` of a command.

    Raises
    ------
    SynthesisError
        If the word is none, or what it names is not installed.
    """
    kind, colon, rest = specification.partition(":")
    if colon and kind == "command":
        return (CommandEngine(rest, voices=voices),)
    if colon and kind == "clips":
        return (RecordedEngine(Path(rest)),)
    if specification == "auto":
        return _found()
    names = specification.split("+")
    unknown = [name for name in names if name not in ENGINES]
    if unknown:
        error = SynthesisError(
            f"There is no speech engine “{unknown[0]}”.",
            remedy=f"There are auto, {', '.join(ENGINES)}, command:LINE and clips:DIR.",
        )
        error.exit_code = 2
        raise error
    return tuple(ENGINES[name]() for name in dict.fromkeys(names))


def _found() -> tuple[SpeechEngine, ...]:
    faults = []
    natural: list[SpeechEngine] = []
    for name, make in ENGINES.items():
        try:
            engine = make()
        except SynthesisError as error:
            faults.append(f"{name}: {error.what}")
            continue
        if not engine.natural:
            return tuple(natural) or (engine,)
        natural.append(engine)
    if natural:
        return tuple(natural)
    raise SynthesisError(
        f"No speech engine is installed ({' '.join(faults)})",
        remedy="Install one: pip install 'floorscope[voices]', or on Debian: sudo apt-get install flite",
    )
