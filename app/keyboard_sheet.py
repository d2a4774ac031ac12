"""Every key at a glance, made from the action table and the scheme."""

from collections.abc import Mapping
from html import escape

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from annotation.scheme import Scheme
from app.actions import ACTIONS, ActionSpec, key_text, keys_of, plain_text


def sheet_sections(scheme: Scheme, remapped: Mapping[str, str]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return titles with pairs of (keys, what they do); the holder keys of one side stand in one line."""
    kinds = [(kind.key, f"{kind.name}: hold while playing, or press at rest") for kind in scheme.kinds]
    sections: dict[str, list[tuple[str, str]]] = {"Mark": kinds}
    for spec in ACTIONS:
        keys = keys_of(spec, remapped)
        if keys and not _is_further_holder(spec):
            title = plain_text(spec.menu).replace("/", " · ")
            sections.setdefault(title, []).append(_line(spec, keys))
    return list(sections.items())


def _is_further_holder(spec: ActionSpec) -> bool:
    return spec.id.startswith("holder.") and not spec.id.endswith("_0")


def _line(spec: ActionSpec, keys: tuple[str, ...]) -> tuple[str, str]:
    shown = " or ".join(key_text(key) for key in keys)
    if spec.id.startswith("holder."):
        side = "before" if "before" in spec.id else "after"
        return f"{shown.rstrip('0')}0 … 9", f"Floor holder {side}: 0 is nobody, 1 to 9 the lanes from the top"
    return shown, plain_text(spec.text)


class KeyboardSheet(QDialog):
    """A window with the sheet; it can stay open beside the work."""

    def __init__(self, *, scheme: Scheme, remapped: Mapping[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard sheet")
        page = QTextBrowser()
        page.setAccessibleName("Keyboard sheet")
        page.setHtml(self._html(scheme, remapped))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(page)
        column.addWidget(buttons)
        room = self.screen().availableSize()
        width, height = self.fontMetrics().averageCharWidth() * 140, self.fontMetrics().height() * 50
        self.resize(min(width, room.width()), min(height, room.height() * 9 // 10))

    def _html(self, scheme: Scheme, remapped: Mapping[str, str]) -> str:
        blocks = []
        for title, lines in sheet_sections(scheme, remapped):
            rows = "".join(
                f"<tr><td style='padding:2px 18px 2px 0; white-space:nowrap'><b>{escape(keys)}</b></td>"
                f"<td style='padding:2px 0'>{escape(text)}</td></tr>"
                for keys, text in lines
            )
            blocks.append(f"<h3 style='margin:12px 0 4px 0'>{escape(title)}</h3><table cellspacing='0'>{rows}</table>")
        left, right = blocks[:3], blocks[3:]
        return (
            "<table width='100%'><tr>"
            f"<td width='50%' style='padding-right:24px'>{''.join(left)}</td><td width='50%'>{''.join(right)}</td>"
            "</tr></table>"
        )
