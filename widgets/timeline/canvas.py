"""What the timeline shows and where it looks: content, layout, visible range, and the picture made of them.

A frame is drawn at most once a repaint and kept as a picture; the cursor, the selection and a drag are painted over it
(DESIGN, timeline). What the pointer does stands in `widgets.timeline.view`.
"""

from dataclasses import replace

from PySide6.QtCore import QEvent, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QScrollBar, QSizePolicy, QWidget

from annotation.audio.spectrogram_tiles import TilePlace, level_for
from widgets.theme import Theme
from widgets.timeline.drag import Drag
from widgets.timeline.frame import Frame
from widgets.timeline.layout import Layout, Metrics, lay_out
from widgets.timeline.lettering import Lettering
from widgets.timeline.overlay import LiveSpan, Overlay
from widgets.timeline.scene import Scene
from widgets.timeline.spectrogram import missing_tiles
from widgets.timeline.values import EventRow, Selection, Spectrogram, TimelineContent
from widgets.timeline.viewport import Viewport

EMPTY_TEXT = "No recording is open. Open one from the list, or import files, to see its lanes here."
KEY_ZOOM = 2.0
GAIN_LEAST_DB = -24.0
GAIN_MOST_DB = 48.0
HIGHEST_STRETCH = 4.0
PAGE_START = 0.05
"""Where the cursor stands after a page is turned, as a share of the view."""


