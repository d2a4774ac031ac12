"""What the cards of a study say, made from where an annotator stands."""

from annotation.study.calibration import SeatCalibration
from annotation.study.store import SeatAbout, SeatProgress
from widgets.annotate.cards import CardText, duration_text, list_text


def pace_text(progress: SeatProgress) -> str:
    """Return one's own pace in words; empty before the first submission."""
    if progress.pace_s is None:
        return ""
    return f"Your pace: {duration_text(progress.pace_s)} an item (median of the last ones)."


def welcome(about: SeatAbout, progress: SeatProgress, calibration: SeatCalibration) -> CardText:
    """Return the card of an annotator who has signed in."""
    begun = progress.submitted > 0 or calibration.submitted > 0
    kinds = ", ".join(kind.name for kind in about.scheme.kinds)
    if calibration.passed:
        state = "The calibration is passed." if calibration.agreed is not None else ""
        where = f"{progress.submitted} of {progress.total} items are handed in."
    else:
        where = ""
        state = (
            f"First comes a calibration: {calibration.total} items, each followed by the reference answer. "
            f"The study opens when {calibration.needed:.0%} of your kinds agree with it. "
            f"{calibration.submitted} of {calibration.total} are done."
        )
    lines = list_text(
        (f"You are signed in as {about.annotator}.", where, state, pace_text(progress), f"Kinds: {kinds}.")
    )
    choices = (("next", "Go on" if begun else "Begin"), ("guidelines", "Guidelines"), ("leave", "Sign out"))
    if calibration.passed:
        return CardText(about.study, lines, choices, progress.submitted, progress.total)
    return CardText(about.study, lines, choices, calibration.submitted, calibration.total)


def on_break(since: str, progress: SeatProgress) -> CardText:
    """Return the card of a break; `since` is a time of day, empty where it is not known."""
    lines = (
        f"Since {since}. The clock and the sound stand still." if since else "The clock and the sound stand still.",
        f"{progress.submitted} of {progress.total} items are handed in; all that you entered is kept.",
    )
    return CardText("On a break", lines, (("resume", "Go on"), ("leave", "Sign out")))


def calibrated(now: SeatCalibration) -> CardText:
    """Return the card at the end of a round of calibration."""
    agreed = f"{now.agreed:.0%}" if now.agreed is not None else "None"
    if now.passed:
        lines = (
            f"{agreed} of your kinds agree with the reference; {now.needed:.0%} were needed.",
            "The study is open. From now on no reference is shown.",
        )
        return CardText("Calibration passed", lines, (("next", "Begin the study"), ("guidelines", "Guidelines")))
    lines = (
        f"{agreed} of your kinds agree with the reference; {now.needed:.0%} are needed.",
        "Please read the guidelines again; the same items follow once more.",
    )
    return CardText("Another round", lines, (("guidelines", "Guidelines"), ("next", f"Begin round {now.round}")))


def finished(progress: SeatProgress, *, pack: bool) -> CardText:
    """Return the last card: own totals and what is left to do."""
    items = "1 item" if progress.submitted == 1 else f"{progress.submitted} items"
    lines = list_text(
        (
            f"You handed in {items} in {duration_text(progress.spent_s)}. Thank you.",
            pace_text(progress),
            "Now sign out and give the pack back to the lead of the study."
            if pack
            else "Nothing else is to be done: the lead of the study has your answers.",
            "You can still go back to the last ten items.",
        )
    )
    return CardText(
        "All done", lines, (("leave", "Sign out"), ("back", "Go back…")), progress.submitted, progress.total
    )


def unreadable() -> CardText:
    """Return the card of an item whose sound cannot be read; it names no file."""
    lines = (
        "The sound of this item cannot be read, so it cannot be answered here.",
        "Please tell the lead of the study. The reason stands in the log.",
    )
    return CardText("No sound", lines, (("next", "Try again"), ("skip", "Next item"), ("leave", "Sign out")))


def loading() -> CardText:
    """Return the card that is shown while a sound is read."""
    return CardText("One moment", ("The sound of the item is being read.",), (("leave", "Sign out"),))
