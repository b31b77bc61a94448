"""`kata interview replay`: step through the snapshots of an interview; without a terminal, print them all.

Shows sources and the words of `render.replay`; a snapshot is graded again only when that is asked for, and the journal
learns nothing of it.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from grader.desk import Desk
from grader.errors import UsageError
from grader.ranges import FiniteRange, WholeRange

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from grader.grade_helper import Request
    from grader.keyboard.keys import Keys
    from grader.render.page import Page
    from grader.report.diff import Change
    from grader.report.replay import Player, Step

HANGUP = 129  # 128 + SIGHUP, as a shell reports it


@click.command(short_help="Step through the snapshots of an interview.")
@click.argument("number", metavar="[N]", type=WholeRange(1), required=False)
@click.option(
    "--speed",
    type=FiniteRange(0.5, 8),
    default=1.0,
    show_default=True,
    help="At 1 a minute takes 2 s, and a step 1 to 5 s.",
)
@click.option("--grade", "wanted", metavar="K", type=WholeRange(1), help="Grade the snapshot of step K again.")
@click.pass_context
def replay(context: click.Context, number: int | None, speed: float, wanted: int | None) -> None:
    """Step through the snapshots of interview N (default: the last one that has ended), with what changed.

    Keys: space pauses, the arrows step and scroll, + and - change the speed, g grades what is shown, q quits. In a pipe
    all steps are printed.
    """
    from grader.report.command import find
    from grader.report.replay import steps

    desk: Desk = context.obj
    interview = find(desk, number)
    found = steps(interview)
    if not found:
        raise UsageError(f"interview {interview.id} holds no snapshot", f"kata interview report {interview.id}")
    if wanted is not None:
        if wanted > len(found):
            raise UsageError(f"there is no step {wanted}: interview {interview.id} has {len(found)}", "")
        context.exit(_grade(desk, found[wanted - 1], wanted))
    if desk.output.look.screen and _keyboard() is not None:
        context.exit(_Show(desk, found, speed).run())
    _print_all(desk, found)


def _print_all(desk: Desk, found: Sequence[Step]) -> None:
    from rich.text import Text

    from grader.render.replay import step_screen

    page = _page(desk, desk.output.look.width)
    for number, step in enumerate(found, start=1):
        if number > 1:
            desk.output.show(Text(""))
        desk.output.show(*step_screen(page, step, number, len(found), _changes(desk, step)))


def _grade(desk: Desk, step: Step, number: int) -> int:
    """Grade a snapshot again and show the verdict. Returns the exit code of the grade."""
    from grader.render.terminal import screen
    from grader.verdict_json import verdict_of

    request = _request(desk, step, number)
    with desk.output.progress(f"grading {request.shown}…"):
        document = _graded(request)
    verdict = verdict_of(document)
    desk.output.show(screen(_page(desk, desk.output.look.width), verdict))
    return verdict.outcome.exit_code


def _graded(request: Request) -> dict[str, object]:
    from grader.errors import GraderError
    from grader.grade_helper import GradeHelper

    helper = GradeHelper()
    try:
        helper.submit(request)
        answers = helper.wait()
    finally:
        helper.close()
    if not answers or answers[0].verdict is None:
        raise GraderError(answers[0].fault if answers else "no verdict came", "kata doctor")
    return answers[0].verdict


def _request(desk: Desk, step: Step, number: int) -> Request:
    from grader.grade_helper import Request

    source = desk.journal.source(step.source)
    kata = desk.katas.get(step.kata)
    if kata is None:
        raise UsageError(f"the kata {step.kata} is not here", "give --katas DIR as at the interview")
    if source is None:
        raise UsageError(f"the source of step {number} is lost", "")
    return Request(str(number), kata, source, f"{kata.file_name} of step {number}")


def _changes(desk: Desk, step: Step) -> list[Change]:
    from grader.report.command import source_text
    from grader.report.diff import changes

    after = source_text(desk, step.source)
    before = None if step.before is None else source_text(desk, step.before)
    return changes(before, after or "")


def _page(desk: Desk, width: int) -> Page:
    from grader.render.page import Page

    return Page(width, ascii_only=not desk.output.look.unicode)


def _keyboard() -> int | None:
    try:
        return sys.stdin.fileno() if sys.stdin is not None and sys.stdin.isatty() else None
    except (OSError, ValueError):
        return None


class _Show:
    """The replay on a screen that is drawn in place."""

    def __init__(self, desk: Desk, found: Sequence[Step], speed: float) -> None:
        from grader.grade_helper import GradeHelper
        from grader.keyboard.canvas import Canvas
        from grader.report.replay import Player

        self._desk = desk
        self._player: Player = Player(found, speed)
        self._canvas = Canvas(desk.output.stdout)
        self._helper = GradeHelper()
        self._verdicts: dict[int, list[RenderableType]] = {}  # by the place of the step
        self._reading: int | None = None  # the place whose verdict is shown instead of its changes
        self._note = ""
        self._top = 0
        self._drawn: tuple[int, bool, int] | None = None
        self._lines: list[str] = []

    def run(self) -> int:
        """Until the person has enough. Returns the exit code."""
        from grader.keyboard.keys import Keys

        try:
            with Keys(_keyboard(), leave=self._canvas.leave, enter=self._canvas.enter) as keys:
                self._canvas.enter()
                try:
                    return self._follow(keys)
                finally:
                    self._canvas.leave()
        finally:
            self._helper.close()

    def _follow(self, keys: Keys) -> int:
        from grader.keyboard.keys import CLOSED, END, RESIZE, RESUME, WAKE
        from grader.report.replay import GRADE, QUIT

        while True:
            self._draw()
            answers = self._helper.fileno()
            begun = time.monotonic()
            words = keys.wait(self._player.left(), also=() if answers is None else (answers,))
            self._move(time.monotonic() - begun)
            for word in words:
                if word == CLOSED:
                    return HANGUP
                if word.startswith(END):
                    return 128 + int(word.removeprefix(END) or 15)
                if word in (RESIZE, RESUME):
                    self._canvas.forget()
                elif word != WAKE and not self._scroll(word):
                    place = self._player.place
                    asked = self._player.press(word)
                    if asked == QUIT:
                        return 0
                    if asked == GRADE:
                        self._ask()
                    elif self._player.place != place:
                        self._turn_page()
                    else:
                        self._reading = None
            self._take_answers()

    def _move(self, seconds: float) -> None:
        place = self._player.place
        self._player.pass_time(seconds)
        if self._player.place != place:
            self._turn_page()

    def _turn_page(self) -> None:
        self._top, self._reading = 0, None

    def _ask(self) -> None:
        place = self._player.place
        self._reading = place
        if place in self._verdicts or self._helper.busy is not None:
            return
        try:
            self._helper.submit(_request(self._desk, self._player.step, place + 1))
            self._note = f"grading step {place + 1}…"
        except UsageError as error:
            self._note, self._reading = error.message, None

    def _take_answers(self) -> None:
        from rich.text import Text

        from grader.render.terminal import screen
        from grader.verdict_json import verdict_of

        for answer in self._helper.poll():
            place = int(answer.request.tag) - 1
            page = _page(self._desk, self._desk.output.width_for(self._canvas.size[0]))
            if answer.verdict is None:
                self._verdicts[place] = [Text(answer.fault)]
            else:
                self._verdicts[place] = [screen(page, verdict_of(answer.verdict))]
            self._note, self._drawn = "", None

    def _scroll(self, key: str) -> bool:
        step = {"down": 1, "j": 1, "up": -1, "k": -1, "page down": 10, "page up": -10}.get(key)
        if step is None:
            return False
        self._player.paused = True  # who scrolls reads
        self._top += step
        return True

    def _draw(self) -> None:
        from grader.output import NARROWEST
        from grader.render.replay import keys, state
        from grader.render.text import shortened
        from grader.render.watch import frame, narrow_screen, room_of

        columns, rows = self._canvas.size
        verdict = self._reading == self._player.place and self._player.place in self._verdicts
        if (self._player.place, verdict, columns) != self._drawn:
            self._drawn = self._player.place, verdict, columns
            self._top = 0
            if columns < NARROWEST:
                self._lines = narrow_screen(_page(self._desk, columns), None, columns)
            else:
                self._lines = self._desk.output.lines(*self._body(columns, verdict=verdict), width=columns)
        self._top = max(0, min(self._top, len(self._lines) - room_of(rows)))
        ascii_only = not self._desk.output.look.unicode
        self._canvas.draw(
            frame(
                self._lines,
                state(self._player, self._note),
                keys(ascii_only=ascii_only),
                top=self._top,
                size=(columns, rows),
                fit=lambda text: shortened(text, columns, ascii_only=ascii_only),
                up="up",
                down="down",
            )
        )

    def _body(self, columns: int, *, verdict: bool) -> list[RenderableType]:
        from grader.render.replay import step_screen

        if verdict:
            return self._verdicts[self._player.place]
        page = _page(self._desk, self._desk.output.width_for(columns))
        step = self._player.step
        return step_screen(page, step, self._player.place + 1, len(self._player.steps), _changes(self._desk, step))
