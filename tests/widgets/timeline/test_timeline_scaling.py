"""The timeline at other scale factors; Qt reads the factor at start, so each runs in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[3]

PROGRAM = """
import json

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from widgets.theme import theme_named
from widgets.timeline.values import EventRow, Lane, Span, TimelineContent
from widgets.timeline.view import TimelineView

app = QApplication([])
span = Span("one", 4_000, 6_000, "Turn", "T", "#1b6ac9", editable=True)
lane = Lane("anna", "Anna", "", "#2a6fbb", None, (EventRow("own", "My labels", (span,), editable=True),), 0, 10_000)
view = TimelineView(theme=theme_named("light"))
view.resize(1_000, 300)
view.set_content(TimelineContent(1_000, 10_000, (lane,)))
view.set_active_lane("anna")
view.set_cursor(2_000)
view.show()
app.processEvents()
image = view.grab().toImage()
ratio = view.devicePixelRatioF()
metrics = view._layout.metrics
heard = []
view.event_edited.connect(lambda *edit: heard.append(edit))


def send(kind, x, y):
    button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
    held = Qt.MouseButton.LeftButton
    QApplication.sendEvent(
        view, QMouseEvent(kind, QPointF(x, y), QPointF(x, y), button, held, Qt.KeyboardModifier.NoModifier)
    )


y = (metrics.ruler + view._layout.lanes[0].rows[0].top + 8) / ratio
edge = (metrics.header + view._viewport.x_from_frame(6_000)) / ratio
parts = {by: str(view._hit(QPointF(edge + by, y)).part) for by in (-9, -5, 0, 5)}
for travel in (3, 50):
    send(QEvent.Type.MouseButtonPress, edge + 5, y)
    send(QEvent.Type.MouseMove, edge + 5 + travel, y)
    send(QEvent.Type.MouseButtonRelease, edge + 5 + travel, y)
x = metrics.header + int(view._viewport.x_from_frame(2_000))
print(json.dumps({
    "ratio": ratio,
    "size": [image.width(), image.height()],
    "parts": parts,
    "edits": heard,
    "frames_per_pixel": view._viewport.frames_per_column * ratio,
    "cursor": image.pixelColor(x, metrics.ruler + 10).name(),
    "beside": image.pixelColor(x - 2, metrics.ruler + 10).name(),
    "header": metrics.header / ratio,
}))
"""


@pytest.mark.parametrize("factor", [1.0, 1.25, 2.0])
def test_pointer_and_pixels_agree_at_a_scale_factor(factor: float) -> None:
    environment = {**os.environ, "QT_SCALE_FACTOR": str(factor), "QT_QPA_PLATFORM": "offscreen"}
    finished = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=True
    )
    seen = json.loads(finished.stdout)
    assert seen["ratio"] == factor
    assert seen["size"] == [round(1_000 * factor), round(300 * factor)]
    assert seen["parts"] == {"-9": "body", "-5": "offset", "0": "offset", "5": "offset"}
    [(name, onset, offset, _)] = seen["edits"]
    assert (name, onset) == ("one", 4_000)
    assert offset == pytest.approx(6_000 + 50 * seen["frames_per_pixel"], abs=2)
    assert seen["cursor"] == "#d81b2a"
    assert seen["beside"] != seen["cursor"]
