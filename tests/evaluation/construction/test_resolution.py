"""Cases of the resolution worked by hand, at 1,000 frames a second."""

import pytest

from annotation.errors import InvalidValueError
from annotation.events import NOBODY
from evaluation.construction.acts import (
    Act,
    Cause,
    Interaction,
    Kind,
    Relation,
    ResolvedConversation,
    Sound,
    Span,
    Speaker,
    SymbolicConversation,
    Timing,
)
from evaluation.construction.resolution import resolve

ANA, BEN, CEM = "ana", "ben", "cem"
FIRST = Act(0, ANA, Kind.TURN, ("one two three four five",), Timing(Relation.START, ms=500), NOBODY, ANA, Cause.OPENING)


def talk(*acts: Act) -> SymbolicConversation:
    speakers = (Speaker(ANA, "Ana"), Speaker(BEN, "Ben"), Speaker(CEM, "Cem"))
    return SymbolicConversation("t", Interaction.CASUAL, "tea", speakers, acts, 1, tail_ms=1000)


def turn(index: int, speaker: str, gap_ms: int, parts: tuple[str, ...] = ("yes",), **more: object) -> Act:
    timing = Timing(Relation.AFTER_END, index - 1, ms=gap_ms)
    return Act(index, speaker, Kind.TURN, parts, timing, NOBODY, speaker, Cause.SELF_SELECTED, **more)  # type: ignore[arg-type]


def cut_off(yield_ms: int = 400, share: float = 0.5) -> tuple[Act, Act]:
    host = Act(
        0, ANA, Kind.TURN, FIRST.parts, FIRST.timing, NOBODY, ANA, Cause.OPENING, cut_by=1, yield_ms=yield_ms
    )  # fmt: skip
    timing = Timing(Relation.AT_SHARE, 0, share=share)
    return host, Act(1, BEN, Kind.INTERRUPTION, ("wait",), timing, ANA, BEN, Cause.CLAIMED)


def backchannel(index: int, share: float, *, speaker: str = BEN, relation: Relation = Relation.AT_SHARE) -> Act:
    return Act(index, speaker, Kind.BACKCHANNEL, ("mhm",), Timing(relation, 0, share=share), ANA, ANA)


def spans(resolved: ResolvedConversation) -> list[tuple[Span, ...]]:
    return [each.spans for each in resolved.acts]


def test_turns_follow_at_their_gap_and_the_floor_is_empty_in_between() -> None:
    resolved = resolve(talk(FIRST, turn(1, BEN, 200)), {(0, 0): 2000, (1, 0): 700}, 1000)
    assert spans(resolved) == [(Span(500, 2500),), (Span(2700, 3400),)]
    assert resolved.frames == 4400
    assert [(each.frame, each.before, each.after, each.cause) for each in resolved.transfers] == [
        (500, NOBODY, ANA, Cause.OPENING),
        (2500, ANA, NOBODY, Cause.YIELDED),
        (2700, NOBODY, BEN, Cause.SELF_SELECTED),
        (3400, BEN, NOBODY, Cause.YIELDED),
    ]


def test_a_turn_that_begins_early_takes_the_floor_when_the_last_one_ends() -> None:
    resolved = resolve(talk(FIRST, turn(1, BEN, -300)), {(0, 0): 2000, (1, 0): 900}, 1000)
    assert spans(resolved)[1] == (Span(2200, 3100),)
    assert resolved.acts[1].act.holder_before == ANA
    assert [(each.frame, each.after) for each in resolved.transfers] == [(500, ANA), (2500, BEN), (3100, NOBODY)]


def test_a_turn_too_short_to_begin_early_begins_after_the_last_one() -> None:
    resolved = resolve(talk(FIRST, turn(1, BEN, -300)), {(0, 0): 2000, (1, 0): 200}, 1000)
    assert spans(resolved)[1] == (Span(2500, 2700),)
    assert [repair.act for repair in resolved.repairs] == [1]


def test_a_holder_talks_on_after_the_claim_and_stops() -> None:
    resolved = resolve(talk(*cut_off()), {(0, 0): 4000, (1, 0): 1500}, 1000)
    assert spans(resolved) == [(Span(500, 2900),), (Span(2500, 4000),)]
    assert resolved.acts[0].cut
    assert [(each.frame, each.after) for each in resolved.transfers] == [(500, ANA), (2900, BEN), (4000, NOBODY)]
    assert resolved.events[0].text == "one two three—"


def test_a_holder_stops_at_the_end_of_a_word_where_word_times_are_known() -> None:
    ends = {(0, 0): (500, 1300, 2250, 3100, 4000)}
    resolved = resolve(talk(*cut_off()), {(0, 0): 4000, (1, 0): 1500}, 1000, word_ends=ends)
    assert resolved.acts[0].spans == (Span(500, 2750),)
    assert resolved.events[0].text == "one two three—"


def test_an_interruption_of_a_turn_that_is_over_becomes_a_turn() -> None:
    resolved = resolve(talk(*cut_off()), {(0, 0): 900, (1, 0): 1500}, 1000)
    assert [event.kind for event in resolved.events] == [Kind.TURN, Kind.TURN]
    assert spans(resolved) == [(Span(500, 1400),), (Span(1400, 2900),)]
    assert not resolved.acts[0].cut
    assert "became a turn" in resolved.repairs[0].text


