"""What happened in other terminals while an interview ran, from the events that belong to no session. Pure.

A grade or a solution of its katas is refused there, and that is an event of the session (`interview.beside`); what is
possible all the same, such as trying the kata of a later round or bringing an old version back, belongs to no session.
Neither is a secret from the report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from grader.interview.beside import REFUSED
from grader.interview.datum import words
from grader.interview.model import Interview, Moment
from grader.journal.events import Event
from grader.render.text import amount
from grader.report.model import Entry
from grader.report.story import end_of, told

KINDS = ("grade", "hint", "solution", "reset", "restore")
_NAMES = {
    "grade": ("grade", "grades"),
    "hint": ("hint", "hints"),
    "reset": ("fresh start", "fresh starts"),
    "restore": ("earlier version brought back", "earlier versions brought back"),
}


def while_it_ran(interview: Interview, events: Sequence[Event]) -> list[Event]:
    """Those of no session, from the beginning of the interview to its end."""
    begin = next(interview.of("begin"), None)
    if begin is None or interview.ended is None:
        return []
    first, last = begin, interview.ended

    def within(event: Event) -> bool:
        if interview.clock_set_back:  # then the journal's order is the better witness
            return first.event.id < event.id < last.event.id
        return first.time <= event.time <= last.time

    return [event for event in events if event.session is None and event.kind in KINDS and within(event)]


def entries(interview: Interview, events: Sequence[Event]) -> list[Entry]:
    """A line of the timeline for each."""
    found = []
    for event in events:
        text, mark = told(Moment(0.0, 0, "", event))
        at = _at(interview, event.time)
        text = f"outside the interview: {text}"
        found.append(Entry(at, event.time, event.kind, event.kata, text, mark, outside=True))
    return found


def summary(events: Sequence[Event]) -> str:
    """One sentence, "" where there is nothing to tell."""
    counted = Counter((event.kind, event.kata) for event in events)
    parts = [
        f"{'the solution' if kind == 'solution' else amount(number, *_NAMES[kind])} of {kata}"
        for (kind, kata), number in counted.items()
    ]
    return f"Outside the interview, while it ran: {', '.join(parts)}." if parts else ""


def refusals(interview: Interview) -> str:
    """What was tried beside it and refused, in one sentence; "" where nothing was."""
    counted = Counter((words(moment.datum("what")), moment.kata) for moment in interview.of("refused"))
    parts = [
        f"{amount(number, *REFUSED.get(what, ('attempt', 'attempts')))} of {kata or 'a kata'}"
        for (what, kata), number in counted.items()
    ]
    return f"Tried outside the interview, and refused: {', '.join(parts)}." if parts else ""


def _at(interview: Interview, time: datetime) -> float:
    """The session's clock at a time of the wall's."""
    before = [moment for moment in interview.moments if moment.time <= time]
    if not before:
        return 0.0
    last = before[-1]
    since = 0.0 if last.kind == "pause" else (time - last.time).total_seconds()
    return max(0.0, min(last.at + since, end_of(interview)))
