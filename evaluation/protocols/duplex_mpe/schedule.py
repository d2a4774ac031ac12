"""The order of a Duplex-MPE trial: the duty preamble, then turn after turn, with room for the agent.

| after | follows |
|---|---|
| the preamble, an ordinary turn, N4R | 0.5 s of silence |
| T | the answer: an onset within 5 s, then 2 s of silence end it, at the latest 60 s; nothing besides |
| N4Q | 3 s, whether or not the agent speaks, then N4R |

Duplex-MPE §3, App. A2, A3.1
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotation.errors import InvalidValueError
from evaluation.scheduler import AwaitResponse, Play, Script, Step, Wait, in_order

BETWEEN_TURNS_MS = 500
ONSET_WITHIN_MS = 5_000
ANSWER_ENDS_AFTER_MS = 2_000
LONGEST_ANSWER_MS = 60_000
ANSWERING_WINDOW_MS = 3_000


class TurnLabel(StrEnum):
    """What a turn is to the agent."""

    REQUEST = "T"
    MENTION = "N1"
    OTHER_ADDRESSEE = "N2"
    NOBODY = "N3"
    QUESTION = "N4Q"
    RESOLUTION = "N4R"


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn, its clip, and the clip's length in frames."""

    label: TurnLabel
    clip: str
    frames: int


def duplex_mpe_script(turns: Sequence[Turn], rate_hz: int, *, preamble: Play | None = None) -> Script:
    """Return the script of a conversation.

    Raises
    ------
    InvalidValueError
        If there is not exactly one request, it comes first or last, or a question and its resolution are parted.
    """
    _check([turn.label for turn in turns])

    def frames(milliseconds: int) -> int:
        return milliseconds * rate_hz // 1000

    steps: list[Step] = [] if preamble is None else [preamble, Wait(frames(BETWEEN_TURNS_MS))]
    for turn in turns:
        steps.append(Play(turn.clip, turn.frames))
        if turn.label is TurnLabel.REQUEST:
            steps.append(
                AwaitResponse(frames(ONSET_WITHIN_MS), frames(ANSWER_ENDS_AFTER_MS), frames(LONGEST_ANSWER_MS))
            )
        elif turn.label is TurnLabel.QUESTION:
            steps.append(Wait(frames(ANSWERING_WINDOW_MS)))
        else:
            steps.append(Wait(frames(BETWEEN_TURNS_MS)))
    return in_order(steps)


def _check(labels: Sequence[TurnLabel]) -> None:
    if labels.count(TurnLabel.REQUEST) != 1 or labels.index(TurnLabel.REQUEST) in (0, len(labels) - 1):
        raise InvalidValueError("A conversation has exactly one T, neither first nor last.")
    for here, following in zip(labels, [*labels[1:], None], strict=True):
        if (here is TurnLabel.QUESTION) != (following is TurnLabel.RESOLUTION):
            raise InvalidValueError("N4R follows N4Q at once, and nothing else.")
