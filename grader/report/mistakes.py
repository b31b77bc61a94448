"""Diagnosed mistakes that were made and mended in a session: when, until when, and what showed them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from grader.interview.model import Interview, Moment
from grader.report.kata_model import Mistake
from grader.report.story import asked_at, outcome_of, stubs
from grader.verdict import Diagnosis, Outcome, Verdict

MOST = 30  # verdicts of one kata that are looked up


def telling_grades(interview: Interview, kata: str) -> list[Moment]:
    """The grades that failed in another way than the one before: the last of them, where there are many."""
    found: list[Moment] = []
    before: object = None
    for grade in _grades(interview, kata):
        failed = grade.datum("failed") if outcome_of(grade) == Outcome.FAIL else None
        if failed is not None and failed != before and grade.event.has_verdict:
            found.append(grade)
        before = failed
    return found[-MOST:]


def mended(
    interview: Interview, kata: str, verdicts: Mapping[int, Verdict], told: Sequence[Verdict] = ()
) -> tuple[Mistake, ...]:
    """Every diagnosis of `telling_grades` that a later grade no longer had, in the order in which they were made.

    Those of the verdicts in `told` are left out.
    """
    made: dict[tuple[str, str], Mistake] = {}
    over: dict[tuple[str, str], float] = {}
    for grade in _grades(interview, kata):
        at, verdict = asked_at(interview, grade), verdicts.get(grade.event.id)
        if verdict is None and outcome_of(grade) != Outcome.PASS:
            continue  # not looked up: it failed as the one before
        present = {} if verdict is None else {_key(each): each for each in _diagnoses(verdict)}
        for key in made:
            if key in present:
                over.pop(key, None)
            else:
                over.setdefault(key, at)
        for key, diagnosis in present.items():
            if key not in made and verdict is not None:
                alone = all(mistake.at != at for mistake in made.values())  # one input stands for all of a grade
                made[key] = _mistake(at, diagnosis, verdict if alone else None)
    known = {_key(diagnosis) for verdict in told for diagnosis in _diagnoses(verdict)}
    return tuple(replace(mistake, until=over[key]) for key, mistake in made.items() if key in over and key not in known)


def _grades(interview: Interview, kata: str) -> list[Moment]:
    """In the order in which they were asked for; a file that could not be graded tells nothing, nor does the stub."""
    blank = stubs(interview, kata)
    grades = [m for m in interview.of("grade", kata=kata) if outcome_of(m) in (Outcome.PASS, Outcome.FAIL)]
    grades = [grade for grade in grades if grade.event.source is None or grade.event.source not in blank]
    return sorted(grades, key=lambda grade: asked_at(interview, grade))


def _diagnoses(verdict: Verdict) -> tuple[Diagnosis, ...]:
    """The mistakes that are in the code. With kind "mistake", `also` is another name for the same."""
    diagnosis = verdict.diagnosis
    if diagnosis is None:
        return ()
    return (diagnosis, *diagnosis.also) if diagnosis.kind == "two mistakes" else (diagnosis,)


def _key(diagnosis: Diagnosis) -> tuple[str, str]:
    return (diagnosis.id, "") if diagnosis.id else ("", diagnosis.explanation)


def _mistake(at: float, diagnosis: Diagnosis, verdict: Verdict | None) -> Mistake:
    """With the smallest input of a verdict that shows it, where that is given."""
    failed = [] if verdict is None else [p for p in verdict.failures if p.required]
    shown = next((p for p in failed if p.counterexample is not None), None)
    law, example = ("", None) if shown is None else (shown.id, shown.counterexample)
    return Mistake(at, at, replace(diagnosis, also=()), law, example)
