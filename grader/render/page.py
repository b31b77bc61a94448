"""What a terminal can show, and the three ways in which text gets onto it: one line, several, behind a bar."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from grader.render.text import fold, printable, printable_lines

if TYPE_CHECKING:
    from rich.console import RenderableType

GOOD, BAD, ODD = "bold green", "bold red", "bold magenta"
INDENT = 2
LONGEST = 1000  # characters of a text that is shown in one piece


@dataclass(frozen=True, slots=True)
class Page:
    """The terminal. Every text that is not written in this package goes through one of its methods."""

    width: int
    ascii_only: bool = False

    def text(self, text: str, style: str = "") -> Text:
        """Text from anywhere, on one line until it is wrapped."""
        text = text if len(text) <= LONGEST else text[:LONGEST] + "…"
        return Text(printable(text, ascii_only=self.ascii_only), style=style)

    def boxed(self, lines: Iterable[str]) -> Text:
        """Lines that are not ours: a bar before each, wherever it is cut."""
        room = self.width - INDENT - 3
        pieces = [piece for line in lines for piece in fold(line, room)]
        return Text("\n".join(f"│ {piece}" for piece in pieces), no_wrap=True, overflow="ignore")

    def lines(self, text: str) -> list[str]:
        """Text from anywhere, line by line."""
        return printable_lines(text, ascii_only=self.ascii_only)


def indented(renderable: RenderableType) -> Padding:
    """A block of details: only our own headings stand at the margin."""
    return Padding(renderable, (0, 0, 0, INDENT), expand=False)
