from collections import Counter
from pathlib import Path

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from annotation.scheme import preset_scheme
from app.actions import ACTIONS, ActionSet, conflict, keys_of, plain_text
from app.keyboard_sheet import sheet_sections
from app.preferences import KeyTable

DOCS = Path(__file__).parents[2] / "docs"


def test_no_two_actions_share_a_key() -> None:
    keys = Counter(QKeySequence(key).toString() for spec in ACTIONS for key in spec.keys)
    assert [key for key, count in keys.items() if count > 1] == []


def test_no_action_has_the_key_of_a_kind() -> None:
    reserved = {kind.key: kind.name for kind in preset_scheme().kinds}
    assert [spec.id for spec in ACTIONS for key in spec.keys if key in reserved] == []


def test_every_key_is_one_that_qt_knows() -> None:
    assert [key for spec in ACTIONS for key in spec.keys if QKeySequence(key).isEmpty()] == []


def test_every_action_has_an_own_id_a_sentence_and_a_menu() -> None:
    assert len({spec.id for spec in ACTIONS}) == len(ACTIONS)
    assert all(spec.tip.endswith(".") and spec.menu.startswith("&") for spec in ACTIONS)


def test_every_action_with_a_key_stands_in_the_manual() -> None:
    manual = "".join((DOCS / name).read_text(encoding="utf-8") for name in ("user-guide.md", "annotator-guide.md"))
    missing = [
        spec.text
        for spec in ACTIONS
        if spec.keys and not spec.id.startswith("holder.") and plain_text(spec.text) not in manual
    ]
    assert missing == []


def test_a_tooltip_names_the_key_in_force(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    actions = ActionSet(parent=window, remapped={"edit.undo": "Ctrl+U"})
    assert "Ctrl+U" in actions["edit.undo"].toolTip()
    actions.set_keys({"edit.undo": ""})
    assert actions["edit.undo"].shortcuts() == []


def test_a_key_that_is_taken_is_refused_with_the_name_of_its_owner() -> None:
    assert conflict("edit.undo", "Space", {}, {}) == "Play or pause"
    assert conflict("edit.undo", "1", {}, {"1": "Turn"}) == "kind Turn"
    assert conflict("edit.undo", "Ctrl+Z", {}, {}) is None


def test_a_key_given_up_by_one_action_is_free_for_another(qtbot: QtBot) -> None:
    table = KeyTable(remapped={}, reserved={"1": "Turn"})
    qtbot.addWidget(table)
    table.select("play.loop")
    table.assign("Space")
    assert "play.loop" not in table.remapped
    table.select("play.toggle")
    table.assign("")
    table.select("play.loop")
    table.assign("Space")
    assert table.remapped == {"play.toggle": "", "play.loop": "Space"}


def test_the_keyboard_sheet_shows_kinds_and_remapped_keys() -> None:
    sections = dict(sheet_sections(preset_scheme(), {"play.loop": "Ctrl+L"}))
    assert ("1", "Turn: hold while playing, or press at rest") in sections["Mark"]
    assert ("Ctrl+L", "Loop") in sections["Sound"]


def test_keys_that_are_not_set_are_the_defaults() -> None:
    spec = next(spec for spec in ACTIONS if spec.id == "edit.redo")
    assert keys_of(spec, {}) == ("Ctrl+Shift+Z", "Ctrl+Y")


def test_a_key_pressed_and_not_set_is_set_with_ok_unless_it_is_taken(qtbot: QtBot) -> None:
    table = KeyTable(remapped={}, reserved={})
    qtbot.addWidget(table)
    table.select("play.loop")
    table._edit.setKeySequence(QKeySequence("Space"))
    assert not table.take_pending()
    table._edit.setKeySequence(QKeySequence("Ctrl+L"))
    assert table.take_pending()
    assert table.remapped == {"play.loop": "Ctrl+L"}
