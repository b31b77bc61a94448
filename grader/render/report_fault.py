"""What went wrong in a result, as plain text for the renderers that are no terminal: mistakes, laws, smallest input.

Pure functions of a KataReport. The terminal shows the same by `render.failure`, with colours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.render import tensors
from grader.render.report_text import clock
from grader.report.kata_model import KataReport, Mistake, Result
from grader.verdict import (
    Argument,
    CandidateException,
    Counterexample,
    Diagnosis,
    PropertyResult,
    TensorView,
    Verdict,
)

WIDTH = 76  # characters of a tensor's line
MESSAGE = 500  # characters of a property's message


@dataclass(frozen=True, slots=True)
class Law:
    """A property that failed."""

    id: str
    description: str
    message: str


@dataclass(frozen=True, slots=True)
class Fault:
    """What was wrong with one state of the code."""

    heading: str  # which state, where there are several
    diagnoses: tuple[Diagnosis, ...]
    reason: str  # why the file could not be graded
    said: str  # what every law says, where all say the same: then no law says it again
    laws: tuple[Law, ...]
    law: str  # of which `example` is the counterexample
    example: str


def wrong_results(kata: KataReport) -> list[Result]:
    """The result that counts, where it is wrong, and the last one, where that is wrong in another way.

    None of a file in which nothing was written.
    """
    found: list[Result] = []
    if kata.untouched:
        return found  # a stub breaks every law, and that says nothing
    for result in (kata.counted, kata.final):
        if result is None or result.verdict is None or result.good:
            continue
        if not (found and _signature(found[-1]) == _signature(result)):
            found.append(result)
    return found


def faults(kata: KataReport) -> list[Fault]:
    """What was wrong with each of `wrong_results`."""
    wrong = wrong_results(kata)
    several = len(wrong) > 1
    return [
        _fault(result.verdict, f"What was wrong {result.label}" if several else "")
        for result in wrong
        if result.verdict
    ]


def when(mistake: Mistake) -> str:
    """`from 10:18 to 26:42`."""
    return f"from {clock(mistake.at)} to {clock(mistake.until)}"


def example_of(mistake: Mistake) -> str:
    """The smallest input that showed it, as plain text; "" where none was kept."""
    return "" if mistake.example is None else "\n".join(counterexample(mistake.example))


def _signature(result: Result) -> tuple[object, ...]:
    verdict = result.verdict
    assert verdict is not None
    return verdict.outcome, verdict.diagnosis, [p.id for p in verdict.required_failed]


def _fault(verdict: Verdict, heading: str) -> Fault:
    failed = [p for p in verdict.failures if p.required]
    first = next((p for p in failed if p.counterexample is not None), None)
    diagnosis = verdict.diagnosis
    messages = {p.message for p in failed}
    said = messages.pop() if len(messages) == 1 and len(failed) > 1 else ""
    return Fault(
        heading=heading,
        diagnoses=() if diagnosis is None else (diagnosis, *diagnosis.also),
        reason=_reason(verdict),
        said=_cut(said),
        laws=tuple(Law(p.id, p.description, "" if said else _cut(p.message)) for p in failed),
        law="" if first is None else first.id,
        example=_example(first, failed),
    )


def _reason(verdict: Verdict) -> str:
    return "" if verdict.outcome in ("pass", "fail") else verdict.reason


def _cut(text: str) -> str:
    return text if len(text) <= MESSAGE else text[:MESSAGE] + "…"


def _example(first: PropertyResult | None, failed: list[PropertyResult]) -> str:
    lines: list[str] = []
    if first is not None and first.counterexample is not None:
        lines += counterexample(first.counterexample)
    raised = next(
        (p.exception for p in ([first] if first is not None else failed) if p and p.exception is not None), None
    )
    if raised is not None:
        lines += ["", *_raised(raised)] if lines else _raised(raised)
    return "\n".join(lines)


def counterexample(example: Counterexample) -> Iterator[str]:
    """The call, its arguments, expected and got, line by line."""
    if example.call:
        yield example.call
    for argument in example.arguments:
        yield from _argument(argument)
    if example.expected is None and example.got is None:
        return
    yield ""
    yield f"compared: {example.subject}" if example.subject else "compared:"
    digits = tensors.DIGITS[0]
    if example.expected is not None and example.got is not None:
        digits = tensors.digits_to_tell_apart(example.expected, example.got, example.worst)
    for title, view in (("expected", example.expected), ("got", example.got)):
        if view is not None:
            yield f"{title}  {tuple(view.shape)}"
            yield from (f"  {line}" for line in tensors.block(view, WIDTH - 2, example.worst, digits).plain.split("\n"))
    if example.error is not None and example.allowed is not None:
        yield f"error {tensors.size(example.error)}, allowed {tensors.size(example.allowed)}"


def _argument(argument: Argument) -> Iterator[str]:
    view = argument.tensor
    if view is None:
        yield f"  {argument.name} = {argument.text}"
        return
    head = f"  {argument.name}  {tensors.headline(view)}"
    line = tensors.one_line(view)
    if line is not None and len(head) + 2 + len(line) <= WIDTH and len(view.shape) <= 2:
        yield f"{head}  {line}"
        return
    yield head
    yield from _indented(view)


def _indented(view: TensorView) -> Iterator[str]:
    yield from (f"    {line}" for line in tensors.block(view, WIDTH - 4).plain.split("\n"))


def _raised(exception: CandidateException) -> list[str]:
    lines = [f"{exception.type}: {exception.message}" if exception.message else exception.type]
    for frame in exception.frames:
        lines.append(f"  line {frame.line}" + (f", in {frame.function}" if frame.function else ""))
        lines.append(f"    {frame.code.strip()}")
    return lines
