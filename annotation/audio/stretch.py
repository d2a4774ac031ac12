"""Sound played faster or slower with its pitch kept, all channels with the same cuts (WSOLA).

Conventions: the sound is laid out anew in hops of `HOP_S`. In each hop what has been playing fades, over the whole
hop, into a copy from another place of the source: a step back where it is to become longer, a step on where it is to
become shorter. The place is searched for within `SEARCH_S` around where the speed wants it: the one whose waveform is
most like what would have followed (normalised cross-correlation over two hops), less what is loud in the part that
the cut would leave out or repeat, so that a click or a plosive is neither lost nor doubled where a quieter cut is in
reach. Played twice as fast, half of all samples must be left out, and a click among them is now and then.

The place is searched for once, on a *guide*, the sum of all channels, and taken by every channel: whatever lies on
one frame in two channels lies on one frame afterwards. The guide does not depend on who is muted, so neither do the
times.

Sizes are those of speech: two hops hold two periods of a voice of 67 Hz, so does the search, and a fade of 15 ms is
too short to be heard as an echo. A search as wide as a hop reaches, at double speed too, the place where nothing is
cut. It runs on the guide averaged to about 4 kHz and is then refined to a single frame.

The first hop is the source itself, and so is what is left over after the last cut, which is made where it has to be
for the last frame to be the last frame of the source. The fades are the two halves of a Hann window, which add up to
one: where both places agree, as in a constant, the sound is that of the source bit by bit.

References
----------
Verhelst and Roelands, *An overlap-add technique based on waveform similarity (WSOLA) for high quality time-scale
modification of speech*, ICASSP 1993.
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation.circumstances import FASTEST, SLOWEST
from annotation.errors import InvalidValueError

HOP_S = 0.015
SEARCH_S = 0.015
COARSE_RATE_HZ = 4_000
READ_S = 0.04
"""Read ahead of what is heard: little, since whatever changes is rendered anew."""
READ_AT_ONCE_S = 1.0
"""Read at once where the whole sound is at hand."""

LIKING_FOR_THE_MIDDLE = 1e-3
"""How much better a match at the edge of the search must be: in silence all matches are alike."""

DISLIKE_OF_LOUD_CUTS = 0.2
LOUDEST_CUT = 10.0
"""What a cut leaves out or repeats counts against it by its power, relative to the power around, up to this."""

REMEMBERED_CUTS = 512
"""From how long ago one can go on again: far more than is ever rendered ahead."""

_LEAST_POWER = 1e-20


class Material(NamedTuple):
    """A stretch of the source: `samples` ``(count, n)`` and the `guide` ``(count,)`` they are cut by, float32."""

    samples: NDArray[np.float32]
    guide: NDArray[np.float32]


class Stretched(NamedTuple):
    """Samples ``(count, n)``, float32, and the place of the source heard in each, ``(count,)`` int64, never falling.

    Inside a fade two places are heard; the one given lies between them by their shares.
    """

    samples: NDArray[np.float32]
    places: NDArray[np.int64]


class _Piece(NamedTuple):
    """`length` frames from `place`, into which those from `follows` fade."""

    follows: int
    place: int
    length: int


class _Joint(NamedTuple):
    """After `given` frames, `follows` comes next and `heard` was the last place."""

    given: int
    follows: int
    heard: int


class _Laid(NamedTuple):
    samples: NDArray[np.float32]
    pieces: list[_Piece]


class Stretcher:
    """Lays a source out at another speed, piece by piece.

    Parameters
    ----------
    read
        Returns the source's material ``[first, first + count)``, or less of it where the source ends; asked for from
        place 0 on, in order and without gaps.
    speed
        0.5 to 2.
    length
        Frames of the source; None if it never ends.
    read_s
        How much is read at once, in seconds.

    Raises
    ------
    InvalidValueError
        If the speed is out of range or the length is not positive.
    """

    def __init__(
        self,
        read: Callable[[int, int], Material],
        *,
        rate_hz: int,
        speed: float,
        length: int | None = None,
        read_s: float = READ_S,
    ) -> None:
        if not SLOWEST <= speed <= FASTEST:
            raise InvalidValueError(f"A speed of {speed} is outside {SLOWEST} to {FASTEST:g}.")
        if length is not None and length < 1:
            raise InvalidValueError(f"A sound of {length} frames cannot be played.")
        self._speed = speed
        self._length = length
        self.total = None if length is None else max(round(length / speed), 1)
        """Frames that come out in all; None if it never ends."""
        hop = max(round(HOP_S * rate_hz), 1)
        self.hop = hop if self.total is None else min(hop, max(self.total // 4, 1))
        """Frames from cut to cut: at its multiples in what comes out, one place of the source is heard."""
        self._rate_hz = rate_hz
        self._read_s = read_s
        self._window = _Window(read, rate_hz=rate_hz, hop=self.hop, read_s=read_s)
        self._fade = (np.sin(np.pi / 2 * (np.arange(self.hop) + 0.5) / self.hop) ** 2).astype(np.float32)
        self._given = 0
        self._follows = 0
        self._heard = 0
        self._joints = deque([_Joint(0, 0, 0)], maxlen=REMEMBERED_CUTS)

    def take(self, count: int) -> Stretched:
        """Return what comes next: whole hops, `count` frames at least, fewer only at the end."""
        given = self._given
        laid = self._lay_out(count)
        places = self._places(laid.pieces)
        self._joints.extend(self._joints_of(laid.pieces, places, given))
        return Stretched(laid.samples, places)

    def again(self, read: Callable[[int, int], Material], given: int) -> "Stretcher":
        """Return a stretcher that goes on where this one was after `given` frames, a multiple of `hop` or the end.

        With the same guide it makes the same cuts, so that other channels, or a mix that changed, take the place of
        what comes after. It asks for the source from a place before that one on.

        Raises
        ------
        InvalidValueError
            If `given` is not where a cut was, or too long ago.
        """
        joint = next((joint for joint in reversed(self._joints) if joint.given == given), None)
        if joint is None:
            raise InvalidValueError(f"No cut was made after {given} frames.")
        other = Stretcher(read, rate_hz=self._rate_hz, speed=self._speed, length=self._length, read_s=self._read_s)
        other._given, other._follows, other._heard = joint
        other._joints = deque([joint], maxlen=REMEMBERED_CUTS)
        other._window.begin(min(other._follows, other._target() - other._window.reach))
        return other

    def take_samples(self, count: int) -> NDArray[np.float32]:
        """Return the samples of `take` for whoever needs no places."""
        return self._lay_out(count).samples

    def _lay_out(self, count: int) -> _Laid:
        hop, window = self.hop, self._window
        samples = fade = np.empty((0, 0), np.float32)
        pieces: list[_Piece] = []
        gained = 0
        while gained < count and not self._over:
            piece = self._next_piece()
            new = window.samples(piece.place, piece.length)
            if not pieces:
                samples = np.empty((-(-count // hop) * hop + hop, new.shape[1]), np.float32)
                fade = np.repeat(self._fade[:, None], new.shape[1], axis=1)
            fades = min(hop, piece.length)
            fading = samples[gained : gained + fades]
            old = window.samples(piece.follows, fades)
            np.subtract(new[:fades], old, out=fading)
            fading *= fade[:fades]
            fading += old
            if piece.length > hop:
                samples[gained + hop : gained + piece.length] = new[hop:]
            window.forget(min(self._follows, self._target() - window.reach))
            gained += piece.length
            pieces.append(piece)
        return _Laid(samples[:gained], pieces)

    def _joints_of(self, pieces: list[_Piece], places: NDArray[np.int64], given: int) -> Iterator[_Joint]:
        end = 0
        for piece in pieces:
            # What is left over after the last fade is one place after the other, too.
            for length in sorted({min(self.hop, piece.length), piece.length}):
                yield _Joint(given + end + length, piece.place + length, int(places[end + length - 1]))
            end += piece.length

    @property
    def _over(self) -> bool:
        return self.total is not None and self._given >= self.total

    def _next_piece(self) -> _Piece:
        follows, count = self._follows, self.hop
        if self.total is not None and self._length is not None and self.total - self._given < 2 * count:
            count = self.total - self._given
            place = max(self._length - count, 0)
        else:
            place = self._best_place() if self._given else 0
        self._window.hold(max(follows + self.hop, place + count))
        self._given += count
        self._follows = place + count
        return _Piece(follows, place, count)

    def _target(self) -> int:
        """Where the speed wants the next copy to begin: its fade ends where the clock of the source then is."""
        return round((self._given + self.hop) * self._speed) - self.hop

    def _best_place(self) -> int:
        target, reach = self._target(), self._window.reach
        low, high = max(target - reach, 0), target + reach
        if self._length is not None:
            latest = max(self._length - 2 * self.hop, 0)
            low, high = min(low, latest), max(min(high, latest), min(low, latest))
        return self._window.most_alike(self._follows, low, high, target)

    def _places(self, pieces: list[_Piece]) -> NDArray[np.int64]:
        if not pieces:
            return np.zeros(0, np.int64)
        into = np.arange(self.hop)
        old_share = 1.0 - self._fade.astype(np.float64)
        starts = np.array([piece.place for piece in pieces])
        backs = np.array([piece.follows for piece in pieces]) - starts
        places: NDArray[np.int64] = (
            starts[:, None] + into + np.rint(backs[:, None] * old_share).astype(np.int64)
        ).ravel()
        if pieces[-1].length > self.hop:
            end = self._follows
            places = np.concatenate((places, np.arange(end - pieces[-1].length + self.hop, end)))
        elif pieces[-1].length < self.hop:
            places = places[: pieces[-1].length - self.hop]
        places[0] = max(places[0], self._heard)
        np.maximum.accumulate(places, out=places)
        if self._length is not None:
            np.minimum(places, self._length - 1, out=places)
        self._heard = int(places[-1])
        return places


def stretched(samples: NDArray[np.float32], *, rate_hz: int, speed: float) -> NDArray[np.float32]:
    """Return channels, ``(frames, n)``, at another speed, cut by their sum: ``(round(frames / speed), n)``.

    Raises
    ------
    InvalidValueError
        If the speed is not 0.5 to 2, or there are no frames.
    """
    frames, count = samples.shape
    guide = samples @ np.ones(count, np.float32)
    stretcher = Stretcher(
        lambda first, count: Material(samples[first : first + count], guide[first : first + count]),
        rate_hz=rate_hz,
        speed=speed,
        length=frames,
        read_s=READ_AT_ONCE_S,
    )
    return stretcher.take_samples(frames if stretcher.total is None else stretcher.total)


class _Window:
    """The part of the source that is in use, and the search for places in it.

    The search runs on the guide averaged over `step` frames, all of it counted in steps; a match there is at most one
    step away from the best frame.
    """

    def __init__(self, read: Callable[[int, int], Material], *, rate_hz: int, hop: int, read_s: float) -> None:
        self._read = read
        self._hop = hop
        self._step = max(min(rate_hz // COARSE_RATE_HZ, hop), 1)
        self._chunk = -(-max(round(read_s * rate_hz), hop) // self._step) * self._step
        self.reach = min(round(SEARCH_S * rate_hz), 2 * hop)
        """How far from its target a place may lie."""
        self._first = 0
        self._needed = 0
        self._samples = np.zeros((0, 0), np.float32)
        self._guide = np.zeros(0, np.float32)
        self._coarse = np.zeros(0, np.float32)
        self._power = np.zeros(1)
        self._shrink = np.zeros(0, np.float32)
        self._span = max(2 * hop // self._step, 1)
        most = 2 * self._span + 2 * self.reach // self._step + 4
        distance = np.abs(np.arange(-most, most + 1))
        self._far = (distance * LIKING_FOR_THE_MIDDLE / max(self.reach // self._step, 1)).astype(np.float32)
        self._share = (1.0 / np.maximum(distance, 1)).astype(np.float32)

    def samples(self, first: int, count: int) -> NDArray[np.float32]:
        """Return ``[first, first + count)``, which is held, of all channels; a view."""
        return self._samples[first - self._first : first - self._first + count]

    def begin(self, place: int) -> None:
        """Read from a place on instead of 0; before anything was read."""
        self._first = self._needed = max(place, 0) // self._step * self._step

    def forget(self, place: int) -> None:
        """Let go of what lies before a place, with the next read."""
        self._needed = max(place, 0)

    def hold(self, end: int) -> None:
        """Read up to an end."""
        held = self._first + len(self._guide)
        if held >= end:
            return
        count = -(-(end - held) // self._chunk) * self._chunk
        new = self._read(held, count)
        past = min(self._needed, held) // self._step * self._step - self._first
        self._samples = _extended(self._samples, new.samples, past, count)
        self._guide = _extended(self._guide, new.guide, past, count)
        averaged = self._guide[-count:].reshape(-1, self._step).mean(axis=1)
        self._coarse = np.concatenate((self._coarse[past // self._step :], averaged))
        self._power = np.zeros(len(self._coarse) + 1)
        np.cumsum(np.square(self._coarse, dtype=np.float64), out=self._power[1:])
        power = self._power[self._span :] - self._power[: -self._span]
        self._shrink = (1.0 / np.sqrt(power + _LEAST_POWER)).astype(np.float32)
        self._first += past

    def most_alike(self, follows: int, low: int, high: int, target: int) -> int:
        """Return the place in ``[low, high]`` where the sound is most like that at `follows` and the cut is quiet."""
        count, step = 2 * self._hop, self._step
        self.hold(max(follows, high) + count + 2 * step)
        base = self._first + follows % step
        near = base + step * self._coarse_match(
            (follows - base) // step,
            max(low - base, 0) // step,
            max(high - base, 0) // step,
            (target - base) // step,
        )
        if step == 1:
            return near
        low, high = min(max(near - step, low), high), max(min(near + step, high), low)
        first = self._first
        model = self._guide[follows - first : follows - first + self._hop]
        among = self._guide[low - first : high - first + self._hop]
        return low + int(np.correlate(among, model, "valid").argmax())

    def _coarse_match(self, follows: int, low: int, high: int, target: int) -> int:
        power, span, end = self._power, self._span, high + 1
        model = self._coarse[follows : follows + span]
        likeness = np.correlate(self._coarse[low : high + span], model, "valid")
        likeness *= self._shrink[low:end]
        likeness *= self._shrink[follows]
        # What lies between the middles of the two sides of the fade is left out, or heard twice.
        half = span // 4
        first, last = min(follows, low), max(follows, high) + span
        around = float(power[last] - power[first]) / (last - first) + _LEAST_POWER
        cut = np.abs(power[low + half : end + half] - power[follows + half])
        middle = len(self._far) // 2
        cut *= self._share[middle + low - follows : middle + end - follows]
        cut *= DISLIKE_OF_LOUD_CUTS / around
        np.minimum(cut, DISLIKE_OF_LOUD_CUTS * LOUDEST_CUT, out=cut)
        likeness -= cut
        likeness -= self._far[middle + low - target : middle + end - target]
        return low + int(likeness.argmax())


def _extended(old: NDArray[np.float32], new: NDArray[np.float32], skip: int, count: int) -> NDArray[np.float32]:
    """Return `old` without its first `skip` frames, then `new`, then silence up to `count` frames."""
    stays = max(len(old) - skip, 0)
    extended = np.empty((stays + count, *new.shape[1:]), np.float32)
    if stays:
        extended[:stays] = old[skip:]
    extended[stays : stays + len(new)] = new
    extended[stays + len(new) :] = 0.0
    return extended
