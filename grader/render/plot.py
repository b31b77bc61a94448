"""A log–log plot out of characters: time over size, a mark for each code, and two dotted guides of slope 1 and 2.

Marks differ in shape, so that nothing depends on colour; guides run through the last of your points, so that the dots
that your marks follow tell how your code grows. Pure functions: no terminal is asked for anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.render.timing import UNITS
from grader.timing.bench import LIBRARY, REFERENCE, YOURS, Line

ROWS = 14
LEAST = math.log(10)  # of the times that a plot spans
LABELS = 7  # cells of `100 µs`, and a space
GUIDES = ((1, "∝ {}", "~{}"), (2, "∝ {}²", "~{}^2"))

# On a terminal without Unicode each dot of a guide takes a whole cell.
_MARKS = {YOURS: ("●", "#"), REFERENCE: ("○", "o"), LIBRARY: ("+", "+")}
_TOGETHER = ("◉", "@")
_BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_TICKS = (1, 2, 5)


def legend(lines: Sequence[Line], variable: str, *, ascii_only: bool = False) -> str:
    """What each mark stands for."""
    marks = [f"{_MARKS[line.who][ascii_only]} {line.name}" for line in lines]
    guides = " and ".join(names[ascii_only].format(variable) for _, *names in GUIDES)
    return "  ".join([*marks, f"{_TOGETHER[ascii_only]} several", f"dotted: time {guides}"])


def plot(lines: Sequence[Line], size_name: str, width: int, *, ascii_only: bool = False) -> list[str]:
    """The plot, row by row, at most `width` cells wide. `lines` has yours first, with at least one point."""
    field = _Field.around(lines, width - LABELS - 1)
    variable = size_name.partition(" ")[0]
    canvas = [[" "] * field.columns for _ in range(ROWS)]
    _draw_guides(canvas, field, lines[0], variable, ascii_only)
    _draw_marks(canvas, field, lines, ascii_only)
    ticks = dict(_time_ticks(field))
    bar, corner, dash, tick = "│└─┤" if not ascii_only else "|+-+"
    rows = []
    for number, cells in enumerate(canvas):
        label = ticks.get(number, "")
        label = label.replace("µ", "u") if ascii_only else label
        rows.append(f"{label:>{LABELS - 1}} {tick if label else bar}{''.join(cells)}".rstrip())
    below, named = _size_axis(field, lines, dash, "┬" if not ascii_only else "+")
    margin = " " * LABELS
    return [*rows, f"{margin}{corner}{below}", f"{margin} {named}", f"{margin} {size_name:^{field.columns}}".rstrip()]


@dataclass(frozen=True, slots=True)
class _Field:
    """Where a size and a time lie on the canvas; both logarithmic."""

    columns: int
    left: float
    right: float
    bottom: float
    top: float

    @classmethod
    def around(cls, lines: Sequence[Line], columns: int) -> _Field:
        sizes = [math.log(size) for line in lines for size in line.sizes]
        times = [math.log(seconds) for line in lines for seconds in line.seconds]
        low, high = min(times), max(times)
        if high - low < LEAST:  # so flat that noise would fill the height
            low, high = (low + high - LEAST) / 2, (low + high + LEAST) / 2
        left, right = min(sizes), max(sizes)
        if left == right:
            left, right = left - 0.5, right + 0.5
        return cls(max(columns, 8), left, right, low, high)

    def column(self, size: float) -> float:
        """From 0 to columns − 1, one cell kept free at either side."""
        return 1 + (math.log(size) - self.left) / (self.right - self.left) * (self.columns - 3)

    def size(self, column: float) -> float:
        return math.exp(self.left + (column - 1) / (self.columns - 3) * (self.right - self.left))

    def row(self, seconds: float) -> float:
        """From 0, the top, to ROWS − 1."""
        return (self.top - math.log(seconds)) / (self.top - self.bottom) * (ROWS - 1)


def _draw_marks(canvas: list[list[str]], field: _Field, lines: Sequence[Line], ascii_only: bool) -> None:
    marks = {shapes[ascii_only] for shapes in _MARKS.values()} | {_TOGETHER[ascii_only]}
    for line in lines:
        for size, seconds in zip(line.sizes, line.seconds, strict=True):
            row, column = round(field.row(seconds)), round(field.column(size))
            taken = canvas[row][column] in marks
            canvas[row][column] = _TOGETHER[ascii_only] if taken else _MARKS[line.who][ascii_only]


def _draw_guides(canvas: list[list[str]], field: _Field, yours: Line, variable: str, ascii_only: bool) -> None:
    size, seconds = yours.sizes[-1], yours.seconds[-1]
    for exponent, *names in GUIDES:
        across = range(0, 2 * round(field.column(size)) + 1, 3 if not ascii_only else 4)
        path = [(x / 2, field.row(seconds * (field.size(x / 2) / size) ** exponent)) for x in across]
        inside = [(x, y) for x, y in path if -0.5 <= y < ROWS - 0.5]
        for x, y in inside:
            _dot(canvas, x, y, ascii_only)
        if inside:
            _write(canvas, names[ascii_only].format(variable), *inside[0])


def _dot(canvas: list[list[str]], x: float, y: float, ascii_only: bool) -> None:
    column = int(x)
    row, quarter = divmod(int((y + 0.5) * 4), 4)
    if ascii_only:
        canvas[row][column] = "."
        return
    was = ord(canvas[row][column]) - 0x2800 if canvas[row][column] != " " else 0
    canvas[row][column] = chr(0x2800 + (was | _BRAILLE[quarter][int(2 * x) % 2]))


def _write(canvas: list[list[str]], name: str, x: float, y: float) -> None:
    """The name of a guide, where the guide begins."""
    column = min(int(x) + 2, len(canvas[0]) - len(name))
    row = min(max(round(y) + 1, 0), ROWS - 1)
    canvas[row][column : column + len(name)] = name


def _time_ticks(field: _Field) -> Iterator[tuple[int, str]]:
    """(row, label): powers of ten, and 2 and 5 between them where the range is short. No row twice."""
    decades = (field.top - field.bottom) / math.log(10)
    steps = _TICKS if decades < 2.5 else _TICKS[:1]
    taken: set[int] = set()
    for power in range(math.floor(field.bottom / math.log(10)), math.ceil(field.top / math.log(10)) + 1):
        for step in steps:
            row = field.row(step * 10.0**power)
            if -0.5 <= row < ROWS - 0.5 and round(row) not in taken:
                taken.add(round(row))
                yield round(row), tick_label(step, power)


def tick_label(step: int, power: int) -> str:
    """`200 µs`, exactly."""
    for scale, (_, unit) in zip((0, -3, -6, -9), UNITS, strict=True):
        if power >= scale:
            return f"{step * 10 ** (power - scale)} {unit}"
    return f"{step}e{power} s"


def _size_axis(field: _Field, lines: Sequence[Line], dash: str, tick: str) -> tuple[str, str]:
    """The axis with its ticks, and under it the sizes that have room, the largest first."""
    axis, names = [dash] * field.columns, [" "] * (field.columns + 1)
    for size in sorted({size for line in lines for size in line.sizes}, reverse=True):
        column = round(field.column(size))
        axis[column] = tick
        name = str(size)
        start = max(0, min(column - len(name) // 2, len(names) - len(name)))
        if all(cell == " " for cell in names[max(0, start - 1) : start + len(name) + 1]):
            names[start : start + len(name)] = name
    return "".join(axis), "".join(names).rstrip()
