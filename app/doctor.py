"""What this machine lacks for windows, sound and projects, and what to do about it.

Each check stands alone: a known fault in one becomes its ``fail`` and the others still run. Nothing here imports Qt
or PortAudio, so that the report is made even where those cannot start.
"""

import importlib.metadata
import importlib.resources
import importlib.util
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Literal

import numpy as np

from annotation.audio.model_file import ModelRefusedError
from annotation.audio.silero import CHUNK_SAMPLES, SileroBatch, SileroStream
from annotation.errors import FloorscopeError
from app.settings import cache_folder, config_folder, data_folder
from app.sound_system import SoundSystem, find_sound_system, remedy_without_device

Status = Literal["ok", "warn", "fail"]

OLDEST_PYTHON = (3, 11)
OLDEST_QT = (6, 10, 3)
BROKEN_QT = (6, 12)
OLDEST_SQLITE = (3, 37)
"""STRICT tables."""
LARGEST_DIFFERENCE = 1e-4
"""Between a probability computed in onnxruntime and with numpy."""
LITTLE_SPACE_MB = 1_000
NO_SPACE_MB = 50
PROBE_TIMEOUT_S = 30
_KNOWN_ERRORS = (OSError, ValueError, ImportError, sqlite3.Error, subprocess.SubprocessError)
_REPORT_ONLY = "This check could not be made; the detail is the system's own word."


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of one check: `detail` says what was found, `remedy` what to do (empty when all is well)."""

    name: str
    status: Status
    detail: str
    remedy: str = ""


class ProbeError(FloorscopeError):
    """The process that asks the window system or the sound card ended without an answer."""

    code = "probe-failed"


Question = Callable[[], Check]


def run_checks(questions: Mapping[str, Question] | None = None) -> tuple[Check, ...]:
    """Run every check and return the outcomes in order.

    Parameters
    ----------
    questions
        Checks by name; those of `default_questions` when left out.
    """
    return tuple(
        _isolated(name, question)
        for name, question in (default_questions() if questions is None else questions).items()
    )


def as_json(checks: Iterable[Check]) -> dict[str, object]:
    """Return ``{"ok", "checks"}`` ready for `json.dumps`; `ok` is false only when a check failed."""
    rows = [asdict(check) for check in checks]
    return {"ok": all(row["status"] != "fail" for row in rows), "checks": rows}


def default_questions() -> dict[str, Question]:
    """Return every check by name, in the order of the report."""
    window = cache(lambda: _ask("window"))
    return {
        "python": lambda: check_python((sys.version_info.major, sys.version_info.minor, sys.version_info.micro)),
        "qt version": lambda: check_qt_version(importlib.metadata.version("PySide6-Essentials")),
        "qt libraries": check_qt_libraries,
        "window": lambda: check_window(window()),
        "fonts": lambda: check_fonts(window()),
        "sound": lambda: check_sound(_ask("sound"), find_sound_system()),
        "database": partial(check_database, Path(tempfile.gettempdir())),
        "settings folder": lambda: check_folder("settings folder", config_folder()),
        "cache folder": lambda: check_folder("cache folder", cache_folder()),
        "data folder": lambda: check_folder("data folder", data_folder()),
        "disk space": lambda: check_disk(shutil.disk_usage(_nearest_existing(cache_folder())).free // 1_000_000),
        "packages": check_packages,
        "voices": check_voices,
        "models": check_models,
    }


def check_python(version: tuple[int, int, int]) -> Check:
    """Check the interpreter's version."""
    text = ".".join(map(str, version))
    if version[:2] < OLDEST_PYTHON:
        return Check("python", "fail", f"Python {text}", "Install Python 3.11 or newer and set Floorscope up again.")
    return Check("python", "ok", f"Python {text}")


def check_qt_version(version: str) -> Check:
    """Check that PySide6 is one that neither lacks what is used nor loses references (6.12 does on Python 3.11)."""
    number = _numbers(version)
    if number >= BROKEN_QT:
        return Check(
            "qt version",
            "fail",
            f"PySide6 {version} ends the program after a few hundred signals.",
            "Install the locked version: make setup in the checkout, or pip install 'PySide6-Essentials<6.12'.",
        )
    if number < OLDEST_QT:
        return Check(
            "qt version", "fail", f"PySide6 {version} is older than 6.10.3.", "Run make setup in the checkout."
        )
    return Check("qt version", "ok", f"PySide6 {version}")


def check_qt_libraries() -> Check:
    """Check by the linker's own word that Qt's offscreen and X11 platforms find every library they need.

    Qt names xcb-cursor whatever is missing; ``ldd`` names the library.
    """
    name = "qt libraries"
    if sys.platform != "linux":
        return Check(name, "ok", "Qt brings all it needs on this system.")
    if shutil.which("ldd") is None:
        return Check(name, "warn", "No ldd here to look with.", "See the check named window.")
    platforms = _qt_folder() / "Qt" / "plugins" / "platforms"
    offscreen = _unresolved(platforms / "libqoffscreen.so")
    if offscreen:
        return Check(name, "fail", f"Nothing can be drawn without {', '.join(offscreen)}.", install_line(offscreen))
    window = _unresolved(platforms / "libqxcb.so")
    if window:
        has_screen = bool(os.environ.get("DISPLAY"))
        detail = f"Drawing offscreen works; a window on a screen needs {', '.join(window)}."
        return Check(name, "fail" if has_screen else "warn", detail, install_line(window))
    return Check(name, "ok", "All found, for windows and offscreen.")


