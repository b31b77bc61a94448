"""What is shown before the clock of an interview starts: its plan, its phases, its rules, and what this machine is.

Pure functions of the plan and of what the terminal can show.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from grader.catalog import HINTS
from grader.interview.plan import PHASES, Plan, minutes
from grader.render.interview import clock
from grader.render.page import Page, indented
from grader.render.text import amount

if TYPE_CHECKING:
    from rich.console import RenderableType

FEEDBACK_RULES = {
    "full": "A grade during the interview shows everything but speed, which is measured at the end.",
    "properties": "A grade during the interview names the failed properties, without example or diagnosis."
    " All of it is shown at the end, and speed is measured then.",
    "none": "A grade during the interview is kept and shows nothing."
    " All of it is shown at the end, and speed is measured then.",
}


def rules(plan: Plan) -> list[str]:
    """What holds in this session, a sentence a rule."""
    clock_rule = (
        "The clock stops for nothing: not for a closed terminal, sleep or a crash. kata interview resume comes back."
    )
    if plan.allow_pause:
        clock_rule = "Space pauses the clock, so the report says practice. Nothing else stops it."
    return [
        "Work in your own editor, in another window. Saving is enough: this view sees it.",
        clock_rule,
        "At the deadline the file as saved is graded. You may go on; the report tells both results.",
        FEEDBACK_RULES[plan.feedback],
        f"Hints are allowed, {HINTS} a kata, and recorded. Time that a fault of ours costs is given back.",
    ]


def preflight(page: Page, plan: Plan, health: Sequence[tuple[str, str]]) -> RenderableType:
    """What is shown before the clock starts. Drawn katas stay hidden: nobody reads them off the clock."""
    plans = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    several = len(plan.rounds) > 1
    for number, each in enumerate(plan.rounds, start=1):
        drawn = f"{amount(len(each.katas), 'kata')}, drawn with seed {plan.seed}"
        what = drawn if plan.drawn else ", ".join(each.katas)
        if plan.drawn and plan.difficulty != "any":
            what += f", {plan.difficulty}"
        plans.add_row(f"round {number}" if several else "time", minutes(each.minutes), page.text(what))
    phases = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for _ in range(2):
        phases.add_column(no_wrap=True)
    for phase in PHASES:
        budget = Text(clock(phase.share * plan.rounds[0].minutes * 60), justify="right")
        phases.add_row(phase.title, budget, page.text(phase.task) if page.width >= 80 else Text(""))
    checks = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for name, value in health:
        checks.add_row(name, page.text(value))
    title = f"Mock interview: {plan.name}" + (" (practice: it can be paused)" if plan.allow_pause else "")
    return Group(
        Text(title, style="bold"),
        indented(plans),
        Text(""),
        Text("Phases, with soft budgets" + (" for each round" if several else ""), style="bold"),
        indented(phases),
        Text(""),
        Text("Rules", style="bold"),
        indented(Group(*(_item(page, rule) for rule in rules(plan)))),
        Text(""),
        Text("This machine", style="bold"),
        indented(checks),
    )


def _item(page: Page, text: str) -> Table:
    row = Table.grid(padding=(0, 1))
    row.add_row(Text("•"), page.text(text))
    return row
