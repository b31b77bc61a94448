"""A timed interview as its events tell it: rounds, phases, deadlines, snapshots, results.

Pure: a session, its events and readings of a clock in, frozen data out. No file, no terminal, no sleep, no journal. What
is known after a crash is what `rebuild` makes of the events; there is no other state. Times called `at` are seconds of
the session's own clock: from its beginning, standing still in a pause, never running back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from grader.interview.clock import Elapsed, Reading
from grader.interview.datum import count, number
from grader.interview.plan import Plan
from grader.interview.rounds import SOON, Round, Span, find_absences, find_rounds, find_spans
from grader.journal.events import Event, Session

__all__ = ["KIND", "SNAPSHOTS", "SOURCES", "Interview", "Moment", "Round", "Span", "rebuild"]

KIND = "interview"  # of the journal's sessions

SNAPSHOTS = ("deadline", "hand-in")
"""Kinds of events that hold the source which a result rests on."""

SOURCES = ("start", "save", "grade", *SNAPSHOTS)
"""Kinds of events that may hold a source."""

_SEEN = ("start", "save", *SNAPSHOTS)
"""Those that say what the file was at their moment. A grade does not: it comes later than what it is of."""


@dataclass(frozen=True, slots=True)
class Moment:
    """An event and where it stands in the session."""

    at: float
    round: int
    phase: str
    event: Event

    @property
    def kind(self) -> str:
        return self.event.kind

    @property
    def kata(self) -> str:
        return self.event.kata

    @property
    def time(self) -> datetime:
        """Of the wall's clock when it happened; the journal may have learned of it later."""
        return datetime.fromtimestamp(_reading(self.event).wall, UTC)

    def datum(self, key: str, default: Any = None) -> Any:
        return self.event.data.get(key, default)

    @property
    def without_speed(self) -> bool:
        """Whether it is a grade that left the speed out, so that no grade with speed may be compared with it unsaid."""
        return self.kind == "grade" and self.datum("timing") is False


@dataclass(frozen=True)
class Interview:
    """One session, as of its last event."""

    session: Session
    plan: Plan
    moments: tuple[Moment, ...]
    rounds: tuple[Round, ...]
    spans: tuple[Span, ...]
    elapsed: Elapsed
    paused: float  # seconds of all pauses that are over
    paused_since: float | None  # seconds of `elapsed`
    ended: Moment | None  # its finish or abort
    absences: tuple[tuple[float, float], ...] = ()  # after the last deadline: when nobody was there

    @property
    def id(self) -> int:
        return self.session.id

    @property
    def begun(self) -> bool:
        return any(moment.kind == "begin" for moment in self.moments[:20])

    @property
    def open(self) -> bool:
        """Whether its clock runs here: overtime is open, too. That of another machine's session does not."""
        return self.begun and self.ended is None and not self.session.imported

    @property
    def practice(self) -> bool:
        """A session that could be paused is no proof of anything."""
        return self.plan.allow_pause

    @property
    def clock_set_back(self) -> bool:
        """Whether the wall's clock ran back meanwhile: then it is no witness of when a file was written."""
        return self.elapsed.set_back

    def now(self, reading: Reading) -> float:
        """The session's clock at a reading; that of its end, once it has ended."""
        if self.ended is not None:
            return self.ended.at
        if self.paused_since is not None:
            return self.paused_since - self.paused
        if self.session.imported:  # of its clock nothing is known but what was brought along
            return self.elapsed.seconds - self.paused
        return self.elapsed.at(reading) - self.paused

    def state(self, at: float) -> str:
        """ "not-begun", "elsewhere", "running", "paused", "overtime", "finished" or "aborted"."""
        if self.ended is not None:
            return "finished" if self.ended.kind == "finish" else "aborted"
        if not self.begun:
            return "not-begun"
        if self.session.imported:
            return "elsewhere"
        if self.paused_since is not None:
            return "paused"
        return "overtime" if at >= self.rounds[-1].deadline else "running"

    def round_at(self, at: float) -> Round:
        """The round that runs at that moment; the last one ever after."""
        return next((each for each in reversed(self.rounds) if each.begin <= at), self.rounds[0])

    def phase_at(self, at: float) -> Span:
        """The phase at that moment, the present one included: a round begins with its first phase by itself."""
        number = self.round_at(at).number
        last = [span for span in self.spans if span.round == number and span.begin <= at]
        return last[-1] if last else self.spans[0]

    def rest(self, at: float) -> float:
        """Seconds to the deadline of the round; negative in overtime."""
        return self.round_at(at).deadline - at

    def wall_of(self, at: float, reading: Reading) -> float:
        """What the wall's clock showed at a moment of the past, by a reading now; pauses between are not counted out."""
        return reading.wall - (self.now(reading) - at)

    def due(self, at: float) -> list[Round]:
        """Rounds whose deadline has passed and whose files have no snapshot for it yet."""
        taken = {
            (count(moment.datum("round")), moment.kata): number(moment.datum("due")) or 0.0
            for moment in self.moments
            if moment.kind == "deadline"
        }
        return [
            each
            for each in self.rounds
            if at >= each.deadline
            and not each.handed_in
            and any(taken.get((each.number, kata), -1.0) < each.deadline - SOON for kata in each.katas)
        ]

    def of(self, *kinds: str, kata: str | None = None) -> Iterator[Moment]:
        """The moments of some kinds, in order."""
        return (m for m in self.moments if m.kind in kinds and (kata is None or m.kata == kata))

    def last(self, *kinds: str, kata: str | None = None) -> Moment | None:
        """The last moment of some kinds."""
        return next((m for m in reversed(self.moments) if m.kind in kinds and (kata is None or m.kata == kata)), None)

    def round_of(self, kata: str) -> Round:
        """The round that a kata belongs to; KeyError where it belongs to none, or to one that never began."""
        for each in self.rounds:
            if kata in each.katas:
                return each
        raise KeyError(kata)

    def last_source(self, kata: str, before: float | None = None) -> Moment | None:
        """The last moment at which the content of a kata's file is known, at or before a moment."""
        found = None
        for moment in self.of(*_SEEN, kata=kata):
            if moment.event.source is not None and (before is None or moment.at <= before):
                found = moment
        return found

    def counted(self, kata: str) -> Moment | None:
        """The snapshot that the result rests on: at the deadline, or handed in before it. None: not taken yet."""
        deadline = self.last("deadline", kata=kata)
        if deadline is not None and not self.round_of(kata).handed_in:
            return deadline
        return next(self.of("hand-in", kata=kata), None)

    def final(self, kata: str) -> Moment | None:
        """The last snapshot, overtime included; it may be the one that counts."""
        return self.last("hand-in", kata=kata) or self.counted(kata)

    def grade_of(self, snapshot: Moment | None) -> Moment | None:
        """The grade of a snapshot: the last one of the same source. A fault of ours is no grade."""
        if snapshot is None or snapshot.event.source is None:
            return None
        return self._grades.get((snapshot.kata, snapshot.event.source))

    @cached_property
    def _grades(self) -> dict[tuple[str, str], Moment]:
        return {
            (moment.kata, moment.event.source): moment
            for moment in self.of("grade")
            if moment.event.source is not None and moment.datum("verdict") != "grader-error"
        }

    def ungraded(self) -> list[Moment]:
        """Snapshots with a source and no grade yet, oldest first, each content once."""
        waiting: dict[tuple[str, str | None], Moment] = {}
        for moment in self.of(*SNAPSHOTS):
            if moment.event.source is not None and self.grade_of(moment) is None:
                waiting.setdefault((moment.kata, moment.event.source), moment)
        return list(waiting.values())

    def unmeasured(self) -> list[Moment]:
        """Snapshots without a grade, and those that passed one which left speed out."""
        waiting = {(moment.kata, moment.event.source): moment for moment in self.ungraded()}
        for moment in self.of(*SNAPSHOTS):
            grade = self.grade_of(moment)
            if grade is not None and grade.datum("verdict") == "pass" and not grade.datum("timing"):
                waiting.setdefault((moment.kata, moment.event.source), moment)
        return list(waiting.values())

    def hints(self, kata: str) -> int:
        """Rungs of the ladder that were shown in this session."""
        return max((count(moment.datum("rung")) or 0 for moment in self.of("hint", kata=kata)), default=0)

    @property
    def answers(self) -> dict[tuple[str, int], Moment]:
        """The last answer to each question, by kata and the question's number from 0; skipped ones have no text."""
        return {
            (moment.kata, question): moment
            for moment in self.of("answer")
            if (question := count(moment.datum("question"))) is not None
        }

    @property
    def marks(self) -> dict[str, Moment]:
        """The interviewer's last mark for each dimension."""
        return {str(moment.datum("dimension", "")): moment for moment in self.of("mark")}

    @property
    def notes(self) -> tuple[Moment, ...]:
        return tuple(self.of("note"))