def check_window(answer: Mapping[str, object]) -> Check:
    """Check what Qt answered when it was started: platform, screens and their scale."""
    screens = answer["screens"]
    if not isinstance(screens, list) or not screens:
        return Check("window", "fail", f"Qt's platform {answer['platform']} shows no screen.", "Connect or start one.")
    sizes = "; ".join(f"{screen['width']} × {screen['height']} at scale {screen['scale']:g}" for screen in screens)
    return Check("window", "ok", f"Qt draws through {answer['platform']}: {sizes}.")


def check_fonts(answer: Mapping[str, object]) -> Check:
    """Check that there is a font to write with: without fontconfig or fonts, Qt draws no letter and says nothing."""
    families = answer["families"]
    if not families:
        remedy = "Install fonts, on Debian: sudo apt-get install libfontconfig1 fonts-dejavu-core"
        return Check("fonts", "fail", "Qt finds no font, so no text is drawn.", remedy)
    return Check("fonts", "ok", f"{families} font families.")


def check_sound(answer: Mapping[str, object], system: SoundSystem) -> Check:
    """Check that there is a sound device; without one all but playing works, hence never a ``fail``.

    The detail names the sound system (PipeWire, PulseAudio or ALSA), the default device and its latency.
    """
    if not answer["portaudio"]:
        detail = f"PortAudio is missing, so nothing is heard ({answer['error']})."
        return Check("sound", "warn", detail, install_line(("libportaudio.so.2",)))
    name = system.name or "No sound system"
    if "device" not in answer:
        detail = f"{name}; no sound device, so nothing is heard ({answer['error']})."
        return Check("sound", "warn", detail, remedy_without_device(system))
    default = f", default output {system.default}" if system.default else ""
    return Check(
        "sound",
        "ok",
        f"{system.name or answer['host']}{default}. Plays through “{answer['device']}” ({answer['host']}): "
        f"{answer['channels']} channels at {answer['rate_hz']:g} Hz, latency {answer['latency_ms']:.0f} ms.",
    )


def check_database(folder: Path) -> Check:
    """Check that SQLite is new enough and keeps a file in `folder` as projects are kept: WAL, every commit flushed."""
    name = "database"
    version = sqlite3.sqlite_version
    if _numbers(version) < OLDEST_SQLITE:
        return Check(name, "fail", f"SQLite {version} is older than 3.37.", "Install a Python with a newer SQLite.")
    with tempfile.TemporaryDirectory(dir=folder, prefix="floorscope-doctor-") as place:
        connection = sqlite3.connect(Path(place) / "trial.floorscope", isolation_level=None)
        try:
            journal = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
            connection.execute("PRAGMA synchronous=FULL")
            synchronous = connection.execute("PRAGMA synchronous").fetchone()[0]
            connection.execute("CREATE TABLE trial (number INTEGER) STRICT")
        finally:
            connection.close()
    if (journal, synchronous) != ("wal", 2):
        detail = f"SQLite {version} keeps no WAL in {folder} (journal {journal}, synchronous {synchronous})."
        return Check(name, "fail", detail, "Keep projects and temporary files on a local disk.")
    return Check(name, "ok", f"SQLite {version}, WAL, every commit flushed.")


