"""Whether a project lies where SQLite's log is safe: a local disk, in a folder that nothing synchronises.

A synchronising program copies the file and its log at different moments, and network file systems promise locks that
they do not keep; both damage projects, so both are said when one is opened. Nothing is refused: the guess may be wrong.
"""

from pathlib import Path

import psutil

from annotation.notices import Notice

_NETWORK_TYPES = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "afpfs", "webdav", "davfs", "fuse.davfs2", "fuse.sshfs", "9p", "afs"}
    | {"fuse.gvfsd-fuse", "fuse.rclone", "ceph", "glusterfs", "fuse.glusterfs", "lustre"}
)
_SYNCHRONISED_NAMES = (
    "dropbox",
    "onedrive",
    "google drive",
    "googledrive",
    "my drive",
    "mobile documents",
    "icloud",
    "nextcloud",
    "owncloud",
    "pcloud",
    "box sync",
    "seafile",
)
_MARKERS = (".stfolder", ".dropbox", ".dropbox.cache", ".owncloudsync.log", ".sync_journal.db")
_ADVICE = "Keep the project on a local disk, and put copies or exports into shared folders."


def location_notices(path: Path) -> tuple[Notice, ...]:
    """Return a warning for a project on a network disk or in a synchronised folder, or nothing."""
    folder = path.absolute().parent
    found = []
    kind = file_system_of(folder)
    if kind in _NETWORK_TYPES:
        found.append(
            Notice(
                "project-on-network",
                str(path),
                f"The project is on a network disk ({kind}), which can damage it. {_ADVICE}",
            )
        )
    program = synchronised_by(folder)
    if program:
        found.append(
            Notice(
                "project-synchronised",
                str(path),
                f"The folder is synchronised ({program}), which can damage it. {_ADVICE}",
            )
        )
    return tuple(found)


def file_system_of(folder: Path) -> str:
    """Return the type of the file system that a folder is on, in lower case; empty if the system does not say."""
    mounts = {Path(mount.mountpoint): mount.fstype for mount in psutil.disk_partitions(all=True)}
    resolved = folder.resolve()
    holding = [mount for mount in mounts if resolved.is_relative_to(mount)]
    return mounts[max(holding, key=lambda mount: len(mount.parts))].lower() if holding else ""


def synchronised_by(folder: Path) -> str:
    """Return the name or mark of a synchronising program in a folder's path, or nothing."""
    for place in (folder, *folder.parents):
        name = place.name.lower()
        # OneDrive and others append the account: “OneDrive - University”.
        if any(name == known or name.startswith((f"{known} ", f"{known}-")) for known in _SYNCHRONISED_NAMES):
            return place.name
        for marker in _MARKERS:
            if (place / marker).exists():
                return marker
    return ""
