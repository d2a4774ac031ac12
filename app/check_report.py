"""The report of a project check in sentences, for the window and the terminal."""

from annotation.project.check import CheckReport


def sentences(report: CheckReport) -> tuple[str, ...]:
    """Return problems, then warnings, then what was looked at."""
    problems = [f"Problem: {notice.where}: {notice.message}" for notice in report.problems]
    warnings = [f"Warning: {notice.where}: {notice.message}" for notice in report.warnings]
    counts = (
        f"Checked: {report.conversations} conversations, {report.audio_files} audio files, "
        f"{report.documents} documents with {report.revisions} steps, {report.backups} backups."
    )
    return (*problems, *warnings, counts)
