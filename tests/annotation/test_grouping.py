"""File names as speakers of conversations: what is joined, what stands alone, and what is said about it."""

from collections.abc import Iterable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.grouping import Grouping, MonoFile, NamedSpeaker, group_mono_files, speaker_in_name


def group(*names: str, opened: bool = False, together: bool = False, recordings: Iterable[str] = ()) -> Grouping:
    """Group files that last 3, 4, 5, … seconds."""
    files = [MonoFile(name, Fraction(length)) for length, name in enumerate(names, start=3)]
    return group_mono_files(files, opened=opened, together=together, recordings=frozenset(recordings))


def equally_long(*names: str, opened: bool = True) -> Grouping:
    return group_mono_files([MonoFile(name, Fraction(10)) for name in names], opened=opened)


def speakers(grouping: Grouping) -> dict[str, list[str]]:
    return {one.stem: [member.speaker for member in one.members] for one in grouping.groups}


def codes(grouping: Grouping) -> list[tuple[str, str]]:
    return [(notice.code, notice.where) for notice in grouping.notices]


@pytest.mark.parametrize(
    ("stem", "conversation", "speaker"),
    [
        ("Auto_Repairs_40_UTC_agent", "Auto_Repairs_40_UTC", "agent"),
        ("call-12.Caller", "call-12", "Caller"),
        ("speaker_1_audio", "", "speaker_1"),
        ("call_speaker_2", "call", "speaker_2"),
        ("A", "", "A"),
        ("take_b", "take", "b"),
        ("ES2011a.Headset-0", "ES2011a", "Headset-0"),
        ("sw2005A", "sw2005", "A"),
        ("mono_c1", "mono", "c1"),
        ("input", "", "input"),
        ("freeze_omni_input", "freeze_omni", "input"),
    ],
)
def test_a_speaker_is_read_from_the_end_of_a_name(stem: str, conversation: str, speaker: str) -> None:
    assert speaker_in_name(stem) == NamedSpeaker(conversation, speaker)


@pytest.mark.parametrize(
    "stem", ["anna", "ES2002a", "clip_0001", "ES2011a.Headset-0-40s-46s", "test-44100Hz-le", "agents"]
)
def test_other_names_spell_out_no_speaker(stem: str) -> None:
    assert speaker_in_name(stem) is None


def test_agent_and_caller_of_one_stem_are_one_conversation() -> None:
    grouping = group("call_caller.wav", "call_agent.wav", "next_agent.wav", "next_caller.flac")
    assert speakers(grouping) == {"call": ["agent", "caller"], "next": ["agent", "caller"]}
    assert grouping.notices == ()


def test_speakers_are_in_natural_order() -> None:
    names = [f"speaker_{number}_audio.wav" for number in (10, 2, 1)]
    assert speakers(group(*names)) == {"": ["speaker_1", "speaker_2", "speaker_10"]}


def test_letters_make_one_conversation_and_their_mix_is_left_out() -> None:
    grouping = group("A.wav", "B.wav", "combined.wav")
    assert speakers(grouping) == {"": ["A", "B"]}
    assert codes(grouping) == [("left-out", "combined.wav")]


def test_the_bare_stem_beside_its_speakers_is_their_mix() -> None:
    grouping = group("call.wav", "call_agent.wav", "call_caller.wav", "other.wav")
    assert speakers(grouping) == {"call": ["agent", "caller"], "other": ["other"]}
    assert codes(grouping) == [("left-out", "call.wav")]


def test_input_and_target_lead_and_a_models_output_is_a_further_speaker() -> None:
    grouping = group("moshi_output.wav", "target.wav", "input.wav")
    assert speakers(grouping) == {"": ["input", "target", "moshi_output"]}
    assert codes(grouping) == [("further-speaker", "moshi_output.wav")]


def test_copies_and_pieces_of_the_input_are_left_out() -> None:
    grouping = group("input.wav", "output.wav", "freeze_omni_input.wav", "context.wav", "interrupt.wav", "merged_x.wav")
    assert speakers(grouping) == {"": ["input", "output"]}
    assert {code for code, _ in codes(grouping)} == {"left-out"}
    assert len(grouping.notices) == 4


def test_a_clean_pair_beside_the_pair_is_a_conversation_of_its_own() -> None:
    grouping = group("input.wav", "output.wav", "clean_input.wav", "clean_output.wav")
    assert speakers(grouping) == {"": ["input", "output"], "clean": ["input", "output"]}


