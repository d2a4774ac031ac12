"""The demo's study in progress: two simulated annotators, named so wherever they show, and a seat for the user.

Simulated answers follow from the reference by a seed: most kinds and holders are the reference's, edges are moved by
some tens of milliseconds. They demonstrate the program and say nothing about people.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from annotation.events import NOBODY
from annotation.project.project import Project
from annotation.scheme import Scheme
from annotation.study.answers import Submission
from annotation.study.design import preset_design
from annotation.study.drawing import DrawnPresentation, StudyItem
from annotation.study.entries import insert_entry
from annotation.study.presentation import Answer, Listening
from annotation.study.records import StudyRecords
from app.demo import make_demo
from app.settings import account_name

STUDY_NAME = "Demo study"
SIMULATED = "(simulated)"
SEED = 20_261
GUIDELINES = """# What to do

Listen to the whole clip once. Then say what the marked speaker does *here*:

- which **kind** it is,
- who holds the floor **before** and **after**,
- where it **begins** and **ends**.

Two of this study’s annotators are simulated; the third seat is yours.
"""


@dataclass(frozen=True, slots=True)
class _Habits:
    """How a simulated annotator answers: shares of agreement with the reference, spread of the edges, share done."""

    kind: float
    holder: float
    edge_s: float
    done: float


_ANNOTATORS = {
    f"Ana {SIMULATED}": _Habits(kind=0.9, holder=0.95, edge_s=0.06, done=1.0),
    f"Ben {SIMULATED}": _Habits(kind=0.8, holder=0.9, edge_s=0.12, done=0.7),
}


def make_demo_study(folder: Path) -> Path:
    """Make the demo project with its study, or find both, and return the project."""
    path = make_demo(folder)
    with Project.open(path) as project:
        records = StudyRecords(project)
        if STUDY_NAME not in {study.name for study in records.studies()}:
            _draw(project, records)
    return path


def own_seat_name() -> str:
    """Return what the user's seat in the demo is called."""
    return account_name() or "you"


def _draw(project: Project, records: StudyRecords) -> None:
    import msgspec

    names = (*_ANNOTATORS, own_seat_name())
    design = preset_design("floor-events", STUDY_NAME, names, seed=SEED)
    study, _ = records.create(msgspec.structs.replace(design, guidelines=GUIDELINES), "Floorscope")
    items = {item.id: item for item in records.items(study.id)}
    submissions: list[Submission] = []
    for seat in records.seats(study.id):
        habits = _ANNOTATORS.get(seat.annotator)
        if habits is not None:
            drawn = records.presentations(study.id, seat.id)
            submissions += _simulated(drawn[: round(habits.done * len(drawn))], items, habits, design.scheme)
    with project.changing() as db:
        for submission in submissions:
            insert_entry(db.conn, submission)


def _simulated(
    drawn: tuple[DrawnPresentation, ...], items: dict[str, StudyItem], habits: _Habits, scheme: Scheme
) -> list[Submission]:
    chance = Random(f"{SEED} {habits}")
    moment = datetime.now(UTC) - timedelta(hours=2)
    made = []
    for one in drawn:
        seconds = chance.uniform(25, 80)
        moment += timedelta(seconds=seconds)
        made.append(
            Submission(
                one.id,
                _answer(one, items[one.item], habits, scheme, chance),
                Listening(plays=2, listened_s=round(seconds * 0.7, 1), spent_s=round(seconds, 1), device="simulated"),
                scheme.version,
                at=moment.isoformat(timespec="milliseconds"),
            )
        )
    return made


def _answer(one: DrawnPresentation, item: StudyItem, habits: _Habits, scheme: Scheme, chance: Random) -> Answer:
    voices = {speaker: voice.id for speaker, voice in zip(one.speakers, one.voices, strict=True)}
    kinds = [kind.id for kind in scheme.kinds]
    kind = item.kind if item.kind in kinds and chance.random() < habits.kind else chance.choice(kinds)

    def holder(speaker: str | None) -> str:
        reference = voices.get(speaker or "", NOBODY)
        return reference if chance.random() < habits.holder else chance.choice([NOBODY, *voices.values()])

    def edge(frame: int) -> int:
        moved = frame - one.clip.onset + round(chance.gauss(0, habits.edge_s) * one.rate_hz)
        return min(max(moved, 0), one.clip.frames)

    onset, offset = sorted((edge(item.onset), edge(item.offset)))
    return Answer(
        kind=kind,
        holder_before=holder(item.holder_before),
        holder_after=holder(item.holder_after),
        onset=onset,
        offset=offset,
        confidence=chance.randint(2, 5),
        comment="simulated",
    )
