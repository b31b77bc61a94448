"""Conducts a session: looks at the files, takes the snapshots that are due, asks for grades, writes every event.

Everything that the live view and the other commands do to a session goes through here. No terminal, no words for a
person, no sleep: `tick` is called often and does what is due. What it did is the events it returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grader.catalog import HINTS, Kata
from grader.errors import GraderError, KataError
from grader.grade_helper import GradeHelper
from grader.interview.clock import Reading
from grader.interview.grades import Grades
from grader.interview.log import SessionLog
from grader.interview.looking import Looking
from grader.interview.model import Interview, Round
from grader.interview.plan import PHASE_IDS
from grader.interview.preparation import make_folder
from grader.interview.snapshot import FileState, choose, read_state
from grader.journal.events import Event

RELOOK_SECONDS = 0.9  # after a deadline: as long a file that may be in the middle of being saved is looked at again


class Conductor:
    """One session, its files and the process that grades."""

    def __init__(
        self, log: SessionLog, katas: Mapping[str, Kata], helper: GradeHelper, *, to_abort: bool = False
    ) -> None:
        """`to_abort`: it will only be ended, for which no kata is needed."""
        self.log, self.helper = log, helper
        missing = [id for id in log.interview.plan.katas if id not in katas]
        if missing and not to_abort:
            raise GraderError(
                f"the kata {missing[0]} of this interview is not here",
                "give --katas DIR as at its start; kata interview abort ends it without a grade",
            )
        self.katas = {id: katas[id] for id in log.interview.plan.katas if id in katas}
        self._looking = Looking(log)
        self._grades = Grades(log, self.katas, helper, self._looking.path, self._add)
        self._new: list[Event] = []
        self.troubles: list[str] = []  # for a person to read
        self._told: set[str] = set()

    @property
    def interview(self) -> Interview:
        return self.log.interview

    @property
    def at(self) -> float:
        return self.log.at

    @property
    def round(self) -> Round:
        """The round that runs now."""
        return self.interview.round_at(self.at)

    @property
    def grading(self) -> bool:
        return self._grades.running

    def path(self, kata: str) -> Path:
        """The candidate's file."""
        return self._looking.path(kata)

    def begin(self) -> None:
        """Write the stubs of the first round and start the clock."""
        self._start_round(0)
        self._add("begin")

    def tick(self) -> list[Event]:
        """Do what is due. Returns the events since the last time, those of other processes included."""
        self.log.poll()
        if self.interview.open:
            self.take_due()
        self._grades.take(self.helper.poll())
        if self.interview.open:
            self._grades.give_up_slow()
            self._try_to_start_round()
            self.look()
            for moment in self.interview.ungraded():
                self._grades.grade(moment)
        new = [*self.log.fresh, *self._new]
        self.log.fresh, self._new = [], []
        return new

    def take_due(self, *, at_once: bool = False) -> None:
        """Snapshots at the deadlines that have passed; before anything else, so that nothing delays them.

        Unless it has to be `at_once`, a file that may be in the middle of being saved is left to the next look.
        """
        reading = self.log.clock.read()
        for each in self.interview.due(self.interview.now(reading)):
            states = {kata: self._looking.read(kata) for kata in each.katas}
            interview = self.interview
            unsettled = [kata for kata, file in states.items() if self._looking.is_unsettled(kata, file, reading)]
            if unsettled and not at_once and interview.now(reading) - each.deadline < RELOOK_SECONDS:
                continue
            for kata, file in states.items():
                choice = choose(interview, each, kata, self._meant(kata, file, reading), reading)
                source = choice.source
                if source is None and choice.digest is not None:
                    source = self.log.source(choice.digest)
                late = max(0.0, interview.now(reading) - each.deadline)
                data: dict[str, Any] = {"round": each.number, "due": each.deadline, "how": choice.how}
                data |= {"late": round(late, 3), "unseen": choice.unseen}
                self._add("deadline", kata, data, source=source, reading=reading)

    def look(self, *, closely: bool = False) -> None:
        """Record the content of every file of the rounds so far that has changed since it was last known."""
        for kata in self._begun_katas():
            file = self._looking.news(kata, closely=closely)
            if file is not None:
                self._add("save", kata, {"mtime": file.mtime}, source=file.source)

    def ask_grade(self, kata: str) -> str:
        """Have the file graded as it is now, in the place of what was asked for before. Returns why not, or nothing."""
        self.look(closely=True)
        file = self._looking.read(kata)
        if file.source is None:
            return f"{self.path(kata).name} cannot be read: {file.why}"
        if self._meant(kata, file, self.log.clock.read()).source is None:
            return f"{self.path(kata).name} is empty at this moment"
        return "" if self._grades.ask(kata, file.source, self.round.number) else "a grade is under way"

    def give_hint(self, kata: str) -> tuple[int, str, str] | None:
        """The next rung of the ladder as (number, heading, body); None after the last one."""
        used = self.interview.hints(kata)
        if used >= HINTS:
            return None
        heading, body = self.katas[kata].hints[used]
        self._add("hint", kata, {"rung": used + 1, "round": self.round.number})
        return used + 1, heading, body

    def enter_phase(self, step: int) -> str | None:
        """Go to the next or the previous phase of the round. Returns its id, None where there is no other."""
        number, phase = self.round.number, self.interview.phase_at(self.at).phase
        index = PHASE_IDS.index(phase) + step
        if not 0 <= index < len(PHASE_IDS):
            return None
        self._add("phase", "", {"round": number, "phase": PHASE_IDS[index]})
        return PHASE_IDS[index]

    def note(self, text: str, *, kata: str = "", by: str = "candidate") -> None:
        self._add("note", kata, {"text": text, "by": by, "round": self.round.number})

    def answer(self, kata: str, question: int, title: str, text: str) -> None:
        """Keep the answer to a follow-up question; an empty one is a skipped one."""
        self._add("answer", kata, {"question": question, "title": title, "text": text, "skipped": not text})

    def mark(self, dimension: str, value: int) -> None:
        self._add("mark", "", {"dimension": dimension, "value": value, "round": self.round.number})

    def toggle_pause(self) -> bool:
        """Pause, or go on. Returns whether it is paused now; never where the plan allows none."""
        if not self.interview.plan.allow_pause:
            return False
        paused = self.interview.paused_since is not None
        if not paused:
            self.take_due(at_once=True)
            self.look(closely=True)
        self._add("unpause" if paused else "pause")
        return not paused

    def joined(self, how: str) -> None:
        self._add("join", "", {"how": how})

    def left(self, how: str) -> None:
        self.take_due(at_once=True)
        self._add("leave", "", {"how": how})

    def next_round(self) -> bool:
        """Hand this round in and begin the next one. False where there is none."""
        number = self.round.number
        if number + 1 >= len(self.interview.plan.rounds):
            return False
        self.look(closely=True)
        for kata in self.round.katas:
            self._hand_in(kata, number, "round")
        self._add("round", "", {"round": number + 1})
        self._try_to_start_round()
        return True

    def finish(self, kind: str = "finish", *, away: bool = False) -> None:
        """End the session: what is due, then every file as it is now, then its last event, `finish` or `abort`.

        `away`: no view was there.
        """
        self.take_due(at_once=True)
        self.look(closely=True)
        for kata in self._begun_katas():
            self._hand_in(kata, self.interview.round_of(kata).number, "session")
        self._add(kind, "", {"away": True} if away else {})

    def settle(self) -> None:
        """Wait for the grades that are under way, so that none is lost."""
        while self._grades.running and (answers := self.helper.wait()):
            self._grades.take(answers)

    def grade_all(self) -> None:
        """After the end: have every snapshot graded, as far as that can be had, and measure the speed of what passes."""
        self.settle()
        while sum(self._grades.grade(moment, timing=True) for moment in self.interview.unmeasured()):
            self.settle()

    def _begun_katas(self) -> list[str]:
        at = self.at
        return [kata for each in self.interview.rounds if each.begin <= at for kata in each.katas]

    def _try_to_start_round(self) -> None:
        """A stub that cannot be written must not end a session: the clock goes on, and the candidate can write the file."""
        try:
            self._start_round(self.round.number)
        except KataError as error:
            if error.message not in self._told:
                self._told.add(error.message)
                self.troubles.append(error.message)

    def _start_round(self, number: int) -> None:
        from grader import workspace

        for kata in self.interview.plan.rounds[number].katas:
            if next(self.interview.of("start", kata=kata), None) is None:
                folder = make_folder(self.interview.plan)
                path, written = workspace.start(self.katas[kata], folder)
                file = read_state(path)
                self._looking.note(kata, file)
                self._add("start", kata, {"written": written}, path=path, source=file.source)

    def _meant(self, kata: str, file: FileState, reading: Reading) -> FileState:
        """The file, but for one that was emptied just now: that is no answer, and what was known before it is."""
        if file.source == b"" and self._looking.is_unsettled(kata, file, reading):
            return FileState(None, why="it is empty at this moment")
        return file

    def _hand_in(self, kata: str, number: int, of: str) -> None:
        file = self._meant(kata, self._looking.read(kata), self.log.clock.read())
        source, how = file.source, "file"
        if source is None:
            known = self.interview.last_source(kata)
            digest = None if known is None else known.event.source
            source = None if digest is None else self.log.source(digest)
            how = "missing" if source is None else "last-save"
        self._add("hand-in", kata, {"round": number, "of": of, "how": how}, source=source)

    def _add(
        self,
        kind: str,
        kata: str = "",
        data: Mapping[str, Any] | None = None,
        *,
        path: Path | None = None,
        source: bytes | None = None,
        verdict: Mapping[str, Any] | None = None,
        reading: Reading | None = None,
    ) -> Event:
        if self.log.session.imported:
            reading = self.interview.elapsed.last  # its clock stands: ours has nothing to do with it
            path = None
        elif path is None and kata:
            path = self.path(kata)
        event = self.log.add(kind, kata, data, path=path, source=source, verdict=verdict, reading=reading)
        self._new.append(event)
        return event
