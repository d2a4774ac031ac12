"""The demo conversation: a scripted talk of three speakers in synthesised voices, with the events it was built from.

``python -m evaluation.construction.demo --out resources/demo`` writes one mono FLAC a speaker and the manifest. Events
are what the script placed, to the frame, never measured from the sound. Given a seed and the same engine, the bytes are
the same. The engine is hibari-tts where its command is found (one voice, pitched apart for three speakers), otherwise
flite with three voices. Both are programs called from outside; neither is a dependency.

Holders: ``holder_before`` holds the floor as an act begins, ``holder_after`` once its outcome is decided. A turn and an
interruption that wins give it to their speaker; a backchannel, a failed claim, laughter and a hold leave it.
"""

import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np
import soundfile  # type: ignore[import-untyped]
import soxr  # type: ignore[import-untyped]
from numpy.typing import NDArray

from annotation.errors import FloorscopeError
from annotation.events import NOBODY
from annotation.formats.manifest import (
    FORMAT_NAME,
    FORMAT_VERSION,
    MANIFEST_NAME,
    Manifest,
    ManifestChannel,
    ManifestConversation,
    ManifestEvent,
    Synthesis,
    manifest_as_json,
)

RATE_HZ = 16_000
GRID_FRAMES = 16
"""Acts begin and end on whole milliseconds, so that their seconds are short decimals."""

SPEECH_PEAK = 0.36
BACKGROUND_RMS = 0.00005
"""About 86 dB below full scale: a room that is switched on, and cheap to store."""

LEAD_S = Decimal("0.8")
TAIL_S = Decimal("1.2")
YIELD_S = Decimal("0.45")
"""How long a holder talks on after an interruption begins."""

Samples = NDArray[np.float64]
Voice = Callable[[str, str], Samples]
"""Speaker and text in, speech at `RATE_HZ` without silence around it out."""

NAMES = {"ana": "Ana", "ben": "Ben", "chidi": "Chidi"}
HIBARI_PITCH = {"ana": 1.0, "ben": 0.74, "chidi": 0.86}
FLITE_VOICES = {"ana": "slt", "ben": "rms", "chidi": "awb"}


class SynthesisError(FloorscopeError):
    """A speech engine that is missing or fails."""

    code = "synthesis"


