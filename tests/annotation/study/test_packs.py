import io
import itertools
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import msgspec
import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.audio.cache import AudioCache
from annotation.cancellation import CancelledError, CancelToken
from annotation.conversation import Channel, Conversation
from annotation.events import NOBODY, FloorEvent
from annotation.project.faults import ProjectWriteError
from annotation.project.project import Project
from annotation.sources import EventSource, ImportedConversation, SourceRole
from annotation.study.design import NEUTRAL, Calibration, preset_design
from annotation.study.drawing import REPEAT
from annotation.study.merge import MergeReport, merge_pack
from annotation.study.pack import estimate_pack, flac_of, seat_of, write_pack
from annotation.study.pack_reader import LARGEST_ROW_BYTES, PackError
from annotation.study.presentation import Answer, Listening
from annotation.study.records import StudyRecords
from annotation.study.store import AnnotatorStore

RATE_HZ = 8_000
SECONDS = 60
SEED = 987_654_321_987
NAMES = ("Anneke", "Bartholomew", "Cosima")
KINDS = ("TURN", "BACKCHANNEL", "INTERRUPTION")
ANSWER = Answer(kind="TURN", holder_before=NOBODY, holder_after="v1", onset=9_000, offset=12_000)


def imported(folder: Path, name: str, seed: int) -> ImportedConversation:
    chance = np.random.default_rng(seed)
    channels = []
    for speaker in ("Xanthippe", "Yaroslav"):
        path = folder / f"hiddenmic_{name}_{speaker}.wav"
        samples = chance.integers(-900, 900, RATE_HZ * SECONDS).astype(np.int16)
        soundfile.write(path, samples, RATE_HZ, subtype="PCM_16")
        channels.append(Channel(speaker, path, 0, RATE_HZ, len(samples)))
    events = tuple(
        FloorEvent(
            ("Xanthippe", "Yaroslav")[place % 2],
            KINDS[place % 3],
            (3 + 4 * place) * RATE_HZ,
            (4 + 4 * place) * RATE_HZ,
            holder_before="Xanthippe",
            holder_after="Yaroslav",
        )
        for place in range(13)
    )
    conversation = Conversation(name, RATE_HZ, tuple(channels))
    return ImportedConversation(conversation, (EventSource("gold", SourceRole.REFERENCE, f"{name}.json", events),))


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with a study drawn over it, and a pack for each annotator beside it."""
    folder = tmp_path_factory.mktemp("packs")
    path = folder / "leadproject.floorscope"
    design = msgspec.structs.replace(
        preset_design("floor-events", "Our study", NAMES, seed=SEED), context_s=1.0, speaker_names=NEUTRAL
    )
    with Project.create(path, backups=False) as project:
        project.add([imported(folder, name, seed) for seed, name in enumerate(("alphasession", "betasession"))])
        StudyRecords(project).create(design, "Leadperson")
        for name in NAMES:
            write_pack(project, seat_of(project, name), folder / f"{name}.floorpack", AudioCache(folder / "cache"))
    return path


@pytest.fixture
def home(template: Path, tmp_path: Path) -> Path:
    """Return a copy of the project alone, under the same name."""
    return Path(shutil.copy(template, tmp_path / template.name))


@pytest.fixture
def project(home: Path) -> Iterator[Project]:
    with Project.open(home, backups=False) as opened:
        yield opened


@pytest.fixture
def pack(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(template.with_name("Anneke.floorpack"), tmp_path / "Anneke.floorpack"))


def seat_in(pack: Path) -> str:
    conn = sqlite3.connect(pack)
    try:
        return str(conn.execute("SELECT seat FROM seat_about").fetchone()[0])
    finally:
        conn.close()


def answer_some(pack: Path, count: int, answer: Answer = ANSWER) -> None:
    """Answer the next items of a pack through the annotator's own side."""
    store = AnnotatorStore(pack, seat_in(pack))
    try:
        for _ in range(count):
            shown = store.next_presentation()
            assert shown is not None
            history = store.history(shown.id)
            history.give("Kind", replace(answer, onset=None, offset=None))
            history.give("Edges", answer)
            history.undo()
            history.redo()
            store.submit(shown.id, answer, Listening(plays=1, listened_s=5.0, spent_s=20.0))
    finally:
        assert store.close() == ()


