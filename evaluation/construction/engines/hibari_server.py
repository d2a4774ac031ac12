"""Speaks with hibari-tts for whoever asks: a JSON question a line on stdin, a JSON answer a line on stdout.

Run as a program of its own (it imports nothing of Floorscope), so that a model that hangs or dies costs one clip.
Questions: ``{"voices": true}`` and ``{"text", "voice", "speed", "seed", "out"}``; answers: ``{"voices": […]}``,
``{"out"}`` or ``{"error"}``.
"""

import json
import os
import sys
from typing import Any

_models: dict[str, Any] = {}


def voices_here() -> list[str]:
    """Return the voices whose model is on this machine."""
    from hibari import voices  # type: ignore[import-not-found, import-untyped, unused-ignore]

    return [
        name
        for name, facts in voices.VOICES.items()
        if facts.get("bundled") or os.path.exists(os.path.join(voices.cache_dir(), facts["file"]))  # noqa: PTH110, PTH118
    ]


def answer_to(question: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to one question."""
    from hibari import Hibari  # type: ignore[import-not-found, import-untyped, unused-ignore]

    if "voices" in question:
        return {"voices": voices_here()}
    voice = question["voice"]
    if voice not in voices_here():
        return {"error": f"the voice “{voice}” is not on this machine"}
    if voice not in _models:
        _models[voice] = Hibari(voice=voice, threads=1)
    _models[voice].save(question["text"], question["out"], question["speed"], question["seed"])
    return {"out": question["out"]}


def main() -> None:
    """Answer until the input ends."""
    # Whatever a library prints must not look like an answer.
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        try:
            answer = answer_to(json.loads(line))
        except (ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError) as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
