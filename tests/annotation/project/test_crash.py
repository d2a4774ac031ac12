"""Work survives what happens to machines: a killed process, a full disk. Kept means synced, and that is traced."""

import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from annotation.document import Document, Revision
from annotation.errors import FloorscopeError
from annotation.events import FloorEvent
from annotation.project.database import connect
from annotation.project.faults import ProjectError
from annotation.project.project import Project, conversation_subject
from annotation.project.revision_log import documents_in, revisions_after, revisions_of

CHECKOUT = Path(__file__).resolve().parents[3]
KILLS = 20

WORKER = """
import os, random, sys
from pathlib import Path
from annotation.events import FloorEvent
from annotation.project.project import Project

path, seed, steps = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
project = Project.open(path, backups=False)

def say(kept):
    os.write(1, "".join(f"kept {revision.id}\\n" for revision in kept).encode())

project.set_listeners(say, lambda fault, held: os.write(1, b"failed\\n"))
documents = [project.open_document(f"conversation:c{number}", "ann").document for number in range(3)]
os.write(1, b"ready\\n")
for step in range(steps):
    document = chance.choice(documents)
    what = chance.random()
    if what < 0.2:
        document.undo()
    elif what < 0.3:
        document.redo()
    elif what < 0.5 and len(document):
        with document.edit("Remove") as edit:
            edit.remove(chance.choice(list(document)))
    else:
        with document.edit("Add") as edit:
            edit.add(FloorEvent("A", "turn", step, step + 5))
    if chance.random() < 0.3:
        project.flush(30)
project.close()
"""


def start(path: Path, seed: int, steps: int, *prefix: str) -> subprocess.Popen[str]:
    command = [*prefix, sys.executable, "-c", WORKER, str(path), str(seed), str(steps)]
    return subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True)


def test_a_process_killed_at_any_moment_loses_nothing_that_it_called_kept(path: Path) -> None:
    Project.create(path, backups=False).close()
    chance = random.Random(20)
    printed: list[str] = []
    for kill in range(KILLS):
        with start(path, kill, 100_000) as process:
            assert process.stdout is not None
            lines = iter(process.stdout)
            for _ in range(chance.randrange(2, 60)):
                next(lines)
            process.kill()
            printed += [line.split()[1] for line in lines if line.startswith("kept") and line.endswith("\n")]
    db = connect(path, read_only=True)
    stored = [entry.revision for entry in revisions_after(db, 0)]
    assert printed
    assert set(printed) <= {revision.id for revision in stored}
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    owner = {revision.id: (revision.subject, revision.person) for revision in stored}
    assert all(owner[r.undoes] == (r.subject, r.person) for r in stored if r.undoes is not None)
    for subject, person in documents_in(db):
        document = Document(subject=subject, person=person, revisions=revisions_of(db, subject, person))
        while document.undo() is not None:
            pass
    db.close()
    with Project.open(path, backups=False) as project:
        assert project.check().ok
        assert project.open_document("conversation:c0", "ann").lease is not None


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is absent")
def test_the_disk_has_synced_before_a_gesture_is_called_kept(tmp_path: Path, path: Path) -> None:
    Project.create(path, backups=False).close()
    trace = tmp_path / "trace"
    calls = "trace=fsync,fdatasync,write,pwrite64"
    prefix = ["strace", "-f", "-y", "-s", "64", "-e", calls, "-o", str(trace)]
    with start(path, 1, 30, *prefix) as process:
        assert process.stdout is not None
        process.stdout.read()
    if process.returncode != 0:
        pytest.skip("strace may not trace here")
    log = re.escape(f"{path.name}-wal")
    dirty, reports = False, 0
    for line in trace.read_text(errors="replace").splitlines():
        if re.search(rf"pwrite64\(\d+<[^>]*{log}>", line):
            dirty = True
        elif re.search(rf"(fsync|fdatasync)\(\d+<[^>]*{log}>", line):
            dirty = False
        elif '"kept ' in line and "write(1" in line:
            reports += 1
            assert not dirty, "a gesture was called kept while the log held pages that were not synced"
    assert reports > 0


def test_a_full_disk_freezes_the_document_and_keeps_all_once_there_is_room(tiny_disk: Path) -> None:
    path = tiny_disk / "study.floorscope"
    with Project.create(path, backups=False) as project:
        faults: list[FloorscopeError] = []
        kept: list[Revision] = []
        project.set_listeners(kept.extend, lambda fault, held: faults.append(fault))
        document = project.open_document(conversation_subject("c1"), "ann").document
        ballast = tiny_disk / "ballast"
        with ballast.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass
        entered = 0
        while not document.frozen:
            with document.edit("Add") as edit:
                edit.add(FloorEvent("A", "turn", entered, entered + 1, comment="word " * 2_000))
            entered += 1
            project.flush(30)
        assert "disk is full" in document.frozen or "did not read or write" in document.frozen
        assert len(faults) == 1
        assert len(kept) + len(project.held) == entered
        ballast.unlink()
        project.retry()
        assert project.flush(30)
        assert document.frozen == ""
        assert [revision.added[0].onset for revision in kept] == list(range(entered))
    with Project.open(path, backups=False) as again:
        assert len(again.open_document(conversation_subject("c1"), "ann").document) == entered
        assert again.check().ok


def test_a_project_on_read_only_media_is_read_and_says_why_it_is_not_written(tiny_disk: Path) -> None:
    path = tiny_disk / "study.floorscope"
    with Project.create(path, backups=False) as project, project.open_document("s", "ann").document.edit("Add") as edit:
        edit.add(FloorEvent("A", "turn", 0, 1))
    subprocess.run(["mount", "-o", "remount,ro", str(tiny_disk)], check=True)
    with Project.open(path, read_only=True) as reader:
        assert len(reader.open_document("s", "ann").document) == 1
    with pytest.raises(ProjectError, match="read-only"):
        Project.open(path)
