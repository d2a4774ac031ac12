"""What dialogs need of the window that shows them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from PySide6.QtWidgets import QWidget

from annotation.scheme import Scheme
from app.settings import SettingsFile
from app.tasks import TaskRunner

if TYPE_CHECKING:
    from pathlib import Path

    from annotation.audio.cache import AudioCache
    from annotation.project.project import Project
    from app.workspaces.label import LabelPage


class ProjectHost(Protocol):
    """The window, as its dialogs see it."""

    project: "Project | None"
    page: "LabelPage | None"
    tasks: TaskRunner

    @property
    def scheme(self) -> Scheme:
        """The kinds that can be marked."""
        ...

    @property
    def widget(self) -> QWidget:
        """The parent of dialogs."""
        ...

    @property
    def settings(self) -> SettingsFile:
        """The settings in force."""
        ...

    @property
    def scheme_keys(self) -> Mapping[str, str]:
        """Keys that kinds have, with the kinds' names."""
        ...

    @property
    def person(self) -> str:
        """Who labels."""
        ...

    @property
    def audio_cache(self) -> "AudioCache":
        """Outlines and decoded sound."""
        ...

    def open_paths(self, paths: "Sequence[Path]") -> None:
        """Open a project or audio."""
        ...

    def open_project(self, path: "Path", *, read_only: bool = False) -> None:
        """Open a project file."""
        ...

    def close_project(self) -> None:
        """Close the project; what is under way is kept first."""
        ...

    def say_notices(self, notices: Sequence[str]) -> None:
        """Show the first of several sentences, and the others on a click."""
        ...

    def refresh_project(self, notices: Sequence[str] = ()) -> None:
        """Show conversations and sources anew, and what was said."""
        ...

    def apply_settings(self, changed: frozenset[str]) -> None:
        """Put the settings of these names into force."""
        ...

    def use_scheme(self, path: str) -> None:
        """Mark with the kinds of a scheme file, or with an empty path with those that ship."""
        ...

    def on_error(self, error: Exception) -> None:
        """Show an error that a user can act on."""
        ...

    def say(self, sentence: str) -> None:
        """Show a sentence in the status line."""
        ...
