"""The state of `kata watch`: what is watched, what was found, what is being read. It is told words and shows nothing.

What a person reads changes only by a word of theirs: a key, or a save. A grade that ends while they read a hint or the
brief is announced and waits. Journal, clock and grading are given; no terminal, no thread, no torch in here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from grader.desk import Desk
from grader.errors import GraderError, KataError, UnusableSubmission
from grader.grade_helper import Answer, GradeHelper, Request
from grader.next_step import sentence, solution, stuck
from grader.verdict import Outcome, Verdict
from grader.watch.saves import Change, Saves
from grader.workspace import Target

if TYPE_CHECKING:
    from rich.console import RenderableType

SLOW_SECONDS = 5  # from here on a grade is given up where the file was saved since
PATIENT_SECONDS = 2  # from here on the seconds of a grade are counted before the person's eyes
KEYS = "h hint  n next  r rerun  t timing  s brief  q quit"
SCROLLING = "space, b and arrows scroll; Enter goes back to the verdict"


class Watching:
    """One person at one file. `revision` grows whenever `body` is another one."""

    def __init__(
        self,
        desk: Desk,
        helper: GradeHelper,
        target: Target,
        *,
        keys: bool,
        wake: Callable[[], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        """`wake` is called from a thread when the file may have been saved; without it, only `look` finds that out."""
        self.desk, self.helper, self.target = desk, helper, target
        self.verdict: Verdict | None = None  # of the target's newest grade
        self.grades = 0
        self.over = False
        self.note = ""
        self.revision = 0
        self._keys, self._wake, self._clock, self._now = keys, wake, clock, now
        self._refused = ""  # why the last grade that an interview refused was refused
        self._other: tuple[RenderableType, ...] | None = None  # read instead of the verdict: a hint, the brief
        self._saves = Saves(target.path, wake, now=clock())
        self._running: tuple[str, float, str] | None = None  # the tag of the grade that runs, since when, a word for it
        self._again: bool | None = None  # to be graded again when it is done; whether with timing
        self._source = b""  # of the grade that runs
        self._tags = 0
        self._timed: set[str] = set()  # tags of the grades with timing
        self.shows_time = False  # whether the verdict was asked for because of its block about time
        self._targets: dict[str, Target] = {}  # by tag

    def close(self) -> None:
        self._saves.close()

    def body(self, width: int) -> tuple[RenderableType, ...]:
        """What is being read."""
        if self._other is not None:
            return self._other
        if self.verdict is None:
            return ()
        from grader.render.page import Page
        from grader.render.terminal import screen

        remark, step = self._advice(self.verdict)
        page = Page(width, ascii_only=not self.desk.output.look.unicode)
        return (screen(page, self.verdict, remark=remark, next_step=step),)

    @property
    def state(self) -> str:
        """What is going on, in one line."""
        name = self.target.path.name
        if self._running is None:
            return self.note or f"watching {name}"
        _, since, doing = self._running
        seconds = self._clock() - since
        count = f" {seconds:.0f} s" if seconds >= PATIENT_SECONDS else ""
        return f"{doing} {name}…{count}" + (f"  ({self.note})" if self.note else "")

    @property
    def help(self) -> str:
        return KEYS if self._keys else "Ctrl-C ends"

    def patience(self) -> float:
        """Seconds until something has to be looked at, or shown, again."""
        rest = self._saves.rest(self._clock())
        return rest if self._running is None else min(rest, 1.0)

    def press(self, key: str) -> None:
        """Do what a key asks for; other keys ask for nothing."""
        match key:
            case "q":
                self.over = True
            case "r":
                self.grade()
            case "t":
                self.grade(timing=True)
            case "h":
                self._hint()
            case "s":
                self._brief()
            case "n":
                self._go_on()
            case "enter" | "escape":
                self._read(None)
            case "?":
                self.note = SCROLLING
            case _:
                self.note = f"{key} is no key here; the keys stand below, ? tells of more"

    def look(self) -> None:
        """Look at the file, and grade it if it was saved."""
        name = self.target.path.name
        match self._saves.look(self._clock()):
            case Change.SAVED:
                self.grade()
            case Change.UNCHANGED:
                self.note = f"{name} was saved unchanged: its verdict stands"
            case Change.GONE:
                self.note = f"{name} is gone: waiting for it"

    def grade(self, *, timing: bool = False) -> None:
        """Grade the file as it is now; where a grade is running, as it is when that one is done."""
        from grader.interview.beside import note_refused_grade, why_no_grade

        self._read(None)
        self.note = why_no_grade(self.desk.journal, self.target.kata.id)
        if self.note:
            if self.note != self._refused:  # not of every save
                note_refused_grade(self.desk.journal, self.target.kata.id, "watch")
            self._refused = self.note
            return
        if self._running is not None:
            self._again = timing or bool(self._again)
            return
        from grader.grade_command import snapshot

        source = snapshot(self.target.path)
        if source is None:
            self._finish(self.target, _unreadable(self.target), None)
            return
        self._tags += 1
        tag = str(self._tags)
        self._targets[tag] = self.target
        self._timed |= {tag} if timing else set()
        self._running = tag, self._clock(), "timing" if timing else "checking"
        self._source = source
        self.helper.submit(Request(tag, self.target.kata, source, self.target.shown, timing))

    def take_answers(self) -> None:
        """Take the verdicts that have come, and go on with what was asked for meanwhile."""
        for answer in self.helper.poll():
            tag = answer.request.tag
            target = self._targets.pop(tag)
            current = self._running is not None and self._running[0] == tag
            if current:
                self._running = None
                self.shows_time = tag in self._timed
            self._finish(target, _verdict_of(answer, target), answer.request.source)
            if current and self._again is not None:
                timing, self._again = self._again, None
                self.grade(timing=timing)
        self._give_up_slow()

    def _give_up_slow(self) -> None:
        """A grade that takes long, or hangs, makes way for what was saved since."""
        from grader.grade_command import snapshot

        if self._running is None or self._again is None or self._clock() - self._running[1] < SLOW_SECONDS:
            return
        if snapshot(self.target.path) in (None, self._source):
            return
        tag, _, doing = self._running
        self.helper.cancel(tag)
        del self._targets[tag]
        timing, self._again, self._running = self._again, None, None
        self.grade(timing=timing)
        self.note = self.note or f"{'timing' if doing == 'timing' else 'check'} given up: saved since"

    def _finish(self, target: Target, verdict: Verdict, source: bytes | None) -> None:
        from grader.grade_command import remember

        verdict = remember(self.desk.journal, target.kata.id, target.path, verdict, source)
        self.grades += 1
        if target is not self.target:  # the person went on to another kata meanwhile
            return
        self.verdict = verdict
        self.note = f"graded at {self._now():%H:%M:%S}, watching {target.path.name}"
        if self._other is None:
            self.revision += 1
        else:
            self.note += "; Enter shows the verdict"

    def _read(self, other: tuple[RenderableType, ...] | None) -> None:
        if other is not None or self._other is not None:
            self._other = other
            self.revision += 1

    def _hint(self) -> None:
        from grader.hints import next_hint

        hint = next_hint(self.desk.journal, self.target.kata)
        self._read(hint.parts)
        if hint.interview is not None:
            self.note = f"recorded in interview {hint.interview}, which is running; Enter shows the verdict"
        elif hint.repeated:
            self.note = f"these are all the hints; the answer: {solution(self.desk, self.target.kata.id)}"
        else:
            left = f"{hint.left} more: h" if hint.left else "that was the last hint"
            self.note = f"{left}; Enter shows the verdict"

    def _brief(self) -> None:
        from grader.render.overview import brief_text

        self._read((brief_text(self.target.kata.brief),))
        self.note = "Enter shows the verdict" if self.verdict is not None else ""

    def _go_on(self) -> None:
        """To the next kata: its file is written if it is not there, and watched from now on."""
        from grader import workspace
        from grader.render.overview import next_kata

        following = next_kata(self.desk.katas, self.desk.journal.progress(), after=self.target.kata.id)
        if following is None:
            self.note = "every other kata is passed"
            return
        try:
            path, written = workspace.start(following, self.desk.folder)
        except KataError as error:
            self.note = error.message
            return
        self.desk.journal.append("start", following.id, path, {"written": written})
        self.target = Target(following, path, path.name)
        self.verdict = self._running = self._again = None
        self._saves.close()
        self._saves = Saves(path, self._wake, now=self._clock())
        self._brief()
        self.note = f"wrote {path.name}: it is graded when you save it"
        if not written:
            self.grade()

    def _advice(self, verdict: Verdict) -> tuple[str, str]:
        """A remark, and what a person will want to do now."""
        from grader.catalog import HINTS
        from grader.render.overview import next_kata

        id, name = self.target.kata.id, self.target.path.name
        advice = sentence(verdict.advice)
        if verdict.outcome is Outcome.GRADER_ERROR:
            return advice, "kata doctor, whose output belongs into a bug report"
        if verdict.outcome is Outcome.UNUSABLE:
            return advice, f"edit {name} and save it"
        if verdict.outcome is Outcome.FAIL:
            used = f" ({verdict.hints_used} of {HINTS} used)" if verdict.hints_used else ""
            if self._keys and (verdict.hints_used or 0) < HINTS:
                return f"Stuck? h shows a hint{used}", f"edit {name} and save it"
            return stuck(self.desk, id, verdict.hints_used), f"edit {name} and save it"
        compare = solution(self.desk, id)
        following = next_kata(self.desk.katas, self.desk.journal.progress(), after=id)
        if following is None:
            return "That was the last kata.", compare
        start = f"n starts {following.id}" if self._keys else f"{self.desk.command} start {following.id}"
        return f"To compare with the reference: {compare}", start


def _verdict_of(answer: Answer, target: Target) -> Verdict:
    """The verdict of an answer; one on us where there is none."""
    if answer.verdict is None:
        from grader.grade_command import Options, without_examination

        error = GraderError(f"the grader itself failed: {answer.fault}")
        return without_examination(Outcome.GRADER_ERROR, error, target, None, Options())
    from grader.verdict_json import verdict_of

    return verdict_of(answer.verdict)


def _unreadable(target: Target) -> Verdict:
    """The verdict on a file that cannot even be read."""
    from grader.loading import unusable
    from grader.submission import read_submission

    wanted = " and ".join(entry.name for entry in target.kata.entries)
    try:
        read_submission(target.path, entries=wanted)
    except UnusableSubmission as error:
        return unusable(target.kata, target.shown, error.message, error.next_step)
    return unusable(target.kata, target.shown, "the file could not be read a moment ago", "save it again")
