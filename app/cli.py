"""The command line: every journey without a window (the contract is in docs/command-line.md).

Exit 0: done. 1: the work failed. 2: the call or an input is wrong. 130: interrupted. With ``--json`` exactly one JSON
document goes to stdout; messages go to stderr.
"""

import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotation.cancellation import CancelledError
from annotation.errors import FloorscopeError
from app.command_output import print_json, say_all
from app.construct_command import construct
from app.project_commands import add_commands
from app.study_commands import study
from app.user_cache import user_cache

if TYPE_CHECKING:
    from annotation.corpus import Corpus
    from app.main_window import MainWindow

VIEWS = ("label", "study", "annotate", "agreement", "adjudicate", "review", "detect")


class DefaultToOpen(click.Group):
    """Takes ``floorscope PATH`` for ``floorscope open PATH``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put ``open`` before arguments that begin with no command."""
        if not args or (args[0] not in self.commands and args[0] not in ("--help", "--version")):
            args = ["open", *args]
        return super().parse_args(ctx, args)


@click.group(cls=DefaultToOpen)
@click.version_option(package_name="floorscope")
def floorscope() -> None:
    """Hear, label and judge who holds the conversational floor.

    Without a command: opens the window on a PROJECT, on AUDIO files or on a FOLDER; without anything, on the welcome
    page.
    """


@floorscope.command("open", hidden=True)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--at", "at_s", type=float, help="Where the cursor stands, in seconds.")
def open_window(paths: tuple[Path, ...], at_s: float | None) -> None:
    """Open the window."""
    from app.main import has_display, run_window

    for path in paths:
        if not path.exists():
            raise click.UsageError(f"{path}: there is no such file, folder or command. See floorscope --help.")
    if not has_display() and "QT_QPA_PLATFORM" not in os.environ:
        raise click.UsageError("There is no display to open a window on. Try floorscope demo, or floorscope --help.")
    sys.exit(run_window(paths, at_s=at_s))


@floorscope.command()
@click.option("--dir", "folder", type=click.Path(path_type=Path, file_okay=False), help="Where the demo is kept.")
def demo(folder: Path | None) -> None:
    """Make the demo, a study in progress, and open it; without a display, work through it and write pictures."""
    from app.demo_study import make_demo_study
    from app.main import has_display, run_window
    from app.settings import data_folder

    project = make_demo_study(folder or data_folder() / "demo")
    if has_display():
        sys.exit(run_window([project], study=True))
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from app.demo_tour import tour

    for sentence in tour(project):
        click.echo(sentence)


@floorscope.command()
@click.option("--json", "as_document", is_flag=True, help="Print one JSON document.")
def doctor(as_document: bool) -> None:
    """Check what Floorscope needs on this machine, and say what to do about what is missing."""
    from app.doctor import as_json, run_checks

    checks = run_checks()
    document = as_json(checks)
    if as_document:
        print_json(document)
    else:
        for check in checks:
            click.echo(f"{check.status:4}  {check.name}: {check.detail}")
            if check.remedy:
                click.echo(f"      {check.remedy}")
    sys.exit(0 if document["ok"] else 1)


