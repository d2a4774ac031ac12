"""What a lead chooses in the wizard, as plain values, and the design that follows from them; runs without Qt."""

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

import msgspec

from annotation.project.project import Project
from annotation.scheme import Scheme
from annotation.sources import SourceRole
from annotation.study.design import (
    GRID,
    LABELS,
    NEUTRAL,
    PRESETS,
    REFERENCE,
    SHOWN,
    Calibration,
    StudyDesign,
    preset_design,
)

DEFAULT_ANNOTATORS = 3


@dataclass(frozen=True, slots=True)
class StudyMaterial:
    """What a project offers a study.

    Parameters
    ----------
    conversations
        Ids, in the order of the project.
    references
        How many reference events there are.
    labels
        Events by the name of each source that is no reference.
    """

    conversations: tuple[str, ...]
    references: int
    labels: dict[str, int]


def material_in(project: Project) -> StudyMaterial:
    """Return what a project offers a study; faults as `Project.conversations`."""
    names = tuple(summary.id for summary in project.conversations())
    references = 0
    labels: Counter[str] = Counter()
    for name in names:
        for source in project.sources(name):
            if source.role is SourceRole.REFERENCE:
                references += len(source.events)
            else:
                labels[source.name] += len(source.events)
    return StudyMaterial(names, references, dict(labels))


@dataclass(frozen=True, slots=True)
class StudyChoices:
    """What stands in the wizard's fields.

    Parameters
    ----------
    scheme
        From a file; None for the preset's.
    calibrated
        Ids of the conversations that are practised with; none for no calibration.
    """

    preset: str = "floor-events"
    name: str = ""
    scheme: Scheme | None = None
    origin: str = REFERENCE
    grid_s: float = 10.0
    labels: str = ""
    annotators: tuple[str, ...] = ()
    repeats_percent: float = 25.0
    context_s: float = 10.0
    seed: int = 0
    neutral_names: bool = False
    guidelines: str = ""
    calibrated: tuple[str, ...] = field(default=())
    calibration_count: int = 10
    pass_percent: int = 80

    @property
    def items(self) -> str:
        """Where the items come from, as the command line writes it."""
        if self.origin == GRID:
            return f"{GRID}:{self.grid_s:g}"
        return f"{LABELS}:{self.labels}" if self.origin == LABELS else REFERENCE

    def design(self) -> StudyDesign:
        """Return the design.

        Raises
        ------
        FloorscopeError
            With the first choice that cannot be.
        """
        names = tuple(name.strip() for name in self.annotators if name.strip())
        design = preset_design(self.preset, self.name.strip() or PRESETS[self.preset].title, names, seed=self.seed)
        practice = None
        if self.calibrated:
            mark = str(Fraction(self.pass_percent, 100))
            practice = Calibration(self.calibrated, REFERENCE, self.calibration_count, mark)
        return msgspec.structs.replace(
            design,
            scheme=self.scheme or design.scheme,
            items=self.items,
            repeat_fraction=str(Fraction(str(self.repeats_percent)) / 100),
            context_s=self.context_s,
            guidelines=self.guidelines,
            calibration=practice,
            speaker_names=NEUTRAL if self.neutral_names else SHOWN,
        )
