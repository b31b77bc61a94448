"""A step of a replay for a terminal: when, what happened, and the lines that changed. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from grader.interview.plan import PHASES
from grader.render.page import BAD, Page
from grader.render.report_text import clock
from grader.render.text import fold
from grader.report.diff import Change
from grader.report.replay import Player, Step

if TYPE_CHECKING:
    from rich.console import RenderableType

KEYS = "space pause  ←→ step  ↑↓ scroll  +- speed  g grade  q quit"
KEYS_IN_ASCII = "space pause  left/right step  up/down scroll  +- speed  g grade  q quit"
_PHASES = {phase.id: phase.title for phase in PHASES}
_STYLES = {"+": "green", "-": "magenta", "…": ""}


def step_screen(page: Page, step: Step, number: int, total: int, changed: Sequence[Change]) -> list[RenderableType]:
    """One step: a line about it, what happened, and its changes with the numbers of the lines."""
    parts: list[RenderableType] = [
        Text(f"Step {number} of {total}  ", style="bold").append_text(
            page.text(f"{clock(step.at)}  {step.kata}, {_PHASES.get(step.phase, step.phase)}", "bold")
        )
    ]
    mark = {"pass": Text("✓ ", "green"), "fail": Text("✗ ", BAD)}.get(step.mark, Text(""))
    parts.append(mark.append_text(page.text("; ".join(step.happened))))
    parts.append(Text(""))
    parts.append(_changes(page, changed))
    return parts


def state(player: Player, note: str = "") -> str:
    """The line below a step."""
    step = player.step
    how = "paused" if player.paused else "the end" if not player.playing else f"{player.speed:g} ×"
    parts = [f"{player.place + 1}/{len(player.steps)}", clock(step.at), step.kata, how, note]
    return "  ".join(part for part in parts if part)


def keys(*, ascii_only: bool) -> str:
    return KEYS_IN_ASCII if ascii_only else KEYS


def _changes(page: Page, changed: Sequence[Change]) -> Text:
    if not changed:
        return Text("no line differs")
    digits = len(str(max((change.number or 0 for change in changed), default=0)))
    lines: list[Text] = []
    for change in changed:
        if change.sign == "…":
            lines.append(Text("…"))
            continue
        pieces = fold((page.lines(change.text) or [""])[0], page.width - digits - 5)
        for at, piece in enumerate(pieces):
            number = str(change.number) if at == 0 else ""
            lines.append(Text(f"{number:>{digits}} {change.sign} │ {piece}", style=_STYLES.get(change.sign, "")))
    return Text("\n", no_wrap=True, overflow="ignore").join(lines)
