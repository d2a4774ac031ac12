"""One item that is open: its player, its session and its view, made together and closed together."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Signal

from annotation.audio.mixing import Mixer, spread_pans
from annotation.scheme import Scheme
from annotation.study.answers import AnswerHistory
from annotation.study.clips import ClipSound
from annotation.study.presentation import Presentation
from app.actions import ActionSet
from app.playback.devices import output_names
from app.playback.player import Player
from app.workspaces.timeline_handlers import timeline_handlers
from widgets.annotate.item_view import ItemView
from widgets.annotate.listening import ListeningMeter
from widgets.annotate.session import ItemSession
from widgets.marking.look import KindLook
from widgets.theme import Theme
from widgets.transport.transport import ChannelMix
from widgets.transport.transport_bar import TransportBar

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
        session = self.session
        shared = timeline_handlers(
            session=session,
            timeline=self.view.timeline,
            player=self.player,
            bar=self.bar,
            rate_hz=self.presentation.rate_hz,
            frames=self.presentation.frames,
            lane=lambda: self.view.speaker,
            say=self.said.emit,
        )
        handlers: dict[str, Callable[[], object]] = {
            **shared,
            "event.none": self._select_nothing,
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
            "lane.solo": lambda: self.view.toggle(solo=True),
            "lane.mute": lambda: self.view.toggle(solo=False),
            "lane.up": lambda: self.view.step_lane(-1),
            "lane.down": lambda: self.view.step_lane(1),
            "view.zoom_selection": self._zoom_to_span,
        }
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

    def _select_nothing(self) -> None:
        self.session.forget_range()
        self.view.timeline.set_selection(None)
        self.view.timeline.setFocus()
