"""Bringing events in: which recording of the file, and who its speakers are."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QLabel, QVBoxLayout, QWidget

from annotation.conversation import Conversation
from annotation.errors import FloorscopeError
from annotation.formats.catalogue import event_format_of
from annotation.formats.event_format import ParsedEvent, ParsedEvents, place_events
from annotation.sources import EventSource, ImportedConversation, SourceRole
from app.project_host import ProjectHost

LEFT_OUT = ""


class UnknownEventsError(FloorscopeError):
    """A file whose events cannot be brought in."""

    code = "import"


def likely_speaker(name: str, conversation: Conversation) -> str:
    """Return the speaker whose id or shown name equals a file's name for one, else an empty string."""
    for channel in conversation.channels:
        if name.lower() in (channel.speaker.lower(), channel.display_name.lower()):
            return channel.speaker
    return LEFT_OUT


def assigned(events: Sequence[ParsedEvent], speakers: Mapping[str, str]) -> tuple[ParsedEvent, ...]:
    """Return the events of the speakers that are assigned, under the ids assigned to them."""
    return tuple(replace(e, speaker=speakers[e.speaker]) for e in events if speakers.get(e.speaker))


class ImportDialog(QDialog):
    """Asks which recording and which speakers are meant; nothing is guessed but equal names, and those are shown."""

    def __init__(self, *, parsed: ParsedEvents, conversation: Conversation, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Import events")
        self._parsed = parsed
        self._conversation = conversation
        self._boxes: dict[str, QComboBox] = {}
        self._recording = QComboBox()
        for name, events in parsed.recordings.items():
            self._recording.addItem(f"{name or 'unnamed'} ({len(events)} events)", name)
        own = self._recording.findData(conversation.id)
        self._recording.setCurrentIndex(max(own, 0))
        self._form = QFormLayout()
        note = QLabel(f"{len(parsed.notices)} lines were read with a notice." if parsed.notices else "")
        note.setWordWrap(True)
        if not parsed.notices:
            note.hide()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self._ok = buttons.button(QDialogButtonBox.StandardButton.Ok)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        top = QFormLayout()
        top.addRow("&Recording in the file", self._recording)
        column.addLayout(top)
        column.addWidget(QLabel("Whose lane do the file's speakers go to?"))
        column.addLayout(self._form)
        column.addWidget(note)
        column.addWidget(buttons)
        self._recording.activated.connect(lambda _: self._show_speakers())
        self._show_speakers()

    @property
    def events(self) -> tuple[ParsedEvent, ...]:
        """The events of the chosen recording, under the conversation's speakers."""
        speakers = {name: box.currentData() for name, box in self._boxes.items()}
        return assigned(self._parsed.recordings[self._recording.currentData()], speakers)

    def _show_speakers(self) -> None:
        while self._form.rowCount():
            self._form.removeRow(0)
        self._boxes.clear()
        events = self._parsed.recordings[self._recording.currentData()]
        for name in sorted({event.speaker for event in events}):
            box = QComboBox()
            box.addItem("leave out", LEFT_OUT)
            for channel in self._conversation.channels:
                box.addItem(channel.display_name, channel.speaker)
            box.setCurrentIndex(box.findData(likely_speaker(name, self._conversation)))
            count = sum(event.speaker == name for event in events)
            self._form.addRow(f"{name or 'no name'} ({count})", box)
            self._boxes[name] = box
            box.currentIndexChanged.connect(lambda _: self._show_count())
        self._show_count()

    def _show_count(self) -> None:
        """Let nothing be added while nobody is assigned."""
        count = len(self.events)
        self._ok.setEnabled(count > 0)
        self._ok.setText(f"Add {count} events" if count else "Nobody is assigned")


def import_events(window: ProjectHost, path: Path) -> None:
    """Read a file, ask whose events they are, and add them as a reference source of the open conversation.

    Raises
    ------
    FloorscopeError
        If no known format fits, or the file has no event.
    """
    project, page = window.project, window.page
    if project is None or page is None:
        return
    event_format = event_format_of(path)
    if event_format is None:
        raise UnknownEventsError("No format of events that is known fits this file.", where=str(path))
    parsed = event_format.read(path)
    if not any(parsed.recordings.values()):
        first = f" {parsed.notices[0].message}" if parsed.notices else ""
        raise UnknownEventsError(f"There is no event in this file.{first}", where=str(path))
    dialog = ImportDialog(parsed=parsed, conversation=page.conversation, parent=window.widget)
    if not dialog.exec():
        return
    placed = place_events(
        dialog.events, page.conversation, source=f"{path.name}#{event_format.name}", origin=path, unnamed_speaker=""
    )
    source = EventSource(path.stem, SourceRole.IMPORTED, str(path), placed.events)
    report = project.add([ImportedConversation(project.imported(page.conversation.id), (source,))])
    notices = [f"{n.where}: {n.message}" for n in (*report.refused, *parsed.notices, *placed.notices)]
    if report.sources_added:
        notices.insert(0, f"{len(placed.events)} events were added from {path.name}.")
    elif not report.refused:
        notices.insert(0, f"The events of {path.name} are in the project already.")
    window.refresh_project(notices)
