"""What is said of studies, for windows and terminals alike; runs without Qt."""

from annotation.study.merge import MergeReport
from annotation.study.pack import PackEstimate, PackReport
from annotation.study.records import SeatStatus, StudyStatus
from annotation.study.workload import Workload


def workload_sentences(work: Workload) -> tuple[str, ...]:
    """Return how much work a design is."""
    practice = f", {work.calibration} of them to practise first" if work.calibration else ""
    return (
        f"Each of {work.annotators} annotators gets {work.presentations:,} presentations of {work.items:,} items"
        f"{practice}: about {hours_text(work.hours)}.",
        work.pace,
        work.repeats_text,
    )


def status_sentences(status: StudyStatus) -> tuple[str, ...]:
    """Return how far everybody is, a line each."""
    extended = f", drawn in {status.batches} parts" if status.batches > 1 else ""
    head = f"{status.study.name}: {status.items:,} items, {status.repeated:,} of them met twice{extended}."
    return (head, *(seat_sentence(seat) for seat in status.seats))


def seat_sentence(seat: SeatStatus) -> str:
    """Return how far one annotator is."""
    parts = [f"{seat.submitted:,} of {seat.presentations:,} submitted"]
    if seat.calibration_presentations:
        parts.append("calibration passed" if seat.calibrated else "calibration not passed yet")
    parts.append(f"{duration_text(seat.spent_s)} spent")
    if seat.pace_s is not None:
        parts.append(f"{seat.pace_s:.0f} s each")
    if seat.reopened:
        parts.append(f"{seat.reopened} sent back")
    if seat.on_break:
        parts.append("on a break")
    if seat.replaced:
        parts.append("replaced")
    return f"{seat.seat.annotator}: {', '.join(parts)}."


def estimate_sentence(estimate: PackEstimate) -> str:
    """Return how large a pack will be."""
    return (
        f"The pack will have about {size_text(estimate.bytes)}: {estimate.presentations:,} presentations, "
        f"{duration_text(estimate.seconds)} of sound."
    )


def pack_sentence(report: PackReport) -> str:
    """Return what was written."""
    return f"Wrote {report.path}: {report.presentations:,} presentations, {size_text(report.bytes)}."


def merge_sentences(report: MergeReport) -> tuple[str, ...]:
    """Return what a merge did: the counts first, then each refusal."""
    head = (
        f"{report.pack}: from {report.annotator}, {report.submissions_added:,} submissions and "
        f"{report.added - report.submissions_added:,} steps and breaks added, {report.already_known:,} already known, "
        f"{report.refused_count:,} refused."
    )
    more = report.refused_count - len(report.refused)
    return (
        head,
        *(notice.message for notice in report.notices),
        *(f"Refused: {notice.where}: {notice.message}" for notice in report.refused),
        *([f"{more:,} more were refused."] if more else []),
    )


def hours_text(hours: float) -> str:
    """Return hours for people: minutes below two hours."""
    return f"{hours * 60:.0f} minutes" if hours < 2 else f"{hours:.1f} hours"


def duration_text(seconds: float) -> str:
    """Return seconds as ``45 s``, ``12 min`` or ``3 h 05 min``."""
    minutes = round(seconds / 60)
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02d} min"


def size_text(count: int) -> str:
    """Return bytes as ``850 kB``, ``12 MB`` or ``1.4 GB``."""
    for unit, size in (("GB", 1e9), ("MB", 1e6)):
        if count >= size:
            return f"{count / size:,.1f} {unit}" if count < 10 * size else f"{count / size:,.0f} {unit}"
    return f"{max(1, round(count / 1000)):,} kB"
