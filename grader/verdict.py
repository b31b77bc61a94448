"""The verdict: frozen data that the examiner writes and every renderer reads.

Nothing here computes, prints or imports torch: a verdict can be built, serialised and rendered on a machine without
it. `to_json` is the public, versioned form; a change that a consumer would notice raises `SCHEMA_VERSION`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

SCHEMA_VERSION = 1


class Outcome(StrEnum):
    """The whole grade. The exit code of `kata grade` follows from it."""

    PASS = "pass"
    FAIL = "fail"
    UNUSABLE = "unusable"
    GRADER_ERROR = "grader-error"

    @property
    def exit_code(self) -> int:
        return {"pass": 0, "fail": 1, "unusable": 3, "grader-error": 4}[self.value]


class Status(StrEnum):
    """One property. `error` means that the grader is at fault, never the candidate."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    ERROR = "error"


AUDIT = "audit-replay"  # the id of the property of `kata grade --audit`
CATEGORIES = ("values", "shapes", "gradients", "numerics", "robustness", "timing")


@dataclass(frozen=True, slots=True)
class TensorView:
    """A tensor as a person reads it. `values` is a nested list of numbers, or None where the tensor is too large to print."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    values: Any = None
    device: str = "cpu"
    note: str = ""  # e.g. "not contiguous, strides (1, 3)"


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of the failing call: a tensor, or the `repr` of anything else."""

    name: str
    tensor: TensorView | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """The smallest failing input that was found, and what came of it."""

    call: str  # "LayerNorm(3, eps=0.1)(x)"
    arguments: tuple[Argument, ...] = ()
    subject: str = ""  # what is compared: "output", "gradient of query"
    expected: TensorView | None = None
    got: TensorView | None = None
    worst: tuple[int, ...] | None = None  # index of the worst element
    error: float | None = None  # absolute error at the worst element
    allowed: float | None = None  # tolerance at the worst element

    @property
    def readable(self) -> bool:
        """Whether every tensor of it is small enough to be printed."""
        shown = (*(argument.tensor for argument in self.arguments), self.expected, self.got)
        return all(view is None or view.values is not None or view.device == "meta" for view in shown)


@dataclass(frozen=True, slots=True)
class Frame:
    """A line of the candidate's own file in a traceback."""

    line: int
    function: str
    code: str


@dataclass(frozen=True, slots=True)
class CandidateException:
    """What the candidate's code raised: untrusted text, already capped in length; renderers escape it."""

    type: str
    message: str
    frames: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class PropertyResult:
    """The result of one property."""

    id: str
    description: str
    category: str
    required: bool
    status: Status
    message: str = ""  # one or two sentences; the reason where skipped
    counterexample: Counterexample | None = None
    exception: CandidateException | None = None

    @property
    def readable(self) -> bool:
        """Whether a person can follow by hand what is told of it."""
        return self.counterexample is None or self.counterexample.readable


@dataclass(frozen=True, slots=True)
class GradientRow:
    """One differentiable input or parameter over all gradient checks of a grade.

    `largest_error` is in units of the allowed error: up to 1 is right. None where no gradient was compared.
    """

    name: str
    kind: str  # "input" or "parameter"
    received: bool
    matches: bool
    largest_error: float | None = None


