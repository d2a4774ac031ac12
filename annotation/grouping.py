"""Which mono files of one folder are speakers of one conversation, told by their names.

Rules, in this order; what none of them takes is a conversation of one speaker:

1. *A speaker at the end of the name*: a role (``call_agent``, ``call_caller``, ``input``, ``target``), a numbered
   speaker (``speaker_1_audio``, ``ES2011a.Headset-0``), a letter (``A``, ``sw2005B``). Two or more with one stem are
   one conversation; a folder may hold several.
2. *Around* ``input``: where ``input`` stands beside ``target``, ``output`` or a model’s output, each further file is a
   speaker of its own (``moshi_output``), but copies of the input, its pieces and mixes are left out.
3. *A mix of speakers already there* (``combined``, ``call_mix``, or the bare stem) is left out.
4. *Words at the end of the name* (``meeting_anna``, ``meeting_ben``): two or more with one stem, with a warning.
5. *One folder, plain names* (``anna``, ``ben``) or equal lengths: two to eight files are one conversation, with a
   warning. In the folder that was opened itself the lengths must agree. A numbered series never is.

A file that an event file names as a recording of several speakers is no speaker in any of these.

Whatever is left out or rests on a guess is said.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import PurePath

from annotation.folder_listing import natural_order
from annotation.notices import Notice

MOST_SPEAKERS = 32
"""Of one conversation; more files than that with one stem are no conversation."""

MOST_PLAIN_FILES = 8

_ROLES = (
    "agent|caller|callee|customer|client|user|assistant|system|model|bot|host|guest|operator|interviewer|interviewee|"
    "left|right|input|target|output|moderator|therapist|patient|doctor|nurse|teacher|student|tutor|driver|passenger"
)
_NUMBERED = "speaker|spkr|spk|participant|person|headset|lapel|channel|chan|ch|track|mic|user|agent|c"
_SPEAKER_AT_END = re.compile(
    rf"(?:(?P<stem>.*?)[._\- ]+)??(?P<speaker>(?:{_NUMBERED})[._\- ]?\d{{1,3}}|{_ROLES}|[a-h])"
    r"(?:[._\- ](?:audio|mono|channel|track|mic))?",
    re.IGNORECASE,
)
_SIDE_AT_END = re.compile(r"(?P<stem>.*\d)(?P<speaker>[AB])")
_WORD_AT_END = re.compile(r"(?P<stem>.+)[._\- ](?P<speaker>[^\W\d_]{2,})")
_MIX_WORD = re.compile(
    r"(?:^|[._\- ])(?:all|combined|mix|mixed|mixture|mixdown|downmix|merged|stitched|sum|full|audio|mono)(?=[._\- ]|$)",
    re.IGNORECASE,
)
_MIX_AT_START = re.compile(r"(?:combined|mix|mixed|mixture|mixdown|downmix|merged|stitched)[._\- ]", re.IGNORECASE)
_VERSION = re.compile(
    r"mono|stereo|mix|mixed|raw|clean|noisy|denoised|orig|original|copy|edit|edited|final|train|dev|test|start|end|"
    r"begin|audio|speech|music|noise|short|long|words|phones|chunk|eof|part|new|old|backup|full|combined|merged",
    re.IGNORECASE,
)
_PIECES_OF_INPUT = frozenset(("context", "interrupt"))


@dataclass(frozen=True, slots=True)
class MonoFile:
    """A mono file of the folder: its name, and how long it lasts in seconds."""

    name: str
    duration: Fraction

    @property
    def stem(self) -> str:
        """The name without its ending."""
        return PurePath(self.name).stem


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a conversation and the speaker it carries."""

    speaker: str
    file: MonoFile


@dataclass(frozen=True, slots=True)
class Group:
    """One conversation: what it is called within its folder (empty: like the folder itself), and its speakers."""

    stem: str
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Grouping:
    """The conversations of one folder; a notice’s `where` is a name within the folder, or empty for all of it."""

    groups: tuple[Group, ...]
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedSpeaker:
    """A file name taken apart."""

    stem: str
    speaker: str


