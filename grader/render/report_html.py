"""A report as one HTML page: no script, no network, light and dark, for a phone, a screen and paper.

Everything that the template prints is first made visible (`render.text`: control characters, bidirectional marks) and
then escaped for HTML, by the environment and not by the template's author. The only exceptions are our own style sheet
and what markdown-it makes of the katas' model answers, with HTML and images switched off. A content security policy
allows that one style sheet, by its hash, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from grader.render import report_chart, report_fault, report_text
from grader.render.text import amount, printable_lines
from grader.report.model import Report

if TYPE_CHECKING:
    from jinja2 import Environment
    from markdown_it import MarkdownIt

FOLDER = Path(__file__).parent
ENTRIES = 400  # lines of the timeline
LONGEST = 20_000  # characters of a text that is shown in one piece


def html_report(report: Report) -> str:
    """The page."""
    style = (FOLDER / "report.css").read_text(encoding="utf-8")
    entries, left_out = report_text.shown_entries(report.entries, ENTRIES)
    prose = _markdown()
    return (
        _environment()
        .get_template("report.html.jinja")
        .render(
            report=report,
            words=report_text,
            geometry=report_chart,
            timeline=report_chart.timeline(report),
            bars=report_chart.bars(report),
            columns=report_chart.columns(report.trend),
            entries=entries,
            left_out=left_out,
            amount=amount,
            fault_words=report_fault,
            has_questions=any(kata.questions for kata in report.katas),
            markdown=lambda text: Markup(prose.render(visible(text))),
            inline=lambda text: Markup(prose.renderInline(visible(text))),
            style=Markup(style),
            style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        )
    )


def visible(value: Any) -> Any:
    """What an expression of the template prints: text with everything invisible in it shown as its escape."""
    if isinstance(value, Markup):
        return value
    text = "" if value is None else str(value)
    return "\n".join(printable_lines(text if len(text) <= LONGEST else text[:LONGEST] + " …"))


def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        finalize=visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).disable(["image", "html_inline", "html_block"])
