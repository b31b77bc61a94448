"""What a person writes in a live view: notes, and answers to the questions that follow a kata."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text

from grader.interview.conduct import Conductor
from grader.interview.screen import Screen
from grader.render import interview as words


def unanswered(conductor: Conductor) -> list[tuple[str, int, str]]:
    """(kata, number, title) of the round's questions that have no answer and were not skipped."""
    return [
        (kata, number, question.title)
        for kata in conductor.round.katas
        for number, question in enumerate(conductor.katas[kata].questions)
        if (kata, number) not in conductor.interview.answers
    ]


def time_left(conductor: Conductor) -> str:
    """`12:30 left`, `0:40 over`: before the text that is being typed."""
    rest = conductor.interview.rest(conductor.at)
    return f"{words.clock(rest)} {'left' if rest > 0 else 'over'}"


class Writer:
    """Opens an entry on the screen and keeps what was typed."""

    def __init__(self, screen: Screen, conductor: Conductor, say: Callable[[str], None]) -> None:
        self._screen, self._conductor, self._say = screen, conductor, say

    def note(self, kata: str) -> None:
        """A line that stands in the report."""
        by = "interviewer" if self._conductor.interview.plan.interviewer else "candidate"

        def keep(text: str | None) -> None:
            if text:
                self._conductor.note(text, kata=kata, by=by)
            self._say("noted" if text else "nothing noted")

        self._say("Note, ended by Enter:")
        self._screen.open_entry(keep, paragraph=False, clock=time_left(self._conductor))

    def answer(self) -> None:
        """The answer to the first question of the round that has none."""
        waiting = unanswered(self._conductor)
        if not waiting:
            self._say("All questions are answered or skipped. The model answers stand in the report.")
            return
        kata, number, title = waiting[0]

        def keep(text: str | None) -> None:
            if text is None:
                self._say("dropped; a asks again")
                return
            self._conductor.answer(kata, number, title, text)
            left = len(waiting) - 1
            self._say(
                ("kept" if text else "skipped") + (f"; {left} more: a" if left else "; that was the last question")
            )

        self._screen.show(Text(""), self._screen.page.text(title, "bold"))
        self._say("Your answer; an empty line ends it, at once skips it, Esc drops it:")
        self._screen.open_entry(keep, paragraph=True, clock=time_left(self._conductor))
