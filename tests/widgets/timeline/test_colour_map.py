from itertools import pairwise

import numpy as np
import pytest

from widgets.theme import THEMES, contrast, theme_named
from widgets.timeline.colour_map import SIZE, colour_table


def hexes(name: str) -> list[str]:
    return [f"#{pixel & 0xFFFFFF:06x}" for pixel in colour_table(theme_named(name).spectrogram).tolist()]


@pytest.mark.parametrize("name", THEMES)
def test_what_is_louder_stands_out_more_against_the_quiet(name: str) -> None:
    colours = hexes(name)
    against_quiet = [contrast(colour, colours[0]) for colour in colours]
    assert len(colours) == SIZE
    # Rounding to 8 bits a channel may cost a step a hair.
    assert all(later >= earlier - 0.02 for earlier, later in pairwise(against_quiet))
    assert against_quiet[-1] > 10


@pytest.mark.parametrize("name", THEMES)
def test_the_ends_are_the_themes_own(name: str) -> None:
    stops = theme_named(name).spectrogram
    assert (hexes(name)[0], hexes(name)[-1]) == (stops[0], stops[-1])


@pytest.mark.parametrize("name", THEMES)
def test_every_pixel_is_opaque(name: str) -> None:
    assert np.all(colour_table(theme_named(name).spectrogram) >> 24 == 0xFF)


@pytest.mark.parametrize("name", THEMES)
def test_the_quiet_is_near_the_lane_so_that_a_tile_to_come_is_no_flash(name: str) -> None:
    theme = theme_named(name)
    assert contrast(theme.spectrogram[0], theme.lane) < 1.1
