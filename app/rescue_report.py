"""What can be rescued of a damaged project, or was, in sentences for the window and the terminal."""

from datetime import datetime

from annotation.project.salvage import RescueReport


def rescue_sentences(report: RescueReport) -> tuple[str, ...]:
    """Return what is wrong, what there is, what is lost, and where it was written."""
    done = report.out is not None
    what_is_there = (
        f"{_steps(report.revisions)} and {_counted(report.conversations, 'conversation')} "
        f"{'were' if done else 'can be'} rescued."
    )
    sentences = [*report.damages, backup_sentence(report), what_is_there, loss_sentence(report)]
    sentences += [f"{notice.where}: {notice.message}" for notice in report.notices]
    if done:
        sentences.append(f"Written and checked: {report.out}. The damaged file stays as it is: {report.path}.")
    return tuple(sentence for sentence in sentences if sentence)


def backup_sentence(report: RescueReport) -> str:
    """Return which backup there is and what the file adds to it."""
    if report.backup is None:
        return "There is no sound backup; everything comes from the damaged file itself."
    more = f"; {report.more:,} more can be read in the damaged file" if report.more else ""
    return (
        f"The newest sound backup is of {_local_time(report.backup_at)}, with {_steps(report.backup_revisions)}{more}."
    )


def loss_sentence(report: RescueReport) -> str:
    """Return how many steps are lost, and of which kind."""
    end = " More may have stood behind the last step that was found." if report.open_end else ""
    if not report.lost:
        return "No step is known to be lost." + end if end else "No step is lost."
    parts = []
    if report.unread:
        parts.append(f"{report.unread} cannot be read")
    if report.set_aside:
        parts.append(
            f"{report.set_aside} can be read but {'build' if report.set_aside > 1 else 'builds'} on what is lost, and "
            f"{'are' if report.set_aside > 1 else 'is'} kept aside in the new file"
        )
    return f"{_steps(report.lost)} {'are' if report.lost > 1 else 'is'} lost: {'; '.join(parts)}.{end}"


def _steps(count: int) -> str:
    return _counted(count, "step")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _local_time(text: str) -> str:
    try:
        return f"{datetime.fromisoformat(text).astimezone():%d %b %Y %H:%M}"
    except ValueError:
        return "an unknown time"
