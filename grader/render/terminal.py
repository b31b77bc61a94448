"""A Verdict for a person: the word first, then the properties, the first failure, the gradients, and the next command.

A pure function of the Verdict and of what the terminal can show. Text from outside the grader is always escaped
(`render.text`), never read as markup, and stands indented or behind a bar, so that it cannot look like the grader's.
Colour only repeats what a word beside it says; only bold and the theme's own red, green and magenta are used.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from grader.render import tensors
from grader.render.failure import failure, raised, unwritten
from grader.render.page import BAD, GOOD, ODD, Page, indented
from grader.render.text import NO_SPEED, amount, printable
from grader.render.timing import timing
from grader.verdict import AUDIT, Diagnosis, GradientRow, Outcome, PropertyResult, Status, Verdict, in_table_order

if TYPE_CHECKING:
    from rich.console import RenderableType

WIDE = 100  # from here on every property has its description beside it
NARROW = 80
FEW = 5  # failures whose descriptions fit beside them below WIDE
OUTPUT_LINES = 12

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
_UNDECIDED = ("○ undecided", "bold")  # let pass for want of time


def screen(page: Page, verdict: Verdict, *, remark: str = "", next_step: str = "") -> RenderableType:
    """The whole screen of a grade; `next_step` is its last line, `remark` the one before."""
    parts: list[RenderableType] = [_headline(page, verdict)]
    if verdict.read_at:
        parts.append(
            indented(page.text(f"The file has changed since: this is about it as of {_clock(verdict.read_at)}."))
        )
    if nothing_yet := unwritten(verdict):
        parts.append(indented(page.text(nothing_yet)))
        parts += _last_lines(page, verdict, remark, next_step)
        return Group(*parts)
    if verdict.reason and verdict.outcome not in (Outcome.PASS, Outcome.FAIL):  # those are told by the headline
        file = f"{verdict.submission}: " if verdict.outcome is Outcome.UNUSABLE else ""
        parts.append(indented(page.text(file + verdict.reason)))
    if verdict.exception is not None:
        parts.append(indented(raised(page, verdict.exception)))
    if verdict.diagnosis is not None:
        parts += ["", diagnosis(page, verdict.diagnosis)]
    if verdict.properties:
        parts += ["", indented(_properties(page, verdict))]
    if audited := next((p for p in verdict.properties if p.id == AUDIT and p.status is Status.PASSED), None):
        parts += ["", indented(page.text(f"audit passed: {audited.message}"))]
    for block in (
        failure(page, verdict),
        _gradients(page, verdict),
        timing(page, verdict.timing),
        _forbidden(page, verdict),
        _printed(page, verdict),
    ):
        if block is not None:
            parts += ["", block]
    parts += _last_lines(page, verdict, remark, next_step)
    return Group(*parts)


def _last_lines(page: Page, verdict: Verdict, remark: str, next_step: str) -> Iterator[RenderableType]:
    yield ""
    if verdict.ran:
        yield indented(_circumstances(page, verdict))
    if remark:
        yield page.text(remark)
    if next_step:
        yield page.text(f"Next: {next_step}", "bold")


def _clock(moment: str) -> str:
    """The time of day here of a moment in ISO form."""
    try:
        return f"{datetime.fromisoformat(moment).astimezone():%H:%M:%S}"
    except (ValueError, OverflowError):  # of a document from elsewhere
        return "an earlier moment"


def head(verdict: Verdict) -> tuple[str, str]:
    """The word for a verdict, with its sign, and its style."""
    return ("? NOT AUDITED", "bold") if verdict.not_audited else _HEADS[verdict.outcome]


def counts(verdict: Verdict, *, stretch: bool = False) -> str:
    """`13/13 properties + 1/1 timing + 1 undecided + 1/1 audit + 1/1 stretch`; empty where none was examined.

    What is only examined on demand, or only where the rest holds, is counted apart: the rest is as many every time.
    """
    required = [p for p in verdict.properties if p.required and p.id not in verdict.undecided]
    timed, audit = [p for p in required if p.category == "timing"], [p for p in required if p.id == AUDIT]
    rest = [p for p in required if p not in timed and p not in audit]
    others = [p for p in verdict.properties if not p.required]
    if not verdict.properties:
        return ""
    said = f"{_passed(rest)}/{len(rest)} properties"
    if timed:
        said += f" + {_passed(timed)}/{len(timed)} timing"
    if verdict.undecided:
        said += f" + {len(verdict.undecided)} undecided"
    if audit:
        said += f" + {_passed(audit)}/1 audit"
    return said + (f" + {_passed(others)}/{len(others)} stretch" if others and stretch else "")


def _headline(page: Page, verdict: Verdict) -> Text:
    """The verdict in one line."""
    word, style = head(verdict)
    parts = [printable(verdict.kata)] if verdict.kata else []
    if verdict.properties:
        said = counts(verdict, stretch=page.width >= NARROW)
        untimed = verdict.outcome is Outcome.PASS and verdict.timing is None
        if page.width < NARROW:
            said = said.replace(" properties +", " +") + ", untimed" * untimed
        else:
            said += f", {NO_SPEED}" * untimed
        parts.append(said)
    if verdict.seconds:
        parts.append(f"{verdict.seconds:.1f} s")
    return Text.assemble((word, style), "  ", "  ".join(parts))


def diagnosis(page: Page, found: Diagnosis) -> RenderableType:
    """What is probably wrong, what to do about it, and how that was found."""
    heading = {
        "mistake": "The mistake",
        "two mistakes": "Two mistakes",
        "difference": "What all wrong answers have in common",
    }.get(found.kind, "What seems wrong")
    joint = "and" if found.kind == "two mistakes" else "or, with the same answers"
    parts: list[RenderableType] = []
    for number, each in enumerate((found, *found.also)):
        name = f" ({each.id})" if each.id else ""
        if number:
            parts.append(Text(f"{joint}:"))
        parts.append(page.text(each.explanation + name, "bold"))
        if each.fix:
            parts.append(page.text(f"Fix: {each.fix}"))
    parts.append(page.text(f"Evidence: {found.evidence}"))
    return Group(Text(heading, style="bold"), indented(Group(*parts)))


def _properties(page: Page, verdict: Verdict) -> Table:
    """One row a property; those of a category that passed, or were skipped, share a row: what is well is quickly said."""
    failed = [p for p in verdict.properties if p.status is not Status.PASSED]
    describe = page.width >= WIDE or (page.width >= NARROW and len(failed) <= FEW)
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=describe, overflow="fold")
    if describe:
        table.add_column(overflow="fold")
    for category, results in _by_category(verdict.properties):
        quiet = [p for p in results if p.status in (Status.PASSED, Status.SKIPPED) and p.id not in verdict.undecided]
        rows = [[result] for result in results if result not in quiet]
        rows += [[p for p in quiet if p.status is status] for status in (Status.SKIPPED, Status.PASSED)]
        label = category
        for row in filter(None, rows):
            if len(row) > 1:
                cells = _shared_row(page, row, describe)
            else:
                result, undecided = row[0], row[0].id in verdict.undecided
                # The block about time says more of an undecided one; all of a stretch one stands in a block of its own.
                told = undecided or (result is verdict.first_failure and not result.required)
                cells = _property_row(page, result, describe, undecided=undecided, told=told)
            table.add_row(page.text(label), *cells)
            label = ""
    return table


def _property_row(page: Page, result: PropertyResult, describe: bool, *, undecided: bool, told: bool) -> list[Text]:
    not_yet = not result.required and result.status is Status.FAILED
    word, style = _UNDECIDED if undecided else _NOT_YET if not_yet else _WORDS[result.status]
    name = page.text(result.id + ("" if result.required else " (stretch)"))
    why = result.message if result.status in (Status.SKIPPED, Status.ERROR) else ""
    quiet = told or result.status is Status.PASSED
    if result.status is Status.FAILED and not not_yet:
        name.stylize("bold")
    if describe:
        return [Text(word, style), name, page.text("" if quiet else why or result.description)]
    if why:
        name.append("\n").append_text(page.text(why))
    return [Text(word, style), name]


def _shared_row(page: Page, results: Sequence[PropertyResult], describe: bool) -> list[Text]:
    cells = [Text(*_WORDS[results[0].status]), Text(f"{len(results)} properties")]
    if not describe:
        return cells
    return [*cells, page.text(", ".join(p.id for p in results) if page.width >= WIDE else "")]


def _gradients(page: Page, verdict: Verdict) -> RenderableType | None:
    """Every input and parameter that should receive a gradient."""
    if not verdict.gradients:
        return None
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("gradient of", overflow="fold", max_width=max(12, page.width - 38))
    table.add_column("received", no_wrap=True)
    table.add_column("matches", no_wrap=True)
    table.add_column("error / allowed", no_wrap=True, justify="right")
    for row in verdict.gradients:
        table.add_row(page.text(f"{row.name} ({row.kind})"), *_gradient_cells(row))
    return Group(Text("Gradients", style="bold"), indented(table))


def _forbidden(page: Page, verdict: Verdict) -> RenderableType | None:
    """Calls of forbidden operators, and mentions of them, with the line."""
    if not verdict.forbidden:
        return None
    parts: list[RenderableType] = []
    for call in verdict.forbidden:
        line = "" if call.line is None else f", line {call.line}"
        if call.fails:
            parts.append(Text("✗ called: ", style=BAD).append_text(page.text(call.operator + line, "not bold")))
            if not line:
                parts.append(page.text("(seen by torch's dispatcher, which knows no line of the file)"))
        else:
            parts.append(page.text(f"– mentioned: {call.operator}{line} (advice only: no call was seen)"))
        if call.code.strip():
            parts.append(page.boxed(page.lines(call.code.strip())))
    return Group(Text("Forbidden operators", style="bold"), indented(Group(*parts)))


def _printed(page: Page, verdict: Verdict) -> RenderableType | None:
    """What the candidate's code wrote to stdout and stderr."""
    lines = page.lines(verdict.output)
    if not lines:
        return None
    shown = lines[:OUTPUT_LINES]
    parts: list[RenderableType] = [
        Text("Printed by your code, not by the grader", style="bold"),
        indented(page.boxed(line if len(line) <= 500 else line[:500] + "…" for line in shown)),
    ]
    rest = len(lines) - len(shown)
    if rest or verdict.output_truncated:
        more = "the end was cut off" if not rest else f"{amount(rest, 'more line')} in --json"
        if rest and verdict.output_truncated:
            more += "; the end was cut off"
        parts.append(indented(Text(f"({more})")))
    return Group(*parts)


def _circumstances(page: Page, verdict: Verdict) -> Text:
    """What a rerun needs: file, seed, device, dtypes, isolation."""
    facts = [
        verdict.submission,
        f"seed {verdict.seed}",
        verdict.device,
        *verdict.dtypes,
        "" if verdict.isolation is None else f"isolation: {verdict.isolation.level}",
    ]
    return page.text(", ".join(fact for fact in facts if fact))


def _passed(results: Sequence[PropertyResult]) -> int:
    return sum(p.status is Status.PASSED for p in results)


def _by_category(results: Sequence[PropertyResult]) -> Iterator[tuple[str, list[PropertyResult]]]:
    for category, members in itertools.groupby(in_table_order(results), key=lambda p: p.category):
        yield category, list(members)


def _gradient_cells(row: GradientRow) -> list[Text]:
    received = Text("✓ yes", "green") if row.received else Text("✗ no", BAD)
    if not row.received:
        return [received, Text("–"), Text("–")]
    matches = Text("✓ yes", "green") if row.matches else Text("✗ no", BAD)
    if row.largest_error is None:
        return [received, matches, Text("–")]
    sign = " ×" if math.isfinite(row.largest_error) else ""
    return [received, matches, Text(tensors.size(row.largest_error) + sign)]
