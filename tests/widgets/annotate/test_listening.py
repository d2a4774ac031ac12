from annotation.circumstances import Circumstances
from widgets.annotate.listening import ListeningMeter


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_break_counts_neither_as_spent_nor_as_listened() -> None:
    clock = Clock()
    meter = ListeningMeter(clock=clock)
    meter.start()
    meter.follow(playing=True, speed=0.75)
    clock.now += 4
    meter.stop()
    clock.now += 600
    meter.resume()
    clock.now += 6
    heard = meter.listening(Circumstances(device="Phones", reported_latency_s=0.02, correction_s=0.1))
    assert (heard.plays, heard.listened_s, heard.spent_s) == (1, 4.0, 10.0)
    assert (heard.slowest, heard.fastest) == (0.75, 0.75)
    assert (heard.device, heard.reported_latency_s, heard.correction_s) == ("Phones", 0.02, 0.1)


def test_the_slowest_and_fastest_speed_are_those_that_sounded() -> None:
    clock = Clock()
    meter = ListeningMeter(clock=clock)
    meter.follow(playing=False, speed=2.0)
    for speed in (1.0, 1.5, 0.5, 1.25):
        meter.follow(playing=True, speed=speed)
        clock.now += 1
    heard = meter.listening(Circumstances())
    assert (heard.slowest, heard.fastest, heard.listened_s) == (0.5, 1.5, 4.0)


def test_without_sound_the_speed_is_that_of_the_recording() -> None:
    heard = ListeningMeter(clock=Clock()).listening(Circumstances())
    assert (heard.plays, heard.slowest, heard.fastest) == (0, 1.0, 1.0)
