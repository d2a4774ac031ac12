"""Channels: levels, noise, bleed, headroom, and that nothing is clamped."""

import dataclasses
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from annotation.errors import InvalidValueError
from evaluation.construction.acoustics import (
    AcousticSettings,
    ChannelAcoustics,
    Room,
    drawn_room,
    rendered_channels,
    room_noise,
    speech_channel,
)
from evaluation.construction.acts import ResolvedConversation
from evaluation.construction.synthesis import FULL_SCALE, active_rms

Clips = Mapping[tuple[int, int], NDArray[np.int16]]


def quiet_room(**channel: float | None) -> Room:
    values = {"snr_db": 100.0, "level_db": 0.0, **channel}
    return Room(0.0, {speaker: ChannelAcoustics(**values) for speaker in ("ana", "ben")})  # type: ignore[arg-type]


def test_speech_stands_where_its_acts_are_and_nowhere_else(resolved: ResolvedConversation, clips: Clips) -> None:
    channel = speech_channel(resolved, "ana", clips)
    assert np.array_equal(channel[16_000:32_000], clips[0, 0] / FULL_SCALE)
    assert not channel[:16_000].any()
    assert not channel[32_000:48_000].any()
    assert not channel[64_000:].any()


def test_a_part_that_is_cut_fades_out_inside_its_span(resolved: ResolvedConversation, clips: Clips) -> None:
    channel = speech_channel(resolved, "ana", clips)
    assert np.array_equal(channel[48_000:63_800], clips[0, 1][:15_800] / FULL_SCALE)
    assert abs(channel[63_999]) < 0.01 * np.abs(channel).max()


def test_the_signal_to_noise_ratio_is_the_one_drawn(resolved: ResolvedConversation, clips: Clips) -> None:
    rendered = rendered_channels(resolved, clips, quiet_room(snr_db=20.0))
    for speaker in ("ana", "ben"):
        noise = rendered.channels[speaker] / FULL_SCALE - rendered.speech[speaker]
        ratio_db = 20 * np.log10(active_rms(rendered.speech[speaker], 16_000) / np.sqrt(np.mean(noise**2)))
        assert ratio_db == pytest.approx(20.0, abs=0.05)


def test_a_level_moves_one_speaker_and_the_room_moves_all(resolved: ResolvedConversation, clips: Clips) -> None:
    plain = rendered_channels(resolved, clips, quiet_room())
    louder = rendered_channels(
        resolved, clips, Room(2.0, {"ana": ChannelAcoustics(100, 3.0), "ben": ChannelAcoustics(100, 0.0)})
    )
    for speaker, expected_db in (("ana", 5.0), ("ben", 2.0)):
        ratio = active_rms(louder.speech[speaker], 16_000) / active_rms(plain.speech[speaker], 16_000)
        assert 20 * np.log10(ratio) == pytest.approx(expected_db, abs=0.01)


def test_bleed_is_the_others_speech_lower_and_later(resolved: ResolvedConversation, clips: Clips) -> None:
    rendered = rendered_channels(resolved, clips, quiet_room(bleed_db=-20.0, delay_ms=5))
    heard = rendered.channels["ana"][64_000 + 80 : 80_000] / FULL_SCALE
    assert heard == pytest.approx(0.1 * rendered.speech["ben"][64_000 : 80_000 - 80], abs=2e-4)


def test_a_loud_conversation_is_lowered_as_a_whole_and_never_clamped(
    resolved: ResolvedConversation, clips: Clips
) -> None:
    loud = {key: (clip.astype(np.int32) * 15).astype(np.int16) for key, clip in clips.items()}
    rendered = rendered_channels(resolved, loud, quiet_room(level_db=6.0))
    peaks = [int(np.abs(channel.astype(np.int32)).max()) for channel in rendered.channels.values()]
    assert max(peaks) == round(FULL_SCALE * 10 ** (-1 / 20))
    assert rendered.headroom_gain_db < -5
    again = rendered_channels(resolved, clips, quiet_room())
    assert again.headroom_gain_db == 0


def test_the_same_seed_gives_the_same_samples_and_another_differs(resolved: ResolvedConversation, clips: Clips) -> None:
    other = dataclasses.replace(resolved, conversation=dataclasses.replace(resolved.conversation, seed=12))
    room = quiet_room(snr_db=20.0)
    first, again, differs = (rendered_channels(each, clips, room) for each in (resolved, resolved, other))
    assert np.array_equal(first.channels["ana"], again.channels["ana"])
    assert not np.array_equal(first.channels["ana"], differs.channels["ana"])


@given(seed=st.integers(0, 2**63), low=st.floats(10, 30), width=st.floats(0, 20))
def test_what_is_drawn_lies_in_its_range_and_a_speaker_draws_alone(seed: int, low: float, width: float) -> None:
    settings = AcousticSettings(snr_db=(low, low + width), bleed_db=(-40, -30))
    room = drawn_room(settings, ("ana", "ben"), seed)
    assert all(low - 0.01 <= channel.snr_db <= low + width + 0.01 for channel in room.channels.values())
    assert drawn_room(settings, ("ana", "ben", "cy"), seed).channels["ben"] == room.channels["ben"]


def test_noise_has_unit_level_and_differs_between_channels() -> None:
    ana, ben = room_noise(16_000, 5, "ana"), room_noise(16_000, 5, "ben")
    assert np.sqrt(np.mean(ana**2)) == pytest.approx(1.0)
    assert abs(np.corrcoef(ana, ben)[0, 1]) < 0.2


@pytest.mark.parametrize("settings", [{"snr_db": (30.0, 20.0)}, {"bleed_db": (-10.0, 3.0)}, {"level_db": (0.0, 101.0)}])
def test_settings_that_make_no_sense_are_refused(settings: dict[str, tuple[float, float]]) -> None:
    with pytest.raises(InvalidValueError):
        AcousticSettings(**settings)
