"""The menu bar, made from the action table."""

from PySide6.QtWidgets import QMenu, QMenuBar

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
