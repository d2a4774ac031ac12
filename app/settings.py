"""What the window remembers of a person: one typed value, kept as JSON in the user's configuration folder.

A file that cannot be read is set aside and said; it never stops the start.
"""

import contextlib
import getpass
import logging
import os
from pathlib import Path
from tempfile import NamedTemporaryFile

import msgspec
import platformdirs

_log = logging.getLogger(__name__)
VERSION = 1
MOST_RECENT = 12


class Settings(msgspec.Struct, frozen=True):
    """Settings with their defaults."""

    version: int = VERSION
    theme: str = "system"
    """``system``, ``light`` or ``dark``."""
    text_scale: float = 1.0
    """Size of text and controls relative to the desktop's, 1 to 2; takes effect at the next start."""
    person: str = ""
    """Who labels; empty means the account's name."""
    scheme: str = ""
    """Scheme file with the kinds; empty means the kinds that ship (floor events)."""
    device: str = ""
    """Name of the sound device; empty means the system's default."""
    corrections_ms: dict[str, float] = {}
    """How much later than it reports each sound device is heard, in milliseconds, by name; none means 0."""
    keys: dict[str, str] = {}
    """Keys set by the user, by action id; an empty string means no key."""
    recent: tuple[str, ...] = ()
    """Projects used before, newest first."""
    layout: dict[str, str] = {}
    """Window geometry and splitters, base64 by name."""
    cache_gb: float = 20.0
    """How much the cache of outlines and decoded sound may hold, in gigabytes; the least recently used goes."""
    follow: bool = True
    """Whether the page turns with the cursor."""


def config_folder() -> Path:
    """Return the folder of the settings file."""
    return Path(platformdirs.user_config_dir("floorscope", appauthor=False))


def cache_folder() -> Path:
    """Return the folder of decoded audio and waveform outlines."""
    return Path(platformdirs.user_cache_dir("floorscope", appauthor=False))


def data_folder() -> Path:
    """Return the folder where projects are kept that were opened without one."""
    return Path(platformdirs.user_data_dir("floorscope", appauthor=False))


def account_name() -> str:
    """Return the name of the account; “annotator” where the system knows none (containers)."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "annotator"


class SettingsFile:
    """Reads and writes the settings; `trouble` says what could not be read or kept, empty when all went well.

    Parameters
    ----------
    remembering
        False for a picture or a tour: the defaults are in force and nothing is read or written.
    """

    def __init__(self, path: Path | None = None, *, remembering: bool = True) -> None:
        self.path = path or config_folder() / "settings.json"
        self.trouble = ""
        self._remembering = remembering
        self.value = self._read() if remembering else Settings()

    def change(self, **fields: object) -> Settings:
        """Set fields, keep them and return the settings as they now are."""
        self.value = msgspec.structs.replace(self.value, **fields)
        if self._remembering:
            self._write()
        return self.value

    def add_recent(self, project: Path) -> None:
        """Put a project at the head of those used before."""
        name = str(project)
        self.change(recent=(name, *(other for other in self.value.recent if other != name))[:MOST_RECENT])

    def _read(self) -> Settings:
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return Settings()
        except OSError as error:
            self.trouble = f"{self.path}: the settings cannot be read ({error.strerror}); the defaults are in force."
            return Settings()
        try:
            return msgspec.json.decode(data, type=Settings)
        except msgspec.DecodeError as error:
            aside = self.path.with_suffix(".unreadable.json")
            with contextlib.suppress(OSError):
                self.path.replace(aside)
            self.trouble = f"{self.path}: {error}. The defaults are in force; the file is kept as {aside.name}."
            return Settings()

    def _write(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=self.path.parent, delete=False) as file:
                draft = Path(file.name)
                try:
                    file.write(msgspec.json.format(msgspec.json.encode(self.value)))
                    file.flush()
                    os.fsync(file.fileno())
                except OSError:
                    draft.unlink(missing_ok=True)
                    raise
            draft.replace(self.path)
        except OSError as error:
            self.trouble = f"{self.path}: the settings cannot be kept ({error.strerror})."
            _log.warning("%s", self.trouble)