def test_input_with_nothing_but_a_models_output_is_one_conversation() -> None:
    assert speakers(group("input.wav", "moshi_output.wav")) == {"": ["input", "moshi_output"]}


def test_words_at_the_end_are_speakers_with_a_warning() -> None:
    grouping = group("meeting_anna.wav", "meeting_ben.wav", "talk_anna.wav", "talk_ben.wav")
    assert speakers(grouping) == {"meeting": ["anna", "ben"], "talk": ["anna", "ben"]}
    assert [code for code, _ in codes(grouping)] == ["speakers-guessed", "speakers-guessed"]


def test_versions_of_one_recording_are_not_its_speakers() -> None:
    assert set(speakers(group("talk_raw.wav", "talk_clean.wav"))) == {"talk_raw", "talk_clean"}
    assert len(group("bobby.wav", "bobby_16bit.wav", "mary.wav").groups) == 3


def test_plain_names_in_a_sub_folder_are_one_conversation_with_a_warning() -> None:
    grouping = group("ben.wav", "anna.wav")
    assert speakers(grouping) == {"": ["anna", "ben"]}
    assert codes(grouping) == [("grouped-by-folder", "")]


def test_plain_names_of_different_length_in_the_opened_folder_stand_alone() -> None:
    assert speakers(group("monday.wav", "tuesday.wav", opened=True)) == {"monday": ["monday"], "tuesday": ["tuesday"]}


def test_equally_long_files_in_the_opened_folder_are_one_conversation() -> None:
    assert speakers(equally_long("anna1.wav", "ben7.wav")) == {"": ["anna1", "ben7"]}


def test_a_numbered_series_is_never_joined_and_equal_lengths_are_said() -> None:
    grouping = equally_long("clip01.wav", "clip02.wav", opened=False)
    assert len(grouping.groups) == 2
    assert codes(grouping) == [("perhaps-one-session", "")]


def test_a_recording_of_several_speakers_is_no_speaker() -> None:
    assert len(group("take_a.wav", "take_b.wav", recordings=["take_a", "take_b"]).groups) == 2


def test_one_folder_is_one_conversation_when_the_user_says_so() -> None:
    grouping = group("clip01.wav", "clip02.wav", "something else.wav", together=True, opened=True)
    assert speakers(grouping) == {"": ["clip01", "clip02", "something else"]}


def test_the_same_speaker_in_two_files_is_taken_from_the_better_one() -> None:
    grouping = group("call_agent.flac", "call_agent.wav", "call_caller.wav")
    (call,) = [one for one in grouping.groups if one.stem == "call"]
    assert [member.file.name for member in call.members] == ["call_agent.wav", "call_caller.wav"]
    assert codes(grouping) == [("same-speaker-twice", "call_agent.flac")]


def test_too_many_files_of_one_stem_are_no_conversation() -> None:
    grouping = group(*(f"take_ch{number}.wav" for number in range(40)))
    assert len(grouping.groups) == 40
    assert [code for code, _ in codes(grouping)] == ["too-many-speakers"]


STEMS = (
    "input target output moshi_output dgslm_output clean_input clean_output freeze_input context merged_x "
    "A B combined call call_agent call_caller call_mix speaker_1_audio speaker_2_audio clip1 clip2 "
    "meeting_anna meeting_ben x_ch1 x_ch2 take_a take_b mix audio anna ben sw1A sw1B"
)
NAMES = st.sampled_from(sorted(STEMS.split()))


@given(st.sets(NAMES, min_size=1), st.booleans(), st.booleans())
def test_every_file_is_in_one_conversation_or_said_to_be_left_out(
    stems: set[str], opened: bool, together: bool
) -> None:
    grouping = group(*(f"{stem}.wav" for stem in sorted(stems)), opened=opened, together=together)
    taken = [member.file.stem for one in grouping.groups for member in one.members]
    left_out = [place.removesuffix(".wav") for code, place in codes(grouping) if code == "left-out"]
    assert sorted(taken + left_out) == sorted(stems)
    assert len({one.stem for one in grouping.groups}) == len(grouping.groups)
    for one in grouping.groups:
        assert len({member.speaker for member in one.members}) == len(one.members)


@given(st.sets(NAMES, min_size=1))
def test_the_order_of_the_files_does_not_matter(stems: set[str]) -> None:
    files = [MonoFile(f"{stem}.wav", Fraction(3)) for stem in sorted(stems)]
    assert group_mono_files(files) == group_mono_files(reversed(files))
