"""What `kata bench` shows: a plot for each mode and dtype, the figures below it, and how the time grows.

Pure functions of a BenchResult and of what the terminal can show. Here, other than in a verdict, times in seconds are shown:
they are of this machine and today, which the first line says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from grader.render.page import Page, indented
from grader.render.plot import legend, plot
from grader.render.text import ratio
from grader.render.timing import NOISY, duration
from grader.timing.bench import LARGEST, BenchResult, Panel, Point

if TYPE_CHECKING:
    from rich.console import RenderableType

NARROW = 56  # below it there is no room for the library operator's figures
SIDE_BY_SIDE = 116  # from here on two plots, with their figures, stand beside each other
WIDEST = 72  # of one plot
GAP = 4


def screen(page: Page, bench: BenchResult) -> RenderableType:
    """The whole screen."""
    variable = bench.size_name.partition(" ")[0]
    longest = max((panel.lines for panel in bench.panels), key=len, default=())
    parts: list[RenderableType] = [_headline(page, bench)]
    if longest:
        parts.append(page.text(legend(longest, variable, ascii_only=page.ascii_only)))
    for panels in _rows(page, bench.panels):
        parts += ["", _beside(page, panels, bench.size_name)]
    notes = [page.text(note) for note in _notes(bench)]
    parts += ["", *notes] if notes else []
    return Group(*parts)


def _headline(page: Page, bench: BenchResult) -> Text:
    what = "Time of a call" if bench.checked else "Time of a call, of code whose answers were not checked"
    facts = [bench.submission, bench.device, *(bench.machine.get(key, "") for key in ("gpu", "cpu"))]
    head = page.text(f"{bench.kata}  ", "bold").append_text(page.text(what, "not bold"))
    return head.append_text(page.text(f": {', '.join(fact for fact in facts if fact)}", "not bold"))


def _rows(page: Page, panels: Sequence[Panel]) -> Iterator[Sequence[Panel]]:
    """The panels that share a row: the modes of one dtype where there is room, else each has its own."""
    beside = 2 if page.width >= SIDE_BY_SIDE else 1
    for dtype in dict.fromkeys(panel.dtype for panel in panels):
        group = [panel for panel in panels if panel.dtype == dtype]
        for start in range(0, len(group), beside):
            yield group[start : start + beside]


def _beside(page: Page, panels: Sequence[Panel], size_name: str) -> RenderableType:
    """Plot and figures of each panel, one panel beside the other."""
    beside = 2 if page.width >= SIDE_BY_SIDE else 1
    width = min((page.width - GAP * (beside - 1)) // beside, WIDEST)
    grid = Table.grid(padding=(0, GAP, 0, 0))
    cells = []
    for panel in panels:
        grid.add_column(width=width)
        cells.append(_panel(page, panel, size_name, width))
    grid.add_row(*cells)
    return grid


def _panel(page: Page, panel: Panel, size_name: str, width: int) -> RenderableType:
    rows = plot(panel.lines, size_name, width, ascii_only=page.ascii_only)
    drawn = Text("\n".join(rows), no_wrap=True)
    title = Text(f"{panel.mode}, {panel.dtype}", style="bold")
    growth = page.text(_growth(panel, size_name.partition(" ")[0]))
    return Group(title, drawn, "", indented(_figures(page, panel, size_name)), *([indented(growth)] if growth else []))


def _figures(page: Page, panel: Panel, size_name: str) -> Table:
    """The same in numbers, which a plot with logarithmic axes cannot tell apart."""
    library = page.width >= NARROW and any(point.library is not None for point in panel.points)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in (size_name, "yours", "reference", *(["library"] if library else [])):
        table.add_column(name, no_wrap=True, justify="right")
    table.add_column("yours ÷ reference", no_wrap=page.width >= NARROW)
    for point in panel.points:
        beside = [_time(point.library)] if library else []
        table.add_row(str(point.size), _time(point.yours), _time(point.reference), *beside, _comparison(point))
    return table


def _time(seconds: float | None) -> str:
    return "–" if seconds is None else duration(seconds)


def _comparison(point: Point) -> str:
    return f"{ratio(point.speed.ratio)} ({ratio(point.speed.low)}–{ratio(point.speed.high)})"


def _growth(panel: Panel, variable: str) -> str:
    """`From L = 512 on, time grows like L^1.98 (yours), L^2.01 (reference).`"""
    told = ", ".join(f"{variable}^{line.slope:.2f} ({line.who})" for line in panel.lines if line.slope is not None)
    first = panel.lines[0].sizes[-LARGEST:][0]
    return f"From {variable} = {first} on, time grows like {told}." if told else ""


def _notes(bench: BenchResult) -> Iterator[str]:
    if bench.reason:
        yield f"Not everything was timed: {bench.reason}"
    noise = max((point.speed.noise for point in bench.points), default=1.0)
    if noise >= NOISY:
        yield f"The processor was ours for {1 / noise:.0%} of the time at worst: close other programs for steadier figures."
    yield from dict.fromkeys(f"{p.speed.mode}: {p.speed.note}" for p in bench.points if p.speed.note)
