"""What helps to see sound on the label page, on demand: spectrograms, speech activity, and snapping to it."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from PySide6.QtCore import QObject, Signal

from annotation.audio.cache import AudioCache
from annotation.audio.spectrogram import HIGHEST_HZ
from annotation.audio.spectrogram_tiles import TileStore
from annotation.audio.speech_activity import Outcome, SpeechActivity, speech_activities
from annotation.audio.speech_spans import SpeechRule
from annotation.conversation import Channel
from annotation.errors import FloorscopeError
from app.actions import ActionSet
from app.tasks import Task, TaskRunner
from app.workspaces.lane_spectrogram import LaneSpectrogram
from widgets.labelling.view import LabellingView
from widgets.timeline.values import Speech

HEIGHT_STEP = 1.25
NO_SOUND = "No speaker of this conversation has sound that can be read."


class SoundAids(QObject):
    """Shows and hides aids on a labelling view; nothing is computed before it is asked for.

    Parameters
    ----------
    channels
        Those whose sound can be read.

    Signals
    -------
    said(str), failed(object)
        A sentence for the status line; an error to show.
    """

    said = Signal(str)
    failed = Signal(object)

    def __init__(
        self,
        *,
        channels: Sequence[Channel],
        view: LabellingView,
        cache: AudioCache,
        tasks: TaskRunner,
        actions: ActionSet,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._channels = {channel.speaker: channel for channel in channels}
        self._view = view
        self._cache = cache
        self._tasks = tasks
        self._actions = actions
        self._store = TileStore()
        self._spectrograms: dict[str, LaneSpectrogram] = {}
        self._shown: frozenset[str] = frozenset()
        self._listening: Task[tuple[Outcome, ...]] | None = None
        self._speech: dict[str, Speech] | None = None
        tasks.changed.connect(self._on_tasks_changed)
        for key in ("view.spectrogram", "view.speech", "edit.snap"):
            actions[key].setChecked(False)

    def add_channels(self, channels: Sequence[Channel]) -> None:
        """Take further channels whose sound can be read by now, and show on them what is shown on the others."""
        everywhere = self._actions["view.spectrogram"].isChecked()
        self._channels.update((channel.speaker, channel) for channel in channels)
        if everywhere:
            self._show_spectrograms(frozenset(self._channels))
        self._speech = None
        if self._actions["view.speech"].isChecked():
            if self._listening is not None:
                self._tasks.cancel(self._listening)
                self._listening = None
            self._show_speech(shown=True, snapping=self._actions["edit.snap"].isChecked())

    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """Return what each action does."""
        timeline, session = self._view.timeline, self._view.session
        return {
            "view.spectrogram": self._on_spectrograms,
            "lane.spectrogram": lambda: self._show_spectrograms(self._shown ^ {session.speaker}),
            "view.speech": self._on_speech,
            "edit.snap": self._on_snap,
            "event.snap": session.snap,
            "view.lanes_higher": lambda: timeline.set_lane_height(timeline.lane_height * HEIGHT_STEP),
            "view.lanes_lower": lambda: timeline.set_lane_height(timeline.lane_height / HEIGHT_STEP),
        }

    def state(self) -> str:
        """Return what is shown, for the next page."""
        shown = {
            "spectrogram": self._actions["view.spectrogram"].isChecked(),
            "speech": self._actions["view.speech"].isChecked(),
            "snap": self._actions["edit.snap"].isChecked(),
        }
        return " ".join(name for name, on in shown.items() if on)

    def restore(self, state: str) -> None:
        """Show what `state` returned, as far as there is sound."""
        names = state.split()
        if not self._channels:
            return
        if "spectrogram" in names:
            self._show_spectrograms(frozenset(self._channels))
        if "speech" in names:
            self._show_speech(shown=True, snapping="snap" in names)

    def close(self) -> None:
        """Stop what runs."""
        self._tasks.changed.disconnect(self._on_tasks_changed)
        for spectrogram in self._spectrograms.values():
            spectrogram.stop()
        if self._listening is not None:
            self._tasks.cancel(self._listening)

    # Spectrograms

    def _on_spectrograms(self) -> None:
        shown = self._actions["view.spectrogram"].isChecked()
        self._show_spectrograms(frozenset(self._channels) if shown else frozenset())

    def _show_spectrograms(self, speakers: frozenset[str]) -> None:
        self._shown = speakers & self._channels.keys()
        if speakers - self._shown or not self._channels:
            self.said.emit("This speaker has no sound that can be read." if self._channels else NO_SOUND)
        for speaker in self._shown - self._spectrograms.keys():
            self._spectrograms[speaker] = self._made(self._channels[speaker])
        for speaker in self._spectrograms.keys() - self._shown:
            self._spectrograms[speaker].stop()
        self._actions["view.spectrogram"].setChecked(bool(self._shown) and self._shown == self._channels.keys())
        self._view.set_spectrograms({speaker: self._spectrograms[speaker] for speaker in self._shown})

    def _made(self, channel: Channel) -> LaneSpectrogram:
        # One axis for all lanes, so that they compare; above half of the highest rate there is nothing to see.
        highest_hz = min(HIGHEST_HZ, max(each.rate_hz for each in self._channels.values()) / 2)
        return LaneSpectrogram(
            channel=channel,
            timeline_rate_hz=self._view.session.conversation.rate_hz,
            highest_hz=highest_hz,
            cache=self._cache,
            store=self._store,
            tasks=self._tasks,
            on_ready=self._view.timeline.refresh_spectrogram,
            on_error=self.failed.emit,
        )

    # Speech

    def _on_speech(self) -> None:
        shown = self._actions["view.speech"].isChecked()
        self._show_speech(shown=shown, snapping=shown)

    def _on_snap(self) -> None:
        snapping = self._actions["edit.snap"].isChecked()
        if snapping and not self._actions["view.speech"].isChecked():
            self._show_speech(shown=True, snapping=True)
        else:
            self._set_snapping(snapping)
        if self._channels:
            self.said.emit(
                "Dragged edges snap to speech; hold Shift to let go."
                if snapping
                else "Dragged edges stay where they are put."
            )

    def _show_speech(self, *, shown: bool, snapping: bool) -> None:
        if shown and not self._channels:
            self.said.emit(NO_SOUND)
            shown = snapping = False
        self._actions["view.speech"].setChecked(shown)
        self._set_snapping(snapping)
        if not shown:
            self._view.set_speech({})
        elif self._speech is not None:
            self._view.set_speech(self._speech)
        else:
            self._view.set_speech(dict.fromkeys(self._channels, _being_computed()))
            self._listen()

    def _set_snapping(self, snapping: bool) -> None:
        self._actions["edit.snap"].setChecked(snapping)
        self._view.timeline.set_snapping(snapping)

    def _listen(self) -> None:
        if self._listening is None:
            channels, rate_hz = tuple(self._channels.values()), self._view.session.conversation.rate_hz
            self._listening = self._tasks.submit(
                "Speech activity",
                lambda token, progress: speech_activities(channels, rate_hz, self._cache, token, progress),
                on_done=lambda outcomes: self._take_speech(channels, outcomes),
                on_error=self._on_speech_error,
            )

    def _take_speech(self, channels: Sequence[Channel], outcomes: Sequence[Outcome]) -> None:
        self._listening = None
        self._speech = {}
        for channel, outcome in zip(channels, outcomes, strict=True):
            if isinstance(outcome, SpeechActivity):
                self._speech[channel.speaker] = _speech(outcome)
            else:
                self.failed.emit(outcome)
        if self._actions["view.speech"].isChecked():
            self._view.set_speech(self._speech)

    def _on_speech_error(self, error: Exception) -> None:
        self._listening = None
        self._show_speech(shown=False, snapping=False)
        if not isinstance(error, FloorscopeError):
            raise error
        self.failed.emit(error)

    def _on_tasks_changed(self) -> None:
        """Show no strips once the search for speech was stopped in the status line."""
        if self._listening is not None and self._listening.token.cancelled:
            self._listening = None
            self._show_speech(shown=False, snapping=False)


def _being_computed() -> Speech:
    nothing = np.zeros(0, dtype=np.int64)
    return Speech(nothing, nothing, "", "Speech …", "Speech is being looked for; the status line shows how far.")


def _speech(activity: SpeechActivity) -> Speech:
    rule = SpeechRule()
    tip = (
        f"Speech as {activity.model} hears it: a machine's estimate, not a label.\n"
        f"It begins at a probability of {rule.threshold:g} and ends below {rule.negative_threshold:g}; "
        f"{rule.pad_ms} ms are added on both sides."
    )
    return Speech(activity.onsets, activity.offsets, f"speech {activity.model}", "Speech", tip)
