"""Where everything of a report's charts lies: pure geometry, which the HTML template turns into SVG.

Across in percent of the width, so that a chart fits a phone and a page without being scaled; down in pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from grader.render.report_text import clock, green_words, over_budget, phase_label, share, span, word
from grader.render.text import NO_SPEED
from grader.report.kata_model import KataReport, Point
from grader.report.model import PhaseTime, Report, TrendPoint

T = TypeVar("T")
Across = Callable[[float], float]
Line = tuple[float, float, float, float]

TOP, HEIGHT = 46.0, 120.0  # of the field in which the curves run
SAVES, HINTS = TOP + HEIGHT + 14, TOP + HEIGHT + 30  # rows below it
FOOT = TOP + HEIGHT + 44
TOTAL = FOOT + 24
MOST = 240  # marks of one kind: more cannot be told apart
STEPS = (1, 2, 5, 10, 15, 20, 30, 60, 120, 240, 480)  # minutes between two labels of the axis
LABELS = 6  # at most
NARROW = 12.0  # percent: a phase narrower than this has no room for its name


@dataclass(frozen=True, slots=True)
class Band:
    """A stay in a phase."""

    x: float
    width: float
    name: str
    title: str
    named: bool
    odd: bool


@dataclass(frozen=True, slots=True)
class Dot:
    x: float
    y: float
    good: bool
    title: str


@dataclass(frozen=True, slots=True)
class Curve:
    """The share of properties that pass, as steps from grade to grade."""

    kata: str
    number: int
    lines: tuple[Line, ...]
    dots: tuple[Dot, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A line from top to bottom, or a tick of the axis."""

    x: float
    label: str
    anchor: str = "middle"


@dataclass(frozen=True, slots=True)
class Timeline:
    """The chart of one session."""

    bands: tuple[Band, ...]
    curves: tuple[Curve, ...]
    ticks: tuple[Rule, ...]
    deadlines: tuple[Rule, ...]
    rounds: tuple[Rule, ...]  # where each after the first begins
    saves: tuple[float, ...]
    hints: tuple[Dot, ...]
    over: tuple[float, float] | None  # where the overtime lies: x and width
    description: str


@dataclass(frozen=True, slots=True)
class Bar:
    """Time in a phase against its budget."""

    label: str
    seconds: str
    budget: str
    width: float
    over: float  # of the width, what was spent in overtime
    mark: float
    note: str


@dataclass(frozen=True, slots=True)
class Column:
    """One session of the trend."""

    x: float
    width: float
    height: float
    share: str
    date: str
    this: bool


def timeline(report: Report) -> Timeline:
    """The session over its own clock, from its beginning to its end."""
    last = report.rounds[-1].deadline
    overtime = sum(each.overtime for each in report.phases)  # without the time in which nobody was there
    end = max(min(report.elapsed, last + overtime), 60.0)

    def x(at: float) -> float:
        return round(min(max(at, 0.0), end) / end * 100, 2)

    deadlines = [each.deadline for each in report.rounds if each.end >= each.deadline - 0.001]
    return Timeline(
        bands=tuple(_bands(report, x)),
        curves=tuple(
            _curve(kata, number, x, x(report.rounds[kata.round].end))
            for number, kata in enumerate(report.katas)
            if kata.points
        ),
        ticks=tuple(Rule(x(minutes * 60), str(minutes), _anchor(x(minutes * 60))) for minutes in _ticks(end / 60)),
        deadlines=tuple(Rule(x(at), "deadline", "end" if x(at) > 50 else "start") for at in deadlines),
        rounds=tuple(Rule(x(each.begin), f"round {each.number + 1}", "start") for each in report.rounds[1:]),
        saves=tuple(_saves(report, x)),
        hints=tuple(_hints(report, x)),
        over=(x(last), round(100 - x(last), 2)) if report.overtime else None,
        description=_description(report),
    )


