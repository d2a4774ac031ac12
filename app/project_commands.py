"""Commands that look after a project: rescue, locate, collect and forget."""

import sys
from pathlib import Path

import click

PROJECT = click.argument("path", metavar="PROJECT", type=click.Path(path_type=Path, exists=True, dir_okay=False))
AS_JSON = click.option("--json", "as_document", is_flag=True, help="Print one JSON document.")


@click.command("rescue")
@PROJECT
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="The new project; beside the old without.")
@AS_JSON
def project_rescue(path: Path, out: Path | None, as_document: bool) -> None:
    """Make a new project of all that can be read of a damaged one and its backups; the damaged one stays as it is."""
    from annotation.project.salvage import rescue
    from app.opening import SUFFIX
    from app.rescue_report import rescue_sentences
    from app.terminal_work import terminal_work

    if out is not None and out.suffix != SUFFIX:
        raise click.UsageError(f"{out}: the name of a project ends in {SUFFIX}.")
    with terminal_work("Rescuing") as (token, progress):
        report = rescue(path, out, token, progress)
    _answer(report, rescue_sentences(report), as_document)


@click.command("locate")
@PROJECT
@click.argument("place", metavar="FOLDER", type=click.Path(path_type=Path, exists=True))
@click.option("--unproven", is_flag=True, help="Take files too of which only rate, channels and length are known.")
@AS_JSON
def project_locate(path: Path, place: Path, unproven: bool, as_document: bool) -> None:
    """Find missing audio from one FOLDER or file, and point the project to what is proven to be the same."""
    from dataclasses import replace

    from annotation.project.project import Project
    from app.media_report import locate_sentences
    from app.terminal_work import terminal_work
    from app.user_cache import user_cache

    with Project.open(path) as project, terminal_work("Looking") as (token, progress):
        report = project.locate(place, token, progress, user_cache())
        chosen = (*report.matches, *(report.unproven if unproven else ()))
        report = replace(report, repointed=project.relocate({match.missing: match.found for match in chosen}))
    _answer(report, locate_sentences(report, unproven_taken=unproven), as_document)
    sys.exit(1 if report.missing or (report.unproven and not unproven) else 0)


@click.command("collect")
@PROJECT
@AS_JSON
def project_collect(path: Path, as_document: bool) -> None:
    """Copy all audio into a folder beside the project, verified, and use the copies; the originals stay."""
    from annotation.project.project import Project
    from app.media_report import collect_sentences
    from app.terminal_work import terminal_work

    with Project.open(path) as project, terminal_work("Copying") as (token, progress):
        report = project.collect(token, progress)
    _answer(report, collect_sentences(report), as_document)
    sys.exit(1 if report.missing else 0)


@click.command("forget")
@PROJECT
@click.option("--person", required=True, help="Whose work is removed; the name as it stands in the project.")
@click.option("--yes", is_flag=True, help="Do not ask; without it, type the name to confirm.")
@AS_JSON
def project_forget(path: Path, person: str, yes: bool, as_document: bool) -> None:
    """Remove what a person entered from a project and its backups; nothing brings it back."""
    from annotation.project.removal import removal_plan, remove_person
    from app.removal_report import plan_sentences, removal_sentences

    plan = removal_plan(path, person)
    if plan.empty:
        raise click.UsageError(f"{path}: there is nothing of “{person}” in this project.")
    if not yes:
        for sentence in plan_sentences(plan):
            click.echo(sentence, err=True)
        if click.prompt("Type the name to remove it", default="", show_default=False, err=True) != person:
            click.echo("Nothing was removed.", err=True)
            sys.exit(2)
    report = remove_person(path, person)
    _answer(report, removal_sentences(report), as_document)
    sys.exit(0 if report.erased else 1)


def _answer(report: object, sentences: tuple[str, ...], as_document: bool) -> None:
    import msgspec

    from app.command_output import print_json

    if as_document:
        print_json(msgspec.to_builtins(report, enc_hook=str))
    else:
        for sentence in sentences:
            click.echo(sentence)


def add_commands(group: click.Group) -> None:
    """Put the commands under ``floorscope project``."""
    for command in (project_rescue, project_locate, project_collect, project_forget):
        group.add_command(command)
