"""Reading a text that a person wrote, within limits."""

from pathlib import Path

from annotation.errors import FloorscopeError

LARGEST_TEXT_BYTES = 1 << 20


class TextFileError(FloorscopeError):
    """A text that cannot be read."""

    code = "text-file"


def text_of(path: Path) -> str:
    """Return the text in a UTF-8 file of at most a mebibyte.

    Raises
    ------
    TextFileError
        If it is larger, unreadable, or no UTF-8 text.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_TEXT_BYTES + 1)
        if len(data) > LARGEST_TEXT_BYTES:
            raise TextFileError("The file is larger than 1 MiB.", where=str(path))
        return data.decode("utf-8-sig")
    except OSError as error:
        raise TextFileError(f"The file cannot be read: {error.strerror}.", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise TextFileError("The file is no UTF-8 text.", where=str(path), remedy="Save it as UTF-8.") from error
