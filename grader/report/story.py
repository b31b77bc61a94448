"""What happened in a session, told from its moments: grades as points, red stretches, time in phases, the timeline.

Pure functions of an Interview. Its events may come from a stranger or from a newer torch-kata, so every datum is looked
at before it is believed, and a kind that is not known here is told by its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.interview.beside import REFUSED
from grader.interview.datum import count, number, words
from grader.interview.model import Interview, Moment
from grader.interview.plan import PHASES
from grader.interview.rubric import DIMENSIONS, MARKS
from grader.report.kata_model import Point, Stretch
from grader.report.model import Credit, Entry, Mark, Note, PhaseTime, RoundTime, Stay
from grader.verdict import Outcome

_TITLES = {phase.id: phase.title for phase in PHASES}
_OUTCOMES = frozenset(outcome.value for outcome in Outcome)
_DIMENSIONS = {dimension.id: dimension for dimension in DIMENSIONS}


def end_of(interview: Interview) -> float:
    """The session's clock at its end, or at its last event."""
    if interview.ended is not None:
        return interview.ended.at
    return interview.moments[-1].at if interview.moments else 0.0


def outcome_of(grade: Moment) -> str:
    """The word of a grade's verdict; a fault of ours where it says nothing that we know."""
    word = grade.datum("verdict")
    return word if isinstance(word, str) and word in _OUTCOMES else Outcome.GRADER_ERROR.value


def asked_at(interview: Interview, grade: Moment) -> float:
    """When a grade was asked for, which is what the code was graded as; never after the end."""
    at = number(grade.datum("asked_at"))
    return min(grade.at if at is None else min(at, grade.at), end_of(interview))


def points(interview: Interview, kata: str) -> tuple[Point, ...]:
    """The grades of a kata in the order in which they were asked for; a fault of ours is none."""
    found = [
        Point(
            asked_at(interview, grade),
            outcome_of(grade),
            count(grade.datum("passed")),
            count(grade.datum("required")),
            _was_asked(grade),
            grade.without_speed,
        )
        for grade in interview.of("grade", kata=kata)
        if outcome_of(grade) != Outcome.GRADER_ERROR
    ]
    return tuple(sorted(found, key=lambda point: point.at))


def first_run(interview: Interview, kata: str) -> float | None:
    """When a grade was first asked for; the grades at deadlines come by themselves."""
    asked = [asked_at(interview, grade) for grade in interview.of("grade", kata=kata) if _was_asked(grade)]
    return min(asked, default=None)


def stubs(interview: Interview, kata: str) -> set[str | None]:
    """The content with which the session's file began, where that was ours."""
    return {moment.event.source for moment in interview.of("start", kata=kata) if moment.datum("written") is True}


def first_green(interview: Interview, kata: str) -> tuple[float | None, str]:
    """When a grade first passed, and what is known of the speed of that code where that grade left it out.

    "" where a later grade of the same content, with speed, passed too.
    """
    passed = [grade for grade in interview.of("grade", kata=kata) if outcome_of(grade) == Outcome.PASS]
    if not passed:
        return None, ""
    first = min(passed, key=lambda grade: asked_at(interview, grade))
    at, last = asked_at(interview, first), interview.grade_of(first)
    if not first.without_speed or last is None:
        return at, ""
    if last.without_speed:
        return at, "not measured"
    return at, "" if outcome_of(last) == Outcome.PASS else "too slow"


def _was_asked(grade: Moment) -> bool:
    return bool(grade.datum("purpose", "asked") == "asked")


