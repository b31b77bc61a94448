"""What a report tells about one kata of the session: results, the way there, the code, the answers. Frozen data.

Nothing here computes from events, prints, or knows of the session; `at` is seconds of its clock, as in `model`.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.verdict import Counterexample, Diagnosis, Verdict

MISSING, UNGRADED = "missing", "not-graded"
"""Outcomes of a result beside those of a verdict: there was no file; the snapshot was never graded."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The required properties of one category."""

    category: str
    passed: int
    required: int


@dataclass(frozen=True, slots=True)
class Result:
    """What one state of the file came to."""

    label: str  # "before the first hint", "at the deadline", "after 12 more minutes"
    at: float
    outcome: str  # a word of verdict.Outcome, MISSING or UNGRADED
    passed: int | None = None  # required properties, also where the verdict itself is lost
    required: int | None = None
    tallies: tuple[Tally, ...] = ()
    grade: int | None = None  # the journal's number of the grade
    verdict: Verdict | None = None
    remark: str = ""  # how the snapshot was taken, where that is not as usual
    without_speed: bool = False  # the grade left it out

    @property
    def good(self) -> bool:
        return self.outcome == "pass"


@dataclass(frozen=True, slots=True)
class Point:
    """One grade during the session."""

    at: float
    outcome: str
    passed: int | None
    required: int | None
    asked: bool = True  # by the candidate; the grades of snapshots come by themselves
    without_speed: bool = False  # the grade left it out

    @property
    def share(self) -> float:
        """Of the required properties that passed."""
        if self.outcome == "pass":
            return 1.0
        return min(self.passed / self.required, 1.0) if self.passed is not None and self.required else 0.0


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of time."""

    begin: float
    end: float

    @property
    def seconds(self) -> float:
        return self.end - self.begin

    @property
    def shown(self) -> int:
        """Whole seconds, as a reader counts them who sees its two ends on the session's clock."""
        return int(self.end) - int(self.begin)


@dataclass(frozen=True, slots=True)
class Mistake:
    """A diagnosed mistake that was made and mended during the session."""

    at: float
    until: float  # the first grade without it
    diagnosis: Diagnosis
    law: str  # a property that it broke, with the smallest input that showed it
    example: Counterexample | None


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A line of the candidate's beside a line of the reference. An absent side has number None.

    `kind` is "same", "changed" (both differ), "yours" or "reference" (only there), or "gap" (lines left out: `skipped`).
    """

    kind: str
    yours: int | None = None
    yours_text: str = ""
    reference: int | None = None
    reference_text: str = ""
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A follow-up question with what was said and what could be said. Model texts are Markdown."""

    number: int  # from 0
    title: str
    answer: str | None  # None: never asked, or skipped
    skipped: bool
    model: str  # "" where the kata has no such question any more
    strong: tuple[str, ...]  # what a strong answer mentions

    @property
    def known(self) -> bool:
        """Whether it is the kata's own, so that its title is Markdown of ours and not text from anywhere."""
        return bool(self.model or self.strong)


@dataclass(frozen=True, slots=True)
class KataReport:
    """One kata of the session."""

    id: str
    title: str
    round: int
    counted: Result | None  # what the result rests on; None: its round never began
    final: Result | None  # after more time; None where nothing changed after the snapshot that counts
    unaided: (
        Result | None
    )  # the last grade before the first hint; None where no hint was taken, or no grade came before
    hints: int
    first_hint: float | None
    saves: int
    first_run: float | None
    first_green: float | None
    red: Stretch | None  # the longest
    points: tuple[Point, ...]
    mended: tuple[Mistake, ...] = ()  # those that are left stand in the verdicts of the results
    untouched: bool = False  # the file is the stub that it was: there is nothing to judge
    reference: str = ""  # the readable solution, to be shown alone where nothing was written
    compared: bool = False  # with the reference; without any `diff` they are equal, line by line
    diff: tuple[DiffRow, ...] = ()
    questions: tuple[FollowUp, ...] = ()
    first_green_speed: str = ""  # "not measured" or "too slow" where that pass is none of a grade with speed

    @property
    def grades(self) -> int:
        """Those that the candidate asked for."""
        return sum(point.asked for point in self.points)

    @property
    def results(self) -> tuple[Result, ...]:
        """In the order of time."""
        return tuple(result for result in (self.unaided, self.counted, self.final) if result is not None)

    def lacks_speed(self, result: Result) -> bool:
        """Whether a result would be compared, unsaid, with one of which the speed was measured."""
        measured = any(tally.category == "timing" for each in self.results for tally in each.tallies)
        return result.without_speed and (result.good or measured)

    @property
    def last(self) -> Result | None:
        """What is known best about the code as it ended."""
        return self.final or self.counted
