"""What every kind of agent is to the harness: one stream of fixed frames heard, one frame of its own for each.

A session is opened once for an agent and serves many trials. `AgentSession.reset` begins a trial from fresh state;
`AgentSession.answer` hands over one frame and brings back the agent's sound for the same span of time, silence being
sound. The frame's index is the time, so no kind can hear ahead. Lock-step kinds answer as fast as they compute; a
server paced by the wall clock answers with what it has said by then.

An agent that fails raises `AgentError`; it costs that trial, and the session must be opened anew.

DESIGN §9
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from annotation.errors import FloorscopeError

Frame = NDArray[np.float32]
"""Mono sound of one frame, shape `(frame_samples,)`, full scale ±1, read-only."""


@dataclass(frozen=True, slots=True)
class StreamFormat:
    """The rate and the frame that harness and agent agreed on."""

    rate_hz: int
    frame_samples: int


@dataclass(frozen=True, slots=True)
class TrialStart:
    """What an agent is told when a trial begins.

    Parameters
    ----------
    trial
        An opaque name; nothing about the scenario can be read from it.
    gold
        The right answer and its times, only for agents that declared in `hello` that they read it.
    """

    trial: str
    seed: int
    gold: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The agent's sound of one frame, and how long it computed."""

    spoken: Frame
    compute_s: float


class FaultKind(StrEnum):
    """How an agent failed a trial."""

    REFUSED = "refused"
    CRASHED = "crashed"
    HUNG = "hung"
    FLOODED = "flooded"
    WRONG_SIZE = "wrong_size"
    NOT_FINITE = "not_finite"
    GARBAGE = "garbage"
    IGNORED_RESET = "ignored_reset"
    OUT_OF_MEMORY = "out_of_memory"
    MISSING = "missing"


class AgentError(FloorscopeError):
    """An agent failed, with the reason in words and the end of what it wrote to stderr."""

    code = "agent_failed"
    exit_code = 1

    def __init__(self, kind: FaultKind, message: str, *, stderr: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.stderr = stderr


class AgentSession(Protocol):
    """An agent that is up and has agreed on a format."""

    @property
    def name(self) -> str:
        """What the agent calls itself, or its spec."""
        ...

    @property
    def format(self) -> StreamFormat:
        """The rate and frame agreed on in `hello`."""
        ...

    @property
    def lockstep(self) -> bool:
        """Whether the agent runs on the virtual clock; else frames are paced by the wall clock."""
        ...

    @property
    def reads_gold(self) -> bool:
        """Whether the agent asked for the right answers; such an agent is marked wherever it shows."""
        ...

    def reset(self, start: TrialStart) -> None:
        """Begin a trial from fresh state.

        Raises
        ------
        AgentError
            If the agent does not confirm.
        """
        ...

    def answer(self, heard: Frame) -> Answer:
        """Hand over the next frame and return the agent's sound of the same span.

        Raises
        ------
        AgentError
            If the agent crashes, hangs, floods or answers nonsense.
        """
        ...

    def stderr(self) -> str:
        """Return the end of what the agent wrote to stderr since the last reset."""
        ...

    def close(self) -> None:
        """End the agent and its children; never raises."""
        ...
