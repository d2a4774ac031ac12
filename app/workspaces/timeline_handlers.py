"""What the actions for sound, cursor, view and nudging do on any page that has a timeline, a player and a session.

The label page and the annotate page share these keys, so they share what the keys do.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

from app.playback.player import Player
from widgets.marking.edge import Edge
from widgets.timeline.view import TimelineView
from widgets.transport.transport_bar import TransportBar

CURSOR_STEP_S = 0.1
GAIN_STEP_DB = 3.0
PAGE = 0.9
"""Share of the window that a page turns."""


class Session(Protocol):
    """What is edited: events of a conversation, or the answer to an item."""

    def undo(self) -> object:
        """Take back the last step."""
        ...

    def redo(self) -> object:
        """Bring back the step undone last."""
        ...

    def set_edge_to_cursor(self, edge: Edge) -> object:
        """Move an edge to the cursor."""
        ...

    def cycle_edge(self) -> object:
        """Choose what the nudge keys move."""
        ...

    def nudge(self, milliseconds: int) -> object:
        """Move the chosen edge."""
        ...

    def set_holder_by_number(self, which: str, number: int) -> object:
        """Say who holds the floor; 0 is nobody."""
        ...

    def play_end(self) -> object:
        """Play the last second before the end edge."""
        ...

    def play_onset(self) -> object:
        """Play the first second from the onset."""
        ...


def timeline_handlers(
    *,
    session: Session,
    timeline: TimelineView,
    player: Player,
    bar: TransportBar,
    rate_hz: int,
    frames: int,
    lane: Callable[[], str],
    say: Callable[[str], object],
) -> Mapping[str, Callable[[], object]]:
    """Return what each shared action does now.

    Parameters
    ----------
    rate_hz, frames
        Of the timeline.
    lane
        The id of the active lane.
    say
        Shows a sentence in the status line.
    """
    step = round(CURSOR_STEP_S * rate_hz)

    def move(by: int) -> None:
        player.seek(max(0, min(player.position + by, frames)))

    def change_gain(by_db: float) -> None:
        timeline.set_gain(lane(), timeline.gain(lane()) + by_db)

    def step_speed(*, faster: bool) -> None:
        say(f"Plays at {bar.step_speed(faster=faster)} the speed, the pitch kept.")

    def play_as_recorded() -> None:
        bar.choose_speed(1.0)
        say("Plays at the speed of the recording.")

    handlers: dict[str, Callable[[], object]] = {
        "edit.undo": session.undo,
        "edit.redo": session.redo,
        "event.onset_here": partial(session.set_edge_to_cursor, Edge.ONSET),
        "event.offset_here": partial(session.set_edge_to_cursor, Edge.OFFSET),
        "event.edge": session.cycle_edge,
        "play.end": session.play_end,
        "play.onset": session.play_onset,
        "play.slower": partial(step_speed, faster=False),
        "play.faster": partial(step_speed, faster=True),
        "play.normal": play_as_recorded,
        "cursor.back": partial(move, -step),
        "cursor.forth": partial(move, step),
        "cursor.back_far": partial(move, -10 * step),
        "cursor.forth_far": partial(move, 10 * step),
        "cursor.start": partial(player.seek, 0),
        "cursor.end": partial(player.seek, frames),
        "view.zoom_in": timeline.zoom_in,
        "view.zoom_out": timeline.zoom_out,
        "view.zoom_all": timeline.zoom_to_all,
        "view.page_back": partial(timeline.pan, -PAGE),
        "view.page_forth": partial(timeline.pan, PAGE),
        "view.gain_up": partial(change_gain, GAIN_STEP_DB),
        "view.gain_down": partial(change_gain, -GAIN_STEP_DB),
        "view.timeline": timeline.setFocus,
    }
    for sign, way in ((-1, "back"), (1, "forth")):
        for milliseconds in (1, 10, 100):
            handlers[f"nudge.{way}_{milliseconds}"] = partial(session.nudge, sign * milliseconds)
    for which in ("before", "after"):
        for number in range(10):
            handlers[f"holder.{which}_{number}"] = partial(session.set_holder_by_number, which, number)
    return handlers
