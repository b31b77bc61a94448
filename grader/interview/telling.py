"""What a live view says when something happened: one line of the log for each event that a person wants to know of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from grader.interview.beside import REFUSED
from grader.interview.conduct import Conductor
from grader.interview.datum import count, number
from grader.interview.model import Moment
from grader.interview.partner import Partner
from grader.interview.plan import PHASES
from grader.interview.rounds import Round
from grader.interview.screen import Screen
from grader.interview.writing import unanswered
from grader.journal.events import Event
from grader.render import interview as words
from grader.render.page import indented
from grader.render.text import amount
from grader.verdict import Outcome

NOTICES = (600.0, 120.0)  # seconds before the deadline, beside half of the time


class Notices:
    """How much time is left, said once at half of a round and shortly before its end."""

    def __init__(self) -> None:
        self._given: set[tuple[int, float]] = set()

    def skip(self, each: Round, at: float) -> None:
        """What a view that joins late need not say any more."""
        self._given |= {(each.number, left) for left in _thresholds(each) if each.deadline - at <= left}

    def due(self, each: Round, at: float) -> Iterator[str]:
        """What is to be said now; of several that were missed, the last."""
        rest = each.deadline - at
        passed = [left for left in _thresholds(each) if rest <= left and (each.number, left) not in self._given]
        self._given |= {(each.number, left) for left in passed}
        if passed and rest > 0:
            half = passed[-1] == each.seconds / 2
            yield "Half of the time is over." if half else f"{words.minutes(passed[-1] / 60)} left."


def _thresholds(each: Round) -> Sequence[float]:
    half = each.seconds / 2
    return (half, *(left for left in NOTICES if left < half))


class Teller:
    """Turns events and troubles into words. `warnings` is where the journal's come in."""

    def __init__(
        self,
        screen: Screen,
        conductor: Conductor,
        partner: Partner,
        warnings: list[str],
        say: Callable[[str], None],
    ) -> None:
        self._screen, self._conductor, self._partner = screen, conductor, partner
        self._warnings, self._say = warnings, say
        self.unwritten = 0  # events that only this process knows

    def tell(self, event: Event) -> None:
        """Say what happened, if a person wants to know it."""
        moment = next((m for m in reversed(self._conductor.interview.moments) if m.event is event), None)
        if moment is None:
            return
        if event.kind == "grade":
            self._grade(moment)
        elif event.kind == "deadline":
            self._say(f"Time. What counts for {moment.kata} is {words.deadline_words(moment)}.")
            last_round = self._conductor.interview.rounds[-1]
            if moment.datum("how") == "on-time" and moment.kata == last_round.katas[-1]:
                self._say("Go on if you like: it is reported apart. f finishes.")
        elif event.kind == "credit":
            given = words.clock(number(moment.datum("seconds")) or 0.0)
            self._say(f"A fault of ours cost {given}; the deadline moves by as much.")
        elif event.kind == "hint" and moment.datum("outside") is True:
            self._say(f"Hint {count(moment.datum('rung'))} for {moment.kata} was taken in another terminal; recorded.")
        elif event.kind == "refused":
            what, _ = REFUSED.get(str(moment.datum("what")), ("attempt", ""))
            self._say(f"Refused in another terminal: a {what} of {moment.kata}; recorded.")
        elif event.kind == "phase":
            self._phase(str(moment.datum("phase")))
        elif event.kind == "give-up":
            self._say("The grade that was asked for before is given up for the newer one.")
        elif event.kind in ("pause", "unpause"):
            self._say("Paused." if event.kind == "pause" else "The clock goes on.")

    def _grade(self, moment: Moment) -> None:
        from grader.render.failure import unwritten
        from grader.verdict_json import verdict_of

        purpose, policy = moment.datum("purpose"), self._conductor.interview.plan.feedback
        verdict = verdict_of(self._conductor.log.verdict(moment.event) or {"verdict": moment.datum("verdict")})
        if policy == "full" and purpose == "asked":
            from grader.render.terminal import screen

            self._screen.show(screen(self._screen.page, verdict))
            if moment.without_speed and verdict.outcome is Outcome.PASS:
                self._say("Its speed is measured at the end.")
            return
        lines = words.told_grade(self._screen.page, moment, policy, verdict.reason, unwritten(verdict))
        name = moment.kata if purpose == "asked" else f"{moment.kata} at the deadline"
        self._say(f"{name}: {lines[0].plain}")
        for line in lines[1:]:
            self._screen.show(indented(line))

    def _phase(self, id: str) -> None:
        phase = next(phase for phase in PHASES if phase.id == id)
        budget = words.clock(self._conductor.interview.phase_at(self._conductor.at).budget)
        self._say(f"Phase: {phase.title}, about {budget}. {phase.task}")
        if self._conductor.interview.plan.interviewer:
            self._partner.script()
        elif id == "follow-up" and (waiting := unanswered(self._conductor)):
            self._say(f"{amount(len(waiting), 'question')}: a answers the next one.")

    def tell_troubles(self) -> None:
        """Say what went wrong with the disk since the last time."""
        for troubles in (self._warnings, self._conductor.troubles):
            for trouble in troubles:
                self._say(f"warning: {trouble}")
            troubles.clear()
        unwritten = self._conductor.log.unwritten
        if unwritten and not self.unwritten:
            self._say(
                "This session goes on in memory, and is written as soon as the journal can be. Keep this terminal open."
            )
        elif self.unwritten and not unwritten:
            self._say(f"The journal is written again; this is interview {self._conductor.interview.id}.")
        self.unwritten = unwritten
