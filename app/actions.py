"""All actions in one table: it feeds menus, tooltips, the keyboard sheet and the preferences.

An action is data; what it does is bound by the window. `when` names the state in which it can be used.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget


class When(StrEnum):
    """In which state an action can be used."""

    ALWAYS = "always"
    PROJECT = "project"
    CONVERSATION = "conversation"
    EVENT = "event"
    STUDY = "study"
    """An annotator is signed in."""


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action: shown text, default keys (the first is shown), one sentence, menu, when it is enabled."""

    id: str
    text: str
    keys: tuple[str, ...]
    tip: str
    menu: str
    when: When = When.CONVERSATION
    checkable: bool = False
    separated: bool = False
    """Whether a line stands above it in its menu."""
    on_timeline: bool = False
    """Whether its keys work while the keyboard is in the timeline only: elsewhere they move through lists."""


_P, _C, _E, _S = When.PROJECT, When.CONVERSATION, When.EVENT, When.STUDY

ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("project.new", "&New project…", ("Ctrl+N",), "Make a project file to keep labels in.", "&Project", When.ALWAYS),
    ActionSpec("project.open", "&Open…", ("Ctrl+O",), "Open a project, audio files or a folder.", "&Project", When.ALWAYS),
    ActionSpec("project.recent", "Open &recent", (), "Open a project used before.", "&Project", When.ALWAYS),
    ActionSpec("project.demo", "Open the &demo", (), "Open the conversation that ships with Floorscope.", "&Project", When.ALWAYS),
    ActionSpec("project.add_files", "&Add audio files…", ("Ctrl+Shift+O",), "Add files to this project: one a speaker, or one with several channels.", "&Project", _P, separated=True),
    ActionSpec("project.add_folder", "Add a &folder…", (), "Add every conversation found in a folder.", "&Project", _P),
    ActionSpec("project.import_events", "&Import events…", ("Ctrl+I",), "Read reference events for this conversation from RTTM or Audacity labels.", "&Project", _C),
    ActionSpec("project.speakers", "&Speakers and channels…", ("Ctrl+M",), "See and change which channel carries which speaker.", "&Project", _C),
    ActionSpec("project.scheme", "&Kinds from a scheme file…", (), "Mark with the kinds, keys and colours of a scheme file.", "&Project", When.ALWAYS),
    ActionSpec("project.shipped_scheme", "Kinds as s&hipped", (), "Mark with the six kinds of floor events again.", "&Project", When.ALWAYS),
    ActionSpec("project.backup", "&Back up now", (), "Write and verify a backup beside the project.", "&Project", _P, separated=True),
    ActionSpec("project.check", "&Check the project", (), "Check the file, its audio and its backups.", "&Project", _P),
    ActionSpec("project.locate", "&Locate missing audio…", (), "Find audio that was moved, from one file or folder.", "&Project", _P, separated=True),
    ActionSpec("project.collect", "Collec&t audio", (), "Copy all audio, verified, into a folder beside the project and use the copies.", "&Project", _P),
    ActionSpec("project.forget", "Remove a &person’s work…", (), "Remove what one person entered, for good, from the project and its backups.", "&Project", _P),
    ActionSpec("project.rescue", "&Rescue into a new file…", (), "Make a new project of all that this one and its backups hold.", "&Project", _P),
    ActionSpec("app.preferences", "Prefere&nces…", ("Ctrl+,",), "Theme, text size, sound device and keys.", "&Project", When.ALWAYS, separated=True),
    ActionSpec("app.quit", "&Quit", ("Ctrl+Q",), "Close Floorscope; everything shown as kept is kept.", "&Project", When.ALWAYS),
    ActionSpec("edit.undo", "&Undo", ("Ctrl+Z",), "Take back the last step in this conversation.", "&Edit"),
    ActionSpec("edit.redo", "&Redo", ("Ctrl+Shift+Z", "Ctrl+Y"), "Bring back the step undone last.", "&Edit"),
    ActionSpec("event.next", "&Next event", ("N",), "Select the next event and go to its onset.", "&Edit", separated=True),
    ActionSpec("event.previous", "&Previous event", ("P",), "Select the previous event and go to its onset.", "&Edit"),
    ActionSpec("event.none", "Select n&othing", ("Escape",), "Select no event and no stretch.", "&Edit"),
    ActionSpec("event.onset_here", "&Onset to the cursor", ("[",), "Move the onset of the selected event to the cursor.", "&Edit", _E, separated=True),
    ActionSpec("event.offset_here", "O&ffset to the cursor", ("]",), "Move the offset of the selected event to the cursor.", "&Edit", _E),
    ActionSpec("event.edge", "&Edge to nudge", ("E",), "Choose what the nudge keys move: onset, offset or the whole event.", "&Edit", _E),
    ActionSpec("nudge.back_10", "Nudge 10 ms earlier", ("Alt+Left",), "Move the chosen edge 10 ms earlier.", "&Edit/Nud&ge", _E),
    ActionSpec("nudge.forth_10", "Nudge 10 ms later", ("Alt+Right",), "Move the chosen edge 10 ms later.", "&Edit/Nud&ge", _E),
    ActionSpec("nudge.back_1", "Nudge 1 ms earlier", ("Ctrl+Alt+Left",), "Move the chosen edge 1 ms earlier.", "&Edit/Nud&ge", _E),
    ActionSpec("nudge.forth_1", "Nudge 1 ms later", ("Ctrl+Alt+Right",), "Move the chosen edge 1 ms later.", "&Edit/Nud&ge", _E),
    ActionSpec("nudge.back_100", "Nudge 100 ms earlier", ("Alt+Shift+Left",), "Move the chosen edge 100 ms earlier.", "&Edit/Nud&ge", _E),
    ActionSpec("nudge.forth_100", "Nudge 100 ms later", ("Alt+Shift+Right",), "Move the chosen edge 100 ms later.", "&Edit/Nud&ge", _E),
    ActionSpec("event.snap", "Snap to s&peech", ("Q",), "Move the edges of the selected event to where speech begins and ends, within 0.2 s.", "&Edit", _E),
    ActionSpec("edit.snap", "Snap dra&gged edges to speech", ("Shift+Q",), "Draw edges to where speech begins and ends while dragging; Shift held lets go.", "&Edit", checkable=True),
    ActionSpec("event.split", "&Split at the cursor", ("X",), "Cut the selected event in two at the cursor.", "&Edit", _E),
    ActionSpec("event.merge", "&Merge with the next", ("M",), "Join the selected event with the next one on its lane.", "&Edit", _E),
    ActionSpec("event.delete", "&Delete", ("Delete", "Backspace"), "Delete the selected event.", "&Edit", _E),
    ActionSpec("event.comment", "&Comment", ("C",), "Write a comment on the selected event; Escape comes back.", "&Edit", _E),
    *(
        ActionSpec(
            f"holder.{which}_{number}",
            f"Holder {which}: {'nobody' if number == 0 else f'speaker {number}'}",
            (f"{'Ctrl' if which == 'before' else 'Alt'}+{number}",),
            f"Say that {'nobody' if number == 0 else f'speaker {number}'} holds the floor {which} the selected event.",
            "&Edit/Floor &holder",
            _E,
        )
        for which in ("before", "after")
        for number in range(10)
    ),
    ActionSpec("play.toggle", "&Play or pause", ("Space",), "Play from the cursor, or pause.", "&Sound"),
    ActionSpec("play.selection", "Play the &selection", ("Shift+Space",), "Play the selected stretch, or the selected event.", "&Sound"),
    ActionSpec("play.end", "Play the last second before the &end", ("Ctrl+Space",), "Play the last second before the end edge of the selection.", "&Sound"),
    ActionSpec("play.onset", "Play the first second from the &onset", ("Ctrl+Shift+Space",), "Play the first second from the onset of the selection.", "&Sound"),
    ActionSpec("play.loop", "&Loop", ("L",), "Play the stretch again and again until this is switched off.", "&Sound", checkable=True),
    ActionSpec("play.follow", "&Follow the cursor", ("F",), "Turn the page when the cursor leaves the window.", "&Sound", checkable=True),
    ActionSpec("play.slower", "Slo&wer", ("J",), "Play slower, down to half the speed, with the pitch kept.", "&Sound", separated=True),
    ActionSpec("play.faster", "F&aster", ("K",), "Play faster, up to twice the speed, with the pitch kept.", "&Sound"),
    ActionSpec("play.normal", "As &recorded", ("H",), "Play at the speed of the recording.", "&Sound"),
    ActionSpec("sound.device", "Sound &device…", (), "Choose where the sound goes, and list the devices anew.", "&Sound", When.ALWAYS, separated=True),
    ActionSpec("sound.delay", "Measure the dela&y of the device…", (), "Tap on a steady click to measure how much later than it reports the sound device is heard.", "&Sound", When.ALWAYS),
    ActionSpec("lane.solo", "S&olo the active lane", ("S",), "Hear only this speaker (and others on solo).", "&Sound", separated=True),
    ActionSpec("lane.mute", "&Mute the active lane", ("U",), "Silence this speaker.", "&Sound"),
    ActionSpec("cursor.back", "Cursor 0.1 s back", ("Left",), "Move the cursor 0.1 s back.", "&View/&Cursor", on_timeline=True),
    ActionSpec("cursor.forth", "Cursor 0.1 s on", ("Right",), "Move the cursor 0.1 s on.", "&View/&Cursor", on_timeline=True),
    ActionSpec("cursor.back_far", "Cursor 1 s back", ("Shift+Left",), "Move the cursor 1 s back.", "&View/&Cursor", on_timeline=True),
    ActionSpec("cursor.forth_far", "Cursor 1 s on", ("Shift+Right",), "Move the cursor 1 s on.", "&View/&Cursor", on_timeline=True),
    ActionSpec("cursor.start", "Cursor to the start", ("Home",), "Move the cursor to the start.", "&View/&Cursor", on_timeline=True),
    ActionSpec("cursor.end", "Cursor to the end", ("End",), "Move the cursor to the end.", "&View/&Cursor", on_timeline=True),
    ActionSpec("lane.up", "Lane above", ("Up",), "Make the lane above the active one.", "&View/&Cursor", on_timeline=True),
    ActionSpec("lane.down", "Lane below", ("Down",), "Make the lane below the active one.", "&View/&Cursor", on_timeline=True),
    ActionSpec("view.zoom_in", "Zoom &in", ("+", "="), "See a shorter stretch; also Ctrl and the wheel.", "&View"),
    ActionSpec("view.zoom_out", "Zoom &out", ("-",), "See a longer stretch; also Ctrl and the wheel.", "&View"),
    ActionSpec("view.zoom_selection", "Zoom to the &selection", ("Z",), "Fill the window with the selected stretch or event.", "&View"),
    ActionSpec("view.zoom_all", "Zoom to &all", ("Shift+Z",), "See the whole recording.", "&View"),
    ActionSpec("view.page_back", "Page &back", ("PgUp",), "Show the stretch before.", "&View", on_timeline=True),
    ActionSpec("view.page_forth", "Page &on", ("PgDown",), "Show the stretch after.", "&View", on_timeline=True),
    ActionSpec("view.gain_up", "Taller &waves", ("Shift+Up",), "Raise the vertical gain of the active lane; the sound stays as it is.", "&View", on_timeline=True),
    ActionSpec("view.gain_down", "Lower wa&ves", ("Shift+Down",), "Lower the vertical gain of the active lane; the sound stays as it is.", "&View", on_timeline=True),
    ActionSpec("view.lanes_higher", "&Higher lanes", ("Ctrl+Shift+Up",), "Draw sound higher; lanes that do not fit are scrolled.", "&View"),
    ActionSpec("view.lanes_lower", "Lo&wer lanes", ("Ctrl+Shift+Down",), "Draw sound less high, down to where all lanes share the window.", "&View"),
    ActionSpec("view.spectrogram", "Spectro&grams", ("G",), "Show or hide which frequencies sound, on every lane.", "&View", checkable=True, separated=True),
    ActionSpec("lane.spectrogram", "Spectrogram of the active lane", ("Shift+G",), "Show or hide the spectrogram of one lane.", "&View"),
    ActionSpec("view.speech", "S&peech activity", ("A",), "Show where a model hears speech, on every lane; edges can be snapped to it.", "&View", checkable=True),
    ActionSpec("view.table", "Go to the &table", ("T",), "Put the keyboard into the table of events.", "&View", separated=True),
    ActionSpec("view.timeline", "Go to the time&line", ("Shift+T",), "Put the keyboard into the timeline.", "&View"),
    ActionSpec("view.browser", "&Conversations", ("Ctrl+B",), "Show or hide the list of conversations.", "&View", _P, checkable=True),
    ActionSpec("view.filter", "&Find a conversation", ("Ctrl+F",), "Filter the list of conversations.", "&View", _P),
    ActionSpec("view.next_conversation", "Next conversation", ("Ctrl+PgDown",), "Open the next conversation in the list.", "&View", _P),
    ActionSpec("view.previous_conversation", "Previous conversation", ("Ctrl+PgUp",), "Open the previous conversation in the list.", "&View", _P),
    ActionSpec("view.dark", "&Dark theme", ("Ctrl+Shift+D",), "Switch between the light and the dark theme.", "&View", When.ALWAYS, checkable=True),
    ActionSpec("study.annotate", "&Annotate…", (), "Sign in as an annotator of this project’s study, or open a pack.", "&Study", When.ALWAYS),
    ActionSpec("study.sign_out", "Sign &out", (), "Leave the study; all that is shown as kept is there the next time.", "&Study", _S),
    ActionSpec("study.submit", "&Submit", ("Ctrl+Return",), "Hand this answer in and go on to the next item; Enter does it too outside of text.", "&Study", _S, separated=True),
    ActionSpec("study.cannot_tell", "&Cannot tell…", ("D",), "Say why no kind can be given; such an answer needs nothing else.", "&Study", _S),
    ActionSpec("study.surer", "&More certain", (".",), "Raise the confidence, 1 (a guess) to 5 (certain).", "&Study", _S),
    ActionSpec("study.less_sure", "&Less certain", (",",), "Lower the confidence, 1 (a guess) to 5 (certain).", "&Study", _S),
    ActionSpec("study.comment", "Co&mment on the item", ("Ctrl+Shift+C",), "Write a comment on this item.", "&Study", _S),
    ActionSpec("study.answer", "Go to the ans&wer", ("R",), "Put the keyboard into the answer beside the lanes.", "&Study", _S),
    ActionSpec("study.cue", "Go to the c&ue", ("I",), "Move the cursor to a second before the cue and show it.", "&Study", _S),
    ActionSpec("study.back", "Go &back…", ("B",), "Open one of the last ten items again.", "&Study", _S, separated=True),
    ActionSpec("study.break", "&Take a break", ("Ctrl+Shift+B",), "Stop the clock and the sound until you come back.", "&Study", _S),
    ActionSpec("study.guidelines", "&Guidelines", ("Ctrl+G",), "Show what is asked, and how the kinds are defined.", "&Study", _S),
    ActionSpec("study.lead", "&Lead’s page", (), "See how far each annotator is, and look after the study.", "&Study", _P, separated=True),
    ActionSpec("study.new", "&New study…", (), "Choose items, annotators and repeats, see the workload, and draw a study.", "&Study", _P),
    ActionSpec("study.merge", "Merge pac&ks…", (), "Bring home what was answered in packs; what is known already is skipped.", "&Study", _P),
    ActionSpec("study.submissions", "Submiss&ions…", (), "See what was handed in, and send one back with a note.", "&Study", _P),
    ActionSpec("study.extend", "E&xtend the study…", (), "Draw items that came to the project since; nothing that exists changes.", "&Study", _P),
    ActionSpec("study.lock", "Passp&hrase…", (), "Ask for a passphrase before the lead’s page: a courtesy lock.", "&Study", _P),
    ActionSpec("study.pack", "Write a &pack…", (), "Write one annotator’s items and sound into a file for another machine.", "&Study", _P, separated=True),
    ActionSpec("study.open_as", "Op&en as this annotator", (), "Open the annotator’s page on the seat chosen on the lead’s page.", "&Study", _P),
    ActionSpec("study.replace", "&Replace this annotator…", (), "Give the seat chosen on the lead’s page to somebody else.", "&Study", _P),
    ActionSpec("study.leave", "Back to the con&versations", (), "Leave the lead’s page.", "&Study", _P),
    ActionSpec("help.keys", "&Keyboard sheet", ("?", "F1"), "See every key at a glance.", "&Help", When.ALWAYS),
    ActionSpec("help.about", "&About Floorscope", (), "Version, licence and where this project keeps its data.", "&Help", When.ALWAYS),
)  # fmt: skip


