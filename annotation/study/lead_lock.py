"""The lead's passphrase: a courtesy lock on the lead's page, and no protection of the file.

Whoever has the project file can read all of it with other programs; what protects blindness is that annotators get a
pack, or only ever open the file through Floorscope. The passphrase is kept as a salted scrypt hash.
"""

import hashlib
import hmac
import secrets

from annotation.project.project import Project
from annotation.study.design import StudyError

SHORTEST, LONGEST = 4, 200
_NAME = "lead_lock"
_COST, _BLOCK, _PARALLEL = 1 << 14, 8, 1


def is_locked(project: Project) -> bool:
    """Return whether the lead's page asks for a passphrase."""
    return bool(_kept(project))


def set_passphrase(project: Project, passphrase: str) -> None:
    """Ask for a passphrase from now on; an empty one ends it.

    Raises
    ------
    StudyError
        If it is too short or too long.
    ProjectError
        If the file cannot be written.
    """
    if passphrase and not SHORTEST <= len(passphrase) <= LONGEST:
        raise StudyError(f"A passphrase has {SHORTEST} to {LONGEST} characters.")
    salt = secrets.token_bytes(16)
    with project.changing() as db:
        if passphrase:
            text = f"scrypt${_COST}${_BLOCK}${_PARALLEL}${salt.hex()}${_hash(passphrase, salt)}"
            db.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", [_NAME, text])
        else:
            db.execute("DELETE FROM meta WHERE name = ?", [_NAME])


def opens(project: Project, passphrase: str) -> bool:
    """Return whether a passphrase is the one that was set; any is where none was."""
    kept = _kept(project)
    if not kept:
        return True
    head, _, digest = kept.rpartition("$")
    known = f"scrypt${_COST}${_BLOCK}${_PARALLEL}$"
    salt = head.removeprefix(known)
    if not head.startswith(known) or len(salt) != 32 or set(salt) - set("0123456789abcdef"):
        raise StudyError(
            "The lead’s passphrase in this project was set in a way that is not known here.",
            where=str(project.path),
            remedy="Update Floorscope.",
        )
    return hmac.compare_digest(_hash(passphrase, bytes.fromhex(salt)), digest)


def _kept(project: Project) -> str:
    with project.reading() as db:
        row = db.execute("SELECT value FROM meta WHERE name = ?", [_NAME]).fetchone()
    return str(row[0]) if row else ""


def _hash(passphrase: str, salt: bytes) -> str:
    return hashlib.scrypt(passphrase.encode(), salt=salt, n=_COST, r=_BLOCK, p=_PARALLEL, dklen=32).hex()
