"""Values that a column of the project file holds as JSON text."""

from typing import TypeVar

import msgspec

from annotation.errors import InvalidValueError
from annotation.project.faults import DamagedProjectError

_Value = TypeVar("_Value")


def value_from_json(text: str, kind: type[_Value], where: str, *, largest: int | None = None) -> _Value:
    """Return the value in a column.

    Parameters
    ----------
    where
        Which row, for the sentence.
    largest
        In characters; None where the column's own rule bounds it.

    Raises
    ------
    DamagedProjectError
        If the text is none of this kind, or larger than `largest`.
    """
    if largest is not None and len(text) > largest:
        raise DamagedProjectError("A row is larger than any that is ever written.", where=where)
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, InvalidValueError, UnicodeDecodeError) as error:
        raise DamagedProjectError(f"A row cannot be read: {error}.", where=where) from error
