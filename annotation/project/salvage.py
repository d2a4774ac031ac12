"""Rescue: a new project file made of the newest verified backup and every revision that can still be read.

The damaged file is only read, never written, renamed or opened by SQLite, and neither is its log. What comes out is a
file of its own that was checked before it got its name. Rescuing twice gives the same work twice.
"""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from annotation.cancellation import CancelToken, Progress, no_progress
from annotation.notices import Notice
from annotation.project.backup import backups_of, fault_of_backup, home_of
from annotation.project.check import file_problems, replay_problems
from annotation.project.database import connect_closed_file, create_file, now
from annotation.project.faults import DamagedProjectError, faults_of
from annotation.project.readable import SHAPES, ReadableRows, rows_by_page, rows_by_query
from annotation.project.revision_log import documents_in, insert_values
from annotation.project.salvage_log import SalvagedLog, as_row, salvage_log
from annotation.project.salvage_material import SalvagedMaterial, salvage_material
from annotation.project.soundness import require_not_newer
from annotation.project.study_tables import STUDY_TABLES


@dataclass(frozen=True, slots=True)
class RescueReport:
    """What was found, and with `out` what was written; plain values, so that it can be printed as JSON.

    Parameters
    ----------
    out
        The new project; None where only a survey was made.
    backup
        The newest verified backup, with the time it was made and how many revisions it holds.
    revisions
        How many are rescued, of which `more` are in no verified backup.
    lost
        How many are not: `unread` cannot be read, and `set_aside` are readable but build on some that cannot. These are
        kept in the new file's table `set_aside`.
    open_end
        Whether more may have stood behind the last revision found.
    damages
        What is wrong with the file, in sentences.
    """

    path: Path
    out: Path | None
    backup: Path | None
    backup_at: str
    backup_revisions: int
    revisions: int
    more: int
    lost: int
    unread: int
    set_aside: int
    conversations: int
    open_end: bool
    damages: tuple[str, ...]
    notices: tuple[Notice, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """What a survey of a damaged project found, ready to be written."""

    report: RescueReport
    log: SalvagedLog
    material: SalvagedMaterial
    others: dict[str, list[tuple[Any, ...]]]


def rescue_path_for(path: Path) -> Path:
    """Return a free name beside a project for what is rescued of it: ``NAME (rescued 2026-11-30).floorscope``."""
    stem = f"{path.stem} (rescued {datetime.now().astimezone():%Y-%m-%d})"
    candidate = path.with_name(f"{stem}.floorscope")
    number = 2
    while candidate.exists():
        candidate = path.with_name(f"{stem} {number}.floorscope")
        number += 1
    return candidate


def survey_damage(
    path: Path, token: CancelToken | None = None, progress: Progress = no_progress, *, out: Path | None = None
) -> Findings:
    """Return what can be rescued of a project; reads only.

    Raises
    ------
    NewerProjectError
        If the file is sound and from a newer version.
    DamagedProjectError
        If nothing can be read, neither in the file nor in a backup.
    CancelledError
        If `token` was set.
    """
    live = rows_by_page(path, token or CancelToken(), progress)
    require_not_newer(path, live)
    backups = _sound_backups(path, live)
    # A backup was verified and the damaged file is not; for revisions, which prove themselves, the file comes first.
    log = salvage_log([live, *(rows for _, rows in backups)])
    believed = [*(rows for _, rows in backups[:1]), live, *(rows for _, rows in backups[1:])]
    target = out or rescue_path_for(path)
    material = salvage_material(believed, old_folder=home_of(path), new_folder=target.absolute().parent.resolve())
    if not log.kept and not material.rows["conversation"]:
        raise DamagedProjectError(
            "Nothing of this project can be read, and no sound backup is beside it.",
            where=str(path),
            remedy="Look for a copy elsewhere; the file was left as it is.",
        )
    in_backups = {values[0] for _, rows in backups for _, *values, _ in rows.rows["revision"].values()}
    newest = backups[0] if backups else None
    report = RescueReport(
        path=path,
        out=None,
        backup=newest[0] if newest else None,
        backup_at=_time_of(newest[0]) if newest else "",
        backup_revisions=len(newest[1].rows["revision"]) if newest else 0,
        revisions=len(log.kept),
        more=sum(values[0] not in in_backups for _, values in log.kept),
        lost=log.lost,
        unread=log.unread,
        set_aside=len(log.set_aside),
        conversations=len(material.rows["conversation"]),
        open_end=bool(live.damages),
        damages=tuple(live.damages),
        notices=tuple(material.notices),
    )
    return Findings(report, log, material, _others(believed))


def rescue(
    path: Path, out: Path | None = None, token: CancelToken | None = None, progress: Progress = no_progress
) -> RescueReport:
    """Make a new project of all that can be rescued of a damaged one, and return what was rescued and what is lost.

    Raises
    ------
    ProjectError
        As `survey_damage`; or if the new file cannot be written, or its name is taken. Nothing half-made stays.
    CancelledError
        If `token` was set.
    """
    target = out or rescue_path_for(path)
    findings = survey_damage(path, token, lambda share: progress(0.8 * share), out=target)
    return write_rescued(findings, target, progress)


def write_rescued(findings: Findings, out: Path, progress: Progress = no_progress) -> RescueReport:
    """Write what a survey found into a new project, check it, and return the report with its place."""
    left_out: list[Notice] = []

    def fill(db: Database) -> None:
        db.execute("DELETE FROM meta")
        for name, rows in findings.material.rows.items():
            left_out.extend(_insert(db.conn, name, rows))
        if not any(row[0] == "id" for row in findings.material.rows["meta"]):
            _insert(db.conn, "meta", [("id", f"rescued-{now()}")])
        for sequence, values in findings.log.kept:
            insert_values(db.conn, values, sequence)
        aside = {row[:2]: row for row in map(as_row, reversed(findings.log.set_aside))}
        for name, rows in findings.others.items():
            left_out.extend(_insert(db.conn, name, rows))
        known = {row[:2] for row in findings.others["set_aside"]}
        left_out.extend(_insert(db.conn, "set_aside", [row for key, row in aside.items() if key not in known]))
        report = findings.report
        db.execute(
            "INSERT INTO rescue (at, origin, backup, revisions, lost) VALUES (?, ?, ?, ?, ?)",
            [now(), report.path.name, report.backup and report.backup.name, report.revisions, report.lost],
        )
        _require_sound(db, out)

    create_file(out, fill)
    progress(1.0)
    report = findings.report
    return replace(report, out=out, notices=(*report.notices, *left_out))


def _require_sound(db: Database, path: Path) -> None:
    problems = [*file_problems(db, path), *replay_problems(db, documents_in(db), CancelToken())]
    if problems:
        raise DamagedProjectError(f"The rescued file is not sound: {problems[0].message}", where=problems[0].where)


def _insert(connection: sqlite3.Connection, name: str, rows: Iterable[tuple[Any, ...]]) -> list[Notice]:
    """Insert rows, and return a notice for each that breaks a rule of its table and was left out."""
    columns = SHAPES[name].columns
    statement = f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    left_out = []
    for row in rows:
        try:
            connection.execute(statement, row)
        except sqlite3.IntegrityError as error:
            where = f"{name} {row[0]}"
            left_out.append(Notice("row-lost", where, f"A row breaks a rule of its table and was left out: {error}."))
    return left_out


def _others(believed: list[ReadableRows]) -> dict[str, list[tuple[Any, ...]]]:
    others = {}
    for name in ("rescue", "removal", "set_aside", *STUDY_TABLES):
        merged: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        for source in believed:
            for key, row in source.rows[name].items():
                merged.setdefault(key, row)
        others[name] = [merged[key] for key in sorted(merged)]
    # A seat comes after the one it replaces.
    others["study_seat"].sort(key=lambda row: (row[1], row[4], row[2]))
    # The new file numbers its revisions anew, so the places that were removed before mean nothing in it.
    others["removal"] = [(*row[:4], "[]") for row in others["removal"]]
    return others


def _id_in(rows: ReadableRows) -> str | None:
    row = rows.rows["meta"].get(("id",))
    return None if row is None else str(row[1])


def _sound_backups(path: Path, live: ReadableRows) -> list[tuple[Path, ReadableRows]]:
    """Return verified backups of this project, newest first; a folder may hold those of one deleted earlier."""
    found: list[tuple[Path, ReadableRows]] = []
    first = live
    for backup in backups_of(path):
        if fault_of_backup(backup):
            continue
        db = connect_closed_file(backup)
        try:
            with faults_of(backup):
                rows = rows_by_query(db)
        finally:
            db.close()
        if _id_in(first) is None or _are_one(first, rows):
            first = rows
            found.append((backup, rows))
    return found


def _are_one(some: ReadableRows, others: ReadableRows) -> bool:
    if _id_in(some) == _id_in(others):
        return True
    # The id itself may be what is damaged.
    ids, other_ids = ({row[1] for row in rows.rows["revision"].values()} for rows in (some, others))
    return not ids.isdisjoint(other_ids)


def _time_of(backup: Path) -> str:
    """Return when a backup was made, from its name, as ISO 8601."""
    stamp = backup.stem.rpartition("-")[2]
    try:
        return datetime.strptime(stamp, "%Y%m%dT%H%M%S%fZ").replace(tzinfo=UTC).isoformat(timespec="seconds")
    except ValueError:
        return ""
