"""A device that does not offer the timeline's rate: what is heard, and when, is what it would be without conversion."""

import numpy as np
import pytest
from numpy.typing import NDArray

from app.playback.conversion import BUFFER_S, ConvertingOutput
from app.playback.devices import OutputDevice, open_output
from app.playback.engine import Engine, Report
from app.playback.output import DEVICE_BUSY, INVALID_RATE, Output, RateRefusedError, SoundUnavailableError
from app.playback.output import _refusal as refusal
from app.playback.ring import Ring
from app.playback.silent import SilentOutput
from widgets.transport.transport import ChannelMix

CLICK = 30_000
FRAMES = 60_000


class Click:
    """One frame of full level."""

    def render(self, first: int, count: int, mix: tuple[ChannelMix, ...]) -> NDArray[np.float32]:
        out = np.zeros((count, 2), np.float32)
        if first <= CLICK < first + count:
            out[CLICK - first] = 0.5
        return out


class Speaker(SilentOutput):
    """A device at a rate of its own with 150 ms of latency, which keeps what it was given and when it will sound."""

    latency_s = 0.15
    lead_in_s = 0.3

    def __init__(self, bench: "Bench", ring: Ring, rate_hz: int) -> None:
        super().__init__(ring=ring, rate_hz=rate_hz, clock=lambda: bench.now_s)
        self.sound: list[tuple[float, float]] = []
        pull = ring.pull

        def keep(out: NDArray[np.float32], dac_time_s: float) -> None:
            pull(out, dac_time_s + self.latency_s)
            times = dac_time_s + self.latency_s + np.arange(len(out)) / rate_hz
            self.sound.extend(zip(times.tolist(), out[:, 0].tolist(), strict=True))

        ring.pull = keep  # type: ignore[method-assign]

    def click_heard_s(self) -> float:
        times, levels = np.array(self.sound).T
        return float(times[np.argmax(np.abs(levels))])


class Bench:
    """An engine on a converting output, stepped by hand."""

    def __init__(self, rate_hz: int, device_rate_hz: int) -> None:
        self.now_s = 100.0
        self.speaker: Speaker | None = None
        self.reports: list[Report] = []

        def open_device(ring: Ring) -> Output:
            self.speaker = Speaker(self, ring, device_rate_hz)
            return self.speaker

        self.engine = Engine(
            rate_hz=rate_hz,
            frames=FRAMES,
            renderer=Click(),
            mix=(ChannelMix(),),
            open_output=lambda ring: ConvertingOutput(
                ring=ring, rate_hz=rate_hz, device_rate_hz=device_rate_hz, open_device=open_device
            ),
            open_silent=lambda ring: SilentOutput(ring=ring, rate_hz=rate_hz, clock=lambda: self.now_s),
            report=self.reports.append,
            clock=lambda: self.now_s,
        )

    def play_until_the_click_is_heard(self) -> float:
        """Return when the cursor reached the click."""
        self.engine.play(CLICK - self.engine.rate_hz // 2, None)
        while self.engine.heard().frame < CLICK:
            assert self.now_s < 110
            self.engine.step()
            self.now_s += 0.004
        return self.now_s


@pytest.mark.parametrize(
    ("rate_hz", "device_rate_hz"), [(44_100, 48_000), (48_000, 44_100), (16_000, 48_000), (96_000, 44_100)]
)
def test_the_cursor_meets_the_click_when_it_is_heard(rate_hz: int, device_rate_hz: int) -> None:
    bench = Bench(rate_hz, device_rate_hz)
    reached_s = bench.play_until_the_click_is_heard()
    assert bench.speaker is not None
    assert abs(reached_s - bench.speaker.click_heard_s()) < 0.006
    assert [report.fault for report in bench.reports if report.fault] == []


def test_the_reported_latency_counts_what_the_conversion_holds_back() -> None:
    bench = Bench(44_100, 48_000)
    bench.play_until_the_click_is_heard()
    assert bench.engine.latency_frames / 44_100 > Speaker.latency_s + BUFFER_S


def test_a_second_play_after_the_device_stopped_is_as_exact_as_the_first() -> None:
    bench = Bench(44_100, 48_000)
    bench.play_until_the_click_is_heard()
    bench.engine.pause()
    for _ in range(1200):
        bench.engine.step()
        bench.now_s += 0.004
    assert bench.speaker is not None
    assert not bench.speaker.running
    bench.speaker.sound.clear()
    reached_s = bench.play_until_the_click_is_heard()
    assert abs(reached_s - bench.speaker.click_heard_s()) < 0.006


def test_a_device_that_refuses_the_rate_plays_at_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def opened(device: OutputDevice, ring: Ring, rate_hz: int) -> Output:
        asked.append(rate_hz)
        if rate_hz != 48_000:
            raise RateRefusedError(f"The sound device “{device.name}” does not offer {rate_hz} Hz.")
        return SilentOutput(ring=ring, rate_hz=rate_hz)

    device = OutputDevice(name="Fixed", number=0, latency_s=0.1, rate_hz=32_000.0, default=True)
    monkeypatch.setattr("app.playback.devices.device_named", lambda name: device)
    monkeypatch.setattr("app.playback.devices._open", opened)
    assert isinstance(open_output("", ring=Ring(16_000), rate_hz=16_000), ConvertingOutput)
    assert asked == [16_000, 32_000, 48_000]


def test_a_device_that_offers_no_rate_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(device: OutputDevice, ring: Ring, rate_hz: int) -> Output:
        raise RateRefusedError(f"The sound device “{device.name}” does not offer {rate_hz} Hz.")

    device = OutputDevice(name="Fixed", number=0, latency_s=0.1, rate_hz=32_000.0, default=True)
    monkeypatch.setattr("app.playback.devices.device_named", lambda name: device)
    monkeypatch.setattr("app.playback.devices._open", refuse)
    with pytest.raises(RateRefusedError, match="does not offer 16000 Hz"):
        open_output("", ring=Ring(16_000), rate_hz=16_000)


def test_each_refusal_of_portaudio_has_its_own_sentence() -> None:
    assert isinstance(refusal("Headset", 8000, RuntimeError("Invalid sample rate", INVALID_RATE)), RateRefusedError)
    busy = refusal("Headset", 8000, RuntimeError("Device unavailable", DEVICE_BUSY))
    assert "in use by another program" in str(busy)
    other = refusal("Headset", 8000, ValueError("No such device"))
    assert type(other) is SoundUnavailableError
    assert "No such device" in str(other)
