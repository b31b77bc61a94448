"""From results to an outcome, and the sentence that says why. Pure functions: nothing runs, nothing is measured here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from grader.verdict import AUDIT, ForbiddenCall, Outcome, PropertyResult, Status

if TYPE_CHECKING:
    from grader.catalog import Kata
    from grader.errors import WorkerLost


def judge(results: Sequence[PropertyResult], lost: WorkerLost | None, faults: Sequence[str]) -> tuple[Outcome, str]:
    """The outcome and the sentence that says why."""
    if faults or any(r.status is Status.ERROR for r in results):
        what = faults[0] if faults else next(r.message for r in results if r.status is Status.ERROR)
        return Outcome.GRADER_ERROR, f"the grader itself failed: {what}"
    required = [r for r in results if r.required]
    failed = [r for r in required if r.status is Status.FAILED]
    if lost is not None and not (lost.kind == "time-limit" and failed):
        return Outcome.UNUSABLE, f"the code could not be examined to the end: {lost.message}"
    if failed:
        return Outcome.FAIL, f"{len(failed)} of {len(required)} required properties do not hold"
    unmade = next((r for r in required if r.id == AUDIT and r.status is Status.SKIPPED), None)
    if unmade is not None:
        rest = [r for r in required if r is not unmade and r.status is Status.PASSED]
        return Outcome.UNUSABLE, f"{unmade.message}; the other {len(rest)} required properties hold"
    if not required or any(r.status is not Status.PASSED for r in required):
        return Outcome.GRADER_ERROR, "the grader itself failed: not every required property was examined"
    # Nothing else that passed says anything: this was let pass for want of time.
    undecided = sum(r.category == "timing" and r.message.startswith("undecided") for r in required)
    if undecided:
        return Outcome.PASS, f"{len(required) - undecided} required properties hold, {undecided} about time undecided"
    return Outcome.PASS, f"all {len(required)} required properties hold"


def once_each(calls: Iterable[ForbiddenCall]) -> list[ForbiddenCall]:
    """Without those that are the same ones, seen again further down where no line is known."""
    calls = list(calls)
    placed = {re.split(r"::|\.", call.operator)[-1] for call in calls if call.line is not None}
    return [call for call in calls if call.line is not None or not any(name in call.operator for name in placed)]


def judge_operators(kata: Kata, called: Sequence[ForbiddenCall], lost: WorkerLost | None) -> PropertyResult:
    """The result of the property that every kata with forbidden operators has."""
    message, status = "", Status.PASSED
    if called:
        where = f" in line {called[0].line}" if called[0].line else ""
        message, status = f"the code calls {called[0].operator}{where}", Status.FAILED
    elif lost is not None:
        message, status = "not every call could be watched: the worker ended early", Status.SKIPPED
    return PropertyResult(
        id="no-forbidden-operator",
        description=f"The code must not call {kata.operator_label or 'the library operator'} or its kin.",
        category="robustness",
        required=True,
        status=status,
        message=message,
    )