def plain_text(text: str) -> str:
    """Return an action's text without its mnemonic."""
    return text.replace("&", "").rstrip("…")


def key_text(sequence: str) -> str:
    """Return a key sequence as it is printed on this platform."""
    return QKeySequence(sequence).toString(QKeySequence.SequenceFormat.NativeText)


def keys_of(spec: ActionSpec, remapped: Mapping[str, str]) -> tuple[str, ...]:
    """Return the keys in force: the user's own where one is set (an empty one means none), else the defaults."""
    own = remapped.get(spec.id)
    if own is None:
        return spec.keys
    return (own,) if own else ()


def conflict(action_id: str, key: str, remapped: Mapping[str, str], reserved: Mapping[str, str]) -> str | None:
    """Return what already uses a key, in words, or None.

    Parameters
    ----------
    reserved
        Keys of the scheme's kinds with their names: they are taken as well.
    """
    wanted = QKeySequence(key).toString()
    for spec in ACTIONS:
        if spec.id != action_id and any(QKeySequence(k).toString() == wanted for k in keys_of(spec, remapped)):
            return plain_text(spec.text)
    return next((f"kind {name}" for k, name in reserved.items() if QKeySequence(k).toString() == wanted), None)


class ActionSet:
    """The window's QActions, one a row of the table."""

    def __init__(self, *, parent: QWidget, remapped: Mapping[str, str]) -> None:
        self._specs = {spec.id: spec for spec in ACTIONS}
        self._actions = {spec.id: QAction(spec.text, parent) for spec in ACTIONS}
        for spec in ACTIONS:
            action = self._actions[spec.id]
            action.setCheckable(spec.checkable)
            if spec.on_timeline:
                action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            else:
                parent.addAction(action)
        self.set_keys(remapped)

    def timeline_actions(self) -> list[QAction]:
        """Return the actions whose keys belong to the timeline: whoever owns it adds them to it."""
        return [self._actions[spec.id] for spec in ACTIONS if spec.on_timeline]

    def __getitem__(self, action_id: str) -> QAction:
        return self._actions[action_id]

    def set_keys(self, remapped: Mapping[str, str]) -> None:
        """Give every action its keys, and a tooltip that names them."""
        for spec in ACTIONS:
            keys = keys_of(spec, remapped)
            action = self._actions[spec.id]
            action.setShortcuts([QKeySequence(key) for key in keys])
            shown = f" ({key_text(keys[0])})" if keys else ""
            action.setToolTip(f"{plain_text(spec.text)}{shown}\n{spec.tip}")
            action.setStatusTip(spec.tip)

    def bind(self, handlers: Mapping[str, Callable[[], object]]) -> None:
        """Let actions call what they do.

        Raises
        ------
        KeyError
            If a handler names no action.
        """
        for action_id, handler in handlers.items():
            self._actions[action_id].triggered.connect(lambda _=False, call=handler: call())

    def set_state(self, *, project: bool, conversation: bool, event: bool) -> None:
        """Enable what can be used now in a project."""
        states = {
            When.ALWAYS: True,
            When.PROJECT: project,
            When.CONVERSATION: conversation,
            When.EVENT: event,
            When.STUDY: False,
        }
        for action_id, action in self._actions.items():
            action.setEnabled(states[self._specs[action_id].when])

    def set_usable(self, action_ids: Collection[str]) -> None:
        """Enable these beside what can always be used, and nothing else: what an annotator sees is not a project."""
        for action_id, action in self._actions.items():
            action.setEnabled(self._specs[action_id].when is When.ALWAYS or action_id in action_ids)