def test_a_pause_is_a_hold_of_at_least_its_length() -> None:
    paused = Act(
        0, ANA, Kind.TURN, ("so", "yes"), FIRST.timing, NOBODY, ANA, Cause.OPENING, pauses_ms=(1001,)
    )  # fmt: skip
    resolved = resolve(talk(paused), {(0, 0): 333, (0, 1): 500}, 22_050)
    hold = next(event for event in resolved.events if event.kind == Kind.HOLD)
    assert (hold.onset, hold.offset) == (11_025 + 333, 11_025 + 333 + 22_073)
    assert resolved.events[0].offset == hold.offset + 500


def test_an_aside_lies_at_its_share_and_inside_the_turn() -> None:
    frames = {(0, 0): 2000, (1, 0): 400}
    assert spans(resolve(talk(FIRST, backchannel(1, 0.5)), frames, 1000))[1] == (Span(1500, 1900),)
    assert spans(resolve(talk(FIRST, backchannel(1, 0.95)), frames, 1000))[1] == (Span(2100, 2500),)


def test_a_holder_goes_on_after_a_failed_claim() -> None:
    claim = Act(1, BEN, Kind.FAILED_CLAIM, ("but",), Timing(Relation.AT_SHARE, 0, share=0.9), ANA, ANA)
    resolved = resolve(talk(FIRST, claim), {(0, 0): 2000, (1, 0): 400}, 1000)
    assert spans(resolved)[1] == (Span(1700, 2100),)


def test_two_asides_of_one_speaker_stand_apart() -> None:
    acts = (FIRST, backchannel(1, 0.5), backchannel(2, 0.55))
    resolved = resolve(talk(*acts), {(0, 0): 4000, (1, 0): 400, (2, 0): 400}, 1000)
    assert spans(resolved)[1:] == [(Span(2500, 2900),), (Span(2980, 3380),)]


def test_an_aside_without_room_moves_to_another_turn_or_is_left_out() -> None:
    acts = (FIRST, turn(1, CEM, 200), backchannel(2, 0.5))
    moved = resolve(talk(*acts), {(0, 0): 300, (1, 0): 2000, (2, 0): 400}, 1000)
    assert spans(moved)[2] == (Span(2000, 2400),)
    assert moved.acts[2].act.holder_before == CEM
    assert "moved" in moved.repairs[0].text
    gone = resolve(talk(*acts), {(0, 0): 300, (1, 0): 300, (2, 0): 400}, 1000)
    assert len(gone.acts) == 2
    assert "left out" in gone.repairs[0].text


def test_an_aside_in_a_pause_that_is_not_there_moves_into_the_turn() -> None:
    contested = backchannel(1, 0.2, relation=Relation.IN_PAUSE)
    resolved = resolve(talk(FIRST, contested), {(0, 0): 2000, (1, 0): 400}, 1000)
    assert spans(resolved)[1] == (Span(900, 1300),)


def test_sounds_without_words_have_no_text() -> None:
    laugh = Act(
        1, BEN, Kind.NON_CONTENT, ("Ha ha!",), Timing(Relation.AT_SHARE, 0, share=0.5), ANA, ANA, sound=Sound.LAUGH
    )  # fmt: skip
    resolved = resolve(talk(FIRST, laugh), {(0, 0): 2000, (1, 0): 400}, 1000)
    assert [event.text for event in resolved.events] == ["one two three four five", ""]


def test_parts_without_a_length_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="has no length"):
        resolve(talk(FIRST), {}, 1000)
    with pytest.raises(InvalidValueError, match="has no length"):
        resolve(talk(FIRST), {(0, 0): 0}, 1000)


def test_an_aside_to_an_aside_is_refused() -> None:
    late = Act(2, CEM, Kind.BACKCHANNEL, ("mhm",), Timing(Relation.AT_SHARE, 1, share=0.5), ANA, ANA)
    with pytest.raises(InvalidValueError, match="timed from a turn"):
        resolve(talk(FIRST, backchannel(1, 0.5), late), {(0, 0): 2000, (1, 0): 400, (2, 0): 100}, 1000)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kind": Kind.HOLD}, "pause of an act"),
        ({"parts": ()}, "at least one part"),
        ({"parts": ("a", "b")}, "Between two parts"),
        ({"cut_by": 1}, "cut off"),
        ({"sound": Sound.COUGH}, "has a sound"),
        ({"cause": Cause.NONE}, "has a cause"),
    ],
)
def test_acts_that_contradict_themselves_are_refused(wrong: dict[str, object], message: str) -> None:
    fields = {
        "index": 0, "speaker": ANA, "kind": Kind.TURN, "parts": ("a",), "timing": FIRST.timing,
        "holder_before": NOBODY, "holder_after": ANA, "cause": Cause.OPENING,
    }  # fmt: skip
    with pytest.raises(InvalidValueError, match=message):
        Act(**{**fields, **wrong})  # type: ignore[arg-type]


def test_conversations_that_contradict_themselves_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="number 1"):
        talk(turn(1, BEN, 0))
    with pytest.raises(InvalidValueError, match="earlier one"):
        talk(FIRST, Act(1, BEN, Kind.BACKCHANNEL, ("mhm",), Timing(Relation.AT_SHARE, 1), ANA, ANA))
    with pytest.raises(InvalidValueError, match="not there"):
        talk(Act(0, "dan", Kind.TURN, ("a",), FIRST.timing, NOBODY, "dan", Cause.OPENING))
    with pytest.raises(InvalidValueError, match="timed from another"):
        Timing(Relation.AFTER_END)
    with pytest.raises(InvalidValueError, match="share"):
        Timing(Relation.AT_SHARE, 0, share=1.5)
    with pytest.raises(InvalidValueError, match="one id"):
        SymbolicConversation("t", Interaction.CASUAL, "tea", (Speaker(ANA, "A"), Speaker(ANA, "B")), (), 1)
