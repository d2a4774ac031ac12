"""Which revisions of a damaged project can be relied on: for each document the longest part from its beginning.

A document is a chain: a step that builds on a lost one cannot be replayed, and a state that never stood on anybody's
screen is not what was entered. So each document comes back as a prefix of the work; readable steps behind a gap are set
aside for a person to look at, and count as lost.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from annotation.document import Document, Revision
from annotation.errors import FloorscopeError
from annotation.project.digest import FIRST, digest_of
from annotation.project.readable import ReadableRows
from annotation.project.revision_log import Values, revision_from

Place = tuple[int, Values]
"""A place in the log and the values of the row there."""


@dataclass(frozen=True, slots=True)
class SalvagedLog:
    """Revisions that follow from each other, in order, and what is missing.

    Parameters
    ----------
    kept
        Place and values of each revision that is relied on.
    set_aside
        Readable ones behind a gap in their document.
    unread
        How many places of the log nothing readable stands at.
    """

    kept: tuple[Place, ...]
    set_aside: tuple[Place, ...]
    unread: int

    @property
    def lost(self) -> int:
        """How many revisions are not in any document."""
        return self.unread + len({values[0] for _, values in self.set_aside})


def salvage_log(sources: Iterable[ReadableRows]) -> SalvagedLog:
    """Return what can be relied on of the revisions in several files, those that are believed first coming first."""
    sources = tuple(sources)
    removed = _removed(sources)
    candidates: dict[Place, set[str | None]] = {}
    for source in sources:
        for sequence, *values, digest in source.rows["revision"].values():
            candidates.setdefault((sequence, tuple(values)), set()).add(digest)
    readable = {place: digests for place, digests in candidates.items() if _is_readable(place[1])}
    highest = max((source.highest for source in sources), default=0)
    there = {sequence for sequence, _ in readable}
    missing = [number for number in range(1, highest + 1) if number not in there and number not in removed]
    whole_until = missing[0] if missing else highest + 1
    documents: dict[tuple[str, str], list[Place]] = defaultdict(list)
    for place in readable:
        documents[place[1][1], place[1][2]].append(place)
    kept: list[Place] = []
    for (subject, person), rows in documents.items():
        kept += _longest(subject, person, rows, readable, whole_until)
    ids = {values[0] for _, values in kept}
    # A damaged image of a row that is there in a sound one is no loss: it still carries that row's digest.
    sound = {digest for place in kept for digest in readable[place] if digest is not None}
    aside = [place for place, digests in readable.items() if place[1][0] not in ids and sound.isdisjoint(digests)]
    return SalvagedLog(_numbered(kept), tuple(sorted(aside, key=_by_place)), len(missing))


def _by_place(place: Place) -> tuple[int, str]:
    return (place[0], place[1][0])


def _removed(sources: tuple[ReadableRows, ...]) -> set[int]:
    """Return the places whose revisions were removed on request: they are no loss."""
    removed: set[int] = set()
    for source in sources:
        for *_, text in source.rows["removal"].values():
            try:
                spans = msgspec.json.decode(text, type=list[tuple[int, int]])
            except msgspec.MsgspecError:
                continue
            for first, last in spans:
                removed.update(range(first, min(last, source.highest) + 1))
    return removed


def _is_readable(values: Values) -> bool:
    try:
        revision_from(values, where="")
    except (FloorscopeError, ValueError):
        return False
    return bool(values[0])


def _longest(
    subject: str, person: str, rows: list[Place], digests: Mapping[Place, set[str | None]], whole_until: int
) -> list[Place]:
    """Return the longest reliable part; where a log was lost and work went on, there are two of them."""
    parts = [
        _Chain(subject, person, ordered, digests, whole_until).prefix() for ordered in (rows, list(reversed(rows)))
    ]
    return max(parts, key=len)


def _numbered(kept: list[Place]) -> tuple[Place, ...]:
    """Return revisions in order with places from 1 on: what is missing before is no gap in the new file."""
    ordered = sorted(kept, key=lambda place: place[0])
    return tuple((number, values) for number, (_, values) in enumerate(ordered, start=1))


class _Chain:
    """One document's readable rows, walked from the first along their digests."""

    def __init__(
        self, subject: str, person: str, rows: list[Place], digests: Mapping[Place, set[str | None]], whole_until: int
    ) -> None:
        self._document = Document(subject=subject, person=person)
        self._rows = sorted(rows, key=lambda place: place[0])
        self._digests = digests
        self._whole_until = whole_until
        self._ids: set[str] = set()

    def prefix(self) -> list[Place]:
        """Return the longest part from the beginning in which each row is proven and continues the one before."""
        kept: list[Place] = []
        previous, at = FIRST, 0
        while True:
            place = self._next(previous, at)
            if place is None or not _continues(self._document, revision_from(place[1], where=""), self._ids):
                return kept
            previous = digest_of(previous, place[1])
            self._ids.add(place[1][0])
            kept.append(place)
            while at < len(self._rows) and self._rows[at][0] <= place[0]:
                at += 1

    def _next(self, previous: str, at: int) -> Place | None:
        if at < len(self._rows):
            first = self._rows[at][0]
            for place in self._rows[at:]:
                if place[0] != first:
                    break
                if self._is_proven(previous, place, at):
                    return place
        # A damaged place of an intact row: the digest says where it belongs, which is behind the last one.
        for place in self._rows:
            if place[1][0] not in self._ids and digest_of(previous, place[1]) in self._digests[place]:
                last = self._rows[at - 1][0] if at else 0
                return place if place[0] > last else None
        return None

    def _is_proven(self, previous: str, place: Place, at: int) -> bool:
        digest = digest_of(previous, place[1])
        known = self._digests[place]
        if digest in known:
            return True
        # Before version 3 there were no digests: all that stands before the first missing place is believed.
        if known == {None} and place[0] < self._whole_until:
            return True
        # The digest itself may be what is damaged; then the row behind proves the content.
        later = [other for other in self._rows[at:] if other[0] > place[0]][:1]
        return any(digest_of(digest, values) in self._digests[sequence, values] for sequence, values in later)


def _continues(document: Document, revision: Revision, ids: set[str]) -> bool:
    if revision.id in ids or (revision.undoes is not None and revision.undoes not in ids):
        return False
    try:
        document.follow(revision)
    except (FloorscopeError, ValueError):
        return False
    return True


def as_row(place: Place) -> tuple[Any, ...]:
    """Return a revision that was set aside as a row of its table."""
    sequence, values = place
    return (values[0], sequence, *values[1:])
