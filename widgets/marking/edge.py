"""Which part of an event the nudge keys move, and how much is played about an edge."""

from enum import StrEnum

AUDITION_S = 1
"""How much is played before an end edge, and after an onset."""


class Edge(StrEnum):
    """What the nudge keys move."""

    ONSET = "onset"
    OFFSET = "offset"
    BOTH = "event"

    def next(self) -> "Edge":
        """Return the next of: onset, offset, whole event."""
        order = list(Edge)
        return order[(order.index(self) + 1) % len(order)]
