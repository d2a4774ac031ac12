"""How kinds and speakers are called and coloured, under one scheme and theme."""

from collections.abc import Mapping

from annotation.events import NOBODY
from annotation.scheme import Scheme
from annotation.timebase import text_from_frame

UNKNOWN_KIND_LIGHT = "#5a6472"
UNKNOWN_KIND_DARK = "#aab4c3"


class KindLook:
    """Names and colours.

    Parameters
    ----------
    names
        What speakers are called on screen, by their id.
    dark
        Whether the dark theme's colours are wanted.
    """

    def __init__(self, *, scheme: Scheme, names: Mapping[str, str], rate_hz: int, dark: bool) -> None:
        self.scheme = scheme
        self._rate_hz = rate_hz
        self._dark = dark
        self._kinds = {kind.id: kind for kind in scheme.kinds}
        self._names = dict(names)

    def kind_name(self, kind_id: str) -> str:
        """Return what a kind is called; a kind that the scheme does not know is called by its id."""
        kind = self._kinds.get(kind_id)
        return kind.name if kind else kind_id

    def speaker_name(self, speaker: str) -> str:
        """Return what a speaker is called on screen."""
        return self._names.get(speaker, speaker)

    def holder_name(self, holder: str | None) -> str:
        """Return who holds the floor, in words; a dash where no answer was given."""
        if holder is None:
            return "–"
        return "nobody" if holder == NOBODY else self.speaker_name(holder)

    def colour(self, kind_id: str) -> str:
        """Return a kind's colour as ``#rrggbb``."""
        kind = self._kinds.get(kind_id)
        if kind is None:
            return UNKNOWN_KIND_DARK if self._dark else UNKNOWN_KIND_LIGHT
        return kind.dark if self._dark else kind.light

    def letter(self, kind_id: str) -> str:
        """Return a kind's letter; for an unknown kind the first letter of its id."""
        kind = self._kinds.get(kind_id)
        return kind.letter if kind else kind_id[:1].upper()

    def time(self, frame: int) -> str:
        """Return a frame's time in seconds with three digits."""
        return text_from_frame(frame, self._rate_hz)
