"""``NAME=FILE[:INDEX][@START_S]``: one channel of a conversation put together by hand on the command line."""

import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from annotation.errors import FloorscopeError

GRAMMAR = "NAME=FILE[:INDEX][@START_S]"

_START = re.compile(r"(?P<rest>.+)@(?P<start_s>\d{1,12}(?:\.\d{1,12})?)", re.DOTALL | re.ASCII)
_INDEX = re.compile(r"(?P<rest>.+):(?P<index>\d{1,4})", re.DOTALL | re.ASCII)


class ChannelSpecError(FloorscopeError):
    """A channel that is not written as ``NAME=FILE[:INDEX][@START_S]``."""

    code = "channel-spec"


@dataclass(frozen=True, slots=True)
class ChannelSpec:
    """One speaker, and where the sound is.

    Parameters
    ----------
    index
        Channel within the file, from 0 as in ``corpus info``; None where the file has one channel only.
    start_s
        Where the first sample lies on the timeline, exactly as written.
    """

    speaker: str
    path: Path
    index: int | None = None
    start_s: Decimal = Decimal(0)


def channel_spec_from_text(text: str) -> ChannelSpec:
    """Return the channel that a command line argument names.

    The name ends at the first ``=``. A file whose own name ends like an index or a start (``take@2``) is taken whole
    where it exists.

    Raises
    ------
    ChannelSpecError
        If the text does not follow the grammar.
    """
    name, equals, rest = text.partition("=")
    if not equals or not name.strip() or not rest:
        raise ChannelSpecError(
            "This names no channel.", where=f"--channel {text}", remedy=f"Write {GRAMMAR}, as in agent=call.wav:0@1.5."
        )
    speaker = name.strip()
    start_s = Decimal(0)
    index = None
    start = None if _is_file(rest) else _START.fullmatch(rest)
    if start:
        rest, start_s = start["rest"], Decimal(start["start_s"])
    position = None if _is_file(rest) else _INDEX.fullmatch(rest)
    if position:
        rest, index = position["rest"], int(position["index"])
    _check_rest(rest, text)
    return ChannelSpec(speaker, Path(rest), index, start_s)


def _check_rest(rest: str, text: str) -> None:
    """Refuse what looks like a start or an index and is none, so that it is not taken for a part of a file name."""
    tail = re.search(r"[@:]\s*[-+]?\d[\d.,eE+-]*$", rest)
    if tail and not _is_file(rest):
        raise ChannelSpecError(
            f"“{tail[0]}” is no channel index from 0 and no start in seconds at or after 0.",
            where=f"--channel {text}",
            remedy=f"Write {GRAMMAR}; the start with a decimal point.",
        )


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False
