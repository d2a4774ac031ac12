import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from annotation.conversation import Channel, Conversation, SpeakerAssignment
from annotation.document import Document, ReadOnlyError, Revision
from annotation.errors import FloorscopeError, InvalidValueError
from annotation.events import FloorEvent
from annotation.project.database import log_path
from annotation.project.faults import DamagedProjectError, ProjectError, ProjectWriteError
from annotation.project.project import OpenDocument, Project, conversation_subject
from annotation.sources import EventSource, ImportedConversation, SourceRole

SUBJECT = conversation_subject("c1")
MakeEvent = Callable[..., FloorEvent]


def add(document: Document, event: FloorEvent) -> None:
    with document.edit("Add") as edit:
        edit.add(event)


# Conversations


def test_a_conversation_comes_back_as_it_was_imported(project: Project, imported: ImportedConversation) -> None:
    report = project.add([imported])
    assert (report.added, report.already_there, report.refused) == (("c1",), (), ())
    assert project.imported("c1") == imported.conversation == project.conversation("c1")
    assert project.sources("c1") == imported.sources


def test_adding_twice_changes_nothing_even_with_new_event_ids(project: Project, imported: ImportedConversation) -> None:
    project.add([imported])
    source = imported.sources[0]
    again = replace(source, events=tuple(replace(event, id=f"new-{event.id}") for event in source.events))
    report = project.add([replace(imported, sources=(again,))])
    assert (report.added, report.already_there, report.sources_added) == ((), ("c1",), 0)
    assert project.sources("c1") == imported.sources


def test_a_new_source_joins_a_conversation_that_is_there(project: Project, imported: ImportedConversation) -> None:
    project.add([imported])
    extra = EventSource("vad", SourceRole.DETECTOR, "run", (FloorEvent("A", "speech", 0, 5),))
    report = project.add([replace(imported, sources=(*imported.sources, extra))])
    assert report.sources_added == 1
    assert project.sources("c1") == (*imported.sources, extra)


def test_another_conversation_of_the_same_id_costs_only_itself(
    project: Project, imported: ImportedConversation
) -> None:
    project.add([imported])
    clash = ImportedConversation(replace(imported.conversation, attributes={"split": "test"}))
    fresh = ImportedConversation(replace(imported.conversation, id="c2"))
    report = project.add([clash, fresh])
    assert report.added == ("c2",)
    assert [(notice.where, "another conversation" in notice.message) for notice in report.refused] == [("c1", True)]
    assert project.imported("c1") == imported.conversation


def test_a_source_is_never_edited_by_adding_it_anew(project: Project, imported: ImportedConversation) -> None:
    project.add([imported])
    changed = replace(imported.sources[0], events=imported.sources[0].events[:1])
    report = project.add([replace(imported, sources=(changed,))])
    assert "other events" in report.refused[0].message
    assert project.sources("c1") == imported.sources


def test_a_name_that_is_no_unicode_is_refused_and_leaves_nothing(
    project: Project, imported: ImportedConversation
) -> None:
    channel = replace(imported.conversation.channels[0], path=Path("bad\udcff.wav"))
    bad = ImportedConversation(Conversation("c9", 8000, (channel,)))
    report = project.add([bad, imported])
    assert (report.added, [notice.where for notice in report.refused]) == (("c1",), ["c9"])
    assert [summary.id for summary in project.conversations()] == ["c1"]


def test_paths_are_kept_relative_so_that_a_project_moves_with_its_audio(
    tmp_path: Path, project: Project, imported: ImportedConversation
) -> None:
    project.add([imported])
    project.close()
    moved = tmp_path.parent / f"{tmp_path.name}-moved"
    shutil.move(tmp_path, moved)
    with Project.open(moved / "study.floorscope", backups=False) as opened:
        paths = [channel.path for channel in opened.conversation("c1").channels]
        assert paths == [moved / "audio" / "A.wav", moved / "audio" / "B.wav"]
        assert opened.conversations()[0].missing == ()


