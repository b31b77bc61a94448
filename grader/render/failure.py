"""The first failed property of a verdict: the law, the candidate's exception, the smallest input, expected beside got."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.render import tensors
from grader.render.page import BAD, INDENT, Page, indented
from grader.render.text import printable
from grader.render.timing import what_to_look_at
from grader.verdict import (
    Argument,
    CandidateException,
    Counterexample,
    Outcome,
    PropertyResult,
    Status,
    TensorView,
    Verdict,
    in_table_order,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

MESSAGE_LINES = 8


def failure(page: Page, verdict: Verdict) -> RenderableType | None:
    """The first failed property, with all that is known about it."""
    first = verdict.first_failure
    if first is None:
        return None
    if first.required:
        head = Text(f"{_which(verdict, first)}: ", style=BAD)
    else:
        head = Text("Not yet, and not needed for a pass: ", style="bold")
    head.append_text(page.text(first.id, "bold"))
    parts: list[RenderableType] = [page.text(first.description)] if first.description else []
    if first.message and not (first.exception is not None and _repeats(first.message, first.exception)):
        parts.append(page.text(first.message))
    if advice := what_to_look_at(verdict.timing, first):
        parts.append(page.text(advice))
    example = first.counterexample
    if first.exception is not None:
        parts += ["", raised(page, first.exception)]
    if example is not None and first.required:
        parts += ["", *_counterexample(page, example)]
    return Group(head, indented(Group(*parts)))


def _which(verdict: Verdict, shown: PropertyResult) -> str:
    """What the failure that is shown is among all of them."""
    failed = [p for p in in_table_order(verdict.properties) if p.required and p.status is Status.FAILED]
    if len(failed) == 1:
        return "Failure"
    return "First failure" if failed[0] is shown else "First failure with an input small enough to read"


def unwritten(verdict: Verdict) -> str:
    """What to say instead of all failures where each is the stub's own NotImplementedError; "" where any is another."""
    failed = [p for p in verdict.properties if p.status is Status.FAILED]
    raised = [p.exception for p in failed if p.exception is not None and p.exception.type == "NotImplementedError"]
    if verdict.outcome is not Outcome.FAIL or not failed or len(raised) != len(failed):
        return ""
    lines = sorted({each.frames[-1].line for each in raised if each.frames})
    if not lines:
        return "Nothing is written yet: the code raises NotImplementedError."
    where = f"line {lines[0]} raises" if len(lines) == 1 else f"lines {', '.join(map(str, lines))} raise"
    return f"Nothing is written yet: {where} NotImplementedError."


def raised(page: Page, exception: CandidateException) -> RenderableType:
    """What the candidate's code raised, and its own lines only."""
    message = page.lines(exception.message)
    kind = printable(exception.type, ascii_only=page.ascii_only)
    shown = [kind + (f": {message[0]}" if message else ""), *message[1:MESSAGE_LINES]]
    if len(message) > MESSAGE_LINES:
        shown.append("…")
    for frame in exception.frames:
        function = printable(frame.function, ascii_only=page.ascii_only)
        shown.append(f"line {frame.line}" + (f", in {function}" if function else ""))
        shown += [f"    {line}" for line in page.lines(frame.code.strip())]
    told: list[RenderableType] = [Text("The error in your code:"), page.boxed(shown)]
    if exception.type == "PermissionError":
        told.append(
            page.text("The sandbox forbids it: graded code may write no file, open no connection, start no program.")
        )
    return Group(*told)


def _counterexample(page: Page, example: Counterexample) -> Iterator[RenderableType]:
    """The call, its smallest input, and expected beside got."""
    room = page.width - INDENT
    if example.call:
        yield Text.assemble("smallest input found: ", page.text(example.call, "bold"))
    for argument in example.arguments:
        yield from _argument(page, argument, room)
    if example.expected is None and example.got is None:
        return
    yield ""
    if example.subject:
        yield Text.assemble("compared: ", page.text(example.subject, "bold"))
    yield _comparison(page, example, room)
    yield from _worst(example)


def _argument(page: Page, argument: Argument, room: int) -> Iterator[RenderableType]:
    label = Text("  ").append_text(page.text(argument.name, "bold"))
    if argument.tensor is None:
        yield label.append(" = ").append_text(page.text(argument.text))
        return
    label.append("  ").append_text(page.text(tensors.headline(argument.tensor)))
    line = tensors.one_line(argument.tensor)
    short = line is not None and len(label) + 2 + len(line) <= room and len(argument.tensor.shape) <= 2
    if short and line is not None:
        yield label.append("  " + line)
    else:
        yield label
        yield Padding(tensors.block(argument.tensor, room - 4), (0, 0, 0, 4))


def _comparison(page: Page, example: Counterexample, room: int) -> RenderableType:
    digits = tensors.DIGITS[0]
    if example.expected is not None and example.got is not None:
        digits = tensors.digits_to_tell_apart(example.expected, example.got, example.worst)
    sides = [
        _side(page, title, view, room, example.worst, digits)
        for title, view in (("expected", example.expected), ("got", example.got))
        if view is not None
    ]
    widths = [max(len(line) for line in side.plain.split("\n")) for side in sides]
    if len(sides) == 2 and sum(widths) + 4 <= room:
        grid = Table.grid(padding=(0, 4, 0, 0))
        grid.add_column(no_wrap=True)
        grid.add_column(no_wrap=True)
        grid.add_row(*sides)
        return grid
    return Group(*sides)


def _side(page: Page, title: str, view: TensorView, room: int, worst: tuple[int, ...] | None, digits: int) -> Text:
    # The expected answer is computed in float64; to name its dtype would read as a demand.
    facts = str(tuple(view.shape)) if title == "expected" else tensors.headline(view)
    head = Text(title, style="bold").append_text(page.text(f"  {facts}", "not bold"))
    return Text("\n").join([head, tensors.block(view, room, worst, digits)])


def _worst(example: Counterexample) -> Iterator[Text]:
    if example.error is None:
        return
    where = f"at [{', '.join(map(str, example.worst))}]" if example.worst else "there"
    line = f"worst {where}: error {tensors.size(example.error)}"
    if example.allowed is not None:
        line += f", allowed {tensors.size(example.allowed)}"
        if example.allowed > 0 and math.isfinite(example.error / example.allowed):
            line += f" ({tensors.size(example.error / example.allowed)} × as much)"
    yield Text(line)


def _repeats(message: str, exception: CandidateException) -> bool:
    """Whether the message only says what the box below it says."""
    return message.endswith(f"raised {exception.type}: {exception.message}")
