import re
from pathlib import Path

import pytest

LOCK = Path(__file__).resolve().parents[2] / "requirements.lock"


@pytest.fixture(scope="module")
def pins() -> dict[str, str]:
    """Return the locked packages with the text of their entries."""
    entries = re.split(r"^(?=[a-z0-9])", LOCK.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {entry.partition("==")[0]: entry for entry in entries}


def test_each_locked_package_has_its_version_and_a_hash(pins: dict[str, str]) -> None:
    assert len(pins) > 20
    assert [name for name, entry in pins.items() if not re.match(r"\S+==\S+ \\\n    --hash=sha256:", entry)] == []


def test_the_lock_names_no_index() -> None:
    assert re.findall(r"://|--index|--find-links", LOCK.read_text(encoding="utf-8")) == []


def test_the_build_back_end_is_locked_since_the_checkout_is_built_without_isolation(pins: dict[str, str]) -> None:
    assert "setuptools" in pins


def test_qt_is_locked_below_the_release_that_loses_references(pins: dict[str, str]) -> None:
    found = re.match(r"pyside6-essentials==(\d+)\.(\d+)", pins["pyside6-essentials"])
    assert found is not None
    assert (int(found[1]), int(found[2])) < (6, 12)
