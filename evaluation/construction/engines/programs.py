"""Programs run with limits: one call each (`run_program`), or kept and asked line by line (`SpeakingProgram`)."""

import contextlib
import importlib.util
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import numpy as np
import psutil
import soundfile  # type: ignore[import-untyped]

from evaluation.construction.synthesis import LONGEST_CLIP_S, Speech, SynthesisError

_ERROR_TAIL_BYTES = 400


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may take.

    Parameters
    ----------
    timeout_s
        Wall-clock seconds until the program is ended.
    file_bytes
        Largest file that it may write; the system enforces it on Linux, elsewhere it is looked at afterwards.
    """

    timeout_s: float = 60.0
    file_bytes: int = 64 << 20


def can_serve(package: str) -> bool:
    """Return whether a package is installed beside an interpreter that can run it in a process of its own.

    In an installed bundle there is none: its executable is Floorscope itself.
    """
    return not getattr(sys, "frozen", False) and importlib.util.find_spec(package) is not None


def run_program(
    line: Sequence[str], limits: Limits, *, text: str | None = None, good_codes: Sequence[int] = (0,)
) -> str:
    """Run a program to its end, without a shell, and return what it printed (at most 64 KiB of it).

    Parameters
    ----------
    line
        Program and arguments.
    text
        What it gets on its standard input; nothing where None.
    good_codes
        Exit codes that mean success.

    Raises
    ------
    SynthesisError
        If it is not there, takes longer than allowed or exits with another code; the text has its last words.
    """
    name = Path(line[0]).name
    with TemporaryFile() as output, TemporaryFile() as errors:
        process = _started(
            line, limits, stdin=subprocess.DEVNULL if text is None else subprocess.PIPE, stdout=output, stderr=errors
        )
        try:
            process.communicate(None if text is None else text.encode(), timeout=limits.timeout_s)
        except subprocess.TimeoutExpired as error:
            raise SynthesisError(f"{name} took longer than {limits.timeout_s:g} s and was ended.") from error
        finally:
            end_program(process)
        if process.returncode not in good_codes:
            raise SynthesisError(f"{name} failed ({_reason(process.returncode)}){_last_words(errors)}.")
        output.seek(0)
        return output.read(1 << 16).decode(errors="replace")


def kill_program(process: subprocess.Popen[bytes]) -> None:
    """End a program and all that it started, at once, and wait for it."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
    process.wait()