def rebuild(session: Session, events: Sequence[Event]) -> Interview:
    """The interview that a session's events tell. ValueError where the session's settings are no plan."""
    plan = Plan.of(session.settings)
    elapsed = Elapsed.start(_reading(events[0]) if events else Reading(session.started.timestamp(), 0.0, ""))
    paused, since = 0.0, None
    times: list[float] = []
    ended: int | None = None
    for index, event in enumerate(events):
        elapsed = elapsed.moved(_reading(event))
        if event.kind == "pause" and plan.allow_pause and since is None and ended is None:
            since = elapsed.seconds
        elif event.kind == "unpause" and since is not None:
            paused, since = paused + elapsed.seconds - since, None
        times.append((elapsed.seconds if since is None else since) - paused)
        if event.kind in ("finish", "abort") and ended is None:
            ended = index
            if since is not None:
                paused, since = paused + elapsed.seconds - since, None
    end = None if ended is None else times[ended]
    rounds = find_rounds(plan, events, times, end)
    spans = find_spans(rounds, events, times, end)
    moments = tuple(_placed(spans, events, times))
    return Interview(
        session=session,
        plan=plan,
        moments=moments,
        rounds=rounds,
        spans=spans,
        elapsed=elapsed,
        paused=paused,
        paused_since=since,
        ended=None if ended is None else moments[ended],
        absences=find_absences(rounds, events, times),
    )


def _reading(event: Event) -> Reading:
    return Reading.of(event.data.get("clock"), event.time.timestamp())


def _placed(spans: Sequence[Span], events: Sequence[Event], times: Sequence[float]) -> Iterator[Moment]:
    """Every event with the round and the phase that it falls into."""
    begins = sorted(spans, key=lambda span: (span.round, span.begin))
    current = 0
    for event, at in zip(events, times, strict=True):
        while current + 1 < len(begins) and begins[current + 1].begin <= at:
            current += 1
        yield Moment(at, begins[current].round, begins[current].phase, event)
