"""A PySide6 that loses references ends the process after some hundreds of signals, long after any smoke test.

The soak runs as a process of its own (this very file), so that an abort is a failed test and not the end of the run.
"""

import subprocess
import sys

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

DIRECT = 50_000
QUEUED = 50_000
BATCH = 1_000
REDRAWS = 500


class Sender(QObject):
    direct = Signal(object)
    queued = Signal(object)


class Receiver(QObject):
    def __init__(self, sender: Sender) -> None:
        super().__init__()
        self.count = 0
        self.total = 0
        sender.direct.connect(self._on_payload, Qt.ConnectionType.DirectConnection)
        sender.queued.connect(self._on_payload, Qt.ConnectionType.QueuedConnection)

    def _on_payload(self, payload: object) -> None:
        assert isinstance(payload, dict)
        self.count += 1
        self.total += payload["number"]


class Painted(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.redraws = 0
        self.resize(64, 32)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor("white"))
        painter.setPen(QColor("black"))
        painter.drawLine(0, 0, self.width(), self.height())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, str(self.redraws))
        painter.end()
        self.redraws += 1


def soak() -> None:
    application = QApplication([])
    sender = Sender()
    receiver = Receiver(sender)
    kept = {"number": 1}
    before = sys.getrefcount(kept)
    for number in range(DIRECT):
        sender.direct.emit({"number": number})
    for start in range(0, QUEUED, BATCH):
        for number in range(start, start + BATCH):
            sender.queued.emit({"number": number} if number % 2 else kept)
        QCoreApplication.processEvents()
    widget = Painted()
    widget.show()
    application.processEvents()
    shown = widget.redraws
    for _ in range(REDRAWS):
        widget.repaint()
    sys.stdout.write(f"{receiver.count} {receiver.total} {widget.redraws - shown} {sys.getrefcount(kept) - before}\n")


def test_a_hundred_thousand_signals_and_five_hundred_redraws_end_well_and_lose_no_reference() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", __file__], capture_output=True, text=True, timeout=110, check=False
    )
    assert done.returncode == 0, done.stderr
    direct = sum(range(DIRECT))
    queued = sum(number if number % 2 else 1 for number in range(QUEUED))
    assert done.stdout.split() == [str(DIRECT + QUEUED), str(direct + queued), str(REDRAWS), "0"]


if __name__ == "__main__":
    soak()