def end_program(process: subprocess.Popen[bytes]) -> None:
    """End a program as `kill_program` does, and close its pipes."""
    kill_program(process)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def _started(
    line: Sequence[str],
    limits: Limits,
    *,
    stdin: int,
    stdout: int | IO[bytes],
    stderr: int | IO[bytes],
    environment: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    try:
        # A session of its own: Ctrl+C in the terminal is for us, who then end the program in good order.
        process = subprocess.Popen(
            list(line), stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True, env=environment
        )
    except (OSError, ValueError) as error:
        words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SynthesisError(
            f"The program cannot be run: {words}.", where=str(line[0]), remedy="Install it, or choose another engine."
        ) from error
    if hasattr(psutil, "RLIMIT_FSIZE"):
        with contextlib.suppress(psutil.Error, OSError):
            psutil.Process(process.pid).rlimit(psutil.RLIMIT_FSIZE, (limits.file_bytes, limits.file_bytes))
    return process


def _reason(code: int) -> str:
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"


def _last_words(errors: IO[bytes]) -> str:
    size = errors.seek(0, os.SEEK_END)
    errors.seek(max(0, size - _ERROR_TAIL_BYTES))
    lines = errors.read().decode(errors="replace").strip().splitlines()
    return f": {lines[-1].strip().rstrip('.')}" if lines else ""


def speech_from_file(path: Path, limits: Limits) -> Speech:
    """Return the sound that a program wrote, its first channel.

    Raises
    ------
    SynthesisError
        If the file is absent, too large or no sound.
    """
    try:
        size = path.stat().st_size
        if size > limits.file_bytes:
            raise SynthesisError(f"The engine wrote {size:,} bytes; {limits.file_bytes:,} are allowed.")
        with soundfile.SoundFile(path) as file:
            if file.frames > LONGEST_CLIP_S * file.samplerate:
                raise SynthesisError(f"The engine spoke for more than {LONGEST_CLIP_S} s.", remedy="Shorten the text.")
            samples = file.read(dtype="float64", always_2d=True)[:, 0]
            rate_hz = int(file.samplerate)
    except (OSError, soundfile.SoundFileError) as error:
        raise SynthesisError(f"The engine wrote no sound file: {error}.", where=str(path)) from error
    return Speech(np.ascontiguousarray(samples), rate_hz)


class SpeakingProgram:
    """A program that is kept running: a line goes in, and one line on one of its outputs says that it is done.

    Parameters
    ----------
    line
        Program and arguments.
    answers_on
        ``stdout`` or ``stderr``: where the lines that matter come; the other output is thrown away.
    """

    def __init__(
        self,
        line: Sequence[str],
        limits: Limits,
        *,
        answers_on: str = "stdout",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._name = Path(line[0]).name
        self._limits = limits
        pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, answers_on: subprocess.PIPE}
        self._process = _started(
            line,
            limits,
            stdin=subprocess.PIPE,
            stdout=pipes["stdout"],
            stderr=pipes["stderr"],
            environment=environment,
        )
        answers = self._process.stdout if answers_on == "stdout" else self._process.stderr
        assert answers is not None
        self._lines: queue.Queue[str | None] = queue.Queue(maxsize=1_000)
        self._recent: deque[str] = deque(maxlen=1)
        self._reader = threading.Thread(
            target=self._read, args=(answers,), name=f"answers of {self._name}", daemon=True
        )
        self._reader.start()

    def _read(self, answers: IO[bytes]) -> None:
        """Pass lines on; a program that floods its output loses what nobody asked for."""
        while line := answers.readline(1 << 16):
            with contextlib.suppress(queue.Full):
                self._lines.put_nowait(line.decode(errors="replace").rstrip("\n"))
        self._lines.put(None)

    def ask(self, line: str, is_answer: Callable[[str], bool]) -> str:
        """Send a line (nothing where it is empty) and return the first line that is an answer.

        Raises
        ------
        SynthesisError
            If the program ended or none came in time; the program is then ended and cannot be asked again.
        """
        assert self._process.stdin is not None
        try:
            if line:
                self._process.stdin.write(line.encode() + b"\n")
                self._process.stdin.flush()
            while True:
                answer = self._lines.get(timeout=self._limits.timeout_s)
                if answer is None:
                    raise SynthesisError(f"{self._name} ended by itself{self._last_words()}.")
                if is_answer(answer):
                    return answer
                self._recent.append(answer)
        except queue.Empty as error:
            self.close()
            raise SynthesisError(
                f"{self._name} took longer than {self._limits.timeout_s:g} s and was ended."
            ) from error
        except OSError as error:
            self.close()
            raise SynthesisError(f"{self._name} ended by itself{self._last_words()}.") from error
        except SynthesisError:
            self.close()
            raise

    def _last_words(self) -> str:
        return f": {self._recent[-1].strip().rstrip('.')}" if self._recent else ""

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def close(self) -> None:
        """End it."""
        kill_program(self._process)
        # The end of the output comes last; a full queue is emptied so that the reader can say so.
        while self._reader.is_alive():
            with contextlib.suppress(queue.Empty):
                self._lines.get(timeout=0.1)
        self._reader.join()
        end_program(self._process)


class ProgramPool:
    """Programs that are kept between calls, by what they were started for.

    Parameters
    ----------
    start
        Starts a program for a key.
    most_idle
        How many may wait for the next call; the one that has waited longest is ended.
    """

    def __init__(self, start: Callable[[str], SpeakingProgram], *, most_idle: int = 4) -> None:
        self._start = start
        self._most_idle = most_idle
        self._idle: list[tuple[str, SpeakingProgram]] = []
        # Protects the list of idle programs; a program itself is used by one thread at a time.
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def lent(self, key: str) -> Iterator[SpeakingProgram]:
        """Give a program for the time of one call."""
        program = self._taken(key) or self._start(key)
        try:
            yield program
        finally:
            self._give_back(key, program)

    def _taken(self, key: str) -> SpeakingProgram | None:
        with self._lock:
            for position, (other, program) in enumerate(self._idle):
                if other == key:
                    del self._idle[position]
                    return program
        return None

    def _give_back(self, key: str, program: SpeakingProgram) -> None:
        if not program.alive:
            return
        with self._lock:
            self._idle.append((key, program))
            surplus = self._idle.pop(0)[1] if len(self._idle) > self._most_idle else None
        if surplus is not None:
            surplus.close()

    def close(self) -> None:
        """End all programs that wait."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, program in idle:
            program.close()
