"""The annotate page: an annotator's way through a study, item by item, blind to all the rest.

Nothing on the page tells an item met before from one that was not: each opens in a view of its own with the same zoom,
the cursor at 0 and the same time to load, and goes with it (PROTOCOLS, blindness).
"""

import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QMenu,
    QProgressBar,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from annotation.errors import FloorscopeError
from annotation.study.answers import AnswerHistory
from annotation.study.clips import ClipSound
from annotation.study.presentation import Presentation
from annotation.study.store import AnnotatorStore
from app.actions import ActionSet
from app.tasks import TaskRunner
from app.workspaces import annotate_cards
from app.workspaces.annotate_item import OpenItem
from app.workspaces.clip_shelf import ClipShelf, SoundLibrary
from widgets.annotate.cards import Card, CardText
from widgets.annotate.guidelines import guidelines_browser
from widgets.theme import Theme

_log = logging.getLogger(__name__)
ON_CARDS = ("study.sign_out", "study.back", "study.guidelines", "view.dark")
ON_ITEMS = (*ON_CARDS, "study.break", "play.loop", "play.follow")


class AnnotatePage(QWidget):
    """Leads through the items of one seat.

    Parameters
    ----------
    store
        The seat; the page closes it.
    pack
        Whether it is a pack, to be given back at the end.
    device, corrections_ms, speed
        How sound is played, as for the label page.

    Signals
    -------
    said(str), trouble(str), hint(str)
        A sentence for the status line; one for the message bar; one that can wait behind all others.
    gesture()
        A step was drawn and handed to the writer.
    state_changed()
        What actions can be used may have changed.
    item_opened(object), item_closed()
        An `OpenItem` was opened, or gave way.
    device_chosen(str)
        Another sound device was chosen; empty for the system's default.
    left()
        The annotator signs out.
    """

    said = Signal(str)
    trouble = Signal(str)
    hint = Signal(str)
    gesture = Signal()
    state_changed = Signal()
    item_opened = Signal(object)
    item_closed = Signal()
    device_chosen = Signal(str)
    left = Signal()

    def __init__(
        self,
        *,
        store: AnnotatorStore,
        library: SoundLibrary,
        tasks: TaskRunner,
        actions: ActionSet,
        theme: Theme,
        pack: bool = False,
        device: str = "",
        corrections_ms: Mapping[str, float] | None = None,
        speed: float = 1.0,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._actions = actions
        self._theme = theme
        self._pack = pack
        self._device = device
        self._corrections_ms = dict(corrections_ms or {})
        self._speed = speed
        self.about = store.about()
        self.shelf = ClipShelf(library=library, tasks=tasks)
        self.item: OpenItem | None = None
        self.card: Card | None = None
        self._wanted = ""
        self._told = ""
        self._calibration = store.calibration()
        self._head = _Head(actions=actions)
        self._stack = QStackedWidget()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._head)
        column.addWidget(self._stack, 1)

    def start(self) -> None:
        """Show how things stand, and read the sound of the item at which the annotator stopped."""
        if self._store.read_only_reason:
            self.trouble.emit(self._store.read_only_reason)
        if self._store.progress().on_break:
            self._show_card(annotate_cards.on_break("", self._store.progress()))
        else:
            self._show_card(annotate_cards.welcome(self.about, self._store.progress(), self._calibration))
        self._prefetch("")

    def commit_pending(self) -> None:
        """Hand what is being typed to the writer."""
        if self.item is not None and not self.item.session.history.frozen:
            self.item.view.commit_pending()

    def close_page(self) -> None:
        """Let the item go; what was typed is handed to the writer."""
        if self.item is not None:
            self.item.rest()
        self._drop()
        self.shelf.close()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._theme = theme
        if self.item is not None:
            self.item.set_theme(theme)

    def choose_device(self, name: str, corrections_ms: Mapping[str, float]) -> None:
        """Play on another device, with these corrections, from now on."""
        self._device, self._corrections_ms = name, dict(corrections_ms)
        if self.item is not None:
            self.item.player.set_corrections(corrections_ms)
            if self.item.bar.device != name:
                self.item.player.choose_device(name)
                self.item.bar.show_device(name)

    @property
    def history(self) -> AnswerHistory | None:
        """The answer that is worked on now."""
        return self.item.session.history if self.item is not None and self.card is None else None

    def usable(self) -> frozenset[str]:
        """Return the actions that can be used now."""
        if self.item is None or self.card is not None:
            return frozenset(ON_CARDS)
        return frozenset((*ON_ITEMS, *self.item.handlers()))

    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """Return what each action does now."""
        handlers: dict[str, Callable[[], object]] = {
            "study.sign_out": self.left.emit,
            "study.back": self.go_back,
            "study.guidelines": self.show_guidelines,
            "study.break": self.begin_break,
        }
        if self.item is not None and self.card is None:
            handlers.update(self.item.handlers())
        return handlers

    # The way through the study

    def open_next(self, *, after: str = "") -> None:
        """Open the next item that waits for an answer, or say that all is done."""
        presentation = self._store.next_presentation(after)
        if presentation is None:
            self._drop()
            self._show_card(annotate_cards.finished(self._store.progress(), pack=self._pack))
        else:
            self.open(presentation)

    def open(self, presentation: Presentation) -> None:
        """Open an item: at once where its sound is ready."""
        self._drop()
        self._wanted = presentation.id
        sound = self.shelf.take(presentation.id)
        if sound is not None:
            self._show_item(presentation, sound)
            return
        self._show_card(annotate_cards.loading())
        self.shelf.want(presentation.id, partial(self._take, presentation), partial(self._on_unreadable, presentation))

    def begin_break(self) -> None:
        """Stop clock and sound until the annotator goes on."""
        if self.item is not None and self.card is None:
            self.item.rest()
            self._store.begin_break()
            since = f"{datetime.now().astimezone():%H:%M}"
            self._show_card(annotate_cards.on_break(since, self._store.progress()))

    def go_back(self) -> None:
        """Let the annotator choose one of the last items, those that were sent back first."""
        menu = QMenu(self)
        menu.setAccessibleName("Items to go back to")
        for words, presentation in self._places_back():
            menu.addAction(words.replace("&", "&&")).triggered.connect(
                lambda _=False, id=presentation: self._open_id(id)
            )
        if menu.isEmpty():
            menu.addAction("No item has been handed in yet.").setEnabled(False)
        menu.popup(self._head.back.mapToGlobal(self._head.back.rect().bottomLeft()))
        menu.setActiveAction(menu.actions()[0])

    def show_guidelines(self) -> None:
        """Show the guidelines, beside the item where one is open."""
        if self.item is not None and self.card is None:
            self.item.view.show_guidelines()
            return
        dialog = QDialog(self)
        dialog.setWindowTitle("Guidelines")
        dialog.resize(self.fontMetrics().averageCharWidth() * 90, self.fontMetrics().height() * 32)
        QVBoxLayout(dialog).addWidget(guidelines_browser(self.about.guidelines, self.about.scheme))
        dialog.open()

    # Inside

    def _open_id(self, presentation: str) -> None:
        try:
            self.open(self._store.presentation(presentation))
        except FloorscopeError as error:
            self.trouble.emit(str(error))

    def _places_back(self) -> list[tuple[str, str]]:
        """Return what one can go back to, in words, with ids; the words tell nothing but the way back and the kind."""
        recent = list(self._store.recent())
        first = self._store.next_presentation()
        if first is not None and first.id not in recent:
            recent.append(first.id)
        sent_back, others = [], []
        for number, presentation in enumerate(recent, 1):
            note = self._store.note(presentation)
            if note:
                sent_back.append((f"Sent back: “{note}”", presentation))
            elif first is not None and presentation == first.id:
                others.append(("The item to be answered next", presentation))
            else:
                answer = self._store.submitted_answer(presentation)
                kind = self.about.scheme.kind_of(answer.kind) if answer is not None else None
                others.append((f"{number} back · {kind.name if kind else 'cannot tell'}", presentation))
        return sent_back + others

    def _take(self, presentation: Presentation, sound: ClipSound) -> None:
        if presentation.id == self._wanted:
            self._show_item(presentation, sound)

    def _on_unreadable(self, presentation: Presentation, error: Exception) -> None:
        if not isinstance(error, FloorscopeError):
            raise error
        # The sentence names a file, which an annotator is not to see.
        _log.warning("the sound of a presentation cannot be read: %s", error)
        if presentation.id == self._wanted:
            self._show_card(annotate_cards.unreadable())

    def _show_item(self, presentation: Presentation, sound: ClipSound) -> None:
        try:
            history = self._store.history(presentation.id)
            note = self._store.note(presentation.id)
        except FloorscopeError as error:
            self.trouble.emit(str(error))
            return
        item = OpenItem(
            presentation=presentation,
            history=history,
            sound=sound,
            scheme=self.about.scheme,
            guidelines=self.about.guidelines,
            note=note,
            theme=self._theme,
            actions=self._actions,
            device=self._device,
            corrections_ms=self._corrections_ms,
            speed=self._speed,
            parent=self,
        )
        self.item = item
        item.said.connect(self.said)
        item.trouble.connect(self.trouble)
        item.session.answer_changed.connect(lambda _: self._on_gesture())
        item.bar.speed_changed.connect(self._keep_speed)
        item.view.submitted.connect(self._on_submitted)
        item.view.continued.connect(self._on_continued)
        item.bar.device_chosen.connect(self._keep_device)
        if history.frozen:
            item.view.panel.set_editable(editable=False)
        self._stack.addWidget(item.view)
        self._close_card()
        self._stack.setCurrentWidget(item.view)
        item.view.timeline.setFocus()
        self._show_head(presentation)
        self.item_opened.emit(item)
        self.state_changed.emit()
        self._say_silence(item, sound)
        self._prefetch(presentation.id)

    def _say_silence(self, item: OpenItem, sound: ClipSound) -> None:
        """Say which voices have no sound, and once why there is none at all; no file is named."""
        names = {voice.id: voice.name for voice in item.presentation.speakers}
        silent = [names[voice.id] for voice in sound.voices if voice.missing]
        if silent:
            self.hint.emit(f"There is no sound of {', '.join(silent)}. Please tell the lead of the study.")
        if item.player.trouble and item.player.trouble != self._told:
            self._told = item.player.trouble
            self.hint.emit(self._told)

    def _prefetch(self, after: str) -> None:
        coming = self._store.next_presentation(after)
        if coming is not None and coming.id != after:
            self.shelf.prefetch(coming.id)

    def _show_head(self, presentation: Presentation) -> None:
        calibration, progress = self._calibration, self._store.progress()
        if self._store.is_calibration(presentation.id):
            self._head.show_state(f"Calibration {calibration.submitted + 1} of {calibration.total}", 0, 0, "")
            return
        answered = self._store.submitted_answer(presentation.id) is not None
        title = "An item handed in before" if answered else f"Item {progress.submitted + 1} of {progress.total}"
        self._head.show_state(title, progress.submitted, progress.total, annotate_cards.pace_text(progress))

    def _on_gesture(self) -> None:
        if self.item is not None:
            self.gesture.emit()
            self.said.emit(self.item.session.history.undo_label or "")
            self.state_changed.emit()

    def _on_submitted(self) -> None:
        item = self.item
        if item is None:
            return
        try:
            self._store.submit(item.presentation.id, item.session.answer, item.session.listening())
        except FloorscopeError as error:
            self.trouble.emit(str(error))
            return
        reference = self._store.feedback(item.presentation.id)
        if reference is not None:
            item.player.pause()
            item.view.show_feedback(reference)
            self.state_changed.emit()
        else:
            self._on_continued()

    def _on_continued(self) -> None:
        before, now = self._calibration, self._store.calibration()
        self._calibration = now
        if (now.passed, now.round) != (before.passed, before.round):
            self._drop()
            self._show_card(annotate_cards.calibrated(now))
            self._prefetch("")
        else:
            self.open_next()

    def _keep_speed(self, speed: float) -> None:
        self._speed = speed

    def _keep_device(self, name: str) -> None:
        self._device = name
        self.device_chosen.emit(name)

    def _show_card(self, text: CardText) -> None:
        self._close_card()
        self.card = Card(text=text)
        self.card.chosen.connect(self._on_card)
        self._stack.addWidget(self.card)
        self._stack.setCurrentWidget(self.card)
        self._head.hide()
        self.state_changed.emit()
        self.card.take_focus()

    def _close_card(self) -> None:
        card, self.card = self.card, None
        if card is not None:
            self._stack.removeWidget(card)
            card.deleteLater()
        self._head.show()

    def _on_card(self, choice: str) -> None:
        calls: dict[str, Callable[[], object]] = {
            "next": self._go_on,
            "skip": lambda: self.open_next(after=self._wanted),
            "resume": self._go_on,
            "guidelines": self.show_guidelines,
            "back": self.go_back,
            "leave": self.left.emit,
        }
        try:
            calls[choice]()
        except FloorscopeError as error:
            self.trouble.emit(str(error))

    def _go_on(self) -> None:
        """End a break where there is one, and show the item that is open, or the next."""
        self._store.end_break()
        if self.item is None:
            self.open_next()
            return
        self.item.meter.resume()
        self._close_card()
        self._stack.setCurrentWidget(self.item.view)
        self.item.view.timeline.setFocus()
        self.state_changed.emit()

    def _drop(self) -> None:
        item, self.item = self.item, None
        if item is not None:
            self.item_closed.emit()
            item.close_item()
            self._stack.removeWidget(item.view)
            item.view.deleteLater()
            item.deleteLater()
            self.state_changed.emit()


