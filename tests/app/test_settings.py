import contextlib
from pathlib import Path

from app.settings import MOST_RECENT, Settings, SettingsFile


def test_what_is_changed_is_there_at_the_next_start(tmp_path: Path) -> None:
    SettingsFile(tmp_path / "settings.json").change(theme="dark", keys={"edit.undo": "Ctrl+U"})
    assert SettingsFile(tmp_path / "settings.json").value == Settings(theme="dark", keys={"edit.undo": "Ctrl+U"})


def test_a_file_that_cannot_be_read_is_set_aside_and_said(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"theme": 3}', encoding="utf-8")
    settings = SettingsFile(path)
    assert settings.value == Settings()
    assert "settings.unreadable.json" in settings.trouble
    assert (tmp_path / "settings.unreadable.json").read_text(encoding="utf-8") == '{"theme": 3}'


def test_a_folder_that_cannot_be_written_is_said_and_does_not_stop_the_work(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    settings = SettingsFile(blocked / "settings.json")
    assert settings.change(theme="dark").theme == "dark"
    assert "cannot be" in settings.trouble


def test_the_newest_project_stands_first_and_once(tmp_path: Path) -> None:
    settings = SettingsFile(tmp_path / "settings.json")
    for number in [*range(MOST_RECENT + 3), 5]:
        settings.add_recent(tmp_path / f"{number}.floorscope")
    recent = [Path(name).stem for name in settings.value.recent]
    assert recent[0] == "5"
    assert len(recent) == len(set(recent)) == MOST_RECENT


def test_settings_that_do_not_remember_touch_no_file(tmp_path: Path) -> None:
    settings = SettingsFile(tmp_path / "settings.json", remembering=False)
    settings.change(theme="dark")
    assert not (tmp_path / "settings.json").exists()


def test_a_full_disk_leaves_the_settings_as_they_were_and_says_so(tiny_disk: Path) -> None:
    settings = SettingsFile(tiny_disk / "settings.json")
    settings.change(person="Ana")
    before = settings.path.read_bytes()
    ballast = tiny_disk / "ballast"
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        file.write(b"x" * (2 << 20))
    settings.change(person="Ben", recent=("x" * 9_000,))
    assert "cannot be kept (No space left" in settings.trouble
    assert settings.value.person == "Ben"
    assert settings.path.read_bytes() == before
    assert sorted(file.name for file in tiny_disk.iterdir()) == ["ballast", "settings.json"]
    ballast.unlink()
    settings.change(person="Cem")
    assert SettingsFile(settings.path).value.person == "Cem"
