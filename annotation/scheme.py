"""The scheme: kinds of floor event as shareable data, one key each.

A scheme is a JSON file (``resources/schemas/scheme.schema.json`` documents it). Kinds are told apart by colour *and*
letter, never by colour alone.
"""

import re
from importlib.resources import files
from pathlib import Path

import msgspec

from annotation.errors import FloorscopeError

LARGEST_FILE_BYTES = 1 << 20
MOST_KINDS = 64
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


class SchemeError(FloorscopeError):
    """A scheme file that cannot be used."""

    code = "scheme"


class Kind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of event.

    `key` is one character as typed; `letter` marks the kind where colour cannot; `light` and `dark` are ``#rrggbb``
    for the two themes.
    """

    id: str
    name: str
    key: str
    letter: str
    light: str
    dark: str
    definition: str = ""


class Scheme(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Kinds in their order on screen, and what is asked of an annotator beside the kind."""

    id: str
    name: str
    version: int
    kinds: tuple[Kind, ...]
    asks_boundaries: bool = True
    asks_holders: bool = True

    def kind_of(self, kind_id: str) -> Kind | None:
        """Return the kind with that id, or None for one that the scheme does not know."""
        return next((kind for kind in self.kinds if kind.id == kind_id), None)


def scheme_from_json(data: bytes, *, where: str) -> Scheme:
    """Return the scheme that a JSON document describes.

    Raises
    ------
    SchemeError
        With the JSON path of the first fault.
    """
    if len(data) > LARGEST_FILE_BYTES:
        raise SchemeError("The scheme file is larger than 1 MiB.", where=where)
    try:
        scheme = msgspec.json.decode(data, type=Scheme)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SchemeError(f"This is not a scheme: {error}.", where=where, remedy="See docs/formats.md.") from error
    _check(scheme, where)
    return scheme


def _check(scheme: Scheme, where: str) -> None:
    if not 1 <= len(scheme.kinds) <= MOST_KINDS:
        raise SchemeError(f"A scheme has 1 to {MOST_KINDS} kinds, this one {len(scheme.kinds)}.", where=where)
    for field in ("id", "name", "key", "letter"):
        values = [getattr(kind, field) for kind in scheme.kinds]
        if not all(values):
            raise SchemeError(f"A kind has an empty {field}.", where=where)
        twice = next((value for value in values if values.count(value) > 1), None)
        if twice is not None:
            raise SchemeError(f"Two kinds have the {field} “{twice}”.", where=where, remedy="Give each its own.")
    for kind in scheme.kinds:
        if len(kind.key) != 1 or kind.key.isspace():
            raise SchemeError(f"The key of “{kind.id}” is not one printed character.", where=where)
        for colour in (kind.light, kind.dark):
            if not _COLOUR.fullmatch(colour):
                raise SchemeError(f"“{colour}” of “{kind.id}” is not a colour like #1f77b4.", where=where)


def scheme_from_file(path: Path) -> Scheme:
    """Return the scheme in a file; faults as `scheme_from_json`."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        raise SchemeError(f"The scheme cannot be read: {error.strerror}.", where=str(path)) from error
    return scheme_from_json(data, where=str(path))


def preset_scheme(name: str = "floor-events") -> Scheme:
    """Return a scheme that ships with Floorscope (MultiPartyTurnBench §3 for ``floor-events``)."""
    data = files("resources").joinpath("schemes", f"{name}.json").read_bytes()
    return scheme_from_json(data, where=f"preset {name}")
