"""From clips to channels: levels, room, noise and bleed, each drawn from the conversation's seed.

Conventions: samples are float64 with full scale ±1 until the end, dB are of amplitude (20 log10). The order is: a
speaker's clips at the speaker's level · the gain of the room, the same for all channels · bleed of the other speakers
(off unless asked for) · noise of the channel's own. The signal-to-noise ratio of a channel is the active level of its
own speech over the root mean square of its noise. The noise is room-like: white noise through one pole, so that it
falls by 6 dB an octave above 130 Hz at 16 kHz.

Nothing is clamped. Where a channel would pass the headroom of 1 dB under full scale, all channels of the conversation
are lowered alike, by an amount that the conversation's attributes hold.

MultiPartyTurnBench §3.1: noise at 20 to 38 dB signal-to-noise ratio. Levels, room gain and bleed are decisions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter  # type: ignore[import-untyped]

from annotation.errors import InvalidValueError
from evaluation.construction.acts import PlacedAct, ResolvedConversation
from evaluation.construction.seeds import noise_stream, stream
from evaluation.construction.synthesis import FULL_SCALE, Samples, active_rms

HEADROOM_DB = 1.0
"""How far under full scale the highest sample stays."""

FADE_MS = 12
"""Over which a part that is cut off dies away, inside its span."""

_POLE = 0.95
_WARM_UP = 512

Clips = Mapping[tuple[int, int], NDArray[np.int16]]
"""Speech for every (act, part)."""


@dataclass(frozen=True, slots=True)
class AcousticSettings:
    """What levels, room and noise are drawn from; ranges are uniform, both ends included.

    Parameters
    ----------
    snr_db
        Signal-to-noise ratio of a channel.
    level_db
        Of a speaker, beside the common level of clips.
    room_db
        Gain of the room, the same for all channels.
    bleed_db
        How much lower the others are heard on a channel; None for channels that are apart.
    """

    snr_db: tuple[float, float] = (20.0, 38.0)
    level_db: tuple[float, float] = (-3.0, 3.0)
    room_db: tuple[float, float] = (-3.0, 3.0)
    bleed_db: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        for low, high in (self.snr_db, self.level_db, self.room_db, self.bleed_db or (-40.0, -40.0)):
            if not -100 <= low <= high <= 100:
                raise InvalidValueError(f"{low} to {high} dB is no range between −100 and 100 dB.")
        if self.bleed_db is not None and self.bleed_db[1] > 0:
            raise InvalidValueError("Bleed is lower than the speech it comes from: at most 0 dB.")


@dataclass(frozen=True, slots=True)
class ChannelAcoustics:
    """What was drawn for one channel, in dB; `delay_ms` and `bleed_db` are of what it hears of the others."""

    snr_db: float
    level_db: float
    bleed_db: float | None = None
    delay_ms: int = 0


@dataclass(frozen=True, slots=True)
class Room:
    """What was drawn for one conversation: the gain of the room and each speaker's channel."""

    gain_db: float
    channels: Mapping[str, ChannelAcoustics]


@dataclass(frozen=True, slots=True)
class RenderedChannels:
    """Channels by speaker as 16-bit samples, all as long as the conversation.

    Parameters
    ----------
    speech
        The speech alone, without noise and bleed, as it stands in the channel; full scale ±1.
    headroom_gain_db
        0, or how much all channels were lowered to keep the headroom.
    noise_rms
        Of each channel, full scale 1.
    """

    channels: Mapping[str, NDArray[np.int16]]
    speech: Mapping[str, Samples]
    noise_rms: Mapping[str, float]
    headroom_gain_db: float


def drawn_room(settings: AcousticSettings, speakers: tuple[str, ...], seed: int) -> Room:
    """Return the acoustics of a conversation, drawn from its seed; each speaker has a stream of their own."""
    channels = {}
    for speaker in speakers:
        draw = stream(seed, "acoustics", speaker)
        snr_db = round(draw.uniform(*settings.snr_db), 2)
        level_db = round(draw.uniform(*settings.level_db), 2)
        bleed_db = None if settings.bleed_db is None else round(draw.uniform(*settings.bleed_db), 2)
        channels[speaker] = ChannelAcoustics(snr_db, level_db, bleed_db, draw.randint(2, 8))
    gain_db = round(stream(seed, "room").uniform(*settings.room_db), 2)
    return Room(gain_db, MappingProxyType(channels))


