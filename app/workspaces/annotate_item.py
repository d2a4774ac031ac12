"""One item that is open: its player, its session and its view, made together and closed together."""

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QObject, Signal

from annotation.audio.mixing import Mixer, spread_pans
from annotation.scheme import Scheme
from annotation.study.answers import AnswerHistory
from annotation.study.clips import ClipSound
from annotation.study.presentation import Presentation
from app.actions import ActionSet
from app.playback.devices import output_names
from app.playback.player import Player
from widgets.annotate.item_view import ItemView
from widgets.annotate.listening import ListeningMeter
from widgets.annotate.session import ItemSession
from widgets.marking.edge import Edge
from widgets.marking.look import KindLook
from widgets.theme import Theme
from widgets.transport.transport import ChannelMix
from widgets.transport.transport_bar import TransportBar

CURSOR_STEP_S = 0.1
GAIN_STEP_DB = 3.0
_PANEL_ACTIONS = (
    "event.onset_here",
    "event.offset_here",
    "play.onset",
    "play.end",
    "study.cannot_tell",
    "study.submit",
)


class OpenItem(QObject):
    """A presentation with all that plays and shows it.

    Signals
    -------
    said(str), trouble(str)
        A sentence for the status line; one for the message bar.
    """

    said = Signal(str)
    trouble = Signal(str)

    def __init__(
        self,
        *,
        presentation: Presentation,
        history: AnswerHistory,
        sound: ClipSound,
        scheme: Scheme,
        guidelines: str,
        note: str,
        theme: Theme,
        actions: ActionSet,
        device: str,
        corrections_ms: Mapping[str, float],
        speed: float,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.presentation = presentation
        self._scheme = scheme
        self._actions = actions
        self._mixer = Mixer([voice.signal for voice in sound.voices])
        pans = spread_pans(len(sound.voices))
        self.player = Player(
            rate_hz=presentation.rate_hz,
            frames=presentation.frames,
            renderer=self._mixer,
            channels=len(sound.voices),
            device=device,
            corrections_ms=corrections_ms,
            parent=self,
        )
        self.player.set_speed(speed)
        self.player.set_mix(tuple(ChannelMix(pan=pan) for pan in pans))
        self.meter = ListeningMeter()
        self.session = ItemSession(
            presentation=presentation,
            history=history,
            look=self._look(theme),
            transport=self.player,
            meter=self.meter,
            parent=self,
        )
        actions["play.loop"].setChecked(False)
        self.bar = TransportBar(
            transport=self.player,
            rate_hz=presentation.rate_hz,
            frames=presentation.frames,
            actions=[actions[key] for key in ("play.toggle", "play.selection", "play.end", "play.loop", "play.follow")],
            speed_actions=[actions[key] for key in ("play.slower", "play.faster", "play.normal")],
        )
        self.view = ItemView(
            session=self.session,
            waveforms={voice.id: voice.waveform for voice in sound.voices if voice.waveform is not None},
            pans=pans,
            theme=theme,
            actions={key: actions[key] for key in _PANEL_ACTIONS},
            timeline_actions=actions.timeline_actions(),
            transport_bar=self.bar,
            guidelines=guidelines,
            note=note,
        )
        self.view.timeline.set_following(actions["play.follow"].isChecked())
        self._connect(device)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self.view.set_look(self._look(theme), theme)

    def rest(self) -> None:
        """Stop sound and clock, and take over what is being typed."""
        self.view.commit_pending()
        self.player.pause()
        self.meter.stop()

    def close_item(self) -> None:
        """Stop the sound and let go of the answer; the view is left to its owner."""
        self.view.close_view()
        self.player.close()
        self._mixer.close()

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what each action does to this item."""
        session, timeline, player = self.session, self.view.timeline, self.player
        step = round(CURSOR_STEP_S * self.presentation.rate_hz)
        handlers: dict[str, Callable[[], object]] = {
            "edit.undo": session.undo,
            "edit.redo": session.redo,
            "event.none": self._select_nothing,
            "event.onset_here": partial(session.set_edge_to_cursor, Edge.ONSET),
            "event.offset_here": partial(session.set_edge_to_cursor, Edge.OFFSET),
            "event.edge": session.cycle_edge,
            "event.delete": session.clear_edges,
            "study.submit": self.view.submit,
            "study.cannot_tell": self.view.panel.ask_reason,
            "study.surer": lambda: session.step_confidence(1),
            "study.less_sure": lambda: session.step_confidence(-1),
            "study.comment": self.view.panel.focus_comment,
            "study.answer": self.view.panel.focus_first,
            "study.cue": self._seek_cue,
            "play.toggle": session.toggle,
            "play.selection": session.play_span,
            "play.end": session.play_end,
            "play.onset": session.play_onset,
            "play.slower": lambda: self._step_speed(faster=False),
            "play.faster": lambda: self._step_speed(faster=True),
            "play.normal": lambda: self.bar.choose_speed(1.0),
            "lane.solo": lambda: self.view.toggle(solo=True),
            "lane.mute": lambda: self.view.toggle(solo=False),
            "cursor.back": lambda: self._move_cursor(-step),
            "cursor.forth": lambda: self._move_cursor(step),
            "cursor.back_far": lambda: self._move_cursor(-10 * step),
            "cursor.forth_far": lambda: self._move_cursor(10 * step),
            "cursor.start": lambda: player.seek(0),
            "cursor.end": lambda: player.seek(self.presentation.frames),
            "lane.up": lambda: self.view.step_lane(-1),
            "lane.down": lambda: self.view.step_lane(1),
            "view.zoom_in": timeline.zoom_in,
            "view.zoom_out": timeline.zoom_out,
            "view.zoom_selection": self._zoom_to_span,
            "view.zoom_all": timeline.zoom_to_all,
            "view.page_back": lambda: timeline.pan(-0.9),
            "view.page_forth": lambda: timeline.pan(0.9),
            "view.gain_up": lambda: self._change_gain(GAIN_STEP_DB),
            "view.gain_down": lambda: self._change_gain(-GAIN_STEP_DB),
            "view.timeline": timeline.setFocus,
        }
        for sign, way in ((-1, "back"), (1, "forth")):
            for milliseconds in (1, 10, 100):
                handlers[f"nudge.{way}_{milliseconds}"] = partial(session.nudge, sign * milliseconds)
        for which in ("before", "after"):
            for number in range(10):
                handlers[f"holder.{which}_{number}"] = partial(session.set_holder_by_number, which, number)
        return handlers

    def _look(self, theme: Theme) -> KindLook:
        names = {voice.id: voice.name for voice in self.presentation.speakers}
        return KindLook(scheme=self._scheme, names=names, rate_hz=self.presentation.rate_hz, dark=theme.dark)

    def _connect(self, device: str) -> None:
        player = self.player
        self.session.said.connect(self.said)
        player.fault.connect(self.trouble)
        player.state_changed.connect(self._on_state)
        self.bar.position_changed.connect(self.view.set_position)
        self.bar.set_devices(output_names(), device)
        self.bar.device_chosen.connect(player.choose_device)
        self.view.mix_changed.connect(player.set_mix)

    def _on_state(self) -> None:
        self.meter.follow(playing=self.player.playing, speed=self.player.speed)

    def _seek_cue(self) -> None:
        self.session.seek_cue()
        self.view.reveal_cue()

    def _zoom_to_span(self) -> None:
        onset, offset = self.session.span
        margin = max((offset - onset) // 4, self.presentation.rate_hz // 10)
        self.view.timeline.zoom_to(onset - margin, offset + margin)

    def _step_speed(self, *, faster: bool) -> None:
        self.said.emit(f"Plays at {self.bar.step_speed(faster=faster)} the speed, the pitch kept.")

    def _move_cursor(self, by: int) -> None:
        self.player.seek(max(0, min(self.player.position + by, self.presentation.frames)))

    def _change_gain(self, by_db: float) -> None:
        timeline, lane = self.view.timeline, self.view.speaker
        timeline.set_gain(lane, timeline.gain(lane) + by_db)

    def _select_nothing(self) -> None:
        self.session.forget_range()
        self.view.timeline.set_selection(None)
        self.view.timeline.setFocus()
