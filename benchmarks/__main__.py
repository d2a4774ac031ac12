"""Run measurements by name; exit 1 if a goal is missed or both sides did not come to the same."""

import argparse
import json
import os
import sys
from importlib import import_module

from benchmarks.comparison import Result

ROWS = {
    "first_paint": "open five hours of channels and paint them",
    "pyramid": "the outline of five hours at every zoom",
    "timeline_frame": "one frame of the timeline",
    "spectrogram": "the spectrogram of one lane",
    "speech_activity": "where somebody speaks on five channels",
    "durable_label": "one label durable on disk",
    "start_up": "start to shown window",
    "time_stretch": "half speed with the pitch kept",
}
"""Modules beside this one by what they measure; each has ``run() -> Result``, and may have
``run_full() -> tuple[Result, ...]`` for more cases. They are imported only when run."""


def main(arguments: list[str]) -> int:
    """Measure what is named, print it, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="+", choices=[*ROWS, "all"], metavar="NAME", help=", ".join([*ROWS, "all"]))
    parser.add_argument("--json", action="store_true", help="one JSON document instead of lines")
    parser.add_argument("--full", action="store_true", help="the longer cases too")
    chosen = parser.parse_args(arguments)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    names = list(ROWS) if "all" in chosen.names else list(dict.fromkeys(chosen.names))
    results: list[Result] = []
    for name in names:
        measured = _measured(name, full=chosen.full)
        results += measured
        if not chosen.json:
            print("\n".join(result.as_text() for result in measured), flush=True)
    if chosen.json:
        print(json.dumps([result.as_json() for result in results], indent=2))
    return 0 if all(result.good for result in results) else 1


def _measured(name: str, *, full: bool) -> tuple[Result, ...]:
    module = import_module(f"benchmarks.{name}")
    if full and hasattr(module, "run_full"):
        cases: tuple[Result, ...] = module.run_full()
        return cases
    return (module.run(),)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
