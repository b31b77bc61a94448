"""The keys of a human interviewer: script, rubric, questions with what to listen for, marks. For a live view to add."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text

from grader.interview import rubric
from grader.interview.conduct import Conductor
from grader.interview.screen import Screen
from grader.render.page import indented

Answer = Callable[[str], None]


class Partner:
    """What an interviewer reads and marks. `ask` has the next key answered by a function."""

    def __init__(self, screen: Screen, conductor: Conductor, say: Callable[[str], None], ask: Callable[[Answer], None]):
        self._screen, self._conductor = screen, conductor
        self._say, self._ask = say, ask

    @property
    def actions(self) -> dict[str, Callable[[], None]]:
        return {"i": self.script, "r": self.show_rubric, "m": self.mark}

    def script(self) -> None:
        """What to say in this phase; in the last one the questions, too."""
        page, show = self._screen.page, self._screen.show
        phase = self._conductor.interview.phase_at(self._conductor.at).phase
        show(Text("For the interviewer", style="bold"))
        for line in rubric.SCRIPT[phase]:
            show(indented(page.text(line)))
        if phase == "follow-up":
            for kata in self._conductor.round.katas:
                for question in self._conductor.katas[kata].questions:
                    show(Text(""), indented(page.text(question.title, "bold")))
                    show(indented(indented(page.text("Listen for: " + "; ".join(question.strong)))))
        show(Text(""))

    def show_rubric(self) -> None:
        for dimension in rubric.DIMENSIONS:
            self._screen.show(Text(dimension.title, style="bold"))
            self._anchors(dimension)

    def mark(self) -> None:
        names = "  ".join(f"{number} {each.title}" for number, each in enumerate(rubric.DIMENSIONS, start=1))
        self._say(f"Mark what? {names}")
        self._ask(self._mark_dimension)

    def _mark_dimension(self, key: str) -> None:
        if not (key.isdecimal() and 1 <= int(key) <= len(rubric.DIMENSIONS)):
            self._say("no mark")
            return
        dimension = rubric.DIMENSIONS[int(key) - 1]
        self._say(f"{dimension.title}: 1 to 4?")
        self._anchors(dimension)
        self._ask(lambda pressed: self._keep_mark(dimension, pressed))

    def _keep_mark(self, dimension: rubric.Dimension, key: str) -> None:
        if key not in map(str, rubric.MARKS):
            self._say("no mark")
            return
        self._conductor.mark(dimension.id, int(key))
        self._say(f"{dimension.title}: {key}")

    def _anchors(self, dimension: rubric.Dimension) -> None:
        for mark, anchor in zip(rubric.MARKS, dimension.anchors, strict=True):
            self._screen.show(indented(self._screen.page.text(f"{mark}  {anchor}")))
