"""What a person will want to do after a verdict: a remark, and the next command, which is never the one that just failed.

Reads the verdict, the place of the file and the journal; shows nothing. What is told between keys is `watch.state`'s.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from grader.catalog import HINTS
from grader.verdict import Outcome, Verdict
from grader.workspace import Target, quote

if TYPE_CHECKING:
    from grader.desk import Desk


def command(desk: Desk, verb: str, argument: str | None, kata: str | None) -> str:
    """A command as the user wrote it, without its other options."""
    return " ".join([desk.command, verb, *(["--kata", kata] if kata else []), *([quote(argument)] if argument else [])])


def after_verdict(desk: Desk, target: Target | None, verdict: Verdict, again: str) -> tuple[str, str]:
    """A remark, and the next command; `again` grades once more."""
    from grader.render.overview import next_kata

    advice = sentence(verdict.advice)
    if is_command(verdict.advice):
        return "", verdict.advice
    if verdict.outcome is Outcome.GRADER_ERROR:
        return advice, "kata doctor, whose output belongs into a bug report" if not advice else again
    if target is None:
        return advice, "kata list"
    id = target.kata.id
    if (
        verdict.hints_used is None
    ):  # somebody else's file: it is not the reader's to mend, and no progress of the reader's
        return ("" if os.path.lexists(target.path) else advice), ""
    if verdict.outcome is Outcome.UNUSABLE:
        return after_unusable(desk, target, verdict, again)
    if verdict.outcome is Outcome.FAIL:
        return stuck(desk, id, verdict.hints_used), f"edit {target.shown}, then {again}"
    following = next_kata(desk.katas, desk.journal.progress(), after=id)
    compare = solution(desk, id)
    if following is None:
        return "That was the last kata.", compare
    return f"To compare with the reference: {compare}", f"{desk.command} start {following.id}"


def after_unusable(desk: Desk, target: Target, verdict: Verdict, again: str) -> tuple[str, str]:
    """What to do about a file that could not be graded: by what there is at its place."""
    path, id = target.path, target.kata.id
    ours = path == desk.folder / target.kata.file_name
    if verdict.not_audited:
        return "Read the file, or grade it without the audit.", again
    if not os.path.lexists(path):
        return "" if ours else "Check the path, or begin with a stub.", f"{desk.command} start {id}"
    if path.is_dir():
        inside = path / target.kata.file_name
        if inside.is_file():
            return "", f"{desk.command} grade {quote(os.path.join(target.shown, inside.name))}"
        return "", f"{desk.command} grade FILE --kata {id}, with a file in it"
    if not os.access(path, os.R_OK):
        return "", f"chmod u+r {quote(target.shown)}, then {again}"
    if ours and not verdict.ran and not path.read_bytes().strip():
        return "", f"{desk.command} reset {id} writes the stub, or edit {target.shown}, then {again}"
    remark = "" if verdict.advice.endswith("grade again") else sentence(verdict.advice)  # which the next line says
    if verdict.properties:  # the code ran, and the file is more than mistyped
        help = stuck(desk, id, verdict.hints_used)
        remark = f"{remark}. {help}" if remark else help
    return remark, f"edit {target.shown}, then {again}"


def stuck(desk: Desk, id: str, used: int | None) -> str:
    """Where help is to be had after a failure."""
    used = used or 0
    told = f" ({used} of {HINTS} used)" if 0 < used < HINTS else ""
    return f"Stuck? {f'{desk.command} hint {id}' if used < HINTS else solution(desk, id)}{told}"


def solution(desk: Desk, id: str) -> str:
    """The command that shows the reference, with --give-up only where it is closed without."""
    known = desk.journal.of(id)
    return f"{desk.command} solution {id}" + ("" if known.passed or known.gave_up else " --give-up")


def sentence(advice: str) -> str:
    """An advice as a sentence; a command keeps its letters."""
    return advice if is_command(advice) else advice[:1].upper() + advice[1:]


def is_command(advice: str) -> bool:
    return advice.startswith("kata ")
