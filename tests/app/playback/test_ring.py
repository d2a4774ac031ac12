"""The ring gives every frame once and in order, whatever the sizes and the moments of changing over."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.playback.passage import Passage, passage_from_bounds
from app.playback.ring import Ring

CAPACITY = 64


def write(ring: Ring, first: int, count: int, sign: int = 1) -> None:
    numbers = sign * np.arange(first, first + count, dtype=np.float32)
    ring.write(np.stack([numbers, numbers], axis=1), np.arange(first, first + count))


def pull(ring: Ring, count: int, dac_time_s: float = 0.0) -> list[int]:
    out = np.full((count, 2), np.nan, np.float32)
    ring.pull(out, dac_time_s)
    return [int(number) for number in out[:, 0]]


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(1, 40)), max_size=40))
def test_what_was_written_comes_out_once_and_in_order(steps: list[tuple[int, int]]) -> None:
    ring = Ring(CAPACITY)
    heard: list[int] = []
    frame = 1
    for written, pulled in steps:
        if ring.ahead + written <= CAPACITY:
            write(ring, frame, written)
            frame += written
        ring.publish()
        heard += [number for number in pull(ring, pulled) if number]
    assert heard == list(range(1, 1 + len(heard)))


@given(st.integers(0, 20), st.integers(0, 30), st.lists(st.integers(1, 9), min_size=12, max_size=12))
def test_a_revision_loses_and_repeats_no_frame_however_late_it_comes(
    source: int, taken_meanwhile: int, sizes: list[int]
) -> None:
    ring = Ring(CAPACITY)
    write(ring, 1, 30)
    ring.publish()
    heard = pull(ring, taken_meanwhile)
    write(ring, ring.frame_at(source), 30, sign=-1)
    ring.revise(source, 30)
    for size in sizes:
        heard += pull(ring, size)
    sounding = [number for number in heard if number]
    assert [abs(number) for number in sounding] == list(range(1, 1 + len(sounding)))
    assert all(number > 0 for number in sounding[:source])
    assert all(number < 0 for number in sounding[max(source, taken_meanwhile) :])


def test_a_held_ring_gives_silence_and_keeps_its_place() -> None:
    ring = Ring(CAPACITY)
    write(ring, 1, 10)
    ring.publish()
    pull(ring, 4)
    ring.hold()
    assert pull(ring, 3) == [0, 0, 0]
    assert ring.read == 4
    assert ring.frame_at(ring.read) == 5


def test_what_is_heard_lies_one_latency_behind_what_was_taken() -> None:
    ring = Ring(CAPACITY)
    write(ring, 100, 40)
    ring.publish()
    pull(ring, 10, 5.0)
    pull(ring, 10, 5.1)
    assert ring.slot_heard(4.9, 100) == -1
    assert ring.slot_heard(5.04, 100) == 4
    assert ring.slot_heard(5.13, 100) == 13
    assert ring.slot_heard(9.0, 100) == 20


@given(st.integers(0, 50), st.integers(1, 50), st.lists(st.integers(1, 60), max_size=20))
def test_a_loop_runs_through_its_frames_again_and_again(onset: int, length: int, sizes: list[int]) -> None:
    passage = Passage(onset, onset + length, looping=True)
    frame = onset
    heard: list[int] = []
    for size in sizes:
        run = passage.run_from(frame, size)
        heard += range(run.first, run.first + run.length)
        frame = run.first + run.length
    assert heard == [onset + i % length for i in range(len(heard))]


def test_without_bounds_a_passage_runs_from_the_position_to_the_end() -> None:
    last = Passage(0, 10)
    assert passage_from_bounds(None, None, position=40, frames=90, last=last, looping=False) == Passage(40, 90)


def test_bounds_out_of_the_timeline_are_taken_to_its_edges() -> None:
    last = Passage(0, 10)
    assert passage_from_bounds(-5, 95, position=0, frames=90, last=last, looping=False) == Passage(0, 90)
