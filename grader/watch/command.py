"""`kata watch`: a file is graded again whenever it is saved, on one screen with keys, or one line a grade in a pipe.

The grade runs in a process of its own (`grade_helper`), which keeps torch and the zygote warm, so that keys are heard
meanwhile and this process stays small. What happens is decided by `state`; here it is waited for and shown.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Protocol

from grader.desk import Desk
from grader.errors import UnusableSubmission, UsageError
from grader.grade_helper import GradeHelper
from grader.interview.beside import refuse_grade
from grader.keyboard.canvas import Canvas
from grader.keyboard.keys import CLOSED, END, RESIZE, RESUME, WAKE, Keys
from grader.output import NARROWEST, Output
from grader.render.text import shortened
from grader.watch.state import Watching
from grader.workspace import Target, find_submission

HANGUP = 129  # 128 + SIGHUP, as a shell reports it


def watch(desk: Desk, argument: str | None, kata: str | None) -> int:
    """Watch one file until the person has enough. Returns the exit code."""
    helper = GradeHelper()
    helper.warm_up()  # first of all: torch loads over there while everything else happens here
    try:
        target = _target(desk, argument, kata)
        keyboard = _keyboard() if desk.output.look.terminal else None
        front: Front = _Screen(desk.output) if desk.output.look.screen else _Lines(desk.output)
        with Keys(keyboard, leave=front.leave, enter=front.enter) as keys:
            watching = Watching(desk, helper, target, keys=keyboard is not None, wake=keys.wake)
            try:
                front.enter()
                code = _follow(watching, front, keys)
            finally:
                watching.close()
                front.leave()
        front.say_goodbye(watching)
        return code
    finally:
        helper.close()


def _target(desk: Desk, argument: str | None, kata: str | None) -> Target:
    wanted = None if kata is None else desk.kata(kata)
    try:
        verb = f"{desk.command} watch"
        target = find_submission(argument, wanted, desk.folder, desk.katas, desk.journal.started(), verb)
    except UnusableSubmission as error:
        raise UsageError(f"{argument}: {error.message}", error.next_step) from None
    refuse_grade(desk.journal, target.kata.id, "watch")
    if not target.path.is_file():
        what = "is not a file" if target.path.exists() else "is not there"
        raise UsageError(f"{target.shown} {what}", f"kata start {target.kata.id}, then kata watch {target.kata.id}")
    return target


def _keyboard() -> int | None:
    try:
        return sys.stdin.fileno() if sys.stdin is not None and sys.stdin.isatty() else None
    except (OSError, ValueError):
        return None


def _follow(watching: Watching, front: Front, keys: Keys) -> int:
    """The loop: show, wait, do. Returns the exit code."""
    watching.grade()
    while not watching.over:
        front.show(watching)
        answers = watching.helper.fileno()
        for word in keys.wait(watching.patience(), also=() if answers is None else (answers,)):
            if word == CLOSED:
                return HANGUP
            if word.startswith(END):
                return 128 + int(word.removeprefix(END))
            if word in (RESIZE, RESUME):
                front.forget()
            elif word != WAKE and not front.scroll(word):
                watching.press(word)
        watching.look()
        watching.take_answers()
    return 0


class Front(Protocol):
    """What shows a Watching."""

    def enter(self) -> None: ...

    def leave(self) -> None: ...

    def forget(self) -> None:
        """The terminal may have changed: show everything again."""

    def scroll(self, key: str) -> bool:
        """Whether the key was one of those that move what is read."""

    def show(self, watching: Watching) -> None: ...

    def say_goodbye(self, watching: Watching) -> None: ...


class _Screen:
    """One screen, drawn in place; what is longer can be scrolled."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._canvas = Canvas(output.stdout)
        self._lines: list[str] = []
        self._drawn: tuple[int, int] | None = None  # revision and width of the lines
        self._top = 0
        self._room = 1
        self.enter, self.leave = self._canvas.enter, self._canvas.leave

    def forget(self) -> None:
        self._canvas.forget()

    def scroll(self, key: str) -> bool:
        page = max(1, self._room - 1)
        steps = {"down": 1, "j": 1, "up": -1, "k": -1, "space": page, "page down": page, "b": -page, "page up": -page}
        jumps = {"home": -len(self._lines), "g": -len(self._lines), "end": len(self._lines), "G": len(self._lines)}
        step = (steps | jumps).get(key)
        if step is not None:
            self._top += step
        return step is not None

    def show(self, watching: Watching) -> None:
        from grader.render.page import Page
        from grader.render.watch import frame, narrow_screen, place_of_timing, room_of

        columns, rows = self._canvas.size
        drawn = watching.revision, columns
        if drawn != self._drawn:
            if self._drawn is None or self._drawn[0] != watching.revision:
                self._top = 0
            new = self._drawn is None or self._drawn[0] != watching.revision
            self._drawn = drawn
            width = self._output.width_for(columns)
            if columns < NARROWEST:
                page = Page(columns, ascii_only=not self._output.look.unicode)
                self._lines = narrow_screen(page, watching.verdict, columns)
            else:
                self._lines = self._output.lines(*watching.body(width), width=columns)
            if new and watching.shows_time:
                self._top = place_of_timing(self._lines)
        self._room = room_of(rows)
        self._top = max(0, min(self._top, len(self._lines) - self._room))
        fit = self._fit(columns)
        self._canvas.draw(
            frame(self._lines, watching.state, watching.help, top=self._top, size=(columns, rows), fit=fit)
        )

    def _fit(self, columns: int) -> Callable[[str], str]:
        ascii_only = not self._output.look.unicode
        return lambda text: shortened(text, columns, ascii_only=ascii_only)

    def say_goodbye(self, watching: Watching) -> None:
        """What stays on the person's own screen."""
        _print_verdict(self._output, watching)


class _Lines:
    """One line a grade; on a terminal whose cursor cannot be moved, the whole of what is read."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._revision = 0
        self._grades = 0
        self._state = ""

    def enter(self) -> None: ...

    def leave(self) -> None: ...

    def forget(self) -> None: ...

    def scroll(self, key: str) -> bool:
        return False

    def show(self, watching: Watching) -> None:
        if self._output.look.terminal:
            if watching.revision != self._revision:
                self._output.show(*watching.body(self._output.look.width))
            if watching.state != self._state:
                self._output.say(watching.state)
        elif watching.grades != self._grades:
            _print_verdict(self._output, watching)
        self._revision, self._grades, self._state = watching.revision, watching.grades, watching.state
        self._output.flush()

    def say_goodbye(self, watching: Watching) -> None: ...


def _print_verdict(output: Output, watching: Watching) -> None:
    from grader.render.page import Page
    from grader.render.watch import verdict_line

    if watching.verdict is not None:
        page = Page(output.look.width, ascii_only=not output.look.unicode)
        output.show(verdict_line(page, watching.verdict), wrap=output.look.terminal)  # in a pipe always one line