def longest_red(grades: Sequence[Point], end: float, absences: Sequence[tuple[float, float]] = ()) -> Stretch | None:
    """The longest time from a grade that did not pass to the next one that did, or to the end, with somebody there."""
    stretches: list[Stretch] = []
    since: float | None = None
    for point in grades:
        if point.outcome == Outcome.PASS and since is not None:
            stretches.append(Stretch(since, point.at))
            since = None
        elif point.outcome != Outcome.PASS and since is None:
            since = point.at
    if since is not None:
        stretches.append(Stretch(since, max(since, end)))
    for begin, back in absences:
        stretches = [part for stretch in stretches for part in _without(stretch, begin, back)]
    stretches = [stretch for stretch in stretches if stretch.seconds >= 1]  # a grade at the very end is no stretch
    return max(stretches, key=lambda stretch: stretch.seconds, default=None)


def _without(stretch: Stretch, begin: float, end: float) -> Iterator[Stretch]:
    """What is left of a stretch without a part of it."""
    if stretch.end <= begin or end <= stretch.begin:
        yield stretch
        return
    if stretch.begin < begin:
        yield Stretch(stretch.begin, begin)
    if end < stretch.end:
        yield Stretch(end, stretch.end)


def rounds(interview: Interview) -> tuple[RoundTime, ...]:
    end = end_of(interview)
    return tuple(
        RoundTime(
            each.number, each.katas, each.begin, each.deadline, end if each.end is None else each.end, each.credit
        )
        for each in interview.rounds
    )


def stays(interview: Interview) -> tuple[Stay, ...]:
    """Every stay in a phase, in order."""
    end = end_of(interview)
    return tuple(
        Stay(
            span.round,
            span.phase,
            _TITLES[span.phase],
            span.begin,
            max(span.begin, end if span.end is None else span.end),
        )
        for span in interview.spans
    )


def phase_times(interview: Interview) -> tuple[PhaseTime, ...]:
    """Time in every phase of every round, phases that were never entered included."""
    end = end_of(interview)
    spent: dict[tuple[int, str], tuple[float, float]] = {}
    for span in interview.spans:
        deadline = interview.rounds[span.round].deadline
        stop = max(end if span.end is None else span.end, span.begin)
        within = max(0.0, min(stop, deadline) - span.begin)
        seconds, over = spent.get((span.round, span.phase), (0.0, 0.0))
        late = max(span.begin, deadline)
        away = sum(max(0.0, min(stop, back) - max(late, gone)) for gone, back in interview.absences)
        spent[span.round, span.phase] = (seconds + within, over + max(0.0, stop - late - away))
    return tuple(
        PhaseTime(
            each.number,
            phase.id,
            phase.title,
            *spent.get((each.number, phase.id), (0.0, 0.0)),
            phase.share * (each.seconds - each.credit),
        )
        for each in interview.rounds
        for phase in PHASES
    )


def credits(interview: Interview) -> tuple[Credit, ...]:
    return tuple(
        Credit(moment.at, seconds, words(moment.datum("why")))
        for moment in interview.of("credit")
        if (seconds := number(moment.datum("seconds"))) is not None and seconds > 0
    )


def marks(interview: Interview) -> tuple[Mark, ...]:
    """The last mark for each dimension, in the order in which they were first given."""
    found: dict[str, Mark] = {}
    for moment in interview.of("mark"):
        id, value = words(moment.datum("dimension")), count(moment.datum("value"))
        if id and value in MARKS:
            known = _DIMENSIONS.get(id)
            title, anchor = (id, "") if known is None else (known.title, known.anchors[value - 1])
            found[id] = Mark(id, title, value, anchor)
    return tuple(found.values())


def notes(interview: Interview) -> tuple[Note, ...]:
    return tuple(
        Note(moment.at, moment.kata, words(moment.datum("by")), text)
        for moment in interview.of("note")
        if (text := words(moment.datum("text"))).strip()
    )