def test_an_event_log_without_audio_is_a_conversation_too(project: Project) -> None:
    log = Conversation("log", 1_000_000, (Channel("A", None, 0, 1_000_000, 0),), event_frames=5)
    project.add([ImportedConversation(log)])
    assert project.conversation("log") == log
    assert project.conversations()[0].missing == ()


def test_a_summary_counts_reference_events_labels_and_missing_files(
    project: Project, imported: ImportedConversation, event: MakeEvent
) -> None:
    detector = EventSource("vad", SourceRole.DETECTOR, "", (event(),))
    project.add([replace(imported, sources=(*imported.sources, detector))])
    opened = project.open_document(SUBJECT, "ann")
    add(opened.document, event())
    add(opened.document, event())
    opened.document.undo()
    assert project.flush(30)
    gone = imported.conversation.channels[0].path
    assert gone is not None
    gone.unlink()
    (summary,) = project.conversations()
    assert summary.reference_kinds == {"turn": 2, "backchannel": 1}
    assert summary.labels == {"ann": 1}
    assert summary.missing == (gone,)
    assert (summary.duration, summary.speakers) == (imported.conversation.duration, ("A", "B"))
    project.close_document(opened)


def test_the_newest_mapping_counts_and_earlier_ones_stay(project: Project, imported: ImportedConversation) -> None:
    project.add([imported])
    assert project.mapping_history("c1") == ()
    swapped = (SpeakerAssignment("A", "Ada", 1), SpeakerAssignment("B", "Bob", 0))
    straight = (SpeakerAssignment("A", "", 0), SpeakerAssignment("B", "", 1))
    project.assign("c1", straight, "ann")
    project.assign("c1", swapped, "bob")
    sounds = [(channel.speaker, channel.path and channel.path.name) for channel in project.conversation("c1").channels]
    assert sounds == [("A", "B.wav"), ("B", "A.wav")]
    assert project.conversations()[0].speakers == ("Ada", "Bob")
    assert project.imported("c1") == imported.conversation
    history = [(entry.person, entry.assignments) for entry in project.mapping_history("c1")]
    assert history == [("ann", straight), ("bob", swapped)]


def test_a_mapping_that_leaves_a_speaker_out_is_refused(project: Project, imported: ImportedConversation) -> None:
    project.add([imported])
    with pytest.raises(InvalidValueError, match="exactly once"):
        project.assign("c1", (SpeakerAssignment("A", "", 0),), "ann")
    assert project.mapping_history("c1") == ()


def test_an_unknown_conversation_is_said(project: Project) -> None:
    with pytest.raises(ProjectError, match="nowhere: The project has no such conversation"):
        project.conversation("nowhere")


# Documents


def test_events_and_both_stacks_survive_a_reopen(path: Path, project: Project, event: MakeEvent) -> None:
    opened = project.open_document(SUBJECT, "ann")
    first, second, third = event(0), event(5), event(9)
    for one in (first, second, third):
        add(opened.document, one)
    opened.document.undo()
    opened.document.undo()
    project.close()
    with Project.open(path, backups=False) as again:
        document = again.open_document(SUBJECT, "ann").document
        assert list(document) == [first]
        assert (document.undo_label, document.redo_label) == ("Add", "Add")
        document.redo()
        assert list(document) == [first, second]
        document.redo()
        assert list(document) == [first, second, third]
        assert document.redo() is None


def test_people_and_subjects_have_documents_of_their_own(project: Project, event: MakeEvent) -> None:
    add(project.open_document(SUBJECT, "ann").document, event())
    assert project.flush(30)
    assert len(project.open_document(SUBJECT, "bob").document) == 0
    assert len(project.open_document(conversation_subject("c2"), "ann").document) == 0


def test_a_document_opens_for_writing_once_and_again_after_closing(project: Project, event: MakeEvent) -> None:
    first = project.open_document(SUBJECT, "ann")
    second = project.open_document(SUBJECT, "ann")
    assert second.lease is None
    assert "already in this Floorscope" in second.read_only_reason
    with pytest.raises(ReadOnlyError, match="already in this Floorscope"):
        add(second.document, event())
    add(first.document, event())
    project.close_document(first)
    with pytest.raises(ReadOnlyError, match="closed"):
        add(first.document, event())
    third = project.open_document(SUBJECT, "ann")
    assert third.lease is not None
    assert len(third.document) == 1


