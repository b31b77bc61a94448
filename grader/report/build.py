"""A report out of what is known about a session: its events, earlier sessions, the verdicts and sources they refer to.

Pure: whoever has a journal collects a `Material` (what to fetch, `wanted` tells) and gets a Report. Nothing here opens a
file or runs a line of a submission. Where something is lost (a verdict, a source, a kata that is not here any more) the
report says less; it never fails for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from grader.catalog import Kata
from grader.interview.datum import count, words
from grader.interview.model import Interview, Moment
from grader.journal.events import Event, Progress
from grader.questions import Question
from grader.report import outside
from grader.report.advice import advise, trend_point
from grader.report.diff import compare
from grader.report.kata_model import MISSING, UNGRADED, FollowUp, KataReport, Result, Tally
from grader.report.mistakes import mended, telling_grades
from grader.report.model import Report, TrendPoint
from grader.report.story import (
    asked_at,
    credits,
    end_of,
    first_green,
    first_run,
    longest_red,
    marks,
    notes,
    outcome_of,
    phase_times,
    points,
    rounds,
    stays,
    stubs,
    timeline,
)
from grader.verdict import CATEGORIES, Outcome, Status, Verdict

EARLIER = 9  # sessions of the trend, beside this one


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that a report is made of."""

    interview: Interview
    now: datetime  # its zone is the one in which times of day are told
    earlier: Sequence[Interview] = ()  # that have ended, oldest first
    catalogue: Mapping[str, Kata] = field(default_factory=dict)  # in teaching order
    references: Mapping[str, str] = field(default_factory=dict)  # by kata: the readable solution
    questions: Mapping[str, Sequence[Question]] = field(default_factory=dict)  # by kata
    progress: Mapping[str, Progress] = field(default_factory=dict)  # by kata, this session included
    verdicts: Mapping[int, Verdict] = field(default_factory=dict)  # by the number of the grade
    sources: Mapping[str, str] = field(default_factory=dict)  # by digest
    outside: Sequence[Event] = ()  # of no session, while this one ran


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a report will look up."""

    grades: frozenset[int]
    sources: frozenset[str]


def wanted(interview: Interview) -> Wanted:
    """The grades and sources that the report of a session rests on: few, however long the session."""
    grades, sources = set(), set()
    for kata in _katas(interview):
        snapshots = [s for s in (interview.counted(kata), interview.final(kata)) if s is not None]
        results = [interview.grade_of(snapshot) for snapshot in snapshots] + [_unaided(interview, kata)]
        results += telling_grades(interview, kata)
        grades |= {grade.event.id for grade in results if grade is not None and grade.event.has_verdict}
        sources |= {snapshot.event.source for snapshot in snapshots[-1:] if snapshot.event.source is not None}
    return Wanted(frozenset(grades), frozenset(sources))


def build(material: Material) -> Report:
    """The report of a session that has ended."""
    interview = material.interview
    plan = interview.plan
    katas = tuple(_kata(material, kata) for kata in _katas(interview))
    zone = material.now.tzinfo
    besides = outside.entries(interview, material.outside)
    earlier = [trend_point(each, zone) for each in material.earlier[-EARLIER:]]
    return Report(
        session=interview.id,
        begun=next((m.time for m in interview.of("begin")), interview.session.started).astimezone(zone),
        ended=None if interview.ended is None else interview.ended.time.astimezone(zone),
        state=interview.state(end_of(interview)),
        elapsed=end_of(interview),
        preset=plan.preset,
        minutes=plan.minutes,
        rounds=rounds(interview),
        practice=interview.practice,
        paused=interview.paused,
        feedback=plan.feedback,
        interviewer=plan.interviewer,
        drawn=plan.drawn,
        difficulty=plan.difficulty,
        seed=plan.seed,
        environment=plan.environment,
        katas=katas,
        phases=phase_times(interview),
        stays=stays(interview),
        entries=tuple(sorted((*timeline(interview), *besides), key=lambda entry: entry.at)),
        credits=credits(interview),
        marks=marks(interview),
        notes=notes(interview),
        remarks=tuple(
            filter(None, (*_remarks(interview), outside.summary(material.outside), outside.refusals(interview)))
        ),
        advice=advise(katas, material.catalogue, material.progress, material.now),
        trend=_trend(earlier, trend_point(interview, zone)),
    )


def _trend(earlier: Sequence[TrendPoint], this: TrendPoint) -> tuple[TrendPoint, ...]:
    return (*(each for each in earlier if each.session != this.session), this)


def _katas(interview: Interview) -> list[str]:
    """Those whose round began."""
    return [kata for each in interview.rounds for kata in each.katas]


def _kata(material: Material, id: str) -> KataReport:
    interview = material.interview
    here = interview.round_of(id)
    grades = points(interview, id)
    green, green_speed = first_green(interview, id)
    hints = [moment for moment in interview.of("hint", kata=id) if count(moment.datum("rung"))]
    counted, final = interview.counted(id), interview.final(id)
    later = final if final is not None and counted is not None and _differ(final, counted) else None
    label, since = _counted_label(interview, id, counted)
    unaided = _unaided(interview, id)
    source = None if final is None else final.event.source
    untouched = later is None and source is not None and source in stubs(interview, id)
    reference = material.references.get(id)
    known = material.catalogue.get(id)
    result = _result(material, counted, label)
    last = None if later is None else _result(material, later, f"after {_time(int(later.at) - int(since), 'more ')}")
    wrong = [each.verdict for each in (result, last) if each is not None and each.verdict is not None and not each.good]
    return KataReport(
        id=id,
        title=known.title if known is not None else id,
        round=here.number,
        counted=result,
        final=last,
        unaided=None if unaided is None else _graded(material, unaided, "before the first hint"),
        hints=max((count(moment.datum("rung")) or 0 for moment in hints), default=0),
        first_hint=min((moment.at for moment in hints), default=None),
        saves=sum(1 for _ in interview.of("save", kata=id)),
        first_run=first_run(interview, id),
        first_green=green,
        red=longest_red(grades, end_of(interview), interview.absences),
        points=grades,
        mended=mended(interview, id, material.verdicts, wrong),
        untouched=untouched,
        reference=(reference or "") if untouched else "",
        compared=not untouched and source in material.sources and reference is not None,
        diff=() if untouched else compare(material.sources.get(source or ""), reference),
        questions=_questions(material, id),
        first_green_speed=green_speed,
    )


def _time(seconds: float, more: str = "") -> str:
    """`8 seconds`, `1:40 more minutes`, `12 more minutes`: never rounded up to what it was not."""
    if 100 <= seconds < 600 and seconds % 60 >= 1:
        return f"{int(seconds) // 60}:{int(seconds) % 60:02} {more}minutes"
    whole, unit = (int(seconds), "second") if seconds < 100 else (round(seconds / 60), "minute")
    return f"{whole} {more}{unit}{'' if whole == 1 else 's'}"


def _differ(one: Moment, other: Moment) -> bool:
    return one.event.source != other.event.source


def _counted_label(interview: Interview, kata: str, counted: Moment | None) -> tuple[str, float]:
    """What to call the result that counts, and the moment that it stands for."""
    here = interview.round_of(kata)
    if counted is None:
        return "at the end", end_of(interview)
    if counted.kind == "deadline":
        return "at the deadline", here.deadline
    return f"handed in after {_time(int(counted.at) - int(here.begin))}", counted.at


def _unaided(interview: Interview, kata: str) -> Moment | None:
    """The last grade before the first hint; None where there was no hint, or no grade before it."""
    found: Moment | None = None
    for moment in interview.of("grade", "hint", kata=kata):
        if moment.kind == "hint":
            return found
        if outcome_of(moment) != Outcome.GRADER_ERROR:
            found = moment
    return None


def _result(material: Material, snapshot: Moment | None, label: str) -> Result | None:
    """What a snapshot came to."""
    if snapshot is None:
        return None
    remark = _remark(snapshot)
    if snapshot.event.source is None:
        return Result(label, snapshot.at, MISSING, remark=remark)
    grade = material.interview.grade_of(snapshot)
    if grade is None:
        return Result(label, snapshot.at, UNGRADED, remark=remark)
    return _graded(material, grade, label, at=snapshot.at, remark=remark)


def _graded(material: Material, grade: Moment, label: str, *, at: float | None = None, remark: str = "") -> Result:
    verdict = material.verdicts.get(grade.event.id)
    return Result(
        label=label,
        at=asked_at(material.interview, grade) if at is None else at,
        outcome=outcome_of(grade),
        passed=count(grade.datum("passed")),
        required=count(grade.datum("required")),
        tallies=() if verdict is None else tallies(verdict),
        grade=grade.event.id,
        verdict=verdict,
        remark=remark,
        without_speed=grade.without_speed,
    )


def _remark(snapshot: Moment) -> str:
    """What is not as it should be about a snapshot."""
    parts = {
        "missing": "There was no file.",
        "last-save": "Nobody was watching at the deadline and the file changed later: the last version known before it counts.",
    }
    how = words(snapshot.datum("how"))
    if how == "last-save" and snapshot.datum("unseen") is not True:
        when = "at the deadline" if snapshot.kind == "deadline" else "when it was handed in"
        return f"The file could not be read {when}; the last version seen before it counts."
    said = [parts.get(how, "")]
    if snapshot.datum("unseen") is True:
        said.append("Edits shortly before the deadline may be missing.")
    return " ".join(filter(None, said))


def tallies(verdict: Verdict) -> tuple[Tally, ...]:
    """Required properties by category, in the order of the categories; skipped ones count as not passed."""
    required = [result for result in verdict.properties if result.required]
    others = sorted({result.category for result in required} - set(CATEGORIES))
    found = []
    for category in (*CATEGORIES, *others):
        members = [result for result in required if result.category == category]
        if members:
            found.append(Tally(category, sum(r.status is Status.PASSED for r in members), len(members)))
    return tuple(found)


def _questions(material: Material, kata: str) -> tuple[FollowUp, ...]:
    """Every question of the kata, and every answer, even where the question is not there any more."""
    answers: dict[int, Moment] = {}
    for moment in material.interview.of("answer", kata=kata):
        number = count(moment.datum("question"))
        if number is not None:
            answers[number] = moment
    texts = material.questions.get(kata, ())
    by_title = {question.title: question for question in texts}
    found = []
    for number in sorted({*answers, *range(len(texts))}):
        answer = answers.get(number)
        question = texts[number] if number < len(texts) else None
        title = "" if answer is None else words(answer.datum("title"))
        if title and (question is None or question.title != title):
            question = by_title.get(title)  # the questions were put in another order since, or this one is gone
        text = "" if answer is None else words(answer.datum("text"))
        skipped = answer is not None and not text.strip()
        found.append(
            FollowUp(
                number=number,
                title=title or (question.title if question is not None else f"Question {number + 1}"),
                answer=text if text.strip() else None,
                skipped=skipped,
                model=question.answer if question is not None else "",
                strong=question.strong if question is not None else (),
            )
        )
    return tuple(found)


def _remarks(interview: Interview) -> tuple[str, ...]:
    """What a reader must know to judge the rest."""
    said = []
    if interview.practice:
        paused = f" (paused for {_time(interview.paused)})" if interview.paused >= 1 else ""
        said.append(f"Practice: this session could be paused{paused}, so its times prove nothing.")
    if interview.clock_set_back:
        said.append("The clock of the machine was set back during the session; the times are those of a second clock.")
    if interview.ended is not None and interview.ended.kind == "abort":
        said.append(f"Given up after {_time(interview.ended.at)}.")
    missing = [kata for each in interview.plan.rounds[len(interview.rounds) :] for kata in each.katas]
    if missing:
        said.append(f"The session ended before the round of {', '.join(missing)} began.")
    return tuple(said)
