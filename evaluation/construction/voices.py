"""Who speaks: voices made of base voices and pitch, parted into dev and test, and cast for a conversation.

Decisions: the identity of a voice is its base voice and its pitch (MultiPartyTurnBench §3.1 asks for disjoint voices
and has more of them); dev and test share no identity, but with few base voices they do share base voices, and the
report says how many there are. Pitches are spaced evenly in log frequency from 0.72 to 1.25.
"""

import itertools
import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluation.construction.acts import Speaker
from evaluation.construction.seeds import stream
from evaluation.construction.synthesis import SpeechEngine, SynthesisError, Voice

LOWEST_PITCH = 0.72
HIGHEST_PITCH = 1.25
DEV_SHARE = 0.3
"""Of the voices; more than of the conversations, since a dev conversation may have five speakers too."""

_FEWEST_VOICES = 16
_LEAST_PITCHES = 8
_OTHER_BASE = math.log(1.5)
_APART = math.log(1.14)

_LOW_VOICES = {"joe", "rms", "awb", "kal", "kal16", "fenrir", "fable"}
_HIGH_HZ, _LOW_HZ, _BORDER_HZ = 200.0, 115.0, 152.0


@dataclass(frozen=True, slots=True)
class VoicePool:
    """The voices of each split; no identity stands in both."""

    dev: tuple[Voice, ...]
    test: tuple[Voice, ...]

    def of(self, split: str) -> tuple[Voice, ...]:
        """Return the voices of a split."""
        return self.dev if split == "dev" else self.test

    @property
    def base_voices(self) -> tuple[str, ...]:
        """Identities of the base voices, sorted."""
        return tuple(sorted({voice.base_identity for voice in (*self.dev, *self.test)}))

    def base_voices_of(self, split: str) -> tuple[str, ...]:
        """Identities of the base voices that a split uses, sorted."""
        return tuple(sorted({voice.base_identity for voice in self.of(split)}))


def pitches(count: int) -> tuple[float, ...]:
    """Return factors from 0.72 to 1.25, evenly spaced by ratio; just 1 where one is asked for."""
    if count <= 1:
        return (1.0,)
    ratio = (HIGHEST_PITCH / LOWEST_PITCH) ** (1 / (count - 1))
    return tuple(round(LOWEST_PITCH * ratio**step, 3) for step in range(count))


def voices_of(engines: Iterable[SpeechEngine]) -> tuple[Voice, ...]:
    """Return all voices that engines give: each base voice at each pitch, fewer pitches where there are many."""
    bases = [(engine, base) for engine in engines for base in engine.voices()]
    stretching = sum(engine.stretches for engine, _ in bases)
    count = max(_LEAST_PITCHES, math.ceil(_FEWEST_VOICES / stretching)) if stretching else 1
    count = min(count, 12)
    return tuple(
        sorted(
            Voice(engine.name, base, pitch)
            for engine, base in bases
            for pitch in (pitches(count) if engine.stretches else (1.0,))
        )
    )


def voice_pool(voices: Sequence[Voice], *, dev_speakers: int, test_speakers: int, seed: int) -> VoicePool:
    """Return voices parted into dev and test.

    Parameters
    ----------
    dev_speakers, test_speakers
        The most speakers that a conversation of the split has; 0 where the split has no conversation.

    Raises
    ------
    SynthesisError
        If there are not enough voices.
    """
    if len(voices) < dev_speakers + test_speakers:
        raise SynthesisError(
            f"Of {len(voices)} voices, dev needs {dev_speakers} and test {test_speakers}, and none may be in both.",
            remedy="Add an engine or voices, ask for fewer speakers, or for one split only.",
        )
    if not dev_speakers:
        return VoicePool((), tuple(voices))
    if not test_speakers:
        return VoicePool(tuple(voices), ())
    count = min(max(dev_speakers, round(DEV_SHARE * len(voices))), len(voices) - test_speakers)
    dev = set(_spread(voices, count, stream(seed, "voices")))
    return VoicePool(tuple(v for v in voices if v in dev), tuple(v for v in voices if v not in dev))


def _spread(voices: Sequence[Voice], count: int, random_stream: random.Random) -> list[Voice]:
    """Return voices of all bases in turn."""
    groups = [list(group) for _, group in itertools.groupby(sorted(voices), key=lambda voice: voice.base_identity)]
    random_stream.shuffle(groups)
    for group in groups:
        random_stream.shuffle(group)
    turns = itertools.chain.from_iterable(itertools.zip_longest(*groups))
    return [voice for voice in turns if voice is not None][:count]


def cast(speakers: Sequence[Speaker], voices: Sequence[Voice], seed: int) -> dict[str, Voice]:
    """Return a voice for each speaker id: all different, as far apart as there are voices, in the wished register.

    Raises
    ------
    SynthesisError
        If there are fewer voices than speakers.
    """
    if len(voices) < len(speakers):
        raise SynthesisError(f"There are {len(voices)} voices for {len(speakers)} speakers.", remedy="Add voices.")
    random_stream = stream(seed, "cast")
    parts: dict[str, Voice] = {}
    for speaker in speakers:
        free = [voice for voice in voices if voice not in parts.values()]
        random_stream.shuffle(free)
        parts[speaker.id] = max(free, key=lambda voice: _fit(voice, speaker, parts.values()))
    return parts


def _fit(voice: Voice, speaker: Speaker, taken: Iterable[Voice]) -> tuple[bool, bool, float]:
    """Return how well a voice suits: told apart from the others, of the wished register, and how far apart."""
    nearest = min((_distance(voice, other) for other in taken), default=math.inf)
    apart = nearest >= _APART
    return apart, register_of(voice) == speaker.register, 0.0 if apart else nearest


def _distance(voice: Voice, other: Voice) -> float:
    shift = abs(math.log(voice.pitch / other.pitch))
    return shift if voice.base_identity == other.base_identity else shift + _OTHER_BASE


def register_of(voice: Voice) -> str:
    """Return ``"low"`` or ``"high"``, from what is known of the base voice and its pitch."""
    low = voice.base in _LOW_VOICES or "-joe-" in voice.base or "+m" in voice.base
    return "high" if (_LOW_HZ if low else _HIGH_HZ) * voice.pitch >= _BORDER_HZ else "low"
