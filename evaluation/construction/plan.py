"""Which conversations a corpus has: interaction types × speaker counts, evenly, parted into dev and test.

MultiPartyTurnBench §3: 240 conversations, 2 to 5 speakers × 6 interaction types, 10 per cell, 48 dev / 192 test.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.errors import InvalidValueError
from evaluation.construction.acts import Interaction
from evaluation.construction.seeds import derived_seed, stream

MOST_CONVERSATIONS = 100_000
DEV_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class PlannedConversation:
    """One conversation to make: its place in the grid, and the seed that all its stages derive theirs from."""

    id: str
    interaction: Interaction
    speakers: int
    split: str
    seed: int


def planned_conversations(
    count: int,
    seed: int,
    *,
    interactions: Sequence[Interaction] = tuple(Interaction),
    speakers: Sequence[int] = (2, 3, 4, 5),
    split: str = "both",
) -> tuple[PlannedConversation, ...]:
    """Return conversations spread evenly over the cells of the grid, cell by cell in turn.

    Parameters
    ----------
    split
        ``both``: a fifth is dev, as evenly over the cells as it can be; ``dev`` or ``test``: all are.

    Raises
    ------
    InvalidValueError
        If a number is out of range or a list is empty.
    """
    if not 1 <= count <= MOST_CONVERSATIONS:
        raise InvalidValueError(f"{count} conversations are not between 1 and {MOST_CONVERSATIONS:,}.")
    if not interactions or not speakers or not set(speakers) <= {2, 3, 4, 5}:
        raise InvalidValueError("There is at least one interaction type, and a conversation has 2 to 5 speakers.")
    # Along the diagonals of the grid, so that a few conversations already have all types and all speaker counts.
    wide, high = len(interactions), len(speakers)
    period = math.lcm(wide, high)
    order = [((k % wide), (k + k // period) % high) for k in range(wide * high)]
    cells = [(interactions[i], speakers[j]) for i, j in (order[k % len(order)] for k in range(count))]
    dev = _dev_positions(cells, seed) if split == "both" else set(range(count)) if split == "dev" else set()
    numbers: Counter[tuple[Interaction, int]] = Counter()
    planned = []
    for position, (interaction, people) in enumerate(cells):
        numbers[interaction, people] += 1
        name = f"{interaction.lower()}-{people}-{numbers[interaction, people]:02d}"
        part = "dev" if position in dev else "test"
        planned.append(PlannedConversation(name, interaction, people, part, derived_seed(seed, "conversation", name)))
    return tuple(planned)


def _dev_positions(cells: Sequence[tuple[Interaction, int]], seed: int) -> set[int]:
    """Return which conversations are dev: the share of each cell rounded down, and the rest from cells by lot."""
    wanted = round(DEV_SHARE * len(cells))
    members: dict[tuple[Interaction, int], list[int]] = {}
    for position, cell in enumerate(cells):
        members.setdefault(cell, []).append(position)
    lots = stream(seed, "split")
    spare: list[int] = []
    dev: set[int] = set()
    for positions in members.values():
        drawn = lots.sample(positions, len(positions))
        whole = int(DEV_SHARE * len(positions))
        dev.update(drawn[:whole])
        spare.extend(drawn[whole : whole + 1])
    lots.shuffle(spare)
    dev.update(spare[: wanted - len(dev)])
    return dev
