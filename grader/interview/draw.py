"""Which katas an interview asks: a weighted draw towards what is weak or long unseen. Pure; the seed decides.

Each kata gets a number of its own from the seed, so that the draw for a seed changes only where a weight does, and a
new kata in the catalogue leaves the others where they were (Efraimidis and Spirakis, "Weighted random sampling with a
reservoir", 2006: the largest of uniform ** (1 / weight) come first).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random

from grader.catalog import Kata
from grader.errors import UsageError
from grader.journal.progress import Progress
from grader.render.text import amount

FULL = 0.5  # of a round's minutes that its katas may ask for together; the rest is for talk, tests and questions
LARGEST = 0.6  # of a round's minutes that one kata may ask for
MOST = 3  # katas in a round


@dataclass(frozen=True, slots=True)
class Weight:
    """How much a kata wants to be practised, from 1 upwards, and why."""

    value: float
    reason: str


def weigh(progress: Progress, now: datetime) -> Weight:
    """The weight of a kata with this progress."""
    if not progress.attempts:
        return Weight(4.0, "never graded")
    days = 0 if progress.last_grade is None else (now - datetime.fromisoformat(progress.last_grade)).days
    unseen = min(max(days, 0) / 14, 2.0)
    seen = f", not seen for {days} days" if days >= 7 else ""
    if not progress.passed:
        known = "" if progress.best is None else f", best {progress.best}/{progress.required}"
        held = (progress.best or 0) / (progress.required or 1)
        return Weight(4.0 + (1 - held) + unseen, f"not passed yet{known}{seen}")
    helped = progress.hints / 3 + progress.gave_up
    how = "after the solution was shown" if progress.gave_up else f"with {progress.hints} of 3 hints" if helped else ""
    return Weight(1.0 + helped + unseen, " ".join(filter(None, ("passed", how))) + seen)


def in_order(katas: Iterable[Kata], progress: Mapping[str, Progress], seed: int, now: datetime) -> list[Kata]:
    """Every kata, in the order in which the seed draws them."""

    def key(kata: Kata) -> float:
        weight = weigh(progress.get(kata.id, Progress()), now).value
        return float(Random(f"{seed}/{kata.id}").random() ** (1 / weight))

    return sorted(katas, key=key, reverse=True)


def draw(
    katas: Sequence[Kata],
    progress: Mapping[str, Progress],
    minutes: Sequence[float],
    *,
    seed: int,
    now: datetime,
    difficulty: str = "any",
) -> list[tuple[str, ...]]:
    """The katas of each round, by id; no kata is asked twice.

    A round gets the first kata drawn that leaves time to talk, and more of them while they fill no more than half of it.
    UsageError where there are fewer katas than rounds.
    """
    fitting = [kata for kata in katas if difficulty in ("any", kata.difficulty)]
    if len(fitting) < len(minutes):
        kind = "" if difficulty == "any" else f"{difficulty} "
        there = f"there is only {amount(len(fitting), 'kata')}" if fitting else "there is none"
        raise UsageError(
            f"{amount(len(minutes), 'round needs', 'rounds need')} as many {kind}katas, and {there}", "--difficulty any"
        )
    waiting = in_order(fitting, progress, seed, now)
    rounds: list[list[Kata]] = []
    for length in minutes:
        # Where all of them are too long, the shortest comes nearest.
        first = next((k for k in waiting if k.minutes <= LARGEST * length), min(waiting, key=lambda k: k.minutes))
        waiting.remove(first)
        rounds.append([first])
    for chosen, length in zip(rounds, minutes, strict=True):
        for kata in list(waiting):
            if len(chosen) < MOST and sum(k.minutes for k in chosen) + kata.minutes <= FULL * length:
                waiting.remove(kata)
                chosen.append(kata)
    return [tuple(kata.id for kata in chosen) for chosen in rounds]
