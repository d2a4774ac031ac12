"""What the Project and Help menus ask of a person before they do something."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox

from annotation.errors import FloorscopeError
from annotation.scheme import Scheme, SchemeError, scheme_from_file
from app.actions import conflict
from app.project_host import ProjectHost
from app.settings import account_name, cache_folder, config_folder, data_folder
from app.sound_dialogs import list_devices_anew, measure_delay

_AUDIO = "*.wav *.flac *.mp3 *.ogg *.oga *.opus *.aif *.aiff *.aifc"
AUDIO_FILTER = f"Audio ({_AUDIO});;All files (*)"
ANYTHING_FILTER = f"Projects and audio (*.floorscope {_AUDIO});;All files (*)"
PROJECT_FILTER = "Floorscope project (*.floorscope)"
SCHEME_FILTER = "Scheme (*.json);;All files (*)"
EVENTS_FILTER = "Events (*.rttm *.txt *.json);;All files (*)"


def add_material(window: ProjectHost, paths: Sequence[Path]) -> None:
    """Read audio in the background and add it to the window's project."""
    from annotation.corpus import Corpus, read_corpus
    from app.opening import notices_of, require_conversations

    project, cache = window.project, window.audio_cache
    if project is None or not paths:
        return

    def finish(corpus: Corpus) -> None:
        if window.project is not project:
            return
        try:
            require_conversations(corpus, paths)
            report = project.add(corpus.conversations)
        except FloorscopeError as error:
            window.on_error(error)
            return
        refused = [f"Refused: {notice.where}: {notice.message}" for notice in report.refused]
        known = [f"{name} is in the project already." for name in report.already_there]
        window.refresh_project([*refused, *notices_of(corpus), *known])

    window.tasks.submit(
        f"Reading {paths[0].name}",
        lambda token, progress: read_corpus(paths, cache=cache, cancel=token, progress=progress),
        on_done=finish,
        on_error=window.on_error,
    )


def usable_scheme(path: Path, remapped: Mapping[str, str]) -> Scheme:
    """Return the scheme in a file whose keys no action of the window has.

    Raises
    ------
    SchemeError
        If the file is no scheme, or a kind has the key of an action.
    """
    scheme = scheme_from_file(path)
    for kind in scheme.kinds:
        taken = conflict("", kind.key, remapped, {})
        if taken:
            raise SchemeError(
                f"The key “{kind.key}” of “{kind.name}” is the key of “{taken}”.",
                where=str(path),
                remedy="Give the kind another key, or change that action’s under Preferences, Keys.",
            )
    return scheme


