"""Which seat somebody has: by their name in a project, by the file itself in a pack."""

from pathlib import Path

from annotation.project.database import connect
from annotation.project.faults import faults_of
from annotation.study.design import StudyError
from annotation.study.pack_file import connect_pack


def find_seat(path: Path, annotator: str, study: str = "") -> str:
    """Return the id of an annotator's seat in a project by the name they sign in with; nobody else's is read.

    Parameters
    ----------
    study
        The id or name of a study; without it, the newest one that has a seat of this name.

    Raises
    ------
    StudyError
        If there is no such seat.
    ProjectError
        If the file cannot be opened.
    """
    query = (
        "SELECT s.id FROM study_seat s JOIN study t ON t.id = s.study WHERE s.annotator = ? "
        "AND (? = '' OR t.id = ? OR t.name = ?) ORDER BY t.at DESC LIMIT 1"
    )
    db = connect(path, read_only=True)
    try:
        with faults_of(path):
            row = db.execute(query, [annotator, study, study, study]).fetchone()
    finally:
        db.close()
    if row is None:
        raise StudyError(
            f"No study of this project has an annotator “{annotator}”.",
            where=str(path),
            remedy="Ask the lead how your name is written there.",
        )
    return str(row[0])


def seat_of_pack(path: Path) -> str:
    """Return the id of the seat that a pack is of.

    Raises
    ------
    StudyError
        If the file is no pack.
    """
    db = connect_pack(path, read_only=True)
    try:
        with faults_of(path):
            row = db.execute("SELECT seat FROM seat_about").fetchone()
    finally:
        db.close()
    if row is None:
        raise StudyError("The pack does not say whose it is.", where=str(path))
    return str(row[0])
