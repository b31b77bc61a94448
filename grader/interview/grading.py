"""From the answer of the process that grades to the event that a session keeps. Pure."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.catalog import Kata
from grader.grade_helper import Answer
from grader.verdict import Isolation, Outcome, Verdict


@dataclass(frozen=True, slots=True)
class Asked:
    """A grade that is under way."""

    purpose: str  # "asked", "deadline" or "final"
    round: int
    at: float
    path: Path
    timing: bool


def verdict_in(answer: Answer, asked: Asked, *, hints: int) -> Verdict:
    """The verdict of an answer; where there is none, a grader-error that says what went wrong."""
    from grader.verdict_json import verdict_of

    kata = answer.request.kata
    verdict = _fault(kata, asked.path.name, answer.fault) if answer.verdict is None else verdict_of(answer.verdict)
    return dataclasses.replace(verdict, hints_used=hints)


def event_data(verdict: Verdict, asked: Asked, *, timed: bool = True) -> dict[str, Any]:
    """What the `grade` event says beside the verdict; `timed` is whether the kata has a speed to be measured."""
    from grader.grade_command import grade_summary

    circumstances = {"purpose": asked.purpose, "round": asked.round, "asked_at": round(asked.at, 3)}
    return {**grade_summary(verdict), **circumstances, "timing": asked.timing or not timed}


def _fault(kata: Kata, shown: str, fault: str) -> Verdict:
    return Verdict(
        kata=kata.id,
        title=kata.title,
        outcome=Outcome.GRADER_ERROR,
        reason=fault,
        submission=shown,
        seed=0,
        device="cpu",
        isolation=Isolation("process-only"),
        versions={},
    )
