"""The words of `kata watch`: one line for a verdict, and the frame around whatever is read above it. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from grader.output import NARROWEST
from grader.render.failure import unwritten
from grader.render.page import Page
from grader.render.terminal import counts, head
from grader.render.text import wrapped
from grader.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
FRAME_ROWS = 3  # below what is read: a rule, the state, the keys


def verdict_line(page: Page, verdict: Verdict) -> Text:
    """A verdict in one line: the word, the counts, the seconds, and what is wrong."""
    word, style = head(verdict)
    parts = [verdict.kata]
    if verdict.properties:
        parts.append(counts(verdict))
    parts.append(f"{verdict.seconds:.1f} s")
    if nothing_yet := unwritten(verdict):
        parts.append(nothing_yet)
    elif verdict.outcome is Outcome.FAIL:
        named = (
            [each.id for each in (verdict.diagnosis, *verdict.diagnosis.also) if each.id] if verdict.diagnosis else []
        )
        parts.append(", ".join(named) or ", ".join(p.id for p in verdict.required_failed))
    elif verdict.outcome is not Outcome.PASS:
        parts.append(verdict.reason)
    return Text.assemble((word, style), "  ", page.text("  ".join(parts)))


def narrow_screen(page: Page, verdict: Verdict | None, columns: int) -> list[str]:
    """What is read on a terminal too narrow for the rest: a verdict's line, cut between its words, and why no more."""
    shown = [] if verdict is None else [*wrapped(verdict_line(page, verdict).plain, columns), ""]
    return [*shown, *wrapped(f"too narrow for more: {columns} columns, and {NARROWEST} are needed", columns)]


def place_of_timing(lines: Sequence[str]) -> int:
    """The line of a drawn verdict with which the block about time begins; 0 where there is none."""
    plain = (_ESCAPE.sub("", line) for line in lines)
    return next((number for number, line in enumerate(plain) if line.startswith(("Time", "Growth"))), 0)


def frame(
    body: Sequence[str],
    state: str,
    keys: str,
    *,
    top: int,
    size: tuple[int, int],
    fit: Callable[[str], str],
    up: str = "b",
    down: str = "space",
) -> list[str]:
    """All the lines of the screen: as much of `body` as fits, from line `top` on, then rule, state and keys.

    `fit` makes a text of ours one line that the terminal can show; `up` and `down` are the keys that scroll. Where the
    screen is low, the body is cut first.
    """
    columns, rows = size
    room = room_of(rows)
    shown = list(body[top : top + room])
    shown += [""] * (room - len(shown))
    below, above = len(body) - top - room, top
    notes = [f"{above} more above: {up}"] if above > 0 else []
    notes += [f"{below} more below: {down}"] if below > 0 else []
    note = f"── {', '.join(notes)} " if notes else ""
    rule = note + "─" * max(0, columns - len(note))
    return [*shown, *(fit(line) for line in (rule, state, keys))][-rows:]


def room_of(rows: int) -> int:
    """Rows for what is read on a screen of so many rows."""
    return max(0, rows - FRAME_ROWS)