@floorscope.command()
@click.argument("project", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--view", type=click.Choice(VIEWS), default="label", show_default=True)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The PNG to write.")
@click.option("--size", default="1600x1000", show_default=True, help="Logical pixels, WIDTHxHEIGHT.")
@click.option("--scale", type=click.FloatRange(0.5, 4.0), default=1.0, show_default=True)
@click.option("--theme", type=click.Choice(["light", "dark"]), default="light", show_default=True)
@click.option("--item", type=click.IntRange(1), default=1, show_default=True, help="Which conversation, from 1.")
@click.option("--at", "at_s", type=float, help="Where the cursor stands, in seconds.")
def screenshot(
    project: Path, view: str, out: Path, size: str, scale: float, theme: str, item: int, at_s: float | None
) -> None:
    """Write a picture of the real window, made without a screen."""
    if view not in ("label", "study"):
        raise click.UsageError(f"The view “{view}” is not in this version; “label” and “study” are.")
    width, height = size_from_text(size)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["QT_SCALE_FACTOR"] = str(scale)
    from PySide6.QtCore import QSize

    from app.main import make_application
    from app.main_window import MainWindow
    from app.screenshot import write_screenshot
    from app.settings import SettingsFile
    from widgets.theme import theme_named

    settings = SettingsFile(remembering=False)
    application = make_application(settings)
    window = MainWindow(settings=settings)
    window.set_theme(theme_named(theme))
    window.open_project(project, at_s=at_s, item=item, read_only=True)
    if window.page is None:
        raise click.UsageError(
            " ".join(window.messages.texts) or f"{project}: there is no conversation in this project."
        )
    assert window.project is not None
    conversations = len(window.project.conversations())
    if item > conversations:
        raise click.UsageError(f"{project}: there is no conversation {item}; the project has {conversations}.")
    if view == "study":
        show_study(window)
    write_screenshot(application, window, out, QSize(width, height))
    window.close()
    click.echo(f"Wrote {out}", err=True)


def show_study(window: "MainWindow") -> None:
    """Show the lead's page of a window's project."""
    from annotation.study.lead_lock import is_locked

    assert window.project is not None
    if is_locked(window.project):
        raise click.UsageError(f"{window.project.path}: the lead’s page asks for a passphrase, so it has no picture.")
    if not window.desk.open():
        raise click.UsageError(f"{window.project.path}: there is no study in this project.")


@floorscope.group()
def corpus() -> None:
    """Look at material."""


@corpus.command("info")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--layout", default="auto", show_default=True)
@click.option("--json", "as_document", is_flag=True, help="Print one JSON document.")
def corpus_info(paths: tuple[Path, ...], layout: str, as_document: bool) -> None:
    """Say what folders or files hold."""
    from annotation.corpus import corpus_as_json, read_corpus
    from app.terminal_work import terminal_work

    with terminal_work("Reading") as (cancel, progress):
        found = read_corpus(paths, layout=layout, cache=user_cache(), cancel=cancel, progress=progress)
    if as_document:
        print_json(corpus_as_json(found))
    else:
        show_corpus(found)
    sys.exit(0 if found.conversations else 2)


@floorscope.group()
def project() -> None:
    """Make and look after project files."""


@project.command("new")
@click.argument("path", metavar="PROJECT", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--corpus", "corpora", multiple=True, type=click.Path(path_type=Path), help="A folder or file with audio."
)
@click.option(
    "--channel", "channels", multiple=True, metavar="NAME=FILE[:INDEX][@START_S]", help="One speaker's sound."
)
@click.option("--id", "conversation_id", default="", help="Name of the conversation put together by hand.")
@click.argument("more", nargs=-1, type=click.Path(path_type=Path))
def project_new(
    path: Path, corpora: tuple[Path, ...], channels: tuple[str, ...], conversation_id: str, more: tuple[Path, ...]
) -> None:
    """Make a project over corpora, or over one conversation put together by hand."""
    from annotation.channel_spec import channel_spec_from_text
    from annotation.corpus import corpus_from_channels, read_corpus
    from annotation.project.project import Project
    from annotation.sources import ImportedConversation
    from app.opening import SUFFIX, notices_of, require_conversations
    from app.terminal_work import terminal_work

    material: list[ImportedConversation] = []
    paths = (*corpora, *more)
    if paths:
        with terminal_work("Reading") as (cancel, progress):
            found = read_corpus(paths, cache=user_cache(), cancel=cancel, progress=progress)
        require_conversations(found, paths)
        say_all(notices_of(found))
        material.extend(found.conversations)
    if channels:
        specs = [channel_spec_from_text(text) for text in channels]
        with terminal_work("Reading") as (cancel, progress):
            made = corpus_from_channels(
                specs, conversation_id or path.stem, cache=user_cache(), cancel=cancel, progress=progress
            )
        say_all(notices_of(made))
        material.extend(made.conversations)
    if not material:
        raise click.UsageError("Say what the project is over: --corpus PATH, or --channel NAME=FILE.")
    if path.suffix != SUFFIX:
        raise click.UsageError(f"{path}: the name of a project ends in {SUFFIX}.")
    with Project.create(path) as created:
        report = created.add(material)
    say_all([f"Refused: {notice.where}: {notice.message}" for notice in report.refused])
    click.echo(f"{path}: {len(report.added)} conversations.", err=True)


