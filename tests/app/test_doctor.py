import json
import sys
from pathlib import Path

import pytest

from app.doctor import (
    LITTLE_SPACE_MB,
    NO_SPACE_MB,
    Check,
    as_json,
    check_database,
    check_disk,
    check_folder,
    check_fonts,
    check_models,
    check_packages,
    check_python,
    check_qt_libraries,
    check_qt_version,
    check_sound,
    check_window,
    default_questions,
    install_line,
    missing_libraries,
    run_checks,
)
from app.sound_system import SoundSystem

LDD = """\
\tlinux-vdso.so.1 (0x00007f5007bd7000)
\tlibxcb-cursor.so.0 => not found
\tlibQt6Gui.so.6 => /opt/Qt/lib/libQt6Gui.so.6 (0x00007f5006a00000)
\tlibxkbcommon-x11.so.0 => not found
\tlibxcb-cursor.so.0 => not found
"""


def test_the_report_covers_what_the_command_line_contract_names() -> None:
    assert list(default_questions()) == [
        "python",
        "qt version",
        "qt libraries",
        "window",
        "fonts",
        "sound",
        "database",
        "settings folder",
        "cache folder",
        "data folder",
        "disk space",
        "packages",
        "voices",
        "models",
    ]


def test_every_outcome_on_this_machine_is_named_after_its_check_and_only_trouble_has_a_remedy() -> None:
    checks = run_checks()
    assert [check.name for check in checks] == list(default_questions())
    assert [check.name for check in checks if bool(check.remedy) != (check.status != "ok")] == []


def test_the_tests_own_machine_fails_no_check() -> None:
    assert [check for check in run_checks() if check.status == "fail"] == []


def test_a_warning_leaves_the_report_ok_and_a_failure_does_not() -> None:
    fine, warned, failed = Check("a", "ok", "x"), Check("b", "warn", "y", "z"), Check("c", "fail", "y", "z")
    assert as_json([fine, warned])["ok"] is True
    assert as_json([fine, failed])["ok"] is False


def test_the_report_as_json_has_the_contract_s_fields() -> None:
    text = json.dumps(as_json([Check("sound", "warn", "none", "connect one")]))
    assert json.loads(text) == {
        "ok": True,
        "checks": [{"name": "sound", "status": "warn", "detail": "none", "remedy": "connect one"}],
    }


def test_a_check_that_raises_is_a_failure_with_the_system_s_words_and_the_others_still_run() -> None:
    def broken() -> Check:
        raise PermissionError(13, "Permission denied", "/somewhere")

    first, second = run_checks({"broken": broken, "sound one": lambda: Check("sound one", "ok", "fine")})
    assert (first.name, first.status) == ("broken", "fail")
    assert "Permission denied" in first.detail
    assert second.status == "ok"


def test_a_bug_in_a_check_is_not_hidden_as_a_fault_of_the_machine() -> None:
    def wrong() -> Check:
        raise AttributeError("no such thing")

    with pytest.raises(AttributeError, match="no such thing"):
        run_checks({"wrong": wrong})


def test_missing_libraries_are_read_from_ldd_each_once() -> None:
    assert missing_libraries(LDD) == ("libxcb-cursor.so.0", "libxkbcommon-x11.so.0")


def test_the_line_to_run_holds_debian_s_names_and_names_an_unknown_library_as_it_is() -> None:
    assert install_line(missing_libraries(LDD)) == "On Debian: sudo apt-get install libxcb-cursor0 libxkbcommon-x11-0"
    assert install_line(["libsomething.so.7"]) == "Install the packages that bring libsomething.so.7"


def test_python_before_3_11_fails() -> None:
    assert check_python((3, 10, 14)).status == "fail"
    assert check_python((3, 11, 0)).status == "ok"


@pytest.mark.parametrize(
    ("version", "status"),
    [("6.10.2", "fail"), ("6.10.3", "ok"), ("6.11.3", "ok"), ("6.12.0", "fail"), ("6.12.0a1", "fail"), ("7.0", "fail")],
)
def test_pyside_is_taken_from_6_10_3_up_to_and_without_6_12(version: str, status: str) -> None:
    assert check_qt_version(version).status == status


