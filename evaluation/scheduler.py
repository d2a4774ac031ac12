"""When the next clip of a trial is played: a state machine over what the agent is known to have said.

Pure: no sound, no clock. A script names one step after the other; a step ends at a frame that follows from where it
began and from the speech known by then. Protocols differ in their scripts only. The caller asks once for each frame of
the stream, before that frame is handed over, and learns which clips begin in it.

A wait that can be decided only when it is past (a run of speech that turned out too short) ends at the moment of the
decision, never back in time.

DESIGN §9; PROTOCOLS §4
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from evaluation.episodes import HeardSpeech


class Step(Protocol):
    """One step of a script."""

    @property
    def clip(self) -> str | None:
        """The clip that begins with the step, if any."""
        ...

    def ends(self, start: int, heard: HeardSpeech) -> int | None:
        """Return where the step ends if that is settled, else None.

        A frame in the future may be revised by what is heard until then.
        """
        ...


@dataclass(frozen=True, slots=True)
class Play:
    """A clip of so many frames; whatever the agent says, it is played to its end."""

    clip: str
    frames: int

    def ends(self, start: int, heard: HeardSpeech) -> int | None:
        """Return the end of the clip."""
        return start + self.frames


@dataclass(frozen=True, slots=True)
class Wait:
    """Silence of a fixed length."""

    frames: int
    clip: None = None

    def ends(self, start: int, heard: HeardSpeech) -> int | None:
        """Return the end of the silence."""
        return start + self.frames


@dataclass(frozen=True, slots=True)
class AwaitResponse:
    """Let the agent answer.

    Parameters
    ----------
    within
        How long to wait for an onset, inclusive, if the agent is not speaking.
    silence
        How much silence ends an answer.
    longest
        From the onset, or from the start of the wait if the agent was speaking already.

    Duplex-MPE App. A3.1
    """

    within: int
    silence: int
    longest: int
    clip: None = None

    def ends(self, start: int, heard: HeardSpeech) -> int | None:
        """Return the end of the answer, of the longest answer, or of the wait for one."""
        last_onset = start + self.within
        answer = [episode for episode in heard.episodes if episode.holds(start) or start <= episode.onset <= last_onset]
        if not answer:
            awaited = heard.pending is not None and heard.pending <= last_onset
            return last_onset if heard.known >= last_onset and not awaited else None
        limit = max(answer[0].onset, start) + self.longest
        end = self._end_of_answer(answer[0].onset, heard)
        return limit if end is None else min(end, limit)

    def _end_of_answer(self, onset: int, heard: HeardSpeech) -> int | None:
        """Return the end of the confirmed silence behind an answer, None as long as there is none."""
        end = onset
        for episode in heard.episodes:
            if episode.onset < onset:
                continue
            if episode.onset > onset and episode.onset - end >= self.silence:
                break
            if episode.offset is None:
                return None
            end = episode.offset
        confirmed = end + self.silence
        awaited = heard.pending is not None and heard.pending < confirmed
        return confirmed if heard.known >= confirmed and not awaited else None


@dataclass(frozen=True, slots=True)
class Finished:
    """A step that is over."""

    step: Step
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Begun:
    """A clip that begins at a frame."""

    clip: str
    start: int


Script = Callable[[Sequence[Finished]], Step | None]
"""Gives the next step by the steps that are over; None ends the trial."""


class Scheduler:
    """Runs a script over the frames of a stream."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._finished: list[Finished] = []
        self._step: Step | None = None
        self._start = 0
        self._ended: int | None = None

    @property
    def ended(self) -> int | None:
        """Where the last step ended; None while there are steps."""
        return self._ended

    @property
    def finished(self) -> tuple[Finished, ...]:
        """The steps that are over."""
        return tuple(self._finished)

    def advance(self, now: int, until: int, heard: HeardSpeech) -> tuple[Begun, ...]:
        """Return the clips that begin in the frames ``[now, until)``, by what is known before them."""
        begun: list[Begun] = []
        if self._step is None and self._ended is None:
            self._begin(now, begun)
        while self._step is not None:
            settled = self._step.ends(self._start, heard)
            if settled is None or settled >= until:
                break
            end = max(settled, now, self._start)
            self._finished.append(Finished(self._step, self._start, end))
            self._begin(end, begun)
        return tuple(begun)

    def _begin(self, at: int, begun: list[Begun]) -> None:
        self._step = self._script(tuple(self._finished))
        self._start = at
        if self._step is None:
            self._ended = at
        elif self._step.clip is not None:
            begun.append(Begun(self._step.clip, at))


def in_order(steps: Sequence[Step]) -> Script:
    """Return the script that takes steps one after the other."""

    def script(finished: Sequence[Finished]) -> Step | None:
        return steps[len(finished)] if len(finished) < len(steps) else None

    return script