@dataclass(frozen=True, slots=True)
class Aside:
    """An act under another’s turn; it begins at a share of that turn and leaves the floor where it is."""

    speaker: str
    kind: str
    text: str
    at: float


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn, or an interruption that wins the floor.

    Parameters
    ----------
    parts
        What is said; between two parts the speaker holds the floor in silence for `hold_s`.
    gap_s
        From the end of the last turn to the onset; negative is overlap. An interruption begins `YIELD_S` before it.
    asides
        What others do meanwhile.
    """

    speaker: str
    parts: tuple[str, ...]
    gap_s: str = "0.25"
    interrupts: bool = False
    hold_s: str = "0.9"
    asides: tuple[Aside, ...] = ()


SCRIPT = (
    Turn(
        "ana",
        ("Okay, so the street party is in two weeks, and we still have no plan for the music.",),
        asides=(Aside("ben", "BACKCHANNEL", "Mm hm.", 0.5),),
    ),
    Turn(
        "ben",
        ("I asked the brass band from last year. They can come, but only until six.",),
        asides=(Aside("ana", "BACKCHANNEL", "Oh, nice.", 0.45),),
    ),
    Turn(
        "chidi",
        ("Six is early. Most people only arrive at five, and the kids want to dance, so I thought we could",),
        gap_s="0.35",
    ),
    Turn("ana", ("Sorry, wait, did they say what it costs? The budget is really tight this time.",), interrupts=True),
    Turn("ben", ("Two hundred. The same as last year.",), gap_s="0.3"),
    Turn(
        "chidi",
        ("Fine. What I meant was,", "we could play records after six, from my window, and everybody brings one."),
        hold_s="0.95",
        asides=(
            Aside("ben", "NON_FLOOR_TAKING_INTERRUPTION", "But what about", 0.52),
            Aside("ana", "BACKCHANNEL", "Right.", 0.8),
        ),
    ),
    Turn(
        "ana",
        ("From your window? Like the summer when the speaker fell into the flower bed?",),
        asides=(Aside("ben", "NON_CONTENT", "Ha ha ha ha!", 0.8),),
    ),
    Turn(
        "chidi",
        ("That was one time! And nobody got hurt, except the roses.",),
        gap_s="0.5",
        asides=(Aside("ana", "NON_CONTENT", "Ha ha ha!", 0.75),),
    ),
    Turn(
        "ben",
        ("I can lend you proper stands. Then nothing falls. We put them by the fountain, where there is power, and",),
        gap_s="0.4",
        asides=(Aside("ana", "BACKCHANNEL", "Okay.", 0.3),),
    ),
    Turn(
        "chidi",
        ("No, no, not the fountain. The water gets everywhere when the kids play.",),
        interrupts=True,
        asides=(Aside("ana", "BACKCHANNEL", "Yeah, true.", 0.6),),
    ),
    Turn(
        "ana",
        (
            "Then let us do this.",
            "The band plays until six by the bakery, records after that, and Ben brings the stands.",
        ),
        hold_s="0.8",
        asides=(
            Aside("chidi", "NON_FLOOR_TAKING_INTERRUPTION", "Could we maybe", 0.5),
            Aside("ben", "BACKCHANNEL", "Yeah.", 0.72),
        ),
    ),
    Turn("ben", ("Good. I will call the band tomorrow.",), gap_s="0.2"),
    Turn(
        "chidi",
        ("And I will choose the records. No roses this time.",),
        gap_s="-0.15",
        asides=(Aside("ben", "NON_CONTENT", "Ha ha ha!", 0.8),),
    ),
    Turn("ana", ("Perfect. Then all we need is cake.",), gap_s="0.6"),
)


@dataclass(frozen=True, slots=True)
class PlacedAct:
    """Speech of one speaker on the timeline, and the event it realises; a hold has no samples."""

    event: ManifestEvent
    onset: int
    samples: Samples


def hibari_voice(command: str, seed: int) -> Voice:
    """Return a voice that calls hibari-tts; speakers differ in pitch, their tempo is kept."""

    def speak(speaker: str, text: str) -> Samples:
        factor = HIBARI_PITCH[speaker]
        line = (command, text, "--speed", f"{1 / factor:.4f}", "--seed", str(seed), "--threads", "1", "-o")
        samples, rate_hz = _spoken(line)
        return _trimmed(soxr.resample(samples, rate_hz * factor, RATE_HZ))

    return speak


def flite_voice(command: str) -> Voice:
    """Return a voice that calls flite, one of its voices a speaker."""

    def speak(speaker: str, text: str) -> Samples:
        samples, rate_hz = _spoken((command, "-voice", FLITE_VOICES[speaker], "-t", text, "-o"))
        return _trimmed(soxr.resample(samples, rate_hz, RATE_HZ))

    return speak


def _spoken(line: tuple[str, ...]) -> tuple[Samples, int]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        try:
            subprocess.run((*line, str(path)), check=True, capture_output=True, timeout=120)
            samples, rate_hz = soundfile.read(path, dtype="float64")
        except (OSError, subprocess.SubprocessError, soundfile.SoundFileError) as error:
            raise SynthesisError(
                f"The speech engine failed: {error}.", where=line[0], remedy="Install flite or hibari-tts."
            ) from error
    return samples, int(rate_hz)


def _trimmed(samples: Samples) -> Samples:
    """Return speech at one level, without the silence around it, faded over 5 ms, in whole milliseconds."""
    window = RATE_HZ // 200
    usable = len(samples) // window * window
    peaks = np.abs(samples[:usable]).reshape(-1, window).max(axis=1)
    loud = np.flatnonzero(peaks > 0.04 * peaks.max())
    speech = samples[loud[0] * window : (loud[-1] + 1) * window].copy()
    speech *= SPEECH_PEAK / np.abs(speech).max()
    ramp = np.linspace(0, 1, window)
    speech[:window] *= ramp
    speech[-window:] *= ramp[::-1]
    return speech


def placed_acts(script: Iterable[Turn], voice: Voice) -> list[PlacedAct]:
    """Return every act of a script on the timeline, in the order of the script."""
    acts: list[PlacedAct] = []
    end = _frames(LEAD_S)
    holder = NOBODY
    for turn in script:
        gap = -YIELD_S if turn.interrupts else Decimal(turn.gap_s) if acts else Decimal(0)
        onset = end + _frames(gap)
        speech, holds = _turn_speech(turn, voice)
        end = onset + len(speech)
        kind = "INTERRUPTION" if turn.interrupts else "TURN"
        acts.append(_act(turn.speaker, kind, " ".join(turn.parts), onset, speech, holder, turn.speaker))
        holder = turn.speaker
        for first, last in holds:
            silence = np.zeros(last - first)
            acts.append(_act(turn.speaker, "HOLD", "", onset + first, silence, holder, holder))
        for aside in turn.asides:
            begin = onset + int(aside.at * len(speech)) // GRID_FRAMES * GRID_FRAMES
            sound = voice(aside.speaker, aside.text)
            text = "" if aside.kind == "NON_CONTENT" else aside.text
            acts.append(_act(aside.speaker, aside.kind, text, begin, sound, holder, holder))
    return acts


def _turn_speech(turn: Turn, voice: Voice) -> tuple[Samples, list[tuple[int, int]]]:
    """Return the speech of a turn, and the spans of it in which the speaker is silent and keeps the floor."""
    pieces: list[Samples] = []
    holds = []
    for part in turn.parts:
        if pieces:
            first = sum(len(piece) for piece in pieces)
            pieces.append(np.zeros(_frames(Decimal(turn.hold_s))))
            holds.append((first, first + len(pieces[-1])))
        pieces.append(voice(turn.speaker, part))
    return np.concatenate(pieces), holds


def _act(
    speaker: str, kind: str, text: str, onset: int, samples: Samples, holder_before: str, holder_after: str
) -> PlacedAct:
    event = ManifestEvent(
        speaker=speaker,
        kind=kind,
        onset_s=_seconds(onset),
        offset_s=_seconds(onset + len(samples)),
        holder_before=holder_before,
        holder_after=holder_after,
        text=text,
    )
    return PlacedAct(event, onset, samples)


def _frames(seconds: Decimal) -> int:
    return round(seconds * 1000) * GRID_FRAMES


def _seconds(frame: int) -> Decimal:
    return Decimal(frame // GRID_FRAMES).scaleb(-3)


def mixed_channels(acts: Iterable[PlacedAct], seed: int) -> dict[str, Samples]:
    """Return one channel a speaker: the speech of their acts on a soft background of their own."""
    acts = list(acts)
    frames = max(act.onset + len(act.samples) for act in acts) + _frames(TAIL_S)
    generator = np.random.default_rng(seed)
    channels = {}
    for speaker in NAMES:
        channel = generator.standard_normal(frames) * BACKGROUND_RMS
        for act in acts:
            if act.event.speaker == speaker:
                channel[act.onset : act.onset + len(act.samples)] += act.samples
        channels[speaker] = channel
    return channels


def write_demo(folder: Path, voice: Voice, *, engine: str, voices: dict[str, str], seed: int) -> Path:
    """Write the demo conversation into a folder and return the path of its manifest.

    Raises
    ------
    SynthesisError
        If the engine fails.
    """
    acts = placed_acts(SCRIPT, voice)
    folder.mkdir(parents=True, exist_ok=True)
    for speaker, samples in mixed_channels(acts, seed).items():
        soundfile.write(
            folder / f"street_party_{speaker}.flac", samples, RATE_HZ, subtype="PCM_16", compression_level=1.0
        )
    events = sorted((act.event for act in acts), key=lambda event: (event.onset_s, event.offset_s))
    conversation = ManifestConversation(
        id="street-party",
        channels=tuple(
            ManifestChannel(speaker=speaker, name=name, path=f"street_party_{speaker}.flac")
            for speaker, name in NAMES.items()
        ),
        events=tuple(events),
        attributes={"interaction": "Collaborative", "language": "en"},
    )
    manifest = Manifest(
        format=FORMAT_NAME,
        version=FORMAT_VERSION,
        name="Floorscope demo",
        description="Three neighbours plan the music of a street party.",
        licence="Apache-2.0",
        conversations=(conversation,),
        synthesised=Synthesis(engine, voices, "No person speaks here. Events are the script’s, not measured."),
    )
    path = folder / MANIFEST_NAME
    path.write_bytes(manifest_as_json(manifest))
    return path


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder to write into.")
@click.option("--engine", type=click.Choice(["auto", "hibari", "flite"]), default="auto", show_default=True)
@click.option("--hibari", "hibari_command", default="hibari", show_default=True, help="The hibari-tts command.")
@click.option("--seed", default=7, show_default=True)
def main(out: Path, engine: str, hibari_command: str, seed: int) -> None:
    """Synthesise the demo conversation."""
    found = shutil.which(hibari_command)
    if engine == "hibari" or (engine == "auto" and found):
        voices = {speaker: f"heart, pitch × {pitch}" for speaker, pitch in HIBARI_PITCH.items()}
        path = write_demo(
            out, hibari_voice(found or hibari_command, seed), engine="hibari-tts", voices=voices, seed=seed
        )
    else:
        path = write_demo(out, flite_voice("flite"), engine="flite", voices=FLITE_VOICES, seed=seed)
    click.echo(f"wrote {path}")


if __name__ == "__main__":
    main()
