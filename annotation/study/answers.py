"""What an annotator enters: answers as snapshots, one for each gesture, with undo and redo; submissions and breaks.

An answer changes only through `AnswerHistory.give`. One call is one step, one `Draft` that holds the whole answer as it
then stands; undo and redo append a draft that names the one they invert, so that both stacks are derived from the log
and survive a restart. A history never crosses presentations.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal
from uuid import uuid4

from annotation.circumstances import Circumstances
from annotation.document import DEEPEST_UNDO, ReadOnlyError
from annotation.errors import InvalidValueError
from annotation.study.presentation import Answer, Listening

LONGEST_LABEL = 200
BEGIN, END = "begin", "end"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _new_id() -> str:
    return uuid4().hex


@dataclass(frozen=True, slots=True)
class Draft:
    """One gesture: the answer as it stands after it, its name, and which draft it inverts (if any)."""

    presentation: str
    label: str
    answer: Answer
    undoes: str | None = None
    circumstances: Circumstances | None = None
    at: str = field(default_factory=_now)
    id: str = field(default_factory=_new_id)

    def __post_init__(self) -> None:
        if not self.label or len(self.label) > LONGEST_LABEL:
            raise InvalidValueError(f"A step has a name of 1 to {LONGEST_LABEL} characters.")


@dataclass(frozen=True, slots=True)
class Submission:
    """An answer that was handed in, with how it was listened to.

    Parameters
    ----------
    draft
        The draft that it freezes; None where nothing was entered step by step.
    scheme_version
        Of the scheme that was answered by.
    """

    presentation: str
    answer: Answer
    listening: Listening
    scheme_version: int
    draft: str | None = None
    at: str = field(default_factory=_now)
    id: str = field(default_factory=_new_id)


@dataclass(frozen=True, slots=True)
class SeatBreak:
    """An annotator began or ended a break."""

    seat: str
    kind: Literal["begin", "end"]
    at: str = field(default_factory=_now)
    id: str = field(default_factory=_new_id)


Entry = Draft | Submission | SeatBreak
"""Whatever an annotator's side writes."""


@dataclass(frozen=True, slots=True)
class _Step:
    draft: str
    label: str
    before: Answer
    after: Answer


class AnswerHistory:
    """One annotator's answer to one presentation, with undo and redo; belongs to one thread.

    Parameters
    ----------
    drafts
        What was entered so far, in order; answer and stacks are derived from it.
    record
        Called with each new draft, at once, on the thread that enters. It must not raise: a writer that fails calls
        `freeze` later.

    Raises
    ------
    InvalidValueError
        If a draft is of another presentation.
    """

    def __init__(
        self,
        presentation: str,
        drafts: Iterable[Draft] = (),
        record: Callable[[Draft], None] | None = None,
    ) -> None:
        self.presentation = presentation
        self._record = record or (lambda draft: None)
        self._answer = Answer()
        self._newest: Draft | None = None
        self._undo: list[_Step] = []
        self._redo: list[_Step] = []
        self._frozen = ""
        self._listeners: list[Callable[[Answer, object], None]] = []
        self._circumstances: Callable[[], Circumstances | None] = lambda: None
        for draft in drafts:
            self._take(draft)

    @property
    def answer(self) -> Answer:
        """The answer as it stands."""
        return self._answer

    @property
    def newest(self) -> Draft | None:
        """The last step, or None before the first."""
        return self._newest

    @property
    def undo_label(self) -> str | None:
        """Name of the step that `undo` would take back, or None."""
        return self._undo[-1].label if self._undo else None

    @property
    def redo_label(self) -> str | None:
        """Name of the step that `redo` would bring back, or None."""
        return self._redo[-1].label if self._redo else None

    @property
    def frozen(self) -> str:
        """Why no answer is taken now; empty when it is."""
        return self._frozen

    def give(self, label: str, answer: Answer, *, origin: object = None) -> bool:
        """Enter an answer as one step named `label`; False if nothing changes.

        Use ``replace(history.answer, kind="TURN")`` for a gesture that changes one part.

        Raises
        ------
        ReadOnlyError
            If the history is frozen.
        """
        self._require_editable()
        if answer == self._answer:
            return False
        self._commit(Draft(self.presentation, label, answer, circumstances=self._circumstances()), origin)
        return True

    def undo(self, *, origin: object = None) -> str | None:
        """Take back the last step and return its name, or None when there is none."""
        return self._invert(self._undo, origin)

    def redo(self, *, origin: object = None) -> str | None:
        """Bring back the step undone last and return its name, or None when there is none."""
        return self._invert(self._redo, origin)

    def freeze(self, reason: str) -> None:
        """Take no more answers until `thaw`, for the reason given."""
        self._frozen = reason

    def thaw(self) -> None:
        """Take answers again."""
        self._frozen = ""

    def tell_circumstances_by(self, describe: Callable[[], Circumstances | None]) -> None:
        """Ask `describe` at each gesture from now on how it was made, and keep the answer with it."""
        self._circumstances = describe

    def subscribe(self, listener: Callable[[Answer, object], None]) -> Callable[[], None]:
        """Call `listener` with the answer and the origin after each step; returns the call that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def _require_editable(self) -> None:
        if self._frozen:
            raise ReadOnlyError(self._frozen)

    def _invert(self, stack: list[_Step], origin: object) -> str | None:
        self._require_editable()
        if not stack:
            return None
        step = stack[-1]
        self._commit(Draft(self.presentation, step.label, step.before, undoes=step.draft), origin)
        return step.label

    def _commit(self, draft: Draft, origin: object) -> None:
        self._take(draft)
        self._record(draft)
        for listener in tuple(self._listeners):
            listener(self._answer, origin)

    def _take(self, draft: Draft) -> None:
        if draft.presentation != self.presentation:
            raise InvalidValueError("A step belongs to another presentation.", where=draft.id)
        step = _Step(draft.id, draft.label, self._answer, draft.answer)
        if self._undo and draft.undoes == self._undo[-1].draft:
            self._undo.pop()
            self._redo.append(step)
        elif self._redo and draft.undoes == self._redo[-1].draft:
            self._redo.pop()
            self._undo.append(step)
        else:
            self._undo.append(step)
            self._redo.clear()
        del self._undo[:-DEEPEST_UNDO]
        self._answer = draft.answer
        self._newest = draft


def with_kind(answer: Answer, kind: str) -> Answer:
    """Return an answer with a kind, and so without a reason for having none."""
    return replace(answer, kind=kind, cannot_tell="")


def with_reason(answer: Answer, reason: str) -> Answer:
    """Return an answer that cannot tell the kind, for the reason given."""
    return replace(answer, kind="", cannot_tell=reason)
