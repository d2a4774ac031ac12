"""Whether a project lies where SQLite's log is safe: a local disk, in a folder that nothing synchronises.

A synchronising program copies the file and its log at different moments, and network file systems promise locks that
they do not keep; both damage projects, so both are said when one is opened. Nothing is refused: the guess may be wrong.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import psutil

from annotation.notices import Notice

_NETWORK_TYPES = frozenset(
    {"nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "afpfs", "ncpfs", "webdav", "davfs", "9p", "afs", "coda"}
    | {"ceph", "glusterfs", "lustre", "beegfs", "gpfs", "orangefs", "pvfs2"}
    # Folders that a virtual machine shares with its host keep no locks either.
    | {"vboxsf", "vmhgfs", "fuse.vmhgfs-fuse", "prl_fs"}
)
_NETWORK_PROGRAMS = (
    *(
        "sshfs",
        "davfs",
        "gvfsd-fuse",
        "rclone",
        "glusterfs",
        "ceph",
        "s3fs",
        "gcsfuse",
        "goofys",
        "curlftpfs",
        "smbnetfs",
    ),
    *("google-drive", "onedriver", "mfs", "juicefs", "seadrive", "dropbox", "kio-fuse"),
)
_SYNCHRONISED_NAMES = (
    *("dropbox", "onedrive", "skydrive", "google drive", "googledrive", "my drive", "shared drives"),
    *("mobile documents", "icloud", "icloud drive", "iclouddrive", "cloudstorage", "nextcloud", "owncloud"),
    *("pcloud", "pclouddrive", "box sync", "box-box", "seafile", "seadrive", "synologydrive", "mega", "megasync"),
    *(
        "tresorit",
        "proton drive",
        "yandex.disk",
        "jottacloud",
        "magentacloud",
        "hidrive",
        "sciebo",
        "creative cloud files",
    ),
)
_MARKERS = (
    *(".stfolder", ".dropbox.cache", ".owncloudsync.log", ".nextcloudsync.log", ".sync_journal.db"),
    *(".tmp.drivedownload", ".tmp.driveupload", ".SynologyWorkingDirectory", ".sync/ID"),
    # OneDrive's own mark.
    ".849C9593-D756-4E56-8D6E-42412F2A707B",
)
_MARKER_FILES = (".dropbox",)
"""Marks as files only: a folder of that name is the program's settings, in the home of everybody who has it."""
_MARKER_PATTERNS = (".sync_*.db", "._sync_*.db")
_ADVICE = "Keep the project on a local disk, and put copies or exports into shared folders."


@dataclass(frozen=True, slots=True)
class Mount:
    """Where a file system begins, its type in lower case, and whether the system itself calls it remote."""

    folder: Path
    kind: str
    remote: bool = False


def location_notices(path: Path) -> tuple[Notice, ...]:
    """Return a warning for a project on a network disk or in a synchronised folder, or nothing."""
    folder = path.absolute().parent
    found = []
    kind = network_of(folder, mounts())
    if kind:
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


def mounts() -> tuple[Mount, ...]:
    """Return what is mounted; nothing where the system does not say."""
    try:
        partitions = psutil.disk_partitions(all=True)
    except (OSError, RuntimeError):
        return ()
    return tuple(
        Mount(Path(part.mountpoint), part.fstype.lower(), "remote" in part.opts.split(",")) for part in partitions
    )


def network_of(folder: Path, mounted: Iterable[Mount]) -> str:
    """Return the type of network file system that a folder is on, or nothing for a local disk."""
    if str(folder).startswith("\\\\"):
        return "a network path"
    mount = _mount_of(folder, mounted)
    if mount is None:
        return ""
    kind = mount.kind
    program = kind.removeprefix("fuse.") if kind.startswith(("fuse.", "fuseblk.")) else ""
    if kind in _NETWORK_TYPES or mount.remote or (program and program.startswith(_NETWORK_PROGRAMS)):
        return kind or "remote"
    return ""


def file_system_of(folder: Path) -> str:
    """Return the type of the file system that a folder is on, in lower case; empty if the system does not say."""
    mount = _mount_of(folder, mounts())
    return "" if mount is None else mount.kind


def _mount_of(folder: Path, mounted: Iterable[Mount]) -> Mount | None:
    resolved = folder.resolve()
    # Of two mounts at one place the later one hides the other.
    holding = [mount for mount in mounted if resolved.is_relative_to(mount.folder)]
    return max(reversed(holding), key=lambda mount: len(mount.folder.parts), default=None)


def synchronised_by(folder: Path) -> str:
    """Return the name or mark of a synchronising program in a folder's path, or nothing.

    Both the path as given and the one that links lead to are looked at.
    """
    for place in dict.fromkeys((folder, *folder.parents, folder.resolve(), *folder.resolve().parents)):
        name = place.name.lower()
        # OneDrive and others append the account: “OneDrive - University”, “Dropbox (Team)”, “GoogleDrive-me@…”.
        if any(name == known or name.startswith((f"{known} ", f"{known}-")) for known in _SYNCHRONISED_NAMES):
            return place.name
        marker = _marker_in(place)
        if marker:
            return marker
    return ""


def _marker_in(place: Path) -> str:
    try:
        for marker in _MARKERS:
            if (place / marker).exists():
                return marker
        for marker in _MARKER_FILES:
            if (place / marker).is_file():
                return marker
        for pattern in _MARKER_PATTERNS:
            for found in place.glob(pattern):
                return found.name
    except OSError:
        return ""
    return ""
