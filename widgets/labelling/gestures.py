"""What an annotator does to an event, each as one named step of a document.

Nothing is clamped: a gesture that would leave the recording or turn an event inside out is refused with a sentence
and changes nothing. Creating or moving an event never touches another.
"""

from dataclasses import replace

from annotation.document import Document
from annotation.errors import InvalidValueError
from annotation.events import FloorEvent
from annotation.timebase import text_from_frame
from widgets.marking.edge import Edge


def mark(document: Document, event: FloorEvent, *, kind_name: str, frames: int) -> FloorEvent:
    """Add an event and return it.

    Raises
    ------
    InvalidValueError
        If the event is empty or reaches past the recording's `frames`.
    """
    if event.length == 0:
        raise InvalidValueError(
            "Nothing was marked: onset and offset are the same.", remedy="Hold the key for as long as the event lasts."
        )
    _require_inside(event, frames)
    with document.edit(f"Mark {kind_name.lower()}") as edit:
        edit.add(event)
    return event


def change(document: Document, event: FloorEvent, label: str, **fields: str | int | None) -> FloorEvent:
    """Replace fields of an event in one step named `label` and return the event as it now is."""
    changed = replace(event, **fields)  # type: ignore[arg-type]
    with document.edit(label) as edit:
        edit.remove(event)
        edit.add(changed)
    return changed


def delete(document: Document, event: FloorEvent, *, kind_name: str) -> None:
    """Remove an event."""
    with document.edit(f"Delete {kind_name.lower()}") as edit:
        edit.remove(event)


def set_edges(
    document: Document,
    event: FloorEvent,
    onset: int,
    offset: int,
    *,
    kind_name: str,
    rate_hz: int,
    frames: int,
    snapped_to: str = "",
) -> FloorEvent:
    """Move an event's edges and return it; the step's name says which edge went from where to where.

    Parameters
    ----------
    snapped_to
        What the moved edge was drawn to (``speech silero-6.2.3``); its first word stands in the step's name.

    Raises
    ------
    InvalidValueError
        If the edges cross, meet, or leave the recording.
    """
    if onset >= offset:
        raise InvalidValueError("The onset would reach the offset.", remedy="Move the other edge first.")
    moved = replace(event, onset=onset, offset=offset) if onset >= 0 else None
    if moved is None:
        raise InvalidValueError("The event would begin before the recording.")
    _require_inside(moved, frames)
    label = _edge_label(event, moved, kind_name, rate_hz)
    if snapped_to:
        label = f"{label}, snapped to {snapped_to.split()[0]}"
    with document.edit(label) as edit:
        edit.remove(event)
        edit.add(moved)
    return moved


def nudge(
    document: Document, event: FloorEvent, edge: Edge, by: int, *, kind_name: str, rate_hz: int, frames: int
) -> FloorEvent:
    """Move one edge, or the whole event, by a number of frames."""
    onset = event.onset + (by if edge is not Edge.OFFSET else 0)
    offset = event.offset + (by if edge is not Edge.ONSET else 0)
    return set_edges(document, event, onset, offset, kind_name=kind_name, rate_hz=rate_hz, frames=frames)


def split(document: Document, event: FloorEvent, frame: int, *, kind_name: str) -> tuple[FloorEvent, FloorEvent]:
    """Cut an event in two at a frame inside it and return both; the first keeps the id.

    Raises
    ------
    InvalidValueError
        If the frame is not strictly inside the event.
    """
    if not event.onset < frame < event.offset:
        raise InvalidValueError("The cursor is not inside the event.", remedy="Place it where the event is to be cut.")
    first = replace(event, offset=frame)
    second = FloorEvent(
        speaker=event.speaker,
        kind=event.kind,
        onset=frame,
        offset=event.offset,
        holder_before=event.holder_before,
        holder_after=event.holder_after,
        comment=event.comment,
        text=event.text,
    )
    with document.edit(f"Split {kind_name.lower()}") as edit:
        edit.remove(event)
        edit.add(first)
        edit.add(second)
    return first, second


def merge(document: Document, first: FloorEvent, second: FloorEvent, *, kind_name: str) -> FloorEvent:
    """Join two events of one speaker into one that spans both and return it; comments are kept, both.

    The result has the kind and the holder before of the first, and the holder after of the second where it has one.

    Raises
    ------
    InvalidValueError
        If the events belong to two speakers.
    """
    if first.speaker != second.speaker:
        raise InvalidValueError("Events of two speakers cannot be merged.")
    comment = " · ".join(part for part in (first.comment, second.comment) if part)
    joined = replace(
        first,
        onset=min(first.onset, second.onset),
        offset=max(first.offset, second.offset),
        holder_after=first.holder_after if second.holder_after is None else second.holder_after,
        comment=comment if first.comment != second.comment else first.comment,
    )
    with document.edit(f"Merge {kind_name.lower()}") as edit:
        edit.remove(first)
        edit.remove(second)
        edit.add(joined)
    return joined


def following(document: Document, event: FloorEvent) -> FloorEvent | None:
    """Return the next event on the same speaker's lane by onset, or None."""
    key = (event.onset, event.offset, event.id)
    return next((e for e in document if e.speaker == event.speaker and (e.onset, e.offset, e.id) > key), None)


def step(document: Document, current: FloorEvent | None, frame: int, *, forward: bool) -> FloorEvent | None:
    """Return the next or previous event: from the current one, or from a frame where none is selected."""
    events = list(document)
    if current is not None and current in events:
        place = events.index(current) + (1 if forward else -1)
        return events[place] if 0 <= place < len(events) else None
    if forward:
        return next((e for e in events if e.onset >= frame), None)
    return next((e for e in reversed(events) if e.onset < frame), None)


def _require_inside(event: FloorEvent, frames: int) -> None:
    if event.offset > frames:
        raise InvalidValueError("The event would reach past the end of the recording.")


def _edge_label(old: FloorEvent, new: FloorEvent, kind_name: str, rate_hz: int) -> str:
    name = kind_name.lower()
    if old.offset == new.offset:
        return f"Onset of {name} {_from_to(old.onset, new.onset, rate_hz)}"
    if old.onset == new.onset:
        return f"Offset of {name} {_from_to(old.offset, new.offset, rate_hz)}"
    return f"Move {name} {_from_to(old.onset, new.onset, rate_hz)}"


def _from_to(old: int, new: int, rate_hz: int) -> str:
    """Return two times in milliseconds, or finer where they would read the same."""
    for digits in (3, 6):
        texts = [text_from_frame(frame, rate_hz, digits=digits) for frame in (old, new)]
        if texts[0] != texts[1]:
            break
    return " → ".join(texts)
