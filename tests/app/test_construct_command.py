"""``floorscope construct``: what it prints, its exit codes, and that Ctrl+C can be followed by the same command."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from annotation.errors import FloorscopeError
from app.cli import floorscope

SPEAKER = """
import os, signal, sys, wave
from pathlib import Path
text, out, stretch = sys.argv[1:4]
if len(sys.argv) > 4:
    count = Path(sys.argv[4])
    with count.open("a") as file:
        file.write("x")
    if count.stat().st_size == 3:
        os.kill(os.getppid(), signal.SIGINT)
with wave.open(out, "wb") as file:
    file.setnchannels(1); file.setsampwidth(2); file.setframerate(8000)
    high, low = (9000).to_bytes(2, "little", signed=True), (-9000).to_bytes(2, "little", signed=True)
    file.writeframes((high * 20 + low * 20) * int(float(stretch) * (40 + 11 * len(text))))
"""


@pytest.fixture
def speaker(tmp_path: Path) -> str:
    path = tmp_path / "speak.py"
    path.write_text(SPEAKER)
    return f"command:{sys.executable} {path} {{text}} {{out}} {{stretch}}"


def options(out: Path, synthesis: str, *more: str) -> list[str]:
    shape = ["--conversations", "1", "--speakers", "2", "--types", "narrative", "--duration", "15", "--split", "test"]
    return ["construct", "--out", str(out), "--seed", "2", "--synthesis", synthesis, "--no-words", *shape, *more]


def test_it_prints_one_document_with_the_checks(tmp_path: Path, speaker: str) -> None:
    result = CliRunner().invoke(floorscope, options(tmp_path / "out", speaker, "--json"))
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert (document["done"], document["conversations"], document["failed"]) == (1, 1, [])
    assert document["base_voices"] == 1
    assert set(document["acoustic_check"]) >= {"value", "n", "realised", "by_kind", "published"}
    assert set(document["dynamics"]) == {"Narrative", "All"}
    assert document["verification"] == []


def test_it_prints_tables_for_people_and_the_corpus_is_read(tmp_path: Path, speaker: str) -> None:
    out = tmp_path / "out"
    result = CliRunner().invoke(floorscope, options(out, speaker, "--verify"))
    assert result.exit_code == 0, result.output
    for heading in ("Dynamics", "Acoustic check", "Measured speech (silero)", "Measured speech (energy)", "97.2 %"):
        assert heading in result.stdout
    info = CliRunner().invoke(floorscope, ["corpus", "info", str(out), "--json"])
    assert info.exit_code == 0
    assert json.loads(info.stdout)["conversations"][0]["id"] == "narrative-2-01"


def test_a_suite_is_made_with_as_many_of_each_condition(tmp_path: Path, speaker: str) -> None:
    out = tmp_path / "out"
    arguments = ["construct", "--out", str(out), "--suite", "floor-control", "--synthesis", speaker, "--no-words"]
    result = CliRunner().invoke(floorscope, [*arguments, "--conversations", "4", "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["conditions"] == {"eot": 1, "hold": 1, "interruption": 1, "backchannel": 1}
    assert (out / "floorscope-suite.json").is_file()
    odd = CliRunner().invoke(floorscope, [*arguments, "--conversations", "6"])
    assert odd.exit_code == 2


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (["--types", "gossip"], "no interaction type"),
        (["--speakers", "2,7"], "each 2 to 5"),
        (["--snr", "loud"], "not a range"),
        (["--snr", "38:20"], "not a range"),
        (["--conversations", "0"], "0"),
    ],
)
def test_a_wrong_call_is_refused_with_a_sentence(tmp_path: Path, speaker: str, more: list[str], reason: str) -> None:
    result = CliRunner().invoke(floorscope, options(tmp_path / "out", speaker, *more))
    assert result.exit_code == 2
    assert reason in result.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "more", [["--script", "openai:http://localhost"], ["--synthesis", "parrot"], ["--synthesis", "command:say {text}"]]
)
def test_a_writer_or_engine_that_is_none_is_an_input_error(tmp_path: Path, speaker: str, more: list[str]) -> None:
    with pytest.raises(FloorscopeError) as caught:
        CliRunner().invoke(floorscope, options(tmp_path / "out", speaker, *more), catch_exceptions=False)
    assert caught.value.exit_code == 2


def test_ctrl_c_ends_it_with_130_and_the_same_command_goes_on(tmp_path: Path, speaker: str) -> None:
    out, interrupting = tmp_path / "out", f"{speaker} {tmp_path / 'count'}"
    line = [sys.executable, "-m", "app.cli", *options(out, interrupting, "--workers", "1")]
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    first = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=120)
    assert first.returncode == 130, first.stderr
    assert "the same command goes on" in first.stderr
    assert not (out / "floorscope-corpus.json").exists()
    second = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=120)
    assert second.returncode == 0, second.stderr
    assert (out / "floorscope-corpus.json").is_file()
