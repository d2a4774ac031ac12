"""Speech engines: what they say, and what becomes of one that fails, hangs or floods."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest
import soundfile  # type: ignore[import-untyped]

from annotation.errors import FloorscopeError
from evaluation.construction.engines.catalogue import ENGINES, engines_for
from evaluation.construction.engines.command import CommandEngine
from evaluation.construction.engines.flite import FliteEngine
from evaluation.construction.engines.hibari import HibariEngine
from evaluation.construction.engines.programs import Limits, ProgramPool, SpeakingProgram, run_program
from evaluation.construction.engines.recorded import RecordedEngine
from evaluation.construction.synthesis import SpeechEngine, SynthesisError, clip_from_speech

PYTHON = sys.executable
SPEAKER = """
import sys, wave
text, out = sys.argv[1:3]
stretch = float(sys.argv[3]) if len(sys.argv) > 3 else 1.0
with wave.open(out, "wb") as file:
    file.setnchannels(1); file.setsampwidth(2); file.setframerate(8000)
    for k in range(int(stretch * 800 * len(text))):
        file.writeframesraw((9000 * (1 if k // 20 % 2 else -1)).to_bytes(2, "little", signed=True))
"""


@pytest.fixture
def speaker(tmp_path: Path) -> Path:
    path = tmp_path / "speak it.py"
    path.write_text(SPEAKER)
    return path


@pytest.fixture(params=sorted(ENGINES))
def installed(request: pytest.FixtureRequest) -> Iterator[SpeechEngine]:
    """Give each engine of the catalogue that this machine has."""
    try:
        engine = ENGINES[request.param]()
    except SynthesisError as error:
        pytest.skip(str(error))
    yield engine
    engine.close()


def test_an_installed_engine_says_the_same_for_the_same_call(installed: SpeechEngine) -> None:
    voice = installed.voices()[0]
    first = installed.speak("Did they say what it costs?", voice, seed=3)
    again = installed.speak("Did they say what it costs?", voice, seed=3)
    assert installed.deterministic
    assert first.rate_hz == again.rate_hz
    assert np.array_equal(first.samples, again.samples)
    assert 0.8 < len(first.samples) / first.rate_hz < 4


def test_an_installed_engine_keeps_its_tempo_when_the_pitch_is_shifted(installed: SpeechEngine) -> None:
    voice = installed.voices()[0]
    lengths = []
    for pitch in (0.8, 1.0, 1.2):
        speech = installed.speak("We put the tables by the window.", voice, seed=3, stretch=pitch)
        lengths.append(len(clip_from_speech(speech, pitch=pitch, rate_hz=16_000)))
    # Piper rounds each sound up to whole steps, so that fast speech comes out a little slow.
    assert max(lengths) < 1.35 * min(lengths)


def test_a_text_that_looks_like_an_option_is_spoken(installed: SpeechEngine) -> None:
    speech = installed.speak("--help me please", installed.voices()[0], seed=1)
    assert len(speech.samples) > 0.3 * speech.rate_hz


def test_a_text_without_a_letter_to_speak_costs_its_clip_with_a_sentence(installed: SpeechEngine) -> None:
    with pytest.raises(SynthesisError, match="cannot be spoken"):
        installed.speak(" \n ", installed.voices()[0], seed=1)


def test_a_voice_that_is_not_there_is_a_sentence() -> None:
    try:
        engine = HibariEngine()
    except SynthesisError as error:
        pytest.skip(str(error))
    with pytest.raises(SynthesisError, match="nobody"):
        engine.speak("Hello.", "nobody", seed=1)
    assert len(engine.speak("Hello.", "heart", seed=1).samples) > 0
    engine.close()


@pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed")
def test_flite_offers_each_voice_once_and_none_that_only_tells_the_time() -> None:
    voices = FliteEngine().voices()
    assert "awb_time" not in voices
    assert not {"kal", "kal16"} <= set(voices)


def test_a_command_gets_text_and_file_as_whole_words_and_no_shell(speaker: Path, tmp_path: Path) -> None:
    engine = CommandEngine(f"{PYTHON} '{speaker}' {{text}} {{out}} {{stretch}}")
    text = f"a; touch {tmp_path}/gone $(touch x) {{out}}"
    speech = engine.speak(text, "default", seed=1, stretch=0.5)
    assert len(speech.samples) == 400 * len(text)
    assert engine.stretches
    assert not (tmp_path / "gone").exists()


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("say {text}", "lacks"),
        ("say {out}", "lacks"),
        ("say 'a {text} {out}", "cannot be split"),
        ("{text} {out}", "begins with no program"),
        ("say {voice} {text} {out}", "belong together"),
    ],
)
def test_a_template_that_cannot_work_is_refused_as_a_wrong_call(template: str, reason: str) -> None:
    with pytest.raises(SynthesisError, match=reason) as caught:
        CommandEngine(template)
    assert caught.value.exit_code == 2


def test_a_program_that_fails_says_its_last_words() -> None:
    with pytest.raises(SynthesisError, match=r"exit code 3\): no such voice"):
        run_program([PYTHON, "-c", "import sys; print('no such voice.', file=sys.stderr); sys.exit(3)"], Limits())


def test_a_program_that_is_not_there_is_a_sentence() -> None:
    with pytest.raises(SynthesisError, match="cannot be run"):
        run_program(["/nowhere/speak"], Limits())


def test_a_program_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    note = tmp_path / "child"
    code = (
        "import subprocess, sys; child = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE);"
        f"open({str(note)!r}, 'w').write(str(child.pid)); child.wait()"
    )
    with pytest.raises(SynthesisError, match="longer than 3 s"):
        run_program([PYTHON, "-c", code], Limits(timeout_s=3))
    child = int(note.read_text())
    assert not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE


def test_a_program_that_writes_too_much_is_refused(tmp_path: Path) -> None:
    engine = CommandEngine(
        f"""{PYTHON} -c "import sys; open(sys.argv[2], 'wb').write(bytes(200000))" {{text}} {{out}}""",
        limits=Limits(file_bytes=100_000),
    )
    with pytest.raises(SynthesisError, match=r"failed|wrote"):
        engine.speak("Hello.", "default", seed=1)


def test_a_program_that_writes_no_sound_is_a_sentence() -> None:
    engine = CommandEngine(f"{PYTHON} -c pass {{text}} {{out}}")
    with pytest.raises(SynthesisError, match="no sound file"):
        engine.speak("Hello.", "default", seed=1)


ECHO = "import sys\nfor line in sys.stdin:\n    print('noise'); print('done ' + line.strip(), flush=True)\n"


def test_a_kept_program_answers_each_line() -> None:
    program = SpeakingProgram([PYTHON, "-c", ECHO], Limits())
    assert program.ask("one", lambda line: line.startswith("done")) == "done one"
    assert program.ask("two", lambda line: line.startswith("done")) == "done two"
    program.close()
    assert not program.alive


def test_a_kept_program_that_dies_or_hangs_costs_one_call() -> None:
    dead = SpeakingProgram([PYTHON, "-c", "print('out of memory.')"], Limits())
    with pytest.raises(SynthesisError, match="ended by itself: out of memory"):
        dead.ask("", lambda line: line == "done")
    assert not dead.alive
    hanging = SpeakingProgram([PYTHON, "-c", "input(); input()"], Limits(timeout_s=0.5))
    with pytest.raises(SynthesisError, match="longer than"):
        hanging.ask("one", lambda line: line == "done")
    assert not hanging.alive


def test_a_kept_program_that_floods_its_output_is_ended_cleanly() -> None:
    flooding = SpeakingProgram([PYTHON, "-c", "while True: print('x' * 1000)"], Limits(timeout_s=5))
    flooding.ask("", lambda line: line.startswith("x"))
    flooding.close()
    assert not flooding.alive


def test_a_pool_starts_a_program_once_for_calls_one_after_another() -> None:
    started: list[str] = []

    def start(key: str) -> SpeakingProgram:
        started.append(key)
        return SpeakingProgram([PYTHON, "-c", ECHO], Limits())

    pool = ProgramPool(start, most_idle=1)
    for key in ("a", "a", "b", "a"):
        with pool.lent(key) as program:
            assert program.ask("x", lambda line: line.startswith("done")) == "done x"
    pool.close()
    assert started == ["a", "b", "a"]


def test_recorded_clips_are_found_by_voice_and_words(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "yes.wav", np.full(800, 0.25), 8_000)
    (tmp_path / "clips.tsv").write_text("# voice\ttext\tfile\nann\tYes, of course.\tyes.wav\n\n")
    engine = RecordedEngine(tmp_path)
    assert engine.voices() == ["ann"]
    assert len(engine.speak("yes of COURSE", "ann", seed=0).samples) == 800
    with pytest.raises(SynthesisError, match="no clip of “No"):
        engine.speak("No.", "ann", seed=0)


@pytest.mark.parametrize("line", ["ann\tyes", "\tyes\tyes.wav", "ann\tyes\t../yes.wav", "ann\tyes\t/etc/passwd", ""])
def test_a_table_of_clips_that_is_wrong_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    (tmp_path / "clips.tsv").write_text(line + "\n")
    with pytest.raises(FloorscopeError, match=r"clips\.tsv"):
        RecordedEngine(tmp_path)


def test_an_engine_that_is_none_is_refused_as_a_wrong_call() -> None:
    with pytest.raises(SynthesisError, match="There is no speech engine “parrot”") as caught:
        engines_for("flite+parrot")
    assert caught.value.exit_code == 2


def test_without_any_engine_auto_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SynthesisError, match="apt-get install flite"):
        engines_for("auto")
