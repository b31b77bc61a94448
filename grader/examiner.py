"""The examiner: runs a kata's properties against one submission in this, the trusted, process and returns the Verdict.

It never imports, unpickles or evaluates anything of the candidate's; it holds the properties, the reference, the seeds and the
comparison. The candidate's file runs in a worker (`host.py`), and only tensors and small JSON come back.
"""

from __future__ import annotations

import gc
import platform
import sys
import time
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from grader.catalog import Kata
from grader.errors import GraderError, UnusableSubmission, WorkerLost
from grader.host import prestart
from grader.submission import check_submission, decode_source, read_submission
from grader.verdict import (
    CandidateException,
    Diagnosis,
    ForbiddenCall,
    Frame,
    Isolation,
    Outcome,
    PropertyResult,
    Status,
    Timing,
    Verdict,
)
from grader.worker.protocol import read_line_number, read_text
from grader.worker_process import CALL_SECONDS, Worker

if TYPE_CHECKING:
    from grader.candidate import Candidate
    from grader.oracle import Oracle
    from grader.runner import Report
    from grader.timing.performance import TimingOptions

ISOLATION_LEVELS = ("process-only", "partial", "full")
GRADE_SECONDS = 60
DIAGNOSIS_SECONDS = 10
AUDIT = "audit-replay"  # the id of its result
DIAGNOSIS_MUST_WORK = False  # the tests set it: a fault in the diagnosis raises instead of costing the diagnosis
SEED_VERSION = (
    1  # raise it when the properties' inputs change, so that verdicts of different versions can be told apart
)


def default_seed(kata: Kata) -> int:
    """The fixed seed of a kata: a rerun gives the same verdict."""
    return zlib.crc32(f"{kata.id}/{SEED_VERSION}".encode())


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

    Returns a verdict for every file, however broken. Raises GraderError where the device or the isolation asked for is not
    there, or the grader's own process cannot start.
    """
    started = time.monotonic()
    shown = shown_path or str(path)
    try:
        with Examination.open(
            kata, path, seed=seed, device=device, dtypes=dtypes, require_isolation=require_isolation, source=source
        ) as examination:
            verdict = examination.run(only, until_failure=until_failure, audit=audit, timing=timing)
            if explain and any(p.status is Status.FAILED and p.category != "timing" for p in verdict.required_failed):
                verdict = replace(verdict, diagnosis=examination.diagnose())
    except Unusable as error:
        verdict = error.verdict
    return replace(verdict, submission=shown, seconds=round(time.monotonic() - started, 3))


class Unusable(Exception):
    """Carries the verdict of a file that cannot be examined."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.reason)
        self.verdict = verdict


