"""The written guidelines of a study, with the definitions of its kinds."""

from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QTextBrowser

from annotation.scheme import Scheme


class _TextOnly(QTextBrowser):
    """Shows text: a picture would be read from wherever a foreign file points to."""

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        return None


def guidelines_browser(markdown: str, scheme: Scheme) -> QTextBrowser:
    """Return a page with the guidelines and the kinds; it follows no link and loads no picture."""
    browser = _TextOnly()
    browser.setAccessibleName("Guidelines")
    browser.setOpenLinks(False)
    browser.setTabChangesFocus(True)
    browser.setMarkdown("\n\n".join((markdown or "This study has no written guidelines.", kinds_in_words(scheme))))
    return browser


def kinds_in_words(scheme: Scheme) -> str:
    """Return the kinds with their keys and definitions, as Markdown."""
    lines = [f"- **{kind.key} · {kind.name}**: {kind.definition or 'no definition'}" for kind in scheme.kinds]
    return "\n".join(("## The kinds", "", *lines))
