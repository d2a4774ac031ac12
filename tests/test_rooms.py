import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
BLOCKED = ("PySide6", "shiboken6", "pyqtgraph", "sounddevice")

IMPORT_WITHOUT_GUI = """
import importlib, importlib.abc, sys

blocked = set(sys.argv[1].split(","))

class Wall(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Wall())
for name in sys.argv[2:]:
    importlib.import_module(name)
print(len(sys.argv) - 2, sorted(blocked & set(sys.modules)))
"""


def modules_of(room: str) -> list[str]:
    files = sorted((CHECKOUT / room).rglob("*.py"))
    names = (".".join(file.relative_to(CHECKOUT).with_suffix("").parts) for file in files)
    return [name.removesuffix(".__init__") for name in names]


def import_without_gui(names: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", IMPORT_WITHOUT_GUI, ",".join(BLOCKED), *names],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


def test_every_domain_module_is_imported_where_qt_and_the_sound_card_are_not() -> None:
    names = [name for room in ("annotation", "evaluation", "resources") for name in modules_of(room)]
    assert {"annotation.document", "evaluation", "resources"} <= set(names)
    done = import_without_gui(names)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"{len(names)} []"


def test_the_wall_of_that_test_stops_a_module_that_needs_qt() -> None:
    done = import_without_gui(["PySide6.QtCore"])
    assert done.returncode != 0
    assert "PySide6 is blocked" in done.stderr


def test_the_import_contracts_hold() -> None:
    tool = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([tool, "--no-cache"], cwd=CHECKOUT, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_contract_has_an_exception() -> None:
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    assert len(contracts) >= 6
    assert [contract["name"] for contract in contracts if "ignore_imports" in contract] == []


@pytest.mark.parametrize("folder", ["tests", "packaging"])
def test_what_is_no_package_has_no_init(folder: str) -> None:
    assert list((CHECKOUT / folder).rglob("__init__.py")) == []


def test_test_modules_have_names_of_their_own() -> None:
    names = [file.name for file in (CHECKOUT / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("room", ["annotation", "evaluation", "widgets", "app"])
def test_each_room_says_that_it_is_typed(room: str) -> None:
    assert (CHECKOUT / room / "py.typed").is_file()


@pytest.mark.parametrize("package", ["pandas", "torch"])
def test_what_slows_every_start_is_not_installed(package: str) -> None:
    assert importlib.util.find_spec(package) is None
