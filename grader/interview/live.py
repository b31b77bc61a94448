"""The live view of an interview: its clock, what happens, and what each key does.

Several views may look at a session; the one that holds the lock conducts it, the others follow and may take over.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress

from rich.text import Text

from grader.interview.conduct import Conductor
from grader.interview.lock import ViewLock
from grader.interview.model import Interview
from grader.interview.partner import Partner
from grader.interview.screen import Screen
from grader.interview.telling import Notices, Teller
from grader.interview.writing import Writer, time_left
from grader.keyboard.keys import CLOSED, END, RESIZE, RESUME, WAKE, Keys
from grader.output import Output
from grader.render import interview as words
from grader.render.text import amount

LOOK_SECONDS = 0.5  # between looks at the files and the journal
SEND_SECONDS = 0.05  # between looks while the process that grades takes a large request bit by bit
STALE_SECONDS = 1.2  # after a deadline without its snapshots: by then the terminal that conducts is stopped
ANSWER_SECONDS = 2.0  # as long the other terminal is waited for when it was asked to let go

ENDED, LEFT, MOVED, GONE, INTERRUPTED = "ended", "left", "moved", "gone", "interrupted"
"""How a view ends: with the session; by the key; because another took over; with its terminal; by Ctrl-C."""


class LiveView:
    """One terminal's view of one session."""

    def __init__(self, output: Output, conductor: Conductor, lock: ViewLock, warnings: list[str]) -> None:
        self.screen, self.conductor, self.lock = Screen(output), conductor, lock
        self.partner = Partner(self.screen, conductor, self._say, self._ask)
        self.conducts = False
        self.finished = False  # here, and not in another terminal
        self._writer = Writer(self.screen, conductor, self._say)
        self._notices = Notices()
        self._teller = Teller(self.screen, conductor, self.partner, warnings, self._say)
        self._token = os.urandom(8).hex()
        self._kata = ""
        self._round = -1
        self._next_key: Callable[[str], None] | None = None
        self._leaving = False  # as soon as the grade is there
        self._told_of_loss = False
        self._asked_at: float | None = None  # ticks at which the other terminal was asked to let go
        self._ending = ""

    @property
    def interview(self) -> Interview:
        return self.conductor.interview

    def run(self, keys: Keys, *, joined: str) -> str:
        """Show the session until something ends the view. Returns how it ended."""
        try:
            self._join(joined)
            while self._step():
                self._draw()
                helper = self.conductor.helper.fileno()
                self._handle(keys.wait(self._wait_seconds(), also=() if helper is None else (helper,)))
            self.screen.step_aside()
        except KeyboardInterrupt:
            self._leave(INTERRUPTED, "interrupt")
            self.screen.step_aside()
        except OSError:  # the terminal is gone; the clock is not
            self._leave(GONE, "gone")
        return self._ending

    def _join(self, how: str) -> None:
        self.conducts = self.lock.acquire()
        each = self.conductor.round
        at = self.conductor.at
        self._notices.skip(each, at)
        if self.conducts and how != "begin":
            self.conductor.joined(how)
        elif not self.conducts:
            self._say("Another terminal shows this interview; this one only follows. t takes over, q leaves.")
        if how != "begin":
            left = self.interview.rest(at)
            self._say(f"{words.clock(left)} left." if left > 0 else f"Overtime: {words.clock(left)} over the deadline.")

    def _step(self) -> bool:
        """One look at everything. False: the view has ended."""
        if not self.conducts and self.interview.open:
            self._conduct_if_nobody_does()
        elif self.conducts and not self.lock.held:
            self.lock.acquire()  # from a terminal that was stopped and let go since
        if self.conducts:
            events = self.conductor.tick()
        else:
            self.conductor.log.poll()
            events, self.conductor.log.fresh = self.conductor.log.fresh, []
        phases = [event for event in events if event.kind == "phase"]
        for event in events:
            if event.kind == "take-over" and event.data.get("by") != self._token and self.conducts:
                self._leave(MOVED, "take-over")
            if event not in phases[:-1]:  # of several that were hurried through, the last is where we are
                self._teller.tell(event)
        self._teller.tell_troubles()
        if not self.interview.open:
            self.screen.end_entry()
            self._ending = self._ending or ENDED
        if self._ending:
            return False
        if self.conductor.round.number != self._round:
            self._begin_round()
        for notice in self._notices.due(self.conductor.round, self.conductor.at):
            self._say(notice)
        if self._leaving and not self.conductor.grading:
            self._leave(LEFT, "key")
        return not self._ending

    def _conduct_if_nobody_does(self) -> None:
        """A terminal that is gone gives its lock back; one that is stopped keeps it, and does nothing."""
        ticks, at = self.conductor.log.clock.read().ticks, self.conductor.at
        unanswered_for = 0.0 if self._asked_at is None else ticks - self._asked_at
        stopped = unanswered_for >= ANSWER_SECONDS or bool(self.interview.due(at - STALE_SECONDS))
        if not self.lock.acquire():
            if not stopped:
                return
            self.conductor.log.add("take-over", "", {"by": self._token})  # lets go when it goes on
        self.conducts = True
        self.conductor.joined("take-over")
        self._say("This terminal conducts the interview now.")

    def _wait_seconds(self) -> float:
        if self.conductor.helper.sending:
            return SEND_SECONDS
        rest = self.interview.rest(self.conductor.at)
        return min(LOOK_SECONDS, rest + 0.01) if rest > 0 else LOOK_SECONDS

    def _begin_round(self) -> None:
        each = self.conductor.round
        first, self._round = self._round < 0, each.number
        self._kata = each.katas[0]
        if len(self.interview.plan.rounds) > 1:
            self._say(
                f"Round {each.number + 1} of {len(self.interview.plan.rounds)}: {words.minutes(each.seconds / 60)}."
            )
        for kata in each.katas:
            self.screen.show(
                Text(""),
                Text.assemble("  ", (kata, "bold"), "  ", self.screen.page.text(str(self.conductor.path(kata)))),
            )
        self.screen.show(Text(""))
        if not first or self.interview.phase_at(self.conductor.at).phase == "clarify":
            self._brief()
        if self.interview.plan.interviewer:
            self.partner.script()

    # What a person does

    def _handle(self, keys: Sequence[str]) -> None:
        if RESIZE in keys or RESUME in keys:
            self.screen.measure()
        if any(key == CLOSED or key.startswith(END) for key in keys):
            self._leave(GONE, "gone")
            return
        typed = [key for key in keys if key not in (RESIZE, RESUME, WAKE)]
        while typed and not self._ending:
            if self.screen.typing:
                self.screen.type(typed)
                return
            self._press(typed.pop(0))

    def _press(self, key: str) -> None:
        if self._next_key is not None:
            answer, self._next_key = self._next_key, None
            answer(key)
            return
        plan = self.interview.plan
        if not self.conducts:
            actions: dict[str, Callable[[], None]] = {"q": self._ask_to_leave, "t": self._take_over}
            actions |= {"s": self._brief, "b": self._brief, "?": self._keys}
        else:
            actions = {
                "g": self._grade,
                "h": self._hint,
                "p": lambda: self._go_to_phase(1),
                "P": lambda: self._go_to_phase(-1),
                "n": lambda: self._writer.note(self._kata),
                "a": self._writer.answer,
                "s": self._brief,
                "b": self._brief,
                "f": self._ask_to_finish,
                "q": self._ask_to_leave,
                "?": self._keys,
            }
            actions |= {"k": self._other_kata} if len(self.conductor.round.katas) > 1 else {}
            actions |= {"space": self._pause} if plan.allow_pause else {}
            actions |= self.partner.actions if plan.interviewer else {}
        action = actions.get(key)
        if action is not None:
            action()
        elif (key.isprintable() and len(key) == 1) or key == "space":
            more = "? shows the keys" if self.conducts else "this terminal only follows, t takes over"
            self._say(f"{key} does nothing here; {more}")

    def _keys(self) -> None:
        plan = self.interview.plan
        hidden = set() if plan.interviewer else {"i", "r", "m"}
        hidden |= set() if plan.allow_pause else {"space"}
        hidden |= set() if len(self.conductor.round.katas) > 1 else {"k"}
        shown = words.KEYS if self.conducts else (("t", "take over"), ("s", "brief; b shows it too"), ("q", "leave"))
        for key, what in shown:
            if key not in hidden:
                self.screen.show(self.screen.page.text(f"  {key:<6} {what}"))

    def _grade(self) -> None:
        refused = self.conductor.ask_grade(self._kata)
        if refused:
            self._say(refused)

    def _hint(self) -> None:
        from grader.render.overview import hint

        rung = self.conductor.give_hint(self._kata)
        if rung is None:
            self._say("These were all the hints.")
        else:
            self.screen.show(hint(*rung))

    def _go_to_phase(self, step: int) -> None:
        if self.conductor.enter_phase(step) is None:
            if step > 0:
                self._ask_to_finish()
            else:
                self._say("This is the first phase.")

    def _other_kata(self) -> None:
        katas = self.conductor.round.katas
        self._kata = katas[(katas.index(self._kata) + 1) % len(katas)]
        self._say(f"{self._kata}: {self.conductor.path(self._kata).name}")

    def _pause(self) -> None:
        self.conductor.toggle_pause()

    def _ask_to_finish(self) -> None:
        number, rounds = self.conductor.round.number, len(self.interview.plan.rounds)
        if number + 1 < rounds:
            self._say(f"Hand in round {number + 1} and begin round {number + 2}? y for yes")
        else:
            self._say("Hand in and finish? y for yes")
        self._ask(lambda key: self._finish(key, number))

    def _finish(self, key: str, number: int) -> None:
        if key not in ("y", "Y"):
            self._say("going on")
        elif self.conductor.round.number != number:
            self._say("That round ended meanwhile; nothing is handed in.")
        elif not self.conductor.next_round():
            self.conductor.finish()
            self.finished = True

    def _ask_to_leave(self) -> None:
        unwritten = self.conductor.log.unwritten
        if unwritten and not self._told_of_loss:
            self._told_of_loss = True
            self._say(
                f"{amount(unwritten, 'event')} could not be written and would be lost; f grades and shows; q leaves."
            )
        elif self._leaving or not (self.conducts and self.conductor.grading):
            self._leave(LEFT, "key")
        else:
            self._leaving = True
            self._say("Leaving as soon as the grade is there; q leaves at once.")

    def _take_over(self) -> None:
        self.conductor.log.add("take-over", "", {"by": self._token})
        self._asked_at = self.conductor.log.clock.read().ticks
        self._say("Asked the other terminal to let go.")

    def _leave(self, ending: str, how: str) -> None:
        with suppress(OSError):  # the terminal may be gone; the text is not
            self.screen.end_entry()
        left, self._ending = self._ending, ending
        if not left and self.conducts and self.interview.open:
            self.conductor.left(how)

    # What is shown

    def _brief(self) -> None:
        from grader.render.overview import brief_text

        self.screen.show(brief_text(self.conductor.katas[self._kata].brief), Text(""))

    def _ask(self, answer: Callable[[str], None]) -> None:
        """Have the next key answer a question."""
        self._next_key = answer

    def _say(self, text: str) -> None:
        """A line of the log, with the session's clock before it."""
        self.screen.say(words.clock(self.conductor.at), text)

    def _draw(self) -> None:
        unwritten = self._teller.unwritten
        note = f"{unwritten} not written" if unwritten else "" if self.conducts else "following: t takes over"
        line = words.status_line(
            self.interview,
            self.conductor.at,
            grading=self.conductor.grading,
            kata=self._kata,
            width=min(self.screen.columns, self.screen.output.look.width) - 1,
            note=note,
        )
        self.screen.draw(line, clock=time_left(self.conductor))