@dataclass(frozen=True, slots=True)
class ForbiddenCall:
    """A call of a forbidden operator (`source` "recorder", fails the grade) or its mention (`source` "syntax", advice)."""

    operator: str
    source: str
    line: int | None = None
    code: str = ""

    @property
    def fails(self) -> bool:
        return self.source == "recorder"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is wrong, in one sentence, found by comparing answers.

    `kind` is "mistake" (the answers are those of the known mistake `id`), "two mistakes" (of `id` and of the one in `also`
    at once) or "difference" (no known mistake; `explanation` says what all wrong answers have in common, `id` is empty).
    With kind "mistake", `also` holds a second mistake that explains the answers as well.
    """

    kind: str
    id: str
    explanation: str
    fix: str
    evidence: str
    also: tuple[Diagnosis, ...] = ()


@dataclass(frozen=True, slots=True)
class Isolation:
    """The isolation that was really reached: "full", "partial" or "process-only"; and what is missing for "full"."""

    level: str
    layers: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Round:
    """One short round of a speed comparison: seconds of CPU a call (of the wall clock, on a GPU), the quickest of each side."""

    candidate: float
    reference: float

    @property
    def ratio(self) -> float:
        return self.candidate / self.reference


@dataclass(frozen=True, slots=True)
class Speed:
    """How the candidate's code compares with the readable reference in one mode.

    `decision` is "quick-enough", "too-slow" or "undecided" (which passes, with a note). `against` says which copy of the
    reference it was measured against: "control" (in the same worker) or "trusted" (in a worker of its own).
    """

    mode: str  # "forward", "forward + backward", or what the kata calls one of its further calls: "causal_mask"
    call: str  # "LayerNorm(512)(x), x (8, 128, 512)"
    dtype: str
    limit: float  # slower than this many times the reference is too slow
    decision: str
    ratio: float  # median of the rounds
    low: float  # a tenth of the rounds lies below
    high: float  # a tenth of the rounds lies above
    against: str
    rounds: tuple[Round, ...]
    library: float | None = None  # candidate ÷ library operator, for information
    library_name: str = ""  # "F.layer_norm"
    noise: float = 1.0  # wall time ÷ CPU time over all requests
    dropped: int = 0  # stale readings of the clock, left out
    seconds: float = 0.0  # that the decision took
    note: str = ""  # what else was seen: "waits without computing", "computes in other threads"
    # What a GPU's own events and allocator say. The code under test may have a hand in both: they never decide anything.
    events: Round | None = (
        None  # seconds of a call between two events in the current stream, the median of the requests
    )
    device_memory: int | None = None  # the most bytes that a request of the candidate's took on the device

    @property
    def property_id(self) -> str:
        """The property that this decides."""
        return speed_property(self.mode)

    @property
    def one_sided(self) -> bool:
        """Whether the rounds all say the same: where such a decision is open, it only lacks rounds."""
        return self.low > self.limit or self.high < self.limit


WORD = re.compile(r"[A-Za-z][A-Za-z0-9_ =+-]{0,39}")
"""What a short name in a verdict looks like, such as that of a mode: "forward + backward", "causal_mask", "at N = 4096"."""


def speed_property(mode: str) -> str:
    """The id of the property about the speed in a mode: "speed-forward-backward", "speed-causal-mask"."""
    return "-".join(["speed", *re.findall("[a-z0-9]+", mode.lower())])


@dataclass(frozen=True, slots=True)
class Growth:
    """How one count grows with the size; `exponent` is the slope over the last doubling (fitted, for CPU time)."""

    what: str  # "work", "largest tensor", "peak memory", "CPU time", "floating-point operations"
    unit: str  # "elements", "bytes", "seconds", "FLOP"
    mode: str  # "forward" or "forward + backward"
    sizes: tuple[int, ...]
    values: tuple[float, ...]
    exponent: float
    limit: float | None = None  # None: shown, not judged


@dataclass(frozen=True, slots=True)
class Timing:
    """Speed, growth and memory; or, with `skipped`, the reason why nothing was measured."""

    speeds: tuple[Speed, ...] = ()
    growth: tuple[Growth, ...] = ()
    size_name: str = "N"  # what the sizes of `growth` are: "L = S"
    memory: str = ""  # in words: "holds an L×S matrix: 64 MB at L = 4096"
    machine: dict[str, str] = field(default_factory=dict)  # cpu, threads, torch, device, governor
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Everything that is known about one grade."""

    kata: str
    title: str
    outcome: Outcome
    reason: str  # one sentence under the verdict's word
    submission: str  # the path as the user gave it
    seed: int
    device: str
    isolation: Isolation | None  # None where nothing of the file ran
    versions: dict[str, str]
    dtypes: tuple[str, ...] = ("float32", "float64")
    properties: tuple[PropertyResult, ...] = ()
    gradients: tuple[GradientRow, ...] = ()
    forbidden: tuple[ForbiddenCall, ...] = ()
    exception: CandidateException | None = None  # where the whole file is unusable
    advice: str = ""  # the next step where the file is unusable
    output: str = ""  # captured from the candidate, at most 64 KiB: untrusted text
    output_truncated: bool = False
    hints_used: int | None = 0  # None where the journal was not asked
    read_at: str = ""  # set where the file has changed since it was read: the moment of reading, in ISO form
    diagnosis: Diagnosis | None = None
    timing: Timing | None = None
    seconds: float = 0.0
    schema_version: int = field(default=SCHEMA_VERSION)

    @property
    def required_failed(self) -> tuple[PropertyResult, ...]:
        """Required properties that did not pass, in the kata's order."""
        return tuple(p for p in self.properties if p.required and p.status is not Status.PASSED)

    @property
    def undecided(self) -> frozenset[str]:
        """The ids of the properties that were let pass because the time did not suffice to decide them."""
        speeds = self.timing.speeds if self.timing is not None else ()
        passed = frozenset(p.id for p in self.properties if p.status is Status.PASSED)
        return passed & {speed.property_id for speed in speeds if speed.decision == "undecided"}

    @property
    def not_audited(self) -> bool:
        """Whether nothing is wrong but that the audit asked for could not be made."""
        left = [(p.id, p.status) for p in self.required_failed]
        return self.outcome is Outcome.UNUSABLE and left == [(AUDIT, Status.SKIPPED)]

    @property
    def ran(self) -> bool:
        """Whether the grade came so far that a worker had the file."""
        isolation = self.isolation
        return bool(self.properties or (isolation is not None and (isolation.layers or isolation.missing)))

    @property
    def first_failure(self) -> PropertyResult | None:
        """The failed property that a person should look at first."""
        return next(iter(self.failures), None)

    @property
    def failures(self) -> list[PropertyResult]:
        """What failed, in the order in which a person should look at it: as in the table, what can be followed by hand first.

        Stretch properties come after required ones, and the audit last: it says that something is wrong, and cannot say what.
        """
        failed = [p for p in in_table_order(self.properties) if p.status is Status.FAILED]
        return sorted(failed, key=lambda p: (not p.required, p.id == AUDIT, not p.readable))


def in_table_order(results: Iterable[PropertyResult]) -> list[PropertyResult]:
    """By category, required ones before stretch within each, the audit last; as they came otherwise."""
    return sorted(results, key=lambda p: (category_place(p.category), p.category, not p.required, p.id == AUDIT))


def category_place(category: str) -> int:
    """Where a category stands in the table; one that is not known stands last."""
    return CATEGORIES.index(category) if category in CATEGORIES else len(CATEGORIES)