@pytest.mark.skipif(sys.platform != "linux", reason="ldd is Linux's")
def test_a_missing_window_library_is_a_warning_without_a_screen_and_a_failure_with_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ldd = tmp_path / "ldd"
    ldd.write_text(
        '#!/bin/sh\ncase "$1" in *xcb*) printf "\\tlibxcb-cursor.so.0 => not found\\n";; esac\n', encoding="utf-8"
    )
    ldd.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.delenv("DISPLAY", raising=False)
    assert check_qt_libraries().status == "warn"
    monkeypatch.setenv("DISPLAY", ":0")
    check = check_qt_libraries()
    assert check.status == "fail"
    assert check.remedy == "On Debian: sudo apt-get install libxcb-cursor0"


def test_a_platform_that_does_not_exist_is_reported_although_qt_aborts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "no-such-platform")
    (check,) = run_checks({"window": default_questions()["window"]})
    assert check.status == "fail"
    assert "no-such-platform" in check.detail


def test_the_window_s_detail_names_each_screen_with_its_scale() -> None:
    answer = {
        "platform": "xcb",
        "screens": [
            {"name": "one", "width": 1920, "height": 1080, "scale": 1.0},
            {"name": "two", "width": 1280, "height": 800, "scale": 1.5},
        ],
    }
    assert check_window(answer).detail == "Qt draws through xcb: 1920 × 1080 at scale 1; 1280 × 800 at scale 1.5."


def test_no_screen_and_no_font_fail() -> None:
    assert check_window({"platform": "xcb", "screens": []}).status == "fail"
    assert check_fonts({"families": 0}).status == "fail"


def test_a_missing_portaudio_is_a_warning_that_names_the_package() -> None:
    check = check_sound({"portaudio": "", "error": "PortAudio library not found"}, SoundSystem())
    assert check.status == "warn"
    assert "libportaudio2" in check.remedy


def test_a_missing_sound_device_is_a_warning_and_a_device_is_told_with_its_latency() -> None:
    silent = {"portaudio": "PortAudio V19", "error": "Error querying device -1"}
    assert check_sound(silent, SoundSystem()).status == "warn"
    heard = silent | {"device": "default", "host": "ALSA", "rate_hz": 48000.0, "channels": 2, "latency_ms": 8.7}
    assert check_sound(heard, SoundSystem("PipeWire", "1.0.5", True, "Speakers")) == Check(
        "sound",
        "ok",
        "PipeWire 1.0.5, default output Speakers. Plays through “default” (ALSA): 2 channels at 48000 Hz, "
        "latency 9 ms.",
    )


def test_the_database_is_tried_with_flushed_commits_and_leaves_nothing_behind(tmp_path: Path) -> None:
    check = check_database(tmp_path)
    assert check.status == "ok"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_can_be_made_is_made_and_left_empty(tmp_path: Path) -> None:
    assert check_folder("cache folder", tmp_path / "new" / "folder").status == "ok"
    assert list((tmp_path / "new" / "folder").iterdir()) == []


def test_a_folder_whose_path_is_taken_by_a_file_fails_by_name(tmp_path: Path) -> None:
    taken = tmp_path / "cache"
    taken.write_text("", encoding="utf-8")
    check = check_folder("cache folder", taken)
    assert check.status == "fail"
    assert str(taken) in check.detail


def test_disk_space_warns_before_it_fails() -> None:
    statuses = [
        check_disk(free).status for free in (NO_SPACE_MB - 1, NO_SPACE_MB, LITTLE_SPACE_MB - 1, LITTLE_SPACE_MB)
    ]
    assert statuses == ["fail", "warn", "warn", "ok"]


def test_pandas_in_the_environment_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_packages().status == "ok"
    (tmp_path / "pandas.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert check_packages().status == "warn"


def test_the_model_of_speech_activity_is_there_and_runs() -> None:
    check = check_models()
    assert check.status == "ok"
    assert "silero-6.2.3" in check.detail


def test_a_model_that_is_refused_is_a_warning_since_labelling_goes_on_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    check = check_models()
    assert check.status == "warn"
    assert "onnxruntime cannot be loaded" in check.detail
    assert check.remedy
