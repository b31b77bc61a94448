"""Text from elsewhere, made harmless: file names, exception messages, parameter names, what a candidate printed.

Whatever is not plainly printable (control characters, escape sequences, bidirectional and zero-width marks, line
separators, lone surrogates) is shown as its escape, so that it can neither move the cursor nor reorder a line. Imports
only the standard library; nothing here knows about colour.
"""

from __future__ import annotations

# The signs that our own texts use, for terminals without Unicode. Those of aligned columns map to one character.
NO_SPEED = "speed not measured"

SIGNS_IN_ASCII = str.maketrans(
    {
        "✓": "+", "✗": "x", "○": "o", "–": "-", "—": "-", "−": "-", "×": "x", "·": "*", "│": "|", "─": "-", "•": "*",
        "…": "...", "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "’": "'", "‘": "'", "“": '"', "”": '"', "√": "sqrt",
        "ᵀ": "^T", "²": "^2", "Σ": "sum", "φ": "phi", "ε": "eps", "μ": "mu", "σ": "sigma", "∞": "inf", "±": "+-",
        "≈": "~", "∈": "in", "µ": "u", "█": "#", "░": ".", "▶": ">", "÷": "/",
    }
)  # fmt: skip


def amount(number: int, noun: str, many: str = "") -> str:
    """`1 kata`, `2 katas`: the one place that knows of the difference. `many` where it is not the noun with an s."""
    return f"{number} {noun if number == 1 else many or noun + 's'}"


def ratio(value: float) -> str:
    """A ratio with three digits that mean something: 0.41, 12.3, 140. The same wherever it is told."""
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def printable(text: str, *, ascii_only: bool = False) -> str:
    """`text` on one line: every character that is not plainly visible, line ends too, becomes its escape."""
    if ascii_only:
        text = text.translate(SIGNS_IN_ASCII)
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char if char.isprintable() and (char.isascii() or not ascii_only) else _escape(char) for char in text
    )


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def printable_lines(text: str, *, ascii_only: bool = False) -> list[str]:
    """`text` line by line. Only \\n and \\r\\n end a line; tabs become spaces; everything else invisible is escaped."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [printable(line.expandtabs(4), ascii_only=ascii_only) for line in lines]


def shortened(text: str, columns: int, *, ascii_only: bool = False) -> str:
    """`text` on one line of so many columns; a sign tells where something is cut away, lest 17 be read for 1/17."""
    line, sign = printable(text, ascii_only=ascii_only), "..." if ascii_only else "…"
    return line if len(line) <= columns else line[: max(0, columns - len(sign))] + sign[:columns]


def wrapped(line: str, width: int, *, indent: str = "") -> list[str]:
    """A printable line cut between its words, never within one; every piece but the first begins with `indent`."""
    first, *words = line.lstrip(" ").split(" ")
    pieces = [" " * (len(line) - len(line.lstrip(" "))) + first]
    for word in words:
        if cells(pieces[-1]) + 1 + cells(word) > width:
            pieces.append(indent + word)
        else:
            pieces[-1] += f" {word}"
    return pieces


def cells(text: str) -> int:
    """How many cells a terminal needs for a text at most: two for a character outside ASCII."""
    return sum(1 if char.isascii() else 2 for char in text)


def fold(line: str, width: int) -> list[str]:
    """Cut a printable line into pieces that fit `width` cells on any terminal, between words where there are some.

    A character outside ASCII counts as two cells, the most that a terminal gives to one: a piece that is too short
    does no harm, while one that is too long would be continued by the terminal at the margin, without our prefix.
    """
    pieces: list[str] = []
    start, used = 0, 0
    for index, char in enumerate(line):
        wide = cells(char)
        if used + wide > width and index > start:
            space = line.rfind(" ", start + (index - start) // 2, index)
            cut = index if space < 0 or char == " " else space + 1
            pieces.append(line[start:cut])
            used = cells(line[cut:index])
            start = cut
        used += wide
    pieces.append(line[start:])
    return pieces
