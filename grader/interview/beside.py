"""What the other commands may do while an interview runs: no second terminal shows what the first one keeps back.

A solution is refused. A hint for a kata of the session so far is the session's, and its ladder is the session's too. A
grade of such a kata belongs to the session's own view, whatever file it is of. What is refused is an event of the
session. Whatever else happens beside it, a later round's kata tried ahead for one, the report tells from the journal;
nothing here is secret from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.interview.model import Interview
    from grader.journal.events import Event, Journal

REFUSED = {
    "solution": ("look at the solution", "looks at the solution"),
    "grade": ("grade", "grades"),
    "watch": ("watch", "watches"),
    "bench": ("bench", "benches"),
    "verdict": ("look at a verdict", "looks at a verdict"),
}
"""What a `refused` event may be of, one and many."""

BACK = "kata interview resume goes back to it, kata interview finish ends it"


def running(journal: Journal) -> Interview | None:
    """The interview whose clock runs, overtime included."""
    if not journal.sessions("interview"):
        return None  # most people's case, without a slow import
    from grader.interview.overview import open_interviews

    return next(reversed(open_interviews(journal)), None)


def describe_running(journal: Journal) -> str:
    """The interview that runs and its time, as a sentence; "" where none does."""
    interview = running(journal)
    if interview is None:
        return ""
    from grader.interview.clock import SystemClock
    from grader.render.interview import clock

    at = interview.now(SystemClock().read())
    state, rest = interview.state(at), clock(interview.rest(at))
    name = f"Interview {interview.id}"
    if state == "overtime":
        return f"{name} is {rest} over its deadline."
    return f"{name} {'is paused' if state == 'paused' else 'runs'}, {rest} left."


def running_with(journal: Journal, kata: str) -> Interview | None:
    """The same, if a round with this kata has begun. What a later round draws stays a surprise."""
    from grader.interview.clock import SystemClock

    interview = running(journal)
    if interview is None:
        return None
    at = interview.now(SystemClock().read())
    begun = {id for each in interview.rounds if each.begin <= at for id in each.katas}
    return interview if kata in begun else None


def note_refusal(journal: Journal, interview: Interview, kata: str, what: str) -> None:
    """For the report: `what`, a key of REFUSED, was tried beside the interview."""
    from grader.interview.clock import SystemClock
    from grader.interview.log import SessionLog

    SessionLog.load(journal, SystemClock(), interview.session).add("refused", kata, {"what": what, "outside": True})


def refuse_solution(journal: Journal, kata: str = "") -> None:
    """UsageError while an interview runs, for every kata: to refuse only some would tell what is to come."""
    interview = running(journal)
    if interview is not None:
        note_refusal(journal, interview, kata, "solution")
        raise UsageError(f"interview {interview.id} is running, and no solution is shown until it ends", BACK)


def why_no_grade(journal: Journal, kata: str) -> str:
    """Why a kata is not graded outside of the interview that runs; "" where it may be."""
    interview = running_with(journal, kata)
    return "" if interview is None else _why(interview, kata)


def _why(interview: Interview, kata: str) -> str:
    return f"{kata} is in interview {interview.id}, which is running: g there grades it"


def note_refused_grade(journal: Journal, kata: str, how: str) -> None:
    """The same as an event of that interview."""
    interview = running_with(journal, kata)
    if interview is not None:
        note_refusal(journal, interview, kata, how)


def refuse_grade(journal: Journal, kata: str, how: str = "grade") -> None:
    """UsageError for a kata of the interview that runs; `how` it was to be graded: "grade", "watch" or "bench"."""
    interview = running_with(journal, kata)
    if interview is not None:
        note_refusal(journal, interview, kata, how)
        raise UsageError(_why(interview, kata), BACK)


def take_hint(journal: Journal, kata: str) -> tuple[int | None, int] | None:
    """The next rung of the session's own ladder, recorded in it, as (rung, interview); the rung is None after the last.

    None where no interview with this kata runs.
    """
    interview = running_with(journal, kata)
    if interview is None:
        return None
    from grader.catalog import HINTS
    from grader.interview.clock import SystemClock
    from grader.interview.log import SessionLog

    used = interview.hints(kata)
    if used >= HINTS:
        return None, interview.id
    log = SessionLog.load(journal, SystemClock(), interview.session)
    data = {"rung": used + 1, "round": interview.round_of(kata).number, "outside": True}
    log.add("hint", kata, data)
    return used + 1, interview.id


def refuse_verdict(journal: Journal, event: Event) -> None:
    """UsageError for a grade of the interview that runs, where its feedback policy shows less than all."""
    if event.session is None or event.kind != "grade":
        return
    interview = running(journal)
    if interview is not None and interview.id == event.session and interview.plan.feedback != "full":
        note_refusal(journal, interview, event.kata, "verdict")
        raise UsageError(f"attempt {event.id} belongs to interview {interview.id}, which is running", BACK)


def is_kept_back(journal: Journal) -> int | None:
    """The interview that runs and shows nothing of its grades, if there is one."""
    interview = running(journal)
    return interview.id if interview is not None and interview.plan.feedback == "none" else None
