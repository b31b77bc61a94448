"""The rounds of an interview and the stays in their phases, found from its events. Pure; times are those of the session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.interview.datum import count
from grader.interview.datum import number as number_of
from grader.interview.plan import PHASE_IDS, PHASES, Plan
from grader.journal.events import Event

SOON = 0.001  # seconds: deadlines are compared as floats
AT_ONCE = 5.0  # seconds that a session's end may take to write what belongs to it


def is_over(seconds: float, budget: float) -> bool:
    """Whether a phase took longer than its budget, as a person sees it who reads whole seconds."""
    return int(seconds) > int(budget)


@dataclass(frozen=True, slots=True)
class Span:
    """A stay in one phase. A phase that was entered twice has two."""

    round: int
    phase: str
    begin: float
    end: float | None  # None: still in it
    budget: float  # seconds that the whole phase should take


@dataclass(frozen=True, slots=True)
class Round:
    """One round. `begin` lies in the future for a round that is still to come."""

    number: int  # from 0
    katas: tuple[str, ...]
    begin: float
    deadline: float
    end: float | None  # handed in early; or its deadline, where a round follows; or the end of the session
    credit: float  # seconds given back for faults of ours, counted in `deadline`

    @property
    def seconds(self) -> float:
        return self.deadline - self.begin

    @property
    def handed_in(self) -> bool:
        """Whether it ended before its deadline, so that no snapshot at the deadline is wanted."""
        return self.end is not None and self.end < self.deadline - SOON


def find_rounds(plan: Plan, events: Sequence[Event], times: Sequence[float], end: float | None) -> tuple[Round, ...]:
    """Each begins where the one before ends: at its deadline, or where it was handed in early."""
    credits = [0.0] * len(plan.rounds)
    left: dict[int, float] = {}
    for event, at in zip(events, times, strict=True):
        number = count(event.data.get("round"))
        if number is None or number >= len(credits):
            continue
        if event.kind == "credit":
            credits[number] += max(0.0, number_of(event.data.get("seconds")) or 0.0)
        elif event.kind == "round":
            left.setdefault(number - 1, at)
    rounds: list[Round] = []
    begin = 0.0
    for number, each in enumerate(plan.rounds):
        deadline = begin + each.minutes * 60 + credits[number]
        last = number == len(plan.rounds) - 1
        handed_in = left.get(number)
        stop = None if last else deadline if handed_in is None else min(handed_in, deadline)
        over = end is not None and (stop is None or end <= stop + SOON)
        rounds.append(Round(number, each.katas, begin, deadline, end if over else stop, credits[number]))
        if over:
            break  # those that follow never began
        begin = deadline if stop is None else stop
    return tuple(rounds)


def find_spans(
    rounds: Sequence[Round], events: Sequence[Event], times: Sequence[float], end: float | None
) -> tuple[Span, ...]:
    """The stays in each phase of each round, in order: a round begins in its first phase by itself."""
    budgets = {phase.id: phase.share for phase in PHASES}
    entered: dict[int, list[tuple[float, str]]] = {each.number: [(each.begin, PHASE_IDS[0])] for each in rounds}
    for event, at in zip(events, times, strict=True):
        number, phase = event.data.get("round"), event.data.get("phase")
        if event.kind != "phase" or not isinstance(number, int) or not isinstance(phase, str):
            continue
        if number in entered and phase in budgets and (end is None or at <= end):
            stays = entered[number]
            if phase != stays[-1][1]:
                stays.append((max(at, stays[-1][0]), phase))
    spans: list[Span] = []
    for each in rounds:
        stays = entered[each.number]
        for (begin, phase), following in zip(stays, [*stays[1:], None], strict=True):
            stop = each.end if following is None else following[0]
            budget = budgets[phase] * (each.seconds - each.credit)
            spans.append(Span(each.number, phase, begin, stop, budget))
    return tuple(spans)


def find_absences(
    rounds: Sequence[Round], events: Sequence[Event], times: Sequence[float]
) -> tuple[tuple[float, float], ...]:
    """When nobody was there after the last deadline, as (begin, end): neither work nor overtime.

    A view says when it leaves. One that died did not: then nobody was there since the last thing that happened.
    """
    deadline = rounds[-1].deadline
    found: list[tuple[float, float]] = []
    seen = [0.0]
    gone: float | None = None
    for event, at in zip(events, times, strict=True):
        how = event.data.get("how")
        ended = event.kind in ("finish", "abort")
        if (event.kind == "join" and how != "take-over") or (ended and event.data.get("away") is True):
            before = at - (AT_ONCE if ended else 0.0)  # what the end itself wrote was not there before
            since = gone if gone is not None else max(time for time in seen if time <= max(before, 0.0))
            found.append((max(since, deadline), at))
        if event.kind in ("join", "leave") and how != "take-over":
            gone = at if event.kind == "leave" else None
        seen.append(at)
    return tuple((begin, end) for begin, end in found if end > begin)
