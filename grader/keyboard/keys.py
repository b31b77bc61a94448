"""What a person does at a terminal while something runs: keys, one by one, and Ctrl-C, Ctrl-Z, resizing, closing.

Every one of them becomes a word that `Keys.wait` returns in the main loop, so that nothing happens in the middle of
something else. Knows nothing about what the keys mean and draws nothing. POSIX only; standard library only.
"""

from __future__ import annotations

import codecs
import os
import select
import signal
import termios
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any

RESIZE, RESUME, WAKE, CLOSED, END = "<resize>", "<resume>", "<wake>", "<closed>", "<end>"
"""Words that no key gives: the terminal has another size; we were stopped and go on; `wake` was called; the terminal is
gone; somebody asks us to end (followed by the signal's number)."""

ESCAPE_SECONDS = 0.05  # how long the rest of an escape sequence may take to arrive, over ssh too

_CSI = "\x1b["
_PASTE, _PASTE_END = "\x1b[200~", "\x1b[201~"
_SEQUENCES = {
    **dict.fromkeys(("\x1b[A", "\x1bOA"), "up"),
    **dict.fromkeys(("\x1b[B", "\x1bOB"), "down"),
    **dict.fromkeys(("\x1b[C", "\x1bOC"), "right"),
    **dict.fromkeys(("\x1b[D", "\x1bOD"), "left"),
    **dict.fromkeys(("\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~"), "home"),
    **dict.fromkeys(("\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~"), "end"),
    "\x1b[5~": "page up",
    "\x1b[6~": "page down",
}
_NAMES = {"\r": "enter", "\n": "enter", " ": "space", "\x7f": "backspace", "\x08": "backspace", "\t": "tab"}


class Decoder:
    """Turns the bytes of a terminal into names of keys. What is pasted is no key and is dropped."""

    def __init__(self) -> None:
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""
        self._pasting = False

    @property
    def unfinished(self) -> bool:
        """Whether an escape sequence has begun and may go on: the Escape key alone looks the same."""
        return self._text != "" and not self._pasting

    def feed(self, data: bytes) -> list[str]:
        """The keys that are complete with `data`."""
        self._text += self._utf8.decode(data)
        keys: list[str] = []
        while self._text:
            if self._pasting:
                _, end, rest = self._text.partition(_PASTE_END)
                if not end:
                    self._text = self._text[-len(_PASTE_END) + 1 :]
                    return keys
                self._pasting, self._text = False, rest
            elif self._text[0] != "\x1b":
                keys.append(_NAMES.get(self._text[0], self._text[0]))
                self._text = self._text[1:]
            else:
                length = _sequence_length(self._text)
                if length == 0:
                    return keys
                sequence, self._text = self._text[:length], self._text[length:]
                self._pasting = sequence == _PASTE
                keys += [_SEQUENCES[sequence]] if sequence in _SEQUENCES else []
        return keys

    def give_up(self) -> list[str]:
        """What has begun will not go on: it was the Escape key."""
        begun, self._text = self._text, ""
        return ["escape"] if begun else []


def _sequence_length(text: str) -> int:
    """How long the escape sequence at the start of `text` is, 0 where its end has not come yet."""
    if text.startswith(_CSI):
        return next((i + 1 for i, char in enumerate(text[2:], start=2) if "@" <= char <= "~"), 0)
    if text.startswith("\x1bO"):
        return 3 if len(text) > 2 else 0
    return 2 if len(text) > 1 else 0


