"""The report of a timed interview: frozen data that `build` makes and every renderer of a report reads.

Nothing here computes from events, prints, or reads a journal. `at` is seconds of the session's own clock, as in
`grader.interview.model`; a change of `render.report_json` that a consumer would notice raises `SCHEMA_VERSION`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from grader.report.kata_model import KataReport, Stretch

SCHEMA_VERSION = 1


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
    outside: bool = False  # in another terminal, and no event of the session


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

    def names_kata(self, entry: Entry) -> bool:
        """Whether a line of the timeline has to say of which kata it is."""
        return bool(entry.kata) and [entry.kata] != [kata.id for kata in self.katas]

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
    def first_green_speed(self) -> str:
        return next((kata.first_green_speed for kata in self.katas if kata.first_green == self.first_green), "")

    @property
    def red(self) -> Stretch | None:
        """The longest red stretch of any kata."""
        stretches = [kata.red for kata in self.katas if kata.red is not None]
        return max(stretches, key=lambda stretch: stretch.seconds, default=None)

    @property
    def hints(self) -> int:
        return sum(kata.hints for kata in self.katas)
