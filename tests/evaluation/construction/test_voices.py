"""Voices: identities, the split, the cast."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.construction.acts import Speaker
from evaluation.construction.synthesis import SynthesisError, Voice
from evaluation.construction.voices import cast, pitches, register_of, voice_pool

TWO_BASES = tuple(Voice("hibari", "heart", pitch) for pitch in pitches(8)) + tuple(
    Voice("piper", "en_US-joe-medium", pitch) for pitch in pitches(8)
)


def test_pitches_go_from_the_lowest_to_the_highest_by_one_ratio() -> None:
    factors = pitches(8)
    assert (factors[0], factors[-1]) == (0.72, 1.25)
    ratios = [high / low for low, high in itertools.pairwise(factors)]
    assert max(ratios) == pytest.approx(min(ratios), abs=0.003)
    assert pitches(1) == (1.0,)


@given(seed=st.integers(0, 1_000), dev=st.integers(2, 5), test=st.integers(2, 5))
def test_no_voice_is_in_both_splits_and_each_split_has_enough(seed: int, dev: int, test: int) -> None:
    pool = voice_pool(TWO_BASES, dev_speakers=dev, test_speakers=test, seed=seed)
    assert not set(pool.dev) & set(pool.test)
    assert set(pool.dev) | set(pool.test) == set(TWO_BASES)
    assert len(pool.dev) >= dev
    assert len(pool.test) >= test


def test_both_splits_have_voices_of_every_base_and_the_pool_counts_bases() -> None:
    pool = voice_pool(TWO_BASES, dev_speakers=5, test_speakers=5, seed=1)
    assert pool.base_voices == ("hibari/heart", "piper/en_US-joe-medium")
    assert pool.base_voices_of("dev") == pool.base_voices_of("test") == pool.base_voices


def test_too_few_voices_are_refused_with_the_numbers() -> None:
    with pytest.raises(SynthesisError, match="Of 8 voices, dev needs 5 and test 5"):
        voice_pool(TWO_BASES[:8], dev_speakers=5, test_speakers=5, seed=1)


def test_a_corpus_of_one_split_uses_all_voices() -> None:
    assert voice_pool(TWO_BASES, dev_speakers=0, test_speakers=5, seed=1).test == TWO_BASES


@given(seed=st.integers(0, 1_000), registers=st.lists(st.sampled_from(["low", "high"]), min_size=2, max_size=5))
def test_speakers_get_different_voices_that_can_be_told_apart(seed: int, registers: list[str]) -> None:
    speakers = [Speaker(f"s{position}", "Name", register) for position, register in enumerate(registers)]
    parts = cast(speakers, TWO_BASES, seed)
    assert len(set(parts.values())) == len(speakers)
    for one, other in itertools.combinations(parts.values(), 2):
        ratio = max(one.pitch, other.pitch) / min(one.pitch, other.pitch)
        assert one.base != other.base or ratio > 1.14
    assert register_of(parts["s0"]) == registers[0]


def test_the_cast_is_the_same_for_the_same_seed_and_differs_among_seeds() -> None:
    speakers = [Speaker("ana", "Ana"), Speaker("ben", "Ben", "low")]
    casts = {tuple(sorted(cast(speakers, TWO_BASES, seed).items())) for seed in range(30)}
    assert cast(speakers, TWO_BASES, 3) == cast(speakers, TWO_BASES, 3)
    assert len(casts) > 10


def test_fewer_voices_than_speakers_are_refused() -> None:
    with pytest.raises(SynthesisError, match="1 voices for 2 speakers"):
        cast([Speaker("ana", "Ana"), Speaker("ben", "Ben")], TWO_BASES[:1], 1)
