"""One conversation through all stages after the orchestration: voices, clips, frames, channels, the check, words.

An overlap that is not heard, as where the holder draws breath, is repaired by moving what makes it to another share of
the turn it lies under; on the last try the holder of an interruption also talks on longer. What is still not heard
after three tries is kept, and marked.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from annotation.cancellation import CancelToken
from evaluation.construction.acoustic_check import OverlapCheck, checked_overlaps
from evaluation.construction.acoustics import AcousticSettings, drawn_room, rendered_channels
from evaluation.construction.acts import (
    Act,
    PartFrames,
    Relation,
    ResolvedConversation,
    SymbolicConversation,
)
from evaluation.construction.alignment import Aligner, TimedWord
from evaluation.construction.assembly import AssembledConversation
from evaluation.construction.synthesis import SynthesisError, Voice
from evaluation.construction.synthesiser import Synthesiser
from evaluation.construction.voices import VoicePool, cast

_log = logging.getLogger(__name__)

TRIES = 3
"""How often the timing of an overlap that is not heard is changed."""

_SHARE_STEPS = (0.07, -0.07, 0.15)
_LONGER_MS = 150
_LONGEST_YIELD_MS = 1_500

Clips = dict[tuple[int, int], NDArray[np.int16]]


Words = dict[tuple[int, int], tuple[TimedWord, ...]]


class Resolver(Protocol):
    """Gives acts frames, as `evaluation.construction.resolution.resolve` does."""

    def __call__(
        self,
        conversation: SymbolicConversation,
        part_frames: PartFrames,
        rate_hz: int,
        *,
        word_ends: Mapping[tuple[int, int], Sequence[int]] | None = None,
    ) -> ResolvedConversation:
        """Return the conversation in frames."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What the stages need beside the conversation.

    Parameters
    ----------
    aligner
        None: words are not timed.
    """

    resolve: Resolver
    synthesiser: Synthesiser
    pool: VoicePool
    aligner: Aligner | None
    acoustics: AcousticSettings


def built_conversation(symbolic: SymbolicConversation, tools: Tools, cancel: CancelToken) -> AssembledConversation:
    """Return a conversation ready to be written.

    Raises
    ------
    SynthesisError
        If a clip that the conversation cannot do without cannot be spoken.
    CancelledError
        If `cancel` was set.
    """
    voices = cast(symbolic.speakers, tools.pool.of(symbolic.split), symbolic.seed)
    symbolic, clips, left_out = spoken_parts(symbolic, voices, tools.synthesiser, cancel)
    room = drawn_room(tools.acoustics, tuple(speaker.id for speaker in symbolic.speakers), symbolic.seed)
    words = timed_words(symbolic, clips, voices, tools, cancel)
    frames = {key: len(clip) for key, clip in clips.items()}
    word_ends = {key: [word.offset for word in timed] for key, timed in words.items() if timed}
    repairs: list[str] = []
    current = symbolic
    for attempt in range(TRIES + 1):
        cancel.check()
        resolved = tools.resolve(current, frames, tools.synthesiser.rate_hz, word_ends=word_ends)
        rendered = rendered_channels(resolved, clips, room)
        checks = checked_overlaps(resolved, rendered, with_bleed=tools.acoustics.bleed_db is not None)
        missed = [check for check in checks if not check.realised]
        if not missed or attempt == TRIES:
            break
        current = retimed(symbolic, current, missed, attempt)
        repairs += [f"act {check.act}: {_heard(check, resolved.rate_hz)}; it was moved." for check in missed]
    return AssembledConversation(resolved, rendered, room, voices, words, checks, repairs, left_out)


def spoken_parts(
    symbolic: SymbolicConversation, voices: Mapping[str, Voice], synthesiser: Synthesiser, cancel: CancelToken
) -> tuple[SymbolicConversation, Clips, tuple[str, ...]]:
    """Return the speech of every part; asides that no engine can speak are left out, each with a sentence.

    Raises
    ------
    SynthesisError
        If an act that others depend on cannot be spoken.
    """
    spoken: Clips = {}
    silent: dict[int, str] = {}
    for act in symbolic.acts:
        for part, text in enumerate(act.parts):
            cancel.check()
            try:
                spoken[act.index, part] = synthesiser.clip(voices[act.speaker], text)
            except SynthesisError as error:
                if act.takes_floor or _is_anchor(act, symbolic.acts):
                    raise
                silent[act.index] = f"{act.kind} of {act.speaker}, “{text}”: {error}"
    if not silent:
        return symbolic, spoken, ()
    places = {act.index: place for place, act in enumerate(act for act in symbolic.acts if act.index not in silent)}
    clips = {(places[index], part): clip for (index, part), clip in spoken.items() if index in places}
    return without_acts(symbolic, places), clips, tuple(silent.values())


def without_acts(symbolic: SymbolicConversation, places: Mapping[int, int]) -> SymbolicConversation:
    """Return a conversation with the acts that have a new place only; nothing may refer to the others."""
    acts = []
    for act in symbolic.acts:
        if act.index not in places:
            continue
        anchor = act.timing.anchor
        timing = act.timing if anchor is None else replace(act.timing, anchor=places[anchor])
        cut_by = None if act.cut_by is None else places[act.cut_by]
        acts.append(replace(act, index=places[act.index], timing=timing, cut_by=cut_by))
    return replace(symbolic, acts=tuple(acts))


def _is_anchor(act: Act, acts: Sequence[Act]) -> bool:
    return any(other.timing.anchor == act.index for other in acts)


def retimed(
    original: SymbolicConversation, current: SymbolicConversation, missed: Sequence[OverlapCheck], attempt: int
) -> SymbolicConversation:
    """Return a conversation in which the acts whose overlap is not heard lie elsewhere.

    Parameters
    ----------
    original
        As orchestrated; shares are counted from it, so that a second try does not drift.
    attempt
        0 for the first try.
    """
    acts = list(current.acts)
    for check in missed:
        act, timing = acts[check.act], original.acts[check.act].timing
        if timing.relation is Relation.AT_SHARE:
            share = min(max(timing.share + _SHARE_STEPS[attempt % len(_SHARE_STEPS)], 0.04), 0.96)
            acts[check.act] = replace(act, timing=replace(timing, share=share))
        if attempt == TRIES - 1:
            _yield_later(acts, act.index)
    return replace(current, acts=tuple(acts))


def _yield_later(acts: list[Act], interruption: int) -> None:
    """Let the holder that an interruption cuts off talk on longer."""
    for place, held in enumerate(acts):
        if held.cut_by == interruption and held.yield_ms is not None:
            acts[place] = replace(held, yield_ms=min(held.yield_ms + _LONGER_MS, _LONGEST_YIELD_MS))


def timed_words(
    symbolic: SymbolicConversation, clips: Clips, voices: Mapping[str, Voice], tools: Tools, cancel: CancelToken
) -> Words:
    """Return the words of every part, in frames of its clip; nothing without an aligner or for sounds without words."""
    words: Words = {}
    if tools.aligner is None:
        return words
    for act in symbolic.acts:
        if act.sound is not None:
            continue
        for part, text in enumerate(act.parts):
            cancel.check()
            try:
                clip = clips[act.index, part]
                words[act.index, part] = tools.aligner.words(
                    text, clip, tools.synthesiser.rate_hz, pitch=voices[act.speaker].pitch
                )
            except SynthesisError as error:
                _log.info("no word times for “%s”: %s", text, error)
    return words


def _heard(check: OverlapCheck, rate_hz: int) -> str:
    heard, planned = (1000 * frames // rate_hz for frames in (check.heard, check.planned))
    return f"{check.kind} of {check.speaker}: of {planned} ms planned with {check.under}, {heard} ms were heard"