def speaker_in_name(stem: str) -> NamedSpeaker | None:
    """Return the conversation and the speaker that a file name spells out, or None.

    >>> speaker_in_name("Auto_Repairs_40_UTC_agent")
    NamedSpeaker(stem='Auto_Repairs_40_UTC', speaker='agent')
    """
    match = _SPEAKER_AT_END.fullmatch(stem) or _SIDE_AT_END.fullmatch(stem)
    return NamedSpeaker(match["stem"] or "", match["speaker"]) if match else None


def group_mono_files(
    files: Iterable[MonoFile],
    *,
    recordings: frozenset[str] = frozenset(),
    opened: bool = False,
    together: bool = False,
) -> Grouping:
    """Return the conversations that the mono files of one folder make.

    Parameters
    ----------
    recordings
        Stems that event files name as recordings of several speakers.
    opened
        Whether this is the folder that the user opened, not one below it.
    together
        Whether the user said that the folder is one conversation: then all that no name tells apart is joined.
    """
    work = _Folder(sorted(files, key=lambda file: (natural_order(file.stem), _suffix_order(file.name))))
    work.take_named_speakers(recordings)
    work.take_around_input()
    work.leave_out_mixes()
    work.take_words(recordings)
    work.take_folder(recordings, opened=opened, together=together)
    return work.result()


def _suffix_order(name: str) -> tuple[int, str]:
    suffix = PurePath(name).suffix.lower()
    return (0 if suffix == ".wav" else 1 if suffix == ".flac" else 2, name)


class _Folder:
    """Files not taken yet, and what was made of the others."""

    def __init__(self, files: list[MonoFile]) -> None:
        self._files = {file.name: file for file in files}
        self._groups: dict[str, list[Member]] = {}
        self._notices: list[Notice] = []

    def take_named_speakers(self, recordings: frozenset[str]) -> None:
        self._take_by_name(lambda stem: None if stem in recordings else speaker_in_name(stem))

    def take_words(self, recordings: frozenset[str]) -> None:
        def parse(stem: str) -> NamedSpeaker | None:
            match = _WORD_AT_END.fullmatch(stem)
            if match is None or stem in recordings or _VERSION.fullmatch(match["speaker"]):
                return None
            return NamedSpeaker(match["stem"], match["speaker"])

        for stem in self._take_by_name(parse):
            names = ", ".join(member.speaker for member in self._groups[stem])
            self._say(
                "speakers-guessed",
                stem,
                f"The last words of the file names were taken for speakers of “{stem}”: {names}.",
            )

    def _take_by_name(self, parse: Callable[[str], NamedSpeaker | None]) -> list[str]:
        """Group files by the stem that `parse` finds; return the stems of new groups."""
        found: dict[str, dict[str, Member]] = defaultdict(dict)
        for file in self._files.values():
            named = parse(file.stem)
            if named is None:
                continue
            speakers = found[named.stem]
            other = speakers.setdefault(named.speaker.casefold(), Member(named.speaker, file)).file
            if other is not file:
                self._say(
                    "same-speaker-twice", file.name, f"“{other.name}” carries the same speaker; this file stands alone."
                )
        fresh = [stem for stem, speakers in found.items() if len(speakers) >= 2 and stem not in self._groups]
        made = []
        for stem in fresh:
            if len(found[stem]) > MOST_SPEAKERS:
                self._say("too-many-speakers", stem, f"{len(found[stem])} files share the stem “{stem}”: not grouped.")
                continue
            self._make(stem, list(found[stem].values()))
            made.append(stem)
        return made

    def take_around_input(self) -> None:
        base = self._groups.get("", [])
        alone = next((file for file in self._files.values() if file.stem.casefold() == "input"), None)
        if not base and alone is not None and any(_is_output(file.stem) for file in self._files.values()):
            self._make("", [Member(alone.stem, alone)])
            base = self._groups[""]
        if not any(member.speaker.casefold() == "input" for member in base):
            return
        taken = {member.speaker.casefold() for member in base}
        for file in list(self._files.values()):
            if _is_part_of_input(file.stem):
                self._leave_out(file, "a copy or a piece of the input")
            elif _MIX_AT_START.match(file.stem):
                self._leave_out(file, "a mix with the input")
            elif not _is_mix_of(file.stem, "") and file.stem.casefold() not in taken and len(base) < MOST_SPEAKERS:
                taken.add(file.stem.casefold())
                self._make("", [*base, Member(file.stem, file)])
                base = self._groups[""]
                self._say(
                    "further-speaker", file.name, "The file stands beside “input” and became a speaker of its own."
                )

    def leave_out_mixes(self) -> None:
        for file in list(self._files.values()):
            stem = _MIX_WORD.sub("", file.stem).strip("._- ")
            if stem in self._groups and (stem or file.stem) and (stem == file.stem or _is_mix_of(file.stem, stem)):
                names = " and ".join(member.speaker for member in self._groups[stem])
                self._leave_out(file, f"a mix of {names}")

    def take_folder(self, recordings: frozenset[str], *, opened: bool, together: bool) -> None:
        files = [file for file in self._files.values() if file.stem not in recordings]
        distinct = len({file.stem.casefold() for file in files}) == len(files)
        if len(files) < 2 or not distinct:
            return
        if together and len(files) <= MOST_SPEAKERS:
            self._make("", [*self._groups.get("", []), *(Member(file.stem, file) for file in files)])
            return
        if self._groups or len(files) > MOST_PLAIN_FILES or _are_versions(files):
            return
        equal = _last_equally_long(files)
        plain = all(file.stem.isalpha() and not _VERSION.fullmatch(file.stem) for file in files)
        series = len({re.sub(r"\d+", "", file.stem.casefold()) for file in files}) < len(files)
        if (plain and (equal or not opened)) or (equal and not series):
            self._make("", [Member(file.stem, file) for file in files])
            names = ", ".join(file.name for file in files)
            self._say("grouped-by-folder", "", f"The files of this folder were taken for one conversation: {names}.")
        elif equal:
            self._say(
                "perhaps-one-session",
                "",
                f"{len(files)} files last equally long and were not joined, because their names look like a series. "
                "Open the folder with the layout folder-of-speakers if they are one conversation.",
            )

    def result(self) -> Grouping:
        groups = [
            Group(stem, tuple(sorted(members, key=_lane_order))) for stem, members in self._groups.items() if members
        ]
        for file in self._files.values():
            named = speaker_in_name(file.stem)
            speaker = named.speaker if named and len(named.speaker) > 1 else file.stem
            groups.append(Group(file.stem, (Member(speaker, file),)))
        return Grouping(tuple(sorted(groups, key=lambda group: natural_order(group.stem))), tuple(self._notices))

    def _make(self, stem: str, members: list[Member]) -> None:
        self._groups[stem] = members
        for member in members:
            self._files.pop(member.file.name, None)

    def _leave_out(self, file: MonoFile, what: str) -> None:
        del self._files[file.name]
        self._say(
            "left-out",
            file.name,
            f"The file is taken for {what} and was left out; open it by itself if it is a speaker.",
        )

    def _say(self, code: str, place: str, message: str) -> None:
        self._notices.append(Notice(code, place, message))


