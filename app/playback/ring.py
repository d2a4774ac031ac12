"""The ring between the worker that renders and the device that plays.

One producer and one consumer share it without a lock. The producer owns everything behind `written`, the consumer
moves `read`; what the consumer may do is one tuple that the producer replaces whole. In CPython storing an attribute
is atomic and ordered, which is all that this relies on. The consumer copies and moves an index, nothing else.

Slots are counted from the start of the ring's life and never go back, across seeks and loops too; each carries the
timeline frame it holds, so that a slot that is heard says which frame is heard.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

REMEMBERED_BLOCKS = 512
"""Blocks handed to the device whose times are kept: at 5 ms a block this covers more than 2 s of latency."""


class Permit(NamedTuple):
    """What the consumer may play: slots below `limit`, going on at `target` once it has come to `source`.

    It changes over once for each number of `revision`. A negative limit holds the consumer: it plays silence and
    moves nothing.
    """

    limit: int
    source: int
    target: int
    revision: int


class Block(NamedTuple):
    """Slots handed to the device: `length` from `first`, `lead` frames after the time at which their block sounds."""

    dac_time_s: float
    lead: int
    first: int
    length: int


class Ring:
    """Pre-allocated stereo samples, ``(capacity, 2)`` float32, and the int64 timeline frame of each slot."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._samples = np.zeros((capacity, 2), np.float32)
        self._frames = np.zeros(capacity, np.int64)
        self._permit = Permit(-1, 0, 0, 0)
        self._revision_taken = 0
        self._written = 0
        self._read = 0
        self._pulling = False
        self._pulled = 0
        self._longest_pull = 0
        self._blocks: list[Block | None] = [None] * REMEMBERED_BLOCKS
        self._block_count = 0

    @property
    def written(self) -> int:
        """The slot that is written next."""
        return self._written

    @property
    def read(self) -> int:
        """The slot that the consumer takes next."""
        return self._read

    @property
    def ahead(self) -> int:
        """How many slots lie between what was written and what was taken."""
        return self._written - self._read

    @property
    def pulled(self) -> int:
        """How many frames the consumer asked for, silence included; it stands still where a device died."""
        return self._pulled

    @property
    def longest_pull(self) -> int:
        """How many frames the consumer asked for at once, at most."""
        return self._longest_pull

    @property
    def revising(self) -> bool:
        """Whether the consumer has yet to come to the slot at which it changes over to a revision."""
        return self._revision_taken != self._permit.revision

    # The producer's side

    def write(self, samples: NDArray[np.float32], frames: NDArray[np.int64] | None = None) -> None:
        """Append samples, ``(n, 2)``, and the timeline frame heard in each; they play once `publish` was called.

        Without frames nobody may ask for them.
        """
        done = 0
        while done < len(samples):
            place = self._written % self.capacity
            count = min(len(samples) - done, self.capacity - place)
            self._samples[place : place + count] = samples[done : done + count]
            if frames is not None:
                self._frames[place : place + count] = frames[done : done + count]
            self._written += count
            done += count

    def blend(self, source: int, target: int, count: int) -> None:
        """Fade the first `count` slots at `target` in over those at `source`; only before they are published."""
        share = ((np.arange(count) + 1) / (count + 1)).astype(np.float32)[:, None]
        new = np.arange(target, target + count) % self.capacity
        old = np.arange(source, source + count) % self.capacity
        # In this form samples that did not change come out bit by bit as they were.
        self._samples[new] = self._samples[old] + share * (self._samples[new] - self._samples[old])

    def publish(self) -> None:
        """Let the consumer play all that was written."""
        self._permit = self._permit._replace(limit=self._written)

    def revise(self, source: int, target: int) -> None:
        """Let the consumer go on at slot `target` once it comes to `source`.

        Both must hold the same frame: a consumer that is past `source` already goes on as far past `target`, so that
        no frame is lost or heard twice whatever the race.
        """
        self._permit = Permit(self._written, source, target, self._permit.revision + 1)

    def hold(self) -> None:
        """Stop the consumer where it is; from the return on nobody but the producer moves anything."""
        self._permit = self._permit._replace(limit=-1)
        while self._pulling:  # A copy under way lasts microseconds.
            pass

    def clear(self) -> None:
        """Forget what was not taken; only while the consumer is held."""
        self._read = self._written
        self._revision_taken = self._permit.revision

    def frame_at(self, slot: int) -> int:
        """Return the timeline frame of a slot; one that is not written yet follows on the slot before it.

        That holds at any speed: what is written ends on a place of the source, not in a fade.
        """
        if slot < self._written:
            return int(self._frames[slot % self.capacity])
        return int(self._frames[(slot - 1) % self.capacity]) + 1

    # The consumer's side

    def pull(self, out: NDArray[np.float32], dac_time_s: float) -> None:
        """Fill `out`, ``(n, 2)``, with what comes next, or silence; `dac_time_s` is when it will sound."""
        self._pulling = True
        limit, source, target, revision = self._permit
        read = self._read
        done = 0
        while done < len(out) and limit >= 0:
            waiting = revision != self._revision_taken
            if waiting and read >= source:
                read += target - source
                self._revision_taken = revision
                waiting = False
            stop = source if waiting else limit
            place = read % self.capacity
            count = min(len(out) - done, stop - read, self.capacity - place)
            if count <= 0:
                break
            out[done : done + count] = self._samples[place : place + count]
            self._blocks[self._block_count % REMEMBERED_BLOCKS] = Block(dac_time_s, done, read, count)
            self._block_count += 1
            done += count
            read += count
        out[done:] = 0.0
        self._read = read
        self._pulled += len(out)
        self._longest_pull = max(self._longest_pull, len(out))
        self._pulling = False

    # What is heard

    def slot_heard(self, now_s: float, rate_hz: int) -> int:
        """Return the slot that sounds at a time of the device's clock; between blocks, the one that comes next.

        Before the first block sounds this is −1.
        """
        blocks, count = list(self._blocks), self._block_count
        for number in range(count - 1, max(count - REMEMBERED_BLOCKS, 0) - 1, -1):
            block = blocks[number % REMEMBERED_BLOCKS]
            if block is None:
                break
            elapsed = round((now_s - block.dac_time_s) * rate_hz) - block.lead
            if elapsed >= 0:
                return block.first + min(elapsed, block.length)
        return -1

    def time_of(self, slot: int, rate_hz: int) -> float:
        """Return when a slot sounds, on the device's clock, reckoned from the block taken last; once one was taken."""
        block = self._blocks[(self._block_count - 1) % REMEMBERED_BLOCKS]
        assert block is not None
        return block.dac_time_s + (block.lead + slot - block.first) / rate_hz
