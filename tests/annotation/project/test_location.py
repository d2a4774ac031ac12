from pathlib import Path

import pytest

from annotation.project.location import Mount, location_notices, mounts, network_of, synchronised_by

ROOT = Mount(Path("/"), "ext4")


@pytest.mark.parametrize(
    "name",
    [
        *("Dropbox", "Dropbox (Team)", "OneDrive", "OneDrive - University", "OneDrive-Personal", "Google Drive"),
        *("GoogleDrive-me@example.org", "My Drive", "iCloud Drive", "Mobile Documents", "CloudStorage", "Nextcloud"),
        *("ownCloud", "SynologyDrive", "sciebo", "Box Sync", "MEGA", "Seafile", "pCloud Drive"),
    ],
)
def test_folders_of_synchronising_programs_are_known_by_name(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name / "studies" / "one"
    folder.mkdir(parents=True)
    assert synchronised_by(folder) == name
    (notice,) = location_notices(folder / "a.floorscope")
    assert notice.code == "project-synchronised"
    assert name in notice.message
    assert "local disk" in notice.message


@pytest.mark.parametrize(
    "mark",
    [
        *(".stfolder", ".dropbox", ".dropbox.cache", ".owncloudsync.log", ".nextcloudsync.log", ".sync_4f2a.db"),
        *("._sync_4f2a.db", ".tmp.drivedownload", ".SynologyWorkingDirectory", ".849C9593-D756-4E56-8D6E-42412F2A707B"),
    ],
)
def test_folders_are_known_by_the_marks_that_programs_leave(tmp_path: Path, mark: str) -> None:
    folder = tmp_path / "data" / "study"
    folder.mkdir(parents=True)
    (tmp_path / "data" / mark).touch()
    assert synchronised_by(folder) == mark


def test_the_settings_of_a_program_in_the_home_folder_are_no_mark(tmp_path: Path) -> None:
    (tmp_path / ".dropbox").mkdir()
    (tmp_path / "boxes").mkdir()
    assert synchronised_by(tmp_path / "boxes") == ""


@pytest.mark.parametrize("name", ["Dropboxes", "megaphone", "onedriver talks", "icloudy", "my drives"])
def test_names_that_only_begin_alike_are_not_said(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    assert synchronised_by(tmp_path / name) == ""


def test_a_link_into_a_synchronised_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "Dropbox" / "study").mkdir(parents=True)
    (tmp_path / "study").symlink_to(tmp_path / "Dropbox" / "study")
    assert synchronised_by(tmp_path / "study") == "Dropbox"


@pytest.mark.parametrize(
    "kind",
    [
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "afpfs", "9p", "ceph", "fuse.sshfs", "fuse.rclone", "fuse.davfs2"),
        *("fuse.gvfsd-fuse", "fuse.google-drive-ocamlfuse", "fuse.onedriver", "fuse.s3fs", "vboxsf", "lustre"),
    ],
)
def test_network_disks_are_known_by_their_type(kind: str) -> None:
    share = Mount(Path("/mnt/share"), kind)
    assert network_of(Path("/mnt/share/study"), (ROOT, share)) == kind
    assert network_of(Path("/mnt/sharecropper"), (ROOT, share)) == ""


@pytest.mark.parametrize("kind", ["ext4", "btrfs", "apfs", "ntfs", "overlay", "tmpfs", "fuseblk", "fuse.ntfs-3g"])
def test_local_disks_are_not_said(kind: str) -> None:
    assert network_of(Path("/data/study"), (ROOT, Mount(Path("/data"), kind))) == ""


def test_the_nearest_and_latest_mount_counts() -> None:
    share, disk = Mount(Path("/mnt"), "nfs"), Mount(Path("/mnt/disk"), "ext4")
    assert network_of(Path("/mnt/disk/study"), (ROOT, share, disk)) == ""
    assert network_of(Path("/mnt/disk/study"), (ROOT, disk, share)) == ""
    assert network_of(Path("/mnt/study"), (ROOT, Mount(Path("/mnt"), "ext4"), share)) == "nfs"


def test_a_drive_that_the_system_calls_remote_and_a_network_path_are_said() -> None:
    assert network_of(Path("/z/study"), (ROOT, Mount(Path("/z"), "ntfs", remote=True))) == "ntfs"
    assert network_of(Path(r"\\server\share\study"), (ROOT,)) == "a network path"


def test_this_machine_says_what_is_mounted(tmp_path: Path) -> None:
    assert any(tmp_path.is_relative_to(mount.folder) for mount in mounts())
    assert location_notices(tmp_path / "a.floorscope") == ()
