"""`kata grade` and `kata demo`: find the file, have it examined, remember the result, show it.

The examiner imports torch, so it is imported here only when a grade begins. The journal is written before anything is
shown, so that neither a closed pipe nor a kill loses an attempt.
"""

from __future__ import annotations

import dataclasses
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.desk import Desk
from grader.errors import GraderError, KataError, NotAvailable, UnusableSubmission, UsageError
from grader.next_step import after_verdict, command, is_command
from grader.verdict import Outcome, Status, Verdict

if TYPE_CHECKING:
    from grader.journal.events import Journal
    from grader.timing.options import TimingOptions
    from grader.workspace import Target

DEMO = Path(__file__).resolve().parent / "demo"


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """How to grade, as the user asked for it."""

    seed: int | None = None
    device: str = "auto"
    require_isolation: str = "process-only"
    audit: bool = False
    timing: bool = False
    timing_budget: float | None = None  # seconds for each decision; None: as the examiner has it
    journal: bool = True  # False: somebody else's file, which is no attempt of the user's


def grade(desk: Desk, argument: str | None, kata: str | None, options: Options, *, as_json: bool) -> int:
    """Grade one file and show the verdict. Returns the exit code."""
    from grader.host import prestart

    prestart()  # first of all: torch loads over there while everything else happens here

    from grader.interview.beside import refuse_grade
    from grader.workspace import find_submission

    target: Target | None = None
    source: bytes | None = None
    again = command(desk, "grade", argument, kata)
    try:
        if argument is None and not options.journal:
            raise UsageError(
                "--no-journal needs a FILE: without the journal nobody knows which kata was started", again
            )
        asks = options.journal and (argument is None or argument.endswith(".py"))
        started = desk.journal.started() if asks else []
        wanted = None if kata is None else desk.kata(kata)
        target = find_submission(argument, wanted, desk.folder, desk.katas, started, f"{desk.command} grade")
        refuse_grade(desk.journal, target.kata.id)  # without the journal too: it is no way round a running interview
        read_at, source = datetime.now().astimezone(), snapshot(target.path)
        verdict = _examined(desk, target, options, source)
        if source is not None and snapshot(target.path) != source:
            verdict = dataclasses.replace(verdict, read_at=read_at.isoformat(timespec="seconds"))
        if options.journal:
            verdict = remember(desk.journal, target.kata.id, target.path, verdict, source)
    except UsageError as error:
        if as_json:
            _tell_misuse(desk, error, argument, options)
        raise
    except UnusableSubmission as error:
        verdict = without_examination(Outcome.UNUSABLE, error, target, argument, options)
    except NotAvailable as error:
        if not as_json:
            desk.output.error(error.message, error.next_step if is_command(error.next_step) else again)
            return error.exit_code
        verdict = without_examination(Outcome.GRADER_ERROR, error, target, argument, options)
    except GraderError as error:
        verdict = without_examination(Outcome.GRADER_ERROR, error, target, argument, options)
    if not options.journal:
        verdict = dataclasses.replace(verdict, hints_used=None)
    if as_json:
        from grader.render.jsonout import dumps, verdict_document

        desk.output.write(dumps(verdict_document(verdict)))
    else:
        _show(desk, verdict, *after_verdict(desk, target, verdict, again))
    return verdict.outcome.exit_code


def _tell_misuse(desk: Desk, error: UsageError, argument: str | None, options: Options) -> None:
    """One document for a reader of --json who asked for what there is not: a verdict's, with a word of its own."""
    from grader.render.jsonout import dumps, verdict_document

    nothing = without_examination(Outcome.GRADER_ERROR, error, None, argument, options)
    document = verdict_document(dataclasses.replace(nothing, hints_used=None))
    desk.output.write(dumps({**document, "verdict": "usage-error"}))