class TimelineCanvas(QWidget):
    """Lanes, events, ruler and cursor of one recording, without the pointer's part.

    Signals
    -------
    range_changed(object, object)
        The first visible frame and the one after the last; both may lie in the margin outside the recording.

    Notes
    -----
    Frames beyond 32 bits occur in event logs, and a Qt ``int`` has 32: signals carry frames as objects.
    """

    range_changed = Signal(object, object)

    def __init__(self, *, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._content: TimelineContent | None = None
        self._frame = Frame()
        self._layout = Layout(Metrics.of(self.fontMetrics().height(), self.devicePixelRatioF()))
        self._lettering = Lettering(self.font(), self.devicePixelRatioF())
        self._ratio = self.devicePixelRatioF()
        self._viewport = Viewport.whole(0, 1)
        self._scroll = 0
        self._gains: dict[str, float] = {}
        self._active_lane: str | None = None
        self._selected: str | None = None
        self._following = False
        self._stretch = 1.0
        self._in_words = "The table of events shows the same in words."
        self._wanted: dict[str, tuple[Spectrogram, tuple[TilePlace, ...]]] = {}
        # Asking changes what other widgets show, which must not happen while this one paints.
        self._asking = QTimer(self)
        self._asking.setSingleShot(True)
        self._asking.timeout.connect(self._want_tiles)
        self._overlay = Overlay()
        self._bar = QScrollBar(Qt.Orientation.Vertical, self)
        self._bar.valueChanged.connect(self._on_scrolled)
        self._bar.hide()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Timeline")
        self._describe()

    # What is shown

    @property
    def content(self) -> TimelineContent | None:
        """What is shown, or None."""
        return self._content

    @property
    def frame(self) -> Frame:
        """The picture and how often it was drawn."""
        return self._frame

    @property
    def visible_range(self) -> tuple[int, int]:
        """The first visible frame and the one after the last."""
        return self._viewport.first, self._viewport.last

    @property
    def selection(self) -> Selection | None:
        """The selected stretch, with its lane where it was dragged on one."""
        return self._overlay.selection

    @property
    def cursor_frame(self) -> int:
        """Where the cursor stands."""
        return self._overlay.cursor

    def set_content(self, content: TimelineContent | None) -> None:
        """Show a recording; one with the same lanes and length as before keeps zoom, scroll and gains."""
        same = _same_recording(self._content, content)
        self._content = content
        if not same:
            self._forget_view(content)
        self._frame.backdrop.forget()
        self._relay()
        self._keep_drag()
        self._describe()
        if not same:
            self._tell_range()

    def set_rows(self, lane_id: str, rows: tuple[EventRow, ...]) -> None:
        """Show other events on a lane; its waveform is not read again."""
        if self._content is None:
            return
        lanes = tuple(replace(lane, rows=rows) if lane.id == lane_id else lane for lane in self._content.lanes)
        self._content = replace(self._content, lanes=lanes)
        before = self._layout
        self._relay(backdrop=False)
        if _heights(before) != _heights(self._layout):
            self._redraw(backdrop=True)
        self._keep_drag()

    def set_words(self, where: str) -> None:
        """Say to a screen reader, in a sentence, where it finds what the lanes show in words."""
        self._in_words = where
        self._describe()

    def refresh_waveform(self, lane_id: str) -> None:
        """Ask a lane's waveform again: it knows more than before."""
        self._frame.backdrop.forget(lane_id)
        self._redraw(backdrop=True)

    def refresh_spectrogram(self) -> None:
        """Draw spectrograms again: tiles have become ready."""
        self._frame.backdrop.forget_picture()
        self._redraw(backdrop=True)

    def set_lane_height(self, stretch: float) -> None:
        """Draw what shows sound this many times as high at least, 1 to 4; lanes that do not fit are scrolled."""
        self._stretch = min(max(stretch, 1.0), HIGHEST_STRETCH)
        self._relay()

    @property
    def lane_height(self) -> float:
        """How many times the least height lanes have at least."""
        return self._stretch

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours; those of lanes and events come with the content."""
        self._theme = theme
        self._redraw(backdrop=True)

    def set_cursor(self, frame: int) -> None:
        """Move the cursor; while following, the page turns when the cursor leaves it."""
        if frame == self._overlay.cursor:
            return
        before = self._overlay
        self._overlay = replace(before, cursor=frame)
        if self._following and self._viewport.contains(before.cursor) and not self._viewport.contains(frame):
            self._set_viewport(self._viewport.starting_at(frame, self._viewport.width * PAGE_START))
        if self._content is None:
            return
        scene = self._scene()
        strips = [before.cursor_rect(scene), self._overlay.cursor_rect(scene)]
        if self._overlay.live is not None:
            strips = [strips[0].united(strips[1])]
        for rect in (*strips, Overlay.corner_rect(scene)):
            self.update(self._logical(rect))

    def set_following(self, following: bool) -> None:
        """Turn the page after the cursor, or leave the view where it is."""
        self._following = following

    def set_selected_event(self, event_id: str | None) -> None:
        """Mark an event as selected; None marks none."""
        if event_id == self._selected:
            return
        self._selected = event_id
        self._describe()
        self._redraw(backdrop=False)

    def set_active_lane(self, lane_id: str | None) -> None:
        """Highlight a lane."""
        if lane_id != self._active_lane:
            self._active_lane = lane_id
            self._redraw(backdrop=True)

    def set_selection(self, selection: Selection | None) -> None:
        """Mark a stretch as selected; None marks none."""
        self._set_overlay(replace(self._overlay, selection=selection))

    def set_gain(self, lane_id: str, level_db: float) -> None:
        """Draw a lane's waveform taller or lower; what is heard stays as it is."""
        self._gains[lane_id] = min(max(level_db, GAIN_LEAST_DB), GAIN_MOST_DB)
        self._redraw(backdrop=True)

    def gain(self, lane_id: str) -> float:
        """Return a lane's vertical gain in decibels."""
        return self._gains.get(lane_id, 0.0)

    def set_live_span(self, lane_id: str | None, onset: int = 0, offset: int | None = None, colour: str = "") -> None:
        """Show an event being marked, up to the cursor where it has no offset yet; without a lane, show none."""
        live = LiveSpan(lane_id, onset, offset, colour) if lane_id else None
        self._set_overlay(replace(self._overlay, live=live))

    # Where to look

    def zoom_in(self) -> None:
        """Show twice the detail about the cursor, or about the middle where it is out of view."""
        self._zoom(KEY_ZOOM)

    def zoom_out(self) -> None:
        """Show half the detail."""
        self._zoom(1 / KEY_ZOOM)

    def zoom_to_all(self) -> None:
        """Show the whole recording."""
        self._set_viewport(Viewport.whole(self._viewport.frames, self._viewport.width))

    def zoom_to_selection(self) -> None:
        """Show the selected stretch, or else the selected event."""
        found = self._layout.find(self._selected) if self._selected else None
        if self.selection is not None:
            self.zoom_to(self.selection.onset, self.selection.offset)
        elif found is not None:
            span = found[1].row.spans[found[2]]
            margin = max((span.offset - span.onset) // 4, 1)
            self.zoom_to(span.onset - margin, span.offset + margin)

    def zoom_to(self, onset: int, offset: int) -> None:
        """Show all of a stretch; one as long as the visible one scrolls and keeps the zoom to the last digit."""
        first, last = self.visible_range
        if abs((offset - onset) - (last - first)) <= 1:
            self._set_viewport(self._viewport.starting_at(onset, 0))
        else:
            self._set_viewport(self._viewport.ranged(onset, offset))

    def pan(self, share: float) -> None:
        """Move by a share of the view, forward where it is positive."""
        self._set_viewport(self._viewport.panned(round(share * self._viewport.width)))

    def reveal(self, onset: int, offset: int | None = None) -> None:
        """Scroll until a frame or stretch is in view, and not at all where it is; a drag keeps the view still."""
        last = onset if offset is None else max(offset - 1, onset)
        if self._overlay.drag is not None or (self._viewport.contains(onset) and self._viewport.contains(last)):
            return
        share = self._viewport.x_from_frame(last) - self._viewport.x_from_frame(onset)
        x = max((self._viewport.width - share) / 2, self._viewport.width * PAGE_START)
        self._set_viewport(self._viewport.starting_at(onset, x))

    # Size and painting

    def sizeHint(self) -> QSize:
        """Return room for four lanes."""
        line = self.fontMetrics().height()
        return QSize(line * 50, line * 24)

    def minimumSizeHint(self) -> QSize:
        """Return room for one lane."""
        line = self.fontMetrics().height()
        return QSize(line * 20, line * 7)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the visible range on the new width."""
        super().resizeEvent(event)
        self._relay()

    def changeEvent(self, event: QEvent) -> None:
        """Take another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._relay()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Blit the frame, drawn anew only if something changed, and paint what moves over it."""
        if self._ratio != self.devicePixelRatioF():
            self._relay()
        # Left open by an exception, a painter takes the process down with it: it is closed whatever happens.
        with QPainter(self) as painter:
            if self._content is None or not self._content.lanes:
                self._paint_empty(painter)
            else:
                scene = self._scene()
                # The painter is scaled to logical pixels; undone exactly, the frame is copied pixel for pixel.
                painter.scale(1 / self._ratio, 1 / self._ratio)
                drawn = self._frame.backdrop.renders
                self._frame.paint(painter, scene)
                if self._frame.backdrop.renders != drawn:
                    self._asking.start(0)
                self._overlay.paint(painter, scene)
                # Above the scroll bar nothing else paints, and an opaque widget owes every pixel.
                beside = QRect(scene.width, 0, round(self.width() * self._ratio) - scene.width, scene.height)
                painter.fillRect(beside, QColor(self._theme.ruler))

    def _want_tiles(self) -> None:
        """Ask for the tiles that the last frame lacks, and no longer for those of lanes that are out of view."""
        if self._content is None:
            return
        scene = self._scene()
        level = level_for(scene.viewport.frames_per_column)
        edges = scene.viewport.edges()
        visible = {box.lane.id for _, box in scene.visible_lanes()}
        lacking: dict[str, tuple[Spectrogram, tuple[TilePlace, ...]]] = {}
        for lane in scene.content.lanes:
            if lane.spectrogram is not None:
                shown = lane.id in visible
                tiles = missing_tiles(lane.spectrogram, edges, level, scene.content.frames) if shown else ()
                lacking[lane.id] = (lane.spectrogram, tiles)
        for name, (spectrogram, tiles) in lacking.items():
            if self._wanted.get(name, (spectrogram, ())) != (spectrogram, tiles):
                spectrogram.want(tiles)
        self._wanted = lacking

    def _paint_empty(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), QColor(self._theme.lane_alternate))
        painter.setPen(QColor(self._theme.muted_text))
        margin = self.fontMetrics().height() * 2
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(self.rect().adjusted(margin, margin, -margin, -margin), flags, EMPTY_TEXT)

    # State

    def _forget_view(self, content: TimelineContent | None) -> None:
        self._viewport = Viewport.whole(content.frames if content else 0, self._viewport.width)
        self._gains.clear()
        self._active_lane = self._selected = None
        self._overlay = Overlay(focused=self._overlay.focused)
        self._bar.setValue(0)

    def _relay(self, *, backdrop: bool = True) -> None:
        """Lay everything out for the size, font, screen and content in force."""
        self._ratio = self.devicePixelRatioF()
        metrics = Metrics.of(self.fontMetrics().height(), self._ratio)
        if backdrop:
            self._lettering = Lettering(self.font(), self._ratio)
        room = max(round(self.height() * self._ratio) - metrics.ruler, 1)
        lanes = self._content.lanes if self._content else ()
        self._layout = lay_out(lanes, metrics, room, previous=self._layout, stretch=self._stretch)
        excess = max(self._layout.height - room, 0)
        breadth = self._bar.sizeHint().width() if excess else 0
        self._bar.setVisible(excess > 0)
        top = round(metrics.ruler / self._ratio)
        self._bar.setGeometry(self.width() - breadth, top, breadth, max(self.height() - top, 0))
        self._bar.setPageStep(room)
        self._bar.setSingleStep(metrics.line)
        self._bar.setRange(0, excess)
        viewport = self._viewport.resized(round((self.width() - breadth) * self._ratio) - metrics.header)
        self._redraw(backdrop=backdrop)
        self._set_viewport(viewport)

    def _scene(self) -> Scene:
        assert self._content is not None
        metrics = self._layout.metrics
        return Scene(
            content=self._content,
            layout=self._layout,
            viewport=self._viewport,
            theme=self._theme,
            lettering=self._lettering,
            width=metrics.header + self._viewport.width,
            height=max(round(self.height() * self._ratio), 1),
            scroll=self._scroll,
            active_lane=self._active_lane,
            selected=self._selected,
            gains=dict(self._gains),
        )

    def _set_viewport(self, viewport: Viewport) -> None:
        if viewport != self._viewport:
            self._viewport = viewport
            self._redraw(backdrop=True)
            self._tell_range()

    def _tell_range(self) -> None:
        self.range_changed.emit(*self.visible_range)

    def _zoom(self, factor: float) -> None:
        viewport = self._viewport
        cursor = self._overlay.cursor
        x = viewport.x_from_frame(cursor) if viewport.contains(cursor) else viewport.width / 2
        self._set_viewport(viewport.zoomed(factor, x))

    def _on_scrolled(self, value: int) -> None:
        self._scroll = value
        self._redraw(backdrop=True)

    def _redraw(self, *, backdrop: bool) -> None:
        self._frame.invalidate(backdrop=backdrop)
        self.update()

    def _set_overlay(self, overlay: Overlay) -> None:
        if overlay != self._overlay:
            self._overlay = overlay
            self.update()

    def _set_focused(self, focused: bool) -> None:
        self._set_overlay(replace(self._overlay, focused=focused))

    def _set_drag(self, drag: Drag | None) -> None:
        self._set_overlay(replace(self._overlay, drag=drag))

    def _keep_drag(self) -> None:
        """Drop a drag whose event is gone or has moved under it."""
        drag = self._overlay.drag
        if drag is not None and drag.span is not None:
            found = self._layout.find(drag.span.id)
            now = found[1].row.spans[found[2]] if found else None
            if now is None or (now.onset, now.offset) != (drag.span.onset, drag.span.offset):
                self._set_drag(None)

    def _describe(self) -> None:
        """Say to a screen reader what is shown, and where it stands in words."""
        lanes = len(self._content.lanes) if self._content else 0
        text = f"{lanes} lanes. {self._in_words}" if lanes else EMPTY_TEXT
        found = self._layout.find(self._selected) if self._selected else None
        if found is not None:
            span = found[1].row.spans[found[2]]
            text = f"Selected: {span.tip or span.label}"
        self.setAccessibleDescription(text)

    def _device(self, logical: float) -> float:
        return logical * self._ratio

    def _logical(self, rect: QRect) -> QRect:
        """Return the logical pixels that cover a rectangle of device pixels."""
        left, top = int(rect.left() / self._ratio) - 1, int(rect.top() / self._ratio) - 1
        return QRect(left, top, int(rect.width() / self._ratio) + 3, int(rect.height() / self._ratio) + 3)


def _same_recording(one: TimelineContent | None, other: TimelineContent | None) -> bool:
    if one is None or other is None:
        return one is other
    lanes = [lane.id for lane in one.lanes] == [lane.id for lane in other.lanes]
    return lanes and (one.rate_hz, one.frames) == (other.rate_hz, other.frames)


def _heights(layout: Layout) -> list[tuple[int, int, list[int]]]:
    return [(box.top, box.height, [row.height for row in box.rows]) for box in layout.lanes]
