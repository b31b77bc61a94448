"""Typing a text at a terminal while a clock goes on: keys in, text out, echoed without a single escape sequence.

A line is folded here, so that no terminal has to wrap it and rubbing out stays in one row. Pure: what must be written
to the terminal is returned.
"""

from __future__ import annotations

from collections.abc import Sequence

PROMPT = "  > "
_KEYS = {"space": " ", "tab": " "}


class TextEntry:
    """A text in the making: one line, or a paragraph that an empty line ends."""

    def __init__(self, width: int, *, paragraph: bool) -> None:
        self._room = max(10, width - len(PROMPT) - 1)
        self._paragraph = paragraph
        self._rows: list[str] = [""]  # as they are shown; a row that ends in "\n" ends a line
        self.done = False
        self.cancelled = False

    @property
    def text(self) -> str:
        return "".join(self._rows).strip()

    def open(self) -> str:
        """What to write first, and again after something else was written."""
        return PROMPT + self._rows[-1]

    def resize(self, width: int) -> str:
        """Fold to another width from now on, the row that is open too. Returns what to write in its place."""
        self._room = max(10, width - len(PROMPT) - 1)
        row, self._rows[-1] = self._rows[-1], ""
        return PROMPT + "".join(self._take(char, last=False) for char in row)

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

    def _take(self, key: str, *, last: bool) -> str:
        if key == "escape":
            self.done = self.cancelled = True
            return "\n"
        if key == "enter":
            empty = not self._rows[-1] and (len(self._rows) == 1 or self._rows[-2].endswith("\n"))
            self.done = not self._paragraph or (empty and last)
            return "\n" if self.done else self._break("\n")
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
        self._rows[-1] += mark
        self._rows.append("")
        return f"\n{PROMPT}"

    def _rub_out(self, count: int) -> str:
        row = self._rows[-1]
        if row:
            self._rows[-1] = row[: max(0, len(row) - count)]
            return self._redraw()
        if len(self._rows) == 1:
            return ""
        self._rows.pop()
        self._rows[-1] = self._rows[-1].rstrip("\n")
        return f"\n{self.open()}"  # without an escape sequence there is no way up

    def _redraw(self) -> str:
        return "\r" + " " * (len(PROMPT) + self._room) + f"\r{self.open()}"


def _cells(text: str) -> int:
    return sum(1 if char.isascii() else 2 for char in text)
