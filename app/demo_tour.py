"""The demo without a screen: works through it offscreen and writes pictures, saying where."""

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QSize

from app.main import make_application
from app.main_window import MainWindow
from app.screenshot import settle, write_screenshot
from app.settings import SettingsFile
from widgets.theme import theme_named

SIZE = QSize(1600, 1000)


def tour(project: Path) -> Iterator[str]:
    """Open the demo project, mark an event, take it back, and yield a sentence for each thing seen or written."""
    settings = SettingsFile(remembering=False)
    application = make_application(settings)
    window = MainWindow(settings=settings)
    window.set_theme(theme_named("light"))
    window.open_project(project)
    settle(application, window)
    page = window.page
    assert page is not None
    conversation, session = page.conversation, page.session
    names = ", ".join(channel.display_name for channel in conversation.channels)
    yield "There is no display here, so the demo is worked through offscreen."
    yield f"Opened {conversation.id}: {names}; {float(conversation.duration):.1f} s at {conversation.rate_hz} Hz."
    session.select_range(conversation.rate_hz, 2 * conversation.rate_hz)
    session.press_kind(session.appearance.scheme.kinds[0].id)
    event = session.selected
    assert event is not None
    yield f"Marked with one key: {session.appearance.sentence(event)}."
    for name in ("light", "dark"):
        window.set_theme(theme_named(name))
        picture = project.parent / f"label-{name}.png"
        write_screenshot(application, window, picture, SIZE)
        yield f"Wrote {picture}"
    session.undo()
    if window.project is not None and window.project.flush(10.0):
        yield f"Took the mark back. Both steps are on disk in {project}"
    window.close()
