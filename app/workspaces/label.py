"""The label page: one conversation of a project, opened with its sound, its outlines and its labels."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from annotation.audio.cache import AudioCache
from annotation.audio.decoding import needs_decoding, probe_audio
from annotation.audio.mixing import Mixer, spread_pans
from annotation.audio.peaks import Pyramid, build_pyramid
from annotation.audio.signal import TimelineSignal, is_prepared, open_signal, prepare_signal
from annotation.audio.waveform import ChannelWaveform, open_waveform
from annotation.cancellation import CancelToken
from annotation.conversation import Channel
from annotation.document import Revision
from annotation.errors import FloorscopeError
from annotation.project.project import OpenDocument, Project, conversation_subject
from annotation.scheme import Scheme
from app.actions import ActionSet
from app.playback.devices import output_names
from app.playback.player import Player
from app.tasks import Task, TaskRunner
from app.workspaces.sound_aids import SoundAids
from app.workspaces.timeline_handlers import timeline_handlers
from widgets.labelling.appearance import Appearance
from widgets.labelling.session import LabellingSession
from widgets.labelling.view import LabellingView
from widgets.marking.kind_keys import typing
from widgets.theme import Theme
from widgets.transport.transport import ChannelMix
from widgets.transport.transport_bar import TransportBar

Result = TypeVar("Result")


class LabelPage(QWidget):
    """Builds a labelling session from a project's conversation and binds the window's actions to it.

    Signals
    -------
    said(str), trouble(str), hint(str)
        A sentence for the status line; one for the message bar; one that can wait behind all others.
    refused(str)
        Why the document can only be read.
    gesture()
        A step was drawn and handed to the writer.
    state_changed()
        What actions can be used may have changed.
    """

    said = Signal(str)
    trouble = Signal(str)
    hint = Signal(str)
    refused = Signal(str)
    gesture = Signal()
    state_changed = Signal()

    def __init__(
        self,
        *,
        project: Project,
        conversation_id: str,
        person: str,
        scheme: Scheme,
        theme: Theme,
        cache: AudioCache,
        tasks: TaskRunner,
        actions: ActionSet,
        device: str,
        corrections_ms: Mapping[str, float] | None = None,
        speed: float = 1.0,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.project = project
        self.conversation = project.conversation(conversation_id)
        self.subject = conversation_subject(conversation_id)
        self._scheme = scheme
        self._cache = cache
        self._tasks = tasks
        self._mixers: list[Mixer] = []
        self._running: list[Task[Any]] = []
        self._undecoded = {
            channel.path
            for channel in self.conversation.channels
            if channel.path is not None and needs_decoding(channel.path, cache)
        }
        self.opened: OpenDocument = project.open_document(self.subject, person)
        self.player = self._build_player(device, corrections_ms or {})
        self.player.set_speed(speed)
        look = Appearance(scheme=scheme, conversation=self.conversation, dark=theme.dark)
        self.session = LabellingSession(
            conversation=self.conversation,
            document=self.opened.document,
            appearance=look,
            transport=self.player,
            parent=self,
        )
        self._waveforms = self._open_waveforms()
        self.bar = TransportBar(
            transport=self.player,
            rate_hz=self.conversation.rate_hz,
            frames=self.conversation.frames,
            actions=[actions[key] for key in ("play.toggle", "play.selection", "play.end", "play.loop", "play.follow")],
            speed_actions=[actions[key] for key in ("play.slower", "play.faster", "play.normal")],
        )
        self.view = LabellingView(
            session=self.session,
            sources=project.sources(conversation_id),
            waveforms=self._waveforms,
            pans=spread_pans(len(self.conversation.channels)),
            theme=theme,
            timeline_actions=actions.timeline_actions(),
            transport_bar=self.bar,
        )
        self.aids = SoundAids(
            channels=[channel for channel in self.conversation.channels if channel.speaker in self._waveforms],
            view=self.view,
            cache=cache,
            tasks=tasks,
            actions=actions,
            parent=self,
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view)
        self._connect(device)

    def start(self) -> None:
        """Refine outlines and prepare sound in the background, and give the keyboard to the timeline."""
        for path in sorted(self._undecoded):
            self._decode_file(path)
        self._refine([channel for channel in self.conversation.channels if channel.speaker in self._waveforms])
        self.view.timeline.setFocus()
        if self.opened.read_only_reason:
            self.refused.emit(self.opened.read_only_reason)
        if self.player.trouble:
            self.hint.emit(self.player.trouble)

    def follow(self, revisions: Sequence[Revision]) -> None:
        """Show what another process has recorded of this document while it can only be read here."""
        document = self.opened.document
        if self.opened.read_only_reason:
            for revision in revisions:
                if (revision.subject, revision.person) == (document.subject, document.person):
                    document.follow(revision)

    def close_page(self, *, discard: bool = False) -> None:
        """Stop the sound, let the document go and cancel what runs.

        Parameters
        ----------
        discard
            Give up steps that cannot be written.

        Raises
        ------
        FloorscopeError
            If steps are not kept; then the page stays as it is.
        """
        self.view.commit_pending()
        try:
            self.project.close_document(self.opened)
        except FloorscopeError:
            if not discard:
                raise
        for task in self._running:
            self._tasks.cancel(task)
        self.aids.close()
        self.player.close()
        for waveform in self._waveforms.values():
            waveform.close()
        for mixer in self._mixers:
            mixer.close()
        self.view.close_session()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self.view.set_theme(theme)
        self.view.set_appearance(Appearance(scheme=self._scheme, conversation=self.conversation, dark=theme.dark))

    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """Return what each action of the table does on this page."""
        session = self.session
        shared = timeline_handlers(
            session=session,
            timeline=self.view.timeline,
            player=self.player,
            bar=self.bar,
            rate_hz=self.conversation.rate_hz,
            frames=self.conversation.frames,
            lane=lambda: self.session.speaker,
            say=self.said.emit,
        )
        handlers: dict[str, Callable[[], object]] = {
            **shared,
            "event.next": partial(session.step_event, forward=True),
            "event.previous": partial(session.step_event, forward=False),
            "event.none": self._select_nothing,
            "event.split": session.split,
            "event.merge": session.merge,
            "event.delete": session.delete,
            "event.comment": self._comment,
            "play.toggle": self.toggle,
            "play.selection": session.play_selection,
            "lane.solo": partial(self._on_lane, self.view.mixer.toggle_solo),
            "lane.mute": partial(self._on_lane, self.view.mixer.toggle_mute),
            "lane.up": partial(session.step_speaker, -1),
            "lane.down": partial(session.step_speaker, 1),
            "view.zoom_selection": self.view.zoom_to_selection,
            "view.table": self.view.table.setFocus,
        }
        handlers.update(self.aids.handlers())
        return handlers

    def toggle(self) -> None:
        """Play from the cursor, or pause; at the end, play from the start."""
        if self.player.playing or self.player.interrupted:
            self.player.pause()
            return
        at_end = self.player.position >= self.conversation.frames
        span = self.session.range
        if span is not None and self.player.looping:
            self.player.play(*span)
        else:
            self.player.play(0 if at_end else None)

    # Building

    def _build_player(self, device: str, corrections_ms: Mapping[str, float]) -> Player:
        player = Player(
            rate_hz=self.conversation.rate_hz,
            frames=self.conversation.frames,
            renderer=self._mixer(),
            channels=len(self.conversation.channels),
            device=device,
            corrections_ms=corrections_ms,
            parent=self,
        )
        player.set_mix(tuple(ChannelMix(pan=pan) for pan in spread_pans(len(self.conversation.channels))))
        return player

    def _mixer(self) -> Mixer:
        signals: list[TimelineSignal] = []
        for channel in self.conversation.channels:
            if channel.path in self._undecoded:
                signals.append(Silence())
                continue
            try:
                signals.append(open_signal(channel, self.conversation.rate_hz, self._cache))
            except FloorscopeError as error:
                signals.append(Silence())
                self._say_later(str(error))
        mixer = Mixer(signals)
        # One that was replaced may still be rendering; all are closed when the player has stopped.
        self._mixers.append(mixer)
        return mixer

    def _open_waveforms(self) -> dict[str, ChannelWaveform]:
        return self._waveforms_of(self.conversation.channels)

    def _waveforms_of(self, channels: Sequence[Channel]) -> dict[str, ChannelWaveform]:
        waveforms = {}
        for channel in channels:
            if channel.path is not None and channel.path not in self._undecoded:
                try:
                    waveforms[channel.speaker] = open_waveform(
                        channel, self.conversation.rate_hz, self._cache, CancelToken()
                    )
                except FloorscopeError as error:
                    self._say_later(str(error))
        return waveforms

    def _say_later(self, sentence: str) -> None:
        self._tasks.post(lambda: self.trouble.emit(sentence))

    def _decode_file(self, path: Path) -> None:
        """Decode a compressed file whose sound has gone from the cache; its lanes are empty and silent until then."""
        self._run(
            f"Decoding {path.name}",
            lambda token, progress: probe_audio(path, self._cache, token, progress),
            lambda _: self._take_decoded(path),
        )

    def _take_decoded(self, path: Path) -> None:
        self._undecoded.discard(path)
        channels = [channel for channel in self.conversation.channels if channel.path == path]
        opened = self._waveforms_of(channels)
        self._waveforms.update(opened)
        for speaker, waveform in opened.items():
            self.view.set_waveform(speaker, waveform)
        self.player.set_renderer(self._mixer())
        readable = [channel for channel in channels if channel.speaker in opened]
        self.aids.add_channels(readable)
        self._refine(readable)

    def _refine(self, channels: Sequence[Channel]) -> None:
        """Compute full outlines and resample what is at another rate, for channels that can be read."""
        for path in dict.fromkeys(channel.path for channel in channels if channel.path is not None):
            self._refine_file(path)
        for channel in channels:
            self._prepare_sound(channel)

    def _refine_file(self, path: Path) -> None:
        """Compute the full outline of a file for every channel that is still drawn from a preview."""
        speakers = [
            channel.speaker
            for channel in self.conversation.channels
            if channel.path == path
            and channel.speaker in self._waveforms
            and self._waveforms[channel.speaker].provisional
        ]
        if speakers:
            self._run(
                f"Outline of {path.name}",
                lambda token, progress: build_pyramid(path, self._cache, token, progress),
                lambda pyramids: self._take_pyramids(speakers, pyramids),
            )

    def _take_pyramids(self, speakers: Sequence[str], pyramids: Sequence[Pyramid]) -> None:
        for speaker in speakers:
            index = self.conversation.channel_of(speaker).index
            self._waveforms[speaker] = self._waveforms[speaker].with_pyramid(pyramids[index])
            self.view.set_waveform(speaker, self._waveforms[speaker])

    def _prepare_sound(self, channel: Channel) -> None:
        """Resample a channel whose rate is not the timeline's, once; until then it plays sample by sample."""
        rate_hz = self.conversation.rate_hz
        if not is_prepared(channel, rate_hz, self._cache):
            self._run(
                f"Sound of {channel.display_name}",
                lambda token, progress: prepare_signal(channel, rate_hz, self._cache, token, progress),
                lambda _: self.player.set_renderer(self._mixer()),
            )

    def _run(
        self,
        label: str,
        work: Callable[[CancelToken, Callable[[float], None]], Result],
        on_done: Callable[[Result], None],
    ) -> None:
        self._running.append(self._tasks.submit(label, work, on_done=on_done, on_error=self._on_task_error))

    def _connect(self, device: str) -> None:
        session, player = self.session, self.player
        session.said.connect(self.said)
        self.aids.said.connect(self.said)
        self.aids.failed.connect(self._on_task_error)
        session.event_selected.connect(lambda _: self.state_changed.emit())
        if not self.opened.read_only_reason:
            session.document_changed.connect(lambda _: self.gesture.emit())
        session.document_changed.connect(lambda _: self.state_changed.emit())
        player.fault.connect(self.trouble)
        player.state_changed.connect(self.state_changed)
        self.bar.position_changed.connect(self._on_position)
        self.bar.set_devices(output_names(), device)
        self.bar.device_chosen.connect(player.choose_device)
        self.view.mix_changed.connect(player.set_mix)

    def _on_position(self, frame: int) -> None:
        self.view.set_position(frame, playing=self.player.playing)

    def _on_task_error(self, error: Exception) -> None:
        if isinstance(error, FloorscopeError):
            self.trouble.emit(str(error))
        else:
            raise error

    # Actions

    def _on_lane(self, call: Callable[[int], object]) -> None:
        speakers = [channel.speaker for channel in self.conversation.channels]
        if self.session.speaker in speakers:
            call(speakers.index(self.session.speaker))

    def _comment(self) -> None:
        self.view.tabs.setCurrentIndex(0)
        self.view.inspector.focus_comment()

    def _select_nothing(self) -> None:
        if typing():
            self.view.timeline.setFocus()
            return
        self.session.select_event("")
        self.session.select_range(0, 0)
        self.view.timeline.set_selection(None)


class Silence:
    """What a channel sounds like whose file cannot be read."""

    def read(self, first: int, count: int) -> NDArray[np.float32]:
        """Return `count` zeros, float32."""
        return np.zeros(count, np.float32)

    def close(self) -> None:
        """Nothing is open."""