def state(project: Project) -> tuple[object, ...]:
    """Return all that was entered, whatever the order it came in, and the figures' input."""
    columns = {
        "draft": "id, presentation, at, label, undoes, answer, circumstances",
        "submission": "id, presentation, at, draft, answer, listening, scheme_version",
        "seat_break": "id, seat, at, begins",
    }
    with project.reading() as db:
        rows = [sorted(db.execute(f"SELECT {names} FROM {table}").fetchall()) for table, names in columns.items()]
    labels = StudyRecords(project).label_table().labels
    return (*rows, sorted(labels, key=repr), [seat.submitted for seat in StudyRecords(project).status().seats])


def counts(report: MergeReport) -> tuple[int, int, int]:
    return report.added, report.already_known, report.refused_count


def edited(pack: Path, *statements: str) -> Path:
    """Write into a pack as a hostile program would: without its triggers, which stand there again afterwards."""
    conn = sqlite3.connect(pack, isolation_level=None)
    conn.execute("PRAGMA journal_mode = DELETE")
    triggers = conn.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        conn.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        conn.execute(statement)
    for _, sql in triggers:
        conn.execute(sql)
    conn.close()
    return pack


# What a pack holds


def test_a_pack_holds_nothing_that_could_unblind(template: Path, pack: Path) -> None:
    content = pack.read_bytes()
    with Project.open(template, read_only=True) as project:
        records = StudyRecords(project)
        mine = seat_of(project, "Anneke").id
        others = [one.id for one in records.presentations() if one.seat != mine]
        hidden = [item.id for item in records.items()] + others
        hidden += [seat.id for seat in records.seats() if seat.id != mine]
        hidden += [project.id]
    hidden += [*NAMES[1:], "Leadperson", "alphasession", "betasession", "hiddenmic", "Xanthippe", "Yaroslav"]
    hidden += ["leadproject", "gold", str(SEED), str(template.parent), ".wav"]
    found = [text for text in hidden if text.encode() in content or text.encode("utf-16-le") in content]
    assert found == []
    assert SEED.to_bytes(8, "big") not in content
    assert SEED.to_bytes(6, "big") not in content


