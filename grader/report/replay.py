"""A session's snapshots one after the other, and who plays them: what is shown, for how long, and what a key does.

Pure: no terminal, no clock, no journal. Time passes where `pass_time` is told so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grader.interview.model import SOURCES, Interview
from grader.report.story import told

SLOWEST, FASTEST = 0.5, 8.0
MINUTE = 2.0  # seconds that a minute of the session takes at 1 ×
SHORTEST, LONGEST = 1.0, 5.0  # seconds that a step is shown at 1 ×
QUIT, GRADE = "quit", "grade"


@dataclass(frozen=True, slots=True)
class Step:
    """A content of one kata's file, and what happened while it was that."""

    at: float
    kata: str
    round: int
    phase: str
    source: str  # digest
    before: str | None  # digest of the step before it of the same kata
    happened: tuple[str, ...]
    mark: str = ""  # "pass" or "fail" where it was graded


def steps(interview: Interview) -> tuple[Step, ...]:
    """Every snapshot of every kata, in the order of time; what is the same as before it is no new step."""
    found: list[Step] = []
    current: dict[str, int] = {}  # where the present content of each kata stands in `found`
    for moment in interview.of(*SOURCES):
        source = moment.event.source
        if source is None:
            continue
        text, mark = told(moment)
        place = current.get(moment.kata)
        if place is not None and found[place].source == source:
            step = found[place]
            happened = step.happened if moment.kind == "save" else (*step.happened, text)
            found[place] = replace(step, happened=happened, mark=mark or step.mark)
            continue
        before = None if place is None else found[place].source
        current[moment.kata] = len(found)
        found.append(Step(moment.at, moment.kata, moment.round, moment.phase, source, before, (text,), mark))
    return tuple(found)


class Player:
    """Which step is shown. It goes on by itself until it is paused, and stays on the last one."""

    def __init__(self, steps: Sequence[Step], speed: float = 1.0) -> None:
        self.steps = steps
        self.speed = speed
        self.place = 0
        self.paused = False
        self._shown = 0.0  # seconds at 1 × that this step has been shown

    @property
    def step(self) -> Step:
        return self.steps[self.place]

    @property
    def playing(self) -> bool:
        return not self.paused and self.place < len(self.steps) - 1

    def left(self) -> float | None:
        """Seconds until the next step; None where none comes by itself."""
        return max(0.0, self._length() - self._shown) / self.speed if self.playing else None

    def pass_time(self, seconds: float) -> None:
        """So many seconds have passed."""
        if not self.playing:
            return
        self._shown += seconds * self.speed
        while self.playing and self._shown >= self._length():
            self._shown -= self._length()
            self.place += 1

    def press(self, key: str) -> str:
        """Do what a key asks for; QUIT and GRADE are left to the caller."""
        if key in ("q", "escape"):
            return QUIT
        if key == "g":
            self.paused = True
            return GRADE
        if key == "space":
            self.paused = not self.paused
        elif key in ("right", "n", "l"):
            self._go(1)
        elif key in ("left", "p", "h"):
            self._go(-1)
        elif key == "home":
            self._go(-len(self.steps))
        elif key == "end":
            self._go(len(self.steps))
        elif key in ("+", "="):
            self.speed = min(self.speed * 2, FASTEST)
        elif key == "-":
            self.speed = max(self.speed / 2, SLOWEST)
        return ""

    def _go(self, steps: int) -> None:
        """Who looks for a step wants to look at it: that pauses."""
        self.paused = True
        self.place = max(0, min(self.place + steps, len(self.steps) - 1))
        self._shown = 0.0

    def _length(self) -> float:
        """Seconds at 1 × that this step is shown: as long as it lasted in the session, within reason."""
        lasted = self.steps[self.place + 1].at - self.step.at
        return max(SHORTEST, min(lasted / 60 * MINUTE, LONGEST))
