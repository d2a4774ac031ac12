"""One banner while a sound device is waited for: what happened, what happens next, and two ways to help."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.message_bar import MessageBar, Remedy
from app.playback.player import Player
from app.playback.recovery import waiting_text


class SoundBanner(QObject):
    """Follows a player's device in the message bar.

    Parameters
    ----------
    say
        Shows a sentence in the status line for a while.
    choose_device
        Lets the user choose another device.
    """

    def __init__(
        self,
        *,
        player: Player,
        messages: MessageBar,
        say: Callable[[str], object],
        choose_device: Callable[[], object],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._player = player
        self._messages = messages
        self._say = say
        self._choose_device = choose_device
        self._fault = ""
        self._text = player.trouble
        player.sound_lost.connect(self._on_lost)
        player.sound_back.connect(self._on_back)
        player.noted.connect(say)
        player.state_changed.connect(self._on_state)

    def withdraw(self) -> None:
        """Take the banner away: the player is closed."""
        self._messages.withdraw(self._text)
        self._fault = self._text = ""

    def _on_lost(self, fault: str) -> None:
        self.withdraw()
        self._fault = fault
        self._text = waiting_text(fault, interrupted=self._player.interrupted)
        remedies = (
            Remedy("Try now", self._player.look_for_device, closes=False),
            Remedy("Other device…", self._choose_device, closes=False),
        )
        self._messages.say(self._text, serious=True, remedies=remedies)

    def _on_back(self, sentence: str) -> None:
        self.withdraw()
        self._say(sentence)

    def _on_state(self) -> None:
        """Say what happens next in other words once the user has decided something."""
        if self._fault:
            text = waiting_text(self._fault, interrupted=self._player.interrupted)
            if text != self._text:
                self._messages.amend(self._text, text)
                self._text = text
