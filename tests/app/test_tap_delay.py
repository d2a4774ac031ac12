import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tap_delay import CLICK_LEVEL, FEWEST_TAPS, WIDEST_SPREAD_MS, ClickPlan, Clicks, delay_from_taps

PLAN = ClickPlan(rate_hz=1000, period_s=0.75, lead_in=2, counted=12)
COUNTED = PLAN.clicks[PLAN.lead_in :]


def test_clicks_come_at_a_steady_beat() -> None:
    assert PLAN.clicks[:3] == (750, 1500, 2250)
    assert PLAN.frames == 16 * 750
    assert PLAN.clicks[-1] < PLAN.frames - PLAN.period // 2


@pytest.mark.parametrize("late", [-150, -30, 0, 150, 300, 480])
def test_taps_that_come_equally_late_give_that_delay(late: int) -> None:
    delay = delay_from_taps(PLAN, [click + late for click in COUNTED])
    assert (delay.median_ms, delay.spread_ms, len(delay.taps), delay.refusal) == (late, 0, 12, "")


def test_the_median_and_the_quartiles_are_those_worked_by_hand() -> None:
    lates = [100, 110, 120, 130, 140, 150, 160, 170, 180]
    delay = delay_from_taps(PLAN, [click + late for click, late in zip(COUNTED, lates, strict=False)])
    assert (delay.median_ms, delay.spread_ms) == (140, 40)


def test_missed_and_stray_beats_do_not_move_the_delay() -> None:
    taps = [click + 120 for click in COUNTED]
    taps[3] += 300
    taps[7] -= 250
    assert delay_from_taps(PLAN, taps).median_ms == 120


def test_taps_on_the_lead_in_and_second_taps_on_one_click_do_not_count() -> None:
    taps = [PLAN.clicks[0] + 10, PLAN.clicks[1] + 10, *(click + 10 for click in COUNTED), COUNTED[-1] + 60]
    delay = delay_from_taps(PLAN, sorted(taps))
    assert (len(delay.taps), delay.ignored) == (12, 3)


def test_a_tap_between_two_windows_belongs_to_no_click() -> None:
    assert PLAN.click_of(COUNTED[0] + 500) == 0
    assert PLAN.click_of(COUNTED[0] + 501) is None
    assert PLAN.click_of(COUNTED[1] - 200) == 1


def test_too_few_taps_give_no_result() -> None:
    delay = delay_from_taps(PLAN, [click + 100 for click in COUNTED[: FEWEST_TAPS - 1]])
    assert "7 taps count, and 8 are needed" in delay.refusal
    assert delay_from_taps(PLAN, [click + 100 for click in COUNTED[:FEWEST_TAPS]]).refusal == ""


def test_no_taps_have_no_median() -> None:
    delay = delay_from_taps(PLAN, [])
    assert (delay.median_ms, delay.spread_ms) == (None, None)
    assert "0 taps" in delay.refusal


def test_a_wide_spread_gives_no_result() -> None:
    taps = [click + (0 if number % 2 else 200) for number, click in enumerate(COUNTED)]
    delay = delay_from_taps(PLAN, taps)
    assert delay.spread_ms is not None
    assert delay.spread_ms > WIDEST_SPREAD_MS
    assert "spread too widely" in delay.refusal


@given(st.lists(st.integers(-30, 30), min_size=12, max_size=12), st.integers(-100, 400))
def test_shifting_all_taps_shifts_the_delay_by_as_much(jitter: list[int], shift: int) -> None:
    plain = delay_from_taps(PLAN, [click + by for click, by in zip(COUNTED, jitter, strict=True)])
    shifted = delay_from_taps(PLAN, [click + by + shift for click, by in zip(COUNTED, jitter, strict=True)])
    assert plain.median_ms is not None
    assert shifted.median_ms == pytest.approx(plain.median_ms + shift)
    assert shifted.spread_ms == pytest.approx(plain.spread_ms)


def test_the_sound_begins_at_each_click_and_is_the_same_however_it_is_cut() -> None:
    plan = ClickPlan(lead_in=1, counted=2)
    whole = Clicks(plan).render(0, plan.frames, ())
    parts = [Clicks(plan).render(first, min(1009, plan.frames - first), ()) for first in range(0, plan.frames, 1009)]
    assert np.array_equal(np.concatenate(parts), whole)
    onsets = np.flatnonzero(whole[:, 0] == np.float32(CLICK_LEVEL))
    assert tuple(onsets.tolist()) == plan.clicks
    assert np.flatnonzero(whole[:, 0])[0] == plan.clicks[0]
