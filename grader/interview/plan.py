"""The plan of an interview: rounds with their katas and minutes, phases with soft budgets, and the rules.

Decided before the clock starts and kept as the settings of its session; never changed afterwards. Pure data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from grader.interview.presets import CUSTOM, DEFAULT_FEEDBACK, FEEDBACK
from grader.interview.presets import PRESETS as PRESETS

VERSION = 1  # of the settings' form
_LONGEST = 600  # minutes of a round that is believed


def minutes(value: float) -> str:
    """So many minutes, in words; seconds where they are few."""
    if value < 1:
        seconds = round(value * 60)
        return "1 second" if seconds == 1 else f"{seconds} seconds"
    return "1 minute" if value == 1 else f"{round(value, 2):g} minutes"


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of a round. `share` is its part of the round's time: a soft budget, which nothing enforces."""

    id: str
    title: str
    task: str
    share: float


PHASES = (
    Phase("clarify", "clarify", "Ask what is unclear; predict the shape of every step (n notes it).", 0.10),
    Phase("implement", "implement", "Write it in your editor. Say aloud what you do.", 0.55),
    Phase("test", "test", "Try your own cases: shapes, a hand-made example, extremes. Then grade.", 0.20),
    Phase("follow-up", "follow-up questions", "Answer in a paragraph each, as you would to a person.", 0.15),
)
PHASE_IDS = tuple(phase.id for phase in PHASES)


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """One round: its katas share its time."""

    minutes: float
    katas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is settled before the clock starts."""

    preset: str  # an id of PRESETS, or CUSTOM
    rounds: tuple[RoundPlan, ...]
    folder: str  # where the files of this session are
    seed: int  # of the draw
    feedback: str = DEFAULT_FEEDBACK
    difficulty: str = "any"
    allow_pause: bool = False  # makes it practice
    interviewer: bool = False
    drawn: bool = True  # by the seed, not named by the user
    environment: tuple[tuple[str, str], ...] = ()  # versions and machine, for the report

    @property
    def katas(self) -> tuple[str, ...]:
        return tuple(kata for each in self.rounds for kata in each.katas)

    @property
    def minutes(self) -> float:
        return sum(each.minutes for each in self.rounds)

    @property
    def name(self) -> str:
        """What people call it: the preset, or of a custom one its time."""
        return minutes(self.minutes) if self.preset == CUSTOM else self.preset

    def settings(self) -> dict[str, Any]:
        """As the session keeps it."""
        document = asdict(self)
        document["rounds"] = [{"minutes": each.minutes, "katas": list(each.katas)} for each in self.rounds]
        document["environment"] = dict(self.environment)
        return {"version": VERSION, **document}

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Plan:
        """The plan in a session's settings. ValueError where there is none that can be read."""
        try:
            rounds = tuple(
                RoundPlan(float(each["minutes"]), tuple(str(kata) for kata in each["katas"]))
                for each in settings["rounds"]
            )
            if not rounds or not all(each.katas and 0 < each.minutes <= _LONGEST for each in rounds):
                raise ValueError("a round without katas or time")
            return cls(
                preset=str(settings["preset"]),
                rounds=rounds,
                folder=str(settings["folder"]),
                seed=int(settings["seed"]),
                feedback=settings["feedback"] if settings["feedback"] in FEEDBACK else "full",
                difficulty=str(settings.get("difficulty", "any")),
                allow_pause=bool(settings.get("allow_pause")),
                interviewer=bool(settings.get("interviewer")),
                drawn=bool(settings.get("drawn", True)),
                environment=tuple((str(k), str(v)) for k, v in dict(settings.get("environment", {})).items()),
            )
        except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
            raise ValueError(f"the plan cannot be read: {error!r}") from None
