"""Commands for studies: drawing one, how far it is, packs out and back."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from annotation.study.design import StudyDesign
    from annotation.study.records import StudyStatus

PROJECT = click.argument("path", metavar="PROJECT", type=click.Path(path_type=Path, exists=True, dir_okay=False))
AS_JSON = click.option("--json", "as_document", is_flag=True, help="Print one JSON document.")
STUDY = click.option("--study", default="", help="Its name; the newest study without.")
PRESET_NAMES = ("floor-events", "response", "validity", "echo-role")
_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.group()
def study() -> None:
    """Draw studies, see how far they are, and send packs out and back."""


@study.command("new")
@PROJECT
@click.option("--preset", type=click.Choice(PRESET_NAMES), default="floor-events", show_default=True)
@click.option("--annotators", required=True, metavar="A,B,C", help="Names, separated by commas.")
@click.option("--name", default="", help="The study’s name; that of the preset without.")
@click.option("--repeat-fraction", metavar="F", help="Share of the items that all meet twice; 0.25 for floor events.")
@click.option("--context", "context_s", type=float, help="Seconds around the cue, on each side; 10 without.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--items", metavar="WHERE", help="reference, grid:SECONDS, labels:SOURCE or trials:RUN.")
@click.option("--scheme", "scheme", type=_FILE, help="A scheme file instead of the preset’s.")
@click.option("--guidelines", type=_FILE, help="A Markdown file, shown beside each item.")
@click.option("--calibration", type=_FILE, help="A JSON file that says what is practised first.")
@click.option("--dry-run", is_flag=True, help="Say how much work it is, and draw nothing.")
@AS_JSON
def study_new(
    path: Path,
    preset: str,
    annotators: str,
    name: str,
    repeat_fraction: str | None,
    context_s: float | None,
    seed: int,
    items: str | None,
    scheme: Path | None,
    guidelines: Path | None,
    calibration: Path | None,
    dry_run: bool,
    as_document: bool,
) -> None:
    """Draw a study: who labels which items in which order, with blind repeats."""
    from annotation.project.project import Project
    from annotation.scheme import scheme_from_file
    from annotation.study.design import calibration_from_json
    from annotation.study.records import StudyRecords
    from app.command_output import print_json, say_all
    from app.settings import account_name
    from app.study_text import workload_sentences
    from app.text_file import text_of

    changes: dict[str, Any] = {
        "repeat_fraction": repeat_fraction,
        "context_s": context_s,
        "items": items,
        "scheme": None if scheme is None else scheme_from_file(scheme),
        "guidelines": None if guidelines is None else text_of(guidelines),
        "calibration": None
        if calibration is None
        else calibration_from_json(text_of(calibration), where=str(calibration)),
    }
    design = design_from(preset, name, tuple(part.strip() for part in annotators.split(",")), seed, changes)
    with Project.open(path) as project:
        records = StudyRecords(project)
        work = records.workload(design)
        say_all(workload_sentences(work))
        document: dict[str, Any] = {"name": design.name, "seed": design.seed, **work_as_json(work)}
        if not dry_run:
            made, notices = records.create(design, account_name())
            say_all([f"{notice.where}: {notice.message}" for notice in notices])
            document |= {"id": made.id, "warnings": [notice_as_json(notice) for notice in notices]}
            say_all([f"{path}: the study “{made.name}” is drawn."])
    if as_document:
        print_json(document)


def design_from(
    preset: str, name: str, annotators: tuple[str, ...], seed: int, changes: dict[str, Any]
) -> "StudyDesign":
    """Return a preset’s design with the changes that are not None.

    Raises
    ------
    FloorscopeError
        With the first value that cannot be.
    """
    import msgspec

    from annotation.study.design import PRESETS, preset_design

    design = preset_design(preset, name or PRESETS[preset].title, annotators, seed=seed)
    return msgspec.structs.replace(design, **{key: value for key, value in changes.items() if value is not None})


@study.command("status")
@PROJECT
@STUDY
@AS_JSON
def study_status(path: Path, study: str, as_document: bool) -> None:
    """Say how far each annotator is; never what anybody answered."""
    from annotation.project.project import Project
    from annotation.study.records import StudyRecords
    from app.command_output import print_json
    from app.study_text import status_sentences

    with Project.open(path, read_only=True) as project:
        status = StudyRecords(project).status(study)
    if as_document:
        print_json(status_as_json(status))
    else:
        for sentence in status_sentences(status):
            click.echo(sentence)


@study.command("pack")
@PROJECT
@click.option("--annotator", required=True, help="Whose pack it is.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, metavar="FILE.floorpack")
@STUDY
@AS_JSON
def study_pack(path: Path, annotator: str, out: Path, study: str, as_document: bool) -> None:
    """Write one annotator’s items with their sound into one file, and nothing that could unblind."""
    from annotation.project.project import Project
    from annotation.study.pack import estimate_pack, seat_of, write_pack
    from app.command_output import print_json, say_all
    from app.study_text import estimate_sentence, pack_sentence
    from app.terminal_work import terminal_work
    from app.user_cache import user_cache

    with Project.open(path, read_only=True) as project:
        seat = seat_of(project, annotator, study)
        with terminal_work("Writing the pack") as (token, progress):
            cache = user_cache()
            say_all([estimate_sentence(estimate_pack(project, seat, cache, token))])
            report = write_pack(project, seat, out, cache, token, progress)
    say_all([f"{notice.where}: {notice.message}" for notice in report.notices])
    if as_document:
        print_json(
            {
                "path": str(report.path),
                "annotator": annotator,
                "presentations": report.presentations,
                "bytes": report.bytes,
                "warnings": [notice_as_json(notice) for notice in report.notices],
            }
        )
    else:
        say_all([pack_sentence(report)])


@study.command("merge")
@PROJECT
@click.argument("packs", metavar="FILE…", nargs=-1, required=True, type=_FILE)
@AS_JSON
def study_merge(path: Path, packs: tuple[Path, ...], as_document: bool) -> None:
    """Bring packs home: what is new is added, what is known skipped, what does not belong refused with the reason."""
    from annotation.errors import FloorscopeError
    from annotation.project.project import Project
    from annotation.study.merge import merge_pack
    from app.command_output import print_json
    from app.study_text import merge_sentences
    from app.terminal_work import terminal_work

    reports: list[dict[str, Any]] = []
    whole = True
    with Project.open(path) as project, terminal_work("Merging") as (token, progress):
        for pack in packs:
            try:
                report = merge_pack(project, pack, token, progress)
            except FloorscopeError as error:
                # One file that is no pack costs itself, and the others are merged.
                reports.append(refused_pack(pack, error))
                sentences: tuple[str, ...] = (str(error),)
                whole = False
            else:
                reports.append(merge_as_json(report))
                sentences = merge_sentences(report)
                whole = whole and not report.refused_count and not report.notices
            for sentence in sentences:
                click.echo(sentence, err=as_document)
    if as_document:
        print_json({"packs": reports})
    sys.exit(0 if whole else 2)


def notice_as_json(notice: Any) -> dict[str, str]:
    """Return a notice as it stands in JSON."""
    return {"code": notice.code, "where": notice.where, "message": notice.message}


def work_as_json(work: Any) -> dict[str, Any]:
    """Return a workload as it stands in JSON."""
    return {
        "annotators": work.annotators,
        "items": work.items,
        "repeats": work.repeats,
        "calibration": work.calibration,
        "presentations": work.presentations,
        "hours": round(work.hours, 3),
    }


def status_as_json(status: "StudyStatus") -> dict[str, Any]:
    """Return how far a study is as it stands in JSON; no answer is in it."""
    return {
        "study": status.study.name,
        "items": status.items,
        "repeated": status.repeated,
        "batches": status.batches,
        "annotators": [
            {
                "annotator": seat.seat.annotator,
                "presentations": seat.presentations,
                "submitted": seat.submitted,
                "spent_s": round(seat.spent_s, 3),
                "pace_s": seat.pace_s,
                "calibration_presentations": seat.calibration_presentations,
                "calibration_submitted": seat.calibration_submitted,
                "calibrated": seat.calibrated,
                "reopened": seat.reopened,
                "on_break": seat.on_break,
                "last_at": seat.last_at,
                "replaced": seat.replaced,
            }
            for seat in status.seats
        ],
    }


def merge_as_json(report: Any) -> dict[str, Any]:
    """Return what a merge did as it stands in JSON."""
    return {
        "pack": report.pack,
        "annotator": report.annotator,
        "added": report.added,
        "submissions_added": report.submissions_added,
        "already_known": report.already_known,
        "refused_count": report.refused_count,
        "refused": [notice_as_json(notice) for notice in report.refused],
        "warnings": [notice_as_json(notice) for notice in report.notices],
    }


def refused_pack(pack: Path, error: Any) -> dict[str, Any]:
    """Return a file that is no pack of the project in the shape of `merge_as_json`."""
    refusal = {"code": error.code, "where": str(pack), "message": f"{error.what} {error.remedy}".strip()}
    counts = {"added": 0, "submissions_added": 0, "already_known": 0, "refused_count": 1}
    return {"pack": str(pack), "annotator": "", **counts, "refused": [refusal], "warnings": []}
