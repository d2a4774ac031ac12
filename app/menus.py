"""The menu bar, made from the action table, and the menu of projects used before."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from app.actions import ACTIONS, ActionSet


def build_menus(bar: QMenuBar, actions: ActionSet) -> None:
    """Fill a menu bar; a menu of the form ``A/B`` is the menu B inside A."""
    menus: dict[str, QMenu] = {}
    for spec in ACTIONS:
        path = ""
        for name in spec.menu.split("/"):
            parent: QMenu | QMenuBar = menus[path] if path else bar
            path = f"{path}/{name}" if path else name
            if path not in menus:
                menus[path] = parent.addMenu(name)
        if spec.separated:
            menus[path].addSeparator()
        menus[path].addAction(actions[spec.id])


class RecentMenu(QMenu):
    """Projects used before, read anew each time the menu opens; `chosen` gives the path of one."""

    chosen = Signal(str)

    def __init__(self, *, projects: Callable[[], Sequence[str]], parent: QWidget) -> None:
        super().__init__(parent)
        self._projects = projects
        self.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        self.clear()
        for name in self._projects():
            self.addAction(name).triggered.connect(lambda _=False, path=name: self.chosen.emit(path))
        if self.isEmpty():
            self.addAction("No project yet").setEnabled(False)
