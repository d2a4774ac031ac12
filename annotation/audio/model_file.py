"""Model files that are shipped: what they are, and their bytes once those have been checked.

`resources/models/models.toml` records each file's source, licence and sha256. A file with other bytes is refused
before any decoder or runtime sees it.
"""

import hashlib
import importlib.resources
import tomllib
from dataclasses import dataclass
from importlib.resources.abc import Traversable

from annotation.errors import FloorscopeError

_REMEDY = "Install Floorscope again; labelling works without it."


class ModelRefusedError(FloorscopeError):
    """A model file that is missing or is not the one on record."""

    code = "model-refused"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model file whose bytes are those on record.

    Parameters
    ----------
    id
        What stands in records of what the model found (``silero-6.2.3``).
    content
        The whole file.
    sha256
        Of the content, as hexadecimal digits.
    licence
        Its name (``MIT``); the text lies beside the file.
    """

    id: str
    content: bytes
    sha256: str
    licence: str


def load_model(name: str, folder: Traversable | None = None) -> ModelFile:
    """Return a shipped model after checking its bytes.

    Parameters
    ----------
    name
        Of its record in ``models.toml``.
    folder
        Where that and the files lie; the shipped one when left out.

    Raises
    ------
    ModelRefusedError
        If the record or the file is missing or unreadable, or the file has other bytes than those on record.
    """
    folder = folder or importlib.resources.files("resources") / "models"
    try:
        record = tomllib.loads((folder / "models.toml").read_text(encoding="utf-8"))[name]
        model_id, file, sha256, licence = (str(record[field]) for field in ("id", "file", "sha256", "licence"))
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise ModelRefusedError(
            f"The record of the model “{name}” cannot be read.", where=str(folder / "models.toml"), remedy=_REMEDY
        ) from fault
    try:
        content = (folder / file).read_bytes()
    except OSError as fault:
        reason = fault.strerror or type(fault).__name__
        raise ModelRefusedError(
            f"The model file cannot be read: {reason}.", where=str(folder / file), remedy=_REMEDY
        ) from fault
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise ModelRefusedError(
            f"The model file is damaged or another one: its sha256 begins with {found[:12]}, on record is "
            f"{sha256[:12]}. It is not used.",
            where=str(folder / file),
            remedy=_REMEDY,
        )
    return ModelFile(model_id, content, sha256, licence)
