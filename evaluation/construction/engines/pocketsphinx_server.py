"""Times the words of a known text with pocketsphinx for whoever asks: JSON lines in and out, as in `hibari_server`.

Run as a program of its own (it imports nothing of Floorscope). Question: ``{"words": […], "samples": PATH}``, the words
in small letters, the samples 16-bit mono at 16 kHz without a header; answer: ``{"times": [[first, last], …]}`` in steps
of 10 ms, the last included, or ``{"error"}``.
"""

import json
import sys
from pathlib import Path
from typing import Any

_LETTERS = {
    "a": "AE", "b": "B", "c": "K", "d": "D", "e": "EH", "f": "F", "g": "G", "h": "HH", "i": "IH", "j": "JH", "k": "K",
    "l": "L", "m": "M", "n": "N", "o": "OW", "p": "P", "q": "K", "r": "R", "s": "S", "t": "T", "u": "AH", "v": "V",
    "w": "W", "x": "K S", "y": "IY", "z": "Z",
}  # fmt: skip
"""A rough sound for each letter: enough to time a name that the dictionary lacks between words that it has."""

_decoder: list[Any] = []


def decoder() -> Any:
    """Return the decoder, loaded once."""
    if not _decoder:
        from pocketsphinx import Decoder  # type: ignore[import-not-found, import-untyped, unused-ignore]

        _decoder.append(Decoder(lm=None, cmn="batch", bestpath=False, loglevel="FATAL"))
    return _decoder[0]


def answer_to(question: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to one question."""
    aligner = decoder()
    words = question["words"]
    for word in words:
        if aligner.lookup_word(word) is None:
            aligner.add_word(word, " ".join(_LETTERS[letter] for letter in word if letter in _LETTERS), True)
    # What it knows of the noise and the channel is forgotten, so that times do not depend on what was asked before.
    aligner.reinit_feat()
    aligner.set_align_text(" ".join(words))
    aligner.start_utt()
    aligner.process_raw(Path(question["samples"]).read_bytes(), full_utt=True)
    aligner.end_utt()
    segments = [part for part in aligner.seg() or () if not part.word.startswith(("<", "[", "("))]
    if [part.word.partition("(")[0] for part in segments] != words:
        return {"error": "the words were not found in the sound"}
    return {"times": [[part.start_frame, part.end_frame] for part in segments]}


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
