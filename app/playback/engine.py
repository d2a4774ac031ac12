"""The worker: renders about a tenth of a second ahead, and decides when playing ends.

The window's thread gives orders (play, pause, seek, …), which the worker carries out one after the other. What they
share are whole values replaced at once: the orders under a lock, the mark from which the position is read without.

It is longer than a module should be since every order touches the same few values, which a second class would have to
share; what can be decided without them stands in `ring`, `passage`, `course` and `recovery`.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from annotation.errors import FloorscopeError
from app.playback.course import Renderer, Sound
from app.playback.output import Output, SoundUnavailableError
from app.playback.passage import Passage, passage_from_bounds
from app.playback.recovery import (
    NO_SOUND_MEANWHILE,
    POSITION_KEPT,
    PROOF_LATENCIES,
    Watch,
    back_text,
    lost_text,
    missing_text,
    watch_from,
)
from app.playback.ring import Ring
from widgets.transport.transport import ChannelMix

AHEAD_S = 0.1
BLOCK_S = 0.02
RING_S = 2.0
LARGEST_RING = 1 << 18
"""Slots at most: above 131 kHz only silent clocks run, whose latency is short."""

REVISION_MARGIN_S = 0.03
"""How far from the device's next frame a changed mix sets in: longer than rendering it anew takes."""

FADE_S = 0.005
"""A changed mix is faded over, so that no step of level clicks."""

TAIL_S = 3.0
"""Silence after the last frame before the stream stops: sound servers swallow up to 20 ms of an abrupt end (a quarter
of a second is enough), and whoever plays again within it is spared the lead-in."""

STALL_S = 3.0
"""A device that asked for nothing for so long is lost."""

VISIT_S = 0.008
"""Between two visits of the worker while the output runs."""

CLOSING_PATIENCE_S = 3.0
"""A worker that waits for a sound server that never answers is left behind."""

OpenOutput = Callable[[Ring], Output]
ReopenOutput = Callable[[Ring, str], Output]


@dataclass(frozen=True, slots=True)
class Report:
    """What the worker tells the window: that the state changed, what went wrong, whether the end was reached.

    `lost` marks a fault of the device that is being waited for, `back` says that it ended, `note` answers an order.
    """

    fault: str = ""
    finished: bool = False
    lost: bool = False
    back: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """Where the position is counted from: it rests at `frame`, until `slot` is heard where there is one."""

    ticket: int
    frame: int
    slot: int | None = None
    ring: Ring | None = None
    output: Output | None = None


class Heard(NamedTuple):
    """The timeline frame heard now and the slot it lies in, −1 at rest; slots grow while the ticket is the same."""

    ticket: int
    slot: int
    frame: int


