"""The demo: the conversation that ships with Floorscope, in a project of its own."""

from importlib.resources import as_file, files
from pathlib import Path
from shutil import copyfile

from annotation.corpus import read_corpus
from annotation.project.project import Project

PROJECT_NAME = "demo.floorscope"


def make_demo(folder: Path) -> Path:
    """Put the demo conversation and its project into a folder and return the project; one that is there is kept.

    The audio is copied, so that the project's references hold when Floorscope is removed or moved.
    """
    project_path = folder / PROJECT_NAME
    audio = folder / "conversation"
    audio.mkdir(parents=True, exist_ok=True)
    with as_file(files("resources").joinpath("demo")) as source:
        for file in sorted(source.iterdir()):
            if file.is_file() and not (audio / file.name).exists():
                copyfile(file, audio / file.name)
    corpus = read_corpus([audio])
    with Project.open(project_path) if project_path.exists() else Project.create(project_path) as project:
        project.add(corpus.conversations)
    return project_path
