"""Appends what is entered at one seat to the file, by the rules of `LogWriter`."""

from pathlib import Path

from sqlite_utils import Database

from annotation.errors import InvalidValueError
from annotation.project.faults import LeaseLostError
from annotation.study.answers import Entry, SeatBreak
from annotation.study.entries import insert_entry
from annotation.study.seat_access import LEASE_LOST, connect_writer


class SeatKeeper:
    """A `Keeper` of one seat of a project or a pack.

    Parameters
    ----------
    lease_token
        Nothing is kept once this lease is lost; empty for a pack, which knows none.
    """

    def __init__(self, path: Path, seat: str, lease_token: str) -> None:
        self.path = path
        self._seat = seat
        self._lease_token = lease_token

    def connect(self) -> Database:
        """Return a connection that may append to this seat only."""
        return connect_writer(self.path, self._seat, self._lease_token)

    def insert(self, db: Database, entry: Entry) -> None:
        """Append an entry; nothing happens if it is there.

        Raises
        ------
        LeaseLostError
            If another process took the seat over.
        InvalidValueError
            If it breaks a rule of its table.
        """
        try:
            insert_entry(db.conn, entry)
        except InvalidValueError as fault:
            if LEASE_LOST not in fault.what:
                raise
            raise LeaseLostError(
                "Another Floorscope took over this seat, so what was entered since is not kept.",
                where=str(self.path),
                remedy="Close it here, and go on where it is open.",
            ) from fault

    def place_of(self, entry: Entry) -> tuple[str, ...]:
        """Return what an entry builds on."""
        return ("break", entry.seat) if isinstance(entry, SeatBreak) else ("presentation", entry.presentation)
