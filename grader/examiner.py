"""The examiner: runs a kata's properties against one submission in this, the trusted, process and returns the Verdict.

It never imports, unpickles or evaluates anything of the candidate's; it holds the properties, the reference, the seeds and the
comparison. The candidate's file runs in a worker (`worker_process.py`), and only tensors and small JSON come back.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader.catalog import Kata
from grader.conditions import default_seed, has_dtype, load_libraries, refuse_below, resolve_device, versions
from grader.errors import GraderError, WorkerLost
from grader.host import prestart
from grader.judge import judge, judge_operators, once_each
from grader.loading import Loading, Unusable, load_request, read_source
from grader.submission import decode_source
from grader.verdict import Diagnosis, ForbiddenCall, Outcome, PropertyResult, Status, Timing, Verdict
from grader.worker_process import Worker

if TYPE_CHECKING:
    from grader.candidate import Candidate
    from grader.oracle import Oracle
    from grader.runner import Report
    from grader.timing.options import TimingOptions

GRADE_SECONDS = 60
DIAGNOSIS_SECONDS = 10
DIAGNOSIS_MUST_WORK = False  # the tests set it: a fault in the diagnosis raises instead of costing the diagnosis


def grade(
    kata: Kata,
    path: Path,
    *,
    shown_path: str | None = None,
    seed: int | None = None,
    device: str = "auto",
    dtypes: Sequence[str] = ("float32", "float64"),
    only: Collection[str] = (),
    explain: bool = True,
    until_failure: bool = False,
    require_isolation: str = "process-only",
    source: bytes | None = None,
    audit: bool = False,
    timing: bool | TimingOptions = False,
    tell: Callable[[str], None] | None = None,
) -> Verdict:
    """Grade one file.

    Args:
        kata: which kata it is meant for.
        path: the file.
        shown_path: the path as the user wrote it.
        seed: of the inputs; by default fixed per kata and version.
        device: "auto" (the CPU), "cpu", "cuda" or "mps".
        dtypes: required floating dtypes to grade in.
        only: ids of the properties to examine; by default all.
        explain: compare a failing submission with the known mistakes.
        until_failure: skip the rest once a required property has failed.
        require_isolation: the least level of isolation to grade at: "process-only", "partial" or "full".
        source: what to grade in the file's stead: its content at an earlier moment.
        audit: trace the code besides, and run what was traced on inputs that it never saw (`grader.audit.examine`).
        timing: examine speed, growth and memory too, where all required properties hold.
        tell: called with a word for what is being done, "auditing" or "timing", when that begins.

    Returns a verdict for every file, however broken. Raises GraderError where the device or the isolation asked for is not
    there, or the grader's own process cannot start.
    """
    started = time.monotonic()
    shown = shown_path or str(path)
    try:
        with Examination.open(
            kata, path, seed=seed, device=device, dtypes=dtypes, require_isolation=require_isolation, source=source
        ) as examination:
            verdict = examination.run(only, until_failure=until_failure, audit=audit, timing=timing, tell=tell)
            wrong = any(p.status is Status.FAILED and p.category != "timing" for p in verdict.required_failed)
            # Code that hangs or ends its process would do so again: nothing is learnt by waiting for it once more.
            if explain and wrong and verdict.outcome is Outcome.FAIL:
                verdict = replace(verdict, diagnosis=examination.diagnose())
    except Unusable as error:
        verdict = error.verdict
    return replace(verdict, submission=shown, seconds=round(time.monotonic() - started, 3))


@dataclass(slots=True)
class Examination:
    """A submission that has been loaded in a worker, and everything needed to examine it."""

    kata: Kata
    source: bytes
    seed: int
    device: str
    dtypes: tuple[str, ...]
    worker: Worker
    candidate: Candidate
    oracle: Oracle
    mentions: tuple[ForbiddenCall, ...] = ()
    results: dict[str, PropertyResult] = field(default_factory=dict)
    rung: set[str] = field(default_factory=set)  # alarms in other workers than this one

    @classmethod
    @contextmanager
    def open(
        cls,
        kata: Kata,
        path: Path,
        *,
        seed: int | None = None,
        device: str = "auto",
        dtypes: Sequence[str] = ("float32", "float64"),
        require_isolation: str = "process-only",
        source: bytes | None = None,
    ) -> Iterator[Examination]:
        """Read, parse and load the file in a fresh worker. Raises Unusable with the verdict where that fails."""
        seed = default_seed(kata) if seed is None else seed
        source = read_source(kata, path, source, seed=seed)
        prestart()
        load_libraries()
        import torch

        from grader.candidate import Candidate
        from grader.oracle import Oracle

        torch.set_num_threads(1)
        device = resolve_device(device)
        dtypes = [name for name in dtypes if has_dtype(device, name)]
        meta = any("device" in entry.signature for entry in kata.entries)
        with Worker(source, device=device, meta=meta) as worker:
            refuse_below(worker.isolation, require_isolation)
            worker.grade_deadline, worker.grade_seconds = time.monotonic() + GRADE_SECONDS, GRADE_SECONDS
            candidate = Candidate(worker, decode_source(source), device=device)
            try:
                oracle = Oracle(kata.reference)
            except Exception as error:  # code of a pack, which may be anyone's
                what = f"the reference of {kata.id} does not load: {type(error).__name__}: {error}"
                raise GraderError(what, f"kata dev check {kata.folder}") from error
            mentions = Loading(kata, worker, candidate.lines, seed, device).load()
            yield cls(kata, source, seed, device, tuple(dtypes), worker, candidate, oracle, mentions)

    def run(
        self,
        only: Collection[str] = (),
        *,
        until_failure: bool = False,
        audit: bool = False,
        timing: bool | TimingOptions = False,
        tell: Callable[[str], None] | None = None,
    ) -> Verdict:
        """Run every property, or those whose ids are in `only`, then audit and timing if they are asked for, and sum up."""
        from grader.runner import run_properties

        report = run_properties(self, only, until_failure=until_failure)
        tell = tell or (lambda phase: None)
        if audit:
            tell("auditing")
            report.results.append(self._audit(report))
        if timing is not False:
            tell("timing")
        measured = None if timing is False else self._time(report, timing, until_failure=until_failure)
        return self._sum_up(report.results, report.lost, report.faults, measured)

    def _time(self, report: Report, options: bool | TimingOptions, *, until_failure: bool) -> Timing:
        """Speed, growth and memory of right code; their properties join the others in `report`."""
        if report.lost is not None or report.faults:
            return Timing(skipped="the properties were not examined to the end")
        left = {r.status for r in report.results if r.required} - {Status.PASSED}
        if left == {Status.SKIPPED}:
            return Timing(skipped="not everything that is required could be examined")
        if left:
            return Timing(skipped="a required property does not hold, and the speed of wrong code says nothing")
        if self.candidate.forbidden or self._alarms():
            return Timing(skipped="the code calls a forbidden operator")
        from grader.timing.options import TimingOptions
        from grader.timing.performance import examine_performance

        options = options if isinstance(options, TimingOptions) else TimingOptions()
        dtype = "float32" if "float32" in self.dtypes else self.dtypes[0]
        try:
            found = examine_performance(
                self.kata,
                self.source,
                self.worker,
                device=self.device,
                dtype=dtype,
                options=options,
                until_failure=until_failure,
            )
        except WorkerLost as lost:
            report.lost = lost
            return Timing(skipped=f"the code could not be examined to the end: {lost.message}")
        report.results += found.results
        self.rung |= set(found.alarms)
        return found.timing

    def _audit(self, report: Report) -> PropertyResult:
        """The audit's result; what the recorders saw meanwhile counts like any call."""
        from grader.audit.examine import audit, not_examined

        if report.lost is not None or report.faults:
            return not_examined("the properties were not examined to the end")
        if any(r.required and r.status is Status.FAILED for r in report.results):
            return not_examined("a required property has failed before")
        load = load_request(self.kata, self.worker)
        found = audit(self.kata, self.source, load, self.oracle, self.dtypes, self.worker.grade_deadline)
        if found.candidate is not None:
            self.candidate.forbidden |= found.candidate.forbidden
        self.rung |= set(found.alarms)
        return found.result

    def diagnose(self) -> Diagnosis | None:
        """Compare with the known mistakes, in a fresh worker: the old one may be dead, or remember something.

        A broken bank costs the diagnosis, never the verdict; `kata dev check` tells what is broken.
        """
        try:
            return self._compare_with_mistakes()
        except WorkerLost:
            return None
        except Exception:
            if DIAGNOSIS_MUST_WORK:
                raise
            return None

    def _compare_with_mistakes(self) -> Diagnosis | None:
        from grader.candidate import Candidate
        from grader.diagnosis.diagnose import diagnose, load_bench

        bench = load_bench(self.kata)
        with Worker(self.source, device=self.device, meta=any(p.meta for p in bench.probes)) as worker:
            worker.grade_deadline = min(time.monotonic() + DIAGNOSIS_SECONDS, self.worker.grade_deadline)
            candidate = Candidate(worker, decode_source(self.source), device=self.device)
            worker.request(load_request(self.kata, worker))
            return diagnose(self.kata, candidate, bench)

    def _sum_up(
        self,
        results: list[PropertyResult],
        lost: WorkerLost | None,
        faults: list[str],
        timing: Timing | None = None,
    ) -> Verdict:
        called = self.forbidden_calls()
        known_lines = {call.line for call in called}
        forbidden = (*called, *(m for m in self.mentions if m.line not in known_lines))
        results = [*results, judge_operators(self.kata, called, lost)] if self.kata.forbidden else results
        outcome, reason = judge(results, lost, faults)
        output, truncated = self.worker.final_output()
        advice = "read the file, or grade it without --audit" if outcome is Outcome.UNUSABLE and lost is None else ""
        if lost is not None and lost.kind == "timeout":
            advice = "look for a loop that does not end, or one that goes over every element"
        return Verdict(
            kata=self.kata.id,
            title=self.kata.title,
            outcome=outcome,
            reason=reason,
            advice=advice,
            submission=self.worker.path,
            seed=self.seed,
            device=self.device,
            isolation=self.worker.isolation,
            versions=versions(),
            dtypes=self.dtypes,
            properties=tuple(results),
            gradients=tuple(self.candidate.gradient_rows.values()),
            forbidden=forbidden,
            output=output,
            output_truncated=truncated,
            timing=timing,
        )

    def forbidden_calls(self) -> list[ForbiddenCall]:
        """What the code has called so far that it must not."""
        return once_each(self.candidate.forbidden.values()) or self._alarms()

    def _alarms(self) -> list[ForbiddenCall]:
        """What the dispatcher reported although the recorders saw nothing: somebody dodged them."""
        rung = self.rung.union(self.worker.alarms())
        names = {name if name in self.kata.forbidden else "(the alarm was touched by the code)" for name in rung}
        return [ForbiddenCall(name, "recorder") for name in sorted(names)]
