import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]
from click.testing import CliRunner, Result

from annotation.project.project import Project
from app.cli import floorscope, size_from_text
from app.demo import make_demo

CHECKOUT = Path(__file__).parents[2]


def call(*arguments: object) -> Result:
    return CliRunner().invoke(floorscope, [str(argument) for argument in arguments])


def process(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "app.cli", *(str(argument) for argument in arguments)]
    return subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    folder = tmp_path / "pair"
    folder.mkdir()
    soundfile.write(folder / "call_agent.wav", np.zeros(16000, np.float32), 16000)
    soundfile.write(folder / "call_caller.wav", np.zeros(4000, np.float32), 8000)
    return folder


def test_corpus_info_is_one_json_document_with_exact_frames(pair: Path) -> None:
    result = call("corpus", "info", pair, "--json")
    document = json.loads(result.stdout)
    conversation = document["conversations"][0]
    assert result.exit_code == 0
    assert (conversation["rate_hz"], conversation["frames"], conversation["duration_s"]) == (16000, 16000, 1.0)
    channels = [(c["speaker"], c["rate_hz"], c["frames"], c["start_frame"]) for c in conversation["channels"]]
    assert channels == [("agent", 16000, 16000, 0), ("caller", 8000, 4000, 0)]


def test_corpus_info_exits_2_only_when_nothing_opened(tmp_path: Path, pair: Path) -> None:
    (tmp_path / "empty.wav").touch()
    assert call("corpus", "info", tmp_path / "empty.wav").exit_code == 2
    assert call("corpus", "info", tmp_path / "empty.wav", pair).exit_code == 0


def test_a_refused_file_is_named_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "empty.wav").touch()
    document = json.loads(call("corpus", "info", tmp_path / "empty.wav", "--json").stdout)
    assert document["conversations"] == []
    assert document["refused"][0]["where"].endswith("empty.wav")
    assert document["refused"][0]["message"]


def test_a_project_is_made_over_a_folder_and_checks_well(tmp_path: Path, pair: Path) -> None:
    path = tmp_path / "p.floorscope"
    assert call("project", "new", path, "--corpus", pair).exit_code == 0
    result = call("project", "check", path, "--json")
    document = json.loads(result.stdout)
    assert result.exit_code == 0
    assert (document["ok"], document["conversations"], document["audio_files"]) == (True, 1, 2)


def test_channels_are_put_together_by_hand_with_their_starts(tmp_path: Path, pair: Path) -> None:
    path = tmp_path / "p.floorscope"
    anna = f"Anna={pair / 'call_agent.wav'}"
    result = call("project", "new", path, "--channel", anna, "--channel", f"Ben={pair / 'call_caller.wav'}@1.5")
    assert result.exit_code == 0
    with Project.open(path) as project:
        conversation = project.conversation("p")
    assert [(c.speaker, c.start_frame) for c in conversation.channels] == [("Anna", 0), ("Ben", 24000)]
    assert conversation.frames == 24000 + 8000


def test_adding_the_same_corpus_again_changes_nothing(tmp_path: Path, pair: Path) -> None:
    path = tmp_path / "p.floorscope"
    call("project", "new", path, "--corpus", pair)
    result = call("project", "add", path, "--corpus", pair)
    assert result.exit_code == 0
    assert "0 added, 1 known already" in result.stderr


def test_a_project_is_never_written_over(tmp_path: Path, pair: Path) -> None:
    path = tmp_path / "p.floorscope"
    path.write_text("dear reader", encoding="utf-8")
    result = process("project", "new", path, "--corpus", pair)
    assert result.returncode == 2
    assert str(path) in result.stderr
    assert path.read_text(encoding="utf-8") == "dear reader"


def test_check_exits_1_when_audio_is_missing(tmp_path: Path, pair: Path) -> None:
    path = tmp_path / "p.floorscope"
    call("project", "new", path, "--corpus", pair)
    (pair / "call_agent.wav").unlink()
    result = call("project", "check", path, "--json")
    assert result.exit_code == 1
    assert "call_agent.wav" in json.dumps(json.loads(result.stdout)["problems"])


def test_a_path_that_is_not_there_is_one_sentence_and_exit_2() -> None:
    result = call("no-such-thing.wav")
    assert result.exit_code == 2
    assert "no-such-thing.wav" in result.stderr


def test_a_channel_that_makes_no_sense_is_one_sentence_and_exit_2(tmp_path: Path) -> None:
    result = process("project", "new", tmp_path / "p.floorscope", "--channel", "nonsense")
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "p.floorscope").exists()


def test_a_view_that_is_not_there_yet_is_said(tmp_path: Path) -> None:
    project = make_demo(tmp_path)
    result = call("screenshot", project, "--view", "agreement", "--out", tmp_path / "p.png")
    assert result.exit_code == 2
    assert "agreement" in result.stderr


def test_a_screenshot_has_the_size_and_scale_asked_for_and_leaves_the_project_alone(tmp_path: Path) -> None:
    project = make_demo(tmp_path)
    before = project.read_bytes()
    out = tmp_path / "p.png"
    result = process("screenshot", project, "--view", "label", "--out", out, "--size", "900x700", "--scale", "2")
    assert result.returncode == 0, result.stderr
    header = out.read_bytes()[16:24]
    assert (int.from_bytes(header[:4], "big"), int.from_bytes(header[4:], "big")) == (1800, 1400)
    assert project.read_bytes() == before


def test_a_picture_of_what_is_no_project_is_refused(tmp_path: Path) -> None:
    junk = tmp_path / "junk.floorscope"
    junk.write_text("dear reader", encoding="utf-8")
    result = process("screenshot", junk, "--view", "label", "--out", tmp_path / "p.png")
    assert result.returncode == 2
    assert str(junk) in result.stderr
    assert not (tmp_path / "p.png").exists()


def test_a_picture_of_a_conversation_that_is_not_there_is_refused(tmp_path: Path) -> None:
    result = process("screenshot", make_demo(tmp_path), "--out", tmp_path / "p.png", "--item", "9")
    assert result.returncode == 2
    assert "there is no conversation 9" in result.stderr


def test_a_project_without_its_suffix_is_refused(tmp_path: Path, pair: Path) -> None:
    assert call("project", "new", tmp_path / "p", "--corpus", pair).exit_code == 2
    assert not (tmp_path / "p").exists()


def test_the_demo_works_through_itself_without_a_display(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    result = process("demo", "--dir", tmp_path)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "label-light.png").stat().st_size > 10_000
    assert str(tmp_path / "label-light.png") in result.stdout
    with Project.open(tmp_path / "demo.floorscope") as project:
        assert project.check().revisions == 2


def test_doctor_prints_one_json_document() -> None:
    result = call("doctor", "--json")
    document = json.loads(result.stdout)
    assert {check["status"] for check in document["checks"]} <= {"ok", "warn", "fail"}
    assert result.exit_code == (0 if document["ok"] else 1)


@pytest.mark.parametrize("text", ["", "1600", "1600x", "axb", "1x1", "99999x1000", "-5x700"])
def test_a_size_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(Exception, match="not a size"):
        size_from_text(text)
