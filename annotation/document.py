"""What one person does to one subject: events, changed by named gestures that can all be undone.

A document changes only inside ``with document.edit("Move offset")``. One block is one step, one `Change` and one
`Revision`; undo and redo append a revision that names the one they invert, so that the stack can be derived from the
log and survives a restart (DESIGN, values and documents).
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import uuid4

from annotation.circumstances import Circumstances
from annotation.errors import FloorscopeError, InvalidValueError
from annotation.events import FloorEvent, event_order

DEEPEST_UNDO = 1_000
"""Steps that can be undone; the log keeps all of them."""


class ReadOnlyError(FloorscopeError):
    """The document takes no edits now; the text says why."""

    code = "read-only"


@dataclass(frozen=True, slots=True)
class Revision:
    """One gesture as it is kept: what went, what came, by whom, when, and which revision it inverts (if any).

    `circumstances` is None where nobody said how the step was made: an undo, a script, a file of version 1.
    """

    subject: str
    person: str
    label: str
    added: tuple[FloorEvent, ...]
    removed: tuple[FloorEvent, ...]
    undoes: str | None = None
    at: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="milliseconds"))
    id: str = field(default_factory=lambda: uuid4().hex)
    circumstances: Circumstances | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What a step did to the document, for those who show it.

    `first` and `last` span the frames touched; `origin` is the one who made the edit, so that it may skip its own.
    """

    added: tuple[FloorEvent, ...]
    removed: tuple[FloorEvent, ...]
    origin: object = None

    @property
    def first(self) -> int:
        """The earliest onset touched."""
        return min(event.onset for event in (*self.added, *self.removed))

    @property
    def last(self) -> int:
        """The latest offset touched."""
        return max(event.offset for event in (*self.added, *self.removed))


class Edit:
    """The two primitives of a gesture; everything else is made of them."""

    def __init__(self, events: "dict[str, FloorEvent]") -> None:
        self._events = events
        self._added: dict[str, FloorEvent] = {}
        self._removed: dict[str, FloorEvent] = {}

    def add(self, event: FloorEvent) -> None:
        """Add an event; its id must be free, or freed in this gesture."""
        if event.id in self._added or (event.id in self._events and event.id not in self._removed):
            raise InvalidValueError("An event with this id is there already.", where=event.id)
        self._added[event.id] = event

    def remove(self, event: FloorEvent) -> None:
        """Remove an event, given as it stands."""
        if self._added.get(event.id) == event:
            del self._added[event.id]
        elif event.id not in self._removed and self._events.get(event.id) == event:
            self._removed[event.id] = event
        else:
            raise InvalidValueError("This event is not there as given.", where=event.id)

    def outcome(self) -> tuple[tuple[FloorEvent, ...], tuple[FloorEvent, ...]]:
        """Return what the gesture adds and removes, without what it leaves as it was."""
        same = {key for key, event in self._added.items() if self._removed.get(key) == event}
        added = tuple(event for key, event in self._added.items() if key not in same)
        removed = tuple(event for key, event in self._removed.items() if key not in same)
        return added, removed


