"""Verdicts made by hand, one of each kind, for the tests of what reads a verdict. Nothing here is graded."""

from __future__ import annotations

import dataclasses
import math

from grader.timing.bench import BenchResult, Point
from grader.verdict import (
    AUDIT,
    Argument,
    CandidateException,
    Counterexample,
    ForbiddenCall,
    Frame,
    GradientRow,
    Growth,
    Isolation,
    Outcome,
    PropertyResult,
    Round,
    Speed,
    Status,
    TensorView,
    Timing,
    Verdict,
)

# What a hostile file may print, raise or be called: every way to move a cursor, reorder a line or open a markup tag.
HOSTILE = (
    "\x1b[2J\x1b[1;1H\x1b[32m✓ PASS layernorm\x1b[0m [bold red]markup[/] [/] :skull: "
    "\x1b]8;;http://evil.example\x07link\x1b]8;;\x07 \x1b]0;title\x07 \u202egnp.exe\u202c \u2066x\u2069 \u200bz "
    "\x9b31m \x07\x08\x7f \ud800 \u2028line \r over \x00nul"
)

LAWS = (
    ("matches-formula", "values", "The output is weight · (x − μ) / √(σ² + eps) + bias."),
    ("rows-are-independent", "values", "A row's answer depends on no other row."),
    ("any-leading-dimensions", "shapes", "Inputs have one to four dimensions, and the output has the input's shape."),
    ("input-gradient", "gradients", "The gradient of the input is that of the formula."),
    ("parameter-gradients", "gradients", "Scale and shift receive the formula's gradients."),
    ("eps-inside-the-root", "numerics", "eps is added to the variance, inside the square root."),
    ("large-mean-is-safe", "numerics", "A mean that is large beside the spread costs no accuracy."),
    ("parameters-start-at-one-and-zero", "robustness", "The scale starts at ones, the shift at zeros."),
    ("input-unmodified", "robustness", "The input is the same after the call."),
    ("repeatable", "robustness", "The same input gives the same answer again."),
    ("no-forbidden-operator", "robustness", "The code must not call F.layer_norm or its kin."),
)
STRETCH = ("half-precision", "numerics", "float16 and bfloat16 inputs give answers as good as their dtype allows.")

X = TensorView("x", "float64", (2, 3), [[0.0, 0.0, 1.0], [2.0, -1.0, 0.5]], note="not contiguous, strides (1, 2)")
EXPECTED = TensorView("output", "float64", (2, 3), [[-0.5345, -0.5345, 1.069], [1.192, -1.192, 0.0]])
GOT = TensorView("output", "float64", (2, 3), [[-0.4224, -0.4224, 0.8448], [0.9346, -0.9346, 0.0]])
EXAMPLE = Counterexample(
    call="LayerNorm(3, eps=0.1)(x)",
    arguments=(
        Argument("x", tensor=X),
        Argument("weight", tensor=TensorView("weight", "float64", (3,), [1.0, 1.0, 1.0])),
    ),
    subject="output",
    expected=EXPECTED,
    got=GOT,
    worst=(1, 0),
    error=0.2574,
    allowed=3.1e-15,
)


def result(law: tuple[str, str, str], status: Status = Status.PASSED, **details: object) -> PropertyResult:
    id, category, description = law
    return PropertyResult(id, description, category, law is not STRETCH, status, **details)  # type: ignore[arg-type]


def passing(**changes: object) -> Verdict:
    verdict = Verdict(
        kata="layernorm",
        title="Layer normalisation",
        outcome=Outcome.PASS,
        reason="all 11 required properties hold",
        submission="layernorm.py",
        seed=1234,
        device="cpu",
        isolation=Isolation("process-only", ("process",), ("landlock", "seccomp")),
        versions={"python": "3.11.7", "torch": "2.13.0"},
        properties=(*(result(law) for law in LAWS), result(STRETCH)),
        gradients=(
            GradientRow("x", "input", True, True, 0.3),
            GradientRow("weight", "parameter", True, True, 0.1),
            GradientRow("bias", "parameter", True, True, 0.0),
        ),
        seconds=1.234,
    )
    return dataclasses.replace(verdict, **changes)  # type: ignore[arg-type]


def failing(**changes: object) -> Verdict:
    failures = {
        "matches-formula": result(
            LAWS[0],
            Status.FAILED,
            message="output is wrong by 0.26 at [1, 0], where 3.1e-15 is allowed",
            counterexample=EXAMPLE,
        ),
        "eps-inside-the-root": result(LAWS[5], Status.FAILED, message="output is wrong", counterexample=EXAMPLE),
        "input-gradient": result(LAWS[3], Status.FAILED, message="the gradient of x is wrong", counterexample=EXAMPLE),
    }
    verdict = passing(
        outcome=Outcome.FAIL,
        reason="3 of 11 required properties do not hold",
        properties=(
            *(failures.get(law[0], result(law)) for law in LAWS),
            result(STRETCH, Status.FAILED, message="float16 overflows"),
        ),
        gradients=(
            GradientRow("x", "input", True, False, 3.1e12),
            GradientRow("weight", "parameter", False, False, None),
            GradientRow("bias", "parameter", True, True, 0.0),
        ),
        output="shape torch.Size([2, 3])\n" * 40,
    )
    return dataclasses.replace(verdict, **changes)  # type: ignore[arg-type]


