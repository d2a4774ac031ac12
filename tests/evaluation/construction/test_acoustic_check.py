"""The acoustic check of overlap events."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from evaluation.construction.acoustic_check import checked_overlaps
from evaluation.construction.acoustics import ChannelAcoustics, Room, rendered_channels
from evaluation.construction.acts import Kind, ResolvedConversation

Clips = Mapping[tuple[int, int], NDArray[np.int16]]
ROOM = Room(0.0, {"ana": ChannelAcoustics(20.0, 0.0), "ben": ChannelAcoustics(20.0, -3.0)})


def test_overlap_that_is_there_is_heard_over_its_whole_length(resolved: ResolvedConversation, clips: Clips) -> None:
    checks = checked_overlaps(resolved, rendered_channels(resolved, clips, ROOM))
    assert [(check.kind, check.under, check.planned) for check in checks] == [
        (Kind.BACKCHANNEL, "ana", 6_400),
        (Kind.INTERRUPTION, "ana", 6_400),
    ]
    assert all(check.realised for check in checks)
    assert all(check.planned - check.heard <= 320 for check in checks)
    assert all(check.needed == 1_600 for check in checks)


def test_overlap_into_a_silent_stretch_of_the_holder_is_not_realised(
    resolved: ResolvedConversation, clips: Clips
) -> None:
    silent = clips[0, 0].copy()
    silent[6_000:14_000] = 0
    checks = checked_overlaps(resolved, rendered_channels(resolved, {**clips, (0, 0): silent}, ROOM))
    assert [check.realised for check in checks] == [False, True]
    assert checks[0].heard == 0


def test_half_of_a_short_overlap_is_enough(resolved: ResolvedConversation, clips: Clips) -> None:
    barely = clips[1, 0].copy()
    barely[1_700:] = 0
    checks = checked_overlaps(resolved, rendered_channels(resolved, {**clips, (1, 0): barely}, ROOM))
    assert checks[0].realised
    assert 1_600 <= checks[0].heard <= 1_760


def test_noise_alone_is_no_speech(resolved: ResolvedConversation, clips: Clips) -> None:
    silent = {key: np.zeros_like(clip) if key[0] == 1 else clip for key, clip in clips.items()}
    checks = checked_overlaps(resolved, rendered_channels(resolved, silent, ROOM))
    assert checks[0].heard == 0
