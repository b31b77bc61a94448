"""Tensors as a person reads them: aligned numbers that can be pasted into Python, carets under the worst element.

Pure functions of a TensorView. A tensor that does not fit is shown around its worst element, with … for the rest.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from grader.render.text import printable
from grader.verdict import TensorView

MOST_ROWS = 12  # of one matrix
MOST_BLOCKS = 4  # matrices of a tensor with more than two dimensions
DIGITS = (4, 6, 9, 17)  # significant ones; the first that tells expected from got
WORST = "bold red"

Index = tuple[int, ...]


def headline(view: TensorView) -> str:
    """`float32 (2, 3), not contiguous`."""
    parts = [f"{view.dtype} {tuple(view.shape)}"]
    if view.device not in ("", "cpu"):
        parts.append(view.device)
    if view.note:
        parts.append(view.note)
    return printable(", ".join(parts))


def number(value: Any, digits: int = DIGITS[0]) -> str:
    """One element, short: 1, -0.5, 1.333, 2e-07, nan, True."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return printable(str(value))
    if isinstance(value, int) or not math.isfinite(value):
        return str(value)
    if value == int(value) and abs(value) < 10 ** min(digits, 15):
        return "-0" if value == 0 and math.copysign(1.0, value) < 0 else str(int(value))
    return _short(f"{value:.{digits}g}")


def digits_to_tell_apart(expected: TensorView, got: TensorView, worst: Index | None) -> int:
    """The fewest digits with which the two differ where they differ most."""
    if worst is not None:
        one, other = element(expected, worst), element(got, worst)
        if one is not None and other is not None:
            for digits in DIGITS:
                if number(one, digits) != number(other, digits):
                    return digits
    return DIGITS[0]


def element(view: TensorView, index: Index) -> Any:
    """The element at `index`, or None where the view has none."""
    values = view.values
    for position in index:
        if not isinstance(values, (list, tuple)) or not 0 <= position < len(values):
            return None
        values = values[position]
    return None if isinstance(values, (list, tuple)) else values


def one_line(view: TensorView) -> str | None:
    """The values on one line, or None where the view has none."""
    return None if view.values is None else _flat(view.values)


def _flat(values: Any) -> str:
    if isinstance(values, (list, tuple)):
        return "[" + ", ".join(_flat(value) for value in values) + "]"
    return number(values)


def block(view: TensorView, width: int, worst: Index | None = None, digits: int = DIGITS[0]) -> Text:
    """The values over several lines of at most `width` cells, with carets under the element `worst`.

    Brackets make it valid Python where nothing is marked or left out.
    """
    values = view.values
    if values is None:
        return Text("too large to print")
    depth = _depth(values)
    if worst is not None and len(worst) != depth:
        worst = None
    if depth == 0:
        text = number(values, digits)
        return Text("\n").join([Text(text), _carets(0, len(text))]) if worst is not None else Text(text)
    if depth == 1:
        return Text("\n").join(_matrix([values], width, None if worst is None else (0, worst[0]), digits, outer=False))
    if depth == 2:
        return Text("\n").join(_matrix(values, width, worst, digits))
    lines: list[Text] = []
    for index in _chosen_blocks(values, depth, worst):
        if index is None:
            lines.append(Text("…"))
            continue
        here = worst[-2:] if worst is not None and worst[: depth - 2] == index else None
        lines.append(Text(f"[{', '.join(map(str, index))}]:"))
        lines += _matrix(_at(values, index), width, here, digits)
    return Text("\n").join(lines)


def _depth(values: Any) -> int:
    depth = 0
    while isinstance(values, (list, tuple)):
        depth += 1
        if not values:
            break
        values = values[0]
    return depth


def _at(values: Any, index: Index) -> Any:
    for position in index:
        values = values[position]
    return values


def _chosen_blocks(values: Any, depth: int, worst: Index | None) -> list[Index | None]:
    """The leading indices whose matrices are shown; None where some are left out."""
    indices = list(itertools.islice(_leading(values, depth - 2), MOST_BLOCKS + 1))
    if len(indices) <= MOST_BLOCKS:
        return list(indices)
    chosen: list[Index | None] = list(indices[:MOST_BLOCKS])
    if worst is not None and worst[: depth - 2] not in chosen:
        return [*chosen[: MOST_BLOCKS - 1], None, worst[: depth - 2], None]
    return [*chosen, None]


def _leading(values: Any, depth: int) -> Iterator[Index]:
    if depth == 0:
        yield ()
        return
    for position, part in enumerate(values):
        for rest in _leading(part, depth - 1):
            yield (position, *rest)


def _matrix(
    rows: Sequence[Sequence[Any]], width: int, worst: Index | None, digits: int, *, outer: bool = True
) -> list[Text]:
    """The lines of one matrix; `outer` is the bracket around its rows, which a single row of one dimension lacks."""
    if not rows:
        return [Text("[]")]
    worst_row, worst_column = worst if worst is not None else (None, None)
    shown = _window(len(rows), MOST_ROWS, worst_row)
    texts = {row: [number(value, digits) for value in rows[row]] for row in shown if row is not None}
    cell = max((len(text) for row in texts.values() for text in row), default=1)
    count = max(len(row) for row in texts.values())
    fitting = (width - 4 + 2) // (cell + 2)  # "[[" and "]]", and ", " between two cells
    across = _window(count, count if count <= fitting else max(1, (width - 4 - 6) // (cell + 2)), worst_column)
    lines: list[Text] = []
    for place, row in enumerate(shown):
        start = "" if not outer else "[" if place == 0 else " "
        end = "" if not outer else "]" if place == len(shown) - 1 else ","
        if row is None:
            lines.append(Text(f"{start}…{end.strip(',')}"))
            continue
        line, carets = Text(f"{start}["), None
        for position, column in enumerate(across):
            line.append(", " if position else "")
            text = "…" if column is None else texts[row][column].rjust(cell) if column < len(texts[row]) else ""
            if (row, column) == (worst_row, worst_column):
                bare = len(text.lstrip())
                carets = _carets(len(line) + len(text) - bare, bare)
            line.append(text, style=WORST if (row, column) == (worst_row, worst_column) else "")
        line.append("]" + end)
        lines.append(line)
        if carets is not None:
            lines.append(carets)
    return lines


def _carets(indent: int, count: int) -> Text:
    return Text(" " * indent).append("^" * count, style=WORST)


def _window(count: int, limit: int, keep: int | None) -> list[int | None]:
    """At most `limit` of `count` positions around `keep`; None stands for those left out on a side."""
    if count <= limit:
        return list(range(count))
    first = max(0, min((keep or 0) - limit // 2, count - limit))
    shown: list[int | None] = list(range(first, first + limit))
    return [*([None] if first else []), *shown, *([None] if first + limit < count else [])]


def size(value: float) -> str:
    """An error or a tolerance, where two digits say enough."""
    if not math.isfinite(value):
        return "not finite"
    return f"{value:.0f}" if 100 <= value < 1e5 else _short(f"{value:.2g}")


def _short(text: str) -> str:
    """1e-07 as 1e-7, 3e+12 as 3e12."""
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if e else text
