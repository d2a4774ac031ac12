"""The window: it wires pages, project, tasks and actions together and does nothing else.

It is longer than a module should be since each wire is a line or two and they all meet here; what computes or paints
stands in modules of its own.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QApplication,
    QMainWindow,
    QMessageBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from annotation.errors import FloorscopeError
from annotation.scheme import Scheme, preset_scheme
from app.actions import ACTIONS, ActionSet
from app.kept_label import KeptLabel
from app.menus import RecentMenu, build_menus
from app.message_bar import MessageBar
from app.project_dialogs import ProjectDialogs, add_material, usable_scheme
from app.settings import SettingsFile, account_name, data_folder
from app.task_status import TaskStatus
from app.tasks import Task, TaskRunner
from app.workspaces.welcome import WelcomePage
from widgets.theme import Theme, apply_theme, system_theme, theme_named

if TYPE_CHECKING:
    from annotation.audio.cache import AudioCache
    from annotation.document import Document, Revision
    from annotation.project.project import Project
    from annotation.study.answers import AnswerHistory
    from app.seat_host import SeatHost
    from app.sound_banner import SoundBanner
    from app.study_desk import StudyDesk
    from app.workspaces.annotate import AnnotatePage
    from app.workspaces.annotate_item import OpenItem
    from app.workspaces.label import LabelPage
    from app.workspaces.project import ProjectPage
    from widgets.browser.browser import BrowserRow

_log = logging.getLogger(__name__)
POLL_MS = 100
LEAD_ACTIONS = tuple(
    f"study.{name}"
    for name in ("lead", "new", "merge", "submissions", "extend", "lock", "pack", "open_as", "replace", "leave")
)
"""What the Study menu does for a lead; the desk is made when the first of them is used."""


class MainWindow(QMainWindow):
    """One project at a time: the list of its conversations and the page of the one that is open.

    Signals
    -------
    kept(object)
        The ids of revisions that the status line now shows as kept.
    """

    kept = Signal(object)

    def __init__(self, *, settings: SettingsFile, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Floorscope")
        self.setAcceptDrops(True)
        self._settings = settings
        self.tasks = TaskRunner(parent=self)
        self.actions_by_id = ActionSet(parent=self, remapped=settings.value.keys)
        self.project: Project | None = None
        self.page: LabelPage | None = None
        self._identity: Task[int] | None = None
        self._sound_banner: SoundBanner | None = None
        self._scheme: Scheme | None = None
        self._handlers: Mapping[str, Callable[[], object]] = {}
        self._theme = self._wanted_theme()
        self._build()
        self._build_menus()
        self._bind()
        self._speed = 1.0
        self._poll = QTimer(self)
        self._poll.setInterval(POLL_MS)
        self._poll.timeout.connect(self._on_poll)
        self._restore_layout()
        self.refresh_state()
        if settings.trouble:
            self.messages.say(settings.trouble)

    # Opening

    def open_paths(self, paths: Sequence[Path], *, at_s: float | None = None) -> None:
        """Open a project, or audio files and folders, which get a project in the user's data folder."""
        from app.opening import is_pack_name, is_project, open_material

        if len(paths) == 1 and is_project(paths[0]):
            self.open_project(paths[0], at_s=at_s)
            return
        if len(paths) == 1 and is_pack_name(paths[0]):
            self.open_seat(paths[0])
            return
        self.tasks.submit(
            "Reading " + ", ".join(path.name for path in paths[:3]),
            lambda token, progress: open_material(
                paths, folder=data_folder(), cache=self.audio_cache, cancel=token, progress=progress
            ),
            on_done=lambda opened: self._on_material(opened.path, opened.notices, at_s),
            on_error=self.on_error,
        )

    def open_project(self, path: Path, *, at_s: float | None = None, item: int = 1, read_only: bool = False) -> None:
        """Open a project file and its first conversation (or the `item`-th, from 1)."""
        from annotation.project.project import Project

        try:
            project = Project.open(path, read_only=read_only)
        except FloorscopeError as error:
            self._on_damage(path, error)
            return
        try:
            self.close_project()
        except FloorscopeError as error:
            project.close()
            self.on_error(error)
            return
        self.messages.clear()
        self.project = project
        project.set_listeners(
            on_kept=lambda revisions: self.tasks.post(lambda: self._on_kept(revisions)),
            on_failed=lambda error, revisions: self.tasks.post(lambda: self._on_write_failed(error)),
        )
        self._settings.add_recent(path.resolve())
        self.kept_label.reset()
        self._stack.setCurrentWidget(self.project_page)
        rows = self._show_conversations()
        if rows:
            self.open_conversation(rows[min(max(item, 1), len(rows)) - 1].id, at_s=at_s)
        self._poll.start()
        if not read_only:
            self._identity = self.tasks.submit(
                "Identity of the audio", project.hash_audio, on_done=lambda _: None, on_error=self.on_error
            )
        self.say_notices([f"{notice.where}: {notice.message}" for notice in project.notices])
        missing = {name for row in rows for name in row.missing}
        if missing:
            files = "1 audio file is" if len(missing) == 1 else f"{len(missing)} audio files are"
            sentence = f"{files} not in the expected place; labels can be edited all the same."
            self.messages.say(sentence, button="Locate…", call=self._own["project.locate"])
        self.refresh_state()

    @cached_property
    def audio_cache(self) -> "AudioCache":
        """Outlines and decoded sound; one for the window, since what it cannot keep lasts as long as it does."""
        from app.user_cache import user_cache

        return user_cache(self._settings.value)

    def open_conversation(self, conversation_id: str, *, at_s: float | None = None) -> None:
        """Open a conversation of the project on the label page."""
        from app.sound_banner import SoundBanner
        from app.workspaces.label import LabelPage

        if self.project is None:
            return
        try:
            self._close_page()
            page = LabelPage(
                project=self.project,
                conversation_id=conversation_id,
                person=self.person,
                scheme=self.scheme,
                theme=self._theme,
                cache=self.audio_cache,
                tasks=self.tasks,
                actions=self.actions_by_id,
                device=self._settings.value.device,
                corrections_ms=self._settings.value.corrections_ms,
                speed=self._speed,
            )
        except FloorscopeError as error:
            self._on_damage(self.project.path, error)
            self.refresh_state()
            return
        self.page = page
        page.said.connect(self.say)
        page.bar.speed_changed.connect(self._keep_speed)
        page.trouble.connect(lambda text: self.messages.say(text, serious=True))
        page.refused.connect(
            lambda reason: self.messages.say(
                reason, serious=True, button="Try again", call=lambda: self.open_conversation(conversation_id)
            )
        )
        page.hint.connect(lambda text: self.messages.say(text, last=True))
        self._sound_banner = SoundBanner(
            player=page.player,
            messages=self.messages,
            say=self.say,
            choose_device=self._own["sound.device"],
            parent=page,
        )
        page.gesture.connect(self._on_gesture)
        page.state_changed.connect(self.refresh_state)
        page.bar.device_chosen.connect(lambda name: self._settings.change(device=name))
        page.view.timeline.set_following(self._settings.value.follow)
        self.actions_by_id["play.loop"].setChecked(False)
        self._handlers = page.handlers()
        self.project_page.show_page(page)
        state = self._settings.value.layout.get("label")
        if state:
            page.view.restore(state)
        page.aids.restore(self._settings.value.layout.get("aids", ""))
        self.project_page.browser.set_current(conversation_id)
        self.setWindowTitle(f"{conversation_id} – {self.project.path.stem} – Floorscope")
        self.kept_label.show_access(page.opened.read_only_reason)
        page.start()
        if at_s is not None:
            page.player.seek(round(at_s * page.conversation.rate_hz))
        self.refresh_state()

    def open_seat(self, path: Path, *, annotator: str = "", study: str = "") -> None:
        """Open a pack, or the seat of an annotator in a project's study."""
        try:
            self.seats.open(path, annotator=annotator, study=study)
        except FloorscopeError as error:
            self.on_error(error)

    @cached_property
    def seats(self) -> "SeatHost":
        """The seat of a study; made when somebody first signs in."""
        from app.seat_host import SeatHost

        return SeatHost(window=self)

    @property
    def seat_page(self) -> "AnnotatePage | None":
        """The page of the annotator who is signed in, if any."""
        return self.seats.page if "seats" in self.__dict__ else None

    def show_page(self, page: QWidget, title: str) -> None:
        """Show a page instead of the project's."""
        self._stack.addWidget(page)
        self._stack.setCurrentWidget(page)
        self.setWindowTitle(f"{title} – Floorscope")

    def leave_page(self, page: QWidget) -> None:
        """Show the welcome page instead of a page that is closed."""
        self._stack.removeWidget(page)
        page.deleteLater()
        self._stack.setCurrentWidget(self.welcome)
        self.setWindowTitle("Floorscope")
        self.kept_label.reset()
        self.refresh_state()

    def close_project(self, *, discard: bool = False) -> None:
        """Close the page, the project and any seat; what is under way is kept first.

        Parameters
        ----------
        discard
            Give up steps that cannot be written.

        Raises
        ------
        FloorscopeError
            If steps are not kept and are not to be given up; then everything stays open.
        """
        if self.seat_page is not None:
            self.seats.close(discard=discard)
        self._close_page(discard=discard)
        self._poll.stop()
        if self._identity is not None:
            self.tasks.cancel(self._identity)
        project, self.project = self.project, None
        if "desk" in self.__dict__:
            self.desk.forget()
        if project is not None:
            try:
                project.close()
            except FloorscopeError:
                if not discard:
                    raise

    @property
    def person(self) -> str:
        """Who labels."""
        return self._settings.value.person or account_name()

    @property
    def kept_text(self) -> str:
        """What the status line says of the work."""
        return self.kept_label.text()

    # Building

    def _build(self) -> None:
        self.messages = MessageBar()
        self.welcome = WelcomePage(
            actions=[self.actions_by_id[key] for key in ("project.demo", "project.open", "project.new")]
        )
        self.welcome.set_recent(self._settings.value.recent)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.welcome)
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.messages)
        column.addWidget(self._stack, 1)
        self.setCentralWidget(centre)
        self.kept_label = KeptLabel()
        self._task_status = TaskStatus(tasks=self.tasks)
        self._task_status.stopped.connect(
            lambda: self.say("Stopped. What was not finished is done when it is needed again.")
        )
        self.statusBar().addPermanentWidget(self._task_status)
        self.statusBar().addPermanentWidget(self.kept_label)

    def _build_menus(self) -> None:
        build_menus(self.menuBar(), self.actions_by_id)
        recent = RecentMenu(projects=lambda: self._settings.value.recent, parent=self)
        recent.chosen.connect(lambda path: self.open_project(Path(path)))
        self.actions_by_id["project.recent"].setMenu(recent)

    def own_handlers(self) -> dict[str, Callable[[], object]]:
        """Return what the window itself does for actions; the rest is the page's."""
        dialogs = ProjectDialogs(window=self)
        return {
            "study.annotate": lambda: self.seats.sign_in(self.project.path if self.project is not None else None),
            "project.new": dialogs.new_project,
            "project.open": dialogs.open_anything,
            "project.demo": self.open_demo,
            "project.add_files": dialogs.add_files,
            "project.add_folder": dialogs.add_folder,
            "project.import_events": dialogs.import_events,
            "project.speakers": dialogs.edit_speakers,
            "project.scheme": dialogs.choose_scheme,
            "project.shipped_scheme": lambda: self.use_scheme(""),
            "project.backup": dialogs.back_up,
            "project.check": dialogs.check,
            "project.rescue": dialogs.rescue,
            "project.locate": dialogs.locate,
            "project.collect": dialogs.collect,
            "project.forget": dialogs.forget,
            **{name: partial(self._at_desk, name) for name in LEAD_ACTIONS},
            "app.preferences": dialogs.preferences,
            "app.quit": self.close,
            "sound.device": dialogs.sound_device,
            "sound.delay": dialogs.measure_delay,
            "play.loop": self._on_loop,
            "play.follow": self._on_follow,
            "view.browser": self._on_browser,
            "view.filter": self._focus_filter,
            "event.none": self._on_escape,
            "view.next_conversation": lambda: self._open_neighbour(1),
            "view.previous_conversation": lambda: self._open_neighbour(-1),
            "view.dark": self._on_dark,
            "help.keys": dialogs.keyboard_sheet,
            "help.about": dialogs.about,
        }

    def _bind(self) -> None:
        self._own = self.own_handlers()
        self.actions_by_id.bind({spec.id: partial(self._perform, spec.id) for spec in ACTIONS})
        self.actions_by_id["view.browser"].setChecked(True)
        self.actions_by_id["play.follow"].setChecked(self._settings.value.follow)
        self.actions_by_id["view.dark"].setChecked(self._theme.dark)
        self.welcome.recent_chosen.connect(lambda path: self.open_project(Path(path)))

    def _perform(self, action_id: str) -> None:
        """Do what an action means now: the window's own part, or the page's."""
        call = self._own.get(action_id) or self._handlers.get(action_id)
        if call is None:
            return
        try:
            call()
        except FloorscopeError as error:
            self.on_error(error)

    def _wanted_theme(self) -> Theme:
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        name = self._settings.value.theme
        theme = system_theme(application) if name == "system" else theme_named(name)
        apply_theme(application, theme)
        return theme

    # Actions of the window

    def open_demo(self) -> None:
        """Make the demo project in the user's data folder, or find it there, and open its study in progress."""
        from app.demo_study import make_demo_study

        self.open_project(make_demo_study(data_folder() / "demo"))
        self.open_study()

    def open_study(self) -> None:
        """Open the lead's page of the project's study."""
        self._perform("study.lead")

    @cached_property
    def project_page(self) -> "ProjectPage":
        """The page of an open project; made when the first one is opened."""
        from app.workspaces.project import ProjectPage

        page = ProjectPage()
        page.browser.opened.connect(self.open_conversation)
        state = self._settings.value.layout.get("project")
        if state:
            page.restore_layout(state)
        self._stack.addWidget(page)
        return page

    @cached_property
    def desk(self) -> "StudyDesk":
        """The lead's desk; made when it is first used."""
        from app.study_desk import StudyDesk

        return StudyDesk(
            window=self,
            actions=self.actions_by_id,
            show=self._show_lead,
            leave=lambda: self._stack.setCurrentWidget(self.project_page),
            sign_in=lambda path, annotator, study: self.open_seat(path, annotator=annotator, study=study),
        )

    def _at_desk(self, action_id: str) -> None:
        self.desk.handlers()[action_id]()

    def _show_lead(self, page: QWidget) -> None:
        """Show the lead's page; the conversation that is open falls silent."""
        if self.page is not None:
            self.page.player.pause()
        if self._stack.indexOf(page) < 0:
            self._stack.addWidget(page)
        self._stack.setCurrentWidget(page)

    @property
    def scheme(self) -> Scheme:
        """The kinds that can be marked; read when first needed."""
        if self._scheme is None:
            self._scheme = self._read_scheme()
        return self._scheme

    def use_scheme(self, path: str) -> None:
        """Mark with the kinds of a scheme file from now on, or with an empty path with those that ship."""
        self._settings.change(scheme=path)
        self._scheme = None
        self.refresh_project()

    def _read_scheme(self) -> Scheme:
        path = self._settings.value.scheme
        if path:
            try:
                return usable_scheme(Path(path), self._settings.value.keys)
            except FloorscopeError as error:
                self.messages.say(f"{error} The kinds that ship are in force.", serious=True)
        return preset_scheme()

    @property
    def widget(self) -> QWidget:
        """The parent of dialogs: the window itself."""
        return self

    @property
    def theme(self) -> Theme:
        """The theme in force."""
        return self._theme

    def choose_sound_device(self) -> None:
        """Let the user choose another sound device."""
        self._own["sound.device"]()

    @property
    def settings(self) -> SettingsFile:
        """The settings of this window."""
        return self._settings

    @property
    def scheme_keys(self) -> dict[str, str]:
        """The kinds' keys with the kinds' names."""
        return {kind.key: kind.name for kind in self.scheme.kinds}

    def apply_settings(self, changed: frozenset[str]) -> None:
        """Put the settings of these names into force."""
        self.actions_by_id.set_keys(self._settings.value.keys)
        if "theme" in changed:
            self.set_theme(self._wanted_theme())
        if "cache_gb" in changed:
            self._limit_cache()
        if self.page is not None and "corrections_ms" in changed:
            self.page.player.set_corrections(self._settings.value.corrections_ms)
        if self.page is not None and "device" in changed:
            self.page.player.choose_device(self._settings.value.device)
            self.page.bar.show_device(self._settings.value.device)
        if self.seat_page is not None and changed & {"device", "corrections_ms"}:
            self.seat_page.choose_device(self._settings.value.device, self._settings.value.corrections_ms)
        if self.page is not None and "person" in changed:
            self.open_conversation(self.page.conversation.id)

    def _limit_cache(self) -> None:
        from app.user_cache import BYTES_A_GB

        self.audio_cache.limit_bytes = round(self._settings.value.cache_gb * BYTES_A_GB)
        self.audio_cache.shrink(self.audio_cache.limit_bytes)

    def set_theme(self, theme: Theme) -> None:
        """Repaint everything in a theme."""
        self._theme = theme
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        apply_theme(application, theme)
        self.actions_by_id["view.dark"].setChecked(theme.dark)
        for page in (self.page, self.seat_page):
            if page is not None:
                page.set_theme(theme)

    def refresh_project(self, notices: Sequence[str] = ()) -> None:
        """Show conversations and sources anew after material was added, and what was said about it."""
        if self.project is None:
            return
        rows = self._show_conversations()
        page = self.page
        if page is not None:
            position, visible = page.player.position, page.view.timeline.visible_range
            self.open_conversation(page.conversation.id)
            if self.page is not None:
                self.page.player.seek(position)
                self.page.view.timeline.zoom_to(*visible)
        elif rows:
            self.open_conversation(rows[0].id)
        self.say_notices(notices)

    def say_notices(self, notices: Sequence[str]) -> None:
        """Show what an import said; the whole list is one click away."""
        if not notices:
            return
        more = f" (and {len(notices) - 1} more)" if len(notices) > 1 else ""
        self.messages.say(notices[0] + more, button="Show all", call=lambda: self._show_list(notices))

    def _show_list(self, notices: Sequence[str]) -> None:
        box = QMessageBox(self)
        box.setWindowTitle("What was said while reading")
        box.setText(f"{len(notices)} notices")
        box.setDetailedText("\n".join(notices))
        box.open()

    def _on_browser(self) -> None:
        self.project_page.browser.setVisible(self.actions_by_id["view.browser"].isChecked())

    def _on_loop(self) -> None:
        for page in (self.page, self._open_item()):
            if page is not None:
                page.player.set_looping(self.actions_by_id["play.loop"].isChecked())

    def _on_follow(self) -> None:
        follow = self.actions_by_id["play.follow"].isChecked()
        self._settings.change(follow=follow)
        for page in (self.page, self._open_item()):
            if page is not None:
                page.view.timeline.set_following(follow)

    def _open_item(self) -> "OpenItem | None":
        return self.seat_page.item if self.seat_page is not None else None

    def _on_dark(self) -> None:
        name = "dark" if self.actions_by_id["view.dark"].isChecked() else "light"
        self._settings.change(theme=name)
        self.set_theme(theme_named(name))

    def _focus_filter(self) -> None:
        self.project_page.browser.show()
        self.project_page.browser.filter_field.setFocus()
        self.project_page.browser.filter_field.selectAll()

    def _on_escape(self) -> None:
        if self.project is not None and self.project_page.browser.filter_field.hasFocus():
            self.project_page.browser.filter_field.clear()
        if "event.none" in self._handlers:
            self._handlers["event.none"]()

    def _open_neighbour(self, by: int) -> None:
        neighbour = self.project_page.browser.neighbour(by)
        if neighbour:
            self.open_conversation(neighbour)
        else:
            self.say("There is no other conversation that way in the list.")

    # Following the project

    def _show_conversations(self) -> "list[BrowserRow]":
        from app.workspaces.project import browser_rows

        rows = browser_rows(self.project) if self.project is not None else []
        self.project_page.browser.set_rows(rows)
        return rows

    def _on_gesture(self) -> None:
        self.kept_label.queue()
        if self.page is not None:
            self.say(self.page.session.document.undo_label or "")
            self.project_page.browser.update_labels(self.page.conversation.id, len(self.page.session.document))

    def _on_kept(self, revisions: "tuple[Revision, ...]") -> None:
        self.kept_label.keep(len(revisions))
        if self.page is not None:
            self.page.view.inspector.refresh()
        self.kept.emit(tuple(revision.id for revision in revisions))

    def _on_write_failed(self, error: FloorscopeError) -> None:
        self.kept_label.fail(str(error))
        self.messages.say(
            f"{error} Your last steps are held and not lost while this window stays open.",
            serious=True,
            button="Try again",
            call=self._retry,
        )

    def _retry(self) -> None:
        if self.project is not None:
            try:
                self.project.retry()
            except FloorscopeError as error:
                self._on_write_failed(error)

    def _on_poll(self) -> None:
        if self.project is None:
            return
        try:
            if "desk" in self.__dict__:
                self.desk.follow()
            news = self.project.poll()
            if not news.changed:
                return
            self._show_conversations()
        except FloorscopeError as error:
            self.on_error(error)
            return
        if self.page is not None:
            self.page.follow(news.revisions)

    def _on_material(self, path: Path, notices: Sequence[str], at_s: float | None) -> None:
        self.open_project(path, at_s=at_s)
        self.say(f"Labels of this audio are kept in {path}")
        self.say_notices(notices)

    def on_error(self, error: Exception) -> None:
        """Show an error that a user can act on; raise any other."""
        if not isinstance(error, FloorscopeError):
            raise error
        _log.info("said: %s", error)
        self.messages.say(str(error), serious=True)

    def _on_damage(self, path: Path, error: FloorscopeError) -> None:
        """Offer a rescue of a damaged project; show any other error."""
        from app.rescue_dialog import offer_rescue

        if not offer_rescue(self, path, error):
            self.on_error(error)

    def say(self, sentence: str) -> None:
        """Show a sentence in the status line for a while."""
        self.statusBar().showMessage(sentence, 8000)

    def refresh_state(self) -> None:
        """Look which actions can be used, and by whom."""
        page, seat = self.page, self.seat_page
        if seat is not None:
            self._handlers = seat.handlers()
            self.actions_by_id.set_usable(seat.usable())
            self._name_undo(seat.history)
            return
        event = page is not None and page.session.selected is not None
        self.actions_by_id.set_state(project=self.project is not None, conversation=page is not None, event=event)
        self._name_undo(page.session.document if page is not None else None)

    def _name_undo(self, document: "Document | AnswerHistory | None") -> None:
        for action_id, verb, label in (
            ("edit.undo", "&Undo", document.undo_label if document else None),
            ("edit.redo", "&Redo", document.redo_label if document else None),
        ):
            action = self.actions_by_id[action_id]
            action.setText(f"{verb} “{label}”" if label else verb)
            action.setEnabled(bool(label))

    def _keep_speed(self, speed: float) -> None:
        """Play the conversations opened next at this speed too, until the window is closed."""
        self._speed = speed

    def _close_page(self, *, discard: bool = False) -> None:
        if self.page is None:
            return
        self._remember_layout()
        self.page.close_page(discard=discard)
        if self._sound_banner is not None:
            self._sound_banner.withdraw()
        self.project_page.drop_page(self.page)
        self.page = None
        self._handlers = {}

    # The window itself

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files and folders."""
        if event.mimeData().hasUrls() and any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped; audio joins the project that is open."""
        from app.opening import is_pack_name, is_project

        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        event.acceptProposedAction()
        project = next((path for path in paths if is_project(path)), None)
        pack = next((path for path in paths if is_pack_name(path)), None)
        if project is not None:
            self.open_project(project)
        elif pack is not None and self.project is None:
            self.open_seat(pack)
        elif pack is not None:
            self.desk.merge([path for path in paths if is_pack_name(path)])
        elif self.project is not None:
            add_material(self, paths)
        else:
            self.open_paths(paths)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep what is under way, then close; gestures that could not be written stop it once."""
        self._remember_layout()
        if self.page is not None:
            self.page.view.commit_pending()
        if self.seat_page is not None:
            self.seat_page.commit_pending()
        if self.kept_label.under_way and not self._flush():
            answer = QMessageBox.question(
                self,
                "Not everything is kept",
                f"{self.kept_label.under_way} steps could not be written. Close and lose them?",
                QMessageBox.StandardButton.Close | QMessageBox.StandardButton.Cancel,
                QMessageBox.StandardButton.Cancel,
            )
            if answer != QMessageBox.StandardButton.Close:
                event.ignore()
                return
        self.close_project(discard=True)
        self.tasks.close()
        super().closeEvent(event)

    def _flush(self) -> bool:
        """Wait a little until all that was entered is kept."""
        if self.seat_page is not None:
            return self.seats.flush()
        return self.project is None or self.project.flush(5.0)

    def _remember_layout(self) -> None:
        layout = {
            "window": bytes(self.saveGeometry().toBase64().data()).decode(),
        }
        if self.page is not None:
            layout["project"] = self.project_page.layout_state()
            layout["label"] = self.page.view.state()
            layout["aids"] = self.page.aids.state()
        self._settings.change(layout={**self._settings.value.layout, **layout})

    def _restore_layout(self) -> None:
        layout = self._settings.value.layout
        room = self.screen().availableSize()
        self.resize(min(1440, room.width()), min(900, room.height()))
        if "window" in layout:
            self.restoreGeometry(QByteArray.fromBase64(layout["window"].encode()))
