"""What this machine's window system and sound card answer, asked in a process of its own.

Qt aborts the process when it finds no usable platform, and PortAudio's back ends write to the terminal as they
please; neither may happen to the program that wants to report it. So ``python -m app.probe window`` and
``python -m app.probe sound`` print one JSON document and end.
"""

import json
import os
import sys


def ask_window() -> dict[str, object]:
    """Return the platform Qt chose, its screens (name, size in pixels, scale) and how many font families it sees."""
    # Imported here: an import that fails for want of a library has to end this process only.
    from PySide6.QtGui import QFontDatabase, QGuiApplication

    application = QGuiApplication([])
    screens = [
        {
            "name": screen.name(),
            "width": screen.size().width(),
            "height": screen.size().height(),
            "scale": screen.devicePixelRatio(),
        }
        for screen in application.screens()
    ]
    return {"platform": application.platformName(), "screens": screens, "families": len(QFontDatabase.families())}


def ask_sound() -> dict[str, object]:
    """Return PortAudio's version and the default output device: name, host interface, rate, channels and latency in ms.

    Without PortAudio or without a device, `error` holds the library's own words instead.
    """
    try:
        # Imported here: the import itself opens PortAudio, and raises OSError where the library is missing.
        import sounddevice  # type: ignore[import-untyped]
    except OSError as error:
        return {"portaudio": "", "error": str(error)}
    version = str(sounddevice.get_portaudio_version()[1])
    try:
        device = dict(sounddevice.query_devices(kind="output"))
        host = str(sounddevice.query_hostapis(device["hostapi"])["name"])
    except (sounddevice.PortAudioError, ValueError) as error:
        return {"portaudio": version, "error": str(error)}
    return {
        "portaudio": version,
        "device": str(device["name"]),
        "host": host,
        "rate_hz": float(device["default_samplerate"]),
        "channels": int(device["max_output_channels"]),
        "latency_ms": 1000 * float(device["default_low_output_latency"]),
    }


def main(arguments: list[str]) -> int:
    """Print the answer of ``window`` or ``sound`` as JSON; 2 for any other word."""
    questions = {"window": ask_window, "sound": ask_sound}
    if len(arguments) != 1 or arguments[0] not in questions:
        sys.stderr.write("Usage: python -m app.probe window|sound\n")
        return 2
    sys.stdout.write(json.dumps(questions[arguments[0]]()) + "\n")
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    # Without the interpreter's own clean-up: back ends of Qt and PortAudio that hang or crash there would turn an
    # answer that was given into a failure.
    os._exit(code)
