"""News of what other processes wrote: one pragma when nothing happened, the new rows when something did."""

from dataclasses import dataclass

from sqlite_utils import Database

from annotation.document import Revision
from annotation.project.backup import contents_of
from annotation.project.revision_log import last_sequence, revisions_after


@dataclass(frozen=True, slots=True)
class News:
    """What others did to the file since the last poll.

    Parameters
    ----------
    changed
        Whether there is anything: revisions of others, or new conversations, sources or mappings.
    revisions
        Revisions that did not come from this `Project`, in order.
    """

    changed: bool
    revisions: tuple[Revision, ...] = ()


NO_NEWS = News(changed=False)


class Watch:
    """Remembers how far the file has been read; belongs to one connection's user."""

    def __init__(self, db: Database) -> None:
        self._own: set[str] = set()
        self._version: int | None = _data_version(db)
        self._sequence = last_sequence(db)
        self._material = _material_in(db)

    def expect(self, revision: Revision) -> None:
        """Leave a revision out of the news: it is our own."""
        self._own.add(revision.id)

    def forget_connection(self) -> None:
        """Look at the file at the next poll, whatever its version says: versions differ between connections."""
        self._version = None

    def poll(self, db: Database) -> News:
        """Return what was committed since the last call."""
        version = _data_version(db)
        if version == self._version:
            return NO_NEWS
        logged = revisions_after(db, self._sequence)
        material = _material_in(db)
        foreign = tuple(entry.revision for entry in logged if entry.revision.id not in self._own)
        changed = bool(foreign) or material != self._material
        self._own.difference_update(entry.revision.id for entry in logged)
        self._sequence = logged[-1].sequence if logged else self._sequence
        self._version = version
        self._material = material
        return News(changed, foreign)


def _data_version(db: Database) -> int:
    return int(db.execute("PRAGMA data_version").fetchone()[0])


def _material_in(db: Database) -> tuple[int, int, int, int]:
    contents = contents_of(db)
    return (contents.mappings, contents.conversations, contents.sources, contents.newest_source)