def test_no_kind_stands_in_a_pack_but_in_the_scheme(pack: Path) -> None:
    conn = sqlite3.connect(pack)
    tables = [name for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    cells = [
        str(cell)
        for table in tables
        if table not in ("seat_about", "sound")
        for row in conn.execute(f"SELECT * FROM {table}")
        for cell in row
    ]
    about = str(conn.execute("SELECT about FROM seat_about").fetchone()[0])
    conn.close()
    assert cells
    assert not [cell for cell in cells if any(kind in cell for kind in KINDS)]
    assert set(msgspec.json.decode(about)) <= {
        "name",
        "scheme",
        "guidelines",
        "context_s",
        "pass_mark",
        "mutes_others_after",
    }


def test_no_two_clips_are_equal_and_none_has_a_tag(template: Path, pack: Path) -> None:
    conn = sqlite3.connect(pack)
    sounds = conn.execute("SELECT presentation, voice, flac FROM sound").fetchall()
    frames = dict(conn.execute("SELECT id, frames FROM seat_presentation").fetchall())
    conn.close()
    assert len({flac for _, _, flac in sounds}) == len(sounds)
    assert len(set(frames.values())) == len(frames)
    starts = set()
    for presentation, _, flac in sounds:
        with soundfile.SoundFile(io.BytesIO(flac)) as file:
            assert (file.samplerate, file.channels, file.subtype) == (RATE_HZ, 1, "PCM_16")
            assert file.frames == frames[presentation]
            assert file.copy_metadata() == {}
        blocks = flac[4:]
        kinds = []
        while blocks:
            kinds.append(blocks[0] & 0x7F)
            last, length = blocks[0] >> 7, int.from_bytes(blocks[1:4], "big")
            starts.add(bytes(blocks[4 : 4 + length]) if kinds[-1] == 4 else b"")
            blocks = b"" if last else blocks[4 + length :]
        assert set(kinds) <= {0, 4}
    assert len(starts - {b""}) == 1


def test_a_pack_plays_what_the_project_plays(template: Path, pack: Path) -> None:
    with Project.open(template, read_only=True) as project:
        drawn = {one.id: one for one in StudyRecords(project).presentations(seat=seat_in(pack))}
        by_item = {item.id: item for item in StudyRecords(project).items()}
    conn = sqlite3.connect(pack)
    sounds = conn.execute("SELECT presentation, voice, flac FROM sound LIMIT 6").fetchall()
    conn.close()
    for presentation, voice, flac in sounds:
        one = drawn[presentation]
        place = [known.id for known in one.voices].index(voice)
        name = f"hiddenmic_{by_item[one.item].conversation}_{one.speakers[place]}.wav"
        whole, _ = soundfile.read(template.with_name(name), dtype="int16")
        clip, _ = soundfile.read(io.BytesIO(flac), dtype="int16")
        assert np.array_equal(clip, whole[one.clip.onset : one.clip.offset])


def test_neither_rows_nor_numbers_tell_a_repeat(template: Path, pack: Path) -> None:
    conn = sqlite3.connect(pack)
    order = [found for (found,) in conn.execute("SELECT presentation FROM sound ORDER BY rowid")]
    columns = [row[1] for row in conn.execute("PRAGMA table_info(seat_presentation)")]
    conn.close()
    assert order == sorted(order)
    assert not {"number", "item", "batch", "clip_onset", "speakers"} & set(columns)
    with Project.open(template, read_only=True) as project:
        drawn = StudyRecords(project).presentations(seat=seat_in(pack))
    assert any(one.number == REPEAT for one in drawn)


def test_the_size_said_first_is_near_the_size_written(template: Path, pack: Path) -> None:
    with Project.open(template, read_only=True) as project:
        estimate = estimate_pack(project, seat_of(project, "Anneke"), AudioCache(template.parent / "cache"))
    assert estimate.bytes == pytest.approx(pack.stat().st_size, rel=0.1)


def test_a_file_that_is_there_is_never_written_over(project: Project, pack: Path, tmp_path: Path) -> None:
    before = pack.read_bytes()
    with pytest.raises(PackError, match="may hold answers"):
        write_pack(project, seat_of(project, "Anneke"), pack, AudioCache(tmp_path / "cache"))
    assert pack.read_bytes() == before


def test_a_cancelled_pack_leaves_nothing_behind(template: Path, tmp_path: Path) -> None:
    token = CancelToken()

    def stop(share: float) -> None:
        token.cancel()

    with Project.open(template, read_only=True) as project, pytest.raises(CancelledError):
        write_pack(
            project, seat_of(project, "Cosima"), tmp_path / "c.floorpack", AudioCache(tmp_path / "cache"), token, stop
        )
    assert [path.name for path in tmp_path.iterdir() if "floorpack" in path.name] == []


def test_a_disk_without_room_is_said_before_anything_is_written(template: Path, tiny_disk: Path) -> None:
    cache = AudioCache(template.parent / "cache")
    with Project.open(template, read_only=True) as project:
        seat = seat_of(project, "Anneke")
        with pytest.raises(ProjectWriteError, match=r"needs about .* MB and the disk has"):
            write_pack(project, seat, tiny_disk / "a.floorpack", cache)
    assert list(tiny_disk.iterdir()) == []


def test_sound_keeps_the_depth_it_needs_and_says_what_flac_cannot_hold() -> None:
    sixteen = np.array([-1.0, 0.0, 1 / 32768, 0.5], dtype=np.float32)
    data, limited = flac_of(sixteen, RATE_HZ)
    assert (soundfile.info(io.BytesIO(data)).subtype, limited) == ("PCM_16", 0)
    finer = np.array([1 / (1 << 23), -0.25, 1.0], dtype=np.float32)
    data, limited = flac_of(finer, RATE_HZ)
    read, _ = soundfile.read(io.BytesIO(data), dtype="float32")
    assert (soundfile.info(io.BytesIO(data)).subtype, limited) == ("PCM_24", 0)
    assert np.max(np.abs(read - finer)) <= 1 / (1 << 23)
    _, limited = flac_of(np.array([1.5, -2.0, np.nan, 0.1], dtype=np.float32), RATE_HZ)
    assert limited == 3


# Bringing packs home


def test_what_was_answered_in_a_pack_comes_home_once(project: Project, pack: Path) -> None:
    answer_some(pack, 2)
    first = merge_pack(project, pack)
    assert counts(first) == (10, 0, 0)
    assert first.submissions_added == 2
    after = state(project)
    assert counts(merge_pack(project, pack)) == (0, 10, 0)
    assert state(project) == after
    status = {seat.seat.annotator: seat.submitted for seat in StudyRecords(project).status().seats}
    assert status == {"Anneke": 2, "Bartholomew": 0, "Cosima": 0}


def test_a_merged_pack_is_only_read(project: Project, pack: Path) -> None:
    answer_some(pack, 1)
    before = pack.read_bytes()
    merge_pack(project, pack)
    assert pack.read_bytes() == before


def test_the_one_file_holds_all_that_was_entered(project: Project, pack: Path, tmp_path: Path) -> None:
    answer_some(pack, 3)
    sent = tmp_path / "sent"
    sent.mkdir()
    assert merge_pack(project, Path(shutil.copy(pack, sent))).submissions_added == 3
    assert [path.name for path in sent.iterdir()] == [pack.name]


@pytest.fixture(scope="module")
def answered(template: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """Return packs that came back: of two annotators, and of the third from two machines that went apart."""
    folder = tmp_path_factory.mktemp("answered")
    made = []
    for name, count in (("Anneke", 2), ("Bartholomew", 1), ("Cosima", 1)):
        made.append(Path(shutil.copy(template.with_name(f"{name}.floorpack"), folder / f"{name}.floorpack")))
        answer_some(made[-1], count)
    second = Path(shutil.copy(made[-1], folder / "Cosima-2.floorpack"))
    answer_some(made[-1], 1, replace(ANSWER, kind="BACKCHANNEL"))
    answer_some(second, 1, replace(ANSWER, kind="INTERRUPTION"))
    return (*made, second)


def merged(template: Path, folder: Path, packs: tuple[Path, ...]) -> tuple[object, ...]:
    path = Path(shutil.copy(template, folder / f"{uuid4().hex}.floorscope"))
    with Project.open(path, backups=False) as project:
        for pack in packs:
            assert merge_pack(project, pack).refused_count == 0
        return state(project)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(more=st.lists(st.integers(0, 3), max_size=5), order=st.permutations(range(4)), chance=st.randoms())
def test_any_order_with_repetitions_gives_one_project(
    template: Path, answered: tuple[Path, ...], tmp_path: Path, more: list[int], order: list[int], chance: object
) -> None:
    places = [*order, *more]
    chance.shuffle(places)  # type: ignore[attr-defined]
    expected = merged(template, tmp_path, answered)
    assert merged(template, tmp_path, tuple(answered[place] for place in places)) == expected


def test_a_pack_of_another_project_is_refused_whole(pack: Path, tmp_path: Path) -> None:
    answer_some(pack, 1)
    with (
        Project.create(tmp_path / "other.floorscope", backups=False) as other,
        pytest.raises(PackError, match="does not have"),
    ):
        merge_pack(other, pack)


@pytest.mark.parametrize(
    ("statement", "match"),
    [
        ("CREATE TABLE extra (a)", "table “extra” that no pack has"),
        ("CREATE VIEW draft_view AS SELECT * FROM draft", "view “draft_view”"),
        ("CREATE TRIGGER z AFTER INSERT ON draft BEGIN SELECT 1; END", "trigger “z”"),
        ("CREATE INDEX i ON draft (at)", "index “i”"),
        ("DROP TABLE seat_note", "lacks the"),
        ("ALTER TABLE submission ADD COLUMN more TEXT", "that no pack has"),
        ("PRAGMA application_id = 1", "another program"),
        ("PRAGMA user_version = 99", "newer Floorscope"),
        ("DELETE FROM seat_about", "does not say whose"),
        ("UPDATE seat_about SET seat = 'nobody'", "does not have"),
    ],
)
def test_a_foreign_file_is_refused_with_a_sentence(project: Project, pack: Path, statement: str, match: str) -> None:
    before = state(project)
    with pytest.raises(PackError, match=match):
        merge_pack(project, edited(pack, statement))
    assert state(project) == before


def test_what_is_no_database_is_refused(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "x.floorpack"
    path.write_bytes(b"hello" * 100)
    with pytest.raises(PackError, match="This is no pack"):
        merge_pack(project, path)


def update(table: str, change: str) -> str:
    return f"UPDATE {table} SET {change} WHERE sequence = (SELECT max(sequence) FROM {table})"


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        (update("submission", "answer = json_set(answer, '$.offset', 99999999)"), "lies after the end of the clip"),
        (update("submission", "answer = json_set(answer, '$.kind', 'NOISE')"), "no kind “NOISE”"),
        (update("submission", "answer = json_set(answer, '$.holder_after', 'v9')"), "no speaker “v9”"),
        (update("submission", "answer = json_set(answer, '$.onset', null)"), "It lacks the onset"),
        (update("submission", "answer = json_set(answer, '$.confidence', 77)"), "confidence"),
        (update("submission", "answer = '[1, 2]'"), "cannot be read"),
        (update("submission", "listening = json_set(listening, '$.spent_s', -1)"), "time that cannot be"),
        (update("submission", "listening = json_set(listening, '$.fastest', 90)"), "speed that is not offered"),
        (update("submission", "scheme_version = 40"), "version 40 of the scheme"),
        (update("submission", "at = 'yesterday'"), "does not say when"),
        (update("submission", "at = '9999-99-99T99:99:99.999+00:00'"), "does not say when"),
        (update("submission", "id = 'x y'"), "Its id is none"),
        (update("submission", "answer = json_set(answer, '$.comment', hex(zeroblob(70000)))"), "larger than"),
        (update("draft", "undoes = 'never'"), "takes back a step that is not there"),
        (update("draft", "label = ''"), "name of 1 to"),
        (update("draft", "label = 'a' || char(7)"), "no name that could be shown"),
    ],
)
def test_an_entry_that_cannot_be_is_refused_alone(project: Project, pack: Path, statement: str, reason: str) -> None:
    answer_some(pack, 1)
    report = merge_pack(project, edited(pack, statement))
    assert counts(report) == (4, 0, 1)
    assert reason in report.refused[0].message


def test_entries_of_another_seat_are_refused(project: Project, template: Path, pack: Path) -> None:
    answer_some(pack, 1)
    foreign = StudyRecords(project).presentations(seat=seat_of(project, "Cosima").id)[0].id
    report = merge_pack(project, edited(pack, f"UPDATE submission SET presentation = '{foreign}'"))
    assert counts(report) == (4, 0, 1)
    assert "no presentation of this seat" in report.refused[0].message


def test_an_id_that_is_taken_by_another_entry_is_refused_and_the_first_stays(project: Project, pack: Path) -> None:
    answer_some(pack, 1)
    merge_pack(project, pack)
    before = state(project)
    report = merge_pack(project, edited(pack, update("submission", "answer = json_set(answer, '$.kind', 'HOLD')")))
    assert counts(report) == (0, 4, 1)
    assert "Another entry with this id" in report.refused[0].message
    assert state(project) == before


def test_a_flood_of_rows_too_large_costs_nothing_but_themselves(project: Project, pack: Path) -> None:
    answer_some(pack, 1)
    copies = [
        "INSERT INTO draft (id, presentation, at, label, answer) SELECT 'flood' || "
        f"{place}, presentation, at, label, json_set(answer, '$.comment', hex(zeroblob({LARGEST_ROW_BYTES}))) "
        "FROM draft WHERE sequence = 1"
        for place in range(5)
    ]
    assert counts(merge_pack(project, edited(pack, *copies))) == (5, 0, 5)


def test_a_file_cut_off_gives_what_can_be_read_and_says_so(project: Project, pack: Path, tmp_path: Path) -> None:
    answer_some(pack, 12)
    content = pack.read_bytes()
    whole = tmp_path / "whole.floorpack"
    whole.write_bytes(content)
    pack.write_bytes(content[: len(content) - 8 * 4096])
    report = merge_pack(project, pack)
    assert [notice.code for notice in report.notices] == ["pack-cut-off"]
    assert 0 < report.added < 60
    assert report.added + merge_pack(project, whole).added == 60


def test_any_cut_gives_entries_or_a_sentence(template: Path, answered: tuple[Path, ...], tmp_path: Path) -> None:
    content = answered[0].read_bytes()
    path = Path(shutil.copy(template, tmp_path / "cut.floorscope"))
    cut = tmp_path / "cut.floorpack"
    with Project.open(path, backups=False) as project:
        for size in itertools.chain((0, 50, 99, 100, 600, 4_096, 5_000), range(8_192, 120_000, 9_111)):
            cut.write_bytes(content[:size])
            with suppress(PackError):
                assert merge_pack(project, cut).notices
        assert merge_pack(project, answered[0]).refused_count == 0
        assert StudyRecords(project).status().seats[0].submitted == 2


def test_damaged_pages_give_entries_or_a_sentence(template: Path, answered: tuple[Path, ...], tmp_path: Path) -> None:
    content = answered[0].read_bytes()
    path = Path(shutil.copy(template, tmp_path / "bad.floorscope"))
    bad = tmp_path / "bad.floorpack"
    chance = np.random.default_rng(5)
    with Project.open(path, backups=False) as project:
        for _ in range(40):
            damaged = bytearray(content)
            for place in chance.integers(100, 160_000, 30):
                damaged[place] = int(chance.integers(0, 256))
            bad.write_bytes(damaged)
            with suppress(PackError):
                merge_pack(project, bad)
        merge_pack(project, answered[0])
        assert StudyRecords(project).status().seats[0].submitted == 2


def test_what_came_after_a_replacement_is_refused_and_what_came_before_stays(project: Project, pack: Path) -> None:
    answer_some(pack, 1)
    StudyRecords(project).replace(seat_of(project, "Anneke").id, "Dorothea")
    answer_some(pack, 1)
    report = merge_pack(project, pack)
    assert counts(report) == (5, 0, 5)
    assert "given to Dorothea" in report.refused[0].message


def test_a_note_of_the_lead_comes_with_the_next_pack(project: Project, pack: Path, template: Path) -> None:
    answer_some(pack, 1)
    merge_pack(project, pack)
    records = StudyRecords(project)
    records.reopen(records.current()[0].submission.id, "Leadperson", "Please listen to the end.")
    again = pack.with_name("again.floorpack")
    # The copy of the project lies elsewhere than its sound.
    for path in template.parent.glob("*.wav"):
        shutil.copy(path, again.parent)
    write_pack(project, seat_of(project, "Anneke"), again, AudioCache(again.parent / "cache"))
    assert b"Leadperson" not in again.read_bytes()
    store = AnnotatorStore(again, seat_in(again))
    shown = store.next_presentation()
    assert shown is not None
    assert store.note(shown.id) == "Please listen to the end."
    store.submit(shown.id, ANSWER, Listening())
    store.close()
    assert merge_pack(project, again).submissions_added == 1
    assert records.status().seats[0].submitted == 1


def test_a_calibration_goes_out_with_its_reference_and_comes_home_round_by_round(
    project: Project, template: Path, tmp_path: Path
) -> None:
    for file in template.parent.glob("*.wav"):
        shutil.copy(file, tmp_path)
    design = msgspec.structs.replace(
        preset_design("floor-events", "With practice", NAMES, seed=2),
        context_s=1.0,
        calibration=Calibration(("betasession",), count=2, pass_mark="1"),
    )
    study, _ = StudyRecords(project).create(design, "Leadperson")
    pack = tmp_path / "practice.floorpack"
    write_pack(project, seat_of(project, "Anneke", study.id), pack, AudioCache(tmp_path / "cache"), study=study.id)
    conn = sqlite3.connect(pack)
    references = conn.execute("SELECT calibration, reference IS NOT NULL FROM seat_presentation").fetchall()
    conn.close()
    assert sum(calibration for calibration, _ in references) == 2
    assert all(calibration == reference for calibration, reference in references)
    answer_some(pack, 4)
    assert merge_pack(project, pack).refused_count == 0
    seat = StudyRecords(project).status(study.id).seats[0]
    assert (seat.calibration_presentations, seat.submitted, seat.calibrated) == (2, 0, False)
