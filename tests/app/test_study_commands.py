import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from annotation.errors import FloorscopeError
from annotation.project.project import Project
from annotation.study.design import StudyError
from annotation.study.presentation import Answer, Listening
from annotation.study.records import StudyRecords
from annotation.study.seats import seat_of_pack
from annotation.study.store import AnnotatorStore
from app.cli import floorscope
from app.demo import make_demo


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    return make_demo(tmp_path)


def run(*arguments: str, code: int = 0) -> Any:
    """Run a command and return its JSON document; what a user can act on is raised."""
    result = CliRunner().invoke(floorscope, ["study", *arguments, "--json"])
    if isinstance(result.exception, FloorscopeError):
        raise result.exception
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def new(demo: Path, *more: str) -> Any:
    return run("new", str(demo), "--annotators", "Ana, Ben,Chidi", "--seed", "4", *more)


def test_a_study_is_drawn_as_asked(demo: Path, tmp_path: Path) -> None:
    guidelines = tmp_path / "guide.md"
    guidelines.write_text("# Listen", encoding="utf-8")
    made = new(demo, "--repeat-fraction", "1/9", "--context", "3", "--guidelines", str(guidelines), "--name", "Party")
    assert (made["name"], made["items"], made["repeats"], made["presentations"]) == ("Party", 27, 3, 30)
    with Project.open(demo, read_only=True) as project:
        design = StudyRecords(project).study().design
    assert (design.context_s, design.seed, design.guidelines) == (3.0, 4, "# Listen")
    assert design.annotators == ("Ana", "Ben", "Chidi")


def test_a_dry_run_says_the_work_and_draws_nothing(demo: Path) -> None:
    work = new(demo, "--items", "grid:20", "--dry-run")
    assert work["items"] == 9
    assert work["repeats"] == 0
    with Project.open(demo, read_only=True) as project:
        assert StudyRecords(project).studies() == ()


@pytest.mark.parametrize(
    ("more", "match"),
    [
        (("--items", "trials:RUN"), "not possible yet"),
        (("--items", "somewhere"), "does not say where the items come from"),
        (("--repeat-fraction", "2"), "number from 0 to 1"),
        (("--context", "-1"), "outside 0 to 120"),
    ],
)
def test_a_choice_that_cannot_be_is_refused_with_a_sentence(demo: Path, more: tuple[str, ...], match: str) -> None:
    with pytest.raises(FloorscopeError, match=match):
        new(demo, *more)


def test_the_status_holds_no_answer(demo: Path, tmp_path: Path) -> None:
    new(demo)
    status = run("status", str(demo))
    assert [seat["annotator"] for seat in status["annotators"]] == ["Ana", "Ben", "Chidi"]
    assert {seat["presentations"] for seat in status["annotators"]} == {34}
    assert {seat["submitted"] for seat in status["annotators"]} == {0}


def test_a_pack_goes_out_and_comes_home(demo: Path, tmp_path: Path) -> None:
    new(demo)
    pack = tmp_path / "ben.floorpack"
    written = run("pack", str(demo), "--annotator", "Ben", "--out", str(pack))
    assert written["presentations"] == 34
    assert written["bytes"] == pack.stat().st_size
    store = AnnotatorStore(pack, seat_of_pack(pack))
    shown = store.next_presentation()
    assert shown is not None
    answer = Answer(kind="TURN", holder_before="", holder_after="v1", onset=5, offset=9)
    store.submit(shown.id, answer, Listening(spent_s=12.0))
    store.close()
    first, again = (run("merge", str(demo), str(pack))["packs"][0] for _ in range(2))
    assert (first["added"], first["already_known"], first["refused"]) == (2, 0, [])
    assert (again["added"], again["already_known"], again["refused"]) == (0, 2, [])
    ben = run("status", str(demo))["annotators"][1]
    assert (ben["submitted"], ben["spent_s"], ben["pace_s"]) == (1, 12.0, 12.0)


def test_one_file_that_is_no_pack_costs_itself_only(demo: Path, tmp_path: Path) -> None:
    new(demo)
    pack = tmp_path / "ana.floorpack"
    run("pack", str(demo), "--annotator", "Ana", "--out", str(pack))
    other = tmp_path / "other.floorpack"
    other.write_bytes(b"no database")
    document = run("merge", str(demo), str(other), str(pack), code=2)
    assert [one["refused_count"] for one in document["packs"]] == [1, 0]
    assert document["packs"][0]["refused"][0]["code"] == "pack"


def test_nobody_else_gets_a_pack(demo: Path, tmp_path: Path) -> None:
    new(demo)
    with pytest.raises(StudyError, match=r"no such annotator.*Ana, Ben, Chidi"):
        run("pack", str(demo), "--annotator", "Zoe", "--out", str(tmp_path / "z.floorpack"))
