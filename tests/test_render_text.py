"""Text from elsewhere can neither move the cursor, reorder a line, nor leave its box."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.render.text import amount, fold, printable, printable_lines

ROOMS = Path(__file__).parents[1] / "grader"
COUNTED = re.compile(
    r" (more |new |equal )?(attempts|events|grades|hints|katas|lines|notes|questions|rounds|saves|sessions|steps)\b"
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("注意力 é ✓", "注意力 é ✓"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\nb\rc\td", "a\\nb\\rc\\td"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202eevil\u202c", "\\u202eevil\\u202c"),
        ("\u2066x\u2069\u200e\u061c", "\\u2066x\\u2069\\u200e\\u061c"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("\u2028\u2029\x85", "\\u2028\\u2029\\x85"),
        ("\ud800\udcff", "\\ud800\\udcff"),
        ("\x00\x07\x08\x7f", "\\x00\\x07\\x08\\x7f"),
        ("[red]markup[/red]", "[red]markup[/red]"),
    ],
)
def test_what_is_not_plainly_visible_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_in_ascii_our_signs_are_replaced_and_the_rest_is_escaped() -> None:
    assert printable("✓ √x ≤ 注", ascii_only=True) == "+ sqrtx <= \\u6ce8"


def test_lines_end_where_a_newline_stands_and_nowhere_else() -> None:
    assert printable_lines("a\r\nb\u2028c\rd\x0be\n\tf\n") == ["a", "b\\u2028c\\rd\\x0be", "    f"]
    assert printable_lines("") == []
    assert printable_lines("\n\n") == ["", ""]


class TestFold:
    @pytest.mark.parametrize("line", ["", "short", "x" * 100, "word " * 30, "注" * 50, "a注" * 40, " " * 50])
    @pytest.mark.parametrize("width", [10, 33])
    def test_loses_nothing_and_fits_any_terminal(self, line: str, width: int) -> None:
        pieces = fold(line, width)
        assert "".join(pieces) == line
        assert all(sum(1 if char.isascii() else 2 for char in piece) <= width for piece in pieces)

    def test_cuts_between_words(self) -> None:
        assert fold("one two three four", 9) == ["one two ", "three ", "four"]


def test_one_is_told_from_many() -> None:
    assert [amount(number, "kata") for number in (0, 1, 2)] == ["0 katas", "1 kata", "2 katas"]
    assert amount(1, "more line is", "more lines are") == "1 more line is"
    assert amount(3, "more line is", "more lines are") == "3 more lines are"


def counted_by_hand(path: Path) -> Iterator[str]:
    """Parts of f-strings in which a figure stands before a plural."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            for figure, text in zip(node.values, node.values[1:], strict=False):
                follows = isinstance(text, ast.Constant) and COUNTED.match(str(text.value))
                fixed = isinstance(figure, ast.FormattedValue) and ast.unparse(figure.value).isupper()  # a constant
                if isinstance(figure, ast.FormattedValue) and follows and not fixed:
                    yield f"{path.name}, line {node.lineno}:{text.value}"  # type: ignore[attr-defined]


def test_no_screen_says_1_sessions() -> None:
    """What is counted goes through `amount`; a template has no f-strings, and says it by `amount` too."""
    paths = sorted(ROOMS.rglob("*.py"))
    assert len(paths) > 100
    assert [found for path in paths for found in counted_by_hand(path)] == []
    template = (ROOMS / "render" / "report.html.jinja").read_text(encoding="utf-8")
    assert re.findall(r"\}\}" + COUNTED.pattern, template) == []


def test_a_plural_after_a_figure_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text('said = f", {len(found)} sessions" + f"{n} more lines"\n')
    assert len([*counted_by_hand(tmp_path / "wrong.py")]) == 2