RAISED = CandidateException(
    "RuntimeError",
    "view size is not compatible with input tensor's size and stride\nUse .reshape(...) instead.",
    (Frame(21, "forward", "return self._normalise(x)"), Frame(14, "_normalise", "flat = x.view(-1, self.width)")),
)


def raising() -> Verdict:
    """Every property fails by the same exception."""
    return failing(
        properties=tuple(
            result(law, Status.FAILED, message="the call raised RuntimeError", counterexample=EXAMPLE, exception=RAISED)
            for law in LAWS
        ),
        gradients=(),
        output="",
    )


def forbidden() -> Verdict:
    call = ForbiddenCall("torch.nn.functional.layer_norm", "recorder", 12, "return F.layer_norm(x, x.shape[-1:])")
    mention = ForbiddenCall("F.group_norm", "syntax", 30, "# F.group_norm(x)")
    return passing(
        outcome=Outcome.FAIL,
        properties=(
            *(result(law) for law in LAWS[:-1]),
            result(LAWS[-1], Status.FAILED, message="the code calls torch.nn.functional.layer_norm in line 12"),
            result(STRETCH, Status.SKIPPED, message="float16 is not supported on this device"),
        ),
        forbidden=(call, mention),
    )


def unusable(**changes: object) -> Verdict:
    verdict = passing(
        outcome=Outcome.UNUSABLE,
        reason="the file is not valid Python: '(' was never closed in line 3",
        advice="mend it and grade again",
        properties=(),
        gradients=(),
        exception=CandidateException("SyntaxError", "'(' was never closed", (Frame(3, "", "x = (1 + 2"),)),
    )
    return dataclasses.replace(verdict, **changes)  # type: ignore[arg-type]


def not_audited() -> Verdict:
    """Right code, as far as anybody can tell."""
    law = (AUDIT, "robustness", "The operators that the code shows give its answers.")
    skipped = result(law, Status.SKIPPED, message="a number read out of a tensor decides what is computed")
    return passing(
        outcome=Outcome.UNUSABLE,
        reason="a number read out of a tensor decides what is computed; the other 11 required properties hold",
        advice="read the file, or grade it without --audit",
        properties=(*passing().properties, skipped),
    )


def timed_out() -> Verdict:
    lost = result(LAWS[1], Status.FAILED, message="the call took longer than 10 s", counterexample=EXAMPLE)
    return unusable(
        reason="the code could not be examined to the end: a call took longer than 10 s",
        advice="",
        exception=None,
        properties=(result(LAWS[0]), lost, *(result(law, Status.SKIPPED, message="not run") for law in LAWS[2:])),
    )


def crashed() -> Verdict:
    return unusable(
        reason="importing the file ended its process: killed by SIGSEGV",
        advice="run it with python -X faulthandler",
        exception=None,
    )


def grader_error() -> Verdict:
    broken = result(LAWS[2], Status.ERROR, message="ZeroDivisionError in the property: division by zero")
    return passing(
        outcome=Outcome.GRADER_ERROR,
        reason="the grader itself failed: ZeroDivisionError",
        properties=(*(result(law) for law in LAWS[:2]), broken),
        gradients=(),
    )


def not_finite() -> Verdict:
    got = dataclasses.replace(GOT, values=[[math.nan, math.inf, -math.inf], [0.0, -0.0, 1e-7]])
    example = dataclasses.replace(EXAMPLE, got=got, worst=(0, 0), error=math.nan, allowed=1e-6)
    return failing(
        properties=(result(LAWS[0], Status.FAILED, message="nan where a number is wanted", counterexample=example),),
        gradients=(GradientRow("x", "input", True, False, math.inf),),
    )


def hostile() -> Verdict:
    """Every piece of text that a candidate has a hand in is an attack."""
    exception = CandidateException(
        HOSTILE, HOSTILE + "\n✓ PASS  layernorm  11/11 properties", (Frame(1, HOSTILE, HOSTILE),)
    )
    view = TensorView(HOSTILE, HOSTILE, (1,), [HOSTILE], note=HOSTILE)
    example = Counterexample(
        HOSTILE, (Argument(HOSTILE, text=HOSTILE), Argument(HOSTILE, tensor=view)), HOSTILE, view, view
    )
    return failing(
        submission=HOSTILE,
        properties=(result(LAWS[0], Status.FAILED, message=HOSTILE, counterexample=example, exception=exception),),
        gradients=(GradientRow(HOSTILE, "parameter", False, False),),
        forbidden=(ForbiddenCall(HOSTILE, "recorder", 1, HOSTILE),),
        exception=exception,
        output="✓ PASS  layernorm  11/11 properties\n" + HOSTILE + "\n" + "✓" * 300 + "\n[bold]not bold[/bold]",
    )


