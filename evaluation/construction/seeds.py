"""Independent random streams: one seed of a corpus gives every stage of every conversation a stream of its own."""

import hashlib
import random

import numpy as np


def derived_seed(seed: int, *labels: str | int) -> int:
    """Return a seed of 64 bits that depends on nothing but `seed` and the labels, in their order."""
    text = "\x1f".join(str(label) for label in (seed, *labels))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def stream(seed: int, *labels: str | int) -> random.Random:
    """Return a fresh stream of random numbers for one purpose, such as ``stream(7, "casual-2-03", "script")``."""
    return random.Random(derived_seed(seed, *labels))


def noise_stream(seed: int, *labels: str | int) -> np.random.Generator:
    """Return a fresh numpy generator for one purpose."""
    return np.random.default_rng(derived_seed(seed, *labels))
