import shutil
import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
TABLE = Path("resources", "system-libraries.tsv")
SCRIPT = Path("packaging", "system-libraries.sh")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a checkout in a folder with spaces that holds the script and the first lines of its table."""
    folder = tmp_path / "a check out"
    for part in (SCRIPT, TABLE):
        (folder / part).parent.mkdir(parents=True)
        shutil.copy(CHECKOUT / part, folder / part)
    return folder


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """Return a folder of the programs that the script calls, without apt-get and sudo."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("bash", "dirname", "grep", "id", "env"):
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    return folder


def run(checkout: Path, programs: Path, wanted: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [programs / "bash", checkout / SCRIPT, wanted],
        env={"PATH": str(programs)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def write_table(checkout: Path, *rows: tuple[str, str, str, str, str]) -> None:
    (checkout / TABLE).write_text("# comment\n" + "".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")


def test_each_row_of_the_table_has_its_five_columns_and_known_words() -> None:
    lines = (CHECKOUT / TABLE).read_text(encoding="utf-8").splitlines()
    rows = [tuple(line.split("\t")) for line in lines if not line.startswith("#")]
    assert {len(row) for row in rows} == {5}
    assert {row[0] for row in rows} == {"run", "test"}
    assert {row[1] for row in rows} == {"essential", "window", "sound", "check"}
    assert {row[2] for row in rows} == {"library", "command", "file", "python"}
    assert len({row[4] for row in rows}) == len(rows)


def test_nothing_is_said_where_nothing_is_missing(checkout: Path, programs: Path) -> None:
    write_table(checkout, ("run", "essential", "command", "bash", "bash"))
    done = run(checkout, programs, "run")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_missing_essential_stops_by_name_where_nothing_can_be_installed(checkout: Path, programs: Path) -> None:
    write_table(checkout, ("run", "essential", "library", "libno-such-thing.so.1", "libno-such-thing1"))
    done = run(checkout, programs, "run")
    assert done.returncode == 1
    assert "libno-such-thing.so.1" in done.stderr
    assert "Nothing can start without libno-such-thing1" in done.stderr


def test_missing_sound_is_said_and_the_set_up_goes_on(checkout: Path, programs: Path) -> None:
    write_table(checkout, ("run", "sound", "library", "libno-such-thing.so.1", "libno-such-thing1"))
    done = run(checkout, programs, "run")
    assert done.returncode == 0
    assert "libno-such-thing1" in done.stderr
    assert "Going on" in done.stderr


def test_what_only_the_checks_need_is_not_asked_for_by_a_run(checkout: Path, programs: Path) -> None:
    write_table(checkout, ("test", "check", "command", "no-such-thing", "no-such-package"))
    assert run(checkout, programs, "run").stderr == ""
    assert "no-such-package" in run(checkout, programs, "test").stderr


def test_a_refused_installation_ends_in_the_line_to_run(checkout: Path, programs: Path) -> None:
    write_table(checkout, ("run", "sound", "library", "libno-such-thing.so.1", "libno-such-thing1"))
    for name in ("apt-get", "sudo"):
        refusal = programs / name
        refusal.write_text(f"#!{programs / 'bash'}\nexit 100\n", encoding="utf-8")
        refusal.chmod(0o755)
    done = run(checkout, programs, "run")
    assert done.returncode == 0
    assert "sudo apt-get update && sudo apt-get install --no-install-recommends libno-such-thing1" in done.stderr


def test_an_installation_that_succeeds_is_seen_at_once(checkout: Path, programs: Path) -> None:
    write_table(checkout, ("run", "essential", "command", "wanted-program", "wanted-package"))
    installer = programs / "apt-get"
    touch = shutil.which("touch")
    chmod = shutil.which("chmod")
    installer.write_text(
        f"#!{programs / 'bash'}\n{touch} '{programs / 'wanted-program'}'\n{chmod} +x '{programs / 'wanted-program'}'\n",
        encoding="utf-8",
    )
    installer.chmod(0o755)
    identity = programs / "id"
    identity.unlink()
    identity.write_text(f"#!{programs / 'bash'}\necho 0\n", encoding="utf-8")
    identity.chmod(0o755)
    done = run(checkout, programs, "run")
    assert done.returncode == 0
    assert "Installing system libraries: wanted-package" in done.stdout


def test_an_unknown_set_is_refused(checkout: Path, programs: Path) -> None:
    assert run(checkout, programs, "everything").returncode == 2
