"""The demo without a screen: works through it offscreen and writes pictures, saying where."""

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QSize

from annotation.errors import FloorscopeError
from app.main import make_application
from app.main_window import MainWindow
from app.screenshot import settle, write_screenshot
from app.settings import SettingsFile
from app.study_text import status_sentences
from widgets.theme import theme_named

SIZE = QSize(1600, 1000)


class DemoError(FloorscopeError):
    """The demo cannot be worked through."""

    code = "demo"
    exit_code = 1


GUIDE = "guided tour"
"""Who labels during the tour, so that its steps are never among a person's own."""


def tour(project: Path) -> Iterator[str]:
    """Work through the demo, yield a sentence for each thing seen or written, and keep them in a report beside it."""
    said = []
    for sentence in _walk(project):
        said.append(sentence)
        yield sentence
    report = project.parent / "report.md"
    lines = ["# The demo, worked through without a display", "", *(f"- {sentence}" for sentence in said)]
    report.write_text("\n".join(lines) + "\n", encoding="utf-8")
    yield f"Wrote {report}"


def _walk(project: Path) -> Iterator[str]:
    settings = SettingsFile(remembering=False)
    settings.change(person=GUIDE)
    application = make_application(settings)
    window = MainWindow(settings=settings)
    window.set_theme(theme_named("light"))
    window.open_project(project)
    settle(application, window)
    page = window.page
    if page is None:
        raise DemoError(" ".join(window.messages.texts) or "The demo has no conversation.", where=str(project))
    if page.opened.read_only_reason:
        raise DemoError(page.opened.read_only_reason, where=str(project))
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
    window.open_study()
    lead = window.desk.page
    if lead is not None and lead.status is not None:
        yield from status_sentences(lead.status)
        picture = project.parent / "study.png"
        write_screenshot(application, window, picture, SIZE)
        yield f"Wrote {picture}"
    if window.project is not None and window.project.flush(10.0):
        yield f"Took the mark back. Both steps are on disk in {project}"
    window.close()
