"""Waiting for a sound device that was lost: how often it is looked for, and what is said about it.

PortAudio has no word for devices that come and go: looking means starting it anew, which takes about a tenth of a
second where a sound server does not answer (measured: 80 to 110 ms without PulseAudio, 30 to 80 ms with it, 30 ms of
them computing). So it is looked for every second at first and every five seconds in the end, by the worker, which has
nothing else to do meanwhile.
"""

from dataclasses import dataclass, replace

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 5.0
GROWTH = 1.3

PROOF_LATENCIES = 2.5
"""What a device that was found takes, in latencies, before it is said to be back: one it takes at once even where
nothing plays on (PipeWire without its session manager)."""

NO_SOUND_MEANWHILE = " Until then everything but sound works."
POSITION_KEPT = "The position is kept."


@dataclass(frozen=True, slots=True)
class Watch:
    """A device that is waited for; an empty name is the one the settings name.

    Parameters
    ----------
    due_s
        When it is looked for next, on the worker's clock.
    """

    device: str
    due_s: float
    pause_s: float = FIRST_PAUSE_S

    def later(self, now_s: float) -> "Watch":
        """Return the watch after a look that found nothing."""
        return replace(self, due_s=now_s + self.pause_s, pause_s=min(self.pause_s * GROWTH, LONGEST_PAUSE_S))

    def again(self, now_s: float) -> "Watch":
        """Return the watch where what was found took no frames: the next look comes after the pause that is due."""
        return replace(self, due_s=now_s + self.pause_s)

    def at_once(self) -> "Watch":
        """Return the watch with a look that is due, and short pauses again."""
        return Watch(self.device, float("-inf"))

    def remaining_s(self, now_s: float) -> float:
        """Return how long it is to the next look."""
        return max(self.due_s - now_s, 0.0)


def watch_from(device: str, now_s: float) -> Watch:
    """Return a watch that looks for a device after the first pause."""
    return Watch(device, now_s + FIRST_PAUSE_S)


def lost_text(device: str) -> str:
    """Say that a device is gone."""
    return f"The sound device “{device}” was lost. {POSITION_KEPT}"


def waiting_text(fault: str, *, interrupted: bool) -> str:
    """Return a fault of the device with what happens next."""
    if interrupted:
        return f"{fault} Playing goes on by itself when it is back, unless you press pause."
    if NO_SOUND_MEANWHILE in fault:
        return fault
    return f"{fault} You are told when it is back."


def back_text(device: str, *, playing: bool) -> str:
    """Say that a device is there again."""
    return f"Sound is back on “{device}”; playing goes on." if playing else f"Sound is back on “{device}”."


def missing_text(device: str) -> str:
    """Say that a device asked for by hand is not there yet."""
    name = f"“{device}”" if device else "the sound device"
    return f"Looked for {name}: it is not there yet."
