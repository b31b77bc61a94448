"""What to practise next, and how this session stands among others. Pure functions; every piece of advice has a reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo

from grader.catalog import Kata
from grader.interview.datum import count
from grader.interview.draw import weigh
from grader.interview.model import Interview
from grader.journal.events import Progress
from grader.render.text import amount
from grader.report.kata_model import MISSING, UNGRADED, KataReport
from grader.report.model import Advice, TrendPoint
from grader.report.story import outcome_of, points
from grader.verdict import Outcome

MOST = 3  # pieces of advice
WEAK_FROM_THIS_SESSION = 10.0  # what went wrong an hour ago weighs more than anything before it


def advise(
    katas: Sequence[KataReport], catalogue: Mapping[str, Kata], progress: Mapping[str, Progress], now: datetime
) -> tuple[Advice, ...]:
    """Three katas with reasons: what went wrong here first, then what the journal shows as weak, new or long unseen."""
    ranked = sorted(_weighed(katas, catalogue, progress, now), key=lambda pair: -pair[0])
    return tuple(advice for _, advice in ranked[:MOST])


def _weighed(
    katas: Sequence[KataReport], catalogue: Mapping[str, Kata], progress: Mapping[str, Progress], now: datetime
) -> Iterator[tuple[float, Advice]]:
    here = {kata.id: kata for kata in katas}
    for id, kata in catalogue.items():
        if id in here:
            weight, reason = _of_this_session(here[id])
            # A file of this kata is likely to lie about: an interview of one kata has a folder of its own.
            command = f"kata interview --minutes {max(kata.minutes, 5)} --katas {id}"
        else:
            known = weigh(progress.get(id, Progress()), now)
            weight, reason = known.value, known.reason
            command = f"kata start {id}"
        yield weight, Advice(id, kata.title, reason, command)


def _of_this_session(kata: KataReport) -> tuple[float, str]:
    """How much a kata of this session wants to be practised again, and why."""
    counted, last = kata.counted, kata.last
    if counted is None or counted.outcome in (MISSING, UNGRADED):
        return WEAK_FROM_THIS_SESSION, "nothing was graded in this interview"
    if not counted.good:
        if last is not None and last.good:
            return WEAK_FROM_THIS_SESSION + 1, f"passed only {last.label}"
        return WEAK_FROM_THIS_SESSION + 2, _failure(kata)
    if kata.hints:
        return WEAK_FROM_THIS_SESSION - 1, f"passed with {amount(kata.hints, 'hint')}"
    if kata.red is not None and kata.red.shown > 600:
        return 2.0, f"passed, after {kata.red.shown / 60:.0f} minutes of red"
    return 0.5, "passed; once more, quicker"


def _failure(kata: KataReport) -> str:
    if kata.untouched:
        return "nothing was written in this interview"
    last = kata.last
    assert last is not None
    verdict = last.verdict
    if verdict is not None and verdict.diagnosis is not None and verdict.diagnosis.id:
        return f"did not pass: {verdict.diagnosis.id}"
    weak = [tally.category for tally in last.tallies if tally.passed < tally.required]
    if weak:
        return f"did not pass: {', '.join(weak)}"
    return "could not be graded" if last.outcome == Outcome.UNUSABLE else "did not pass"


def trend_point(interview: Interview, zone: tzinfo | None = UTC) -> TrendPoint:
    """One session in a row of sessions, by what counts."""
    katas = [kata for each in interview.rounds for kata in each.katas]
    passed, held, required, graded = 0, 0.0, 0, False
    for kata in katas:
        grade = interview.grade_of(interview.counted(kata))
        if grade is None:
            required += 1  # a kata without a grade counts as one that holds nothing
            continue
        graded = True
        passed += outcome_of(grade) == Outcome.PASS
        wanted = count(grade.datum("required"))
        held += (count(grade.datum("passed")) or 0) / wanted if wanted else 0.0
        required += 1
    greens = [point.at for kata in katas for point in points(interview, kata) if point.outcome == Outcome.PASS]
    rungs = [
        max((count(moment.datum("rung")) or 0 for moment in interview.of("hint", kata=kata)), default=0)
        for kata in katas
    ]
    return TrendPoint(
        session=interview.id,
        time=interview.session.started.astimezone(zone),
        katas=tuple(katas),
        passed=passed,
        share=min(held / required, 1.0) if graded else None,
        hints=sum(rungs),
        first_green=min(greens, default=None),
        practice=interview.practice,
        aborted=interview.ended is not None and interview.ended.kind == "abort",
    )
