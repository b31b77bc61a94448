"""Time a file that is right over a range of sizes: what `kata bench` does between reading its options and showing a result.

The file is graded first, without timing and up to the first failure: the speed of wrong code says nothing about right
code. A size that cannot be timed (no memory, no answer in time) ends its dtype; what was measured until then is shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader.desk import Desk
from grader.errors import GraderError, UnusableSubmission, UsageError, WorkerLost
from grader.submission import read_submission
from grader.timing.bench import BenchResult, Point
from grader.verdict import Outcome, Status, Verdict

if TYPE_CHECKING:
    from grader.catalog import Bench, Kata
    from grader.workspace import Target


@dataclass(frozen=True, slots=True)
class Options:
    """What to time, as the user asked for it."""

    device: str = "auto"
    dtypes: tuple[str, ...] = ("float32",)
    sizes: tuple[int, ...] = ()  # () for those of the kata
    timing_budget: float = 2.0  # seconds for each size and mode
    png: Path | None = None
    svg: Path | None = None
    unchecked: bool = False

    @property
    def files(self) -> dict[str, Path]:
        """The files to write, by format."""
        return {format: path for format, path in (("png", self.png), ("svg", self.svg)) if path is not None}


def benched(desk: Desk, argument: str | None, kata: str | None, options: Options) -> tuple[BenchResult, int]:
    """Find the file, grade it, time it. The exit code is that of the grade."""
    from grader.interview.beside import refuse_grade
    from grader.workspace import find_submission

    result = BenchResult("", argument or "", "cpu" if options.device == "auto" else options.device)
    started = desk.journal.started() if argument is None or argument.endswith(".py") else []
    wanted = None if kata is None else desk.kata(kata)
    try:
        target = find_submission(argument, wanted, desk.folder, desk.katas, started, f"{desk.command} bench")
        refuse_grade(desk.journal, target.kata.id, "bench")
        result = replace(result, kata=target.kata.id, submission=target.shown)
        source = read_submission(target.path)  # once: what is checked is what is timed
        if target.kata.bench is None:
            raise UsageError(f"{target.kata.id} has no [timing] in its kata.toml: nothing of it is timed", "kata list")
        verdict = None if options.unchecked else _checked(desk, target, options, source)
        result = replace(result, verdict="" if verdict is None else verdict.outcome.value)
        if verdict is not None and verdict.outcome is not Outcome.PASS:
            return replace(result, reason=_why(verdict)), verdict.outcome.exit_code
        return _measured(desk, target.kata, target.kata.bench, options, source, result), Outcome.PASS.exit_code
    except UnusableSubmission as error:
        outcome, reason = Outcome.UNUSABLE, error.message
    except GraderError as error:
        outcome, reason = Outcome.GRADER_ERROR, error.message
    return replace(result, verdict=outcome.value, reason=reason), outcome.exit_code


def _checked(desk: Desk, target: Target, options: Options, source: bytes) -> Verdict:
    """The grade beforehand: as short as it can be, and not an attempt that the journal keeps."""
    from grader import examiner

    with desk.output.progress(f"checking {target.path.name}…"):
        return examiner.grade(
            target.kata,
            target.path,
            shown_path=target.shown,
            device=options.device,
            explain=False,
            until_failure=True,
            source=source,
        )


def _why(verdict: Verdict) -> str:
    """Why the file is not timed, in one sentence."""
    failed = [p.id for p in verdict.required_failed if p.status is Status.FAILED]
    return f"it is wrong in {', '.join(failed)}" if verdict.outcome is Outcome.FAIL and failed else verdict.reason


def _measured(
    desk: Desk, kata: Kata, wanted: Bench, options: Options, source: bytes, result: BenchResult
) -> BenchResult:
    """`result` with a point for every dtype, size and mode that could be timed."""
    from grader.conditions import resolve_device
    from grader.timing.machine import describe_machine
    from grader.timing.room import DoesNotFit
    from grader.timing.workload import load_workload
    from grader.worker_process import name_device

    machine = describe_machine(result.device, gpu=name_device(resolve_device(result.device)))
    result = replace(result, size_name=load_workload(kata).size_name, machine=machine)
    sizes = options.sizes or wanted.sizes
    points: list[Point] = []
    reasons: list[str] = []
    misfits: list[DoesNotFit] = []
    for number, dtype in enumerate(options.dtypes):
        for place, size in enumerate(sizes, start=1 + number * len(sizes)):
            where = f"{dtype}, {result.size_name} = {size}"
            with desk.output.progress(f"timing {where} ({place} of {len(sizes) * len(options.dtypes)})…"):
                try:
                    points += _timed(kata, source, size, dtype, result.device, options.timing_budget)
                except (WorkerLost, GraderError) as error:  # what cannot be timed at a size cannot at a larger one
                    reasons.append(f"{where}: {error.message}")
                    misfits += [error] if isinstance(error, DoesNotFit) else []
                    break
    if not points and misfits and len(misfits) == len(reasons):
        raise UsageError("; ".join(reasons), misfits[0].next_step)
    if not points:
        raise GraderError("; ".join(reasons) or "there was nothing to time")
    return replace(result, points=tuple(points), reason="; ".join(reasons))


def _timed(kata: Kata, source: bytes, size: int, dtype: str, device: str, budget: float) -> list[Point]:
    from grader.timing.speed import measure_speed

    speeds = measure_speed(kata, source, device=device, dtype=dtype, size=size, budget=budget)
    return [Point(size, speed) for speed in speeds]
