"""The driver: same bytes each time, also after an interruption, a kill and a full disk; what fails costs itself."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from annotation.cancellation import CancelledError, CancelToken
from annotation.corpus import read_corpus
from evaluation.construction.construction import ConstructionError
from evaluation.construction.report import construction_as_json, construction_sentences
from tests.evaluation.construction.tone_corpus import CONVERSATIONS, ToneEngine, make_corpus

SCRIPT = Path(__file__).with_name("tone_corpus.py")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a corpus made without interruption."""
    folder = tmp_path_factory.mktemp("whole")
    make_corpus(folder)
    return folder


def run_alone(folder: Path, what: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    return subprocess.run(
        [sys.executable, str(SCRIPT), str(folder), what], env=environment, capture_output=True, text=True, timeout=120
    )


def test_the_corpus_is_read_without_a_warning_and_has_all_that_was_planned(whole: Path) -> None:
    corpus = read_corpus([whole])
    assert not corpus.warnings
    assert not corpus.refused
    assert [len(found.conversation.channels) for found in corpus.conversations] == [2, 3, 4, 5]
    assert all(found.sources[0].events for found in corpus.conversations)


def test_the_same_seed_gives_the_same_bytes_and_another_differs(whole: Path, tmp_path: Path) -> None:
    make_corpus(tmp_path / "again", workers=1)
    assert contents(tmp_path / "again") == contents(whole)
    make_corpus(tmp_path / "other", seed=4)
    same = {name for name, content in contents(tmp_path / "other").items() if contents(whole).get(name) == content}
    assert not same


def test_dev_and_test_share_no_voice(tmp_path: Path) -> None:
    make_corpus(tmp_path, split="both")
    heard: dict[str, set[str]] = {"dev": set(), "test": set()}
    for found in read_corpus([tmp_path]).conversations:
        attributes = found.conversation.attributes
        heard[attributes["split"]] |= {part.partition(": ")[2] for part in attributes["voices"].split(", ")}
    assert heard["dev"]
    assert heard["dev"].isdisjoint(heard["test"])


def test_an_interrupted_construction_goes_on_to_the_same_bytes(whole: Path, tmp_path: Path) -> None:
    cancel = CancelToken()
    with pytest.raises(CancelledError):
        make_corpus(tmp_path, cancel=cancel, listener=lambda done, of, name: cancel.cancel() if done else None)
    assert not (tmp_path / "floorscope-corpus.json").exists()
    assert 1 <= len(list((tmp_path / "conversations").iterdir())) < CONVERSATIONS
    first: list[int] = []
    make_corpus(tmp_path, listener=lambda done, of, name: first.append(done))
    assert first[0] >= 1
    assert contents(tmp_path) == contents(whole)


def test_a_killed_construction_goes_on_to_the_same_bytes(whole: Path, tmp_path: Path) -> None:
    assert run_alone(tmp_path, "kill").returncode == -signal.SIGKILL
    run = json.loads((tmp_path / "construction.json").read_bytes())
    assert len(run["done"]) == 2
    make_corpus(tmp_path)
    assert contents(tmp_path) == contents(whole)


def test_a_disk_that_refuses_ends_it_with_a_sentence_and_what_is_whole_stays(whole: Path, tmp_path: Path) -> None:
    refused = run_alone(tmp_path, "fill")
    assert refused.returncode == 1
    assert "The disk is full. Free some space and give the same command again" in refused.stderr
    assert len(list((tmp_path / "conversations").iterdir())) == 2
    make_corpus(tmp_path)
    assert contents(tmp_path) == contents(whole)


def test_a_folder_with_another_construction_is_refused_and_named(whole: Path) -> None:
    with pytest.raises(ConstructionError, match="differ in seed"):
        make_corpus(whole, seed=4)


def test_a_folder_with_something_else_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(ConstructionError, match="not empty"):
        make_corpus(tmp_path)
    assert contents(tmp_path) == {"thesis.txt": b"precious"}


def test_an_aside_that_cannot_be_said_is_left_out_with_a_sentence(tmp_path: Path, whole: Path) -> None:
    records = [json.loads(path.read_bytes()) for path in sorted(whole.glob("conversations/*/record.json"))]
    aside = next(
        event["text"]
        for record in records
        for event in record["conversation"]["events"]
        if event["kind"] == "BACKCHANNEL"
    )
    others = " ".join(
        event.get("text", "")
        for record in records
        for event in record["conversation"]["events"]
        if event["kind"] not in ("BACKCHANNEL", "NON_CONTENT")
    )
    if aside in others:
        pytest.skip("the first backchannel of this grammar is also part of a turn")
    made = make_corpus(tmp_path, engine=ToneEngine(dumb=[aside]))
    left_out = [text for record in made.records for text in record.left_out]
    assert left_out
    assert all("cannot be said in tones" in text for text in left_out)
    assert not made.run.failed
    assert len(read_corpus([tmp_path]).conversations) == CONVERSATIONS


def test_a_turn_that_cannot_be_said_costs_its_conversation_only(tmp_path: Path, whole: Path) -> None:
    record = json.loads((whole / "conversations" / "casual-2-01" / "record.json").read_bytes())
    turn = next(event["text"] for event in record["conversation"]["events"] if event["kind"] == "TURN")
    made = make_corpus(tmp_path, engine=ToneEngine(dumb=[turn[:30]]))
    assert set(made.run.failed) == {"casual-2-01"}
    assert "cannot be said in tones" in made.run.failed["casual-2-01"]
    assert len(made.records) == CONVERSATIONS - 1
    assert any(sentence.startswith("Not made: casual-2-01") for sentence in construction_sentences(made))


def test_the_report_has_counts_beside_every_share(whole: Path) -> None:
    made = make_corpus(whole)
    document = json.loads(json.dumps(construction_as_json(made), allow_nan=False))
    assert document["done"] == document["conversations"] == CONVERSATIONS
    assert document["base_voices"] == 2
    assert document["voices"] == {"dev": 0, "test": 16}
    check = document["acoustic_check"]
    assert check["n"] == sum(kind["n"] for kind in check["by_kind"].values()) > 0
    assert check["value"] == check["realised"] / check["n"]
    assert (check["published"]["realised"], check["published"]["n"]) == (2_369, 2_436)
    assert document["dynamics"]["All"]["conversations"] == CONVERSATIONS
