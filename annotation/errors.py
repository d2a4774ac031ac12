"""What can go wrong in a way that a user can act on.

Every error says what happened, where (file, line or time) and what to do; its text is made of these three parts
only, so that a window, a terminal and a log show the same sentence.
"""


class FloorscopeError(Exception):
    """A fault in the input or the surroundings that the reader of the message can act on.

    Parameters
    ----------
    what
        One sentence: what is wrong.
    where
        File, line, time or item; empty when there is no place.
    remedy
        What to do about it; empty when the sentence already says so.
    """

    code = "failed"
    exit_code = 2
    """What the command line exits with: 2 for a wrong input, 1 where the work itself failed."""

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(what, where, remedy)

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f" {self.remedy}" if self.remedy else ""
        return f"{place}{self.what}{advice}"


class InvalidValueError(FloorscopeError, ValueError):
    """A value that breaks an invariant of the domain (an offset before its onset, a speaker given twice)."""

    code = "invalid-value"
