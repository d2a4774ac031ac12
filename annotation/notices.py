"""What is said about an input without stopping: a warning, or an item refused."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Notice:
    """A code for scripts, a place (file, line, time) and a sentence for people (CLI, ``warnings`` and ``refused``)."""

    code: str
    where: str
    message: str
