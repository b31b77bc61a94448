"""The terminal of a live view: a log that stays, under it one line that changes, and a text that is being typed.

The line is rewritten with a carriage return and spaces, so it is the same on any terminal, over ssh, in tmux and with
NO_COLOR, and what was printed before stays in the scrollback. Knows nothing about interviews.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from grader.keyboard.text_entry import TextEntry
from grader.output import Output, decide
from grader.render.page import Page
from grader.render.text import SIGNS_IN_ASCII

if TYPE_CHECKING:
    from rich.console import RenderableType


class Screen:
    """What is written to one terminal."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self._line = ""
        self._entry: tuple[TextEntry, Callable[[str | None], None]] | None = None

    @property
    def page(self) -> Page:
        return Page(self.output.look.width, ascii_only=not self.output.look.unicode)

    @property
    def typing(self) -> bool:
        """Whether keys are letters of a text now."""
        return self._entry is not None

    def measure(self) -> None:
        """Look at the terminal again: it may have another size. What stood in the row of the cursor is written anew."""
        row = self._row
        self.output.look = decide(self.output.stdout, os.environ)
        self.output.__dict__.pop("console", None)
        self._erase(row)
        self._line = ""
        if self._entry is not None:
            self._write(self._entry[0].resize(self.output.look.width))

    def show(self, *renderables: RenderableType) -> None:
        """Print above the line, and above the row of a text that is being typed."""
        self._erase(self._row)
        self._line = ""
        self.output.show(*renderables)
        if self._entry is not None:
            self._write(self._entry[0].open())

    def say(self, stamp: str, text: str) -> None:
        """A line of the log."""
        row = Table.grid(padding=(0, 2, 0, 0))
        row.add_row(Text(f"{stamp:>6}"), self.page.text(text))
        self.show(row)

    def draw(self, line: str, *, clock: str = "") -> None:
        """Put the line that changes, or the clock before the text that is being typed; nothing where it is the same."""
        if self._entry is not None:
            self._write(self._entry[0].tick(clock))
        elif line != self._line:
            self.wipe()
            self._line = line
            self._write(line)
        self.output.flush()

    def wipe(self) -> None:
        """Take the line away: what is written next begins at the margin."""
        self._erase(self._line)
        self._line = ""

    @property
    def _row(self) -> str:
        """What stands in the row of the cursor."""
        return self._line if self._entry is None else self._entry[0].open()

    def _erase(self, row: str) -> None:
        """Take away what stands in the row of the cursor. Where the terminal has become narrower, it broke that into
        several, which only an escape sequence gets back to; one that cuts rows instead loses a line of the log."""
        if not row:
            return
        cells = sum(1 if char.isascii() else 2 for char in row)
        columns = self.columns
        if cells > columns and self.output.look.screen:
            self.output.write(f"\r\x1b[{(cells - 1) // columns}A\x1b[J")
        else:
            self.output.write("\r" + " " * min(cells, columns - 1) + "\r")

    @property
    def columns(self) -> int:
        """Of the terminal itself: what is printed may be kept narrower than a wide one."""
        with suppress(OSError, ValueError, AttributeError):
            return os.get_terminal_size(self.output.stdout.fileno()).columns or self.output.look.width
        return self.output.look.width

    def step_aside(self) -> None:
        """Before somebody else has the terminal for a while."""
        self.wipe()
        self.output.flush()

    def open_entry(self, keep: Callable[[str | None], None], *, paragraph: bool, clock: str = "") -> None:
        """Take a text from the keys that come to `type`; `keep` gets it, or None where Escape dropped it.

        With a `clock` before it, which `draw` keeps going: the line that changes has no place meanwhile.
        """
        self.wipe()
        entry = TextEntry(self.output.look.width, paragraph=paragraph, clock=clock)
        self._entry = entry, keep
        self._write(entry.open())

    def type(self, keys: Sequence[str]) -> None:
        """Letters for the text that is open."""
        assert self._entry is not None
        entry, keep = self._entry
        self._write(entry.feed(keys))
        if entry.done:
            self._entry = None
            keep(None if entry.cancelled else entry.text)

    def end_entry(self) -> None:
        """End a text that is open: what was typed of it is kept."""
        if self._entry is not None:
            (entry, keep), self._entry = self._entry, None
            self._write(entry.end())
            keep(entry.text or None)

    def _write(self, text: str) -> None:
        self.output.write(text if self.output.look.unicode else text.translate(SIGNS_IN_ASCII))
