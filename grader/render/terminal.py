"""A Verdict for a person: the word first, then the properties, the first failure, the gradients, and the next command.

A pure function of the Verdict and of what the terminal can show. Text from outside the grader is always escaped
(`render.text`), never read as markup, and stands indented or behind a bar, so that it cannot look like the grader's.
Colour only repeats what a word beside it says; only bold and the theme's own red, green and magenta are used.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.render import tensors
from grader.render.text import fold, printable, printable_lines
from grader.verdict import (
    CATEGORIES,
    Argument,
    CandidateException,
    Counterexample,
    GradientRow,
    Outcome,
    PropertyResult,
    Status,
    TensorView,
    Verdict,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

GOOD, BAD, ODD = "bold green", "bold red", "bold magenta"
WIDE = 100  # from here on every property has its description beside it
NARROW = 80
FEW = 5  # failures whose descriptions fit beside them below WIDE
OUTPUT_LINES = 12
MESSAGE_LINES = 8
LONGEST = 1000  # characters of a text that is shown in one piece
INDENT = 2

_HEADS = {
    Outcome.PASS: ("✓ PASS", GOOD),
    Outcome.FAIL: ("✗ FAIL", BAD),
    Outcome.UNUSABLE: ("! UNUSABLE", BAD),
    Outcome.GRADER_ERROR: ("! GRADER ERROR", ODD),
}
_WORDS = {
    Status.PASSED: ("✓ passed", "green"),
    Status.FAILED: ("✗ failed", BAD),
    Status.SKIPPED: ("– skipped", ""),
    Status.ERROR: ("! grader error", ODD),
}
_NOT_YET = ("○ not yet", "")  # a stretch property that failed: no alarm


@dataclass(frozen=True, slots=True)
class Page:
    """What the terminal can show, and the parts of a verdict laid out for it."""

    width: int
    ascii_only: bool = False

    def verdict(self, verdict: Verdict, *, remark: str = "", next_step: str = "") -> RenderableType:
        """The whole screen of a grade; `next_step` is its last line, `remark` the one before."""
        parts: list[RenderableType] = [self.headline(verdict)]
        if verdict.reason and verdict.outcome not in (Outcome.PASS, Outcome.FAIL):  # those are told by the headline
            parts.append(_indented(self.text(verdict.reason)))
        if verdict.exception is not None:
            parts.append(_indented(self.exception(verdict.exception)))
        if verdict.properties:
            parts += ["", _indented(self.properties(verdict))]
        for block in (self.failure(verdict), self.gradients(verdict), self.forbidden(verdict), self.printed(verdict)):
            if block is not None:
                parts += ["", block]
        parts += ["", _indented(self.circumstances(verdict))]
        if remark:
            parts.append(self.text(remark))
        if next_step:
            parts.append(self.text(f"Next: {next_step}", "bold"))
        return Group(*parts)

    def text(self, text: str, style: str = "") -> Text:
        """Text from anywhere, on one line until it is wrapped."""
        text = text if len(text) <= LONGEST else text[:LONGEST] + "…"
        return Text(printable(text, ascii_only=self.ascii_only), style=style)

    def boxed(self, lines: Iterable[str]) -> Text:
        """Lines that are not ours: a bar before each, wherever it is cut."""
        room = self.width - INDENT - 3
        pieces = [piece for line in lines for piece in fold(line, room)]
        return Text("\n".join(f"│ {piece}" for piece in pieces), no_wrap=True, overflow="ignore")

    def lines(self, text: str) -> list[str]:
        return printable_lines(text, ascii_only=self.ascii_only)

    def headline(self, verdict: Verdict) -> Text:
        """The verdict in one line."""
        word, style = _HEADS[verdict.outcome]
        parts = [printable(verdict.kata)] if verdict.kata else []
        if verdict.properties:
            required = [p for p in verdict.properties if p.required]
            stretch = [p for p in verdict.properties if not p.required]
            counts = f"{_passed(required)}/{len(required)} properties"
            if stretch and self.width >= NARROW:
                counts += f" + {_passed(stretch)}/{len(stretch)} stretch"
            parts.append(counts)
        if verdict.seconds:
            parts.append(f"{verdict.seconds:.1f} s")
        return Text.assemble((word, style), "  ", "  ".join(parts))

    def properties(self, verdict: Verdict) -> Table:
        """One row a property; unless all is well, those of a category that passed, or were skipped, share a row."""
        failed = [p for p in verdict.properties if p.status is not Status.PASSED]
        compact = verdict.outcome is not Outcome.PASS
        describe = self.width >= WIDE or (compact and self.width >= NARROW and len(failed) <= FEW)
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=describe, overflow="fold")
        if describe:
            table.add_column(overflow="fold")
        for category, results in _by_category(verdict.properties):
            rows = [[result] for result in results]
            if compact:
                rows = [row for row in rows if row[0].status not in (Status.PASSED, Status.SKIPPED)]
                rows += [[p for p in results if p.status is status] for status in (Status.SKIPPED, Status.PASSED)]
            label = category
            for row in filter(None, rows):
                cells = self._property_row(row[0], describe) if len(row) == 1 else self._shared_row(row, describe)
                table.add_row(label, *cells)
                label = ""
        return table

    def _property_row(self, result: PropertyResult, describe: bool) -> list[Text]:
        quiet = not result.required and result.status is Status.FAILED
        word, style = _NOT_YET if quiet else _WORDS[result.status]
        name = self.text(result.id + ("" if result.required else " (stretch)"))
        why = result.message if result.status in (Status.SKIPPED, Status.ERROR) else ""
        if result.status is Status.FAILED and not quiet:
            name.stylize("bold")
        if describe:
            return [Text(word, style), name, self.text(why or result.description)]
        if why:
            name.append("\n").append_text(self.text(why))
        return [Text(word, style), name]

    def _shared_row(self, results: Sequence[PropertyResult], describe: bool) -> list[Text]:
        cells = [Text(*_WORDS[results[0].status]), Text(f"{len(results)} properties")]
        return [*cells, self.text(", ".join(p.id for p in results))] if describe else cells

    def failure(self, verdict: Verdict) -> RenderableType | None:
        """The first failed property, with all that is known about it."""
        first = verdict.first_failure
        if first is None:
            return None
        others = sum(p.required and p.status is Status.FAILED for p in verdict.properties)
        if first.required:
            head = Text("First failure: " if others > 1 else "Failure: ", style=BAD)
        else:
            head = Text("Not yet, and not needed for a pass: ", style="bold")
        head.append_text(self.text(first.id, "bold"))
        parts: list[RenderableType] = [self.text(first.description)] if first.description else []
        if first.message:
            parts.append(self.text(first.message))
        example = first.counterexample
        if first.exception is not None:
            parts += ["", self.exception(first.exception)]
        if example is not None and first.required:
            parts += ["", *self.counterexample(example)]
        return Group(head, _indented(Group(*parts)))

    def exception(self, exception: CandidateException) -> RenderableType:
        """What the candidate's code raised, and its own lines only."""
        message = self.lines(exception.message)
        kind = printable(exception.type, ascii_only=self.ascii_only)
        shown = [kind + (f": {message[0]}" if message else ""), *message[1:MESSAGE_LINES]]
        if len(message) > MESSAGE_LINES:
            shown.append("…")
        for frame in exception.frames:
            function = printable(frame.function, ascii_only=self.ascii_only)
            shown.append(f"line {frame.line}" + (f", in {function}" if function else ""))
            shown += [f"    {line}" for line in self.lines(frame.code.strip())]
        return Group(Text("The error in your code:"), self.boxed(shown))

    def counterexample(self, example: Counterexample) -> Iterator[RenderableType]:
        """The call, its smallest input, and expected beside got."""
        room = self.width - INDENT
        if example.call:
            yield Text.assemble("smallest input found: ", self.text(example.call, "bold"))
        for argument in example.arguments:
            yield from self._argument(argument, room)
        if example.expected is None and example.got is None:
            return
        yield ""
        if example.subject:
            yield Text.assemble("compared: ", self.text(example.subject, "bold"))
        yield self._comparison(example, room)
        yield from self._worst(example)

    def _argument(self, argument: Argument, room: int) -> Iterator[RenderableType]:
        label = Text("  ").append_text(self.text(argument.name, "bold"))
        if argument.tensor is None:
            yield label.append(" = ").append_text(self.text(argument.text))
            return
        label.append("  ").append_text(self.text(tensors.headline(argument.tensor)))
        line = tensors.one_line(argument.tensor)
        short = line is not None and len(label) + 2 + len(line) <= room and len(argument.tensor.shape) <= 2
        if short and line is not None:
            yield label.append("  " + line)
        else:
            yield label
            yield Padding(tensors.block(argument.tensor, room - 4), (0, 0, 0, 4))

    def _comparison(self, example: Counterexample, room: int) -> RenderableType:
        digits = tensors.DIGITS[0]
        if example.expected is not None and example.got is not None:
            digits = tensors.digits_to_tell_apart(example.expected, example.got, example.worst)
        sides = [
            self._side(title, view, room, example.worst, digits)
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

    def _side(self, title: str, view: TensorView, room: int, worst: tuple[int, ...] | None, digits: int) -> Text:
        head = Text(title, style="bold").append_text(self.text(f"  {tensors.headline(view)}"))
        head.stylize("not bold", len(title))
        return Text("\n").join([head, tensors.block(view, room, worst, digits)])

    def _worst(self, example: Counterexample) -> Iterator[Text]:
        if example.error is None:
            return
        where = f"at [{', '.join(map(str, example.worst))}]" if example.worst else "there"
        line = f"worst {where}: error {tensors.size(example.error)}"
        if example.allowed is not None:
            line += f", allowed {tensors.size(example.allowed)}"
            if example.allowed > 0 and math.isfinite(example.error / example.allowed):
                line += f" ({tensors.size(example.error / example.allowed)} × as much)"
        yield Text(line)

    def gradients(self, verdict: Verdict) -> RenderableType | None:
        """Every input and parameter that should receive a gradient."""
        if not verdict.gradients:
            return None
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        table.add_column("gradient of", overflow="fold", max_width=max(12, self.width - 38))
        table.add_column("received", no_wrap=True)
        table.add_column("matches", no_wrap=True)
        table.add_column("error / allowed", no_wrap=True, justify="right")
        for row in verdict.gradients:
            table.add_row(self.text(f"{row.name} ({row.kind})"), *_gradient_cells(row))
        return Group(Text("Gradients", style="bold"), _indented(table))

    def forbidden(self, verdict: Verdict) -> RenderableType | None:
        """Calls of forbidden operators, and mentions of them, with the line."""
        if not verdict.forbidden:
            return None
        parts: list[RenderableType] = []
        for call in verdict.forbidden:
            line = "" if call.line is None else f", line {call.line}"
            if call.fails:
                parts.append(Text("✗ called: ", style=BAD).append_text(self.text(call.operator + line, "not bold")))
            else:
                parts.append(self.text(f"– mentioned: {call.operator}{line} (advice only: no call was seen)"))
            if call.code.strip():
                parts.append(self.boxed(self.lines(call.code.strip())))
        return Group(Text("Forbidden operators", style="bold"), _indented(Group(*parts)))

    def printed(self, verdict: Verdict) -> RenderableType | None:
        """What the candidate's code wrote to stdout and stderr."""
        lines = self.lines(verdict.output)
        if not lines:
            return None
        shown = lines[:OUTPUT_LINES]
        parts: list[RenderableType] = [
            Text("Printed by your code, not by the grader", style="bold"),
            _indented(self.boxed(line if len(line) <= 500 else line[:500] + "…" for line in shown)),
        ]
        rest = len(lines) - len(shown)
        if rest or verdict.output_truncated:
            count = f"{rest} more lines" if rest != 1 else "1 more line"
            more = "the end was cut off" if not rest else f"{count} in --json"
            if rest and verdict.output_truncated:
                more += "; the end was cut off"
            parts.append(_indented(Text(f"({more})")))
        return Group(*parts)

    def circumstances(self, verdict: Verdict) -> Text:
        """What a rerun needs: seed, device, dtypes, isolation."""
        facts = [f"seed {verdict.seed}", verdict.device, *verdict.dtypes, f"isolation: {verdict.isolation.level}"]
        return self.text(", ".join(fact for fact in facts if fact))


def _passed(results: Sequence[PropertyResult]) -> int:
    return sum(p.status is Status.PASSED for p in results)


def _by_category(results: Sequence[PropertyResult]) -> Iterator[tuple[str, list[PropertyResult]]]:
    others = sorted({p.category for p in results} - set(CATEGORIES))
    for category in (*CATEGORIES, *others):
        members = [p for p in results if p.category == category]
        if members:
            yield category, [*(p for p in members if p.required), *(p for p in members if not p.required)]


def _gradient_cells(row: GradientRow) -> list[Text]:
    received = Text("✓ yes", "green") if row.received else Text("✗ no", BAD)
    if not row.received:
        return [received, Text("–"), Text("–")]
    matches = Text("✓ yes", "green") if row.matches else Text("✗ no", BAD)
    if row.largest_error is None:
        return [received, matches, Text("–")]
    sign = " ×" if math.isfinite(row.largest_error) else ""
    return [received, matches, Text(tensors.size(row.largest_error) + sign)]


def _indented(renderable: RenderableType) -> Padding:
    return Padding(renderable, (0, 0, 0, INDENT), expand=False)
