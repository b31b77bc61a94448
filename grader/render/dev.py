"""The screen and the document of `kata dev check`: pure functions of its reports."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.text import Text

from grader.dev.finding import Report
from grader.render.page import BAD, GOOD, Page

if TYPE_CHECKING:
    from rich.console import RenderableType


def report_screen(page: Page, report: Report, width: int) -> RenderableType:
    """One line for the kata, its id padded to `width`, and below it what is to be mended."""
    line = Text.assemble(page.text("✗", BAD) if report.findings else page.text("✓", GOOD), " ")
    line.append_text(page.text(f"{report.kata:<{width}}  {_count(report.properties, 'property', 'properties')}, "))
    line.append_text(page.text(_count(report.mistakes, "mistake", "mistakes")))
    line.append(" not graded" if report.mistakes and not report.graded else "")
    parts: list[RenderableType] = [line]
    for number, finding in enumerate(report.findings):
        problem = _hanging(page, f"{finding.where}: {finding.problem}", 2)
        problem.highlight_words([f"{finding.where}:"], "bold")
        parts.append(problem)
        following = report.findings[number + 1 :][:1]
        if not following or following[0].remedy != finding.remedy:  # the same advice for several: once, below them
            parts.append(_hanging(page, f"→ {finding.remedy}", 4))
    return Group(*parts)


def _hanging(page: Page, text: str, indent: int) -> Text:
    """A paragraph whose further lines stand two columns further in."""
    line = page.text(text).plain
    first, rest = " " * indent, " " * (indent + 2)
    width = page.width - 1
    pieces = textwrap.wrap(line, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
    return Text("\n".join(pieces), no_wrap=True, overflow="fold")


def report_document(reports: Sequence[Report]) -> dict[str, Any]:
    """`kata dev check --json`."""
    return {
        "schema_version": 1,
        "ok": not any(report.findings for report in reports),
        "katas": [
            {
                "kata": report.kata,
                "folder": str(report.folder),
                "ok": not report.findings,
                "properties": report.properties,
                "mistakes": report.mistakes,
                "mistakes_graded": report.graded,
                "findings": [
                    {name: value for name, value in asdict(finding).items() if name != "kata"}
                    for finding in report.findings
                ],
            }
            for report in reports
        ],
    }


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
