"""Light and dark: the colours of the whole application by role, and how they are put on.

A colour is named for what it does, never for what it looks like. Text reaches a contrast of 4.5 : 1 on what it stands
on (WCAG 2.2, 1.4.3); disabled text is exempt there and reaches 3 : 1.
"""

from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory

from annotation.errors import InvalidValueError

THEMES = ("light", "dark")

STYLE_SHEET = """
QToolTip {{ color: {tooltip_text}; background: {tooltip}; border: 1px solid {tooltip}; padding: 4px 6px; }}
QToolBar {{ border: none; border-bottom: 1px solid {border}; padding: 4px 6px; spacing: 4px; }}
QToolBar::separator {{ background: {border}; width: 1px; margin: 4px 6px; }}
QToolButton {{ border: 1px solid transparent; border-radius: 5px; padding: 4px 8px; }}
QToolButton:hover {{ background: {hover}; }}
QToolButton:pressed, QToolButton:checked {{ background: {header_active}; border-color: {border}; }}
QToolButton:focus {{ border: 1px solid {accent}; }}
QToolButton:disabled {{ color: {disabled_text}; }}
QPushButton {{ background: {button}; border: 1px solid {border}; border-radius: 5px; padding: 5px 14px; }}
QPushButton:hover {{ background: {hover}; }}
QPushButton:pressed, QPushButton:checked {{ background: {header_active}; }}
QPushButton:default {{ background: {accent}; color: {accent_text}; border-color: {accent}; }}
QPushButton:focus {{ border: 2px solid {accent}; padding: 4px 13px; }}
QPushButton:default:focus {{ border: 2px solid {text}; }}
QPushButton:disabled {{ color: {disabled_text}; background: {window}; border-color: {border}; }}
QAbstractItemView {{ border: 1px solid {border}; selection-color: {accent_text};
    selection-background-color: {accent}; }}
QAbstractItemView:focus {{ border: 1px solid {accent}; }}
QHeaderView::section {{ background: {ruler}; color: {ruler_text}; border: none; border-right: 1px solid {border};
    padding: 4px 6px; }}
QStatusBar {{ border-top: 1px solid {border}; }}
QStatusBar::item {{ border: none; }}
QSplitter::handle {{ background: {border}; }}
QSplitter::handle:horizontal {{ width: 1px; }}
QSplitter::handle:vertical {{ height: 1px; }}
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
QFrame#messageBar {{ background: {header_active}; border-left: 4px solid {accent}; }}
QFrame#messageBar[serious="true"] {{ border-left: 4px solid {error}; }}
"""


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours by role, each ``#rrggbb``."""

    name: str
    dark: bool
    window: str
    base: str
    alternate_base: str
    button: str
    text: str
    muted_text: str
    disabled_text: str
    placeholder_text: str
    border: str
    accent: str
    accent_text: str
    hover: str
    tooltip: str
    tooltip_text: str
    error: str
    warning: str
    success: str
    ruler: str
    ruler_text: str
    header: str
    header_active: str
    lane: str
    lane_alternate: str
    lane_active: str
    event_row: str
    grid: str
    separator: str
    hatching: str
    clipped: str
    cursor: str
    selection: str
    handle: str
    speech: str
    spectrogram: tuple[str, ...]
    """From quiet to loud; their lightness goes one way."""
    speakers: tuple[str, ...]
    """One colour a speaker, in the order of the lanes; eight, then again from the first."""

    def speaker_colour(self, place: int) -> str:
        """Return the colour of the speaker on the lane at `place`, counted from 0."""
        return self.speakers[place % len(self.speakers)]

    def text_on(self, colour: str) -> str:
        """Return the theme's text or accent text, whichever stands out more against a fill."""
        return max((self.text, self.accent_text, self.base), key=lambda candidate: contrast(candidate, colour))


@lru_cache
def theme_named(name: str) -> Theme:
    """Return the theme called ``light`` or ``dark``.

    Raises
    ------
    InvalidValueError
        If there is no theme of that name.
    """
    if name not in THEMES:
        raise InvalidValueError(f"There is no theme “{name}”.", remedy="Choose light or dark.")
    source = resources.files("resources").joinpath("themes", f"{name}.json")
    return msgspec.json.decode(source.read_bytes(), type=Theme)


def system_theme(app: QApplication) -> Theme:
    """Return the theme that the desktop asks for; light where it does not say."""
    return theme_named("dark" if app.styleHints().colorScheme() == Qt.ColorScheme.Dark else "light")


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Put a theme on every window of the application, those to come included."""
    app.setStyle(QStyleFactory.create("Fusion"))
    app.setPalette(palette(theme))
    colours = {name: getattr(theme, name) for name in Theme.__slots__}
    app.setStyleSheet(STYLE_SHEET.format(**colours))


def palette(theme: Theme) -> QPalette:
    """Return the theme as a Qt palette, with its disabled colours."""
    role = QPalette.ColorRole
    colours = {
        role.Window: theme.window,
        role.WindowText: theme.text,
        role.Base: theme.base,
        role.AlternateBase: theme.alternate_base,
        role.Text: theme.text,
        role.PlaceholderText: theme.placeholder_text,
        role.Button: theme.button,
        role.ButtonText: theme.text,
        role.BrightText: theme.error,
        role.ToolTipBase: theme.tooltip,
        role.ToolTipText: theme.tooltip_text,
        role.Highlight: theme.accent,
        role.HighlightedText: theme.accent_text,
        role.Accent: theme.accent,
        role.Link: theme.accent,
        role.LinkVisited: theme.accent,
        role.Light: blend(theme.button, "#ffffff", 0.08 if theme.dark else 0.6),
        role.Midlight: blend(theme.button, theme.border, 0.3),
        role.Mid: theme.border,
        role.Dark: blend(theme.border, "#000000", 0.25),
        role.Shadow: blend(theme.border, "#000000", 0.6),
    }
    result = QPalette()
    for key, colour in colours.items():
        result.setColor(key, QColor(colour))
    for key in (role.WindowText, role.Text, role.ButtonText, role.PlaceholderText, role.HighlightedText):
        result.setColor(QPalette.ColorGroup.Disabled, key, QColor(theme.disabled_text))
    result.setColor(QPalette.ColorGroup.Disabled, role.Highlight, QColor(theme.hover))
    result.setColor(QPalette.ColorGroup.Disabled, role.Base, QColor(theme.window))
    return result


def contrast(one: str, other: str) -> float:
    """Return the WCAG contrast ratio of two colours, 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def blend(colour: str, towards: str, share: float) -> str:
    """Return `colour` moved by `share` (0 to 1) towards another, as an opaque ``#rrggbb``."""
    pairs = zip(_channels(colour), _channels(towards), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    def linear(value: int) -> float:
        share = value / 255
        return share / 12.92 if share <= 0.04045 else float(((share + 0.055) / 1.055) ** 2.4)

    red, green, blue = (linear(value) for value in _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
