"""Typing a text at a terminal while a clock goes on: keys in, text out, echoed without a single escape sequence.

A line is folded here, so that no terminal has to wrap it and rubbing out stays in one row. The row that is typed into may
begin with a clock, which `tick` writes anew from the margin on; a row that is left behind loses it. Pure: what must be
written to the terminal is returned.
"""

from __future__ import annotations

from collections.abc import Sequence

PROMPT = "  > "
CLOCK = 14  # cells before the prompt of a text with a clock: `  1:02:07 left`
_KEYS = {"space": " ", "tab": " "}


class TextEntry:
    """A text in the making: one line, or a paragraph that an empty line ends."""

    def __init__(self, width: int, *, paragraph: bool, clock: str = "") -> None:
        """Without a `clock` there is none, and no room for one."""
        self._bare = PROMPT if not clock else " " * CLOCK + " > "
        self._clock = clock
        self._room = self._room_of(width)
        self._paragraph = paragraph
        self._rows: list[str] = [""]  # as they are shown; a row that ends in "\n" ends a line
        self.done = False
        self.cancelled = False

    @property
    def text(self) -> str:
        return "".join(self._rows).strip()

    def open(self) -> str:
        """What to write first, and again after something else was written."""
        return self._prompt + self._rows[-1]

    def resize(self, width: int) -> str:
        """Fold to another width from now on, the row that is open too. Returns what to write in its place."""
        self._room = self._room_of(width)
        row, self._rows[-1] = self._rows[-1], ""
        return self._prompt + "".join(self._take(char, last=False) for char in row)

    def tick(self, clock: str) -> str:
        """Show another clock. Every cell is written over with what stands there, so nothing moves and nothing flickers."""
        if not self._clock or clock == self._clock:
            return ""
        self._clock = clock
        return f"\r{self.open()}"

    def feed(self, keys: Sequence[str]) -> str:
        """Take the keys that came together; what follows the end of the text is dropped.

        An empty line ends a paragraph only as the last of them: a text that is pasted comes at once, and may have some.
        """
        written = ""
        for index, key in enumerate(keys):
            if self.done:
                break
            written += self._take(key, last=index == len(keys) - 1)
        return written

    def end(self) -> str:
        """End it from outside: what was typed stays."""
        self.done = True
        return self._leave()

    def _take(self, key: str, *, last: bool) -> str:
        if key == "escape":
            self.done = self.cancelled = True
            return self._leave()
        if key == "enter":
            empty = not self._rows[-1] and (len(self._rows) == 1 or self._rows[-2].endswith("\n"))
            self.done = not self._paragraph or (empty and last)
            return self._leave() if self.done else self._break("\n")
        if key == "backspace":
            return self._rub_out(1)
        if key == "\x15":  # Ctrl-U
            return self._rub_out(len(self._rows[-1]))
        char = _KEYS.get(key, key)
        if len(char) != 1 or not char.isprintable():
            return ""
        if _cells(self._rows[-1] + char) <= self._room:
            return self._put(char)
        if char == " ":
            return self._break(" ")
        head, space, word = self._rows[-1].rpartition(" ")
        if not space:
            return self._break("") + self._take(char, last=False)
        self._rows[-1] = head
        return self._redraw() + self._break(" ") + self._put(word + char)

    def _put(self, text: str) -> str:
        self._rows[-1] += text
        return text

    def _break(self, mark: str) -> str:
        left = self._leave()
        self._rows[-1] += mark
        self._rows.append("")
        return left + self._prompt

    def _leave(self) -> str:
        """The end of a row: what stood before it was the clock of then."""
        return (f"\r{self._bare}{self._rows[-1]}" if self._clock else "") + "\n"

    def _rub_out(self, count: int) -> str:
        row = self._rows[-1]
        if row:
            self._rows[-1] = row[: max(0, len(row) - count)]
            return self._redraw()
        if len(self._rows) == 1:
            return ""
        left = self._leave()
        self._rows.pop()
        self._rows[-1] = self._rows[-1].rstrip("\n")
        return f"{left}{self.open()}"  # without an escape sequence there is no way up

    def _redraw(self) -> str:
        return "\r" + " " * (len(self._bare) + self._room) + f"\r{self.open()}"

    @property
    def _prompt(self) -> str:
        return f"{self._clock:>{CLOCK}} > " if self._clock else self._bare

    def _room_of(self, width: int) -> int:
        return max(10, width - len(self._bare) - 1)


def _cells(text: str) -> int:
    return sum(1 if char.isascii() else 2 for char in text)
