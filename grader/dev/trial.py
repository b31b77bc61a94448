"""The checks of a kata that grade: the reference passes, the stub fails, every known mistake dies and is recognised.

The kata's own code runs in this process here, as it does in every grade: a pack is trusted. Imports torch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from grader.catalog import Kata
from grader.dev.code import FORBIDDEN
from grader.dev.finding import Findings
from grader.diagnosis.diagnose import load_probes
from grader.diagnosis.mistakes import Mistake
from grader.diagnosis.probes import Probe
from grader.examiner import grade
from grader.oracle import Oracle, load_reference
from grader.timing.workload import load_workload
from grader.verdict import WORD, Outcome, Status, Verdict

DTYPES = ("float32", "float64")


class Trial:
    """One kata on trial. Notes what it finds in `found`."""

    def __init__(
        self,
        found: Findings,
        kata: Kata,
        progress: Callable[[str], AbstractContextManager[object]] = lambda _: nullcontext(),
    ) -> None:
        self.found = found
        self.kata = kata
        self.progress = progress

    def reference_passes(self) -> bool:
        """Whether the reference holds every property, stretch ones too, in each dtype on its own."""
        with self._step("loading the reference"):
            trouble = _trouble(lambda: load_reference(self.kata.reference))
        if trouble:
            self.found.add("reference", self.kata.reference, f"importing it raises {trouble}", "make it run by itself")
            return False
        failed: dict[str, tuple[list[str], str]] = {}
        for dtype in DTYPES:
            with self._step(f"the reference in {dtype}"):
                verdict = grade(self.kata, self.kata.reference, dtypes=[dtype], explain=False)
            if verdict.outcome is Outcome.GRADER_ERROR:
                self._blame_properties(verdict)
                return False
            if verdict.outcome is Outcome.UNUSABLE:
                self.found.add("reference", self.kata.reference, f"cannot be graded: {verdict.reason}", verdict.advice)
                return False
            for result in verdict.properties:
                if result.status is not Status.PASSED:
                    kind = "the required property" if result.required else "the stretch property"
                    failed.setdefault(f"{kind} {result.id}", ([], result.message))[0].append(dtype)
        for what, (dtypes, message) in failed.items():
            problem = f"{what} does not hold in {' and '.join(dtypes)}: {message}"
            remedy = f"mend it, or the property; kata grade FILE --kata {self.kata.id} shows the failing input"
            self.found.add("reference", self.kata.reference, problem, remedy)
        return not failed

    def check_stub(self) -> None:
        """The stub must be a file that can be graded, and must fail."""
        path = self.kata.folder / "stub.py"
        with self._step("the stub"):
            verdict = grade(self.kata, path, explain=False)
        if verdict.outcome is Outcome.PASS:
            remedy = 'leave the bodies to the candidate: raise NotImplementedError("write me")'
            self.found.add("stub", path, "passes: nothing is left to write", remedy)
        elif verdict.outcome is Outcome.UNUSABLE:
            remedy = "define every entry symbol so that the file can be imported; a body may raise when it is called"
            self.found.add("stub", path, f"cannot be graded: {verdict.reason}", remedy)
        elif verdict.outcome is Outcome.GRADER_ERROR:
            self._blame_properties(verdict, "stub")

    def check_workload(self, size: int) -> None:
        """The inputs for timing must be a call of the contract that the reference can answer, with gradients."""
        path = self.kata.workload

        def answer() -> None:
            workload = load_workload(self.kata)
            if strange := [name for name in workload.others if not WORD.fullmatch(name)]:
                raise ValueError(f"{strange[0]!r} of OTHERS is no short name of letters, digits, spaces and _ = + -")
            if unknown := [name for name in workload.other_limits if name not in workload.others]:
                raise ValueError(f"OTHER_LIMITS names {unknown[0]!r}, which is not in OTHERS")
            for other in ("", *workload.others):
                case, name = workload.case(size, other=other), f"{other!r} of OTHERS" if other else "make()"
                if case.entry not in {entry.name for entry in self.kata.entries}:
                    raise ValueError(f"{name} calls {case.entry}, which is no [[entry]]")
                answers = Oracle(self.kata.reference)(case, gradients=not other)
                if not all(tensor.isfinite().all() for tensor in (answers.output, *answers.gradients.values())):
                    raise ValueError(f"the answers of {name} are not finite" if other else "the answers are not finite")

        with self._step("the workload"):
            trouble = _trouble(answer)
        if trouble:
            remedy = (
                "mend make(size, fill) so that it returns a Case of ordinary numbers; SIZE_NAME says what a size is"
            )
            self.found.add("workload", path, f"at size {size} the reference cannot answer: {trouble}", remedy)

    def check_mistakes(self, mistakes: Sequence[Mistake], *, compare: bool) -> None:
        """Every mistake must die by the property that it names and, with `compare`, be recognised as itself."""
        loaded = [mistake for mistake in mistakes if self._loads(mistake)]
        compare = compare and len(loaded) == len(mistakes) and self._probes_load()
        for number, mistake in enumerate(loaded, start=1):
            with self._step(f"mistake {number} of {len(loaded)}"):
                # The forbidden operator is no function in properties.py: any of them may call it.
                only = [] if mistake.killed_by == FORBIDDEN else [mistake.killed_by]
                verdict = grade(self.kata, mistake.path, only=only, explain=compare and mistake.killed_by != FORBIDDEN)
                if verdict.outcome is Outcome.PASS:
                    verdict = grade(self.kata, mistake.path, explain=False)
            self._judge(mistake, verdict, compare=compare and mistake.killed_by != FORBIDDEN)

    def _judge(self, mistake: Mistake, verdict: Verdict, *, compare: bool) -> None:
        if verdict.outcome is Outcome.UNUSABLE:
            remedy = "make it a file that can be graded and gives wrong answers"
            self.found.add("mistakes", mistake.path, f"cannot be graded: {verdict.reason}", remedy)
        elif verdict.outcome is Outcome.GRADER_ERROR:
            self._blame_properties(verdict, mistake.id)
        elif verdict.outcome is Outcome.PASS:
            remedy = "add a property that states the law it breaks, and name that in KILLED_BY"
            self.found.add("mistakes", mistake.path, "passes: no required property kills it", remedy)
        elif mistake.killed_by not in (failed := [p.id for p in verdict.required_failed]):
            problem = f"does not die by {mistake.killed_by}, but by {', '.join(failed)}"
            remedy = "name the one that states the broken law in KILLED_BY, or give the property more telling inputs"
            self.found.add("mistakes", mistake.path, problem, remedy)
        elif compare:
            self._judge_diagnosis(mistake, verdict)

    def _judge_diagnosis(self, mistake: Mistake, verdict: Verdict) -> None:
        diagnosis = verdict.diagnosis
        remedy = "add an input to probes() on which it differs"
        if diagnosis is None:
            problem = "is not recognised: on every probe its answers are the right ones"
        elif diagnosis.kind == "mistake":
            names = [diagnosis.id, *(other.id for other in diagnosis.also)]
            if mistake.reported_id in names:
                return
            problem = f"is taken for {' or '.join(names)}"
            remedy = "add an input to probes() on which the two differ, or drop one of them"
        elif diagnosis.kind == "two mistakes":
            problem = f"is taken for {' together with '.join([diagnosis.id, *(other.id for other in diagnosis.also)])}"
        else:
            problem = f"is not recognised, only described: {diagnosis.explanation}"
            remedy = "make its answers depend on nothing but the input: no randomness, no memory, no clock"
        self.found.add("mistakes", mistake.path, problem, remedy)

    def _loads(self, mistake: Mistake) -> bool:
        trouble = _trouble(lambda: list(mistake.load()))
        if trouble:
            self.found.add("mistakes", mistake.path, f"importing it raises {trouble}", "make it run by itself")
        return not trouble

    def _probes_load(self) -> bool:
        probes: list[Probe] = []
        trouble = _trouble(lambda: probes.extend(load_probes(self.kata)))
        if trouble:
            problem, remedy = f"probes() raises {trouble}", "mend it: it takes nothing and returns a list of Probe"
        elif not probes or not all(isinstance(probe, Probe) for probe in probes):
            problem, remedy = (
                "probes() returns no list of Probe",
                "return the inputs as a list of grader.diagnosis.probes.Probe",
            )
        else:
            return True
        self.found.add("probes", self.kata.properties, problem, remedy)
        return False

    def _blame_properties(self, verdict: Verdict, subject: str = "reference") -> None:
        """The grader's error is the author's where the properties are his."""
        errors = [result for result in verdict.properties if result.status is Status.ERROR]
        problem = f"{errors[0].id} itself fails: {errors[0].message}" if errors else _gist(verdict.reason)
        problem = problem if subject == "reference" else f"on {subject}: {problem}"
        remedy = "mend it so that only the candidate can fail it: compare with agree, require or fail"
        path: Path = self.kata.properties
        self.found.add("properties", path, problem, remedy)

    def _step(self, what: str) -> AbstractContextManager[object]:
        return self.progress(f"checking {self.kata.id}: {what}…")


def _trouble(action: Callable[[], object]) -> str:
    """What the kata's own code raises, in one line; empty where it raises nothing."""
    try:
        action()
    except (Exception, SystemExit) as error:
        return _gist(f"{type(error).__name__}: {error}")
    return ""


def _gist(text: str) -> str:
    """The telling line of a traceback as pytest writes it, or the whole if it is short."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = [line.removeprefix("E").strip() for line in lines if line.startswith("E  ")]
    return (told[-1] if told else lines[0] if lines else "")[:500]
