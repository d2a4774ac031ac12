import pytest

from app.probe import ask_sound, main


def test_a_question_it_does_not_know_is_a_wrong_call(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["weather"]) == 2
    assert main([]) == 2
    assert "window|sound" in capsys.readouterr().err


def test_the_sound_card_s_answer_holds_either_a_device_or_the_library_s_own_words() -> None:
    answer = ask_sound()
    assert ("device" in answer) != ("error" in answer)
    assert set(answer) in (
        {"portaudio", "error"},
        {"portaudio", "device", "rate_hz", "channels", "latency_ms"},
    )