class Document:
    """Events of one subject by one person, with undo and redo.

    Parameters
    ----------
    subject
        What is edited (``conversation:ID`` in free labelling); undo never crosses it.
    person
        Who edits.
    revisions
        The log so far, in order; the events and both stacks are derived from it.
    record
        Called with each new revision, at once, on the thread that edits. It must not raise: a writer that fails
        calls `freeze` later.
    """

    def __init__(
        self,
        *,
        subject: str,
        person: str,
        revisions: Iterable[Revision] = (),
        record: Callable[[Revision], None] | None = None,
    ) -> None:
        self.subject = subject
        self.person = person
        self._record = record or (lambda revision: None)
        self._events: dict[str, FloorEvent] = {}
        self._order: list[tuple[int, int, str]] = []
        self._longest = 0
        self._undo: list[Revision] = []
        self._redo: list[Revision] = []
        self._listeners: list[Callable[[Change], None]] = []
        self._frozen = ""
        self._editing = False
        self._circumstances: Callable[[], Circumstances | None] = lambda: None
        for revision in revisions:
            self._take(revision)

    # Reading

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[FloorEvent]:
        """Iterate over the events by onset, offset, id."""
        return (self._events[key[2]] for key in self._order)

    def __contains__(self, event_id: object) -> bool:
        return event_id in self._events

    def get(self, event_id: str) -> FloorEvent | None:
        """Return the event with that id as it stands, or None."""
        return self._events.get(event_id)

    def between(self, first: int, last: int) -> list[FloorEvent]:
        """Return the events that touch the frames ``[first, last)``, in order; a point counts where it lies."""
        start = bisect_left(self._order, (first - self._longest, -1, ""))
        stop = bisect_right(self._order, (last, -1, ""))
        candidates = (self._events[key[2]] for key in self._order[start:stop])
        return [e for e in candidates if e.offset > first or (e.onset == e.offset == first)]

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
        """Why the document takes no edits now; empty when it does."""
        return self._frozen

    # Changing

    @contextmanager
    def edit(self, label: str, *, origin: object = None) -> Iterator[Edit]:
        """Open a gesture: one undo step named `label`; an empty one vanishes, an exception takes all of it back.

        Raises
        ------
        ReadOnlyError
            If the document is frozen, or a gesture is open already.
        """
        self._require_editable()
        edit = Edit(self._events)
        self._editing = True
        try:
            yield edit
        finally:
            self._editing = False
        added, removed = edit.outcome()
        if added or removed:
            self._commit(self._revision(label, added, removed), origin)

    def undo(self, *, origin: object = None) -> str | None:
        """Take back the last step and return its name, or None when there is none."""
        return self._invert(self._undo, origin)

    def redo(self, *, origin: object = None) -> str | None:
        """Bring back the step undone last and return its name, or None when there is none."""
        return self._invert(self._redo, origin)

    def follow(self, revision: Revision) -> None:
        """Take a revision that another process has recorded: it is shown and never recorded again.

        Raises
        ------
        InvalidValueError
            If it does not continue what this document holds.
        """
        self._take(revision)
        self._tell(Change(revision.added, revision.removed))

    def freeze(self, reason: str) -> None:
        """Take no more edits until `thaw`, for the reason given."""
        self._frozen = reason

    def thaw(self) -> None:
        """Take edits again."""
        self._frozen = ""

    def tell_circumstances_by(self, describe: Callable[[], Circumstances | None]) -> None:
        """Ask `describe` at each gesture from now on how it was made, and keep the answer with it."""
        self._circumstances = describe

    # Listening

    def subscribe(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Call `listener` after each step; returns the call that ends it. Listeners never edit."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    # Inside

    def _require_editable(self) -> None:
        if self._frozen:
            raise ReadOnlyError(self._frozen)
        if self._editing:
            raise ReadOnlyError("A gesture is open already.")

    def _revision(
        self,
        label: str,
        added: tuple[FloorEvent, ...],
        removed: tuple[FloorEvent, ...],
        undoes: str | None = None,
    ) -> Revision:
        how = None if undoes else self._circumstances()
        return Revision(self.subject, self.person, label, added, removed, undoes, circumstances=how)

    def _invert(self, stack: list[Revision], origin: object) -> str | None:
        self._require_editable()
        if not stack:
            return None
        target = stack[-1]
        self._commit(self._revision(target.label, target.removed, target.added, target.id), origin)
        return target.label

    def _commit(self, revision: Revision, origin: object) -> None:
        self._take(revision)
        self._record(revision)
        self._tell(Change(revision.added, revision.removed, origin))

    def _tell(self, change: Change) -> None:
        for listener in tuple(self._listeners):
            listener(change)

    def _take(self, revision: Revision) -> None:
        for event in revision.removed:
            if self._events.get(event.id) != event:
                raise InvalidValueError("A revision removes what is not there.", where=f"{self.subject} {revision.id}")
            del self._events[event.id]
            del self._order[bisect_left(self._order, event_order(event))]
        for event in revision.added:
            self._events[event.id] = event
            self._longest = max(self._longest, event.length)
            insort(self._order, event_order(event))
        self._stack(revision)

    def _stack(self, revision: Revision) -> None:
        if self._undo and revision.undoes == self._undo[-1].id:
            self._undo.pop()
            self._redo.append(revision)
        elif self._redo and revision.undoes == self._redo[-1].id:
            self._redo.pop()
            self._undo.append(revision)
        else:
            self._undo.append(revision)
            self._redo.clear()
        del self._undo[:-DEEPEST_UNDO]
