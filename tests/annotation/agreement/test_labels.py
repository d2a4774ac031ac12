from fractions import Fraction

import pytest

from annotation.agreement.labels import Item, Label, LabelTable
from annotation.errors import InvalidValueError

ITEM = Item("i1", "c1", rate_hz=8000)


def test_first_presentations_and_repeats_are_apart() -> None:
    first, again = Label("i1", "ana", kind="TURN"), Label("i1", "ana", 2, kind="HOLD")
    table = LabelTable((ITEM,), (first, again))
    assert table.firsts["i1"]["ana"] is first
    assert table.repeats["i1"]["ana"] is again
    assert table.kinds == ("HOLD", "TURN")


def test_a_second_label_for_one_presentation_is_refused_by_name() -> None:
    with pytest.raises(InvalidValueError, match="two labels"):
        LabelTable((ITEM,), (Label("i1", "ana", kind="TURN"), Label("i1", "ana", kind="HOLD")))


def test_a_label_of_no_item_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="no item"):
        LabelTable((ITEM,), (Label("i2", "ana"),))


def test_the_tolerance_is_a_whole_number_of_frames_of_the_item() -> None:
    assert ITEM.tolerance_frames(Fraction(1, 2)) == 4000