def test_revisions_of_subjects_that_nobody_knows_are_left_alone(path: Path, project: Project, event: MakeEvent) -> None:
    opened = project.open_document("verdict:from-a-later-version", "ann")
    add(opened.document, replace(event(), kind="unheard-of"))
    project.close()
    with Project.open(path, backups=False) as again:
        assert again.conversations() == ()
        assert again.check().ok
        assert len(again.open_document("verdict:from-a-later-version", "ann").document) == 1


def test_a_log_that_does_not_follow_is_damaged_and_holds_no_lease(project: Project, event: MakeEvent) -> None:
    stray = Revision(SUBJECT, "ann", "Remove", (), (event(),))
    assert project._writer is not None
    project._writer.submit(stray)
    assert project.flush(30)
    for _ in range(2):
        with pytest.raises(DamagedProjectError, match="do not follow"):
            project.open_document(SUBJECT, "ann")
    assert project.check().problems[0].code == "revisions-inconsistent"


def test_a_read_only_project_reads_and_refuses_to_write(
    path: Path, project: Project, imported: ImportedConversation, event: MakeEvent
) -> None:
    project.add([imported])
    add(project.open_document(SUBJECT, "ann").document, event())
    project.close()
    with Project.open(path, read_only=True) as reader:
        opened = reader.open_document(SUBJECT, "ann")
        assert len(opened.document) == 1
        assert opened.document.frozen == "The project is open read-only."
        assert reader.conversation("c1") == imported.conversation
        with pytest.raises(ProjectError, match="read-only"):
            reader.add([imported])
        with pytest.raises(ProjectError, match="read-only"):
            reader.assign("c1", (), "ann")
    assert not path.with_name(path.name + "-backups").exists()


def test_closing_twice_does_nothing_and_a_closed_project_says_so(path: Path) -> None:
    project = Project.create(path)
    project.close()
    project.close()
    with pytest.raises(ProjectError, match="closed"):
        project.conversations()
    assert [file.name for file in path.parent.iterdir() if file.is_file()] == [path.name]


# Keeping


class Heard:
    def __init__(self, project: Project) -> None:
        self.kept: list[Revision] = []
        self.faults: list[FloorscopeError] = []
        project.set_listeners(self.kept.extend, lambda fault, held: self.faults.append(fault))


def test_a_gesture_is_reported_as_kept_once(project: Project, event: MakeEvent) -> None:
    heard = Heard(project)
    add(project.open_document(SUBJECT, "ann").document, event())
    assert project.flush(30)
    assert [revision.label for revision in heard.kept] == ["Add"]
    assert heard.faults == []


def test_after_a_fault_documents_freeze_with_the_reason_and_thaw_after_a_retry(
    path: Path, project: Project, event: MakeEvent
) -> None:
    heard = Heard(project)
    document = project.open_document(SUBJECT, "ann").document
    other = project.open_document(SUBJECT, "bob").document
    add(document, event(0))
    assert project.flush(30)
    log_path(path).rename(path.with_name("stolen"))
    add(document, event(5))
    assert not project.flush(30)
    assert "moved, replaced or deleted" in document.frozen
    assert other.frozen == document.frozen
    assert project.open_document(SUBJECT, "cleo").document.frozen == document.frozen
    assert [revision.added[0].onset for revision in project.held] == [5]
    project.retry()
    assert project.flush(30)
    assert document.frozen == other.frozen == ""
    add(document, event(7))
    project.close()
    assert [revision.added[0].onset for revision in heard.kept] == [0, 5, 7]
    with Project.open(path, backups=False) as again:
        assert [found.onset for found in again.open_document(SUBJECT, "ann").document] == [0, 5, 7]
        assert again.check().ok


