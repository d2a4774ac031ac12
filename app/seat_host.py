"""An annotator's seat in the window: signing in, the page, what is kept, signing out.

While somebody is signed in no project is open in the window: what the annotator's side reads goes through the confined
connections of `AnnotatorStore` and `ClipLibrary` alone (DESIGN, studies and blindness).
"""

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtWidgets import QWidget

from annotation.errors import FloorscopeError
from annotation.study.answers import Draft, Entry
from annotation.study.clips import ClipLibrary
from annotation.study.pack_file import is_pack
from annotation.study.seats import find_seat, seat_of_pack
from annotation.study.store import AnnotatorStore
from app.actions import ActionSet
from app.kept_label import KeptLabel
from app.message_bar import MessageBar
from app.settings import SettingsFile
from app.sign_in_dialog import SignInDialog
from app.sound_banner import SoundBanner
from app.tasks import TaskRunner
from app.workspaces.annotate import AnnotatePage
from app.workspaces.annotate_item import OpenItem
from widgets.theme import Theme

if TYPE_CHECKING:
    from annotation.audio.cache import AudioCache

FLUSH_S = 5.0


class UnkeptError(FloorscopeError):
    """Steps of an annotator that are not on the disk."""

    code = "unkept"


class SeatWindow(Protocol):
    """The window, as a seat sees it."""

    tasks: TaskRunner
    actions_by_id: ActionSet
    messages: MessageBar
    kept_label: KeptLabel

    @property
    def widget(self) -> QWidget:
        """The parent of dialogs."""
        ...

    @property
    def settings(self) -> SettingsFile:
        """The settings in force."""
        ...

    @property
    def theme(self) -> Theme:
        """The theme in force."""
        ...

    @property
    def audio_cache(self) -> "AudioCache":
        """Outlines and decoded sound."""
        ...

    @property
    def person(self) -> str:
        """Who labels."""
        ...

    def close_project(self) -> None:
        """Close the project and any seat; what is under way is kept first."""
        ...

    def show_page(self, page: QWidget, title: str) -> None:
        """Show a page in the middle of the window."""
        ...

    def leave_page(self, page: QWidget) -> None:
        """Show the welcome page instead of a page that is closed."""
        ...

    def refresh_state(self) -> None:
        """Look which actions can be used."""
        ...

    def choose_sound_device(self) -> None:
        """Let the user choose another sound device."""
        ...

    def say(self, sentence: str) -> None:
        """Show a sentence in the status line."""
        ...

    def on_error(self, error: Exception) -> None:
        """Show an error that a user can act on."""
        ...


class SeatHost:
    """Holds the seat that is signed in, if any."""

    def __init__(self, *, window: SeatWindow) -> None:
        self._window = window
        self._store: AnnotatorStore | None = None
        self._banner: SoundBanner | None = None
        self.page: AnnotatePage | None = None

    def sign_in(self, project: Path | None) -> None:
        """Ask for the file and the name, and open the seat."""
        dialog = SignInDialog(
            project=project, name=self._window.person, enter=self._sign_in_as, parent=self._window.widget
        )
        dialog.open()

    def open(self, path: Path, *, annotator: str = "", study: str = "", take_over: bool = False) -> None:
        """Open the seat of a pack, or that of an annotator in a project.

        Raises
        ------
        FloorscopeError
            If there is no such seat, or it cannot be opened; what was open stays open then.
        """
        pack = is_pack(path)
        seat = seat_of_pack(path) if pack else find_seat(path, annotator, study)
        self._window.close_project()
        tasks = self._window.tasks
        store = AnnotatorStore(
            path,
            seat,
            on_kept=lambda entries: tasks.post(lambda: self._on_kept(entries)),
            on_failed=lambda fault, entries: tasks.post(lambda: self._on_failed(fault)),
            take_over=take_over,
        )
        try:
            library = ClipLibrary(path, seat, self._window.audio_cache)
        except FloorscopeError:
            store.close()
            raise
        settings = self._window.settings.value
        self._store = store
        self.page = page = AnnotatePage(
            store=store,
            library=library,
            tasks=tasks,
            actions=self._window.actions_by_id,
            theme=self._window.theme,
            pack=pack,
            device=settings.device,
            corrections_ms=settings.corrections_ms,
        )
        self._connect(page)
        self._window.messages.clear()
        self._window.kept_label.reset()
        self._window.kept_label.show_access(store.read_only_reason)
        self._window.show_page(page, f"{page.about.study} – {page.about.annotator}")
        page.start()
        self._window.refresh_state()

    def close(self, *, discard: bool = False) -> None:
        """Sign out; what is under way is kept first.

        Parameters
        ----------
        discard
            Give up what cannot be written.

        Raises
        ------
        UnkeptError
            If something is not kept and is not to be given up; then the seat stays open.
        """
        page, store = self.page, self._store
        if page is None or store is None:
            return
        page.commit_pending()
        if not discard and not store.flush(FLUSH_S):
            raise UnkeptError(
                "Your last steps are not on the disk yet.",
                where=str(store.path),
                remedy="Choose Try again above, or close the window to give them up.",
            )
        page.close_page()
        store.close()
        self.page = self._store = None
        self._window.leave_page(page)

    def flush(self) -> bool:
        """Wait until all that was entered is kept; False if something is held."""
        return self._store is None or self._store.flush(FLUSH_S)

    def _connect(self, page: AnnotatePage) -> None:
        window = self._window
        page.said.connect(window.say)
        page.trouble.connect(lambda text: window.messages.say(text, serious=True))
        page.hint.connect(lambda text: window.messages.say(text, last=True))
        page.gesture.connect(window.kept_label.queue)
        page.state_changed.connect(window.refresh_state)
        page.item_opened.connect(self._on_item)
        page.item_closed.connect(self._on_item_closed)
        page.device_chosen.connect(lambda name: window.settings.change(device=name))
        # Signing out deletes the page, which must not happen inside its own signal.
        page.left.connect(lambda: window.tasks.post(self._sign_out))

    def _sign_in_as(self, path: Path, name: str) -> str:
        """Open a seat; return why it cannot be opened, empty where it is open."""
        try:
            self.open(path, annotator=name)
        except FloorscopeError as error:
            return str(error)
        if not is_pack(path):
            self._window.settings.change(person=name)
        return ""

    def _sign_out(self) -> None:
        try:
            self.close()
        except FloorscopeError as error:
            self._window.on_error(error)

    def _on_item(self, item: OpenItem) -> None:
        self._banner = SoundBanner(
            player=item.player,
            messages=self._window.messages,
            say=self._window.say,
            choose_device=self._window.choose_sound_device,
            parent=item,
        )

    def _on_item_closed(self) -> None:
        if self._banner is not None:
            self._banner.withdraw()
            self._banner = None

    def _on_kept(self, entries: tuple[Entry, ...]) -> None:
        drafts = sum(isinstance(entry, Draft) for entry in entries)
        if drafts:
            self._window.kept_label.keep(drafts)

    def _on_failed(self, fault: FloorscopeError) -> None:
        self._window.kept_label.fail(str(fault))
        self._window.messages.say(
            f"{fault} Your last steps are held and not lost while this window stays open.",
            serious=True,
            button="Try again",
            call=self._retry,
        )

    def _retry(self) -> None:
        if self._store is not None:
            try:
                self._store.retry()
            except FloorscopeError as error:
                self._on_failed(error)