def bars(report: Report) -> list[list[Bar]]:
    """Time in each phase, a list for each round, on one scale for all of them."""
    longest = max((max(each.seconds + each.overtime, each.budget) for each in report.phases), default=0.0) or 1.0

    def width(seconds: float) -> float:
        return round(seconds / longest * 100, 2)

    def bar(each: PhaseTime) -> Bar:
        return Bar(
            label=each.title,
            seconds=clock(each.seconds + each.overtime),
            budget=clock(each.budget),
            width=width(each.seconds),
            over=width(each.overtime),
            mark=min(width(each.budget), 99.6),
            note=", ".join(
                filter(None, (over_budget(each.seconds + each.overtime, each.budget), _overtime(each.overtime)))
            ),
        )

    return [[bar(each) for each in report.phases if each.round == round.number] for round in report.rounds]


def columns(trend: Sequence[TrendPoint]) -> list[Column]:
    """A column a session, as high as the share of properties that passed."""
    pitch = 100 / max(len(trend), 4)
    return [
        Column(
            x=round(number * pitch + pitch * 0.16, 2),
            width=round(pitch * 0.68, 2),
            height=round((point.share or 0.0) * 100, 1),
            share=share(point),
            date=f"{point.time:%d %b}",
            this=number == len(trend) - 1,
        )
        for number, point in enumerate(trend)
    ]


def _bands(report: Report, x: Across) -> Iterator[Band]:
    for number, stay in enumerate(report.stays):
        left, right = x(stay.begin), x(stay.end)
        if right > left:
            title = f"{phase_label(report, stay.round, stay.title)}, {clock(stay.begin)} to {clock(stay.end)}"
            width = round(right - left, 2)
            yield Band(left, width, stay.title.partition(" ")[0], title, width >= NARROW, number % 2 == 1)


def _curve(kata: KataReport, number: int, x: Across, end: float) -> Curve:
    points = _thinned(kata.points)
    dots = [
        Dot(x(point.at), _y(point.share), point.outcome == "pass", f"{kata.id} {clock(point.at)}: {_counted(point)}")
        for point in points
    ]
    lines: list[Line] = []
    for one, other in pairwise(dots):
        lines += [(one.x, one.y, other.x, one.y), (other.x, one.y, other.x, other.y)]
    last = dots[-1]
    lines.append((last.x, last.y, max(last.x, end), last.y))  # what was reached holds to the end of the round
    return Curve(kata.id, number % 3, tuple(line for line in lines if line[:2] != line[2:]), tuple(dots))


def _counted(point: Point) -> str:
    counts = f", {point.passed} of {point.required}" if point.required else ""
    return word(point.outcome) + counts + (f", {NO_SPEED}" if point.without_speed and point.outcome == "pass" else "")


def _y(share: float) -> float:
    return round(TOP + (1 - share) * HEIGHT, 1)


def _saves(report: Report, x: Across) -> list[float]:
    """Where the file was saved; the first and the last of saves in a row."""
    times = [entry.at for entry in report.entries if entry.kind == "save"]
    times += [entry.until for entry in report.entries if entry.kind == "save" and entry.until is not None]
    return _thinned(sorted({round(x(at) * 3) / 3 for at in times}))


def _hints(report: Report, x: Across) -> Iterator[Dot]:
    for entry in _thinned([entry for entry in report.entries if entry.kind == "hint" and not entry.outside]):
        yield Dot(x(entry.at), HINTS, False, f"{clock(entry.at)} {entry.kata}: {entry.text}")


def _ticks(minutes: float) -> range:
    step = next((each for each in STEPS if minutes / each <= LABELS), int(minutes / LABELS) + 1)
    return range(0, int(minutes) + 1, step)


def _anchor(x: float) -> str:
    return "start" if x < 2 else "end" if x > 98 else "middle"


def _overtime(seconds: float) -> str:
    return f"{span(int(seconds))} after the deadline" if seconds >= 1 else ""


def _thinned(marks: Sequence[T]) -> list[T]:
    """At most MOST of them, evenly, the first and the last included."""
    if len(marks) <= MOST:
        return list(marks)
    return [marks[round(at * (len(marks) - 1) / (MOST - 1))] for at in range(MOST)]


def _description(report: Report) -> str:
    """The chart for somebody who cannot see it."""
    said = []
    for kata in report.katas:
        first = f"first graded at {clock(kata.first_run)}" if kata.first_run is not None else "never graded on request"
        at = green_words(kata.first_green, kata.first_green_speed)
        green = f"first passed at {at}" if kata.first_green is not None else "never passed"
        said.append(f"{kata.id}: {first}, {green}.")
    return " ".join(said)