def test_a_document_with_a_gesture_that_is_not_kept_stays_open(path: Path, project: Project, event: MakeEvent) -> None:
    opened = project.open_document(SUBJECT, "ann")
    add(opened.document, event(0))
    assert project.flush(30)
    moved = path.with_name("moved")
    path.rename(moved)
    add(opened.document, event(5))
    with pytest.raises(ProjectWriteError, match="moved"):
        project.close_document(opened)
    moved.rename(path)
    project.retry()
    project.close_document(opened)
    assert project.held == ()


# Others' work


def test_own_gestures_are_no_news_and_those_of_others_are(path: Path, project: Project, event: MakeEvent) -> None:
    add(project.open_document(SUBJECT, "ann").document, event())
    assert project.flush(30)
    assert not project.poll().changed
    with Project.open(path, backups=False) as other:
        theirs = event(3)
        add(other.open_document(SUBJECT, "bob").document, theirs)
        assert other.flush(30)
        news = project.poll()
        assert news.changed
        assert [(r.person, r.added) for r in news.revisions] == [("bob", (theirs,))]
        assert not project.poll().changed
        assert [r.person for r in other.poll().revisions] == []


def test_new_conversations_of_others_are_news(path: Path, project: Project, imported: ImportedConversation) -> None:
    with Project.open(path, backups=False) as other:
        other.add([imported])
        assert project.poll().changed
        assert not project.poll().changed


# Laws


class PersistedDocument(RuleBasedStateMachine):
    """Whatever is done, what a fresh replay of the file gives is what the document in memory holds."""

    @initialize()
    def create(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "law.floorscope"
        self.project = Project.create(self.path, backups=False)
        self.opened: OpenDocument = self.project.open_document(SUBJECT, "ann")

    @property
    def document(self) -> Document:
        return self.opened.document

    @rule(onset=st.integers(0, 50), length=st.integers(0, 9))
    def add_one(self, onset: int, length: int) -> None:
        add(self.document, FloorEvent("A", "turn", onset, onset + length))

    @rule(data=st.data())
    @precondition(lambda self: len(self.document) > 0)
    def move_one(self, data: st.DataObject) -> None:
        old = data.draw(st.sampled_from(list(self.document)))
        with self.document.edit("Move") as edit:
            edit.remove(old)
            edit.add(replace(old, offset=old.offset + 1))

    @rule()
    @precondition(lambda self: len(self.document) > 0)
    def clear(self) -> None:
        with self.document.edit("Clear") as edit:
            for found in list(self.document):
                edit.remove(found)

    @rule()
    def undo(self) -> None:
        self.document.undo()

    @rule()
    def redo(self) -> None:
        self.document.redo()

    @rule()
    def reopen_document(self) -> None:
        self.project.close_document(self.opened)
        self.opened = self.project.open_document(SUBJECT, "ann")

    @rule()
    def reopen_project(self) -> None:
        self.project.close()
        self.project = Project.open(self.path, backups=False)
        self.opened = self.project.open_document(SUBJECT, "ann")

    @invariant()
    def replay_is_what_memory_holds(self) -> None:
        assert self.project.flush(30)
        replayed = self.project.open_document(SUBJECT, "ann").document
        assert list(replayed) == list(self.document)
        assert (replayed.undo_label, replayed.redo_label) == (self.document.undo_label, self.document.redo_label)

    def teardown(self) -> None:
        if hasattr(self, "project"):
            self.project.close()
            shutil.rmtree(self.folder)


TestPersistedDocument = PersistedDocument.TestCase
TestPersistedDocument.settings = settings(max_examples=25, stateful_step_count=15, deadline=None)


def test_a_check_of_a_sound_project_is_ok_and_prints_as_json(
    path: Path, project: Project, imported: ImportedConversation
) -> None:
    project.add([imported])
    project.backup()
    report = project.check()
    assert report.ok
    assert (report.conversations, report.audio_files, report.backups) == (1, 2, 1)
    assert json.loads(json.dumps(asdict(report)))["problems"] == []