def rendered_channels(resolved: ResolvedConversation, clips: Clips, room: Room) -> RenderedChannels:
    """Return the channels of a conversation.

    Parameters
    ----------
    clips
        Speech for each part of each placed act, at the conversation's rate; a part that was cut is longer than its
        span and is faded out at the end of it.
    """
    rate_hz = resolved.rate_hz
    ids = [speaker.id for speaker in resolved.conversation.speakers]
    speech = {
        speaker: speech_channel(resolved, speaker, clips) * _gain(room.gain_db + room.channels[speaker].level_db)
        for speaker in ids
    }
    mixed, noise_rms = {}, {}
    for speaker in ids:
        drawn = room.channels[speaker]
        level = active_rms(speech[speaker], rate_hz) or _gain(-26.0)
        noise_rms[speaker] = level * _gain(-drawn.snr_db)
        noise = room_noise(resolved.frames, resolved.conversation.seed, speaker) * noise_rms[speaker]
        mixed[speaker] = speech[speaker] + noise
        if drawn.bleed_db is not None:
            others = [speech[other] for other in ids if other != speaker]
            mixed[speaker] += _delayed(np.sum(others, axis=0), drawn.delay_ms * rate_hz // 1000) * _gain(drawn.bleed_db)
    peak = max((float(np.abs(channel).max(initial=0.0)) for channel in mixed.values()), default=0.0)
    gain = min(1.0, _gain(-HEADROOM_DB) / peak) if peak else 1.0
    return RenderedChannels(
        MappingProxyType({speaker: _quantised(channel * gain) for speaker, channel in mixed.items()}),
        MappingProxyType({speaker: channel * gain for speaker, channel in speech.items()}),
        MappingProxyType({speaker: rms * gain for speaker, rms in noise_rms.items()}),
        round(20 * float(np.log10(gain)), 2),
    )


def speech_channel(resolved: ResolvedConversation, speaker: str, clips: Clips) -> Samples:
    """Return one speaker's clips where their acts stand, at the common level of clips."""
    channel = np.zeros(resolved.frames)
    for placed in resolved.acts:
        if placed.act.speaker == speaker:
            _add_act(channel, placed, clips, resolved.rate_hz)
    return channel


def _add_act(channel: Samples, placed: PlacedAct, clips: Clips, rate_hz: int) -> None:
    for part, span in enumerate(placed.spans):
        samples = clips[placed.act.index, part][: span.length].astype(np.float64) / FULL_SCALE
        if span.length < len(clips[placed.act.index, part]):
            fade = min(len(samples), rate_hz * FADE_MS // 1000)
            samples[len(samples) - fade :] *= (np.arange(fade, 0, -1) - 0.5) / max(fade, 1)
        channel[span.onset : span.onset + len(samples)] += samples


def room_noise(frames: int, seed: int, speaker: str) -> Samples:
    """Return noise of one channel with a root mean square of 1."""
    white = noise_stream(seed, "noise", speaker).standard_normal(frames + _WARM_UP)
    noise = np.asarray(lfilter([1.0], [1.0, -_POLE], white), dtype=np.float64)[_WARM_UP:]
    rms = float(np.sqrt(np.mean(np.square(noise)))) if frames else 0.0
    return noise / rms if rms else noise


def _delayed(samples: Samples, frames: int) -> Samples:
    return np.concatenate((np.zeros(frames), samples))[: len(samples)]


def _gain(level_db: float) -> float:
    return float(10 ** (level_db / 20))


def _quantised(channel: Samples) -> NDArray[np.int16]:
    quantised = np.rint(channel * FULL_SCALE).astype(np.int16)
    quantised.setflags(write=False)
    return quantised
