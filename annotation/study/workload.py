"""How much work a design asks for, said before anything is drawn.

Decision: at a typical pace an annotator hears each clip twice and needs fifteen seconds more to answer. It is an
estimate for planning; the figures of `StudyRecords.status` say what it really took.
"""

from dataclasses import dataclass

from annotation.study.design import StudyDesign
from annotation.study.drawing import Material

TYPICAL_PASSES = 2
TYPICAL_ANSWER_S = 15


@dataclass(frozen=True, slots=True)
class Workload:
    """What one annotator is asked for, and all together.

    Parameters
    ----------
    items, repeats, calibration
        Presentations of each sort for one annotator.
    annotators
        How many.
    hours
        For one annotator at a typical pace.
    pace, repeats_text
        How `hours` was reckoned, and what the repeats are or why there are none, a sentence each.
    """

    items: int
    repeats: int
    calibration: int
    annotators: int
    hours: float
    pace: str
    repeats_text: str

    @property
    def presentations(self) -> int:
        """Presentations for one annotator, the calibration among them."""
        return self.items + self.repeats + self.calibration


def workload(design: StudyDesign, material: Material) -> Workload:
    """Return what a design asks of each annotator."""
    raise NotImplementedError
