"""Commands that look after a project: rescue, locate, collect and forget."""

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
    for command in (project_rescue,):
        group.add_command(command)
