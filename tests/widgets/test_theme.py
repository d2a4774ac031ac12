import json
from importlib import resources

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication

from annotation.errors import InvalidValueError
from widgets.theme import THEMES, Theme, apply_theme, blend, contrast, palette, system_theme, theme_named
from widgets.timeline.span_painter import tint

TEXT_ON = (
    ("text", "window"),
    ("text", "base"),
    ("text", "alternate_base"),
    ("text", "button"),
    ("text", "hover"),
    ("text", "header_active"),
    ("text", "ruler"),
    ("muted_text", "window"),
    ("muted_text", "header"),
    ("muted_text", "header_active"),
    ("muted_text", "lane_alternate"),
    ("placeholder_text", "base"),
    ("accent_text", "accent"),
    ("accent", "base"),
    ("tooltip_text", "tooltip"),
    ("ruler_text", "ruler"),
    ("error", "window"),
    ("error", "base"),
    ("warning", "window"),
    ("warning", "header"),
    ("success", "window"),
)


@pytest.fixture(params=THEMES)
def theme(request: pytest.FixtureRequest) -> Theme:
    return theme_named(request.param)


@pytest.fixture(params=["light", "dark"])
def kind_colours(request: pytest.FixtureRequest) -> tuple[Theme, list[str]]:
    scheme = json.loads(resources.files("resources").joinpath("schemes", "floor-events.json").read_text("utf-8"))
    return theme_named(request.param), [kind[request.param] for kind in scheme["kinds"]]


@pytest.mark.parametrize(("text", "ground"), TEXT_ON)
def test_text_stands_out_from_what_it_stands_on(theme: Theme, text: str, ground: str) -> None:
    assert contrast(getattr(theme, text), getattr(theme, ground)) >= 4.5


def test_disabled_text_can_still_be_seen(theme: Theme) -> None:
    assert contrast(theme.disabled_text, theme.window) >= 3


@pytest.mark.parametrize("role", ["cursor", "accent", "selection", "clipped"])
def test_marks_stand_out_from_every_lane(theme: Theme, role: str) -> None:
    assert min(contrast(getattr(theme, role), lane) for lane in (theme.lane, theme.lane_active)) >= 3


def test_speakers_have_eight_different_colours_that_stand_out(theme: Theme) -> None:
    assert len(set(theme.speakers)) == 8
    grounds = (theme.lane, theme.lane_alternate, theme.lane_active)
    assert min(contrast(colour, ground) for colour in theme.speakers for ground in grounds) >= 3


def test_the_ninth_speaker_has_the_first_colour_again(theme: Theme) -> None:
    assert theme.speaker_colour(8) == theme.speakers[0]


def test_labels_can_be_read_on_every_kind(kind_colours: tuple[Theme, list[str]]) -> None:
    theme, colours = kind_colours
    assert min(contrast(theme.text, tint(colour, theme)) for colour in colours) >= 4.5
    assert min(contrast(theme.text_on(colour), colour) for colour in colours) >= 4.5


def test_contrast_of_black_and_white_is_twenty_one() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_contrast_does_not_depend_on_which_is_the_ground() -> None:
    assert contrast("#123456", "#fedcba") == contrast("#fedcba", "#123456")


def test_contrast_of_a_known_grey_is_just_enough() -> None:
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


def test_a_blend_lies_between_its_colours() -> None:
    assert blend("#000000", "#ffffff", 0.5) == "#808080"
    assert blend("#102030", "#ffffff", 0.0) == "#102030"


def test_an_unknown_theme_is_refused_with_what_to_do() -> None:
    with pytest.raises(InvalidValueError, match="light or dark"):
        theme_named("solar")


def test_the_palette_tells_disabled_text_apart(theme: Theme) -> None:
    colours = palette(theme)
    group, role = QPalette.ColorGroup, QPalette.ColorRole
    assert colours.color(group.Disabled, role.Text).name() == theme.disabled_text
    assert colours.color(group.Active, role.Text).name() == theme.text
    assert colours.color(role.PlaceholderText).name() == theme.placeholder_text


def test_a_theme_goes_on_the_whole_application(qapp: QApplication, theme: Theme) -> None:
    before = qapp.palette(), qapp.styleSheet(), qapp.style().name()
    try:
        apply_theme(qapp, theme)
        assert qapp.palette().color(QPalette.ColorRole.Window).name() == theme.window
        assert theme.accent in qapp.styleSheet()
    finally:
        qapp.setStyleSheet(before[1])
        qapp.setPalette(before[0])
        qapp.setStyle(before[2])


def test_the_desktop_chooses_the_theme(qapp: QApplication) -> None:
    assert system_theme(qapp).name in THEMES
