import shutil
import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
TOOLS = ("ruff", "mypy", "lint-imports", "python")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a checkout in a folder with spaces whose tools only say that they were called."""
    folder = tmp_path / "a check out"
    for place in (".ci", "packaging", ".venv/bin"):
        (folder / place).mkdir(parents=True)
    shutil.copy(CHECKOUT / ".ci" / "run", folder / ".ci" / "run")
    (folder / "packaging" / "setup.sh").write_text('echo "set up for $1"\n', encoding="utf-8")
    for tool in TOOLS:
        write_tool(folder, tool, f'echo "{tool} $*"')
    write_tool(folder, "python", 'echo "===== 3 passed in 0.10s ====="')
    return folder


def write_tool(folder: Path, name: str, line: str) -> None:
    tool = folder / ".venv" / "bin" / name
    tool.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    tool.chmod(0o755)


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", folder / ".ci" / "run"],
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )


def test_every_check_is_made_in_order_and_the_closing_line_is_the_tests_own(checkout: Path) -> None:
    done = run(checkout)
    assert done.returncode == 0
    names = [line.split(":")[0] for line in done.stdout.splitlines() if line.startswith("== ")]
    assert names == ["== set-up", "== formatting", "== lint", "== types", "== imports", "== tests"]
    assert "set up for test" in done.stdout
    assert done.stdout.splitlines()[-1] == "===== 3 passed in 0.10s ====="


def test_the_first_failure_stops_the_run_is_named_and_gives_its_exit_code(checkout: Path) -> None:
    write_tool(checkout, "mypy", "exit 3")
    done = run(checkout)
    assert done.returncode == 3
    assert done.stdout.splitlines()[-1] == "Stopped at: types (exit 3)"
    assert "== imports" not in done.stdout


def test_failing_tests_end_the_run_with_their_own_closing_line(checkout: Path) -> None:
    write_tool(checkout, "python", 'echo "===== 1 failed, 2 passed in 0.10s ====="; exit 1')
    done = run(checkout)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "===== 1 failed, 2 passed in 0.10s ====="


def test_make_test_runs_the_script_that_ci_runs() -> None:
    assert "\ntest:\n\tbash .ci/run\n" in (CHECKOUT / "Makefile").read_text(encoding="utf-8")
