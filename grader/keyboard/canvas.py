"""One screen that is drawn in place: lines in, as few bytes out as change it, and the terminal as it was afterwards.

Uses the terminal's other screen, so that what stood there before comes back. Knows nothing about what the lines say.
Standard library only.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import TextIO

# The other screen; no line ever continues on the next row; no cursor; what is pasted is marked as such.
_ENTER = "\x1b[?1049h\x1b[?7l\x1b[?25l\x1b[?2004h\x1b[2J"
_LEAVE = "\x1b[?2004l\x1b[?25h\x1b[?7h\x1b[?1049l"


class Canvas:
    """The terminal behind `stream`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._descriptor = stream.fileno()
        self._encoding = stream.encoding or "utf-8"
        self._shown: list[str] = []
        self._open = False

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        with suppress(OSError, ValueError):
            columns, rows = os.get_terminal_size(self._descriptor)
            if columns > 0 and rows > 0:
                return columns, rows
        return 80, 24

    def enter(self) -> None:
        """Begin, or begin again after `leave`."""
        self._stream.flush()
        self._open = True
        self._shown = []
        self._write(_ENTER)

    def leave(self) -> None:
        """Give the terminal back. Does nothing where that was done, and complains about nothing: it may be gone."""
        if self._open:
            self._open = False
            with suppress(OSError):
                self._write(_LEAVE)

    def forget(self) -> None:
        """Whatever stands there now is not what was drawn: the next `draw` draws everything."""
        self._shown = []
        self._write("\x1b[2J")

    def draw(self, lines: Sequence[str]) -> None:
        """Show these lines from the top; no more than there are rows. A line may hold colours, not line ends."""
        shown = self._shown + [""] * (len(lines) - len(self._shown))
        parts = [
            f"\x1b[{row};1H\x1b[2K{line}"  # erased before: after a full line the cursor stands on its last character
            for row, (line, before) in enumerate(zip(lines, shown, strict=False), start=1)
            if line != before
        ]
        if len(shown) > len(lines):
            parts.append(f"\x1b[{len(lines) + 1};1H\x1b[J")
        self._shown = list(lines)
        if parts:
            self._write("".join(parts))

    def _write(self, text: str) -> None:
        """All of it, past the stream's buffer: a half-written buffer must not be flushed onto the other screen."""
        data = text.encode(self._encoding, "backslashreplace")
        while data:
            data = data[os.write(self._descriptor, data) :]
