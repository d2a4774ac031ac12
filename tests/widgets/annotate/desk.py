"""A presentation, a history that remembers what it recorded, and a session over both."""

from dataclasses import dataclass, field

from annotation.scheme import preset_scheme
from annotation.study.answers import AnswerHistory, Draft
from annotation.study.presentation import Cue, Presentation, Voice
from tests.widgets.labelling.stage import Stage
from widgets.annotate.listening import ListeningMeter
from widgets.annotate.session import ItemSession
from widgets.marking.look import KindLook

RATE_HZ = 1_000
FRAMES = 20_000
VOICES = (Voice("v1", "Ana"), Voice("v2", "Ben"))
SHOWN = Presentation("f00d", 3, RATE_HZ, FRAMES, VOICES, Cue("v2", 8_000, 12_000))


def look(preset: str = "floor-events", *, dark: bool = False) -> KindLook:
    """Return names and colours."""
    names = {voice.id: voice.name for voice in VOICES}
    return KindLook(scheme=preset_scheme(preset), names=names, rate_hz=RATE_HZ, dark=dark)


@dataclass
class Desk:
    """What one test needs; `said` holds the sentences for the status line."""

    preset: str = "floor-events"
    stage: Stage = field(default_factory=Stage)
    drafts: list[Draft] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.history = AnswerHistory(SHOWN.id, record=self.drafts.append)
        self.session = ItemSession(
            presentation=SHOWN,
            history=self.history,
            look=look(self.preset),
            transport=self.stage,
            meter=ListeningMeter(),
        )
        self.session.said.connect(self.said.append)

    def answer_fully(self) -> None:
        """Give all that is asked for."""
        self.session.set_kind("TURN")
        self.session.set_holder_by_number("before", 1)
        self.session.set_holder_by_number("after", 2)
        self.session.set_edges(9_000, 11_000)
