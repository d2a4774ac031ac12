"""Numbered lines of a small text file, whatever its encoding and line ends, within limits."""

import codecs
import re
from dataclasses import dataclass
from pathlib import Path

from annotation.errors import FloorscopeError
from annotation.notices import Notice

LARGEST_FILE_BYTES = 64 << 20
LONGEST_LINE = 64 << 10
MOST_LINES = 2_000_000

_LINE_END = re.compile(r"\r\n|\r|\n")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class TextRefusedError(FloorscopeError):
    """A text file that cannot be read as a whole."""

    code = "unreadable"


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line without its end, and its number from 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class TextLines:
    """The lines of a file that are not blank, and what is odd about the file."""

    lines: tuple[TextLine, ...]
    notices: tuple[Notice, ...] = ()


def encoding_of(head: bytes) -> str | None:
    """Return the encoding that the first bytes show, or None where they show nothing.

    A byte order mark decides; without one, NUL in every other byte tells UTF-16.
    """
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    sample = head[:512]
    if len(sample) >= 4:
        even, odd = sample[0::2].count(0), sample[1::2].count(0)
        if odd > len(sample) // 4 and even == 0:
            return "utf-16-le"
        if even > len(sample) // 4 and odd == 0:
            return "utf-16-be"
    return None


def text_of_head(head: bytes) -> str:
    """Return the first bytes of a file as text, for sniffing; what cannot be decoded is replaced."""
    return head.decode(encoding_of(head) or "utf-8", errors="replace")


def lines_of_file(path: Path) -> TextLines:
    """Return the lines of a text file.

    Lines end with LF, CRLF or CR and nothing else. UTF-8 is expected, with or without a byte order mark, or UTF-16;
    what is neither is read as Windows Latin (cp1252), with a notice. A line longer than 64 KiB costs itself.

    Raises
    ------
    TextRefusedError
        If the file cannot be opened, is larger than 64 MiB, has more than two million lines or is no text.
    """
    data = _bytes_of(path)
    encoding = encoding_of(data)
    notices: list[Notice] = []
    try:
        text = data.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        if encoding is not None or b"\x00" in data[:4096]:
            raise TextRefusedError("This is no text.", where=str(path)) from error
        text = data.decode("cp1252", errors="replace")
        notices.append(
            Notice(
                "encoding", str(path), "The text is not UTF-8 and was read as Windows Latin: check accented letters."
            )
        )
    if "\x00" in text[:4096]:
        raise TextRefusedError("This is no text: it holds zero bytes.", where=str(path))
    return _numbered(path, text, notices)


def _bytes_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        raise TextRefusedError(f"The file cannot be read: {error.strerror}.", where=str(path)) from error
    if len(data) > LARGEST_FILE_BYTES:
        raise TextRefusedError(
            "The file is larger than 64 MiB.", where=str(path), remedy="Split it, one recording a file."
        )
    return data


def _numbered(path: Path, text: str, notices: list[Notice]) -> TextLines:
    if sum(1 for _ in _LINE_END.finditer(text)) > MOST_LINES:
        raise TextRefusedError(
            f"The file has more than {MOST_LINES:,} lines.", where=str(path), remedy="Split it, one recording a file."
        )
    lines = []
    for number, line in enumerate(_LINE_END.split(text), start=1):
        if len(line) > LONGEST_LINE:
            notices.append(
                Notice("line-too-long", f"{path}:{number}", "The line is longer than 64 KiB and was left out.")
            )
        elif line.strip():
            lines.append(TextLine(number, line))
    return TextLines(tuple(lines), tuple(notices))
