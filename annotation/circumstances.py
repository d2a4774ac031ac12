"""What bears on the times of a step: how the sound was heard when it was made, and what helped to place it.

A mark made while playing is placed where the sound was *heard*, so the delay of the device enters it. The delay that
was taken off is kept with the step, so that anybody can check it, or correct it later where a device was measured
wrongly; so is the speed, and which aid moved an edge.
"""

import math
from dataclasses import dataclass

from annotation.errors import InvalidValueError

SLOWEST = 0.5
FASTEST = 2.0


@dataclass(frozen=True, slots=True)
class Circumstances:
    """How a step was made.

    Parameters
    ----------
    playing
        Whether sound ran at that moment.
    speed
        Of playing, 0.5 to 2, with the pitch kept; 1 is as recorded.
    device
        The sound output, as the user knows it; empty where there is none.
    reported_latency_s
        From handing over a frame to hearing it, as the device reports it; taken off the cursor.
    correction_s
        What was measured or entered for this device beyond that, taken off as well; negative if it is heard earlier.
    snapped_to
        What an edge was drawn to, such as ``speech silero-6.2.3``; empty where it lies where the person put it.

    Raises
    ------
    InvalidValueError
        If a number is not finite, or the speed not 0.5 to 2.
    """

    playing: bool = False
    speed: float = 1.0
    device: str = ""
    reported_latency_s: float = 0.0
    correction_s: float = 0.0
    snapped_to: str = ""

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (self.speed, self.reported_latency_s, self.correction_s))):
            raise InvalidValueError("The circumstances of a step hold a number that is not finite.")
        if not SLOWEST <= self.speed <= FASTEST:
            raise InvalidValueError(f"A speed of {self.speed} is outside {SLOWEST} to {FASTEST:g}.")
