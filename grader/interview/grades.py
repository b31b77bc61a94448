"""The grades of a session that are under way: what they are of, what comes of them, and when one is given up.

Everything that happens is added to the session as an event. No file is looked at, and no terminal is known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from grader.catalog import Kata
from grader.grade_helper import Answer, GradeHelper, Request
from grader.interview.datum import count, number
from grader.interview.grading import Asked, event_data, verdict_in
from grader.interview.log import SessionLog
from grader.interview.model import Moment
from grader.interview.snapshot import FileState
from grader.journal.events import Event
from grader.verdict import Outcome

ATTEMPTS = 2  # at grading one snapshot that ends in a fault of ours
SLOW_SECONDS = 5.0  # from here on a grade is given up where another one is asked for


class Grades:
    """What was asked of the process that grades, by tag. `add` adds an event to the session."""

    def __init__(
        self,
        log: SessionLog,
        katas: Mapping[str, Kata],
        helper: GradeHelper,
        path: Callable[[str], Path],
        add: Callable[..., Event],
    ) -> None:
        self._log, self._katas, self._helper, self._path, self._add = log, katas, helper, path, add
        self._asked: dict[str, Asked] = {}
        self._attempts: dict[tuple[str, str, bool], int] = {}

    @property
    def running(self) -> bool:
        return bool(self._asked)

    def take(self, answers: Iterable[Answer]) -> None:
        """Add the grades that have come."""
        for answer in answers:
            self._receive(answer)

    def ask(self, kata: str, source: bytes, round: int) -> bool:
        """Grade it in the place of what was asked for before. False: it is being graded."""
        if f"{kata}/{FileState(source).digest}" in self._asked:
            return False
        for tag in [tag for tag, asked in self._asked.items() if asked.purpose == "asked"]:
            if self._helper.busy is None or self._helper.busy.tag != tag:
                self._give_up(tag)
        self._submit("asked", kata, source, round, at=self._log.at)
        self.give_up_slow()
        return True

    def grade(self, moment: Moment, *, timing: bool = False) -> bool:
        """Whether a grade of it was asked for now."""
        digest = moment.event.source or ""
        source = self._log.source(digest)
        key = moment.kata, digest, timing
        tries = self._attempts.get(key, 0)
        if source is None or tries >= ATTEMPTS or f"{moment.kata}/{digest}" in self._asked:
            return False
        self._attempts[key] = tries + 1
        purpose = "deadline" if moment.kind == "deadline" else "final"
        due = number(moment.datum("due")) if purpose == "deadline" else None
        at = moment.at if due is None else min(due, moment.at)  # what it is of, whenever it is graded
        self._submit(purpose, moment.kata, source, count(moment.datum("round")) or 0, at=at, timing=timing)
        return True

    def _submit(self, purpose: str, kata: str, source: bytes, number: int, *, at: float, timing: bool = False) -> None:
        path = self._path(kata)
        tag = f"{kata}/{FileState(source).digest}"
        if tag not in self._asked:
            self._helper.submit(Request(tag, self._katas[kata], source, path.name, timing))
            self._asked[tag] = Asked(purpose, number, at, path, timing)

    def give_up_slow(self) -> None:
        """A grade that was asked for and takes long makes way for the one that was asked for since."""
        asked = [tag for tag, each in self._asked.items() if each.purpose == "asked"]
        if len(asked) > 1 and self._log.at - self._asked[asked[0]].at >= SLOW_SECONDS:
            self._give_up(asked[0])

    def _give_up(self, tag: str) -> None:
        asked = self._asked.pop(tag)
        self._helper.cancel(tag)
        data = {"round": asked.round, "asked_at": round(asked.at, 3), "seconds": round(self._log.at - asked.at, 3)}
        self._add("give-up", tag.partition("/")[0], data)

    def _receive(self, answer: Answer) -> None:
        from grader.render.jsonout import verdict_document

        asked = self._asked.pop(answer.request.tag, None)
        if asked is None:
            return
        kata = answer.request.kata
        verdict = verdict_in(answer, asked, hints=self._log.interview.hints(kata.id))
        data = event_data(verdict, asked, timed=kata.bench is not None)
        document = verdict_document(verdict)
        graded = self._add("grade", kata.id, data, path=asked.path, source=answer.request.source, verdict=document)
        if verdict.outcome is Outcome.GRADER_ERROR and asked.purpose == "asked" and self._log.interview.open:
            lost = {"round": asked.round, "seconds": round(answer.seconds, 3), "why": verdict.reason}
            self._add("credit", kata.id, {**lost, "grade": graded.id})
