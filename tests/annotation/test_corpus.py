"""What opens: layouts, ids, sidecars, refusals, channels by hand, and recordings that nobody here made."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped]

from annotation.audio.decoding import AudioRefusedError
from annotation.cancellation import CancelledError, CancelToken
from annotation.channel_spec import channel_spec_from_text
from annotation.corpus import (
    Corpus,
    CorpusError,
    conversation_from_channels,
    corpus_as_json,
    corpus_from_channels,
    read_corpus,
)
from annotation.errors import InvalidValueError
from annotation.folder_listing import natural_order


def record(path: Path, *, seconds: float = 2.0, rate_hz: int = 8_000, channels: int = 1) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.zeros((round(seconds * rate_hz), channels)), rate_hz, subtype="PCM_16")
    return path


def speakers(corpus: Corpus) -> dict[str, list[str]]:
    return {
        imported.conversation.id: [channel.speaker for channel in imported.conversation.channels]
        for imported in corpus.conversations
    }


def codes(corpus: Corpus) -> list[str]:
    return [notice.code for notice in corpus.warnings]


def test_mono_files_of_one_stem_are_one_conversation_at_the_highest_rate(tmp_path: Path) -> None:
    record(tmp_path / "call_agent.wav", seconds=2, rate_hz=8_000)
    record(tmp_path / "call_caller.flac", seconds=3, rate_hz=16_000)
    corpus = read_corpus([tmp_path])
    (imported,) = corpus.conversations
    assert (corpus.layout, imported.conversation.id) == ("folder-of-speakers", "call")
    assert (imported.conversation.rate_hz, imported.conversation.frames) == (16_000, 48_000)
    assert [(c.speaker, c.rate_hz, c.frames, c.start_frame) for c in imported.conversation.channels] == [
        ("agent", 8_000, 16_000, 0),
        ("caller", 16_000, 48_000, 0),
    ]
    assert codes(corpus) == ["rate-differs", "length-differs"]


def test_sub_folders_are_conversations_named_by_their_path(tmp_path: Path) -> None:
    for folder in ("b/session 10", "b/session 2", "a"):
        for speaker in ("anna", "ben"):
            record(tmp_path / folder / f"{speaker}.wav")
    assert list(speakers(read_corpus([tmp_path]))) == ["a", "b/session 2", "b/session 10"]


def test_a_file_of_several_channels_is_a_conversation_beside_mono_files(tmp_path: Path) -> None:
    record(tmp_path / "input.wav")
    record(tmp_path / "target.wav")
    record(tmp_path / "test.wav", channels=3)
    corpus = read_corpus([tmp_path])
    assert corpus.layout == "mixed"
    assert speakers(corpus) == {
        tmp_path.name: ["input", "target"],
        "test": ["channel 1", "channel 2", "channel 3"],
    }


def test_a_mono_file_alone_is_one_speaker(tmp_path: Path) -> None:
    corpus = read_corpus([record(tmp_path / "talk.wav")])
    assert (corpus.layout, speakers(corpus)) == ("single-speaker", {"talk": ["talk"]})
    assert corpus.warnings == ()


def test_ids_are_unique_across_endings_and_roots(tmp_path: Path) -> None:
    for name in ("one/talk.wav", "one/talk.flac", "two/talk.wav", "two/talk.flac"):
        record(tmp_path / name)
    ids = list(speakers(read_corpus([tmp_path / "one", tmp_path / "two"])))
    assert len(set(ids)) == 4
    assert ids[0] == "talk"


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    path = record(tmp_path / "talk.wav")
    assert len(read_corpus([path, tmp_path, path]).conversations) == 1


def test_other_files_are_passed_over_and_broken_sound_is_refused(tmp_path: Path) -> None:
    record(tmp_path / "talk.wav")
    (tmp_path / "README.md").write_text("hello")
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / ".hidden.wav").write_text("hello")
    (tmp_path / "broken.wav").write_bytes(b"RIFF")
    (tmp_path / "empty.flac").touch()
    corpus = read_corpus([tmp_path])
    assert list(speakers(corpus)) == ["talk"]
    assert [(Path(notice.where).name, notice.code) for notice in corpus.refused] == [
        ("broken.wav", "audio-header"),
        ("empty.flac", "audio-empty"),
    ]


def test_sound_is_told_by_its_content_not_by_its_name(tmp_path: Path) -> None:
    record(tmp_path / "talk.wav").rename(tmp_path / "talk.bin")
    assert list(speakers(read_corpus([tmp_path]))) == ["talk"]


def test_nothing_to_open_is_said(tmp_path: Path) -> None:
    assert [notice.code for notice in read_corpus([tmp_path]).refused] == ["nothing-found"]
    assert [notice.code for notice in read_corpus([tmp_path / "none"]).refused] == ["missing"]
    assert [notice.code for notice in read_corpus([tmp_path], "manifest").refused] == ["no-manifest"]
    (tmp_path / "a.json").write_text("{}")
    assert [notice.code for notice in read_corpus([tmp_path / "a.json"]).refused] == ["unknown-format"]


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    record(tmp_path / "a" / "talk.wav")
    (tmp_path / "a" / "again").symlink_to(tmp_path, target_is_directory=True)
    assert len(read_corpus([tmp_path]).conversations) == 1


def test_the_layout_asked_for_decides_what_names_do_not(tmp_path: Path) -> None:
    for name in ("clip1", "clip2", "call_agent", "call_caller"):
        record(tmp_path / f"{name}.wav")
    assert set(speakers(read_corpus([tmp_path]))) == {"call", "clip1", "clip2"}
    assert speakers(read_corpus([tmp_path], "folder-of-speakers")) == {
        "call": ["agent", "caller"],
        tmp_path.name: ["clip1", "clip2"],
    }
    assert len(read_corpus([tmp_path], "multichannel").conversations) == 4
    with pytest.raises(CorpusError, match="no layout “guess”"):
        read_corpus([tmp_path], "guess")


def test_a_manifest_describes_its_folder(tmp_path: Path) -> None:
    record(tmp_path / "call_agent.wav")
    record(tmp_path / "below" / "other.wav")
    manifest = {
        "format": "floorscope-corpus",
        "version": 1,
        "conversations": [{"id": "mine", "channels": [{"speaker": "ana", "path": "call_agent.wav"}]}],
    }
    (tmp_path / "floorscope-corpus.json").write_text(json.dumps(manifest))
    corpus = read_corpus([tmp_path])
    assert (corpus.layout, speakers(corpus)) == ("manifest", {"mine": ["ana"]})


def test_a_manifest_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    (tmp_path / "floorscope-corpus.json").write_text("{")
    (notice,) = read_corpus([tmp_path]).refused
    assert notice.code == "manifest"


def test_an_rttm_joins_the_sound_that_its_recordings_name(tmp_path: Path) -> None:
    record(tmp_path / "call_agent.wav")
    record(tmp_path / "call_caller.wav")
    record(tmp_path / "sub" / "far.wav")
    (tmp_path / "all.rttm").write_text(
        "SPEAKER call 1 0.5 1.0 <NA> <NA> agent\nSPEAKER call 1 1.25 0.5 <NA> <NA> caller\n"
        "SPEAKER far 1 0 1 <NA> <NA> ana\nSPEAKER gone 1 0 2.5 <NA> <NA> ana\n"
    )
    corpus = read_corpus([tmp_path])
    sources = {imported.conversation.id: imported.sources for imported in corpus.conversations}
    assert [(event.speaker, event.onset, event.offset) for event in sources["call"][0].events] == [
        ("agent", 4_000, 12_000),
        ("caller", 10_000, 14_000),
    ]
    assert (sources["call"][0].name, str(sources["call"][0].role)) == ("all", "reference")
    assert [event.speaker for event in sources["sub/far"][0].events] == ["far"]
    gone = next(imported.conversation for imported in corpus.conversations if imported.conversation.id == "gone")
    assert (gone.rate_hz, gone.frames) == (1_000_000, 2_500_000)
    assert sorted(codes(corpus)) == ["events-without-audio", "speaker-mapped"]


def test_speakers_known_to_events_only_get_lanes_without_sound(tmp_path: Path) -> None:
    record(tmp_path / "talk.wav")
    (tmp_path / "talk.rttm").write_text("SPEAKER talk 1 0 1 <NA> <NA> ana\nSPEAKER talk 1 0.5 1 <NA> <NA> ben\n")
    corpus = read_corpus([tmp_path])
    (imported,) = corpus.conversations
    assert [(c.speaker, c.path is None) for c in imported.conversation.channels] == [
        ("talk", False),
        ("ana", True),
        ("ben", True),
    ]
    assert imported.conversation.frames == 16_000
    assert codes(corpus) == ["speaker-without-sound"]


def test_two_files_about_one_recording_are_two_sources(tmp_path: Path) -> None:
    for name in ("ref", "hyp"):
        (tmp_path / f"{name}.rttm").write_text("SPEAKER talk 1 0 1 <NA> <NA> ana\n")
    (imported,) = read_corpus([tmp_path]).conversations
    assert [source.name for source in imported.sources] == ["hyp", "ref"]


def test_labels_of_single_tracks_are_one_source_of_their_conversation(tmp_path: Path) -> None:
    record(tmp_path / "call_agent.wav")
    record(tmp_path / "call_caller.wav")
    (tmp_path / "call_agent.txt").write_text("0.5\t1.0\tTURN\n")
    (tmp_path / "call.caller.txt").write_text("1.0\t1.5\tBACKCHANNEL\n")
    corpus = read_corpus([tmp_path])
    (imported,) = corpus.conversations
    (source,) = imported.sources
    assert sorted((event.speaker, event.kind) for event in source.events) == [
        ("agent", "TURN"),
        ("caller", "BACKCHANNEL"),
    ]


def test_times_past_the_end_are_said_and_kept(tmp_path: Path) -> None:
    record(tmp_path / "talk.wav")
    (tmp_path / "talk.rttm").write_text("SPEAKER talk 1 8000 4000 <NA> <NA> talk\n")
    corpus = read_corpus([tmp_path])
    assert corpus.conversations[0].sources[0].events[0].onset == 8_000 * 8_000
    assert codes(corpus) == ["beyond-end"]
    assert "samples or milliseconds" in corpus.warnings[0].message


def test_reading_twice_gives_the_same_corpus(tmp_path: Path) -> None:
    record(tmp_path / "talk.wav")
    (tmp_path / "talk.rttm").write_text("SPEAKER talk 1 0 1 <NA> <NA> ana\n")
    assert read_corpus([tmp_path]) == read_corpus([tmp_path])


def test_ten_thousand_files_are_ten_thousand_conversations_and_each_is_opened_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = record(tmp_path / "clip0.wav", seconds=0.01).read_bytes()
    for number in range(1, 10_000):
        (tmp_path / f"clip{number}.wav").write_bytes(data)
    shares: list[float] = []
    corpus = read_corpus([tmp_path], progress=shares.append)
    assert len(corpus.conversations) == len(shares) == 10_000
    assert [imported.conversation.id for imported in corpus.conversations[9:12]] == ["clip9", "clip10", "clip11"]
    monkeypatch.setattr("annotation.folder_listing.MOST_FILES", 50)
    few = read_corpus([tmp_path])
    assert len(few.conversations) == 50
    assert codes(few) == ["too-many-files"]


def test_reading_stops_when_told(tmp_path: Path) -> None:
    record(tmp_path / "talk.wav")
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(CancelledError):
        read_corpus([tmp_path], cancel=cancel)


def test_the_json_of_a_corpus_has_the_shape_that_scripts_rely_on(tmp_path: Path) -> None:
    path = record(tmp_path / "talk.wav")
    (tmp_path / "talk.rttm").write_text("SPEAKER talk 1 0 1 <NA> <NA> talk\n")
    (tmp_path / "broken.wav").touch()
    data: dict[str, Any] = json.loads(json.dumps(corpus_as_json(read_corpus([tmp_path])), allow_nan=False))
    assert set(data) == {"layout", "conversations", "warnings", "refused"}
    (conversation,) = data["conversations"]
    assert {key: conversation[key] for key in ("id", "rate_hz", "frames", "duration_s", "events", "attributes")} == {
        "id": "talk",
        "rate_hz": 8_000,
        "frames": 16_000,
        "duration_s": 2.0,
        "events": 1,
        "attributes": {},
    }
    assert conversation["events_by_kind"] == {"SPEECH": 1}
    (channel,) = conversation["channels"]
    assert {key: channel[key] for key in ("speaker", "path", "channel", "rate_hz", "frames", "start_frame")} == {
        "speaker": "talk",
        "path": str(path),
        "channel": 0,
        "rate_hz": 8_000,
        "frames": 16_000,
        "start_frame": 0,
    }
    assert [set(notice) for notice in data["refused"]] == [{"where", "code", "message"}]


def test_a_name_that_is_no_unicode_can_still_be_printed(tmp_path: Path) -> None:
    path = record(tmp_path / "talk.wav")
    path.rename(tmp_path / b"caf\xe9.wav".decode("utf-8", "surrogateescape"))
    json.dumps(corpus_as_json(read_corpus([tmp_path]))).encode("ascii")
    assert list(speakers(read_corpus([tmp_path]))) == ["caf?"]


def test_channels_by_hand_are_placed_at_exact_frames(tmp_path: Path) -> None:
    record(tmp_path / "a.wav", rate_hz=16_000)
    record(tmp_path / "b.wav", channels=2)
    specs = [channel_spec_from_text(f"ana={tmp_path}/a.wav@1.4"), channel_spec_from_text(f"ben={tmp_path}/b.wav:1")]
    conversation = conversation_from_channels(specs, "talk").conversation
    assert [(c.speaker, c.index, c.start_frame) for c in conversation.channels] == [("ana", 0, 22_400), ("ben", 1, 0)]
    assert (conversation.rate_hz, conversation.frames) == (16_000, 54_400)
    assert corpus_from_channels(specs, "talk").layout == "by-hand"


@pytest.mark.parametrize(
    ("texts", "error", "message"),
    [
        (["ben={}/b.wav"], CorpusError, "2 channels"),
        (["ben={}/b.wav:2"], CorpusError, "none with the index 2"),
        (["ben={}/b.wav:0@9999999"], CorpusError, "thirty days"),
        (["ben={}/none.wav"], AudioRefusedError, "no such file"),
        (["ben={}/b.wav:0", "ben={}/b.wav:1"], InvalidValueError, "two channels"),
        ([], CorpusError, "at least one"),
    ],
)
def test_channels_by_hand_that_are_not_there_are_refused(
    tmp_path: Path, texts: list[str], error: type[Exception], message: str
) -> None:
    record(tmp_path / "b.wav", channels=2)
    with pytest.raises(error, match=message):
        corpus_from_channels([channel_spec_from_text(text.format(tmp_path)) for text in texts], "talk")


def test_natural_order_counts() -> None:
    names = ["s10", "s2", "S1", "a b", "", "s", "s2b"]
    assert sorted(names, key=natural_order) == ["", "a b", "s", "S1", "s2", "s2b", "s10"]


def test_a_telephone_call_opens_as_agent_and_caller(real: Path) -> None:
    corpus = read_corpus([real / "aws_call_two_channel"])
    (imported,) = corpus.conversations
    assert [(c.speaker, c.rate_hz, c.frames) for c in imported.conversation.channels] == [
        ("agent", 8_000, 1_963_040),
        ("caller", 8_000, 1_963_040),
    ]
    assert corpus.warnings == corpus.refused == ()


def test_benchmark_folders_open_with_input_and_target_first(real: Path) -> None:
    corpus = read_corpus([real / "fdb_demo_candor"])
    lanes = speakers(corpus)
    (first,) = [one for one in corpus.conversations if "01a62310" in one.conversation.id]
    assert [(c.speaker, c.rate_hz, c.frames) for c in first.conversation.channels] == [
        ("input", 48_000, 115_200),
        ("target", 48_000, 188_640),
        ("moshi_output", 16_000, 117_760),
    ]
    assert first.conversation.frames == 117_760 * 3
    rich = next(identity for identity in lanes if identity.endswith("0d0c3cc7-667b-483e-a2f1-7028ecbed62e_turn_8_9"))
    assert lanes[rich] == ["input", "target", "dgslm_output", "moshi_output"]
    assert lanes[f"{rich}/input_stereo"] == ["channel 1", "channel 2"]
    assert [Path(n.where).name for n in corpus.warnings if n.code == "left-out"] == ["freeze_omni_input.wav"]
    assert corpus.refused == ()


def test_a_mix_with_an_rttm_opens_with_a_lane_a_speaker(real: Path) -> None:
    (sample,) = [
        one for one in read_corpus([real / "pyannote_sample"]).conversations if one.conversation.id == "sample"
    ]
    assert [c.speaker for c in sample.conversation.channels] == ["sample", "speaker90", "speaker91"]
    assert len(sample.sources[0].events) == 10
    assert sample.sources[0].events[0].onset == 107_040


@pytest.mark.parametrize("folder", ["awkward_wav_scipy", "awkward_audio_mutagen"])
def test_awkward_files_are_read_or_refused_and_never_both(real: Path, folder: str) -> None:
    corpus = read_corpus([real / folder])
    opened = {channel.path for one in corpus.conversations for channel in one.conversation.channels}
    refused = {Path(notice.where) for notice in corpus.refused}
    sound = {path for path in (real / folder).iterdir() if path.name != "README.md"}
    assert opened | refused == sound
    assert not opened & refused
    assert all(one.conversation.frames for one in corpus.conversations)
    assert all(notice.message for notice in corpus.refused)


def test_a_link_in_a_circle_costs_itself_only(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    soundfile.write(tmp_path / "talk.wav", np.zeros(800, np.float32), 8000)
    assert len(read_corpus([tmp_path]).conversations) == 1


def test_a_pipe_that_is_named_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.wav")
    refused = read_corpus([tmp_path / "pipe.wav"]).refused
    assert [notice.code for notice in refused] == ["unreadable"]