def unusable(
    kata: Kata,
    path: str,
    reason: str,
    advice: str = "",
    *,
    seed: int | None = None,
    device: str = "cpu",
    **details: Any,
) -> Verdict:
    """The verdict for a file that cannot be graded at all."""
    return Verdict(
        kata=kata.id,
        title=kata.title,
        outcome=Outcome.UNUSABLE,
        reason=reason,
        advice=advice,
        submission=path,
        seed=default_seed(kata) if seed is None else seed,
        device=device,
        isolation=details.pop("isolation", Isolation("process-only")),
        versions=versions(),
        **details,
    )


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
        try:
            entries = " and ".join(entry.name for entry in kata.entries)
            if source is None:
                source = read_submission(path, entries=entries)
            else:
                check_submission(source, entries=entries)
        except UnusableSubmission as error:
            raise Unusable(unusable(kata, str(path), error.message, error.next_step, seed=seed)) from None
        prestart()
        _load_libraries()
        import torch

        from grader.candidate import Candidate
        from grader.oracle import Oracle

        torch.set_num_threads(1)
        device = _resolve(device)
        if device == "mps":
            dtypes = [name for name in dtypes if name != "float64"]  # Apple's GPUs have no float64
        meta = any("device" in entry.signature for entry in kata.entries)
        with Worker(source, device=device, meta=meta) as worker:
            refuse_below(worker.isolation, require_isolation)
            worker.grade_deadline = time.monotonic() + GRADE_SECONDS
            candidate = Candidate(worker, decode_source(source), device=device)
            try:
                oracle = Oracle(kata.reference)
            except Exception as error:  # code of a pack, which may be anyone's
                what = f"the reference of {kata.id} does not load: {type(error).__name__}: {error}"
                raise GraderError(what, f"kata dev check {kata.folder}") from error
            examination = cls(kata, source, seed, device, tuple(dtypes), worker, candidate, oracle)
            examination._load()
            yield examination

    def run(
        self,
        only: Collection[str] = (),
        *,
        until_failure: bool = False,
        audit: bool = False,
        timing: bool | TimingOptions = False,
    ) -> Verdict:
        """Run every property, or those whose ids are in `only`, then audit and timing if they are asked for, and sum up."""
        from grader.runner import run_properties

        report = run_properties(self, only, until_failure=until_failure)
        if audit:
            report.results.append(self._audit(report))
        measured = None if timing is False else self._time(report, timing)
        return self._sum_up(report.results, report.lost, report.faults, measured)

    def _time(self, report: Report, options: bool | TimingOptions) -> Timing:
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
        from grader.timing.performance import TimingOptions, examine_performance

        options = options if isinstance(options, TimingOptions) else TimingOptions()
        dtype = "float32" if "float32" in self.dtypes else self.dtypes[0]
        try:
            found = examine_performance(
                self.kata, self.source, self.worker, device=self.device, dtype=dtype, options=options
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
        load = self._load_request(self.worker)
        found = audit(self.kata, self.source, load, self.oracle, self.dtypes)
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
        from grader.diagnosis.diagnose import diagnose, load_probes

        probes = load_probes(self.kata)
        with Worker(self.source, device=self.device, meta=any(p.meta for p in probes)) as worker:
            worker.grade_deadline = time.monotonic() + DIAGNOSIS_SECONDS
            candidate = Candidate(worker, decode_source(self.source), device=self.device)
            worker.request(self._load_request(worker))
            return diagnose(self.kata, candidate, probes)

    def _load_request(self, worker: Worker) -> dict[str, Any]:
        wanted = [{"name": e.name, "kind": e.kind} for e in self.kata.entries]
        return {"op": "load", "path": worker.path, "forbidden": list(self.kata.forbidden), "entries": wanted}

    def _load(self) -> None:
        """Parse, then import, then look up the entry symbols."""
        forbidden = list(self.kata.forbidden)
        path = self.worker.path
        try:
            parsed = self.worker.request({"op": "parse", "path": path, "forbidden": forbidden}).fields
            if parsed.get("syntax") is not None:
                self._refuse_syntax(parsed["syntax"])
            self.mentions = tuple(self._mention(raw) for raw in parsed.get("mentions") or [] if isinstance(raw, dict))
            reply = self.worker.request(self._load_request(self.worker))
        except WorkerLost as lost:
            what = {
                "timeout": f"importing the file took longer than {CALL_SECONDS} s",
                "crash": f"importing the file ended its process: {lost.message}",
            }.get(lost.kind, lost.message)
            self._refuse(what, 'move code that runs for long under `if __name__ == "__main__":`')
        if reply.error is not None:
            exception = self.candidate.read_exception(reply.error)
            what = f"importing the file raised {exception.type}"
            if exception.type in ("SystemExit", "KeyboardInterrupt"):
                what = f"the file ends the program while it is imported ({exception.type})"
            self._refuse(what, "make `python FILE` run without an error first", exception=exception)
        self.worker.forget_alarms()
        match reply.fields.get("entries"):
            case [*found, {"names": list(names)}] if [_name_of(e) for e in found] == [
                e.name for e in self.kata.entries
            ]:
                for entry in found:
                    self._check_entry(entry, [name for name in names if isinstance(name, str)])
            case _:
                self._refuse(
                    self.worker.distrust("it names no entries").message, "grade a file that only defines things"
                )

    def _check_entry(self, found: dict[str, Any], names: list[str]) -> None:
        wanted = next(e for e in self.kata.entries if e.name == found["name"])
        name, signature = wanted.name, wanted.signature
        if found["state"] not in ("callable", "missing", "not-callable", "class"):
            self._refuse(self.worker.distrust("an entry has an unknown state").message, f"define {signature}")
        if found["state"] == "missing":
            import difflib

            near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
            defined = f"; it defines {', '.join(names[:6])}" if names else ""
            hint = f"rename {near[0]} to {name}" if near else f"define {signature}"
            self._refuse(f"the file does not define {name}{defined}", hint)
        if found["state"] == "not-callable":
            self._refuse(f"{name} is not callable: it is of type {found['type'][:100]}", f"define {signature}")
        if found["state"] == "class":
            self._refuse(
                f"{name} is a class; this kata asks for a function",
                f"write `def {signature}:`, or set {name} to an instance",
            )

    def _mention(self, raw: dict[str, Any]) -> ForbiddenCall:
        line = read_line_number(raw)
        return ForbiddenCall(read_text(raw, "operator", 100), "syntax", line, self.candidate.line(line))

    def _refuse_syntax(self, raw: dict[str, Any]) -> None:
        line = read_line_number(raw)
        kind, message = read_text(raw, "type", 50), read_text(raw, "message", 300)
        frames = () if line is None else (Frame(line, "", self.candidate.line(line)),)
        where = "" if line is None else f" in line {line}"
        exception = CandidateException(kind, message, frames)
        self._refuse(f"the file is not valid Python: {message}{where}", "mend it and grade again", exception=exception)

    def _refuse(self, reason: str, advice: str, *, exception: CandidateException | None = None) -> NoReturn:
        output, truncated = self._output()
        raise Unusable(
            unusable(
                self.kata,
                self.worker.path,
                reason,
                advice,
                seed=self.seed,
                device=self.device,
                isolation=self.worker.isolation,
                exception=exception,
                output=output,
                output_truncated=truncated,
            )
        )

    def _output(self) -> tuple[str, bool]:
        self.worker.close()
        output = self.worker.output
        return bytes(output.kept).decode("utf-8", errors="replace"), output.truncated

    def _sum_up(
        self,
        results: list[PropertyResult],
        lost: WorkerLost | None,
        faults: list[str],
        timing: Timing | None = None,
    ) -> Verdict:
        called = list(self.candidate.forbidden.values()) or self._alarms()
        known_lines = {call.line for call in called}
        forbidden = (*called, *(m for m in self.mentions if m.line not in known_lines))
        results = [*results, self._forbidden_property(called, lost)] if self.kata.forbidden else results
        outcome, reason = _judge(results, lost, faults)
        output, truncated = self._output()
        return Verdict(
            kata=self.kata.id,
            title=self.kata.title,
            outcome=outcome,
            reason=reason,
            advice="read the file, or grade it without --audit" if outcome is Outcome.UNUSABLE and lost is None else "",
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

    def _alarms(self) -> list[ForbiddenCall]:
        """What the dispatcher reported although the recorders saw nothing: somebody dodged them."""
        rung = self.rung.union(self.worker.alarms())
        names = {name if name in self.kata.forbidden else "(the alarm was touched by the code)" for name in rung}
        return [ForbiddenCall(name, "recorder") for name in sorted(names)]

    def _forbidden_property(self, called: list[ForbiddenCall], lost: WorkerLost | None) -> PropertyResult:
        message, status = "", Status.PASSED
        if called:
            where = f" in line {called[0].line}" if called[0].line else ""
            message, status = f"the code calls {called[0].operator}{where}", Status.FAILED
        elif lost is not None:
            message, status = "not every call could be watched: the worker ended early", Status.SKIPPED
        return PropertyResult(
            id="no-forbidden-operator",
            description=f"The code does not call {self.kata.operator_label or 'the library operator'} or its kin.",
            category="robustness",
            required=True,
            status=status,
            message=message,
        )


def _name_of(entry: Any) -> Any:
    """The name of an entry as the worker reports it; None for what is no report."""
    wanted = {"name": str, "state": str, "type": str}
    is_report = isinstance(entry, dict) and all(isinstance(entry.get(key), kind) for key, kind in wanted.items())
    return entry["name"] if is_report else None


def _judge(results: list[PropertyResult], lost: WorkerLost | None, faults: list[str]) -> tuple[Outcome, str]:
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
    return Outcome.PASS, f"all {len(required)} required properties hold"


def refuse_below(reached: Isolation, wanted: str) -> None:
    """Refuse to load a stranger's file below the isolation asked for."""
    if ISOLATION_LEVELS.index(reached.level) < ISOLATION_LEVELS.index(wanted):
        missing = "; ".join(reached.missing)
        raise GraderError(
            f"isolation {wanted!r} was asked for, {reached.level!r} is what can be had: {missing}", "kata doctor"
        )


def _load_libraries() -> None:
    """Import what a grade needs while the garbage collector rests: nothing of it is garbage, and looking takes 0.15 s."""
    if "torch" in sys.modules and "hypothesis" in sys.modules:
        return
    collecting = gc.isenabled()
    gc.disable()
    import grader.runner  # noqa: F401

    gc.freeze()
    if collecting:
        gc.enable()


def _resolve(device: str) -> str:
    """The device to grade on: auto is the CPU, because practice inputs are small. Asks the GPU in the worker only."""
    if device in ("auto", "cpu"):
        return "cpu"
    import torch

    there = torch.cuda.is_available() if device == "cuda" else torch.backends.mps.is_available()
    if not there:
        raise GraderError(f"there is no {device} device here", "grade with --device cpu")
    return device


def versions() -> dict[str, str]:
    """Versions that a verdict depends on; read from package metadata, so that nothing is imported for it."""
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for name in ("torch-kata", "torch", "hypothesis", "pytest"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found