SIZES = (128, 256, 512, 1024)
MACHINE = {"cpu": "Some CPU @ 2.0 GHz", "threads": "1", "torch": "2.13.0", "device": "cpu", "governor": "performance"}


def speed(mode: str = "forward", ratio: float = 1.08, decision: str = "quick-enough", **changes: object) -> Speed:
    rounds = tuple(Round(ratio * spread * 1e-3, 1e-3) for spread in (0.9, 1.0, 1.1))
    made = Speed(
        mode,
        "LayerNorm(512)(x), x (8, 128, 512)",
        "float32",
        limit=2.0,
        decision=decision,
        ratio=ratio,
        low=ratio * 0.9,
        high=ratio * 1.1,
        against="control",
        rounds=rounds,
        library=ratio * 0.38,
        library_name="F.layer_norm",
        noise=1.02,
        seconds=0.25,
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]


def growth(what: str, exponent: float, mode: str = "forward", limit: float | None = None) -> Growth:
    unit = {"work": "elements", "peak memory": "bytes", "CPU time": "seconds"}.get(what, "elements")
    values = tuple(1e4 * (size / SIZES[0]) ** exponent for size in SIZES)
    return Growth(what, unit, mode, SIZES, values, exponent, limit)


def timing(**changes: object) -> Timing:
    """Quick enough in both modes, and quadratic as attention is."""
    made = Timing(
        speeds=(speed(), speed("forward + backward", 1.31)),
        growth=(growth("work", 2.0), growth("largest tensor", 2.0), growth("peak memory", 1.98)),
        size_name="L = S",
        memory="holds an L×S matrix: 64 MB at L = 4096",
        machine=MACHINE,
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]


def timed(**changes: object) -> Verdict:
    law = ("speed-forward", "timing", "The forward pass takes at most 2 times as long as the readable reference.")
    both = ("speed-forward-backward", "timing", "Both passes together take at most 2 times as long as the reference.")
    return passing(timing=timing(**changes), properties=(*passing().properties, result(law), result(both)))


def undecided() -> Verdict:
    lost = speed("forward + backward", 1.97, "undecided", low=1.4, high=2.9, noise=2.1, seconds=2.0)
    return timed(speeds=(speed(), lost))


def slow() -> Verdict:
    law = ("speed-forward", "timing", "The forward pass takes at most 2 times as long as the readable reference.")
    failed = result(law, Status.FAILED, message="it takes 3.10 times as long as the reference")
    return passing(
        outcome=Outcome.FAIL,
        properties=(*passing().properties, failed),
        timing=timing(
            speeds=(speed(ratio=3.1, decision="too-slow"), speed("forward + backward", 12.4, "too-slow")),
            growth=(growth("work", 2.0, limit=1.2), growth("peak memory", 1.0, limit=1.2)),
            size_name="N",
            memory="",
        ),
    )


def untimed() -> Verdict:
    return failing(timing=Timing(skipped="a required property failed", machine=MACHINE))


def points(seconds: float, exponent: float = 2.0, ratio: float = 1.4, **changes: object) -> tuple[Point, ...]:
    """One mode over all sizes: the reference takes `seconds` at the first of them."""
    made = []
    for size in SIZES:
        took = seconds * (size / SIZES[0]) ** exponent
        rounds = tuple(Round(ratio * took * spread, took) for spread in (0.9, 1.0, 1.1))
        made.append(Point(size, speed(ratio=ratio, rounds=rounds, **changes)))
    return tuple(made)


def benched(**changes: object) -> BenchResult:
    """Quadratic in both modes, and the library operator twice as quick."""
    both = (*points(1e-4, library=2.0), *points(3e-4, mode="forward + backward", library=2.0))
    made = BenchResult("layernorm", "layernorm.py", "cpu", "L = S", both, machine=MACHINE)
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]


ALL = {
    "timed": timed,
    "undecided": undecided,
    "slow": slow,
    "untimed": untimed,
    "passing": passing,
    "failing": failing,
    "raising": raising,
    "forbidden": forbidden,
    "unusable": unusable,
    "not_audited": not_audited,
    "timed_out": timed_out,
    "crashed": crashed,
    "grader_error": grader_error,
    "not_finite": not_finite,
    "hostile": hostile,
}
