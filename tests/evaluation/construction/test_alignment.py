"""Word times."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from evaluation.construction.alignment import PocketsphinxAligner
from evaluation.construction.engines.catalogue import engines_for
from evaluation.construction.engines.hibari import HibariEngine
from evaluation.construction.synthesis import SynthesisError, clip_from_speech

TEXT = "Sorry, wait, did Chidi say what it costs?"


@pytest.fixture
def aligner() -> Iterator[PocketsphinxAligner]:
    try:
        made = PocketsphinxAligner()
    except SynthesisError as error:
        pytest.skip(str(error))
    yield made
    made.close()


def test_words_are_timed_in_order_within_their_clip_names_too(aligner: PocketsphinxAligner) -> None:
    try:
        (engine, *_) = engines_for("auto")
    except SynthesisError as error:
        pytest.skip(str(error))
    clip = clip_from_speech(engine.speak(TEXT, engine.voices()[0], seed=1), pitch=1.0, rate_hz=16_000)
    words = aligner.words(TEXT, clip, 16_000)
    engine.close()
    assert [word.text for word in words] == TEXT.split()
    assert all(word.onset < word.offset for word in words)
    assert all(first.offset <= second.onset for first, second in itertools.pairwise(words))
    assert words[0].onset < 3_200
    assert words[-1].offset <= len(clip)


def test_words_of_a_shifted_voice_are_found_where_they_are(aligner: PocketsphinxAligner) -> None:
    try:
        engine = HibariEngine()
    except SynthesisError as error:
        pytest.skip(str(error))
    speech = engine.speak(TEXT, "heart", seed=1)
    found = {}
    for pitch in (0.72, 1.0, 1.25):
        clip = clip_from_speech(speech, pitch=pitch, rate_hz=16_000)
        words = aligner.words(TEXT, clip, 16_000, pitch=pitch)
        assert [word.text for word in words] == TEXT.split()
        found[pitch] = [word.onset / len(clip) for word in words]
    engine.close()
    assert found[0.72] == pytest.approx(found[1.0], abs=0.02)
    assert found[1.25] == pytest.approx(found[1.0], abs=0.02)


def test_times_do_not_depend_on_what_was_asked_before(aligner: PocketsphinxAligner) -> None:
    try:
        (engine, *_) = engines_for("auto")
    except SynthesisError as error:
        pytest.skip(str(error))
    voice = engine.voices()[0]
    texts = (TEXT, "Mm hm.", "We put the tables by the window.", "Good idea, they paint up to their shoulders.")
    clips = [(text, clip_from_speech(engine.speak(text, voice, seed=1), pitch=1.0, rate_hz=16_000)) for text in texts]
    engine.close()
    forwards = [aligner.words(text, clip, 16_000) for text, clip in clips]
    backwards = [aligner.words(text, clip, 16_000) for text, clip in reversed(clips)]
    assert backwards[::-1] == forwards


def test_sound_without_the_words_has_no_times(aligner: PocketsphinxAligner) -> None:
    assert aligner.words(TEXT, np.zeros(1_600, dtype=np.int16), 16_000) == ()
    assert aligner.words("…", np.zeros(16_000, dtype=np.int16), 16_000) == ()
