from dataclasses import replace

import pytest

from annotation.errors import InvalidValueError
from annotation.events import NOBODY
from annotation.scheme import preset_scheme
from annotation.study.presentation import Answer, Cue, Presentation, Voice, faults_of_answer, missing_from

SCHEME = preset_scheme()
SHOWN = Presentation("p", 1, 8000, 1000, (Voice("s1", "Speaker 1"), Voice("s2", "Speaker 2")), Cue("s1", 100, 400))
WHOLE = Answer("TURN", holder_before=NOBODY, holder_after="s1", onset=150, offset=300)


def test_an_empty_answer_lacks_everything_that_the_scheme_asks() -> None:
    assert len(missing_from(Answer(), SCHEME)) == 5
    assert missing_from(WHOLE, SCHEME) == ()


def test_whoever_cannot_tell_owes_nothing_else() -> None:
    assert missing_from(Answer(cannot_tell="noise"), SCHEME) == ()


def test_nobody_as_a_holder_is_an_answer_and_no_answer_is_missing() -> None:
    assert missing_from(replace(WHOLE, holder_after=None), SCHEME) == ("who holds the floor after",)


def test_a_kind_and_a_reason_for_none_exclude_each_other() -> None:
    with pytest.raises(InvalidValueError, match="not both"):
        Answer("TURN", cannot_tell="noise")


@pytest.mark.parametrize(("onset", "offset"), [(5, 4), (-1, 3), (None, -1)])
def test_edges_that_are_no_span_are_refused(onset: int | None, offset: int) -> None:
    with pytest.raises(InvalidValueError, match="onset"):
        Answer("TURN", onset=onset, offset=offset)


def test_what_the_clip_or_the_scheme_does_not_have_is_a_fault_each() -> None:
    wrong = Answer("SHOUT", holder_before="s3", holder_after=NOBODY, onset=10, offset=1001)
    assert len(faults_of_answer(wrong, SHOWN, SCHEME)) == 3
    assert faults_of_answer(WHOLE, SHOWN, SCHEME) == ()


def test_a_cue_outside_the_clip_or_on_nobodys_lane_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="outside"):
        replace(SHOWN, cue=Cue("s1", 100, 1001))
    with pytest.raises(InvalidValueError, match="nobody"):
        replace(SHOWN, cue=Cue("s3", 100, 200))