def _lane_order(member: Member) -> tuple[int, tuple[tuple[int, int, str], ...]]:
    """Return the order of lanes: what goes in, what is expected, what comes out, then by name."""
    first = {"input": 0, "target": 1, "output": 2}
    return first.get(member.speaker.casefold(), 3), natural_order(member.speaker)


def _is_output(stem: str) -> bool:
    named = speaker_in_name(stem)
    return named is not None and named.speaker.casefold() in ("output", "target")


def _is_part_of_input(stem: str) -> bool:
    named = speaker_in_name(stem)
    return stem.casefold() in _PIECES_OF_INPUT or (named is not None and named.speaker.casefold() == "input")


def _is_mix_of(stem: str, conversation: str) -> bool:
    rest = _MIX_WORD.sub("", stem).strip("._- ")
    return rest == conversation and rest != stem


def _are_versions(files: list[MonoFile]) -> bool:
    """Return whether one name begins with another: then they are versions of a thing, not people."""
    stems = sorted(file.stem.casefold() for file in files)
    return any(later.startswith(earlier) for earlier, later in pairwise(stems))


def _last_equally_long(files: list[MonoFile]) -> bool:
    """Return whether all last within 50 ms of each other, and long enough that this is no chance."""
    durations = [file.duration for file in files]
    return min(durations) >= 2 and max(durations) - min(durations) <= Fraction(1, 20)