def timeline(interview: Interview) -> tuple[Entry, ...]:
    """Every moment in a line; saves of the same kata in a row share one.

    A grade stands where it was asked for, as it does in every figure: it is of the code of then.
    """
    lines: list[Entry] = []
    saves = 0
    for at, moment in sorted(((_told_at(interview, m), m) for m in interview.moments), key=lambda pair: pair[0]):
        if moment.kind == "start" and moment.at == 0:
            continue  # the stubs, written before the clock starts
        last = lines[-1] if lines else None
        if moment.kind == "save" and last is not None and last.kind == "save" and last.kata == moment.kata:
            saves += 1
            lines[-1] = Entry(last.at, last.time, "save", last.kata, f"saved {saves} times", until=at)
            continue
        saves = 1
        text, mark = told(moment)
        lines.append(Entry(at, moment.time, moment.kind, moment.kata, text, mark))
    return tuple(lines)


def _told_at(interview: Interview, moment: Moment) -> float:
    return asked_at(interview, moment) if moment.kind == "grade" and _was_asked(moment) else moment.at


def told(moment: Moment) -> tuple[str, str]:
    """A moment in words, and which way it went."""
    if moment.kind == "grade":
        return _grade_told(moment)
    return " ".join(_words_of(moment)), ""


def _grade_told(grade: Moment) -> tuple[str, str]:
    outcome = outcome_of(grade)
    passed, required = count(grade.datum("passed")), count(grade.datum("required"))
    counts = f", {passed} of {required} properties" if passed is not None and required else ""
    occasion = {"deadline": "the snapshot of the deadline ", "final": "the last snapshot "}
    what = occasion.get(words(grade.datum("purpose")), "")
    if outcome == Outcome.GRADER_ERROR:
        return f"{what}could not be graded: our fault", ""
    if outcome != Outcome.PASS:
        return f"{what}graded: {outcome}{counts}", "fail"
    return f"{what}graded: {outcome}{counts}{', speed not measured' if grade.without_speed else ''}", "pass"


def _words_of(moment: Moment) -> Iterator[str]:
    kind = moment.kind
    if kind == "phase":
        phase = words(moment.datum("phase"))
        yield f"phase: {_TITLES.get(phase, phase)}"
    elif kind == "round":
        yield f"round {(count(moment.datum('round')) or 0) + 1} begins"
    elif kind == "save":
        yield "saved"
    elif kind == "hint":
        yield f"hint {count(moment.datum('rung')) or ''}".strip()
        if moment.datum("outside") is True:
            yield "in another terminal"
    elif kind == "refused":
        yield "outside the interview, refused:"
        yield REFUSED.get(words(moment.datum("what")), ("attempt", ""))[0]
    elif kind == "answer":
        yield "skipped" if moment.datum("skipped") is True else "answered"
        yield f"question {(count(moment.datum('question')) or 0) + 1}"
    elif kind == "note":
        yield f"note of the {words(moment.datum('by')) or 'candidate'}"
    elif kind == "mark":
        yield f"mark for {words(moment.datum('dimension'))}: {count(moment.datum('value'))}"
    elif kind == "credit":
        yield f"{int(number(moment.datum('seconds')) or 0)} s given back:"
        yield words(moment.datum("why")) or "a fault of ours"
    elif kind == "deadline":
        yield "deadline:"
        yield _how_told(moment)
    elif kind == "hand-in":
        yield "handed in:"
        yield _how_told(moment)
    else:
        yield _PLAIN.get(kind, kind)
        if why := words(moment.datum("why")):
            yield f"({why})"


_PLAIN = {
    "begin": "the clock starts",
    "start": "the stub was written",
    "pause": "paused",
    "unpause": "went on after a pause",
    "join": "back at the terminal",
    "leave": "left the terminal; the clock went on",
    "take-over": "another terminal asked to take over",
    "give-up": "a grade that ran was given up for a newer one",
    "finish": "finished",
    "abort": "given up",
    "solution": "the solution was shown",
    "reset": "started afresh",
    "restore": "an earlier version was brought back",
}


def _how_told(snapshot: Moment) -> str:
    """How a snapshot came about."""
    return {
        "missing": "there was no file",
        "last-save": "the last version known before it counts",
        "unchanged-since": "the file was not changed since",
    }.get(words(snapshot.datum("how")), "snapshot taken")