def demo(desk: Desk) -> int:
    """Grade the two bundled files. The exit code is 0 if the right one passes and the wrong one fails, else 4."""
    from grader.host import prestart

    prestart()

    from rich.text import Text

    from grader.catalog import get_kata
    from grader.workspace import Target

    kata = get_kata("layernorm")
    as_expected = True
    for number, (file, wanted) in enumerate(
        (("right_layernorm.py", Outcome.PASS), ("wrong_layernorm.py", Outcome.FAIL)), start=1
    ):
        source = (DEMO / file).read_text(encoding="utf-8")
        sentence = source.removeprefix('"""').partition('"""')[0]
        desk.output.show(Text(f"{number}. {file}", style="bold"), Text(sentence), Text(""))
        verdict = _examined(desk, Target(kata, DEMO / file, file), Options(), source.encode())
        _show(desk, verdict, "", "kata list, then kata start KATA" if number == 2 else "")
        as_expected = as_expected and verdict.outcome is wanted
        if number == 1:
            desk.output.show(Text(""))
    return 0 if as_expected else Outcome.GRADER_ERROR.exit_code


def snapshot(path: Path) -> bytes | None:
    """The file as it is now: what is graded is then what the journal keeps, whatever is saved meanwhile.

    None where it is nothing that can be graded; the grade tells why.
    """
    from grader.submission import read_submission

    try:
        return read_submission(path)
    except UnusableSubmission:
        return None


def _examined(desk: Desk, target: Target, options: Options, source: bytes | None) -> Verdict:
    try:
        from grader import examiner

        with desk.output.progress(f"checking {target.path.name}…") as tell:
            return examiner.grade(
                target.kata,
                target.path,
                shown_path=target.shown,
                seed=options.seed,
                device=options.device,
                require_isolation=options.require_isolation,
                audit=options.audit,
                source=source,
                timing=_timing(options),
                tell=lambda phase: tell(f"{phase} {target.path.name}…"),
            )
    except ImportError as error:
        if (error.name or "grader").partition(".")[0] == "grader":
            raise  # a bug of ours, not of the installation
        raise GraderError(f"cannot import {error.name}: {error}", "kata doctor") from error


def _timing(options: Options) -> TimingOptions | bool:
    """What the examiner is to do about time."""
    if not options.timing or options.timing_budget is None:
        return options.timing
    from grader.timing.options import TimingOptions

    return TimingOptions(budget=options.timing_budget)


def _show(desk: Desk, verdict: Verdict, remark: str, next_step: str) -> None:
    from grader.render.page import Page
    from grader.render.terminal import screen

    page = Page(desk.output.look.width, ascii_only=not desk.output.look.unicode)
    desk.output.show(screen(page, verdict, remark=remark, next_step=next_step))


def without_examination(
    outcome: Outcome,
    error: KataError,
    target: Target | None,
    argument: str | None,
    options: Options,
) -> Verdict:
    """The verdict where no examination could begin: no such file, no such device."""
    from grader.conditions import default_seed, versions

    known = target.kata if target is not None else None
    return Verdict(
        kata=known.id if known else "",
        title=known.title if known else "",
        outcome=outcome,
        reason=error.message,
        advice=error.next_step,
        submission=target.shown if target is not None else argument or "",
        seed=options.seed if options.seed is not None else default_seed(known) if known else 0,
        device="cpu" if options.device == "auto" else options.device,
        isolation=None,
        versions=versions(),
    )


def remember(
    journal: Journal, kata: str, path: Path, verdict: Verdict, source: bytes | None, *, session: int | None = None
) -> Verdict:
    """Keep an attempt, its source and its verdict in one transaction. Returns the verdict with what the journal knows.

    Without a source there was no attempt: a path was mistaken, or names nothing that can be read as text.
    """
    from grader.render.jsonout import verdict_document

    verdict = dataclasses.replace(verdict, hints_used=journal.of(kata).hints)
    if source is None:
        return verdict
    data, document = grade_summary(verdict), verdict_document(verdict)
    journal.append("grade", kata, path.absolute(), data, session=session, source=source, verdict=document)
    return verdict


def grade_summary(verdict: Verdict) -> dict[str, Any]:
    """What a journal's `grade` event says of a verdict."""
    required = [p for p in verdict.properties if p.required]
    return {
        "verdict": verdict.outcome.value,
        "passed": sum(p.status is Status.PASSED for p in required),
        "required": len(required),
        "failed": [p.id for p in verdict.required_failed],
        "seed": verdict.seed,
        "device": verdict.device,
        "seconds": verdict.seconds,
        "hints": verdict.hints_used,
        **({"not_audited": True} if verdict.not_audited else {}),
    }
