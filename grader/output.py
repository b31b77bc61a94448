"""The one room that decides what a stream can show: colour, width, Unicode, and which words go to which stream.

stdout carries what was asked for (a verdict, a path, a document), stderr everything said beside it. The rules, first
match wins: NO_COLOR set to anything but the empty string: no escape sequence at all, not even bold. FORCE_COLOR: "0" no
colour, other values colour, in a pipe too. TERM=dumb: no colour, and ASCII. Else colour on a terminal only. CLICOLOR is
not read. Width is that of the terminal or COLUMNS, and 80 in a pipe. Rich is imported on first use.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TextIO, cast

from grader import interrupt
from grader.render.text import SIGNS_IN_ASCII, cells, fold, printable, printable_lines, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, RenderableType

WIDEST = 120  # a longer line is tiring to read
NARROWEST = 40
PATIENT_SECONDS = 2  # from here on the seconds of a wait are counted before the person's eyes
_ECHO = len("^C")  # that a terminal writes where the cursor is


@dataclass(frozen=True, slots=True)
class Look:
    """What one stream can show."""

    terminal: bool
    color: bool
    unicode: bool
    width: int
    screen: bool = False  # a terminal whose cursor can be moved. Not a matter of NO_COLOR


def decide(stream: TextIO, environ: Mapping[str, str]) -> Look:
    """Read the stream and the environment once; nothing else in the package asks them."""
    terminal = _is_terminal(stream)
    dumb = environ.get("TERM") == "dumb"
    force = environ.get("FORCE_COLOR", "")
    if environ.get("NO_COLOR"):
        color = False
    elif force:
        color = force != "0"
    else:
        color = terminal and not dumb
    return Look(
        terminal=terminal,
        color=color,
        unicode=not dumb and _encodes_signs(stream),
        width=_width(environ),
        screen=terminal and not dumb and bool(environ.get("TERM")),
    )


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def _encodes_signs(stream: TextIO) -> bool:
    try:
        "✓│─…".encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeError, LookupError):
        return False
    return True


def _width(environ: Mapping[str, str]) -> int:
    return max(NARROWEST, min(_columns(environ), WIDEST))


def _columns(environ: Mapping[str, str]) -> int:
    columns = environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    for stream in (sys.__stdout__, sys.__stderr__):  # where one is piped, the other tells nothing about it
        if stream is not None and _is_terminal(stream):
            with suppress(OSError, ValueError):
                return os.get_terminal_size(stream.fileno()).columns or 80
            break
    return 80


_TRAILING = re.compile(r" +$", re.MULTILINE)


class Output:
    """stdout and stderr as the commands use them."""

    def __init__(
        self,
        stdout: TextIO | None = None,
        stderr: TextIO | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        environ = os.environ if environ is None else environ
        self.stdout = stdout or sys.stdout or _nowhere()  # sys.stdout is None where the shell closed it
        self.stderr = stderr or sys.stderr or _nowhere()
        for stream in (self.stdout, self.stderr):
            # A name that the encoding lacks must not end a grade with UnicodeEncodeError.
            with suppress(AttributeError, ValueError):
                cast(Any, stream).reconfigure(errors="backslashreplace")
        self.look = decide(self.stdout, environ)
        self.error_look = decide(self.stderr, environ)
        self.columns = min(_columns(environ), WIDEST)  # of the terminal itself, which may be less than we write for

    @cached_property
    def console(self) -> Console:
        """The rich console of stdout."""
        return _console(self.stdout, self.look)

    def show(self, *renderables: RenderableType, wrap: bool = True) -> None:
        """Print renderables, one after the other, to stdout. A str is plain text: markup in it means nothing."""
        self.stdout.write(self._rendered(self.console, renderables, wrap=wrap))

    def width_for(self, columns: int) -> int:
        """How wide our text is on a terminal of so many columns."""
        return max(NARROWEST, min(columns, WIDEST))

    def lines(self, *renderables: RenderableType, width: int) -> list[str]:
        """What `show` would print on a stdout of this width, line by line: for a screen that is drawn in place."""
        console = _console(self.stdout, replace(self.look, width=self.width_for(width)))
        return self._rendered(console, renderables).split("\n")[:-1]

    def _rendered(self, console: Console, renderables: Sequence[RenderableType], *, wrap: bool = True) -> str:
        with console.capture() as capture:
            for renderable in renderables:
                console.print(renderable, soft_wrap=not wrap)
        # Rich fills lines up to the width; a person who copies them does not want the spaces.
        text = _TRAILING.sub("", capture.get())
        return text if self.look.unicode else text.translate(SIGNS_IN_ASCII)

    @property
    def encoding(self) -> str:
        """That of stdout."""
        return getattr(self.stdout, "encoding", None) or "ascii"

    def can_write(self, text: str) -> bool:
        """Whether every character of it reaches stdout, be it as a stand-in."""
        try:
            text.translate(SIGNS_IN_ASCII).encode(self.encoding)
        except (UnicodeError, LookupError):
            return False
        return True

    def write(self, text: str) -> None:
        """Write text of ours (a document, a source file) to stdout as it is."""
        self.stdout.write(text)

    def write_path(self, path: str | os.PathLike[str]) -> None:
        """Write one path and a newline to stdout: byte for byte into a pipe, made harmless on a terminal."""
        name = os.fspath(path)
        if not self._write_bytes(os.fsencode(name) + b"\n"):
            self.stdout.write(printable(name) + "\n")

    def write_source(self, source: bytes) -> None:
        """Write a file that is not ours to stdout: byte for byte into a pipe, made harmless on a terminal."""
        if not self._write_bytes(source):
            lines = printable_lines(source.decode("utf-8", "backslashreplace"))
            self.stdout.write("".join(f"{line}\n" for line in lines))

    def _write_bytes(self, content: bytes) -> bool:
        """Whether stdout takes bytes and is no terminal."""
        buffer = None if self.look.terminal else getattr(self.stdout, "buffer", None)
        if buffer is None:
            return False
        self.stdout.flush()
        buffer.write(content)
        buffer.flush()
        return True

    def say(self, *lines: str) -> None:
        """Remarks to stderr, one a line."""
        self._to_stderr(*lines)

    def warn(self, text: str) -> None:
        """One warning to stderr: the command goes on."""
        self._to_stderr(f"warning: {text}")

    def error(self, message: str, next_step: str = "") -> None:
        """Why the command ends without doing what was asked, and what to do about it."""
        red, bold, plain = ("\x1b[1;31m", "\x1b[1m", "\x1b[0m") if self.error_look.color else ("", "", "")
        self.stderr.write(f"{red}kata:{plain}{self._wrapped(f'kata: {message}').removeprefix('kata:')}\n")
        if next_step:
            self.stderr.write(f"{bold}{self._wrapped(f'Next: {next_step}')}{plain}\n")
        self.stderr.flush()

    def _to_stderr(self, *lines: str) -> None:
        self.stderr.write("".join(f"{self._wrapped(line)}\n" for line in lines))
        self.stderr.flush()

    def _wrapped(self, line: str) -> str:
        """A line of ours for stderr: on a terminal cut between words, in a pipe whole."""
        line = self._plain(line)
        return "\n".join(wrapped(line, self.error_look.width, indent="  ")) if self.error_look.terminal else line

    def _plain(self, text: str) -> str:
        return printable(text, ascii_only=not self.error_look.unicode)

    @contextmanager
    def progress(self, note: str) -> Iterator[Callable[[str], None]]:
        """A note on stderr while something takes long, with the seconds, erased afterwards.

        What is yielded replaces the note. Nothing is written where stderr is no terminal.
        """
        if not self.error_look.terminal:
            yield lambda note: None
            return
        shown = Note(self.stderr, lambda text: fold(self._plain(text), self.error_look.width - _ECHO - 1)[0])
        shown.say(note)
        over = threading.Event()

        def count() -> None:
            while not over.wait(1):
                shown.draw()

        counter = threading.Thread(target=count, name="count the seconds", daemon=True)
        counter.start()
        interrupt.undo(shown.abandon)
        try:
            yield shown.say
        finally:
            interrupt.forget(shown.abandon)
            over.set()
            counter.join()
            shown.erase()

    def flush(self) -> None:
        """Push everything out now, so that a closed pipe is noticed here and not at exit."""
        self.stdout.flush()
        self.stderr.flush()


class Note:
    """One line that is written over by the next; from `PATIENT_SECONDS` on with the seconds since it began."""

    def __init__(self, stream: TextIO, fit: Callable[[str], str], clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._fit, self._clock = stream, fit, clock
        self._began = clock()
        self._note = ""
        self._shown = ""
        self._lock = threading.Lock()

    def say(self, note: str) -> None:
        self._note = note
        self.draw()

    def draw(self) -> None:
        """Show the note as it is now; nothing is written where nothing has changed."""
        with self._lock, suppress(OSError, ValueError):  # a terminal that is gone is noticed by who asked for the note
            seconds = self._clock() - self._began
            text = self._fit(self._note + (f" {seconds:.0f} s" if seconds >= PATIENT_SECONDS else ""))
            if text != self._shown:
                left = cells(self._shown) - cells(text)
                rest = " " * left + "\b" * left if left > 0 else ""
                self._stream.write(("\r" if self._shown else "") + text + rest)
                self._stream.flush()
                self._shown = text

    def erase(self) -> None:
        """Spaces, not an escape sequence: right on any terminal."""
        self._stream.write(self._blank())
        self._stream.flush()

    def abandon(self) -> None:
        """Erase it from a signal's handler, in the middle of whatever; nobody draws again."""
        self._lock.acquire(timeout=0.1)  # whoever draws may be the one that was interrupted, and is not waited for
        os.write(self._stream.fileno(), self._blank().encode("ascii"))

    def _blank(self) -> str:
        return "\r" + " " * (cells(self._shown) + _ECHO) + "\r"


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")


def _console(stream: TextIO, look: Look) -> Console:
    from rich.console import Console
    from rich.theme import Theme

    # Only the sixteen colours of the user's own theme, and none that vanishes on white or on black.
    styles = {
        "markdown.code": "bold",
        "markdown.code_block": "none",
        "markdown.h1": "bold",
        "markdown.h2": "bold",
        "markdown.h3": "bold",
        "markdown.link": "underline",
        "markdown.link_url": "underline",
        "markdown.block_quote": "none",
        "markdown.item.bullet": "bold",
        "markdown.item.number": "bold",
        "markdown.hr": "none",
        "markdown.table.border": "none",
        "markdown.table.header": "bold",
        "repr.number": "none",
    }
    return Console(
        file=stream,
        force_terminal=look.color,
        force_interactive=False,
        force_jupyter=False,
        color_system="standard" if look.color else None,
        no_color=not look.color,
        width=look.width,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        theme=Theme(styles),
        _environ={},  # the environment was read above, once
    )


def close_quietly() -> None:
    """After a failed write: point both streams at nothing, so that the interpreter's last flush does not fail."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
