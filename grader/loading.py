"""Getting a submission into its worker: read it, have it parsed and imported, find its entry symbols, or refuse it.

A refusal is a verdict that says why and what to do. Nothing of the file is called here, and nothing of it runs in this process.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from grader.claims import read_exception, read_forbidden, read_syntax_error
from grader.conditions import default_seed, versions
from grader.errors import UnusableSubmission, WorkerLost
from grader.submission import check_submission, read_submission
from grader.verdict import CandidateException, ForbiddenCall, Outcome, Verdict
from grader.worker_process import CALL_SECONDS, Worker

if TYPE_CHECKING:
    from pathlib import Path

    from grader.catalog import Kata


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
        isolation=details.pop("isolation", None),
        versions=versions(),
        **details,
    )


def read_source(kata: Kata, path: Path, source: bytes | None, *, seed: int) -> bytes:
    """What is to be graded: `source`, else the content of the file. Raises Unusable where that can be no submission."""
    entries = " and ".join(entry.name for entry in kata.entries)
    try:
        if source is None:
            return read_submission(path, entries=entries)
        check_submission(source, entries=entries)
    except UnusableSubmission as error:
        raise Unusable(unusable(kata, str(path), error.message, error.next_step, seed=seed)) from None
    return source


def load_request(kata: Kata, worker: Worker) -> dict[str, Any]:
    """The request that has `worker` import its file."""
    wanted = [{"name": e.name, "kind": e.kind} for e in kata.entries]
    return {"op": "load", "path": worker.path, "forbidden": list(kata.forbidden), "entries": wanted}


@dataclass(frozen=True, slots=True)
class Loading:
    """One file on its way into a fresh worker."""

    kata: Kata
    worker: Worker
    lines: Sequence[str]  # of the file
    seed: int
    device: str

    def load(self) -> tuple[ForbiddenCall, ...]:
        """Parse, then import, then look up the entry symbols. Returns the forbidden operators that are written down.

        Raises Unusable where any of it fails.
        """
        request = {"op": "parse", "path": self.worker.path, "forbidden": list(self.kata.forbidden)}
        try:
            parsed = self.worker.request(request).fields
            if parsed.get("syntax") is not None:
                self._refuse_syntax(parsed["syntax"])
            told = [raw for raw in parsed.get("mentions") or [] if isinstance(raw, dict)]
            mentions = tuple(read_forbidden(raw, self.lines, "syntax") for raw in told)
            reply = self.worker.request(load_request(self.kata, self.worker))
        except WorkerLost as lost:
            where = "" if lost.line is None else f", and was stopped in line {lost.line}"
            what = {
                "timeout": f"importing the file took longer than {CALL_SECONDS:g} s{where}",
                "crash": f"importing the file ended its process: {lost.message}",
            }.get(lost.kind, lost.message)
            advice = {
                "timeout": 'move code that runs for long under `if __name__ == "__main__":`',
                "crash": "delete what ends the program while it is imported, such as os._exit",
            }.get(lost.kind, "grade a file that only defines things")
            self._refuse(what, advice)
        if reply.error is not None:
            self._refuse_import(reply.error)
        self.worker.forget_alarms()
        self._check_entries(reply.fields.get("entries"))
        return mentions

    def _check_entries(self, told: Any) -> None:
        match told:
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

    def _refuse_syntax(self, raw: dict[str, Any]) -> NoReturn:
        error = read_syntax_error(raw, self.lines)
        where = f" in line {error.frames[0].line}" if error.frames else ""
        said = re.sub(r" \((?:detected )?(?:at|on) line \d+\)$", "", error.message) if where else error.message
        self._refuse(f"the file is not valid Python: {said}{where}", "mend it and grade again", exception=error)

    def _refuse_import(self, raw: dict[str, Any]) -> NoReturn:
        exception = read_exception(raw, self.lines)
        what = f"importing the file raised {exception.type}"
        if exception.type in ("SystemExit", "KeyboardInterrupt"):
            what = f"the file ends the program while it is imported ({exception.type})"
        advice = {
            "ModuleNotFoundError": "a submission may import torch, the standard library, and numpy and einops if installed",
            "PermissionError": "delete what writes a file, opens a connection or starts a program while it is imported",
        }.get(exception.type, "make Python run the file by itself without an error first")
        self._refuse(what, advice, exception=exception)

    def _refuse(self, reason: str, advice: str, *, exception: CandidateException | None = None) -> NoReturn:
        output, truncated = self.worker.final_output()
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


def _name_of(entry: Any) -> Any:
    """The name of an entry as the worker reports it; None for what is no report."""
    wanted = {"name": str, "state": str, "type": str}
    is_report = isinstance(entry, dict) and all(isinstance(entry.get(key), kind) for key, kind in wanted.items())
    return entry["name"] if is_report else None
