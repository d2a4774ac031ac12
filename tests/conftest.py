"""One offscreen application a session, settings and caches in a temporary folder, and where real recordings are."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

CHECKOUT = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep settings, caches and data of the person who runs the tests out of them."""
    home = tmp_path_factory.mktemp("home")
    for variable, folder in (("XDG_CONFIG_HOME", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_DATA_HOME", "data")):
        monkeypatch.setenv(variable, str(home / folder))


@pytest.fixture(scope="session")
def real() -> Path:
    """Return the folder of recordings nobody here made, or skip where it is absent."""
    folder = CHECKOUT.parent / "shared" / "real"
    if not folder.is_dir():
        pytest.skip("no real recordings beside this checkout")
    return folder


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a folder on a disk of two megabytes, or skip where none can be mounted."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can mount a tiny disk")
    done = subprocess.run([mount, "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)], capture_output=True)
    if done.returncode != 0:
        pytest.skip("this system does not allow to mount a tiny disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)