class Engine:
    """Plays one conversation into an output.

    Attributes
    ----------
    corrections
        How much later than it reports a device is heard, in frames by its name; replaced whole.

    Parameters
    ----------
    open_output
        Opens the device for a ring; raises `SoundUnavailableError`.
    open_silent
        Opens the silent clock, which takes over where there is no device.
    reopen_output
        Lists the devices anew and opens the one of a name and no other; an empty name is the one chosen. Without it
        `open_output` is asked again.
    report
        Called from the worker.
    """

    def __init__(
        self,
        *,
        rate_hz: int,
        frames: int,
        renderer: Renderer | None,
        mix: tuple[ChannelMix, ...],
        open_output: OpenOutput,
        open_silent: OpenOutput,
        report: Callable[[Report], None],
        clock: Callable[[], float] = time.perf_counter,
        reopen_output: ReopenOutput | None = None,
    ) -> None:
        self.rate_hz = rate_hz
        self.frames = frames
        self._open_output = open_output
        self._open_silent = open_silent
        self._reopen_output = reopen_output or (lambda ring, _: self._open_output(ring))
        self._report = report
        self._clock = clock
        # Protects the orders, the ticket and the flags `playing` and `interrupted`, which both threads set.
        self._changed = threading.Condition()
        self._orders: deque[Callable[[], None]] = deque()
        self._closing = False
        self._ticket = 0
        self._target = 0
        self.playing = False
        self.interrupted = False
        self.corrections: Mapping[str, int] = {}
        self._mark = Mark(0, 0)
        # The worker's own.
        self._sound = Sound(renderer, mix, rate_hz)
        self._passage = Passage(0, frames)
        self._looping = False
        self._ring = Ring(min(int(RING_S * rate_hz), LARGEST_RING))
        self._output: Output | None = None
        self._course = self._sound.course(self._passage, 0)
        self._course_slot = 0
        self._coursed = (self._passage, self._sound.speed)
        self._end_slot: int | None = None
        self._revision_due = False
        self._quiet_since_s: float | None = None
        self._ready_at = 0
        self._last_pull = (0, 0.0)
        self._watch: Watch | None = None
        # The watch to return to if the device that was found takes no frames; `_proven_at` is how many it must take.
        self._trial: Watch | None = None
        self._proven_at = 0
        self._thread: threading.Thread | None = None

    # The window's side

    def start_thread(self) -> None:
        """Work from now on in a thread of its own."""
        self._thread = threading.Thread(target=self._run, name="playback", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the sound, give the device back and end the thread."""
        with self._changed:
            self._closing = True
            self.playing = self.interrupted = False
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(CLOSING_PATIENCE_S)
        elif self._output is not None:
            self._output.close()

    @property
    def output_name(self) -> str:
        """The name of the device in use; empty before the first sound."""
        return self._output.name if self._output is not None else ""

    @property
    def correction_frames(self) -> int:
        """How much later than it reports the device in use is heard, in frames."""
        return self.corrections.get(self.output_name, 0)

    @property
    def latency_frames(self) -> int:
        """From taking a frame to hearing it, as the device reports it; 0 before the first sound."""
        return round(self._output.latency_s * self.rate_hz) if self._output is not None else 0

    def heard(self, *, ago_s: float = 0.0) -> Heard:
        """Return what is heard now, or was a while ago."""
        mark = self._mark
        if mark.ticket != self._ticket:
            return Heard(self._ticket, -1, self._target)
        if mark.slot is None or mark.ring is None or mark.output is None:
            return Heard(mark.ticket, -1, mark.frame)
        now_s = mark.output.now_s() - ago_s - self.corrections.get(mark.output.name, 0) / self.rate_hz
        slot = mark.ring.slot_heard(now_s, self.rate_hz)
        if slot <= mark.slot:
            return Heard(mark.ticket, mark.slot, mark.frame)
        return Heard(mark.ticket, slot, mark.ring.frame_at(slot))

    def play(self, onset: int | None, offset: int | None) -> None:
        """Play ``[onset, offset)``; from where it rests, or to the end, where a bound is None."""
        target = self.heard().frame if onset is None else onset
        ticket = self._take_ticket(target, playing=True)
        self._order(lambda: self._carry_out_play(ticket, onset, offset))

    def seek(self, frame: int) -> None:
        """Go to a frame, and on playing from there if it played."""
        ticket = self._take_ticket(frame)
        self._order(lambda: self._carry_out_seek(ticket, frame))

    def pause(self) -> None:
        """Hold where the device is."""
        with self._changed:
            self.playing = self.interrupted = False
        self._order(self._carry_out_pause)

    def set_mix(self, mix: tuple[ChannelMix, ...]) -> None:
        """Mix in another way from now on."""
        self._order(lambda: self._carry_out_change(mix=mix))

    def set_looping(self, looping: bool) -> None:
        """Loop the passage, or let it end."""
        self._order(lambda: self._carry_out_change(looping=looping))

    def set_renderer(self, renderer: Renderer) -> None:
        """Take the sound from another renderer."""
        self._order(lambda: self._carry_out_change(renderer=renderer))

    def set_speed(self, speed: float) -> None:
        """Play at another speed from now on."""
        self._order(lambda: self._carry_out_change(speed=speed))

    def look_for_device(self) -> None:
        """Look at once for a device that is waited for."""
        self._order(self._carry_out_look)

    def set_output(self, open_output: OpenOutput, then: Callable[[], None] | None = None) -> None:
        """Pause, close the device and use another one from the next sound on; `then` is called in between.

        Playing that a lost device interrupted goes on with the new one; with `then`, once the lost one is found.
        """
        with self._changed:
            self.playing = False
        self._order(lambda: self._carry_out_output(open_output, then))

    def _take_ticket(self, frame: int, *, playing: bool = False) -> int:
        with self._changed:
            self._target = frame
            self._ticket += 1
            self.interrupted = False
            self.playing = self.playing or playing
            return self._ticket

    def _order(self, order: Callable[[], None]) -> None:
        with self._changed:
            self._orders.append(order)
            self._changed.notify()

    # The worker

    def _run(self) -> None:
        try:
            while not self._closing:
                pause_s = self.step()
                with self._changed:
                    self._changed.wait_for(lambda: bool(self._orders) or self._closing, timeout=pause_s)
        finally:
            self.playing = self.interrupted = False
            if self._output is not None:
                self._output.close()

    def step(self) -> float | None:
        """Do what is due; return how many seconds may pass until the next step, None until the next order."""
        while self._orders:
            self._orders.popleft()()
        if self._watch is not None and self._watch.remaining_s(self._clock()) <= 0:
            self._look()
        if self._output is None or not self._output.running:
            return self._watch.remaining_s(self._clock()) if self._watch is not None else None
        self._output.service()
        if not self._output_lives():
            self._lose_output()
            return 0.0
        if self._trial is not None and self._ring.pulled >= self._proven_at:
            self._trial = None
            self._report(Report(back=back_text(self._output.name, playing=self.playing)))
        if self._quiet_since_s is None:
            self._render_ahead()
            self._finish_if_heard()
        elif self._clock() - self._quiet_since_s > TAIL_S + self._output.latency_s:
            self._output.stop()
        return VISIT_S

    def _carry_out_play(self, ticket: int, onset: int | None, offset: int | None) -> None:
        here = self._mark.frame if self._mark.slot is None else self._frame_taken_next()
        self._passage = passage_from_bounds(
            onset, offset, position=here, frames=self.frames, last=self._passage, looping=self._looping
        )
        self._start_at(ticket, here if onset is None and self._passage.holds(here) else self._passage.onset)
        self._report(Report())

    def _carry_out_seek(self, ticket: int, frame: int) -> None:
        if not self._passage.holds(frame):
            self._passage = Passage(frame, self.frames, self._looping)
        if self._mark.slot is not None:
            self._start_at(ticket, frame)
        else:
            self._mark = Mark(ticket, frame)
            self._stop_playing()
        self._report(Report())

    def _carry_out_pause(self) -> None:
        if self._mark.slot is not None:
            self._rest(self._frame_taken_next())
        self._report(Report())

    def _carry_out_change(
        self,
        *,
        mix: tuple[ChannelMix, ...] | None = None,
        looping: bool | None = None,
        renderer: Renderer | None = None,
        speed: float | None = None,
    ) -> None:
        self._sound = Sound(
            self._sound.renderer if renderer is None else renderer,
            self._sound.mix if mix is None else mix,
            self.rate_hz,
            self._sound.speed if speed is None else speed,
        )
        if looping is not None:
            self._looping = looping
            self._passage = Passage(self._passage.onset, self._passage.offset, looping)
        self._revision_due = self._mark.slot is not None

    def _carry_out_output(self, open_output: OpenOutput, then: Callable[[], None] | None) -> None:
        self._carry_out_pause()
        if self._output is not None:
            self._output.close()
            self._output = None
        self._open_output = open_output
        watch, self._trial = self._watch or self._trial, None
        if then is not None:
            then()
            self._watch = watch.at_once() if watch is not None else None
        elif watch is not None:
            self._watch = None
            self._report(Report(back="The sound goes to another device from now on."))
            self._go_on(self._mark.frame)

    def _carry_out_look(self) -> None:
        if self._watch is not None:
            device = self._watch.device
            self._watch = self._watch.at_once()
            self._look()
            if self._watch is not None:
                self._report(Report(note=missing_text(device)))

    def _start_at(self, ticket: int, frame: int) -> None:
        output = self._output or self._open()
        self._ring.hold()
        self._ring.clear()
        self._set_out_from(frame)
        self._revision_due = False
        self._quiet_since_s = None
        self._mark = Mark(ticket, frame, self._ring.written, self._ring, output)
        if not output.running:
            self._ready_at = self._ring.pulled + round(output.lead_in_s * self.rate_hz)
            self._proven_at = self._ring.pulled + round(PROOF_LATENCIES * output.latency_s * self.rate_hz)
        self._render_ahead()
        if self._mark.slot is None or output.running:
            return
        try:
            output.start()
        except SoundUnavailableError as error:
            self._interrupt(f"{error} {POSITION_KEPT}", frame)
        self._last_pull = (self._ring.pulled, self._clock())

    def _open(self) -> Output:
        self._ring = Ring(self._ring.capacity)
        try:
            self._output = self._open_output(self._ring)
        except SoundUnavailableError as error:
            self._output = self._open_silent(self._ring)
            if not error.lasting and self._watch is None:
                self._watch = watch_from("", self._clock())
            self._report(Report(fault=f"{error}{NO_SOUND_MEANWHILE}", lost=self._watch is not None))
            return self._output
        if self._watch is not None:
            self._trial, self._watch = self._watch.later(self._clock()), None
        return self._output

    def _render_ahead(self) -> None:
        if self._revision_due and not self._ring.revising:
            self._revise()
        try:
            while self._end_slot is None and self._ring.ahead < AHEAD_S * self.rate_hz:
                self._render_block(round(BLOCK_S * self.rate_hz))
        except (FloorscopeError, OSError, RuntimeError, ValueError) as error:
            self._stop_with(f"The sound stopped: {error}", self._frame_taken_next())
            return
        if self._ring.pulled >= self._ready_at:
            self._ring.publish()

    def _set_out_from(self, frame: int) -> None:
        """Go on with this frame in the slot that is written next."""
        self._course = self._sound.course(self._passage, frame)
        self._course_slot = self._ring.written
        self._coursed = (self._passage, self._sound.speed)
        self._end_slot = None

    def _set_out_again(self, source: int) -> None:
        """Go on as from slot `source` in the slot that is written next, on the same way if only the sound changed."""
        if self._coursed != (self._passage, self._sound.speed):
            self._set_out_from(self._frame_in(source))
            return
        given = source - self._course_slot
        self._course = self._course.again(self._sound, given)
        self._course_slot = self._ring.written - given
        self._end_slot = None

    def _render_block(self, count: int) -> None:
        rendered = self._course.take(count)
        if len(rendered.frames) == 0:
            self._end_slot = self._ring.written
            return
        self._ring.write(*rendered)

    def _revise(self) -> None:
        """Render anew what the device has not taken, from a little ahead of it on, and fade over to it.

        The consumer changes over at `source`, which holds the same frame as the first slot rendered anew. At another
        speed than 1 that is where a fade between two places has ended: elsewhere no frame is heard in its own phase.
        """
        ring, old, joint = self._ring, self._ring.written, self._course.joint
        soonest = ring.read + round(REVISION_MARGIN_S * self.rate_hz) - self._course_slot
        source = min(self._course_slot + max(-(-soonest // joint), 0) * joint, old)
        self._revision_due = False
        self._set_out_again(source)
        if source == old:
            return
        try:
            while self._end_slot is None and ring.written - old < old - source:
                self._render_block(old - source)
        except (FloorscopeError, OSError, RuntimeError, ValueError) as error:
            self._stop_with(f"The sound stopped: {error}", self._frame_taken_next())
            return
        ring.blend(source, old, min(old - source, ring.written - old, round(FADE_S * self.rate_hz)))
        ring.revise(source, old)

    def _finish_if_heard(self) -> None:
        end, mark = self._end_slot, self._mark
        if end is None or mark.ring is None or mark.output is None:
            return
        if self.heard().slot >= end or end == mark.slot:
            self._rest(self._passage.offset)
            self._stop_playing()
            self._report(Report(finished=True))

    def _stop_playing(self) -> None:
        """Say that nothing plays, unless an order that came meanwhile says otherwise."""
        with self._changed:
            if self._mark.ticket == self._ticket:
                self.playing = False

    def _rest(self, frame: int) -> None:
        self._ring.hold()
        self._mark = Mark(self._mark.ticket, frame)
        self._quiet_since_s = self._clock()

    def _frame_taken_next(self) -> int:
        self._ring.hold()
        return self._frame_in(self._ring.read)

    def _frame_in(self, slot: int) -> int:
        return self._mark.frame if slot == self._mark.slot else self._ring.frame_at(slot)

    def _output_lives(self) -> bool:
        assert self._output is not None
        now_s, pulled = self._clock(), self._ring.pulled
        if pulled != self._last_pull[0]:
            self._last_pull = (pulled, now_s)
        return self._output.alive and now_s - self._last_pull[1] < STALL_S

    def _lose_output(self) -> None:
        """Rest at the frame heard; of a device that stalled, at the one heard when it took its last frames."""
        assert self._output is not None
        stalled_s = self._clock() - self._last_pull[1] if self._output.alive else 0.0
        frame = self.heard(ago_s=stalled_s).frame
        self._interrupt(lost_text(self._output.name), frame)

    def _interrupt(self, fault: str, frame: int) -> None:
        """Close the device, rest at a frame and wait for the device to return."""
        assert self._output is not None
        self._watch = self._trial.again(self._clock()) if self._trial else watch_from(self._output.name, self._clock())
        self._trial = None
        self._output.close()
        self._output = None
        self._rest(frame)
        with self._changed:
            self.interrupted = self.playing and self._mark.ticket == self._ticket
            self.playing = self.playing and not self.interrupted
        self._report(Report(fault=fault, lost=True))

    def _look(self) -> None:
        """Look for the device that is waited for; with it, go on where playing stood or runs in silence."""
        assert self._watch is not None
        ring = Ring(self._ring.capacity)
        try:
            output = self._reopen_output(ring, self._watch.device)
        except SoundUnavailableError:
            self._watch = self._watch.later(self._clock())
            return
        frame = self.heard().frame
        sounding = self._mark.slot is not None
        if self._output is not None:
            self._output.close()
        self._trial, self._watch = self._watch.later(self._clock()), None
        self._ring, self._output = ring, output
        if sounding:
            self._start_at(self._mark.ticket, frame)
        else:
            self._go_on(self._mark.frame)
        if self._watch is None and self._mark.slot is None:
            self._trial = None
            self._report(Report(back=back_text(output.name, playing=False)))

    def _go_on(self, frame: int) -> None:
        """Play on from a frame if it was the device that ended playing and nobody decided otherwise since."""
        with self._changed:
            if not self.interrupted:
                return
            self.interrupted = False
            self.playing = True
        self._start_at(self._mark.ticket, frame)

    def _stop_with(self, fault: str, frame: int) -> None:
        self._rest(frame)
        self._stop_playing()
        self._report(Report(fault=fault))
