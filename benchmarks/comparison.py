"""What one measurement says: ours and a peer's time for the same work in one process, and that both did it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Result:
    """One row of the performance table, as measured just now.

    Parameters
    ----------
    row
        Its number in the table of goals.
    work
        What was done, in a few words.
    peer, peer_version
        What it is compared with.
    peer_s, ours_s
        Seconds; absolute times vary by a factor of two between runs, so only their ratio is a goal.
    goal
        The least ratio that is good enough.
    equal, equality
        Whether both came to the same, and the sentence that says what was compared.
    details
        Other figures by name, with the unit in the name.
    """

    row: int
    work: str
    peer: str
    peer_version: str
    peer_s: float
    ours_s: float
    goal: float
    equal: bool
    equality: str
    details: Mapping[str, float] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return self.peer_s / self.ours_s

    @property
    def good(self) -> bool:
        """Whether the goal is met by work that came to the same."""
        return self.equal and self.ratio >= self.goal

    def as_json(self) -> dict[str, object]:
        """Return all figures as plain values."""
        return {
            "row": self.row,
            "work": self.work,
            "peer": self.peer,
            "peer_version": self.peer_version,
            "peer_s": self.peer_s,
            "ours_s": self.ours_s,
            "ratio": self.ratio,
            "goal": self.goal,
            "equal": self.equal,
            "equality": self.equality,
            "good": self.good,
            "details": dict(self.details),
        }

    def as_text(self) -> str:
        """Return the figures as lines for a terminal."""
        lines = [
            f"row {self.row}: {self.work}",
            f"  {self.peer} {self.peer_version}: {self.peer_s:.4g} s",
            f"  ours: {self.ours_s:.4g} s, {self.ratio:.3g} times faster (goal: {self.goal:g})",
            f"  {'equal' if self.equal else 'NOT EQUAL'}: {self.equality}",
            *(f"  {name}: {value:.4g}" for name, value in self.details.items()),
            f"  {'good' if self.good else 'GOAL MISSED'}",
        ]
        return "\n".join(lines)


class Seconds(NamedTuple):
    """The median time of each side."""

    peer: float
    ours: float


def alternated(peer: Callable[[], object], ours: Callable[[], object], *, rounds: int) -> Seconds:
    """Return the median seconds of two pieces of work that take turns, so that a busy machine slows both."""
    peer_s, ours_s = [], []
    for _ in range(rounds):
        peer_s.append(seconds_of(peer))
        ours_s.append(seconds_of(ours))
    return Seconds(median(peer_s), median(ours_s))


def seconds_of(work: Callable[[], object]) -> float:
    """Return how long a piece of work takes."""
    start = perf_counter()
    work()
    return perf_counter() - start
