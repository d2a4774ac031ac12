"""Variety: whether many scripts read alike.

Measures
--------
- **distinct sentences**: different sentences of turns, of all sentences of turns; what listeners mutter is left out.
- **overlap**: for two scripts, the share of the smaller one's runs of five words that the other one has too; its mean
  over pairs with one topic, and over pairs with different topics.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from evaluation.construction.script import Script

RUN_OF_WORDS = 5


@dataclass(frozen=True, slots=True)
class Variety:
    """Counts and shares; an overlap is None where there is no such pair."""

    sentences: int
    distinct: int
    overlap_within_topic: float | None
    overlap_across_topics: float | None

    @property
    def distinct_share(self) -> float:
        """Different sentences as a share of all."""
        return self.distinct / self.sentences


def variety(scripts: Iterable[Script]) -> Variety:
    """Return how much the scripts differ."""
    scripts = list(scripts)
    sentences = [sentence for script in scripts for line in script.lines for sentence in line.sentences]
    runs = [_runs(script) for script in scripts]
    within: list[float] = []
    across: list[float] = []
    for one, other in combinations(range(len(scripts)), 2):
        shared = len(runs[one] & runs[other]) / max(min(len(runs[one]), len(runs[other])), 1)
        (within if scripts[one].topic == scripts[other].topic else across).append(shared)
    return Variety(len(sentences), len(set(sentences)), _mean(within), _mean(across))


def _runs(script: Script) -> frozenset[tuple[str, ...]]:
    """Return the runs of words of a script, none across the end of a line."""
    runs: set[tuple[str, ...]] = set()
    for line in script.lines:
        words = re.findall(r"[a-z']+", " ".join(line.sentences).lower())
        runs.update(zip(*(words[start:] for start in range(RUN_OF_WORDS)), strict=False))
    return frozenset(runs)


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None