class ProjectDialogs:
    """The dialogs of one window."""

    def __init__(self, *, window: ProjectHost) -> None:
        self._window = window

    def new_project(self) -> None:
        """Ask where, make an empty project and open it."""
        from annotation.project.project import Project

        name, _ = QFileDialog.getSaveFileName(self._window.widget, "New project", "", PROJECT_FILTER)
        if name:
            path = Path(name if name.endswith(".floorscope") else f"{name}.floorscope")
            Project.create(path).close()
            self._window.open_project(path)

    def open_anything(self) -> None:
        """Ask for a project or audio files and open them."""
        names, _ = QFileDialog.getOpenFileNames(self._window.widget, "Open", "", ANYTHING_FILTER)
        if names:
            self._window.open_paths([Path(name) for name in names])

    def add_files(self) -> None:
        """Ask for audio files and add them to the project."""
        names, _ = QFileDialog.getOpenFileNames(self._window.widget, "Add audio files", "", AUDIO_FILTER)
        add_material(self._window, [Path(name) for name in names])

    def add_folder(self) -> None:
        """Ask for a folder and add the conversations in it to the project."""
        name = QFileDialog.getExistingDirectory(self._window.widget, "Add a folder")
        if name:
            add_material(self._window, [Path(name)])

    def import_events(self) -> None:
        """Ask for an event file, and for whom its speakers are, and add it as a reference source."""
        from app.import_dialog import import_events

        name, _ = QFileDialog.getOpenFileName(self._window.widget, "Import events", "", EVENTS_FILTER)
        if name:
            import_events(self._window, Path(name))

    def choose_scheme(self) -> None:
        """Ask for a scheme file and mark with its kinds.

        Raises
        ------
        SchemeError
            If the file is no scheme, or one of its keys is taken.
        """
        name, _ = QFileDialog.getOpenFileName(self._window.widget, "Kinds from a scheme file", "", SCHEME_FILTER)
        if name:
            usable_scheme(Path(name), self._window.settings.value.keys)
            self._window.use_scheme(name)

    def edit_speakers(self) -> None:
        """Show the mapping of channels to speakers and keep what is changed."""
        from app.speakers_dialog import SpeakersDialog

        window = self._window
        project, page = window.project, window.page
        if project is None or page is None:
            return
        history = project.mapping_history(page.conversation.id)
        dialog = SpeakersDialog(
            imported=project.imported(page.conversation.id),
            assignments=history[-1].assignments if history else (),
            labels=len(page.session.document),
            parent=window.widget,
        )
        if dialog.exec():
            project.assign(page.conversation.id, dialog.assignments, window.person)
            window.refresh_project()

    def back_up(self) -> None:
        """Write a verified backup and say where."""
        project = self._window.project
        if project is not None:
            written = project.backup()
            self._window.say(
                f"Backup written and verified: {written}" if written else "The last backup holds all of this already."
            )

    def check(self) -> None:
        """Check the project in the background and show the report."""
        from app.check_report import sentences

        window = self._window
        project = window.project
        if project is None:
            return
        window.tasks.submit(
            "Checking the project",
            project.check,
            on_done=lambda report: self._show_report(sentences(report), ok=report.ok),
            on_error=window.on_error,
        )

    def locate(self) -> None:
        """Find missing audio from one file or folder."""
        from app.locate_dialog import locate_audio

        locate_audio(self._window)

    def forget(self) -> None:
        """Remove what a person entered, after asking for the name."""
        from app.removal_dialog import remove_work

        remove_work(self._window)

    def collect(self) -> None:
        """Copy all audio into a folder beside the project, in the background."""
        from annotation.project.collect import CollectReport
        from app.media_report import collect_sentences

        window = self._window
        project = window.project
        if project is None:
            return

        def finish(report: CollectReport) -> None:
            if window.project is project:
                window.refresh_project(collect_sentences(report))

        window.tasks.submit("Collecting audio", project.collect, on_done=finish, on_error=window.on_error)

    def rescue(self) -> None:
        """Look at what could be rescued of this project and its backups, and offer to write it."""
        from app.rescue_dialog import offer_rescue

        if self._window.project is not None:
            offer_rescue(self._window, self._window.project.path)

    def _show_report(self, lines: Sequence[str], *, ok: bool) -> None:
        box = QMessageBox(self._window.widget)
        box.setWindowTitle("Check of the project")
        box.setIcon(QMessageBox.Icon.Information if ok else QMessageBox.Icon.Warning)
        box.setText("Everything is in order." if ok else "Something needs attention.")
        box.setInformativeText("\n".join(lines))
        box.open()

    def preferences(self, *, sound: bool = False) -> None:
        """Show the preferences, or at once their page of the sound device, and put changes into force."""
        from app.playback.devices import present_devices
        from app.preferences import Preferences
        from app.sound_page import SoundPage
        from app.storage_page import StoragePage

        window = self._window
        settings = window.settings
        dialog = Preferences(
            settings=settings.value,
            sound=SoundPage(
                devices=present_devices(),
                device=settings.value.device,
                corrections_ms=settings.value.corrections_ms,
                list_anew=partial(list_devices_anew, window),
                measure=partial(measure_delay, window),
            ),
            storage=StoragePage(cache=window.audio_cache, cache_gb=settings.value.cache_gb, emptied=window.say),
            reserved=window.scheme_keys,
            account=account_name(),
            parent=window.widget,
        )
        if sound:
            dialog.show_sound()
        if dialog.exec() and dialog.changes:
            settings.change(**dialog.changes)
            window.apply_settings(frozenset(dialog.changes))

    def sound_device(self) -> None:
        """Show the sound device in the preferences."""
        self.preferences(sound=True)

    def measure_delay(self) -> None:
        """Measure the delay of the sound device by taps."""
        measure_delay(self._window, self._window.settings.value.device)

    def keyboard_sheet(self) -> None:
        """Show every key."""
        from app.keyboard_sheet import KeyboardSheet

        window = self._window
        KeyboardSheet(scheme=window.scheme, remapped=window.settings.value.keys, parent=window.widget).show()

    def about(self) -> None:
        """Say the version and where data is kept."""
        from importlib.metadata import version  # imports the email package: not at start

        QMessageBox.about(
            self._window.widget,
            "About Floorscope",
            f"<h3>Floorscope {version('floorscope')}</h3><p>Apache License 2.0</p>"
            f"<p>Settings: {config_folder()}<br>Cache: {cache_folder()}"
            f"<br>Projects of opened audio: {data_folder()}</p>",
        )
