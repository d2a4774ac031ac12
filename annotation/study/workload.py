"""How much work a design asks for, said before anything is drawn.

Decision: at a typical pace an annotator hears each clip twice and needs fifteen seconds more to answer. It is an
estimate for planning; the figures of `StudyRecords.status` say what it really took.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.study.clip import NARROWEST_MARGIN_S, WIDEST_JITTER_S, WIDEST_MARGIN_S
from annotation.study.design import StudyDesign
from annotation.study.material import Material
from annotation.study.queue import LEAST_LAG, repeat_count

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


def workload(design: StudyDesign, material: Material, rates_hz: Mapping[str, int]) -> Workload:
    """Return what a design asks of each annotator, reckoned from the lengths of the items.

    Parameters
    ----------
    rates_hz
        Of each conversation, by id.
    """
    items = len(material.asked)
    repeats = repeat_count(items, design.repeats)
    calibration = len(material.items) - items
    presentations = items + repeats + calibration
    clip_s = _mean_clip_s(design, material, rates_hz)
    hours = presentations * (TYPICAL_PASSES * clip_s + TYPICAL_ANSWER_S) / 3600
    pace = (
        f"Reckoned with {TYPICAL_PASSES} times listening to a clip of {clip_s:.0f} s and "
        f"{TYPICAL_ANSWER_S} s to answer, {TYPICAL_PASSES * clip_s + TYPICAL_ANSWER_S:.0f} s a presentation."
    )
    return Workload(items, repeats, calibration, len(design.annotators), hours, pace, _repeats_text(items, repeats))


def _mean_clip_s(design: StudyDesign, material: Material, rates_hz: Mapping[str, int]) -> float:
    """Return the mean length of a clip before the recording ends: item, margins of the cue, context and jitter."""
    margins_s = NARROWEST_MARGIN_S + WIDEST_MARGIN_S + WIDEST_JITTER_S
    seconds = [(item.offset - item.onset) / rates_hz[item.conversation] for item in material.items]
    return sum(seconds) / max(1, len(seconds)) + margins_s + 2 * design.context_s


def _repeats_text(items: int, repeats: int) -> str:
    if items <= LEAST_LAG:
        return (
            f"With {items} items none is repeated: a repeat comes at least {LEAST_LAG} presentations later, "
            f"so there must be more than {LEAST_LAG} items."
        )
    if not repeats:
        return "No item is repeated, so nothing will be known of how steady each annotator is."
    return f"{repeats} of {items} items are met a second time, the same ones by all annotators."
