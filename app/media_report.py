"""Where missing audio was found, and what was collected, in sentences for the window and the terminal."""

from annotation.project.collect import CollectReport
from annotation.project.relocation import LocateReport


def locate_sentences(report: LocateReport, *, unproven_taken: bool = False) -> tuple[str, ...]:
    """Return what one look for missing audio found."""
    if not (report.matches or report.unproven or report.different or report.missing):
        return ("No audio is missing.",)
    sentences = [f"{_files(len(report.matches))} found and proven to be the same."]
    if report.unproven:
        fate = "taken as asked" if unproven_taken else "not taken unless you say so"
        sentences.append(f"{_files(len(report.unproven))} found of which only rate, channels and length agree: {fate}.")
    sentences += [f"{notice.where}: {notice.message}" for notice in report.different]
    sentences += [f"Still missing: {path}" for path in report.missing]
    if report.repointed:
        sentences.append(f"{report.repointed} channels point to what was found; the paths before are kept.")
    return tuple(sentences)


def collect_sentences(report: CollectReport) -> tuple[str, ...]:
    """Return what a collection did."""
    there = f", {_files(report.already_there)} there already" if report.already_there else ""
    return (
        f"{_files(report.copied)} copied and verified{there}: {report.folder}",
        *(f"{notice.where}: {notice.message}" for notice in report.missing),
    )


def _files(count: int) -> str:
    return f"{count:,} file{'' if count == 1 else 's'}"