@project.command("add")
@click.argument("path", metavar="PROJECT", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--corpus", "corpora", multiple=True, type=click.Path(path_type=Path), help="A folder or file with audio."
)
@click.argument("more", nargs=-1, type=click.Path(path_type=Path))
def project_add(path: Path, corpora: tuple[Path, ...], more: tuple[Path, ...]) -> None:
    """Add material to a project; what is there already stays as it is."""
    from annotation.corpus import read_corpus
    from annotation.project.project import Project
    from app.opening import notices_of, require_conversations
    from app.terminal_work import terminal_work

    paths = (*corpora, *more)
    if not paths:
        raise click.UsageError("Say what to add: --corpus PATH.")
    with terminal_work("Reading") as (cancel, progress):
        found = read_corpus(paths, cache=user_cache(), cancel=cancel, progress=progress)
    require_conversations(found, paths)
    with Project.open(path) as opened:
        report = opened.add(found.conversations)
    say_all(notices_of(found))
    say_all([f"Refused: {notice.where}: {notice.message}" for notice in report.refused])
    click.echo(f"{path}: {len(report.added)} added, {len(report.already_there)} known already.", err=True)
    sys.exit(2 if report.refused and not report.added else 0)


@project.command("check")
@click.argument("path", metavar="PROJECT", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--json", "as_document", is_flag=True, help="Print one JSON document.")
def project_check(path: Path, as_document: bool) -> None:
    """Check the integrity of a project file, its audio and its backups."""
    import msgspec

    from annotation.project.check import check_project
    from app.check_report import sentences
    from app.terminal_work import terminal_work

    with terminal_work("Checking") as (token, progress):
        report = check_project(path, token, progress, user_cache())
    if as_document:
        print_json(msgspec.to_builtins(report))
    else:
        for sentence in sentences(report):
            click.echo(sentence)
    sys.exit(0 if report.ok else 1)


add_commands(project)
floorscope.add_command(construct)
floorscope.add_command(study)


def size_from_text(text: str) -> tuple[int, int]:
    """Return width and height from ``WIDTHxHEIGHT``, each 200 to 8000."""
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal() and 200 <= int(width) <= 8000 and 200 <= int(height) <= 8000):
        raise click.UsageError(f"“{text}” is not a size like 1600x1000 (each 200 to 8000).")
    return int(width), int(height)


def show_corpus(found: "Corpus") -> None:
    """Print conversations for people."""
    from annotation.timebase import text_from_frame

    click.echo(f"Layout: {found.layout}")
    for item in found.conversations:
        conversation = item.conversation
        seconds = text_from_frame(conversation.frames, conversation.rate_hz)
        events = sum(len(source.events) for source in item.sources)
        click.echo(f"{conversation.id}: {seconds} s at {conversation.rate_hz} Hz, {events} events")
        for channel in conversation.channels:
            start = text_from_frame(channel.start_frame, conversation.rate_hz)
            click.echo(
                f"  {channel.display_name}: {channel.path} channel {channel.index + 1}, {channel.rate_hz} Hz, "
                f"{channel.frames} frames, starts at {start} s"
            )
    say_all([f"Warning: {notice.where}: {notice.message}" for notice in found.warnings])
    say_all([f"Refused: {notice.where}: {notice.message}" for notice in found.refused])


def main() -> None:
    """Run the command line; a fault that a user can act on is one sentence and exit code 2."""
    logging.basicConfig(level=os.environ.get("FLOORSCOPE_LOG", "WARNING").upper(), stream=sys.stderr)
    try:
        floorscope(standalone_mode=False)
    except FloorscopeError as error:
        click.echo(str(error), err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        click.echo(error.format_message(), err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt, CancelledError):
        sys.exit(130)


if __name__ == "__main__":
    main()
