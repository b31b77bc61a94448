"""How fast, how it grows and what it holds: the lines about time in a verdict, and what to do about a slow one.

Pure functions of a Timing. Every figure is a ratio to the readable reference or an exponent: milliseconds of another
person's machine say nothing. A bar only repeats the number beside it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from grader.render.page import BAD, INDENT, Page, indented
from grader.render.text import ratio
from grader.timing.memory import format_bytes
from grader.verdict import Growth, PropertyResult, Speed, Timing

if TYPE_CHECKING:
    from rich.console import RenderableType

NOISY = 1.25  # wall time ÷ CPU time from which on others are to blame for a spread
EVENTS_APART = 1.5  # times: ratios by the wall clock and by a GPU's events that differ by more measure different things
SAME = 0.05  # nearer to 1 than this, two ratios cannot be told apart on a shared machine
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
BUDGETS = (10, 30, 60, 120)  # seconds to offer where a decision ran out of time
SHOWN = ("work", "peak memory", "CPU time")  # of the counts that are not judged; all are in --json

PASSES = ("forward", "forward + backward")  # of the timed call; other modes are further calls
APART = 0.1  # exponents that differ by more are worth telling both

_BEFORE, _AFTER = 6, 2  # cells of a bar up to the limit and beyond it: just so that a line fits 80 columns
_DECISIONS = {
    "quick-enough": ("quick enough", "green"),
    "too-slow": ("too slow", BAD),
    "undecided": ("undecided", "bold"),
}


def timing(page: Page, measured: Timing | None) -> RenderableType | None:
    """The block about time in a verdict: one line a mode, then growth, memory, and what to do."""
    if measured is None:
        return None
    if measured.skipped:
        return indented(page.text(f"timing skipped: {measured.skipped}"))
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    rows = (*_speed_rows(page, measured.speeds), *_growth_rows(page, measured), *_device_rows(page, measured.speeds))
    for label, line in rows:
        table.add_row(page.text(label), line)
    if not table.row_count:
        return None
    return Group(
        _heading(page, measured.speeds), indented(table), *(indented(t) for t in _notes(page, measured.speeds))
    )


def what_to_look_at(measured: Timing | None, result: PropertyResult) -> str:
    """For a failed property about speed: where the time usually goes. Empty for any other property."""
    slow = [s for s in measured.speeds if s.decision == "too-slow"] if measured is not None else []
    if result.category != "timing" or not slow:
        return ""
    tensor = _huge(measured.memory) if measured is not None else ""
    if tensor:
        return (
            f"Look at the memory below: the code makes {tensor}. @ and einsum sum over a dimension at once; to multiply "
            "everything out first and sum then takes that much more."
        )
    forward = next((s for s in slow if s.mode == "forward"), None)
    if forward is None and not any(s.mode in PASSES for s in slow):
        if all(s.mode.startswith("at ") for s in slow):
            return (
                f"Only {_names(slow)} takes so long, and a shorter one does not: something in the code grows faster than the "
                "reference, as a matrix of all queries by all keys would."
            )
        return (
            f"Only {_names(slow)} takes so long, nearly always in a Python loop over elements, rows or heads: "
            "make it one tensor operation."
        )
    if forward is None:
        return (
            "Forward alone is not too slow, so look at what autograd has to do: an index or a slice in a loop makes a "
            "gradient of full size each time; so do clones and in-place writes."
        )
    if forward.ratio >= 10:
        return "So much time nearly always goes into a Python loop over rows, heads or positions: make it one tensor operation."
    return (
        "Look for a Python loop, a sum or a product computed twice, copies (clone, cat, contiguous, repeat where expand "
        "would do) and a detour through float64."
    )


def _huge(memory: str) -> str:
    """The tensor that the line about memory tells of, where it takes gigabytes in practice: `an H×L×S×E tensor of 32 GB`."""
    found = re.match(r"holds (an? \S+ (?:tensor|matrix)): ([\d.]+ [GT]B)\b", memory)
    return f"{found[1]} of {found[2]} at practical sizes" if found else ""


def _names(speeds: Sequence[Speed]) -> str:
    """The further calls as a phrase: `causal_mask`, `the call with a mask`."""
    return " and ".join(f"the call {s.mode}" if " " in s.mode else s.mode for s in speeds)


def duration(seconds: float) -> str:
    """`12.3 µs`, three digits."""
    for unit, name in UNITS:
        if seconds >= unit * 0.9995 or name == "ns":
            return f"{seconds / unit:#.3g}".removesuffix(".") + f" {name}"
    raise AssertionError("the last unit takes all")


def bar(value: float, limit: float) -> str:
    """A ratio as a bar in which the limit is marked: what is filled beyond the mark is too much."""
    filled = max(1, round(value / limit * _BEFORE))
    if (filled > _BEFORE) != (value > limit):  # rounding must not contradict the number
        filled = _BEFORE + 1 if value > limit else _BEFORE
    over = filled > _BEFORE + _AFTER
    cells = "█" * min(filled, _BEFORE + _AFTER - over) + "▶" * over
    cells = cells.ljust(_BEFORE + _AFTER, "░")
    return f"{cells[:_BEFORE]}│{cells[_BEFORE:]}"


def more_time(speed: Speed) -> int:
    """A budget in seconds that is much larger than the one that did not do."""
    return next((budget for budget in BUDGETS if budget > 2 * speed.seconds), BUDGETS[-1])


def _heading(page: Page, speeds: Sequence[Speed]) -> Text:
    """What was called, where both passes share it; a further call has its name in front of its line."""
    shared = {(s.call, s.dtype, s.limit) for s in speeds if s.mode in PASSES}
    if len(shared) != 1:
        return Text("Time" if speeds else "Growth", style="bold")
    call, dtype, limit = shared.pop()
    head = page.text("Time ÷ reference", "bold")
    return head.append_text(page.text(f"  limit {limit:g} ×, {_shorter(call)}, {dtype}", "not bold"))


def _shorter(call: str) -> str:
    """`query (2, 64), key (2, 64)` as `query, key (2, 64)`."""
    return re.sub(r" (\([\d, ]+\))(?=, \w+ \1)", "", call)


def _speed_rows(page: Page, speeds: Sequence[Speed]) -> Iterator[tuple[str, Text]]:
    """One row a mode, as much in it as the width can hold; what does not fit gets a row of its own, or is left out."""
    if not speeds:
        return
    label = max(len(s.mode) for s in speeds)
    room = page.width - INDENT - label - 2
    library = [s for s in speeds if s.library is not None]
    usual = next((s.limit for s in speeds if s.mode in PASSES), math.nan)

    def widest(lines: Sequence[Text]) -> int:
        return max(line.cell_len for line in lines)

    forms = [
        [_speed_line(page, s, usual, barred=barred, library=full, short=short) for s in speeds]
        for barred, full, short in (
            (True, True, False),
            (True, False, False),
            (True, False, True),
            (False, False, True),
        )
    ]
    chosen = next((number for number, lines in enumerate(forms) if widest(lines) <= room), len(forms) - 1)
    for speed, line in zip(speeds, forms[chosen], strict=True):
        yield speed.mode, line
    if library and chosen:
        first, *others = library
        told = [_against_library(first), *(f"{s.mode}: {_times(s.library)}" for s in others)]
        yield "library", page.text("; ".join(told))


def _notes(page: Page, speeds: Sequence[Speed]) -> Iterator[Text]:
    """What a person must know beside the figures, and what to do where they did not suffice."""
    undecided = [s for s in speeds if s.decision == "undecided"]
    if undecided:
        yield page.text(_undecided(undecided))
    for speed in speeds:
        if speed.note:
            yield page.text(f"{speed.mode}: {speed.note}")
        if speed.events is not None and _apart(speed.ratio, speed.events.ratio):
            said = f"device events say {_times(speed.events.ratio)}"
            yield page.text(f"{speed.mode}: {said}; they see one stream alone, so the wall clock decides")


def _apart(by_the_wall: float, by_events: float) -> bool:
    return max(by_the_wall, by_events) > EVENTS_APART * min(by_the_wall, by_events)


def _speed_line(page: Page, speed: Speed, usual: float, *, barred: bool, library: bool, short: bool) -> Text:
    """`usual` is the limit that the heading tells."""
    spread = f"({ratio(speed.low)}–{ratio(speed.high)})"
    said = f"{_times(speed.ratio)}{'' if short else ' the reference'} {spread}"
    if library and speed.library is not None:
        said += f", {_against_library(speed)}"
    word, style = _DECISIONS.get(speed.decision, (speed.decision, ""))
    line = Text(bar(speed.ratio, speed.limit) + "  " if barred else "")
    line = line.append_text(page.text(said + " · ")).append_text(page.text(word, style))
    return line if speed.limit == usual else line.append_text(page.text(f" (limit {speed.limit:g} ×)"))


def _against_library(speed: Speed) -> str:
    return f"{_times(speed.library)} {speed.library_name}"


def _times(value: float | None) -> str:
    """`1.08 ×`; near 1, where a shared machine cannot tell two codes apart, no more than that."""
    assert value is not None
    return "≈ 1 ×" if abs(value - 1) < SAME else f"{ratio(value)} ×"


def _undecided(speeds: Sequence[Speed]) -> str:
    modes = "; ".join(s.mode for s in speeds)
    longest, noise = max(speeds, key=lambda s: s.seconds), max(s.noise for s in speeds)
    if all(s.one_sided for s in speeds):
        return (
            f"{modes}: too few rounds for a decision in {longest.seconds:.1f} s, so this was let pass. Give it more time: "
            f"--timing-budget {more_time(longest)}"
        )
    busy = f" (the processor was ours for {1 / noise:.0%} of the time)" if noise >= NOISY else ""
    return (
        f"{modes}: no clear answer in {longest.seconds:.1f} s{busy}, so this was let pass. Close other programs, or give "
        f"it more time: --timing-budget {more_time(longest)}"
    )


def _growth_rows(page: Page, measured: Timing) -> Iterator[tuple[str, Text]]:
    steep = [g for g in measured.growth if g.limit is not None and g.exponent > g.limit]
    shown = [g for g in measured.growth if g.mode == "forward" and g.what in SHOWN and g not in steep]
    shown = shown or [g for g in measured.growth if g.what in SHOWN and g not in steep][: len(SHOWN)]
    if shown:
        yield "growth", page.text(_growth(shown, measured.size_name))
    told = {g.what: g.exponent for g in shown if g.mode == "forward"}
    both = [g for g in measured.growth if g.mode == PASSES[1] and g.what in told and g not in steep]
    apart = [g for g in both if abs(g.exponent - told[g.what]) > APART]
    if apart:
        yield "", page.text(f"with the backward pass: {_growth(apart, measured.size_name)}")
    for each in steep:
        where = "" if each.mode == "forward" else f" ({each.mode})"
        line = page.text(f"{_growth([each], measured.size_name)}{where} · ")
        variable = _variable(measured.size_name)
        yield "", line.append_text(page.text(f"too steep, at most {variable}^{each.limit:g}", BAD))
    operations = next((g for g in measured.growth if g.unit == "FLOP" and g.mode == "forward" and any(g.values)), None)
    if operations is not None and operations not in steep:
        yield "FLOPs", page.text(_operations(operations, _variable(measured.size_name)))
    if measured.memory:
        yield "memory", page.text(measured.memory)


def _device_rows(page: Page, speeds: Sequence[Speed]) -> Iterator[tuple[str, Text]]:
    """What calls take of a GPU's memory, as its allocator tells."""
    told = [f"{s.mode} up to {format_bytes(s.device_memory)}" for s in speeds if s.device_memory is not None]
    if told:
        yield "on the GPU", page.text(f"besides inputs and results, {', '.join(told)}")


def _operations(each: Growth, variable: str) -> str:
    """`0.26 million in matrix products at L = 128, like L^2.00`: what torch's own counter knows of."""
    million = each.values[-1] / 1e6
    return f"{million:.3g} million in matrix products at {variable} = {each.sizes[-1]}, like {variable}^{each.exponent:.2f}"


def _growth(counts: Sequence[Growth], size_name: str) -> str:
    """`work grows like L^2.00, peak memory like L^1.98, from L = 128 to 1024`, the sizes told once where they are shared."""
    parts = []
    for number, each in enumerate(counts):
        grows = " grows" if not number else ""
        parts.append(f"{each.what}{grows} like {_variable(size_name)}^{each.exponent:.2f}")
        following = counts[number + 1].sizes if number + 1 < len(counts) else ()
        if each.sizes != following and each.sizes:
            parts[-1] += f" from {_variable(size_name)} = {each.sizes[0]} to {each.sizes[-1]}"
    return ", ".join(parts)


def _variable(size_name: str) -> str:
    """The letter that a power is of: the first of `L = S`."""
    return size_name.partition(" ")[0]
