import math

import pytest

from annotation.circumstances import Circumstances
from annotation.document import Document, Revision
from annotation.errors import InvalidValueError
from annotation.events import FloorEvent


def test_each_gesture_keeps_how_it_was_made_and_an_undo_says_nothing() -> None:
    kept: list[Revision] = []
    document = Document(subject="conversation:a", person="Ana", record=kept.append)
    how = Circumstances(playing=True, speed=0.5, device="Headset", reported_latency_s=0.2)
    document.tell_circumstances_by(lambda: how)
    with document.edit("Mark turn") as edit:
        edit.add(FloorEvent(speaker="a", kind="TURN", onset=0, offset=5))
    document.undo()
    assert [revision.circumstances for revision in kept] == [how, None]


@pytest.mark.parametrize("speed", [0.49, 2.01, 0.0, math.nan, math.inf])
def test_a_speed_that_is_never_played_is_refused(speed: float) -> None:
    with pytest.raises(InvalidValueError):
        Circumstances(speed=speed)
