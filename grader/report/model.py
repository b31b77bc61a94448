"""The report of a timed interview: frozen data that `build` makes and every renderer of a report reads.

Nothing here computes from events, prints, or reads a journal. `at` is seconds of the session's own clock, as in
`grader.interview.model`; a change of `render.report_json` that a consumer would notice raises `SCHEMA_VERSION`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from grader.verdict import Counterexample, Diagnosis, Verdict

SCHEMA_VERSION = 1

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
    compared: bool = False  # with the reference; without any `diff` they are equal, line by line
    diff: tuple[DiffRow, ...] = ()
    questions: tuple[FollowUp, ...] = ()

    @property
    def grades(self) -> int:
        return len(self.points)

    @property
    def results(self) -> tuple[Result, ...]:
        """In the order of time."""
        return tuple(result for result in (self.unaided, self.counted, self.final) if result is not None)

    @property
    def last(self) -> Result | None:
        """What is known best about the code as it ended."""
        return self.final or self.counted


@dataclass(frozen=True, slots=True)
class PhaseTime:
    """Time in one phase of one round."""

    round: int
    phase: str
    title: str
    seconds: float  # before the deadline
    overtime: float  # after it
    budget: float


@dataclass(frozen=True, slots=True)
class Stay:
    """One stay in a phase; a phase that was entered twice has two."""

    round: int
    phase: str
    title: str
    begin: float
    end: float


@dataclass(frozen=True, slots=True)
class RoundTime:
    """When a round was."""

    number: int
    katas: tuple[str, ...]
    begin: float
    deadline: float
    end: float
    credit: float


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the timeline; saves in a row are one."""

    at: float
    time: datetime
    kind: str
    kata: str
    text: str
    mark: str = ""  # "pass" or "fail" where it went one way
    until: float | None = None  # of the last one, where it stands for several


@dataclass(frozen=True, slots=True)
class Credit:
    """Time given back for a fault of ours."""

    at: float
    seconds: float
    why: str


@dataclass(frozen=True, slots=True)
class Mark:
    """An interviewer's mark."""

    dimension: str  # its id
    title: str
    value: int
    anchor: str  # what the mark looks like, "" for a dimension that is not known here
    out_of: int = 4


@dataclass(frozen=True, slots=True)
class Note:
    at: float
    kata: str
    by: str
    text: str


@dataclass(frozen=True, slots=True)
class Advice:
    """A kata to practise next, and why."""

    kata: str
    title: str
    reason: str
    command: str


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One session among others. `share` is the part of the required properties that passed at the deadline."""

    session: int
    time: datetime
    katas: tuple[str, ...]
    passed: int
    share: float | None  # None: nothing was graded
    hints: int
    first_green: float | None
    practice: bool
    aborted: bool


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that is told about one session."""

    session: int
    begun: datetime
    ended: datetime | None
    state: str  # "finished" or "aborted"
    elapsed: float  # at the end
    preset: str
    minutes: float  # planned, all rounds
    rounds: tuple[RoundTime, ...]
    practice: bool
    paused: float
    feedback: str
    interviewer: bool
    drawn: bool
    difficulty: str
    seed: int
    environment: tuple[tuple[str, str], ...]
    katas: tuple[KataReport, ...]
    phases: tuple[PhaseTime, ...]
    stays: tuple[Stay, ...]
    entries: tuple[Entry, ...]
    credits: tuple[Credit, ...]
    marks: tuple[Mark, ...]
    notes: tuple[Note, ...]
    remarks: tuple[str, ...]  # what a reader must know to judge the rest
    advice: tuple[Advice, ...]
    trend: tuple[TrendPoint, ...]  # oldest first, this session last
    schema_version: int = SCHEMA_VERSION

    @property
    def passed(self) -> int:
        """Katas passed by what counts."""
        return sum(kata.counted is not None and kata.counted.good for kata in self.katas)

    @property
    def passed_in_the_end(self) -> int:
        """Katas passed with more time."""
        return sum(kata.last is not None and kata.last.good for kata in self.katas)

    @property
    def in_time(self) -> bool:
        """Whether everything was handed in before its deadline."""
        return all(each.end < each.deadline - 0.001 for each in self.rounds)

    @property
    def overtime(self) -> float:
        """Seconds that the session went on after its last deadline."""
        return max(0.0, self.elapsed - self.rounds[-1].deadline)

    @property
    def first_run(self) -> float | None:
        return min((kata.first_run for kata in self.katas if kata.first_run is not None), default=None)

    @property
    def first_green(self) -> float | None:
        return min((kata.first_green for kata in self.katas if kata.first_green is not None), default=None)

    @property
    def red(self) -> Stretch | None:
        """The longest red stretch of any kata."""
        stretches = [kata.red for kata in self.katas if kata.red is not None]
        return max(stretches, key=lambda stretch: stretch.seconds, default=None)

    @property
    def hints(self) -> int:
        return sum(kata.hints for kata in self.katas)
