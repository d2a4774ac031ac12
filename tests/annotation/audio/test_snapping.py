import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from annotation.audio.snapping import nearest_boundary, snapped

BOUNDARIES = st.lists(st.integers(-50, 50), max_size=8).map(sorted)


def test_an_edge_moves_to_the_nearest_boundary_of_its_kind() -> None:
    onsets, offsets = np.array([100, 300]), np.array([200, 400])
    assert snapped(190, "onset", onsets, offsets, 120) == 100
    assert snapped(190, "offset", onsets, offsets, 120) == 200


def test_the_tolerance_includes_its_limit() -> None:
    assert nearest_boundary(110, [100], 10) == 100
    assert nearest_boundary(111, [100], 10) is None


def test_of_two_equally_near_boundaries_the_earlier_is_taken() -> None:
    assert nearest_boundary(150, [100, 200], 50) == 100


def test_without_boundaries_nothing_snaps() -> None:
    assert nearest_boundary(5, np.array([], dtype=np.int64), 1000) is None


@given(st.integers(-60, 60), BOUNDARIES, st.integers(0, 30))
def test_no_boundary_is_nearer_than_the_one_taken(frame: int, boundaries: list[int], tolerance: int) -> None:
    found = nearest_boundary(frame, np.array(boundaries, dtype=np.int64), tolerance)
    within = [boundary for boundary in boundaries if abs(boundary - frame) <= tolerance]
    assert found == min(within, key=lambda boundary: (abs(boundary - frame), boundary), default=None)


@given(st.integers(-60, 60), BOUNDARIES, st.integers(0, 30))
def test_what_has_snapped_stays(frame: int, boundaries: list[int], tolerance: int) -> None:
    found = nearest_boundary(frame, boundaries, tolerance)
    if found is not None:
        assert nearest_boundary(found, boundaries, tolerance) == found


@given(st.integers(-60, 60), BOUNDARIES, st.integers(0, 30), st.integers(-1000, 1000))
def test_moving_everything_moves_the_boundary_along(
    frame: int, boundaries: list[int], tolerance: int, shift: int
) -> None:
    found = nearest_boundary(frame, boundaries, tolerance)
    moved = nearest_boundary(frame + shift, [boundary + shift for boundary in boundaries], tolerance)
    assert moved == (None if found is None else found + shift)