class Keys:
    """With it open, keys arrive unechoed and at once; afterwards the terminal is as it was, whatever happened.

    `keyboard` is the terminal's descriptor, None where there is none to read from. `leave` and `enter` are called before
    we are stopped by Ctrl-Z and when we go on.
    """

    def __init__(
        self,
        keyboard: int | None,
        *,
        leave: Callable[[], None] = lambda: None,
        enter: Callable[[], None] = lambda: None,
    ) -> None:
        self._keyboard = keyboard
        self._leave, self._enter = leave, enter
        self._decoder = Decoder()
        self._before: list[Any] | None = None  # the terminal's settings
        self._handlers: dict[int, Any] = {}
        self._seen: list[int] = []  # signals, in order
        self._read_end, self._write_end = os.pipe()
        for end in (self._read_end, self._write_end):
            os.set_blocking(end, False)

    def __enter__(self) -> Keys:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self._handlers[number] = signal.signal(number, self._note)
        if self._keyboard is not None:
            for number in (signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT):
                self._handlers[number] = signal.signal(number, self._note)
            self._before = termios.tcgetattr(self._keyboard)
            self._take_keys()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._give_keys_back()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        os.close(self._read_end)
        os.close(self._write_end)

    def wake(self) -> None:
        """Let `wait` return. May be called from any thread, and from a signal handler."""
        with suppress(BlockingIOError):  # full: it will return anyway
            os.write(self._write_end, b"w")

    def wait(self, seconds: float | None = None, *, also: Sequence[int] = ()) -> list[str]:
        """What happened, in order; empty after `seconds` without anything. Raises KeyboardInterrupt on Ctrl-C.

        Where one of the descriptors in `also` becomes readable, that is a WAKE too.
        """
        words: list[str] = []
        deadline = None if seconds is None else time.monotonic() + seconds
        while not words:
            words += self._signals()
            rest = None if deadline is None else max(0.0, deadline - time.monotonic())
            unfinished = self._decoder.unfinished
            if words:
                rest = 0.0
            elif unfinished:
                rest = ESCAPE_SECONDS if rest is None else min(rest, ESCAPE_SECONDS)
            watched = [self._read_end, *([] if self._keyboard is None else [self._keyboard]), *also]
            ready, _, _ = select.select(watched, [], [], rest)
            if self._read_end in ready:
                self._drain()
                words += self._signals()
            if self._read_end in ready or any(each in ready for each in also):
                words.append(WAKE)
            if self._keyboard in ready:
                words += self._read_keys()
            elif unfinished and not ready:
                words += self._decoder.give_up()
            elif not ready and not words:
                return []
        return words

    def _read_keys(self) -> list[str]:
        assert self._keyboard is not None
        try:
            data = os.read(self._keyboard, 4096)
        except OSError:  # the terminal was closed
            data = b""
        if data:
            return self._decoder.feed(data)
        self._keyboard = None
        return [CLOSED]

    def _note(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGINT and signal.SIGINT in self._seen:  # the loop is held up somewhere: do not wait for it
            raise KeyboardInterrupt
        self._seen.append(number)
        self.wake()

    def _drain(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self._read_end, 4096):
                pass

    def _signals(self) -> list[str]:
        words: list[str] = []
        while self._seen:
            number = self._seen.pop(0)
            if number == signal.SIGINT:
                raise KeyboardInterrupt
            if number == signal.SIGTSTP:
                self._stop()
                words.append(RESUME)
            elif number == signal.SIGCONT:  # after a SIGSTOP, which nobody can catch, the settings may be the shell's
                self._take_keys()
                words.append(RESUME)
            else:
                words.append(RESIZE if number == signal.SIGWINCH else f"{END}{number}")
        return words

    def _stop(self) -> None:
        """Do as Ctrl-Z asks, with the terminal in order, and come back when we are continued."""
        self._leave()
        self._give_keys_back()
        ours = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, ours)
        self._take_keys()
        self._enter()

    def _take_keys(self) -> None:
        """No echo, no waiting for a line; Ctrl-C and Ctrl-Z still send their signals."""
        if self._keyboard is None:
            return
        with suppress(termios.error):
            settings = termios.tcgetattr(self._keyboard)
            settings[3] &= ~(termios.ICANON | termios.ECHO)
            settings[6][termios.VMIN], settings[6][termios.VTIME] = 1, 0
            termios.tcsetattr(self._keyboard, termios.TCSADRAIN, settings)

    def _give_keys_back(self) -> None:
        if self._keyboard is not None and self._before is not None:
            with suppress(termios.error):
                termios.tcsetattr(self._keyboard, termios.TCSAFLUSH, self._before)