class _Head(QWidget):
    """Where one is, one's own progress and pace, and the ways back, out and to the guidelines."""

    def __init__(self, *, actions: ActionSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        unit = self.fontMetrics().height()
        self._title = QLabel()
        font = self._title.font()
        font.setBold(True)
        self._title.setFont(font)
        self._bar = QProgressBar()
        self._bar.setMaximumSize(unit * 12, unit // 2)
        self._bar.setTextVisible(False)
        self._pace = QLabel()
        row = QHBoxLayout(self)
        row.setContentsMargins(unit // 2, unit // 4, unit // 2, unit // 4)
        row.setSpacing(unit // 2)
        row.addWidget(self._title)
        row.addWidget(self._bar)
        row.addWidget(self._pace)
        row.addStretch(1)
        self.back = _head_button(actions, "study.back")
        for button in (self.back, *(_head_button(actions, name) for name in ("study.guidelines", "study.break"))):
            row.addWidget(button)

    def show_state(self, title: str, done: int, total: int, pace: str) -> None:
        """Show where one is; no bar where `total` is 0."""
        self._title.setText(title)
        self._bar.setVisible(total > 0)
        # A new value repaints the window at once, in the middle of its being laid out.
        self._bar.setUpdatesEnabled(False)
        self._bar.setRange(0, max(total, 1))
        self._bar.setValue(done)
        self._bar.setUpdatesEnabled(True)
        self._bar.setAccessibleName(f"{done} of {total} items handed in")
        self._pace.setText(pace)


def _head_button(actions: ActionSet, name: str) -> QToolButton:
    button = QToolButton()
    button.setDefaultAction(actions[name])
    button.setFocusPolicy(button.focusPolicy().NoFocus)
    button.setAccessibleName(actions[name].text().replace("&", "").rstrip("…"))
    return button