def check_folder(name: str, folder: Path) -> Check:
    """Check that a file can be written in `folder`, which is made when absent."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".doctor-"):
            pass
    except OSError as error:
        return Check(
            name, "fail", f"{folder}: {error.strerror}.", "Free its path, or give yourself the right to write."
        )
    return Check(name, "ok", str(folder))


def check_disk(free_mb: int) -> Check:
    """Check the space that is left for decoded audio and waveform outlines."""
    detail = f"{free_mb:,} MB free where audio is cached."
    if free_mb < NO_SPACE_MB:
        return Check("disk space", "fail", detail, "Free some space: projects cannot be kept on a full disk.")
    if free_mb < LITTLE_SPACE_MB:
        return Check("disk space", "warn", detail, "Free some space: an hour of five channels takes about 1,000 MB.")
    return Check("disk space", "ok", detail)


def check_packages() -> Check:
    """Check that pandas is absent: sqlite-utils imports it where it can, and each start takes up to a second longer."""
    if importlib.util.find_spec("pandas") is not None:
        return Check("packages", "warn", "pandas is installed: each start is slower.", "pip uninstall pandas")
    return Check("packages", "ok", "None that slows the start.")


def check_voices() -> Check:
    """Check which speech synthesisers are there; only making new conversations needs one."""
    has_hibari = importlib.util.find_spec("hibari") is not None or shutil.which("hibari") is not None
    natural = [name for name, there in (("hibari-tts", has_hibari), ("piper", shutil.which("piper"))) if there]
    plain = [program for program in ("flite", "espeak-ng") if shutil.which(program)]
    remedy = "For natural voices: pip install 'floorscope[voices]'"
    if natural:
        return Check("voices", "ok", f"{', '.join((*natural, *plain))}.")
    if plain:
        return Check("voices", "ok", f"{', '.join(plain)}: plainly synthetic. {remedy}.")
    return Check("voices", "warn", "No speech synthesiser.", f"{remedy}; on Debian: sudo apt-get install flite")


def check_models() -> Check:
    """Check that the model of speech activity is the one on record and that both ways to run it agree.

    Labelling needs none, hence never a ``fail``.
    """
    name = "models"
    samples = np.random.default_rng(1).standard_normal(CHUNK_SAMPLES, dtype=np.float32)
    try:
        stream, batch = SileroStream(), SileroBatch(1)
    except ModelRefusedError as refusal:
        detail = f"{refusal.where}: {refusal.what}" if refusal.where else refusal.what
        return Check(name, "warn", detail, refusal.remedy)
    difference = abs(stream.probability(samples) - float(batch.probabilities(samples[np.newaxis])[0, 0]))
    if not difference < LARGEST_DIFFERENCE:
        detail = (
            f"{stream.model_id} gives probabilities of speech that differ by {difference:.2g} between its two forms."
        )
        return Check(name, "warn", detail, "Do not rely on speech activity on this machine; please report this.")
    return Check(name, "ok", f"{stream.model_id} hears speech, its checksum is right, and onnxruntime runs it.")


def missing_libraries(ldd_output: str) -> tuple[str, ...]:
    """Return the libraries that ``ldd`` did not find, each once, in its order."""
    lines = (line.split("=>") for line in ldd_output.splitlines() if line.rstrip().endswith("=> not found"))
    return tuple(dict.fromkeys(line[0].strip() for line in lines))


def install_line(libraries: Iterable[str]) -> str:
    """Return the line that installs the given shared libraries on Debian; unknown ones are named as they are."""
    packages = _debian_packages()
    known = [packages[library] for library in libraries if library in packages]
    unknown = [library for library in libraries if library not in packages]
    parts = []
    if known:
        parts.append(f"On Debian: sudo apt-get install {' '.join(dict.fromkeys(known))}")
    if unknown:
        parts.append(f"Install the packages that bring {', '.join(unknown)}")
    return "; ".join(parts)


def _debian_packages() -> dict[str, str]:
    table = (importlib.resources.files("resources") / "system-libraries.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in table.splitlines() if line and not line.startswith("#"))
    return {evidence: package for _set, _need, kind, evidence, package in rows if kind == "library"}


def _isolated(name: str, question: Question) -> Check:
    try:
        return question()
    except FloorscopeError as error:
        detail = f"{error.where}: {error.what}" if error.where else error.what
        return Check(name, "fail", detail, error.remedy or _REPORT_ONLY)
    except _KNOWN_ERRORS as error:
        return Check(name, "fail", str(error) or type(error).__name__, _REPORT_ONLY)


def _ask(subject: Literal["window", "sound"]) -> dict[str, object]:
    environment = dict(os.environ)
    roots = (str(Path(__file__).resolve().parents[1]), environment.get("PYTHONPATH", ""))
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, roots))
    if sys.platform == "linux" and not (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    done = subprocess.run(
        [sys.executable, "-m", "app.probe", subject],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PROBE_TIMEOUT_S,
        check=False,
    )
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        raise ProbeError(
            said[0] if said else f"The {subject} ended the process that asked it ({done.returncode}).",
            remedy="See the check named qt libraries; for a start without a screen, unset DISPLAY."
            if subject == "window"
            else "",
        )
    answer = json.loads(done.stdout)
    if not isinstance(answer, dict):
        raise ProbeError(f"The {subject} answered with something that is no object.")
    return answer


def _unresolved(library: Path) -> tuple[str, ...]:
    done = subprocess.run(
        ["ldd", str(library)],
        env={**os.environ, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PROBE_TIMEOUT_S,
        check=False,
    )
    if done.returncode != 0:
        raise ProbeError(done.stderr.strip() or f"ldd ended with {done.returncode}.", where=str(library))
    return missing_libraries(done.stdout)


def _qt_folder() -> Path:
    found = importlib.util.find_spec("PySide6")
    if found is None or found.origin is None:
        raise ProbeError("PySide6 is not installed.", remedy="Run make setup in the checkout.")
    return Path(found.origin).parent


def _nearest_existing(folder: Path) -> Path:
    return next(place for place in (folder, *folder.parents) if place.exists())


def _numbers(version: str) -> tuple[int, ...]:
    numbers = []
    for part in version.split("."):
        digits = "".join(character for character in part if character.isdigit())
        numbers.append(int(digits or 0))
    return tuple(numbers)
